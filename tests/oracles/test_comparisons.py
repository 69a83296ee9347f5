"""Comparisons of models and of groups, by any metric, against slow references."""

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pu_accessor
from pu_accessor import PUWarning
from tests.cases import Labels, as_tables, binormal, estimates_of, quiet
from tests.support.oracles import cluster_oracle, population_oracle
from tests.support.oracles import comparison_oracle as oracle
from tests.support.oracles.reference_oracle import BOUNDS

MODELS, SIZE = ["svm", "forest", "nb", "copy", "flipped"], ["difference", "lower", "upper"]
TEST = ["statistic", "df", "p_value"]
TARGETS, SEEDS = st.sampled_from(["population", "examples"]), st.integers(0, 10**6)
LEVELS = st.sampled_from([0.95, 0.8])


def draw(seed: int) -> tuple[pd.DataFrame, Labels]:
    """Draw correlated, mostly tied scores; one model is a copy, one a reversal of another."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(6, 30))
    truth = rng.random(size) < rng.uniform(0.2, 0.8)
    base, digits = rng.normal(rng.uniform(-0.5, 2) * truth), int(rng.integers(0, 3))
    svm, forest, nb = (np.round(base + rng.normal(size=size), digits) for _ in range(3))
    shown = rng.random(size) < rng.uniform(0.1, 0.7)
    labels = [bool(true) if seen else None for seen, true in zip(shown, truth, strict=True)]
    labels[:4] = True, True, None, False
    if seed % 8 < 2:  # one known positive, or one other: there is no test
        labels = [(place == 0) == (seed % 8 == 0) or None for place in range(size)]
    frame = pd.DataFrame(dict(zip(MODELS, (svm, forest, nb, svm, -svm), strict=True)))
    return frame.assign(label=pd.array(labels, dtype="boolean")), labels


def assert_rows(found: pd.DataFrame, columns: list[str], rows: list[oracle.Row]) -> None:
    """Hold columns against rows of a reference."""
    p_adjusted, expected = found["p_adjusted"].tolist(), pd.DataFrame(rows, columns=columns)
    found = found[columns].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected, rtol=1e-9, atol=1e-13, check_dtype=False)
    adjusted = oracle.holm(expected["p_value"].tolist())
    assert p_adjusted == pytest.approx(adjusted, rel=1e-9, abs=1e-13, nan_ok=True)


# AUROC


@given(SEEDS, TARGETS, LEVELS)
def test_auroc_of_models_is_compared_as_by_all_pairs(seed: int, target: str, level: float) -> None:
    (frame, labels), names = draw(seed), ["model_a", "model_b"]
    scores = {name: frame[name].tolist() for name in MODELS}
    betas: Any
    for betas in (None, [0.0, 0.35]):
        how: dict[str, Any] = {"score": MODELS, "level": level, "target": target}
        found = quiet(frame, "compare", "auroc", betas, **how)
        assert {*found["target"]} == {target} and {*found["n"]} == {labels.count(True)}
        for beta in betas or [None]:
            part = found if beta is None else found[found["beta"] == beta]
            rows = oracle.compare(scores, labels, beta, level, target)
            assert_rows(part, [*names, *(SIZE if betas else []), *TEST, "sign"], rows)


@given(SEEDS, TARGETS, LEVELS)
def test_auroc_of_groups_is_compared_by_welch(seed: int, target: str, level: float) -> None:
    drawn = {name: draw(seed + place) for place, name in enumerate("abc")}
    parts = {name: frame[["svm", "label"]] for name, (frame, _) in drawn.items()}
    frame, own = pd.concat(parts, names=["site"]).reset_index("site"), {"a": 0.0, "b": 0.35}
    for beta in (dict.fromkeys("abc", 0.35), own | {"c": 0.2}):
        how: dict[str, Any] = {"score": "svm", "by": "site", "level": level, "target": target}
        asked: Any = beta if beta["a"] == 0 else [0.35]
        found = quiet(frame.sample(frac=1, random_state=seed), "gap", "auroc", asked, **how)
        each = {
            name: oracle.group(rows["svm"].tolist(), labels, beta[name], target)
            for name, (rows, labels) in drawn.items()
        }
        rows = pd.DataFrame(oracle.gaps(each, level)).set_axis(
            ["site_a", "site_b", *SIZE, *TEST], axis=1
        )
        shown = {
            name: quiet(part, "auroc", beta[name], score="svm", target=target)["estimate"].item()
            for name, part in parts.items()
        }
        # The test is of unbiased areas; what is shown is possible, and the estimate of `auroc`.
        rows["estimate_a"], rows["estimate_b"] = (rows[f"site_{x}"].map(shown) for x in "ab")
        rows["difference"] = rows["estimate_a"] - rows["estimate_b"]
        rows["lower"] = rows[["lower", "difference"]].clip(-1, 1).min(axis=1, skipna=False)
        rows["upper"] = rows[["upper", "difference"]].clip(-1, 1).max(axis=1, skipna=False)
        assert_rows(found, [*rows], [*rows.itertuples(index=False)])
        for side in "ab":
            sites = found[f"site_{side}"].tolist()
            assert found[f"n_{side}"].tolist() == [drawn[x][1].count(True) for x in sites]
            of_beta = found["beta" if isinstance(asked, list) else f"beta_{side}"]
            assert of_beta.tolist() == [beta[x] for x in sites]


@pytest.mark.parametrize("beta", [None, [0.05, 0.1]])
@pytest.mark.parametrize("odds", [1.2, np.inf])
def test_each_pair_is_compared_as_though_alone(beta: Any, odds: float) -> None:
    rng, truth = np.random.default_rng(0), np.arange(60) < 20
    frame = pd.DataFrame({"a": rng.normal(truth), "b": rng.normal(2 * truth)})
    frame["c"] = frame["b"] + rng.normal(size=60) / 2
    frame["label"] = np.where(np.arange(60) < 14, 1, np.nan)
    whole, *parts = (
        frame.pu(score=[*names]).assume(selection_odds=odds).compare("auroc", beta)
        for names in ("abc", "ab", "ac", "bc")
    )
    expected = pd.concat(parts).reset_index(drop=True)
    pd.testing.assert_frame_equal(*(x.drop(columns="p_adjusted") for x in (whole, expected)))


# Any metric, by what rows add

BETAS, CUT = [0.05, 0.15], 0.8
KNOWN, EARLY = np.arange(240) < 60, ["average_precision", "bedroc"]
TOLD = [True if one else None for one in KNOWN]
NAMES = ["auroc", *EARLY, "recall", "precision", "f1"]


def rows_of(kind: str) -> pd.DataFrame:
    """Draw three models of the same rows of 40 patients; twins differ in 12 rows."""
    rng, truth = np.random.default_rng(0), np.arange(240) < 90
    base = rng.normal(truth)
    models = {model: base + rng.normal(size=240) for model in MODELS[:3]}
    models["forest"] += 0.4 * truth
    patient, first = rng.integers(0, 40, 240), 60 * (kind == "twins but of the rest")
    some = rng.choice(np.arange(first, 240), 12, replace=False)
    if kind != "models":
        models["forest"] = models["svm"].copy()
        models["forest"][some] = rng.permutation(models["svm"])[:12] + 1e-3
    label = np.where(KNOWN, 1.0, np.nan)
    return pd.DataFrame({**models, "label": label, "patient": patient})


def question(name: str) -> dict[str, Any]:
    """Return how a metric is asked for."""
    whole = {"auroc": "auroc", EARLY[0]: EARLY[0], "bedroc": pu_accessor.bedroc(5.0)}
    return {"metric": whole[name]} if name in whole else {"metric": name, "at": {"threshold": CUT}}


@cache
def reference(kind: str, name: str, beta: float, model: str) -> tuple[Any, ...]:
    """Return the value of a model, what each row adds, also as known, and how far it may move."""
    at, score = CUT if "at" in question(name) else 5.0, rows_of(kind)[model].to_numpy()
    value = oracle.functional(name, score, KNOWN, beta, at)
    pulls = oracle.pulls(value, KNOWN)
    if name == "auroc":  # on the same scale, from known positives alone
        moved = -oracle.placements(score.tolist(), TOLD) / 60 / (1 - beta)
        area = beta / 2 + value(KNOWN / 60, ~KNOWN / 180) * (1 - beta)
        least = oracle.unseen(np.zeros(1), [area]) ** 0.5 / 60 / (1 - beta)
    else:
        moved = oracle.as_known(name, score, KNOWN, beta, at)
        least = (
            float(np.mean(moved[~KNOWN] ** 2) + np.ptp(moved) ** 2 * (name not in EARLY)) ** 0.5
        )
    slope = oracle.share_slope(name, score, KNOWN, beta, at) if name != "auroc" else 0.0
    return value(KNOWN / 60, ~KNOWN / 180), pulls, moved, least, slope


@pytest.mark.parametrize("cluster", [None, "patient"])
@pytest.mark.parametrize("kind", ["models", "twins", "twins but of the rest"])
@pytest.mark.parametrize("name", NAMES)
def test_errors_are_of_what_rows_add(name: str, kind: str, cluster: str | None) -> None:
    rows = rows_of(kind)
    pu = rows.pu(score=MODELS[:2], cluster=cluster)
    found = pu.compare(beta=BETAS, **question(name), level=0.9)
    for (_, row), beta in zip(found.iterrows(), BETAS, strict=True):
        # The first model is the same in all kinds.
        both = reference("models", name, beta, "svm"), reference(kind, name, beta, "forest")
        values, pulls, as_known, least, slopes = zip(*both, strict=True)
        square, slope = oracle.rows_error(pulls, as_known, KNOWN, max(least)), -np.diff(slopes)[0]
        df, difference, estimate = 59, values[0] - values[1], row["difference"]
        patients: Any = rows["patient"].to_numpy() if cluster else None
        of = cluster_oracle.shares([one or None for one in KNOWN.tolist()], beta)
        of_share, parts = population_oracle.prevalence_error(of, patients)
        if cluster:
            moved = np.where(KNOWN, *(pulls[0] - pulls[1]))
            effect, added = oracle.cluster_effect(moved, KNOWN, patients)
            square = square * effect + 2 * slope * (added @ parts)
            df = np.unique(rows["patient"][KNOWN]).size - 1
        square += slope**2 * of_share
        _, lower, upper, *test = oracle.t_test(difference, square, df, 0.9)
        limits = [min(lower, estimate), max(upper, estimate)]
        assert row[SIZE[1:]].tolist() == pytest.approx(limits, rel=1e-6, abs=1e-9)
        assert row[TEST].tolist() == pytest.approx(test, rel=1e-4)
        assert name != "auroc" or estimate == pytest.approx(difference, abs=1e-12)


WAYS: list[Any] = [
    *(("average_precision", None), ("bedroc", None), ("precision", 12), ("auroc", None)),
    *(("f1", {"fraction": 0.1}), ("recall", {"threshold": 0.8}), ("lift", {"fraction": 0.03})),
    (pu_accessor.fbeta(2), 25),
]


@pytest.mark.parametrize("decimals", [12, 1, 2])
@pytest.mark.parametrize(("name", "at"), [way for way in WAYS if way[0] != "auroc"])
def test_differences_are_those_of_the_estimates(name: Any, at: Any, decimals: int) -> None:
    rising = decimals == 2 and (not at or "threshold" in str(at))
    pu: Any = rows_of("models").round(decimals).pu(score=MODELS[:3]).assume(monotone=rising)
    each = pu.metric(name, BETAS, at=at, target=None if at else "population")
    of = each.set_index(["model", "beta"])["estimate"]
    for _, row in pu.compare(name, BETAS, at=at).iterrows():
        a, b = (of[row[side], row["beta"]] for side in ("model_a", "model_b"))
        assert row["difference"] == pytest.approx(a - b, abs=1e-12)
        assert row["lower"] <= row["difference"] <= row["upper"]


@pytest.mark.parametrize(("name", "at"), WAYS)
def test_no_difference_is_certain_but_of_one_order(name: Any, at: Any) -> None:
    """Three models that no row tells apart: the first two are one, the third has another order."""
    score, order = np.arange(120.0)[::-1] / 60, np.arange(120)
    order[[100, 101]] = 101, 100  # below all known positives, whatever the cutoff
    frame = pd.DataFrame({"a": score, "b": score, "c": score[order], "d": np.exp(score)})
    frame["label"] = np.where(np.isin(np.arange(120), [0, 1, 5, 8, 9, 30, 60, 80]), 1.0, np.nan)
    found = frame.pu(score=[*"abc"]).compare(name, 0.1, at=at)
    assert (found["difference"] == 0).all() and (found["p_value"] == 1).all()
    np.testing.assert_allclose(-found["lower"], found["upper"])
    assert ((found["upper"] > 1e-3) == [False, True, True]).all() and found["upper"][0] == 0
    by_odds = frame.pu(score=["a", "d"]).compare(name, 0.1, at=at)
    assert (by_odds["upper"].item() > 0) == (name == "recall")


def test_a_metric_without_a_value_has_no_test() -> None:
    pu, at = rows_of("models").pu(score=MODELS[:3]), {"threshold": 99}
    with pytest.warns(PUWarning, match="no value at the cutoff"):
        assert pu.compare("precision", 0.15, at=at)[[*SIZE, "p_value"]].isna().all(axis=None)
    nothing = pu.compare("recall", 0.15, at=at)
    assert (nothing["p_value"] == 1).all() and (nothing["difference"] == 0).all()


AT: Any = {"at": {"threshold": 0.8}}


@pytest.mark.parametrize(
    ("name", "how", "betas"),
    [
        *(("precision", AT, 2), (pu_accessor.fbeta(2), AT, 2), ("npv", {"at": 40}, 2)),
        *(("f1", {"at": "maximum"}, 2), ("average_precision", {}, 2), ("recall", AT, 2)),
        *(("recall", {**AT, "target": "examples"}, 2), ("recall", AT, 0), ("fnr", AT, 0)),
    ],
)
def test_gaps_are_those_of_the_intervals_of_each(name: Any, how: Any, betas: int) -> None:
    """By Zou and Donner: differences to the limits of each add as squares."""
    parts = {key: binormal(60, 200, 0.5, seed)[0] for seed, key in enumerate("abc")}
    frame = pd.concat(parts, names=["site"]).reset_index("site")
    pu: Any = frame.pu(by="site")
    for beta in ([0.1, 0.2], {"a": 0.1, "b": 0.2, "c": 0.15}) if betas else (None,):
        each = pu.metric(name, beta or 0, **how)
        if beta is None:  # known positives alone have a recall, as though no other were one
            pu = frame[(frame["site"] != "c") | frame["label"].notna()].pu(by="site")
        found, of = pu.gap(name, beta, **how), each.set_index(["site", "beta"])
        assert len(found) == len(each)  # three pairs of three groups
        assert {*found["target"]} == {each.attrs["target"]} == {found.attrs["target"]}
        for _, row in found.iterrows():
            own = [row.get("beta", row.get(f"beta_{x}", 0)) for x in "ab"]
            a, b = (of.loc[(row[f"site_{x}"], beta)] for x, beta in zip("ab", own, strict=True))
            down = np.hypot(a.estimate - a.lower, b.upper - b.estimate)
            up = np.hypot(a.upper - a.estimate, b.estimate - b.lower)
            apart = a.estimate - b.estimate
            assert [row["estimate_a"], row["estimate_b"]] == [a.estimate, b.estimate]
            assert row[SIZE].tolist() == pytest.approx([apart, apart - down, apart + up])
            assert [row["n_a"], row["n_b"]] == [30, 30] and ("beta" in row) <= (beta is not None)


# Dominance


@pytest.mark.parametrize("seed", [2, 103, 182])
def test_dominance_is_that_of_curves_in_fractions(seed: int) -> None:
    (frame, _), level, beta = draw(seed), [0.95, 0.1][seed % 2], [0.7, 0.3, 1.0][seed % 3]
    tables: dict[str, dict[str, Any]] = {}
    for name in MODELS:
        counted = frame.pu(score=name).contingency(beta, level=level, ranks="all")
        low, high = as_tables(counted, "lower"), as_tables(counted, "upper")
        middle = estimates_of(frame.assign(score=frame[name]), beta, (low, high))
        tables[name] = {
            bound: [(Fraction(x.fp, x.fp + x.tn), Fraction(x.tp, x.tp + x.fn)) for x in of]
            for bound, of in zip(BOUNDS, (low, middle, high), strict=True)
        }
    found = frame.pu(score=MODELS).dominance([0.2, beta], level=level)
    part = found[found["beta"] == beta].drop(columns="beta").to_numpy().tolist()
    for row, want in zip(part, oracle.dominance(tables), strict=True):
        assert row == [*want[:-1], pytest.approx(want[-1], abs=1e-12)]


def test_dominance_of_groups_takes_a_beta_of_each() -> None:
    drawn = {name: draw(70 + place)[0] for place, name in enumerate("abc")}
    pu: Any = pd.concat(drawn, names=["site"]).reset_index("site").pu(by="site", score="svm")
    found, own = pu.dominance([0.0, 0.3]), pu.dominance(dict.fromkeys("abc", 0.3))
    again = found[found["beta"] == 0.3].drop(columns="beta").reset_index(drop=True)
    pd.testing.assert_frame_equal(own.drop(columns=["beta_a", "beta_b"]), again, check_like=True)
