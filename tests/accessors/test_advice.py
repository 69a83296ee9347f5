"""What people type, what they are told, and that it works when they do as told, to the letter."""

import ast
import re
import warnings
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

import pu_accessor
from pu_accessor import PUError, PUWarning

RNG = np.random.default_rng(0)
TRUTH = RNG.random(300) < 0.4
KNOWN = np.where(RNG.random(300) < 0.6 * TRUTH, 1.0, np.nan)
DF = pd.DataFrame(
    {"score": RNG.normal(TRUTH), "label": KNOWN, "site": RNG.choice(["a", "b"], 300)}
)
MODELS = DF.assign(m1=DF["score"], m2=RNG.normal(TRUTH))
CODED = DF.assign(label=np.where(KNOWN == 1, "case", "rest"))
MINUS = DF.assign(label=np.where(KNOWN == 1, 1, -1))
NAMES: dict[str, Any] = {"np": np, "pd": pd, "plt": plt, "pu_accessor": pu_accessor, "df": DF}
NAMES |= {"models": MODELS, "coded": CODED, "minus": MINUS}
NAMES |= {"ds": DF.pu.contingency([0, 0.1, 0.2])}

# What is typed: what the message contains. It holds what to write, in one of these ways:
#   a line that begins with df. or ds., to be written instead;
#   "Did you mean 'x'?", x to be written instead of what was typed;
#   keywords after "Pass", "level:" and the like, to be put into the call or its place.
REPLACED = {  # the call with its one wrong word in braces
    "df.pu.metric({'sensitivity'}, 0.1, at=10)": "recall",
    "df.pu.metric({'specificity'}, 0.1, at=10)": "tnr",
    "df.pu.metric({'ppv'}, 0.1, at=10)": "precision",
    "df.pu.metric({'f1_score'}, 0.1, at=10)": "f1",
    "df.pu.metric({'matthews_corrcoef'}, 0.1, at=10)": "mcc",
    "df.pu.metric({'balanced_accuracy_score'}, 0.1, at=10)": "balanced_accuracy",
    "df.pu.metric({'recal'}, 0.1, at=10)": "recall",
    "df.pu.plot_metric({'Sensitivity'}, 0.1)": "recall",
    "ds.pu.metric({'youden'})": "informedness",
    "ds.pu.metric({'negative_predictive_value'})": "npv",
    "df.pu.plot_against_beta({'roc'}, [0.1, 0.2])": "auroc",
    "df.pu.plot_against_beta({'roc_auc'}, [0.1, 0.2])": "auroc",
    "df.pu.plot_against_beta({'pr'}, [0.1, 0.2])": "average_precision",
    "df.pu.plot_against_beta({'sensitivity'}, [0.1, 0.2], at=20)": "recall",
    "ds.pu.plot_against_beta({'auc'})": "auroc",
    "ds.pu.area({'roc'})": "auroc",
    "ds.pu.area({'ap'})": "average_precision",
    "df.pu.metric({metric}='f1', beta=0.1, at=10)": "quantity",
    "df.pu.metric('precision', 0.1, at={{'top'}: 50})": "rank",
    "df.pu.metric('precision', 0.1, at={{'top_k'}: 50})": "rank",
    "df.pu.metric('precision', 0.1, at={{'score'}: 0.5})": "threshold",
    "df.pu.metric('precision', 0.1, at={{'share'}: 0.5})": "fraction",
    "df.pu.metric('precision', 0.1, at={{'sensitivity'}: 0.5})": "recall",
    "df.pu.metric('f1', 0.1, at={'best'})": "maximum",
    "df.pu.plot_metric('f1', 0.1, x={'share'})": "fraction",
    "df.pu.auroc(0.1, target={'new'})": "population",
    "df.pu.auroc(0.1, {confidence}=0.9)": "level",
    "df.pu.plot_roc(0.1, {conf_level}=0.9)": "level",
    "df.pu.metric('f1', 0.1, {top}=20)": "at",
    "df.pu.sample_to_label(3, {seed}=0)": "random_state",
    "df.pu({model}='site')": "by",
    "df.pu({groupby}='site')": "by",
    "df.pu({y_true}='label')": "label",
    "df.pu({y_score}='score')": "score",
    "coded.pu({pos_label}='case', unlabeled='rest')": "positive",
}
LINES = {
    "df.pu.metric('auc', 0.1, at=10)": "That is df.pu.auroc(0.3)",
    "df.pu.metric('auroc', 0.1, at=10)": "That is df.pu.auroc(0.3)",
    "df.pu.plot_metric('roc_auc', 0.1)": "df.pu.auroc(0.3)",
    "ds.pu.metric('auroc')": "of tables, ds.pu.area('auroc')",
    "df.pu.metric('ap', 0.1, at=10)": "df.pu.average_precision(0.3)",
    "df.pu.metric('average_precision', 0.1, at=10)": "df.pu.average_precision(0.3)",
    "df.pu.auc(0.1)": "Write df.pu.auroc(0.3)",
    "df.pu.roc_auc_score": "Write df.pu.auroc(0.3)",
    "df.pu.ap(0.1)": "Write df.pu.average_precision(0.3)",
    "df.pu.plot_auroc(0.1)": "Write df.pu.plot_roc(0.3)",
    "df.pu.plot_roc_curve(0.1)": "Write df.pu.plot_roc(0.3)",
    "df.pu.roc(0.1)": "Write df.pu.roc_bounds(0.3)",
    "df.pu.precision_recall_curve(0.1)": "Write df.pu.pr_bounds(0.3)",
    "df.pu.precision(0.1)": "Write df.pu.metric('precision', 0.3, at=100)",
    "df.pu.area('auroc')": "Write df.pu.contingency(0.3).pu.area('auroc')",
    "df.pu.at(rank=3)": "Write df.pu.contingency(0.3).pu.at(rank=100)",
    "df.pu.confusion_matrix(0.1)": "Write df.pu.contingency(0.3)",
    "df.pu.prior()": "Write df.pu.estimate_beta()",
    "df.pu(score='score', nan_policy='omit').auc": "Write df.pu(nan_policy='omit').auroc(0.3)",
    "ds.pu.auroc(0.1)": "Of tables: ds.pu.area('auroc')",
    "ds.pu.roc_auc": "Of tables: ds.pu.area('auroc')",
    "ds.pu.roc()": "Of tables: ds.pu.roc_bounds()",
    "ds.pu.roc_bounds(0.1)": "Write for example ds.pu.roc_bounds()",
    "df.pu.auroc()": "Write for example df.pu.auroc(0.3)",
    "df.pu.auroc(0.1, label='site')": "df.pu(label='site').auroc(0.1)",
    "df.pu.plot_roc(0.1, title='A')": "df.pu.plot_roc(0.1).set(title='A')",
    "df.pu.plot_roc(0.1, xlim=(0, 0.2))": "df.pu.plot_roc(0.1).set(xlim=(0, 0.2))",
    "df.pu.plot_roc(0.1, figsize=(3, 3))": "ax=plt.subplots(figsize=(3, 3))[1]",
    "df.pu.plot_pr(0.1, color='red')": "df.pu.plot_pr(0.1, line_kws={'color': 'red'})",
    "df.pu.plot_pr(beta=0.1, lw=3)": "df.pu.plot_pr(beta=0.1, line_kws={'lw': 3})",
    "df.pu.plot_pr(0.1, level=0.9, alpha=0.5)": "level=0.9, line_kws={'alpha': 0.5}",
    "df.pu.plot_pr(0.1, hatch='//')": "band_kws={'hatch': '//'}",
    "df.pu.plot_metric('f1', 0.1, cmap='viridis')": "plot_metric('f1', 0.1, palette='viridis')",
    "df.pu.plot_roc(0.1, colors=['red'])": "df.pu.plot_roc(0.1, palette=['red'])",
    "df.pu.plot_roc(0.1, figsize=(3, 3), ax=None)": "ax=plt.subplots(figsize=(3, 3))[1]",
    "df.pu(by='site').plot_roc(0.1, col='site', figsize=(8, 3))": "col='site', height=3",
    "df.pu.plot_against_beta('auroc', [0, 0.1], ls=':')": "line_kws={'ls': ':'}",
    "ds.pu.plot_roc(color='red')": "ds.pu.plot_roc(line_kws={'color': 'red'})",
    "ds.pu.plot_pr(title='A')": "ds.pu.plot_pr().set(title='A')",
    "df.pu.plot_roc(0.1, hue='site')": "df.pu(by='site')",
    "ds.pu.plot_pr(dpi=50)": "ds.pu.plot_pr(ax=plt.subplots(dpi=50)[1])",
}
# Keywords that the message wants in the call, in place of what stands in braces or at its end.
ADDED = {
    "df.pu.metric('f1', 0.1, at={0.1})": ["at={'fraction': 0.1}", "at={'threshold': 0.1}"],
    "df.pu.metric('f1', 0.1, at={20.0})": ["at=20", "at={'threshold': 20.0}"],
    "df.pu.plot_against_beta('recall', [0.1, 0.2]{})": ["at=100"],
    "df.pu.auroc(0.1, {alpha=0.05})": ["level=0.95"],
    "df.pu.metric({'for'}, 0.1, at=10)": ["lambda tp, fp, fn, tn: fn / (fn + tn)"],
    "df.pu.plot_metric({'for'}, 0.1)": ["lambda tp, fp, fn, tn: fn / (fn + tn)"],
    "df.pu.metric({'fbeta'}, 0.1, at=10)": ["pu_accessor.fbeta(2)"],
    "models.pu(score=['m1', 'm2']).plot_roc(0.1, hue='beta'{})": ["col='model'"],
    "models.pu(score=['m1', 'm2']).plot_roc([0.1, 0.2]{})": ["hue='model', col='beta'"],
    "models.pu(score=['m1', 'm2'], by='site').plot_roc([0.1, 0.2]{})": ["hue='group', col='beta'"],
    "coded.pu({}).auroc(0.1)": ["positive='case', unlabeled='rest'"],
    "coded.pu(positive='case'{}).auroc(0.1)": ["unlabeled='rest'"],
    "minus.pu({}).auroc(0.1)": ["unlabeled=-1"],
}
HELPLESS = {  # nothing that is near, and nothing is made up
    "df.pu.metric('ndcg', 0.1, at=10)": "but 'ndcg' was passed.",
    "df.pu.plot_roc(0.1, band='normal')": "but 'normal' was passed.",
    "df.pu.nonsense": "df.pu has no attribute 'nonsense'.",
    "df.pu(score='p').auroc(0.1)": "among ['score', 'label', 'site']. Pass score=... with",
    "models.pu(score=['m1', 'm2']).plot_roc([0.1, 0.2], col='model', ax=plt.gca())": "hue alone",
}
TYPED = [*REPLACED, *LINES, *ADDED, *HELPLESS]


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
    assert len(message) <= 400
    if not typed.startswith("ds"):
        assert "ds.sel" not in message
    return message


