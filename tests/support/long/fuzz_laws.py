"""What must hold of any rows, by a second way to the same answer: ``make fuzz``."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor import PUError
from tests.cases import AREAS, put
from tests.support.long.fuzz_sources import check_alike
from tests.worlds import FRAMES, METRICS, MODELS, attempt, frames, fuzzed, half_band, keywords

Draw = Callable[[st.SearchStrategy[Any]], Any]
BANDS = ["exact", "simultaneous", "bootstrap", "dkw"]
REFERENCES = ["positives", "negatives", "tightest", "both"]
COUNTS = ["tp", "fp", "fn", "tn"]
NUMBERS = ["auroc", "average_precision", "metric", "estimate_beta", "cutoff", "calibration"]
NUMBERS += ["robustness"]
COUNTED = ["contingency", "roc_bounds", "pr_bounds", "rank_cdf", "compare", "gap", "dominance"]
COUNTED += ["check_assumptions"]
ESTIMATES = ["auroc", "average_precision"]
BETA = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.8])
ROUNDING = 1e-9
BOUND = st.sampled_from(
    [
        {},
        {},
        {"cluster": "patient"},
        {"weight": "times"},
        {"monotone": True},
        {"propensity": "propensity"},
    ]
)


def whole(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows that have scores, one of them a known positive and one unlabeled at least."""
    kept = frame.fillna({"score": 0.0, "other": 0.0})
    more = kept.iloc[[0, 0]].assign(
        label=[1.0, np.nan], said=["yes", "?"], propensity=[0.5, np.nan], times=1
    )
    return pd.concat([kept, more], ignore_index=True).assign(id=range(len(kept) + 2))


def answer(pu: Any, method: str, /, *args: Any, **keywords: Any) -> Any:
    """Return an answer, or the error; what is bound and assumed is among the keywords."""
    return attempt(lambda: put(pu, method, *args, **keywords))[0]


def answered(*found: Any) -> bool:
    """Tell if all are answers; where one is an error the others are."""
    failed = [isinstance(one, PUError) for one in found]
    assert len(set(failed)) == 1, found
    return not failed[0]


def rule(draw: Draw) -> dict[str, Any]:
    """Draw how tables are bounded."""
    band = draw(st.sampled_from([*BANDS, half_band]))
    found = {"level": draw(st.sampled_from([0.5, 0.8, 0.95, 0.99])), "band": band}
    if band in ("exact", "simultaneous") and draw(st.booleans()):
        found["selection_odds"] = draw(st.sampled_from([1.5, 4, np.inf]))
    return {**found, "reference": draw(st.sampled_from(REFERENCES))}


def groups_are_answered_alone(frame: pd.DataFrame, draw: Draw) -> None:
    method = draw(st.sampled_from(NUMBERS))
    asked = draw(keywords(FRAMES, method))
    if isinstance(asked.get("at"), int):
        asked["at"] = 1
    bound = draw(BOUND)
    groups: dict[str, Any] = {"by": "key", "on_error": "skip"}
    together = answer(frame.pu(negative=0), method, **groups, **bound, **asked)
    if isinstance(together, PUError) and "weight" in bound:
        return  # what weights refuse is refused of all groups; one may have none but 1
    for key, rows in frame.groupby("key"):
        alone = answer(rows.pu(negative=0), method, **bound, **asked)
        if isinstance(together, PUError):
            assert isinstance(alone, PUError), (together, alone)
            continue
        found = together[together["key"] == key].drop(columns="key").reset_index(drop=True)
        assert isinstance(alone, PUError) == found.empty
        if not found.empty:
            check_alike(found[list(alone.columns)], alone)


def models_below_each_other_are_those_in_columns(frame: pd.DataFrame, draw: Draw) -> None:
    method = draw(st.sampled_from([*NUMBERS, "contingency", "dominance", "compare"]))
    asked = draw(keywords(FRAMES, method))
    asked.pop("on", None)  # which is for models below each other alone
    paired = method == "compare" or asked.get("metric") == "difference"
    on = {"on": "id"} if paired else {}
    bound = draw(BOUND)
    kept = ["id", "label", "patient", "times", "propensity"]
    long = frame.melt(kept, MODELS, "model", "value").rename(columns={"value": "score"})
    below = answer(long.pu(by="model"), method, **bound, **asked, **on)
    beside = answer(frame.pu(score=sorted(MODELS)), method, **bound, **asked)
    if answered(below, beside):
        check_alike(below, beside)


