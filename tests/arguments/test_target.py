"""Numbers on new examples: against pairwise oracles, other libraries and simulated samples."""

import math
import warnings
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pu_accessor import PUWarning
from pu_accessor.inference.bands.future_data import bound_rates
from tests.cases import AREAS, Labels, binormal, put
from tests.methods.test_auroc import is_refuted, reaching
from tests.support.oracles import completion_oracle, estimates_oracle
from tests.support.oracles import oracle as of_tables
from tests.support.oracles import population_oracle as oracle

SEEDS = range(6)
NUMBERS = ["estimate", "standard_error", "lower", "upper"]


def draw(seed: int) -> tuple[list[float], Labels, float]:
    """Draw scores, often tied, with three known positives and five others at least."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(12, 40))
    truth = rng.random(size) < 0.5
    score = np.round(rng.normal(rng.uniform(-0.5, 3) * truth), int(rng.integers(0, 3)))
    shown = rng.random(size) < rng.uniform(0.2, 0.8)
    label: Labels = [bool(t) if s else None for t, s in zip(truth, shown, strict=True)]
    label[:8] = True, True, True, None, None, None, None, False
    return list(map(float, score)), label, float(rng.choice([0.0, 0.1, 0.35]))


def framed(score: Any, label: Any, **columns: Any) -> pd.DataFrame:
    """Return a frame with the default column names."""
    return pd.DataFrame({"score": score, "label": pd.array(label, dtype="boolean"), **columns})


def quiet(question: Any, *args: Any, **options: Any) -> Any:
    """Ask and let it warn."""
    with warnings.catch_warnings(action="ignore", category=PUWarning):
        return question(*args, **options)


def ask(data: Any, method: str, *args: Any, **options: Any) -> pd.DataFrame:
    """Call a method of the accessor about new examples and let it warn."""
    result = quiet(put, data.pu, method, *args, **options)
    assert isinstance(result, pd.DataFrame) and result.attrs["target"] == "population"
    return result


def asked_at(frame: pd.DataFrame, name: Any, beta: float, threshold: float, **how: Any) -> Any:
    """Return the estimate of a metric at a threshold, and its limits."""
    row = ask(frame, "metric", name, beta, at={"threshold": threshold}, **how).iloc[0]
    return row[["estimate", "lower", "upper"]].tolist()


def all_labeled(seed: int, size: int = 60) -> pd.DataFrame:
    """Draw examples whose labels are all known."""
    rng = np.random.default_rng(seed)
    truth = np.arange(size) % 3 == 0
    return framed(np.round(rng.normal(truth), 1), truth)


# ---------------------------------------------------------------------------------------------
# AUROC


def check_auroc(score: Any, label: Labels, betas: list[float], level: float = 0.95) -> None:
    """Compare with the one estimate, DeLong's error, the interval of the unbiased statistic."""
    for row in ask(framed(score, label), "auroc", betas, level=level).to_dict("records"):
        beta, n = row["beta"], label.count(True)
        found = oracle.auroc(score, label, beta, level)
        statistic = estimates_oracle.Estimate(Fraction(found.value), Fraction(found.error) ** 2, n)
        refuted = is_refuted(framed(score, label), statistic, beta, level)
        ends = [math.nan] * 2 if refuted else [found.lower, found.upper]
        estimate = completion_oracle.area("auroc", score, label, beta)
        got = [row[name] for name in NUMBERS]
        assert got[:2] == pytest.approx([estimate, found.error], rel=1e-9)
        assert got[2:] == pytest.approx([*reaching(ends, estimate)], abs=1e-7, nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_auroc_agrees_with_oracle(seed: int) -> None:
    score, label, beta = draw(seed)
    check_auroc(score, label, [0.0, beta] if beta else [beta], [0.95, 0.8][seed % 2])


@pytest.mark.parametrize("size", [10, 200, 1000])
def test_perfect_separation_has_an_interval(size: int) -> None:
    truth = np.arange(2 * size) < size
    each = [framed(sign * truth, truth) for sign in (1, -1)]
    up, down = (ask(frame, "auroc", 0, negative=False).iloc[0] for frame in each)
    assert up[["estimate", "standard_error", "upper"]].tolist() == [1, 0, 1]
    # Next to no pair of new examples is in the wrong order, but some may be.
    assert 0.2 / size < 1 - up["lower"] < 4 / size
    assert [down["lower"], down["upper"]] == pytest.approx([0, 1 - up["lower"]], abs=1e-9)


@pytest.mark.parametrize("method", AREAS.values())
def test_lone_examples_have_no_interval(method: str) -> None:
    for label in ([None, True, None, False], [True, True, True, None]):
        with pytest.warns(PUWarning, match="only one known positive") as record:
            row = getattr(framed([4, 3, 2, 1], label).pu, method)(0).iloc[0]
        assert len(record) == 1
        assert row[["standard_error", "lower", "upper"]].isna().all()


def test_one_known_positive_has_an_average_precision_if_no_other_is_hidden() -> None:
    frame = framed([4.0, 3.0, 2.0, 1.0], [None, True, None, False])
    found = ask(frame, "average_precision", [0.0, 0.5])
    # See test_auroc.test_one_known_positive. The interval is missing, not the estimate.
    assert found["estimate"].tolist() == pytest.approx([0.5, 5 / 6])
    assert found[["lower", "upper"]].isna().all(axis=None)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("above", [[], [20.5], [23.0, 20.5, 19.5], [21.0, 20.0]])
def test_limits_of_estimates_near_and_beyond_the_ends(above: list[float], sign: int) -> None:
    rest = [*above, *map(float, range(13 - len(above)))]
    score = [sign * one for one in (22.0, 21.0, 20.0, 19.0, *rest)]
    check_auroc(score, [True] * 4 + [None] * (len(score) - 4), [0.05, 0.15])


# ---------------------------------------------------------------------------------------------
# Average precision


def check_average_precision(score: list[float], label: Labels, beta: float) -> pd.Series:
    """Compare with the one estimate, and with the error from derivatives."""
    row = ask(framed(score, label), "average_precision", beta).iloc[0]
    want = oracle.average_precision_error(score, label, beta)
    assert row["standard_error"] == pytest.approx(want, rel=1e-5)
    estimate = completion_oracle.area("average_precision", score, label, beta)
    assert row["estimate"] == pytest.approx(estimate, rel=1e-9)
    return row


@pytest.mark.parametrize("seed", SEEDS)
def test_average_precision_agrees_with_derivatives(seed: int) -> None:
    score, label, beta = draw(seed)
    row, equal = check_average_precision(score, label, beta), [1.0] * label.count(True)
    if row["standard_error"]:  # else it has Wilson's limits
        level = [0.95, 0.8][seed % 2]
        asked = ask(framed(score, label), "average_precision", beta, level=level).iloc[0]
        ends = oracle.weighted(score, label, equal, beta, level)
        want = reaching([*ends], row["estimate"])
        assert (asked["lower"], asked["upper"]) == pytest.approx(want, abs=1e-6)
    assert 0 <= row["lower"] <= row["estimate"] <= row["upper"] <= 1


@pytest.mark.parametrize("label", ["?+?-?+?", "+?+++-+", "?++-"])
def test_two_of_a_kind_are_enough_for_an_interval(label: str) -> None:
    labels: Labels = [{"+": True, "-": False, "?": None}[one] for one in label]
    row = check_average_precision([*map(float, range(len(labels), 0, -1))], labels, 0.1)
    assert row["lower"] < row["estimate"] < row["upper"]


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(("n", "rest"), [(2, 2), (10, 20), (40, 7)])
def test_average_precision_without_scatter_is_wilsons(n: int, rest: int, level: float) -> None:
    truth, share = np.arange(n + rest) < n, n / (n + rest)
    true = stats.binomtest(n, n).proportion_ci(level, method="wilson").low
    false = stats.binomtest(0, rest).proportion_ci(level, method="wilson").high
    lower = true * n * true / (n * true + rest * false)
    # All at the end, in one block, have the precision of all.
    for sign, estimate in ((1, 1.0), (-1, share)):
        frame = framed(1.0 * sign * truth, truth)
        row = ask(frame, "average_precision", 0, level=level, negative=False).iloc[0]
        wanted = [estimate, 0, min(estimate, lower), 1]
        assert row[NUMBERS].tolist() == pytest.approx(wanted, rel=1e-9)


# ---------------------------------------------------------------------------------------------
# A metric at a threshold


def of_counts(name: str, *counts: Any) -> float:
    """Return a metric of four counts, nan where it has no denominator."""
    table: Any = (0, *(Fraction(float(one)) for one in counts), False)
    return of_tables.metric(name, of_tables.Table(*table))


METRICS: dict[str, Any] = {name: partial(of_counts, name) for name in of_tables.METRICS}


def completed_at(
    score: list[float], label: Labels, beta: float, threshold: float
) -> tuple[float, float, float, float]:
    """Return the four counts of the one estimate at a threshold."""
    m = completion_oracle.latent_positives(label, beta)
    rank = sum(one >= threshold for one in score)
    *_, last = tables = completion_oracle.completed(score, label, m)
    (here,) = (table for table in tables if table.rank == rank)
    tp, fp = here.tp, here.fp
    return float(tp), float(fp), float(last.tp - tp), float(last.fp - fp)


def with_estimate(ends: list[float], estimate: float) -> list[float]:
    """Return limits that hold the one estimate; there are none where that has no value."""
    return [float(np.minimum(ends[0], estimate)), float(np.maximum(ends[1], estimate))]


@pytest.mark.parametrize("place", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("name", METRICS)
def test_metrics_of_four_counts_agree_with_two_binomials(name: str, place: float) -> None:
    for seed, beta, way in ((0, 0.35, 1), (1, 0.1, 1), (4, 0.0, 1), (9, 0.6, -1)):
        score, label, _ = draw(seed)
        score = [way * one for one in score]
        threshold = sorted(score)[int(len(score) * place)]
        estimate = METRICS[name](*completed_at(score, label, beta, threshold))
        _, *ends = oracle.metric(score, label, beta, threshold, 0.9, METRICS[name])
        want = [estimate, *with_estimate(ends, estimate)]
        found = asked_at(framed(score, label), name, beta, threshold, level=0.9)
        assert found == pytest.approx(want, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_agree_with_two_binomials(seed: int) -> None:
    score, label, beta = draw(seed)
    threshold = sorted(score)[len(score) // 2]
    rates = oracle.rates(score, label, beta, threshold, 0.9)
    tp, fp, fn, tn = completed_at(score, label, beta, threshold)
    for name, of_counts in {"tpr": tp / (tp + fn), "fpr": fp / (fp + tn)}.items():
        if name != "tpr" and not 0 <= rates["fpr"][0] <= 1:
            continue  # beta asks for more than there is, or the rest is not in the head
        ends = [min(max(one, 0), 1) for one in rates[name][1:]]
        found = asked_at(framed(score, label), name, beta, threshold, level=0.9)
        wanted = [of_counts, *with_estimate(ends, of_counts)]
        assert found == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("name", ["tpr", "fpr", "tnr", "fnr"])
def test_all_labeled_rates_are_wilson(name: str) -> None:
    frame = all_labeled(7)
    kind = frame["label"] == (name in ("tpr", "fnr"))
    hit = (frame["score"] >= 0.5) == (name in ("tpr", "fpr"))
    test = stats.binomtest(int((kind & hit).sum()), int(kind.sum()))
    want = [test.statistic, *test.proportion_ci(0.95, method="wilson")]
    assert asked_at(frame, name, 0, 0.5, negative=False) == pytest.approx(want)
    row = ask(frame, "metric", name, 0, at={"threshold": 0.5}, negative=False)
    assert row.attrs["band"] == "binomial"


def test_newcombes_interval_of_informedness() -> None:
    """Newcombe's tenth method for 56/70 and 48/80: .0524 to .3339."""
    score = [1] * 56 + [0] * 14 + [1] * 48 + [0] * 32
    frame = framed(score, [True] * 70 + [False] * 80)
    found = asked_at(frame, "informedness", 0, 1, negative=False)
    assert found == pytest.approx([0.2, 0.0524, 0.3339], abs=5e-5)


# ---------------------------------------------------------------------------------------------
# What is refused, and envelopes


BETA = 0.25
FRAME = binormal(200, 500, 0.3, 0, shift=2.0)[0]
NEW: dict[str, Any] = {"target": "population"}


def ends(curves: Any, name: str) -> list[np.ndarray]:
    """Return the lower and the upper bound at the first beta."""
    return [curves[name].sel(bound=bound).to_numpy()[:, 0] for bound in ("lower", "upper")]


@pytest.mark.parametrize("monotone", [False, True])
def test_rates_are_those_of_the_band(monotone: bool) -> None:
    pu = FRAME.pu.assume(monotone=monotone)
    curves = put(pu, "roc_bounds", BETA, **NEW)
    ranking = pu._rank().make(0)
    rates = bound_rates(ranking, 160 / 640, 0.95, monotone)
    common = np.isin(curves["rank"], ranking.rank)
    assert common.sum() == ranking.rank.size
    limits = {"tpr": rates.tpr, "fpr": rates.fpr[::-1]}
    for name, wanted in limits.items():
        for curve, limit in zip(ends(curves, name), wanted, strict=True):
            assert curve[common] == pytest.approx(limit, abs=1e-12)
    assert curves.attrs["target"] == "population" and curves.attrs["band"] == "simultaneous"


@pytest.mark.parametrize("monotone", [False, True])
def test_tables_are_those_of_the_curve_at_any_ranks(monotone: bool) -> None:
    pu, some = FRAME.pu.assume(monotone=monotone), [30, 100, 500]
    tables, every = pu.contingency(BETA, **NEW), pu.contingency(BETA, ranks="all", **NEW)
    assert tables.attrs["target"] == "population" and tables["tp"].dtype == np.float64
    curve = pu.roc_bounds(BETA, ranks="all", **NEW)
    for name, part, other in (("tpr", "tp", "fn"), ("fpr", "fp", "tn")):
        rate = tables[part] / (tables[part] + tables[other])
        np.testing.assert_allclose(rate, curve[name], atol=1e-12)
    assert float(tables["tp"].max()) == pytest.approx(60 + BETA * 640)
    for chosen in (pu.contingency(BETA, ranks=some, **NEW), every.pu.at(rank=some)):
        np.testing.assert_allclose(chosen["tp"], tables["tp"].sel(rank=some), atol=1e-9)
    metric = tables.pu.metric("f1")
    assert bool((metric.sel(bound="lower") <= metric.sel(bound="upper")).all())


@pytest.mark.parametrize("x", ["rank", "fraction", "threshold"])
def test_a_metric_of_new_examples_is_drawn_at_its_cutoffs(x: str) -> None:
    pu: Any = FRAME.pu.assume(monotone=True)
    ax = pu.plot_metric("precision", BETA, x=x, **NEW)
    tables = pu.pr_bounds(BETA, ranks="all", **NEW)
    wanted = tables["precision"].sel(bound="estimate").isel(beta=0).to_numpy()[1:]
    places = tables["threshold" if x == "threshold" else "rank"].to_numpy()[1:]
    drawn = np.interp(places / (700 if x == "fraction" else 1), *ax.lines[0].get_data())
    assert np.quantile(np.abs(drawn - wanted), 0.98) < 0.02


def test_monotone_scores_have_a_precise_head() -> None:
    plain, rising = (
        ends(curves.sel(rank=slice(6, 59)), "precision")[0]
        for curves in (FRAME.pu.assume(monotone=m).pr_bounds(BETA, **NEW) for m in (False, True))
    )
    assert (rising >= plain - 1e-12).all()
    assert rising.min() > 0.5 > plain.min()


def test_pictures_draw_the_band() -> None:
    for ask in ("plot_roc", "plot_pr"):
        ax = getattr(FRAME.pu.assume(monotone=True), ask)(BETA, target="population")
        labels = ax.get_figure().findobj(lambda artist: hasattr(artist, "get_text"))
        texts = " ".join(label.get_text() for label in labels)
        assert "95% band, simultaneous,\nfuture data" in texts


@pytest.mark.parametrize("beta", [0.0, 0.05])
def test_precision_is_known_where_none_of_the_rest_is_above(beta: float) -> None:
    pu = binormal(15, 45, 1, seed=0, shift=3.0)[0].pu
    precision = pu.pr_bounds(beta, target="population")["precision"]
    assert precision.notnull().all() and "clipped" not in precision.coords
    assert (precision.sel(bound="upper")[:4] == 1).all()
    assert (precision.diff("bound") >= 0).all()