def find_line(message: str, wanted: str) -> str:
    """Return the line in a message that contains what is wanted, as long as it is one."""
    first = r"\bd[fs]\.(?:pu|sel|expand_dims)\b"
    inside = re.search(first, wanted)
    before = [found.start() for found in re.finditer(first, message[: message.index(wanted)])]
    start = message.index(wanted) + inside.start() if inside else before[-1]
    for end in range(len(message), start, -1):
        try:
            ast.parse(message[start:end], mode="eval")
        except SyntaxError:
            continue
        return message[start:end]
    raise AssertionError(message)


@pytest.mark.parametrize("typed", REPLACED)
def test_the_name_that_is_meant_works(typed: str) -> None:
    assert f"Did you mean '{REPLACED[typed]}'?" in complain(typed)
    wrong = re.search(r"\{'(\w+)'\}|\{(\w+)\}", typed)
    assert wrong is not None
    right = f"'{REPLACED[typed]}'" if wrong[1] else REPLACED[typed]
    run(typed.replace(wrong[0], right))


@pytest.mark.parametrize("typed", LINES)
def test_the_line_that_is_told_works(typed: str) -> None:
    message = complain(typed)
    assert LINES[typed] in message
    line = find_line(message, LINES[typed])
    if "label='site'" not in line:  # which are no labels, as the next error says
        run(line)