def order_of_scores_is_all(frame: pd.DataFrame, draw: Draw) -> None:
    of_order = [name for name in NUMBERS if name != "calibration"]
    method = draw(st.sampled_from([*of_order, "contingency", "roc_bounds"]))
    asked = draw(keywords(FRAMES, method))
    by_score = isinstance(asked.get("at"), dict) and "threshold" in asked["at"]
    if by_score or asked.get("metric") in ("boyce", "net_benefit"):
        return
    ranked, bound = frame.assign(score=frame["score"].rank(method="dense") ** 3), draw(BOUND)
    one, other = (answer(rows.pu, method, **bound, **asked) for rows in (frame, ranked))
    if not answered(one, other):
        return
    if isinstance(one, xr.Dataset):
        check_alike(one.drop_vars("threshold"), other.drop_vars("threshold"))
    else:
        one, other = (found.drop(columns="threshold", errors="ignore") for found in (one, other))
        check_alike(one, other)


def bounds_are_in_order(frame: pd.DataFrame, draw: Draw) -> None:
    how = rule(draw)
    betas = draw(st.lists(BETA, min_size=1, max_size=3, unique=True))
    tables = answer(frame.pu, "contingency", betas, **how)
    if isinstance(tables, PUError):
        return
    tp, fp, fn, tn = (tables[name] for name in COUNTS)
    low, mid, high = (tp.sel(bound=bound) for bound in ("lower", "estimate", "upper"))
    if how["reference"] != "both":  # what both have in common may be empty
        assert (low <= mid).all() and (mid <= high).all()
    assert (tp + fp == tables["rank"]).all() and (tp + fp + fn + tn == len(frame)).all()
    assert all((part >= 0).all() for part in (tp, fp, fn, tn))
    for name in {*METRICS} - {"lift"}:
        values = tables.pu.metric(name).to_numpy()
        assert np.nanmin(values, initial=0) >= -1 - ROUNDING, name
        assert np.nanmax(values, initial=0) <= 1 + ROUNDING, name
    for curve in ("roc", "pr"):
        area = tables.pu.area(AREAS[curve]).dropna("beta")  # all are positives, or none is
        assert ((area > -ROUNDING) & (area < 1 + ROUNDING)).all()
        if how["reference"] == "positives" and curve == "roc":
            assert (area.sel(bound=["lower", "estimate", "upper"]).diff("bound") > -ROUNDING).all()


def bounds_are_nested(frame: pd.DataFrame, draw: Draw) -> None:
    how, beta = rule(draw), draw(BETA)
    wider = draw(st.sampled_from(["level", "selection_odds"]))
    if how["band"] is half_band:
        return
    if wider == "selection_odds" and how["band"] in ("bootstrap", "dkw"):
        return
    ends = [0.8, 0.95] if wider == "level" else [1, draw(st.sampled_from([1.2, 3, np.inf]))]
    how |= draw(BOUND) if wider == "level" else {}
    narrow, wide = (answer(frame.pu, "contingency", beta, **{**how, wider: x}) for x in ends)
    if answered(narrow, wide):
        assert (wide["tp"].sel(bound="lower") <= narrow["tp"].sel(bound="lower")).all()
        assert (wide["tp"].sel(bound="upper") >= narrow["tp"].sel(bound="upper")).all()


def more_beta_is_more_true_positives(frame: pd.DataFrame, draw: Draw) -> None:
    how = {**rule(draw), "reference": "positives"}
    betas = sorted(draw(st.lists(st.floats(0, 1), min_size=2, max_size=4, unique=True)))
    tables = answer(frame.pu, "contingency", betas, **how)
    if not isinstance(tables, PUError) and how["band"] not in ("simultaneous", half_band):
        assert (tables["tp"].diff("beta") >= 0).all()


def intervals_hold_their_estimates(frame: pd.DataFrame, draw: Draw) -> None:
    method = draw(st.sampled_from([*ESTIMATES, "metric"]))
    asked = draw(keywords(FRAMES, method))
    asked |= draw(BOUND)
    both = [answer(frame.pu, method, **{**asked, "level": level}) for level in (0.8, 0.95)]
    if not answered(*both):
        return
    for found in both:
        there = found[found["lower"].notna() & found["estimate"].between(0, 1)]
        assert (there["lower"] <= there["upper"] + ROUNDING).all()
        if method != "metric":
            assert (there["lower"] <= there["estimate"] + ROUNDING).all(), there.T
            assert (there["estimate"] <= there["upper"] + ROUNDING).all(), there.T
    one, other = both
    kept = one["lower"].notna() & other["lower"].notna()
    if "rank" not in one or one["rank"].equals(other["rank"]):
        assert (other["lower"] <= one["lower"] + ROUNDING)[kept].all(), (one.T, other.T)
        assert (other["upper"] >= one["upper"] - ROUNDING)[kept].all(), (one.T, other.T)


