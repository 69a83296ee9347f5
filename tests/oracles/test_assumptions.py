"""What may be wrong with labels: wrong ones, favoured ones, and scores that never mean less."""

from functools import partial
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import expit, logit

from pu_accessor import PUWarning
from tests.cases import Case, as_frame, binormal, draw_case, framed, put
from tests.support.oracles.selection_oracle import areas_between

TARGETS = ["population", "examples"]
ENDS = ["lower", "upper"]
each_target = pytest.mark.parametrize("target", TARGETS)

# Known positives of which a share is negative, held against every such set


def draw(seed: int, known: int = 5, size: int = 30) -> pd.DataFrame:
    """Draw scores with ties; the first rows are known positives."""
    frame = binormal(known, size - known, 1, seed, shift=1.2)[0]
    return frame.assign(score=np.round(2 * frame["score"])) if seed % 2 else frame


def with_every_set_wrong(frame: pd.DataFrame, most: int, **roles: Any) -> list[Any]:
    """Return accessors, with each set of up to so many known positives as known negatives."""
    known = np.flatnonzero(frame["label"] == 1).tolist()
    sets = chain.from_iterable(combinations(known, wrong) for wrong in range(most + 1))
    labels = [frame["label"].where(~frame.index.isin(each), 0.0) for each in sets]
    return [frame.assign(label=label).pu(negative=0, **roles) for label in labels]


@pytest.mark.parametrize("odds", [1, 2])
@pytest.mark.parametrize(("seed", "band"), [(0, "exact"), (1, "exact"), (1, "simultaneous")])
def test_tables_are_the_worst_of_all_sets_of_wrong_ones(seed: int, band: str, odds: float) -> None:
    frame, asked = draw(seed), {"band": band, "ranks": "all"}
    wrong = frame.pu.assume(contamination=0.41, selection_odds=odds)  # 2 of 5
    tables = wrong.contingency(0.25, **asked)
    sets = [pu.assume(selection_odds=odds) for pu in with_every_set_wrong(frame, 2)]
    each = [pu.contingency(0.25, **asked) for pu in sets]
    for count in ("tp", "fn"):
        np.testing.assert_array_equal(tables[count][:, 1], each[0][count][:, 1])
    names = ["recall", "fpr", "precision", "npv", "mcc", "accuracy"]
    at = {"rank": tables["rank"].values}
    rows = wrong.metric(names, 0.25, at=at, band=band, target="examples").set_index("metric")
    for name in names:
        found = tables.pu.metric(name).squeeze("beta")
        values = np.stack([one.pu.metric(name).squeeze("beta") for one in each])
        ends = (np.fmin, np.fmax) if name != "fpr" else (np.fmax, np.fmin)
        for bound, extreme in zip(ENDS, ends, strict=True):
            mine, worst = found.sel(bound=bound).to_numpy(), extreme.reduce(values, axis=(0, 2))
            same = (np.abs(mine - worst) < 1e-12)[~np.isnan(mine)]
            # A simultaneous band reaches to the estimate, which can be further off for one set.
            assert same.all() if band == "exact" else same.mean() > 0.8
        of_metric = np.sort(rows.loc[name, ENDS], axis=1)
        np.testing.assert_allclose(of_metric, np.sort(found[:, ::2], axis=1), atol=1e-12)
    for curve in ("roc_bounds", "pr_bounds"):
        of_tables, rates = getattr(tables.pu, curve)(), getattr(wrong, curve)(0.25, **asked)
        xr.testing.assert_allclose(rates.isel(bound=[0, 2]), of_tables.isel(bound=[0, 2]))


@pytest.mark.parametrize("odds", [1, 3])
@pytest.mark.parametrize(("seed", "alike"), [(0, 0.0), (1, 0.0), (2, 0.8), (6, 1.0)])
@each_target
def test_comparisons_are_the_worst_of_all_sets(
    target: str, seed: int, alike: float, odds: float
) -> None:
    frame, models, other = draw(seed, 9, 50), ["score", "other"], draw(seed + 10, 9, 50)["score"]
    is_same = np.random.default_rng(seed).random(len(frame)) < alike  # in both models
    frame["other"] = np.where(is_same, frame["score"], other)
    sets = [pu.assume(selection_odds=odds) for pu in with_every_set_wrong(frame, 2, score=models)]
    each: pd.DataFrame = pd.concat(pu.compare("auroc", 0.15, target=target) for pu in sets)
    pu = frame.pu(score=models).assume(contamination=0.25, selection_odds=odds)
    found = pu.compare("auroc", 0.15, target=target).iloc[0]
    ends = each["difference"].min(), each["difference"].max()
    # No set is left out: how far an example may move is its limit for all of them.
    assert -0.14 < found["lower"] - each["lower"].min() < 0.006
    assert -0.006 < found["upper"] - each["upper"].max() < 0.14
    assert found["sign"] == (0 if ends[0] * ends[1] <= 0 else np.sign(ends[0]))
    worst = 1.0 if found["sign"] == 0 else each["p_value"].max()
    assert found["p_value"] == pytest.approx(worst, abs=0.1)