@pytest.mark.parametrize("typed", ADDED)
def test_what_is_to_be_passed_works(typed: str) -> None:
    message = complain(typed)
    hole = re.search(r"\{('\w+'|[\d.]+|\w+=[\d.]+|)\}", typed)
    assert hole is not None
    for keywords in ADDED[typed]:
        assert keywords in message
        before = typed[: hole.start()]
        if before.endswith("at="):
            before = before.removesuffix("at=")
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


@pytest.mark.parametrize("word", ["auroc", "fbeta", "top", "color", "average_precision"])
def test_names_that_look_alike_are_not_taken_for_each_other(word: str) -> None:
    from pu_accessor.errors import suggestion

    assert suggestion(word, ["accuracy", "fpr", "tpr", "recall", "col", "precision"]) == ""


def test_what_is_told_has_an_effect() -> None:
    ax: Axes = run("df.pu.plot_roc(0.1, line_kws={'label': 'mine', 'color': 'red'})")
    assert [line.get_color() for line in ax.lines if line.get_label() == "mine"] == ["red"]
    assert "line_kws={'label': 'mine'}" in complain("df.pu.plot_roc(0.1, label='mine')")


def test_many_models_and_groups_in_panels_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PUWarning)
        for look in ({"col": "model"}, {"col": "site"}, {"row": "site", "col": "model"}):
            pu = MODELS.pu(by="site", score=["m1", "m2"])
            grid = pu.plot_metric("f1", 0.1, **look)
            assert len(grid.axes.flat) == 2 ** len(look)


