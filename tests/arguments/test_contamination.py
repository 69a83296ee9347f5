"""`contamination=`: known positives of which a share is negative, held against every such set."""

from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from pu_accessor.ranking import FloatArray
from tests.cases import binormal, put


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


# 2 and 1 of 5, and 2 of 6
WRONG = [(5, 30, 1, 0.41), (5, 30, 0, 0.39), (6, 60, 1, 0.34)]


@pytest.mark.parametrize(("known", "size", "seed", "share"), WRONG)
def test_metrics_are_the_worst_of_all_sets(known: int, size: int, seed: int, share: float) -> None:
    names = ["precision", "recall", "fpr", "npv", "mcc", "lift", "f1"]
    frame = draw(seed, known, size)
    sets = with_every_set_wrong(frame, int(share * known))
    asked: dict[str, Any] = {"at": {"rank": [2, 5, 12, 29]}, "target": "examples"}
    found = frame.pu.assume(contamination=share).metric(names, 0.2, **asked)
    each = [pu.metric(names, 0.2, **asked) for pu in sets]
    for limit, extreme, side in (("lower", np.nanmin, 1), ("upper", np.nanmax, -1)):
        worst = extreme([one[limit] for one in each], axis=0)
        # In a block of ties both ends have their own worst set: that is a little wider.
        assert ((side * (worst - found[limit]) >= -1e-12) | np.isnan(worst)).all()
        np.testing.assert_allclose(found[limit], worst, rtol=0.05, atol=0.005)
    pd.testing.assert_series_equal(found["estimate"], each[0]["estimate"])
    assert found.attrs["contamination"] == share and "contamination" not in each[0].attrs


@pytest.mark.parametrize("odds", [1, 2])
@pytest.mark.parametrize(("seed", "band"), [(0, "exact"), (1, "exact"), (1, "simultaneous")])
def test_tables_and_curves_are_the_worst_of_all_sets_of_wrong_ones(
    seed: int, band: str, odds: float
) -> None:
    frame, asked = draw(seed), {"band": band, "ranks": "all"}
    assumed: dict[str, Any] = {"contamination": 0.41, "selection_odds": odds}
    tables = frame.pu.assume(**assumed).contingency(0.25, **asked)
    sets = [pu.assume(selection_odds=odds) for pu in with_every_set_wrong(frame, 2)]
    each = [pu.contingency(0.25, **asked) for pu in sets]
    assert tables.attrs["contamination"] == 0.41
    np.testing.assert_array_equal(tables["tp"][:, 1], each[0]["tp"][:, 1])
    for name in ("tpr", "fpr", "precision", "npv", "mcc", "accuracy"):
        found = tables.pu.metric(name).squeeze("beta")
        values = np.stack([one.pu.metric(name).squeeze("beta") for one in each])
        ends = (np.fmin, np.fmax) if name != "fpr" else (np.fmax, np.fmin)
        for bound, extreme in zip(("lower", "upper"), ends, strict=True):
            mine, worst = found.sel(bound=bound).to_numpy(), extreme.reduce(values, axis=(0, 2))
            some = ~np.isnan(mine)
            assert some.sum() >= some.size - 2
            same = np.abs(mine - worst)[some] < 1e-12
            # A simultaneous band reaches to the estimate, which can be further off for one set.
            assert same.all() if band == "exact" else same.mean() > 0.8
    for curve, names in {"roc": ("fpr", "tpr"), "pr": ("recall", "precision")}.items():
        rates = getattr(frame.pu.assume(**assumed), f"{curve}_bounds")(0.25, **asked)
        for rate in names:
            of_tables = tables.pu.metric(rate)[:, ::2].fillna(1.0)
            np.testing.assert_allclose(rates[rate][:, ::2], of_tables, atol=1e-12)