# Limits move as much as bounds do, as logits

FAILURES: list[dict[str, float]] = [{"contamination": 0.12}, {"selection_odds": 1.5}]
FAILURES += [{"selection_odds": np.inf}, {"selection_odds": 2, "contamination": 0.12}]
WHERE: list[tuple[str, str, dict[str, Any]]] = [
    *product(["auroc", "average_precision"], TARGETS, [{}]),
    *product(["auroc"], TARGETS, [{"max_fpr": 0.2}]),
]


@pytest.mark.parametrize(("name", "target", "how"), WHERE)
@pytest.mark.parametrize("failure", FAILURES)
def test_limits_move_as_bounds_do(name: str, target: str, how: Any, failure: Any) -> None:
    pu, beta = draw(1, 25, 300).pu, 0.1

    def ask(about: str, beta: float = beta, **failure: Any) -> Any:
        return put(pu, name, beta=beta, target=about, **how, **failure).iloc[0]

    def bounds(**failure: Any) -> Any:
        tables = put(pu, "contingency", beta=beta, ranks="breakpoints", **failure)
        return areas_between(tables.isel(beta=0), name, **how)

    plain, found = ask(target), ask(target, **failure)
    assert found["estimate"] == plain["estimate"]
    # Nothing refutes beta.
    assert ask(target, 0.9, **failure)[ENDS].astype(float).between(0, 1).all()
    sides = zip(ENDS, bounds(), bounds(**failure), (np.fmin, np.fmax), strict=True)
    for side, start, end, pick in sides:
        moved = expit(logit(plain[side]) + (logit(end) - logit(start)))
        # Where nothing is known, it is the end.
        moved = moved if np.isfinite(moved) else {"lower": 0, "upper": 1}[side]
        if name == "average_precision":  # no farther in than its bound
            moved = pick(plain[side] if target == "examples" else moved, end)
        assert found[side] == pytest.approx(pick(moved, plain["estimate"]), abs=1e-9)


def test_no_average_precision_is_above_1() -> None:
    pu = binormal(25, 275, 1, 1, shift=3.5)[0].pu.assume(contamination=0.3)
    assert pu.average_precision(0.02, target="examples")["upper"].item() == 1


# Labels that favour some positives, within a factor of odds


