"""Labels that are not quite random: what each method says within a factor of odds."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUWarning
from pu_accessor.inference.bands.exact import exact_with_odds
from tests.cases import binormal, put


def test_tables_within_a_factor() -> None:
    ask = partial(put, FRAME.pu, "contingency", BETA, ranks=[50, 200])
    plain, same, within = ask(), ask(selection_odds=1), ask(selection_odds=2)
    xr.testing.assert_identical(same, plain)
    assert "selection_odds" not in plain.attrs and within.attrs["selection_odds"] == 2
    lower, upper = exact_with_odds(50, np.array([150]), 0.95, 2.0)
    known = within["known_positive"].to_numpy()
    for bound, table in (("lower", lower), ("upper", upper)):
        found = within["tp"].sel(bound=bound).isel(beta=0).to_numpy() - known
        np.testing.assert_array_equal(found, np.minimum(table[0][known], [50, 200] - known))
    middle = [tables["tp"].sel(bound="estimate").to_numpy() for tables in (within, plain)]
    np.testing.assert_array_equal(*middle)


def test_nothing_known_of_the_odds_leaves_what_is_certain() -> None:
    tables = FRAME.pu.assume(selection_odds=np.inf).contingency(BETA, ranks=[50, 900])
    known, latent, tp = tables["known_positive"].to_numpy(), 150, tables["tp"].isel(beta=0)
    head = np.array([50, 900]) - known
    least = np.maximum(latent - (950 - head), 0)
    np.testing.assert_array_equal(tp.sel(bound="lower") - known, least)
    np.testing.assert_array_equal(tp.sel(bound="upper") - known, np.minimum(head, latent))


@pytest.mark.parametrize("method", ["auroc", "average_precision", "compare"])
def test_frames_say_the_factor_where_there_is_one(method: str) -> None:
    ask = partial(put, FRAME.pu(score=MODELS), method, beta=BETA)
    plain, within = ask(), ask(selection_odds=1.5)
    pd.testing.assert_frame_equal(ask(selection_odds=1), plain)
    assert within.attrs["selection_odds"] == 1.5
    assert [*within.columns] == [*plain.columns]
    assert (within["lower"] <= plain["lower"]).all() and (within["upper"] >= plain["upper"]).all()
    assert (within["lower"] < plain["lower"]).any()


def test_known_positives_set_no_limit_on_beta_within_a_factor() -> None:
    with pytest.warns(PUWarning, match="beta exceeds the upper limit"):
        assert "beta_limit" in FRAME.pu.contingency(0.9, ranks="all").coords
    assert (
        "beta_limit" not in FRAME.pu.assume(selection_odds=3).contingency(0.9, ranks="all").coords
    )
    assert "beta_limit" in FRAME.pu.auroc(BETA).attrs
    assert "beta_limit" not in FRAME.pu.assume(selection_odds=3).auroc(BETA).attrs


def framed(seed: int, known: int, rest: int, shift: float) -> pd.DataFrame:
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
@pytest.mark.parametrize("betas", [None, [0.1, 0.2, 0.35]])
@pytest.mark.parametrize("target", ["population", "examples"])
def test_differences_are_those_of_ends(target: str, betas: Any, shift: float, sign: int) -> None:
    """Either end is the comparison with the propensities that lead there."""
    frame, odds = framed(3, 40, 70, shift), 1.2
    found, plain = (
        frame.pu(score=["a", "b"]).assume(selection_odds=o).compare("auroc", betas, target=target)
        for o in (odds, 1)
    )
    assert found["sign"].tolist() == [sign] * len(found)
    for row, random in zip(found.to_dict("records"), plain.to_dict("records"), strict=True):
        ends = ends_by_hand(frame, row["beta"] * 70 if betas else 40e6, odds)
        pus = [end.pu(score=["a", "b"], propensity="chance") for end in ends]
        how: dict[str, Any] = {"beta": row["beta"]} if betas else {}
        low, high = (pu.compare("auroc", target=target, **how).iloc[0] for pu in pus)
        worst = max([low["p_value"], high["p_value"], random["p_value"]]) if sign else 1.0
        on_new = target == "population"  # where weights move the covariance of the rest, too
        assert row["p_value"] == pytest.approx(worst, rel=0.1 if on_new else 1e-6)
        if betas and not on_new:
            limits = min(low["lower"], random["lower"]), max(high["upper"], random["upper"])
            assert (row["lower"], row["upper"]) == pytest.approx(limits, rel=1e-4)


@pytest.mark.parametrize("target", ["population", "examples"])
def test_where_nothing_is_hidden_any_odds_say_what_random_labels_do(target: str) -> None:
    for seed in range(3):
        pu = framed(seed, 12, 30, 0.2 * seed).pu(score=["a", "b"])
        plain, found = (
            pu.assume(selection_odds=odds).compare("auroc", 0, target=target) for odds in (1, 5.0)
        )
        names, exact = ["difference", "lower", "upper", "sign", "n"], target == "examples"
        # Of these examples nothing is left to chance.
        pd.testing.assert_frame_equal(found[names], plain[names], check_exact=exact, rtol=1e-9)
        names = ["statistic", "p_value", "df"][: 2 if exact else 3]
        pd.testing.assert_frame_equal(found[names], plain[names], rtol=1e-9)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("size", [1, 3])
def test_any_odds_give_known_positives_alone_one_average_precision(target: str, size: int) -> None:
    pu = pd.DataFrame({"score": np.arange(size, dtype=float), "label": 1}).pu
    plain, found = (
        pu.assume(selection_odds=o).average_precision(0, target=target) for o in (1, 1.5)
    )
    pd.testing.assert_frame_equal(found, plain)


def test_a_model_with_all_known_positives_on_top_is_compared() -> None:
    frame = framed(3, 40, 70, 0.0)
    frame["a"] += 100 * frame["label"].eq(1)  # the others scatter by the second model alone
    row = frame.pu(score=["a", "b"]).assume(selection_odds=1.2).compare("auroc", 0.1).iloc[0]
    assert row["difference"] > row["lower"] > 0 and row["sign"] == 1 and 0 < row["p_value"] < 0.05


FRAME, BETA, TRUTH = binormal(200, 800, 0.25, seed=3)  # a quarter of the positives is known
FRAME["better"] = FRAME["score"] + 0.8 * TRUTH
FRAME["worse"] = FRAME["score"] + np.random.default_rng(3).normal(size=TRUTH.size)


MODELS = ["better", "worse"]


@pytest.mark.parametrize(
    ("metric", "above", "at"),
    [
        ("auroc", 0.6, {}),
        ("average_precision", 0.2, {}),
        ("precision", 0.3, {"at": 60, "target": "examples"}),
    ],
)
def test_a_conclusion_breaks_where_its_interval_does(metric: str, above: float, at: Any) -> None:
    pu = FRAME.pu(score=MODELS)
    broken = pu.robustness(metric, BETA, above=above, **at, over={"selection_odds": 1})
    point = broken.set_index("model").loc["better", "breaking_point"]
    assert 1 < point < np.inf
    for odds, holds in ((point, True), (point * 1.002, False)):
        found = pu.assume(selection_odds=odds).metric(metric, BETA, **at).set_index("model")
        assert (found.loc["better", "lower"] > above) == holds


def test_an_order_breaks_where_its_interval_does() -> None:
    pu = FRAME.pu(score=MODELS)
    broken = pu.robustness("difference", [BETA, BETA / 2], over={"selection_odds": 1})
    assert broken["beta"].tolist() == [BETA, BETA / 2]
    point = broken["breaking_point"][0]
    assert 1 < point < np.inf
    assert pu.assume(selection_odds=point).compare("auroc", BETA)["lower"].item() > 0
    assert pu.assume(selection_odds=point * 1.002).compare("auroc", BETA)["lower"].item() <= 0
    turned = FRAME.pu(score=MODELS[::-1]).robustness(
        "difference", BETA, over={"selection_odds": 1}
    )
    assert turned["breaking_point"].item() == pytest.approx(point, rel=2e-3)


def test_models_in_rows_are_paired_by_a_column() -> None:
    rows = FRAME.assign(id=range(len(FRAME))).drop(columns="score")
    long = rows.melt(["id", "label"], MODELS, "model", "score").pu(by="model")
    wide = FRAME.pu(score=MODELS)
    found = long.robustness("difference", BETA, on="id", over={"selection_odds": 1})
    pd.testing.assert_frame_equal(
        found, wide.robustness("difference", BETA, over={"selection_odds": 1})
    )


@pytest.mark.parametrize(
    ("beta", "above", "point"), [(BETA, 0.95, 1), (BETA, -1, np.inf), (0.0, 0.2, np.inf)]
)
def test_conclusions_that_never_or_always_hold(beta: float, above: float, point: float) -> None:
    found = FRAME.pu.robustness("auroc", beta, above=above, over={"selection_odds": 1})
    assert found["breaking_point"].item() == point


def test_an_interval_breaks_where_the_first_beta_within_it_does() -> None:
    ask = partial(FRAME.pu.robustness, "auroc", over={"selection_odds": 1})
    alone = ask([0.05, 0.2])["breaking_point"].min()
    assert ask(pd.Interval(0.05, 0.2))["breaking_point"].item() <= alone * 1.002