def turned_over_auroc_is_one_less(frame: pd.DataFrame, draw: Draw) -> None:
    beta, target = draw(BETA), draw(st.sampled_from(["population", "examples"]))
    one = answer(frame.pu, "auroc", beta, target=target)
    other = answer(frame.assign(score=-frame["score"]).pu, "auroc", beta, target=target)
    if answered(one, other):
        columns = ["estimate", "lower", "upper"]
        turned = 1 - other[["estimate", "upper", "lower"]].to_numpy(np.float64)
        # One labeling is filled from the top; where it is not the same from below, limits that
        # reach to it are not.
        if abs(turned[0, 0] - one["estimate"].item()) > ROUNDING:
            return
        # Only a ranking that is too good refutes a beta. Ends are looked for until that near.
        ends = one[columns].to_numpy(np.float64)
        there = ~np.isnan(turned + ends)
        np.testing.assert_allclose(turned[there], ends[there], atol=1e-6)


def each_row_twice(frame: pd.DataFrame, draw: Draw) -> None:
    twice = pd.concat([frame, frame])
    # At other betas a completed labeling has its corners at other places.
    one, other = (answer(rows.pu, "auroc", 0) for rows in (frame, twice))
    if answered(one, other):
        both = np.array([one["estimate"], other["estimate"]])
        kept = both[:, ~np.isnan(both).any(axis=0)]  # too far outside for one alone
        np.testing.assert_allclose(kept[0], kept[1], atol=1e-12)
    one, other = (answer(rows.pu, "contingency", 0) for rows in (frame, twice))
    if answered(one, other):
        np.testing.assert_array_equal(2 * one["tp"], other["tp"])