def two_models(seed: int, known: int, rest: int, shift: float) -> pd.DataFrame:
    """Draw scores of two models without ties, of which the second is better by a shift."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=known + rest) + np.repeat([1.0, 0.0], [known, rest])
    one, other = (shared + noise * rng.normal(size=known + rest) for noise in (0.6, 1.2))
    label = np.repeat([1, np.nan], [known, rest])
    return pd.DataFrame({"a": one, "b": other + shift * np.nan_to_num(label), "label": label})


def ends_by_hand(frame: pd.DataFrame, latent: float, odds: float) -> list[pd.DataFrame]:
    """Return the frame with propensities at which a less b is lowest, and highest."""
    seen = frame["label"].notna().to_numpy()
    ranks = [frame[name].rank(ascending=False)[seen].to_numpy() for name in "ab"]
    ahead, found = ranks[1] - ranks[0], []
    for sign in (-1, 1):
        order = np.argsort(-sign * ahead)
        splits = [np.isin(np.arange(ahead.size), order[:heavy]) for heavy in range(ahead.size + 1)]
        weights = [np.where(heavy, odds, 1.0) for heavy in splits]
        best = max(weights, key=lambda weight: sign * float(weight @ ahead) / weight.sum())
        chance = np.ones(len(frame))
        chance[seen] = 1 / (1 + latent * best / best.sum())
        found.append(frame.assign(chance=chance))
    return found


@pytest.mark.parametrize(("shift", "sign"), [(0.9, -1), (0.6, 0), (-0.9, 1)])
@pytest.mark.parametrize("betas", [None, [0.1, 0.35]])
@each_target
def test_differences_are_those_of_ends(target: str, betas: Any, shift: float, sign: int) -> None:
    """Either end is the comparison with the propensities that lead there."""
    frame, odds = two_models(3, 40, 70, shift), 1.2
    pu = frame.pu(score=["a", "b"])
    ask = partial(put, pu, "compare", "auroc", betas, target=target)
    found, plain = ask(selection_odds=odds), ask()
    assert found["sign"].tolist() == [sign] * len(found)
    assert found.attrs["selection_odds"] == odds and "selection_odds" not in plain.attrs
    for row, random in zip(found.to_dict("records"), plain.to_dict("records"), strict=True):
        ends = ends_by_hand(frame, row["beta"] * 70 if betas else 40e6, odds)
        how: dict[str, Any] = {"score": ["a", "b"], "propensity": "chance", "target": target}
        how |= {"beta": row["beta"]} if betas else {}
        low, high = (put(end.pu, "compare", "auroc", **how).iloc[0] for end in ends)
        worst = max([low["p_value"], high["p_value"], random["p_value"]]) if sign else 1.0
        on_new = target == "population"  # where weights move the covariance of the rest, too
        assert row["p_value"] == pytest.approx(worst, rel=0.1 if on_new else 1e-6)
        if betas and not on_new:
            limits = min(low["lower"], random["lower"]), max(high["upper"], random["upper"])
            assert (row["lower"], row["upper"]) == pytest.approx(limits, rel=1e-4)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@each_target
def test_where_nothing_is_hidden_any_odds_say_what_random_labels_do(target: str) -> None:
    pu = two_models(1, 12, 30, 0.2).pu(score=["a", "b"])
    few = [framed([0.0, 1.0, 2.0][:size], [True] * size).pu for size in (1, 3)]
    for one, name in ((pu, "compare"), *((each, "average_precision") for each in few)):
        plain, found = (put(one, name, beta=0, target=target, selection_odds=o) for o in (1, 5.0))
        pd.testing.assert_frame_equal(found, plain, rtol=1e-9)


def test_a_model_with_all_known_positives_on_top_is_compared() -> None:
    frame = two_models(3, 40, 70, 0.0)
    frame["a"] += 100 * frame["label"].eq(1)  # the others scatter by the second model alone
    row = frame.pu(score=["a", "b"]).assume(selection_odds=1.2).compare("auroc", 0.1).iloc[0]
    assert row["difference"] > row["lower"] > 0 and row["sign"] == 1 and 0 < row["p_value"] < 0.05


# Scores that are taken never to mean less where they are higher

BETA = 0.25


def rising(seed: int, known: int = 40, shift: float = 2.0) -> pd.DataFrame:
    """Draw normal scores, of which some positives are known."""
    return binormal(140 + known, 460 - known, known / (140 + known), seed, shift)[0]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("ranks", ["breakpoints", "all"])
def test_the_roc_curve_has_its_area_and_is_concave_of_new_examples(seed: int, ranks: str) -> None:
    score, label, beta = draw_case(seed)
    pu = as_frame(Case([*score, 0.5], [*label, True], beta)).pu.assume(monotone=True)
    for target in ("examples", "population"):
        asked = {"target": target, "ranks": ranks, "level": 0.9999}
        curve = pu.roc_bounds(min(beta, 0.4), **asked).isel(beta=0).sel(bound="estimate")
        x, y = curve["fpr"].to_numpy(), curve["tpr"].to_numpy()
        area = pu.auroc(min(beta, 0.4), target=target)["estimate"].item()
        assert np.trapezoid(y, x) == pytest.approx(area, abs=1e-9)
    turn = np.diff(x)[:-1] * np.diff(y)[1:] - np.diff(x)[1:] * np.diff(y)[:-1]
    assert (turn <= 1e-9).all() and min(*np.diff(x), *np.diff(y)) >= -1e-12 and area >= 0.5 - 1e-9


@pytest.mark.parametrize("beta", [0.0, BETA, 1.0])
def test_bounds_stay_and_hold_the_estimate(beta: float) -> None:
    ask = partial(put, rising(1).pu, "contingency", beta, ranks="all")
    plain, falling = (ask(monotone=flag)["tp"] for flag in (False, True))
    xr.testing.assert_equal(falling[:, ::2], plain[:, ::2])
    assert (falling.diff("bound") >= 0).all()


def test_the_share_of_a_long_stretch_is_that_of_odds() -> None:
    # 20 of the first 40 rows are known, 10 of the other 60: odds 1 and 1/5 to be known.
    label = [*[True, None] * 20, *[True, None, None, None, None, None] * 10]
    pu = framed(range(100, 0, -1), label).pu.assume(monotone=True)
    # 20 and 50 unlabeled rows of weights 1 and 1/5: 21 latent positives are 14 and 7.
    assert pu.contingency(0.3, ranks=[40, 100])["tp"][:, 1, 0].values.tolist() == [34, 51]


def test_scores_that_are_worse_than_chance_refute_it() -> None:
    bad, good = rising(6, known=100, shift=-1.0), rising(6)
    with pytest.warns(PUWarning, match=r"monotone=True is rejected at level 0\.95.*\d%\)"):
        bad.pu.assume(monotone=True).auroc(BETA)
    both = pd.concat([bad.assign(m="bad"), good.assign(m="good")])
    with pytest.warns(PUWarning, match=r"rejected at level 0\.9: .*m='bad': .*Leave monotone out"):
        both.pu(by="m").assume(monotone=True).roc_bounds(BETA, level=0.9)
    good.pu.assume(monotone=True).auroc(BETA)  # refutes nothing


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("assumed", [{"selection_odds": 2}, {"contamination": 0.2}], ids=str)
def test_limits_of_areas_are_nested(assumed: dict[str, Any], target: str) -> None:
    for seed, metric in product(range(20), ["auroc", "average_precision"]):
        pu = as_frame(draw_case(seed, known_negatives=False)).pu.assume(**assumed)
        levels = [0.5, 0.8, 0.95, 0.99]
        rows = [put(pu, metric, 0.15, target=target, level=level).iloc[0] for level in levels]
        lower, upper = ([row[end] for row in rows] for end in ("lower", "upper"))
        assert not (np.diff(lower) > 1e-9).any() and not (np.diff(upper) < -1e-9).any(), seed
