"""Errors, warnings and hints say what was wrong; each line that they advise is run."""

import ast
import pickle
import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import xarray as xr

import pu_accessor
import pu_accessor.polars
import pu_accessor.sklearn
from pu_accessor import PUError, PUWarning, words
from pu_accessor.roles_and_assumptions import EXCLUSIONS
from pu_accessor.sklearn import scorer

RECORDED = Path(__file__).with_name("messages.txt")
BLOCKS = re.split(r"\n(?=\S)", RECORDED.read_text(encoding="utf-8"))
MESSAGES = {call: told for call, *told in map(str.splitlines, BLOCKS) if call[0] != "#"}
SIZE, RNG = 120, np.random.default_rng(57)
PLACE = np.arange(SIZE)
DF = pd.DataFrame({"score": RNG.normal(1.5 * (PLACE < 50)), "other": RNG.normal(size=SIZE)})
DF["label"] = np.where(PLACE < 25, 1, np.where(PLACE >= 110, 0, np.nan))
DF["site"], DF["fold"], DF["row"] = np.where(PLACE % 2, "a", "b"), PLACE % 3, PLACE
DF["lone"], DF["e"] = np.where(PLACE, "many", "one"), np.where(PLACE < 25, 0.5, np.nan)
DF["p"] = 1 / (1 + np.exp(-DF["score"]))
FREE = DF.assign(label=DF["label"].where(DF["label"] == 1))  # without known negatives
LONG = FREE.melt(["row", "label", "site"], ["score", "other"], "model", "points")
GAPS = FREE.assign(other=FREE["other"].mask(PLACE > 60))
DOWN = FREE.assign(energy=-FREE["score"], km=PLACE)
DRAWN = {"n_unlabeled": 9, "n": 1, "n_positive": 2, "n_negative": 0}
STRATA = pd.DataFrame({"label": [True, False], "stratum": [*"ab"], **DRAWN})
# Two models one below the other, with columns that messages name: their lines run on these.
ROWS = pd.DataFrame({"score": RNG.permutation(np.linspace(0.01, 0.99, 400))})
ROWS["label"] = np.tile(np.where(np.arange(200) % 4 == 0, 1.0, np.nan), 2)
ROWS["model"] = np.repeat(["svm", "forest"], 200)
ROWS[["propensity", "w", "n"]] = [0.5, 2, 3]
ROWS["id"] = ROWS["example_id"] = ROWS["patient"] = np.tile(np.arange(200), 2)
for key in ("site", "query", "fold", "key", "sex"):
    ROWS[key] = np.tile(np.repeat(["a", "b"], 100), 2)
ROWS["svm"], ROWS["forest"], ROWS["p"] = ROWS["score"], 1 - ROWS["score"], 0.5
ROWS["other"], ROWS["row"], ROWS["at"] = ROWS["forest"], ROWS["id"], pd.Timestamp("2024-01-01")
SAMPLES = ROWS[["score", "label", "svm", "forest"]].rename_axis("sample").to_xarray()
SAMPLES["score"] = SAMPLES["score"].expand_dims(fold=2, model=2, lat=1)
KNOWN = ROWS["label"] == 1