@pytest.mark.parametrize("curve", ["roc", "pr"])
def test_curves_are_drawn_with_what_may_be_wrong(curve: str) -> None:
    pu: Any = draw(0, 30, 400).assign(site=np.arange(400) % 2).pu(by="site")
    failure = {"contamination": 0.2, "selection_odds": 1.5}
    bounds = getattr(pu.assume(**failure), f"{curve}_bounds")(0.1)
    drawn = []
    for plot, how in ((pu, {"beta": 0.1, **failure}), (bounds.pu, {})):
        axes = put(plot, f"plot_{curve}", **how)
        texts = axes.figure.legends[0].get_texts()
        said = " ".join(text.get_text() for text in texts)
        assert "contamination up to 20%" in said and "odds within 1.5" in said
        paths = [patch.get_path().vertices for patch in axes.patches]
        drawn.append([line.get_xydata() for line in axes.lines] + paths)
    assert len(drawn[0]) >= 5
    for one, other in zip(*drawn, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("target", ["population", "examples"])
def test_a_comparison_is_the_worst_of_all_sets_of_wrong_ones(target: str, seed: int) -> None:
    frame, models = draw(seed, 9, 50), ["score", "other"]
    frame["other"] = draw(seed + 10, 9, 50)["score"]
    sets = with_every_set_wrong(frame, 2, score=models)
    each: pd.DataFrame = pd.concat(pu.compare("auroc", 0.15, target=target) for pu in sets)
    pu = frame.pu(score=models)
    found = pu.assume(contamination=0.25).compare("auroc", 0.15, target=target).iloc[0]
    ends = each["difference"].min(), each["difference"].max()
    assert found["lower"] == pytest.approx(each["lower"].min(), abs=0.05)
    assert found["upper"] == pytest.approx(each["upper"].max(), abs=0.05)
    assert found["sign"] == (0 if ends[0] * ends[1] <= 0 else np.sign(ends[0]))
    worst = 1.0 if found["sign"] == 0 else each["p_value"].max()
    assert found["p_value"] == pytest.approx(worst, abs=0.1)
    assert pu.assume(contamination=0.25).compare(target=target)["sign"].item() == found["sign"]


FAILURES: list[Any] = [
    {"contamination": 0.12},
    {"selection_odds": 1.5},
    {"selection_odds": np.inf},
    {"selection_odds": 2, "contamination": 0.12},
]


def check_moved(ask: Any, bounds: Any, low: float = 0.0, high: float = 1.0) -> None:
    """Check that limits move as much as bounds do, by what is assumed of labels, as logits."""
    for failure in FAILURES:
        plain, found = ask(), ask(**failure)
        assert found["estimate"].equals(plain["estimate"])
        for side, pick in (("lower", np.fmin), ("upper", np.fmax)):
            start, end = np.asarray(bounds(side)), np.asarray(bounds(side, **failure))
            if high == np.inf:
                moved = pick(plain[side] + end - start, end)
            else:
                limit, start, end = (
                    logit((one - low) / (high - low)) for one in (plain[side], start, end)
                )
                moved = low + (high - low) * expit(limit + (end - start))
            sure = np.isfinite(moved)  # elsewhere nothing is known: it is the end
            wanted = np.where(
                sure, pick(moved, plain["estimate"]), low if side == "lower" else high
            )
            np.testing.assert_allclose(found[side], wanted, atol=1e-9)


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("options", [{}, {"max_fpr": 0.2}])
def test_limits_of_areas_move_as_bounding_areas_do(options: Any, target: str) -> None:
    pu, betas = draw(1, 25, 300).pu, [0.0, 0.1, 0.2]

    def area(side: str, **failure: Any) -> FloatArray:
        tables = pu.assume(**failure).contingency(betas)
        values: FloatArray = tables.pu.area("auroc", **options).sel(bound=side).values
        return values

    check_moved(partial(put, pu, "auroc", betas, target=target, **options), area)


@pytest.mark.parametrize("name", ["precision", "recall", "fpr", "lift", "mcc"])
def test_limits_on_new_examples_move_as_those_of_these_do(name: str) -> None:
    pu, at = draw(1, 25, 300).pu, {"threshold": [0.0, 2.0]}
    ask = partial(put, pu, "metric", name, 0.1, at=at)

    def these(side: str, **failure: Any) -> pd.Series:
        limits: pd.Series = ask(target="examples", **failure)[side]
        return limits

    ends = {"lift": (0.0, np.inf), "mcc": (-1.0, 1.0)}.get(name, (0.0, 1.0))
    check_moved(partial(ask, target="population"), these, *ends)


@pytest.mark.parametrize("failure", FAILURES)
def test_average_precision_is_wider_the_more_may_fail(failure: Any) -> None:
    pu = draw(1, 25, 300).pu
    for target in ("population", "examples"):
        wide, plain = (
            each.average_precision([0.0, 0.1, 0.2], target=target)
            for each in (pu.assume(**failure), pu)
        )
        assert wide["estimate"].equals(plain["estimate"])
        assert (wide["lower"] <= plain["lower"]).all() and (wide["upper"] >= plain["upper"]).all()
        assert (wide["upper"] - wide["lower"] > plain["upper"] - plain["lower"])[1:].all()


CLAIMS: list[Any] = [("auroc", {}, 0.6), ("precision", {"at": 20}, 0.2), ("difference", {}, 0)]


@pytest.mark.parametrize(("quantity", "about", "above"), CLAIMS)
def test_conclusions_break_where_intervals_do(quantity: str, about: Any, above: float) -> None:
    frame = draw(0, 20, 120)
    pu: Any = frame.pu
    if quantity == "difference":
        rng = np.random.default_rng(1)
        pu = frame.assign(other=rng.normal(size=120)).pu(score=["score", "other"])
        ask = partial(put, pu, "compare", "auroc")
    else:
        ask = partial(put, pu, "metric", quantity, **about)
    robust = partial(pu.robustness, quantity, 0.1, **about)
    limit = {} if quantity == "difference" else {"above": above}
    found = robust(**limit, over={"contamination": [0.1, 0]})
    assert found["contamination"].tolist() == [0, 0.1] and "selection_odds" not in found
    point = found["breaking_point"].iloc[0]
    assert 0 < point < 0.5
    for wrong, holds in ((round(point * 20), False), (round(point * 20) - 1, True)):
        row = ask(beta=0.1, contamination=(wrong + 0.1) / 20).iloc[0]
        assert (row["lower"] > above) == holds == (row.get("p_value", 1 - holds) < 0.05)
    if quantity == "difference":
        return
    assert robust(above=2, over={"contamination": 0})["breaking_point"].tolist() == [0]
    if quantity == "precision":  # it goes through all shares
        assert robust(above=-2, over={"contamination": 0})["breaking_point"].tolist() == [np.inf]