def weights_are_rows(frame: pd.DataFrame, draw: Draw) -> None:
    method = draw(st.sampled_from([*ESTIMATES, "metric", "contingency"]))
    asked: dict[str, Any] = {"beta": draw(BETA)}
    if method != "contingency":
        asked["target"] = draw(st.sampled_from(["population", "examples"]))
    if method == "metric":
        at = {"threshold": float(frame["score"].iloc[0])}
        asked |= {"metric": draw(st.sampled_from(METRICS)), "at": at}
    frame = frame.assign(times=frame["times"] // 1)
    repeated = frame.loc[frame.index.repeat(frame["times"].astype(int))]
    one = answer(frame.pu(weight="times"), method, **asked)
    other = answer(repeated.pu, method, **asked)
    if isinstance(one, PUError) or isinstance(other, PUError):
        return
    if method == "contingency":
        ranks = [*{*one["rank"].to_numpy().tolist()} & {*other["rank"].to_numpy().tolist()}]
        one, other = (found.sel(bound="estimate", rank=ranks) for found in (one, other))
        cut = (one["clipped"] | other["clipped"]).to_numpy()  # by bands that differ
        off = np.abs((one["tp"] - other["tp"]).to_numpy())
        assert off[~cut].max(initial=0) <= 0.5 + ROUNDING  # one of them is rounded
    else:
        # Bands differ, which may cut the estimate of a metric to one of their ends.
        ends = [found[end].item() for found in (one, other) for end in ("lower", "upper")]
        estimates = [found["estimate"].item() for found in (one, other)]
        if method != "metric" or not {*ends} & {*estimates}:
            np.testing.assert_allclose(estimates[0], estimates[1], atol=ROUNDING)


def counts_are_rows(frame: pd.DataFrame, draw: Draw) -> None:
    method = draw(st.sampled_from([*NUMBERS, *COUNTED]))
    asked = draw(keywords(FRAMES, method))
    asked.pop("on", None)
    bound = {name: role for name, role in draw(BOUND).items() if name != "weight"}
    groups: list[dict[str, Any]] = [{}, {"by": "key"}, {"by": "key", "pool": True}]
    groups += [{"by": "key", "average": True}]
    bound |= groups[1] if method == "gap" else draw(st.sampled_from(groups))
    if method in ("compare", "dominance"):
        bound["score"] = MODELS
    frame = frame.assign(times=frame["times"] // 1)
    frame = frame[frame.groupby("key")["times"].transform("sum") > 0]
    written = frame.loc[frame.index.repeat(frame["times"].astype(int))]
    one = answer(frame.pu, method, count="times", **bound, **asked)
    other = answer(written.pu, method, **bound, **asked)
    if answered(one, other):
        check_alike(one, other)


def weights_have_no_unit(frame: pd.DataFrame, draw: Draw) -> None:
    frame = frame.assign(times=frame["times"].clip(1.25))  # rows of weight 1 are no clusters
    finer = frame.assign(times=4 * frame["times"])
    name = draw(st.sampled_from(["auroc", "average_precision", "bedroc"]))
    bound = {"by": "key", "average": True} if draw(st.booleans()) else {}
    # At other betas a completed labeling has its corners at other places.
    one, other = (
        answer(rows.pu(weight="times", **bound), "metric", name, 0) for rows in (frame, finer)
    )
    if answered(one, other):
        kept = [*one] if bound else ["estimate", "standard_error"]  # half a row counts for limits
        check_alike(one[kept], other[kept])


def numbers_are_those_of_tables(frame: pd.DataFrame, draw: Draw) -> None:
    beta, how, pu = draw(BETA), rule(draw), frame.pu
    rank, name = draw(st.integers(1, len(frame))), draw(st.sampled_from(METRICS))
    tables = answer(pu, "contingency", beta, **how)
    if isinstance(tables, PUError):
        return
    row = answer(pu, "metric", name, beta, at=rank, **how).iloc[0]
    here = tables.pu.at(rank=rank).isel(beta=0)
    if here["rank"].item() != rank:  # within ties a metric is the mean over all orders
        return
    ends = here.pu.metric(name).sel(bound=["lower", "upper"]).to_numpy()  # estimates are rounded
    np.testing.assert_allclose(row[["lower", "upper"]].astype(float), np.sort(ends))
    assert row["rank"] == here["rank"].item()
    at = {"threshold": float(here["threshold"])}
    if np.isfinite(at["threshold"]):
        same = answer(pu, "metric", name, beta, at=at, target="examples", **how).iloc[0]
        both = [one[["rank", "estimate"]].astype(float) for one in (same, row)]
        np.testing.assert_array_equal(*both)


def curves_are_those_of_tables(frame: pd.DataFrame, draw: Draw) -> None:
    beta, how, pu = draw(BETA), rule(draw), frame.pu
    tables = answer(pu, "contingency", beta, **how)
    few = answer(pu, "contingency", beta, ranks="breakpoints", **how)
    if not answered(tables, few):
        return
    parts: list[tuple[str, dict[str, Any]]] = [("roc", {}), ("pr", {}), ("roc", {"max_fpr": 0.3})]
    for curve, part in parts:
        # Estimates in tables are rounded to whole examples.
        one, other = (ds.pu.area(AREAS[curve], **part)[::2].to_numpy() for ds in (few, tables))
        np.testing.assert_allclose(one, other, atol=ROUNDING)
    for name in ("roc_bounds", "pr_bounds"):
        of_rows, of_tables = answer(pu, name, beta, ranks="all", **how), getattr(tables.pu, name)()
        check_alike(of_rows.isel(bound=[0, 2]), of_tables.isel(bound=[0, 2]))


def intervals_of_beta_hold_all_between(frame: pd.DataFrame, draw: Draw) -> None:
    how, betas = rule(draw) | draw(BOUND), st.sampled_from([0, 0.1, 0.2, 0.35, 0.6])
    low, mid, high = sorted(draw(st.lists(betas, min_size=3, max_size=3, unique=True)))
    name = draw(st.sampled_from(["f1", "precision", "mcc", "tpr"]))
    rank = draw(st.integers(1, len(frame)))
    found = answer(frame.pu, "metric", name, pd.Interval(low, high), at=rank, **how)
    each = answer(frame.pu, "metric", name, [low, mid, high], at=rank, **how)
    if answered(found, each) and each[["lower", "upper"]].notna().all(axis=None):
        assert found["lower"].item() <= each["lower"].min() + ROUNDING
        assert found["upper"].item() >= each["upper"].max() - ROUNDING


LAWS: list[Callable[[pd.DataFrame, Draw], None]] = [
    groups_are_answered_alone,
    models_below_each_other_are_those_in_columns,
    order_of_scores_is_all,
    bounds_are_in_order,
    bounds_are_nested,
    more_beta_is_more_true_positives,
    intervals_hold_their_estimates,
    turned_over_auroc_is_one_less,
    each_row_twice,
    weights_are_rows,
    counts_are_rows,
    weights_have_no_unit,
    numbers_are_those_of_tables,
    curves_are_those_of_tables,
    intervals_of_beta_hold_all_between,
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: str(law.__name__))
def test_laws(law: Callable[[pd.DataFrame, Draw], None]) -> None:
    @fuzzed(5)
    @given(frame=frames(), data=st.data())
    def holds(frame: pd.DataFrame, data: st.DataObject) -> None:
        law(whole(frame), data.draw)

    holds()