NAMES: dict[str, Any] = {
    **{"DF": DF, "FREE": FREE, "LONG": LONG, "DOWN": DOWN, "STRATA": STRATA, "beta": 0.1},
    **{"PU": DF.pu, "GROUPS": DF.pu(by="site"), "PILOT": {"auroc": 0.8}, "NAN": float("nan")},
    "PLACE": PLACE,
    "DS": xr.Dataset({name: ("sample", DF[name]) for name in ("score", "label")}),
    "BOTH": FREE.assign(sign="x").pu(score=["score", "other"]),
    "TABLES": DF.pu.contingency(0.2, ranks="all"),
    **{"CURVES": DF.pu.roc_bounds(0.2), "CHUNKS": pu_accessor.from_chunks([DF])},
    "ONE": pu_accessor.from_arrays([3, 2, 1], [True, None, None]),
    "SPOILT": DF.assign(label=DF["label"].mask(DF["site"] == "b")),
    "LONE": FREE.assign(label=FREE["label"].where(PLACE < 3)),
    "ALIKE": DF.assign(k=DF["row"].where(DF["e"].isna(), -1)),
    "UNEVEN": DF.assign(e=DF["e"].mask(PLACE < 3, 1e-4)),
    "FOURTHS": DF.assign(site=PLACE % 4, label=DF["label"].mask(PLACE % 4 == 2)),
    "HOLED": DF.assign(site=DF["site"].mask(PLACE == 30)),
    "FEW": pd.concat([DF[23:], DF[24:].assign(site="c")]),
    "QUERIES": pd.concat([DOWN.assign(q=query) for query in range(9)]),
    "UNNAMED": LONG.rename(columns={"points": "score"}),
    "PATIENTS": FREE.assign(patient=PLACE // 4, method=np.where(PLACE % 8 < 4, "ct", "mri")),
    "REPEATED": pd.concat([FREE.assign(fold=i) for i in range(3)]).iloc[::-1],
    "SINGLE": DF.assign(label=DF["label"].where((DF["site"] == "a") | (PLACE == 0))),
    "TOP": FREE.assign(score=FREE["score"] + 9 * (PLACE < 25), p=0.4 + PLACE % 2 / 5),
    "LISTS": pd.concat([FREE.assign(score=-PLACE, q=query) for query in range(9)]),
    "FLAT": DF.assign(p=25 / 120 + (PLACE % 2 - 0.5) / 10),
    "LAST": pu_accessor.from_arrays([3, 2, 1], [None, None, 1]),
    "BEST": pu_accessor.from_arrays(range(48, 0, -1), [1] * 8 + [None] * 40),
    "GRADED": DF.assign(row=DF["row"].where(DF["row"] != 5)),
    "AXES": plt.subplots(1, 2)[1],
    "HALF": GAPS.pu(score=["score", "other"], nan_policy="omit"),
    "GAPPED": DOWN.mask(DOWN["km"] > 60),
    **{"ROW": STRATA[:1].rename({0: 1}), "AB": pd.CategoricalDtype([*"ab"])},
    **{"SMALL": pd.Series([1, None, None]), "BY_HAND": pd.Series([True, False, True], [*"abc"])},
    "BETA": pu_accessor.beta_from_labels(13, 60, n_unlabeled=int(DF["label"].isna().sum())),
    "SCORER": pu_accessor.sklearn.scorer("auroc", unlabeled=0),
    "MODEL": type("Model", (), {"decision_function": lambda self, x: x["score"].to_numpy()})(),
    **{"np": np, "pd": pd, "pl": pl, "plt": plt, "scipy": scipy, "xr": xr},
    **{"pu_accessor": pu_accessor, "labeling": pu_accessor.labeling},
    **{name: getattr(pu_accessor, name) for name in ("bedroc", "from_arrays", "from_chunks")},
    # What messages call the reader's own.
    "df": ROWS,
    "ds": ROWS.pu(by="model").contingency([0, 0.1, 0.2], ranks="all"),
    "models": ROWS.assign(m1=ROWS["score"], m2=ROWS["forest"]),
    "coded": ROWS.assign(label=np.where(KNOWN, "case", "rest")),
    **{"score": ROWS["score"], "label": ROWS["label"], "chunks": [ROWS], "y": 1 * KNOWN},
    "found": ROWS.pu(score="svm").sample_to_label(9, random_state=0).assign(label=True),
    **{"minus": ROWS.assign(label=np.where(KNOWN, 1, -1)), "column": ROWS["score"] > 0},
}
FIRST = re.compile(
    r"\bd[fs](?:\.(?!filter|with_columns|group_by)|\[)|\bcolumn\.|\bpu_accessor\.(?=\w)"
)


@pytest.fixture(autouse=True)
def write_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write reports where tests write."""
    monkeypatch.chdir(tmp_path)


def run(line: str, **names: Any) -> Any:
    """Run a line and let it warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        return eval(line, NAMES | names)


def run_line(line: str) -> None:
    """Run a line that a message writes: its `ds` has samples, tables, or tables of one beta."""
    of_samples = re.match(r"ds(\[(?!'tp')|\.isel|\.stack|\.pu\(|\.to_dataframe)", line)
    ds = SAMPLES if of_samples else NAMES["ds"]
    run(line, ds=ds.isel(beta=0) if ".expand_dims('beta')" in line else ds, ax=plt.gca())


def lines_in(text: str) -> set[str]:
    """Return the longest line of code from each place in a text where one begins."""
    found = set()
    for start in FIRST.finditer(text):
        for end in range(len(text), start.end() - 1, -1):
            try:
                line = ast.parse(text[start.start() : end], mode="eval").body
            except (SyntaxError, ValueError):
                continue
            if isinstance(line, ast.Call | ast.Attribute | ast.Subscript):
                found.add(text[start.start() : end].rstrip())
                break
    return {line for line in found if line.endswith(")") and "..." not in line}


def check_text(text: str, call: str) -> None:
    """Raise unless capitals are names or passed, and a sentence begins with a capital or code."""
    shouted, passed = ({*re.findall("[A-Z]{2,}", one)} for one in (text, call))
    assert shouted <= {"AUROC", "CV", "ROC", *passed}
    assert not re.search(r"(?<!\.)\. (?!attrs|df|gap|labeling|with )[a-z]", text)
    assert 30 < len(text) <= 300


def _warned(n: int, rows: int, beta: float, shift: float, seed: int) -> pd.DataFrame:
    """Draw known positives and rows that stand for ten each."""
    rng, hidden = np.random.default_rng(seed), int(beta * rows)
    score = np.append(rng.normal(shift, 1, n + hidden), rng.normal(0, 1, rows - hidden))
    known = np.arange(n + rows) < n
    columns = {"score": score, "label": np.where(known, 1, np.nan), "w": np.where(known, 1, 10)}
    return pd.DataFrame(columns)


NAMES["drawn"] = _warned


def told(call: str) -> list[str]:
    """Return the error of a call and its warnings, each with its class."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found: list[Any] = []
        try:
            eval(call, NAMES.copy())
        except (PUError, AttributeError) as error:
            found.append(error)
    found += [one.message for one in caught]
    return [f"{type(one).__name__}: {one}" for one in found]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("call", MESSAGES)
def test_the_message_says_what_was_wrong_and_what_works(call: str) -> None:
    found = told(call)
    assert [f"    {text}" for text in found] == MESSAGES[call]
    for kind, message in (text.split(": ", 1) for text in found):
        assert kind == "AttributeError" or kind in pu_accessor.__all__
        check_text(message, call)
        assert message.count("on_error=") < 2
        meant = re.search(r"'([^']+)'[^']*Did you mean '(.+?)'\?", message)
        if meant and call.startswith(("df", "ds")):
            run(call.replace(meant[1], meant[2], 1))
        for line in lines_in(message):
            run_line(line)


@pytest.mark.filterwarnings("error::pu_accessor.PUWarning")
@pytest.mark.parametrize(
    "call",
    [
        "drawn(60, 5000, 0.05, 1, 0).pu.average_precision(0.05)",
        "drawn(60, 5000, 0.05, 1, 0).pu(weight='w').average_precision(0.05)",
        "drawn(60, 5000, 0.05, 1, 0)[40:].pu.average_precision(0.05, target='examples')",
        "drawn(60, 5000, 0.05, 1, 0)[51:].pu(weight='w').auroc(0.05)",
        "DOWN.assign(energy=-DOWN['energy']).pu(score='energy').auroc(0.2)",
        "DOWN[12:].pu(score='energy', by='site', average=True).auroc(0)",  # on average unsure
        "FREE.pu(score='other').auroc(0.2)",
        "UNNAMED.pu(by='model').auroc(0.2)",
        "UNNAMED.pu(cluster='row').auroc(0.2)",
        "UNNAMED.drop(columns=['model', 'row']).reset_index(drop=True).pu.auroc(0.2)",
        "REPEATED.pu(by='fold').auroc(0.2)",
        "REPEATED.iloc[::-1].drop(columns='row').pu(by='fold', average=True).auroc(0.2)",
        "UNNAMED[:120].pu.auroc(0.2)",
        "PATIENTS.pu.auroc(0.2)",
        "from_chunks([UNNAMED]).auroc(0.2)",
    ],
)
def test_where_all_is_plain_nothing_is_said(call: str) -> None:
    eval(call, NAMES.copy())


def test_models_on_common_rows_are_those_that_are_compared() -> None:
    with pytest.warns(PUWarning, match="different rows") as warned:
        NAMES["HALF"].auroc(0.2)
    (line,) = lines_in(str(warned[0].message))
    common = run(line, df=GAPS).pu(score=["score", "other"])
    assert len(common.auroc(0.2)) == 2  # without a warning
    pd.testing.assert_frame_equal(
        common.compare("auroc", 0.2), NAMES["HALF"].compare("auroc", 0.2)
    )


# What all messages of the package have in them, met above or not


@cache
def templates() -> set[str]:
    """Return the texts in the sources of the package, docstrings apart, values as a NUL."""
    found = {line for lines in words.LINES.values() for line in lines.values()}
    found |= {exclusion.step for exclusion in EXCLUSIONS}
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


@pytest.mark.parametrize("line", sorted({line for text in templates() for line in lines_in(text)}))
def test_the_lines_of_all_messages_run(line: str) -> None:
    plt.gca().plot([0, 1], [0, 1], label="curve")  # that a legend names
    run_line(line)


def test_the_next_step_is_kept_where_the_middle_is_left_out() -> None:
    told = [text for text in templates() if " must " in text or " was passed" in text]
    assert len(told) > 200 and max(map(len, told)) <= 300
    message = str(PUError(f"score must be a number, but {'9' * 500} was passed. Pass score=0.5."))
    assert len(message) == 300 and " ... " in message
    assert message.startswith("score must be") and message.endswith("was passed. Pass score=0.5.")
    long = "a name that nobody would give to a column of a frame " * 20
    with pytest.raises(PUError) as error:
        DF.pu.auroc(0.1, **{long: 3})
    assert 40 < len(str(error.value)) <= 300
    keyed = DF.assign(key=[f"{long}{i % 30}" for i in range(SIZE)])
    with pytest.warns(PUWarning) as warned:
        keyed.pu(by="key", on_error="skip").auroc(0.99)
    assert max(len(str(one.message)) for one in warned) <= 300


# Names and reprs

SYNONYMS = {"sensitivity": "recall", "specificity": "tnr", "ppv": "precision", "F1": "f1"}
SYNONYMS |= {"youden": "informedness", "enrichment_factor": "lift", "elusion": "for"}
SYNONYMS["tss"] = "informedness"


@pytest.mark.parametrize("word", SYNONYMS)
def test_the_name_that_is_asked_for_is_that_of_the_answer(word: str) -> None:
    both, pu, above = [word, SYNONYMS[word]], DF.pu, {"above": 0.1}
    found = pu.metric(both, 0.1, at=10)
    assert found["metric"].tolist() == both
    sites, models, at = pu(by="site"), pu(score=["score", "other"]), {"threshold": 0.5}
    for ask in (
        lambda name: pu.metric(name, 0.1, at=10),
        lambda name: sites(average=True).metric(name, 0.1, at=10),
        lambda name: sites.gap(name, 0.1, at=10),
        lambda name: pu.robustness(name, 0.1, at=10, over={"contamination": [0]}, **above),
        lambda name: models.compare(name, 0.1, at=at),
    ):
        one, other = map(ask, both)
        assert {*one["metric"]} == {word}
        assert one.drop(columns="metric").equals(other.drop(columns="metric"))
    one, other = map(NAMES["TABLES"].pu.metric, both)
    assert one.name == one.attrs["long_name"] == word
    np.testing.assert_array_equal(one, other)
    assert (
        pickle.loads(pickle.dumps(scorer(word, beta=0.1, at=9, unlabeled=0))).metric.name == word
    )
    if word.lower() not in both[1:]:  # else it is another spelling of the same name
        assert pu.plot_metric(word, 0.1).get_ylabel() == word.replace("_", " ")


def test_an_area_by_another_name_is_drawn_alike() -> None:
    one, other = (DF.pu(by="site").plot_forest(name, 0.1) for name in ("AUC", "auroc"))
    assert (one.get_xlabel(), other.get_xlabel()) == ("AUC", "AUROC")
    assert len(one.lines) == len(other.lines)  # with chance
    plt.close("all")
    area = NAMES["TABLES"].pu.area
    assert area("auc").identical(area("auroc"))


MANY = [f"model number {i}" for i in range(40)]
NAMES["many"] = ROWS.assign(**dict.fromkeys(MANY, ROWS["score"]))
NAMES["wide"], NAMES["MANY"] = "a name that nobody would give " * 20, MANY


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize(
    "shown",
    [
        "coded.pu(positive='case', unlabeled='rest', by='site', on_error='skip')",
        "many.pu(score=MANY, by='site', nan_policy='omit')",
        "df.pu(score='what is nowhere to be found among the columns of a frame')",
        "coded.pu",
        "ds.pu",
        "many.rename(columns={'site': wide}).pu(by=wide)",
        "ds",
        "many.pu(score=MANY).roc_bounds(0.1)",
        "df.pu.estimate_beta()",
    ],
)
def test_reprs_fit_a_terminal(shown: str) -> None:
    lines = repr(run(shown)).splitlines()
    old = int(pd.__version__.split(".")[0]) < 3  # it did not count the dots where it cuts
    assert lines and max(map(len, lines)) <= 80 + 4 * old


SIX = pd.DataFrame({"score": range(6, 0, -1), "label": [1, None, 1, None, None, None]})
FOLDS = pd.concat([SIX.assign(fold="a"), SIX.assign(fold="b", label=float("nan"))])


def test_a_warning_that_quotes_an_error_quotes_its_first_sentence() -> None:
    with pytest.warns(pu_accessor.PUWarning) as warned:
        found = FOLDS.pu(by="fold", on_error="skip").auroc(0.3)
    assert "df.pu" not in str(warned[0].message)
    assert found.attrs["skipped"]["group fold='b'"].startswith("label must mark")


def write() -> None:
    """Record all messages anew."""
    lines = []
    for first in (block.splitlines()[0] for block in BLOCKS):
        lines += [first, *(f"    {text}" for text in (told(first) if first in MESSAGES else ()))]
    RECORDED.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    write()
