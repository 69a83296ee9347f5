"""What people type, what they are told, and that it works when they do as told, to the letter."""

import ast
import re
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes

import pu_accessor
from pu_accessor import PUError, PUWarning
from pu_accessor.questions import call_errors
from pu_accessor.roles_and_assumptions import ARGUMENTS

RNG = np.random.default_rng(0)
TRUTH = RNG.random(300) < 0.4
KNOWN = np.where(RNG.random(300) < 0.6 * TRUTH, 1.0, np.nan)
SITE = RNG.choice(["a", "b"], 300)
DF = pd.DataFrame({"score": 1 / (1 + np.exp(-RNG.normal(TRUTH))), "label": KNOWN, "site": SITE})
MODELS = DF.assign(m1=DF["score"], m2=RNG.normal(TRUTH))
CODED = DF.assign(label=np.where(KNOWN == 1, "case", "rest"))
MINUS = DF.assign(label=np.where(KNOWN == 1, 1, -1))
NAMES: dict[str, Any] = {"np": np, "pd": pd, "plt": plt, "pu_accessor": pu_accessor, "df": DF}
NAMES |= {"models": MODELS, "coded": CODED, "minus": MINUS}
NAMES |= {
    "ds": DF.pu.contingency([0, 0.1, 0.2], ranks="all"),
    "beta": 0.1,
    "column": DF["score"] > 0,
}