# How long all of it is

LONG = "a name that nobody would give to a column of a frame " * 20
GIANT: dict[str, Any] = {
    "columns": lambda: DF.assign(**{f"{LONG}{i}": 0 for i in range(30)}).pu(score="p").auroc(0.1),
    "column": lambda: DF.pu(score=LONG).auroc(0.1),
    "columns by": lambda: DF.pu(by=[LONG, "site"]).auroc(0.1),
    "labels": lambda: DF.assign(label=[f"{LONG}{i}" for i in range(300)]).pu.auroc(0.1),
    "scores": lambda: DF.assign(score=[f"{LONG}{i}" for i in range(300)]).pu.auroc(0.1),
    "metric": lambda: DF.pu.metric(LONG, 0.1, at=3),
    "band": lambda: DF.pu.roc_bounds(0.1, band=LONG),
    "at": lambda: DF.pu.metric("f1", 0.1, at={LONG: 3}),
    "beta": lambda: DF.pu.auroc([LONG] * 100),
    "betas": lambda: DF.pu.auroc(np.linspace(2, 3, 1000)),
    "keys": lambda: DF.pu(by="site").auroc({f"{LONG}{i}": 0.1 for i in range(99)}),
    "ranks": lambda: DF.pu.contingency(0.1, ranks=np.arange(-500, 0)),
    "keyword": lambda: DF.pu.auroc(0.1, **{LONG: 3}),
    "role": lambda: DF.pu(**{LONG: 3}),
    "method": lambda: getattr(DF.pu, LONG),
    "hue": lambda: DF.pu.plot_roc(0.1, hue=LONG),
    "line_kws": lambda: DF.pu.plot_roc(0.1, line_kws={LONG: 3}),
    "group": lambda: DF.assign(key=LONG, label=np.nan).pu(by="key").auroc(0.1),
    "groups": lambda: (
        DF.assign(key=[f"{LONG}{i}" for i in range(300)], label=np.nan)
        .pu(by="key", on_error="skip")
        .auroc(0.1)
    ),
}


@pytest.mark.parametrize("name", GIANT)
def test_no_message_is_longer_than_anyone_reads(name: str) -> None:
    with pytest.raises((PUError, AttributeError)) as told:
        GIANT[name]()
    assert 40 < len(str(told.value)) <= 400


def test_no_warning_is_longer_than_anyone_reads() -> None:
    keyed = DF.assign(key=[f"{LONG}{i % 30}" for i in range(300)])
    with pytest.warns(PUWarning) as told:
        keyed.pu(by="key", on_error="skip").auroc(0.99)
    assert told and max(len(str(one.message)) for one in told) <= 400


def test_the_next_step_is_kept_where_the_middle_is_left_out() -> None:
    message = str(PUError(f"score must be a number, but {'9' * 500} was passed. Pass score=0.5."))
    assert len(message) == 400 and " ... " in message
    assert message.startswith("score must be") and message.endswith("was passed. Pass score=0.5.")


MANY = MODELS.assign(**{f"model number {i}": MODELS["m1"] for i in range(40)})
MANY_NAMES = [f"model number {i}" for i in range(40)]
SHOWN: dict[str, Callable[[], Any]] = {
    "plain": lambda: DF.pu,
    "roles": lambda: CODED.pu(
        score="score", positive="case", unlabeled="rest", by="site", on_error="skip"
    ),
    "models": lambda: MANY.pu(score=MANY_NAMES, by="site", nan_policy="omit"),
    "not ready": lambda: DF.pu(score="what is nowhere to be found among the columns of a frame"),
    "ambiguous": lambda: CODED.pu,
    "tables": lambda: NAMES["ds"].pu,
    "long names": lambda: MANY.rename(columns={"site": LONG}).pu(by=LONG),
    "a Dataset": lambda: NAMES["ds"],
    "groups": lambda: MANY.pu(score=MANY_NAMES).roc_bounds(0.1),
    "auroc": lambda: DF.pu(by="site").auroc(0.1),
    "metric": lambda: DF.pu(by="site").metric("f1", 0.1, at=20),
    "beta": lambda: DF.pu.estimate_beta(),
    "compare": lambda: MODELS.pu(score=["m1", "m2"]).compare(0.1),
}


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_reprs_fit_a_terminal(name: str) -> None:
    lines = repr(SHOWN[name]()).splitlines()
    assert lines and max(map(len, lines)) <= 80


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_the_assumptions_of_an_estimate_do_not_drown_it() -> None:
    found = SHOWN["beta"]()
    assert "assumptions" not in found.columns and "random sample" in found.attrs["assumptions"]
    assert len(repr(found).splitlines()) == 2