@pytest.fixture(autouse=True)
def write_nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave reports that are written where tests leave what they write."""
    monkeypatch.chdir(tmp_path)


# What is typed, and what the message has: a line to be written instead, "Did you mean 'x'?" for
# what stands in braces, or keywords to be put into the call or its place.
WORDS = {  # the call with its one wrong word in braces: words that are wrong, and what is meant
    "df.pu.metric({'%s'}, 0.1, at=10)": (
        "f1_score=f1 matthews_corrcoef=mcc recal=recall negative_predictive_value=npv "
        "balanced_accuracy_score=balanced_accuracy false_omission_rate=for"
    ),
    "df.pu.plot_metric({'%s'}, [0.1, 0.2], x='beta')": "pr=average_precision",
    "ds.pu.area({'%s'})": "roc=auroc",
    "df.pu.metric({%s}='f1', beta=0.1, at=10)": "name=metric",
    "ds.pu.area({%s}='auroc')": "curve=metric",
    "df.pu.metric('precision', 0.1, at={{'%s'}: 0.5})": "share=fraction score=threshold",
    "df.pu.metric('f1', 0.1, at={'%s'})": "best=maximum max=maximum yuden=youden j=youden",
    "df.pu.plot_metric('f1', 0.1, x={'%s'})": "share=fraction",
    "df.pu.plot_metric('f1', 0.1, {%s}='viridis')": "cmap=palette",
    "df.pu.auroc(0.1, target={'%s'})": "new=population",
    "df.pu.plot_roc(0.1, {%s}=0.9)": "confidence=level conf_level=level",
    "df.pu.metric('f1', 0.1, {%s}=20)": "top=at",
    "df.pu.sample_to_label(3, {%s}=0)": "seed=random_state",
    "df.pu({%s}='site')": "model=by groupby=by",
    "df.pu({%s}='label')": "y_true=label",
    "df.pu({%s}='score')": "y_score=score",
    "coded.pu({%s}='case', unlabeled='rest')": "pos_label=positive",
}
REPLACED = {
    typed.replace("%s", word): meant
    for typed, words in WORDS.items()
    for word, meant in (pair.split("=") for pair in words.split())
}
SYNONYMS = {"sensitivity": "recall", "specificity": "tnr", "ppv": "precision", "F1": "f1"}
SYNONYMS |= {"youden": "informedness", "enrichment_factor": "lift", "elusion": "for"}
LINES = {
    "ds.pu.metric('auroc')": "of tables, ds.pu.area('auroc')",
    "df.pu.roc_auc_score": "Write df.pu.auroc(0.3)",
    "pu_accessor.roc_auc_score": "Write df.pu.auroc(0.3)",
    "df.pu.plot_auroc(0.1)": "Write df.pu.plot_roc(0.3)",
    "df.pu.precision_recall_curve(0.1)": "Write df.pu.pr_bounds(0.3)",
    "df.pu(nan_policy='omit').prior()": "Write df.pu.estimate_beta()",
    "ds.pu.auroc(0.1)": "Of tables: ds.pu.area('auroc')",
    "ds.pu.roc_auc": "Write ds.pu.area('auroc')",
    "ds.pu.roc()": "Write ds.pu.roc_bounds()",
    "ds.pu.sensitivity": "Write ds.pu.metric('recall')",
    "ds.pu.roc_bounds(0.1)": "Write for example ds.pu.roc_bounds()",
    **{
        f"df.pu.metric({typed!r}, 0.1)": f"Write {line}"
        for typed, line in {
            "hits@10": "df.pu.metric('recall', 0.3, at=10)",
            "p@5": "df.pu.metric('precision', 0.3, at=5)",
            "recall_at_k": "df.pu.metric('recall', 0.3, at=100)",
            "confusion_matrix": "df.pu.contingency(0.3, ranks=100).pu.to_frame()",
            "pr_curve": "df.pu.pr_bounds(0.3)",
            "partial_auc": "df.pu.auroc(0.3, max_fpr=0.1)",
        }.items()
    },
    "df.pu.metric('auc', 0.1, at={'fpr': 0.1})": "Of a part: df.pu.auroc(0.3, max_fpr=0.1)",
    "df.pu.metric('ap', 0.1, at=9)": "Of a part: df.pu.metric('precision', 0.3, at=100)",
    "ds.pu.confusion_matrix()": "Write ds.pu.to_frame()",
    "df.pu.contingency(0.1, 9)": "Write for example df.pu.contingency(0.3, ranks=100)",
    "df.pu(threshold=0.5)": "Write df.pu.metric('recall', 0.3, at={'threshold': 0.5})",
    "df.pu(groups='site')": "Write df.pu(cluster='patient')",
    "df.pu.cutoff(0.1, specificity=0.9)": "Write df.pu.cutoff(0.3, fpr=0.1)",
    "df.pu.auroc()": "Write for example df.pu.auroc(0.3)",
    "df.pu.cutof": "Write df.pu.cutoff(0.3, recall=0.9)",
    "df.pu.sample_to_label()": "Write for example df.pu.sample_to_label(50, random_state=0)",
    "df.pu.sensitivity": "Write df.pu.metric('recall', 0.3, at=100)",
    "df.pu.plot_precision": "Write df.pu.plot_metric('precision', 0.3)",
    "df.pu.enrichment_factor(0.1)": "Write df.pu.metric('lift', 0.3, at=100)",
    "df.pu(0.3)": "Write df.pu(score='score', label='label').roc_bounds(0.3)",
    "df.assign(score=df['score'] > 0).pu.auroc(0.1)": "column.astype(float)",
    "df.pu.plot_roc(0.1, hue='site')": "df.pu(by='site')",
    "ds.pu.metric('f1', at=100)": "of tables ds.pu.at(rank=100).pu.metric('recall')",
}
# Where what was typed is to go: a value stands in place of the dots.
PLACES = {
    "df.pu.auroc(0.1, y_true='label')": "df.pu(label=...).auroc(...)",
    "df.groupby('site').pu.auroc(0.1, by='site')": "df.pu(by=...).auroc(...)",
    "df.pu.auroc(0.1, selection_odds=2)": "df.pu.assume(selection_odds=...).auroc(...)",
    "df.pu.roc_bounds(0.1, reference='both')": "df.pu.assume(reference=...).roc_bounds(...)",
    "df.pu.average_precision(0.1, prevalence=0.1)": "df.pu.assume(prevalence=...)",
    "df.pu.compare(contamination=0.1)": "df.pu.assume(contamination=...).compare(...)",
    "df.pu.plot_roc(0.1, monotone=True)": "df.pu.assume(monotone=...).plot_roc(...)",
    "df.pu(monotone=True)": "df.pu.assume(monotone=...)",
    "df.pu.assume(by='site')": "df.pu(by=...)",
    "df.pu(beta=0.2)": "df.pu.metric('recall', 0.3, beta=...)",
    "df.pu(at=20, by='site')": "df.pu.metric('recall', 0.3, at=...)",
    "df.pu.plot_roc(0.1, line_kws={'lw': 2}, c='red')": "line_kws={'c': ...}",
    "ds.pu.plot_roc(color='red')": "line_kws={'color': ...}",
    "df.pu.plot_pr(0.1, level=0.9, alpha=0.5)": "line_kws={'alpha': ...}",
    "df.pu.plot_roc(0.1, label='mine')": "line_kws={'label': ...}",
    "df.pu.plot_pr(0.1, hatch='//')": "band_kws={'hatch': ...}",
    "df.pu.plot_roc(0.1, xlim=(0, 0.2))": "ax.set(xlim=...)",
}
# Keywords that the message wants in the call, in place of what stands in braces or at its end.
ADDED = {
    "df.pu.metric('f1', 0.1, at={0.1})": ["at={'fraction': 0.1}", "at={'threshold': 0.1}"],
    "df.pu.metric('f1', 0.1, at={20.0})": ["at=20", "at={'threshold': 20.0}"],
    "df.pu.metric({'fbeta'}, 0.1, at=10)": ["pu_accessor.fbeta(2)"],
    "models.pu(score=['m1', 'm2']).plot_roc(0.1, hue='beta'{})": ["col='model'"],
    "models.pu(score=['m1', 'm2']).plot_roc([0.1, 0.2]{})": ["hue='model', col='beta'"],
    "models.pu(score=['m1', 'm2'], by='site').plot_roc([0.1, 0.2]{})": ["hue='group', col='beta'"],
    "coded.pu({}).auroc(0.1)": ["positive='case', unlabeled='rest'"],
    "coded.pu(positive='case'{}).auroc(0.1)": ["unlabeled='rest'"],
    "minus.pu({}).auroc(0.1)": ["unlabeled=-1"],
}
HELPLESS = {  # nothing that is near, and nothing is made up
    "df.pu.metric('rbp', 0.1, at=10)": "but 'rbp' was passed.",
    "df.pu.plot_roc(0.1, band='normal')": "but 'normal' was passed.",
    "df.pu.nonsense": "df.pu has no attribute 'nonsense'.",
    "df.pu(score='p').auroc(0.1)": "among ['score', 'label', 'site']. Pass score=... with",
    "models.pu(score=['m1', 'm2']).plot_roc([0.1, 0.2], col='model', ax=plt.gca())": "hue works",
}


def plain(typed: str) -> str:
    """Return what is typed, without the braces about what is to be replaced."""
    return re.sub(r"\{('\w+'|\w+|\w+=[\d.]+|[\d.]+|)\}", r"\1", typed)


def run(line: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)  # of betas that are too high for these rows
        return eval(line, dict(NAMES))


def complain(typed: str) -> str:
    """Return the message, which says neither too much nor anything of Datasets to frames."""
    with pytest.raises((PUError, AttributeError)) as told:
        run(plain(typed))
    message = str(told.value)
    assert len(message) <= 300
    if not typed.startswith("ds"):
        assert "ds.sel" not in message
    return message


def find_line(message: str, wanted: str) -> str:
    """Return the line in a message that contains what is wanted, as long as it is one."""
    first = r"\bd[fs]\.(?:pu|sel|expand_dims)\b|\bcolumn\."
    inside = re.search(first, wanted)
    before = [found.start() for found in re.finditer(first, message[: message.index(wanted)])]
    start = message.index(wanted) + inside.start() if inside else before[-1]
    return longest(message[start:], CODE)


CODE = (ast.Call, ast.Attribute, ast.Subscript, ast.Name)


def longest(text: str, kinds: tuple[type[ast.expr], ...] = (*CODE, ast.Constant)) -> str:
    """Return the longest line of code at the beginning of a text, or nothing."""
    for end in range(len(text), 0, -1):
        try:
            line = ast.parse(text[:end], mode="eval").body
        except (SyntaxError, ValueError):
            continue
        if isinstance(line, kinds):
            return text[:end].rstrip()
    return ""


@pytest.mark.parametrize("typed", REPLACED)
def test_the_name_that_is_meant_works(typed: str) -> None:
    assert f"Did you mean '{REPLACED[typed]}'?" in complain(typed)
    wrong = re.search(r"\{'(\w+)'\}|\{(\w+)\}", typed)
    assert wrong is not None
    right = f"'{REPLACED[typed]}'" if wrong[1] else REPLACED[typed]
    run(typed.replace(wrong[0], right))


@pytest.mark.parametrize("word", SYNONYMS)
def test_names_of_other_fields_are_read_and_one_is_written(word: str) -> None:
    found = [run(f"df.pu.metric({name!r}, 0.1, at=10)") for name in (word, SYNONYMS[word])]
    assert found[0]["metric"].item() == SYNONYMS[word] and found[0].equals(found[1])
    xr.testing.assert_identical(*(NAMES["ds"].pu.metric(n) for n in (word, SYNONYMS[word])))


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("typed", LINES)
def test_the_line_that_is_told_works(typed: str) -> None:
    message = complain(typed)
    assert LINES[typed] in message
    run(find_line(message, LINES[typed]))


@pytest.mark.parametrize("typed", PLACES)
def test_what_is_bound_assumed_or_drawn_has_its_place(typed: str) -> None:
    assert PLACES[typed] in complain(typed)


# What the last release had: methods, and arguments of methods that have them no more.
@pytest.mark.parametrize("name", call_errors._METHODS)
def test_methods_that_people_type_are_answered_by_a_line(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = call_errors._METHODS[name]
    assert complain(f"df.pu.{name}(0.1)").endswith(f" Write {line}.")
    monkeypatch.setitem(NAMES, "df", LONG_ROWS)
    assert run(line) is not None


CALLS = {"level": "df.pu.auroc(0.3, {})", "ax": "df.pu.plot_roc(0.3, {})"}
CALLS |= {"metric": "df.pu(score=['svm', 'forest']).compare({})", "beta": "df.pu.auroc({})"}


@pytest.mark.parametrize("word", ARGUMENTS)
def test_arguments_that_people_type_are_answered_by_a_line(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = ARGUMENTS[word]
    method = "contingency" if word in ("at", "max_fpr") else "auroc"
    assert complain(f"df.pu.{method}(0.1, {word}=1)").endswith(f"Write {told}.")
    monkeypatch.setitem(NAMES, "df", LONG_ROWS.assign(patient=LONG_ROWS["id"]))
    name, _, value = told.partition("=")
    lines = {CALLS[name].format(f"{name}={longest(value)}")} if name in CALLS else {*()}
    for line in lines or written_lines(told):
        run(line)
    assert lines or written_lines(told)


@pytest.mark.parametrize("typed", ADDED)
def test_what_is_to_be_passed_works(typed: str) -> None:
    message = complain(typed)
    hole = re.search(r"\{('\w+'|[\d.]+|\w+=[\d.]+|)\}", typed)
    assert hole is not None
    for keywords in ADDED[typed]:
        assert keywords in message
        before = typed[: hole.start()].removesuffix("at=")
        comma = ", " if not hole[1] and not before.endswith("(") else ""
        run(f"{before}{comma}{keywords}{typed[hole.end() :]}")


@pytest.mark.parametrize("typed", HELPLESS)
def test_nothing_misleads_where_nothing_is_near(typed: str) -> None:
    message = complain(typed)
    assert HELPLESS[typed] in message and "Did you mean" not in message


def test_a_dimension_that_was_selected_away_is_put_back() -> None:
    ds = NAMES["ds"].sel(beta=0.1)
    with pytest.raises(PUError, match=r"Put it back: ds\.expand_dims\('beta'\)\.$"):
        ds.pu.plot_roc()
    ax = ds.expand_dims("beta").pu.plot_roc()
    assert isinstance(ax, Axes)


def test_what_is_told_has_an_effect() -> None:
    ax: Axes = run("df.pu.plot_roc(0.1, line_kws={'label': 'mine', 'color': 'red'})")
    assert [line.get_color() for line in ax.lines if line.get_label() == "mine"] == ["red"]


# What is to be bound, and the rows, where a method compares models or groups.
BOUND = {"compare": "df.pu(score=['m1', 'm2'])", "gap": "df.pu(by='site')"}
BOUND["dominance"] = BOUND["gap"]
ROOTS = ("df.pu", "ds.pu")
METHODS = [(root, name) for root in ROOTS for name in dir(type(run(root))) if name[0] != "_"]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("root", "method"), METHODS)
def test_the_example_of_each_method_works(root: str, method: str, monkeypatch: Any) -> None:
    monkeypatch.setitem(NAMES, "df", MODELS)
    if method == "dominance":
        monkeypatch.setitem(NAMES, "ds", MODELS.pu(by="site").contingency(0.1, ranks="all"))
    line = find_line(complain(f"{root}.{method}_"), f"{root}.{method}(")
    run(line.replace("df.pu", BOUND.get(method, "df.pu"), 1))


# What all messages of the package have in them, called or not: the lines without a value of the
# moment, run on rows that fit.
LONG_ROWS = pd.DataFrame({"score": RNG.permutation(np.linspace(0.01, 0.99, 400))})
LONG_ROWS["label"] = np.tile(np.where(np.arange(200) % 4 == 0, 1.0, np.nan), 2)
LONG_ROWS["model"] = np.repeat(["svm", "forest"], 200)
LONG_ROWS[["p", "propensity", "w", "n"]] = [0.5, 0.5, 2, 3]
LONG_ROWS["id"] = LONG_ROWS["example_id"] = np.tile(np.arange(200), 2)
for keys in ("site", "query", "fold", "key", "sex"):
    LONG_ROWS[keys] = np.tile(np.repeat(["a", "b"], 100), 2)
LONG_ROWS["svm"], LONG_ROWS["forest"] = LONG_ROWS["score"], 1 - LONG_ROWS["score"]
SAMPLES = LONG_ROWS[["score", "label", "svm", "forest"]].rename_axis("sample").to_xarray()
SAMPLES["score"] = SAMPLES["score"].expand_dims(fold=2, model=2)


@cache
def templates() -> set[str]:
    """Return the texts in the sources of the package, docstrings apart, values as a NUL."""
    found = set()
    for path in Path(pu_accessor.__file__).parent.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        within = [node.values for node in nodes if isinstance(node, ast.JoinedStr)]
        within += [[node.value] for node in nodes if isinstance(node, ast.Expr)]
        inside = {id(part) for parts in within for part in parts}
        for node in nodes:
            if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in inside:
                parts = node.values if isinstance(node, ast.JoinedStr) else [node]
                texts = (part.value if isinstance(part, ast.Constant) else None for part in parts)
                found.add("".join(text if isinstance(text, str) else "\0" for text in texts))
    return found


def written_lines(text: str) -> set[str]:
    """Return the calls in a text that begin with df or ds."""
    starts = re.finditer(r"\bd[fs][.\[]", text)
    lines = {longest(text[start.start() :], CODE) for start in starts}
    return {line for line in lines if line.endswith(")")}


ROWS_OF_POLARS = ("filter", "with_columns", "group_by")
WRITTEN = sorted({line for text in templates() for line in written_lines(text)})
WRITTEN = [line for line in WRITTEN if not any(word in line for word in ROWS_OF_POLARS)]


@pytest.mark.parametrize("line", WRITTEN)
def test_the_lines_of_all_messages_run(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NAMES, "df", LONG_ROWS)
    monkeypatch.setitem(NAMES, "ax", plt.gca())
    if re.match(r"ds(\[|\.isel|\.pu\(|\.to_dataframe)", line):
        monkeypatch.setitem(NAMES, "ds", SAMPLES)
    run(line)


def test_texts_of_messages_leave_room() -> None:
    told = [text for text in templates() if " must " in text or " was passed" in text]
    assert len(told) > 200 and max(map(len, told)) <= 300


# How long all of it is

LONG = "a name that nobody would give to a column of a frame " * 20


def test_no_warning_is_longer_than_anyone_reads() -> None:
    keyed = DF.assign(key=[f"{LONG}{i % 30}" for i in range(300)])
    with pytest.warns(PUWarning) as told:
        keyed.pu(by="key", on_error="skip").auroc(0.99)
    assert told and max(len(str(one.message)) for one in told) <= 300


def test_the_next_step_is_kept_where_the_middle_is_left_out() -> None:
    message = str(PUError(f"score must be a number, but {'9' * 500} was passed. Pass score=0.5."))
    assert len(message) == 300 and " ... " in message
    assert message.startswith("score must be") and message.endswith("was passed. Pass score=0.5.")
    with pytest.raises(PUError) as told:
        DF.pu.auroc(0.1, **{LONG: 3})
    assert 40 < len(str(told.value)) <= 300


MANY = MODELS.assign(**{f"model number {i}": MODELS["m1"] for i in range(40)})
MANY_NAMES = [f"model number {i}" for i in range(40)]
SHOWN: dict[str, Callable[[], Any]] = {
    "roles": lambda: CODED.pu(positive="case", unlabeled="rest", by="site", on_error="skip"),
    "models": lambda: MANY.pu(score=MANY_NAMES, by="site", nan_policy="omit"),
    "not ready": lambda: DF.pu(score="what is nowhere to be found among the columns of a frame"),
    "ambiguous": lambda: CODED.pu,
    "tables": lambda: NAMES["ds"].pu,
    "long names": lambda: MANY.rename(columns={"site": LONG}).pu(by=LONG),
    "a Dataset": lambda: NAMES["ds"],
    "groups": lambda: MANY.pu(score=MANY_NAMES).roc_bounds(0.1),
    "beta": lambda: DF.pu.estimate_beta(),
}


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_reprs_fit_a_terminal(name: str) -> None:
    lines = repr(SHOWN[name]()).splitlines()
    old = int(pd.__version__.split(".")[0]) < 3  # it did not count the dots where it cuts
    assert lines and max(map(len, lines)) <= 80 + 4 * old


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_the_assumptions_of_an_estimate_do_not_drown_it() -> None:
    found = SHOWN["beta"]()
    assert "assumptions" not in found.columns and "random sample" in found.attrs["assumptions"]
    assert len(repr(found).splitlines()) == 2
