"""`contamination=`: known positives of which a share is negative, held against every such set."""

from collections.abc import Callable
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUTypeError, PUValueError
from pu_accessor.inference import search
from pu_accessor.inference.comparison import worst_case
from pu_accessor.inference.estimates import contaminated
from pu_accessor.ranking import BoolArray, FloatArray


def draw(seed: int, known: int = 5, size: int = 30) -> pd.DataFrame:
    """Draw scores with ties; the first rows are known positives."""
    rng = np.random.default_rng(seed)
    positive = np.arange(size) < known
    label = np.where(positive, 1.0, np.nan)
    score = np.round(rng.normal(1.2 * positive) * 2) if seed % 2 else rng.normal(1.2 * positive)
    return pd.DataFrame({"score": score, "label": label})


def with_every_set_wrong(frame: pd.DataFrame, most: int) -> list[pd.DataFrame]:
    """Return the frame with each set of up to so many known positives as known negatives."""
    known = np.flatnonzero(frame["label"] == 1).tolist()
    sets = chain.from_iterable(combinations(known, wrong) for wrong in range(most + 1))
    return [
        frame.assign(label=frame["label"].where(~frame.index.isin(each), 0.0)) for each in sets
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.21, 0.41])  # 1 and 2 of 5
def test_metrics_are_the_worst_of_all_sets_of_wrong_ones(seed: int, share: float) -> None:
    frame, ranks = draw(seed), [2, 5, 12, 29]
    names = ["precision", "recall", "fpr", "npv", "mcc", "lift", "f1"]
    asked: dict[str, Any] = {"at": {"rank": ranks}, "target": "examples"}
    found = frame.pu.metric(names, 0.2, contamination=share, **asked)
    plain = frame.pu.metric(names, 0.2, **asked)
    sets = with_every_set_wrong(frame, int(share * 5))
    each = [one.pu(negative=0).metric(names, 0.2, **asked) for one in sets]
    assert found["lower"].tolist() == pytest.approx(
        np.nanmin([one["lower"] for one in each], axis=0).tolist(), nan_ok=True
    )
    assert found["upper"].tolist() == pytest.approx(
        np.nanmax([one["upper"] for one in each], axis=0).tolist(), nan_ok=True
    )
    pd.testing.assert_series_equal(found["estimate"], plain["estimate"])


METRICS = ["tpr", "fpr", "precision", "npv", "mcc", "accuracy"]


@pytest.mark.parametrize("band", ["exact", "simultaneous"])
@pytest.mark.parametrize("seed", range(2))
def test_tables_and_curves_are_the_worst_of_all_sets_of_wrong_ones(seed: int, band: str) -> None:
    frame, asked = draw(seed), {"band": band, "ranks": "all"}
    tables = frame.pu.contingency(0.25, contamination=0.41, **asked)
    each = [
        one.pu(negative=0).contingency(0.25, **asked) for one in with_every_set_wrong(frame, 2)
    ]
    assert tables.attrs["contamination"] == 0.41
    np.testing.assert_array_equal(tables["tp"][:, 1], each[0]["tp"][:, 1])
    for name in METRICS:
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
    for curve, (x, y) in {"roc": ("fpr", "tpr"), "pr": ("recall", "precision")}.items():
        rates = getattr(frame.pu, f"{curve}_bounds")(0.25, contamination=0.41, **asked)
        for rate in (x, y):
            of_tables = tables.pu.metric(rate)[:, ::2]
            np.testing.assert_allclose(rates[rate][:, ::2], of_tables.fillna(1.0), atol=1e-12)


def test_few_cutoffs_bend_where_all_do() -> None:
    for seed, band in ((0, "exact"), (3, "simultaneous"), (8, "exact")):
        pu = draw(seed, 30, 400).pu
        few, every = (
            pu.contingency(0.1, contamination=0.2, band=band, ranks=ranks)
            for ranks in ("breakpoints", "all")
        )
        assert few.sizes["rank"] < every.sizes["rank"] or seed == 3
        for area in ("auroc", "average_precision"):
            ends = ["lower", "upper"]
            one, other = (tables.pu.area(area).sel(bound=ends) for tables in (few, every))
            xr.testing.assert_allclose(one, other, atol=1e-9)
        partial_area = few.pu.area("auroc", max_fpr=0.2).squeeze("beta").to_numpy()
        assert partial_area[0] < partial_area[1] < partial_area[2] <= 1
        here = pu.contingency(0.1, contamination=0.2, band=band, ranks=[17, 200])
        there = every.pu.at(rank=[17, 200])
        assert here["fp"].to_numpy().tolist() == there["fp"].to_numpy().tolist()


def test_the_area_of_bounds_is_under_what_is_drawn() -> None:
    tables = draw(0, 30, 400).pu.contingency(0.1, contamination=0.2)
    rates = {name: tables.pu.metric(name).squeeze("beta") for name in ("tpr", "fpr", "recall")}
    for place, bound in enumerate(tables["bound"].to_numpy()):
        x, y = (rates[name].sel(bound=bound).to_numpy() for name in ("fpr", "tpr"))
        area = tables.pu.area("auroc").squeeze("beta")[place]
        assert np.trapezoid(y, x) == pytest.approx(area.item(), abs=1e-12)


def test_curves_are_drawn_with_what_may_be_wrong() -> None:
    frame = draw(0, 30, 400).assign(site=np.arange(400) % 2)
    for curve in ("roc", "pr"):
        bounds = getattr(frame.pu(by="site"), f"{curve}_bounds")(0.1, contamination=0.2)
        draws = [
            getattr(frame.pu(by="site"), f"plot_{curve}")(0.1, contamination=0.2),
            getattr(bounds.pu, f"plot_{curve}")(),
        ]
        for axes in draws:
            legend = " ".join(text.get_text() for text in axes.figure.legends[0].get_texts())
            assert "contamination up to 20%" in legend
        drawn = [
            [line.get_xydata() for line in axes.lines]
            + [patch.get_path().vertices for patch in axes.patches]
            for axes in draws
        ]
        assert len(drawn[0]) >= 5
        for one, other in zip(*drawn, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_conclusion_is_drawn_against_the_share_that_is_wrong() -> None:
    pu, shares = draw(0, 20, 120).pu, [0.2, 0, 0.1]
    ax: Any = pu.plot_robustness("precision", 0.1, at=20, above=0.15, contamination=shares)
    found = pu.robustness("precision", 0.1, at=20, above=0.15, contamination=shares)
    assert "share of the known positives" in ax.get_xlabel() and ax.get_xscale() == "linear"
    line, *_, cross = ax.lines
    np.testing.assert_allclose(line.get_xydata(), found[["contamination", "estimate"]])
    assert cross.get_xydata().tolist() == [[found["breaking_point"].iloc[0], 0.15]]
    at_the_end = [0, found["breaking_point"].iloc[0]]
    ax = pu.plot_robustness("precision", 0.1, at=20, above=0.15, contamination=at_the_end)
    assert ax.lines[-1].get_xydata().tolist() == [[at_the_end[-1], 0.15]]
    with pytest.raises(PUValueError, match="contamination must hold two or more shares"):
        pu.plot_robustness("auroc", 0.1, contamination=[0.1])


@pytest.mark.parametrize("target", ["population", "examples"])
def test_a_comparison_is_the_worst_of_all_sets_of_wrong_ones(target: str) -> None:
    asked: dict[str, Any] = {"beta": 0.15, "target": target}
    for seed in (0, 1):
        frame = draw(seed, 9, 50)
        frame["other"] = draw(seed + 10, 9, 50)["score"]
        each: pd.DataFrame = pd.concat(
            one.pu(score=["score", "other"], negative=0).compare(**asked)
            for one in with_every_set_wrong(frame, 2)
        )
        pu = frame.pu(score=["score", "other"])
        found = pu.compare(contamination=0.25, **asked).iloc[0]
        ends = each["difference"].min(), each["difference"].max()
        assert (found["range_lower"], found["range_upper"]) == pytest.approx(ends, abs=1e-12)
        assert found["lower"] == pytest.approx(each["lower"].min(), abs=0.05)
        assert found["upper"] == pytest.approx(each["upper"].max(), abs=0.05)
        assert found["sign"] == (0 if ends[0] * ends[1] <= 0 else np.sign(ends[0]))
        worst = 1.0 if found["sign"] == 0 else each["p_value"].max()
        assert found["p_value"] == pytest.approx(worst, abs=0.1)
        without = pu.compare(contamination=0.25, target=target).iloc[0]
        assert without["sign"] == found["sign"]


def test_models_differ_for_certain_until_so_many_are_wrong() -> None:
    frame = draw(0, 40, 300)
    frame["other"] = np.random.default_rng(1).normal(0.4 * (frame["label"] == 1))
    pu = frame.pu(score=["score", "other"])
    found = pu.robustness("difference", 0.1, contamination=[0.1, 0])
    point = found["breaking_point"].iloc[0]
    assert 0.04 < point < 0.5 and found["contamination"].tolist() == [0, 0.1]
    for wrong, holds in ((round(point * 40), False), (round(point * 40) - 1, True)):
        compared = pu.compare(0.1, contamination=(wrong + 0.1) / 40).iloc[0]
        assert (compared["lower"] > 0) == holds == (compared["p_value"] < 0.05)
    shares = [0, 0.05, 0.1, 0.2, 0.3]
    each = pu.robustness("difference", 0.1, contamination=shares)
    assert (each["lower"].diff().dropna() <= 0).all() and (each["upper"].diff()[1:] >= 0).all()


def test_sets_that_cannot_be_worst_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = draw(0, 90, 900)
    frame["other"] = np.random.default_rng(1).normal(0.4 * (frame["label"] == 1))
    tried: list[BoolArray] = []

    def may_be_lowest(value: FloatArray, away: FloatArray) -> BoolArray:
        tried.append(search.may_be_lowest(value, away))
        return tried[-1]

    for module in (contaminated, worst_case):
        monkeypatch.setattr(module, "may_be_lowest", may_be_lowest)
    asks = [frame.pu.auroc, frame.pu(score=["score", "other"]).compare]
    wanted = [ask(0.1, contamination=0.15) for ask in asks]
    assert not tried
    monkeypatch.setattr(contaminated, "_MANY", 50)
    monkeypatch.setattr(contaminated, "_FEW", 10)
    monkeypatch.setattr(worst_case, "_MANY_KNOWN", 20)
    for ask, whole in zip(asks, wanted, strict=True):
        pd.testing.assert_frame_equal(ask(0.1, contamination=0.15), whole, rtol=1e-12)
    assert len(tried) == 4 and not any(each.all() for each in tried)


@pytest.mark.parametrize("seed", range(2))
def test_metrics_of_new_examples_are_the_worst_of_all_sets_of_wrong_ones(seed: int) -> None:
    frame, names = draw(seed, 8, 60), ["precision", "recall", "fpr", "f1"]
    asked: dict[str, Any] = {"at": {"threshold": [0.0, 1.0]}}
    found = frame.pu.metric(names, 0.2, contamination=0.26, **asked)
    assert found.attrs["target"] == "population"
    each = [
        one.pu(negative=0).metric(names, 0.2, **asked) for one in with_every_set_wrong(frame, 2)
    ]
    for limit, extreme in (("lower", np.nanmin), ("upper", np.nanmax)):
        worst = extreme([one[limit] for one in each], axis=0)
        np.testing.assert_allclose(found[limit], worst, atol=0.005)
    np.testing.assert_array_equal(found["estimate"], each[0]["estimate"])


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("quantity", ["auroc", "average_precision"])
def test_areas_are_the_worst_of_all_sets_of_wrong_ones(quantity: str, target: str) -> None:
    for seed in (0, 3):
        frame = draw(seed)
        sets = with_every_set_wrong(frame, 2)
        ask = [getattr(one.pu(negative=0), quantity) for one in sets]
        each: pd.DataFrame = pd.concat([one(0.2, target=target) for one in ask])
        found = getattr(frame.pu, quantity)(0.2, contamination=0.41, target=target).iloc[0]
        assert found["estimate"] == each["estimate"].iloc[0]
        assert found["lower"] <= each["lower"].min() + 0.03
        assert found["upper"] >= each["upper"].max() - 0.03
        assert found["lower"] >= each["lower"].min() - 1e-12
        assert found["upper"] <= each["upper"].max() + 1e-12
        if quantity == "auroc":
            ends = each["estimate"].min(), each["estimate"].max()
            assert (found["range_lower"], found["range_upper"]) == pytest.approx(ends, abs=0.01)


def test_a_larger_share_gives_a_wider_interval() -> None:
    shares = [0, 0.1, 0.2, 0.35]
    pu = draw(1, 20, 60).pu
    some: list[tuple[str, dict[str, Any]]] = [
        ("auroc", {}),
        ("average_precision", {}),
        ("metric", {"quantity": "f1", "at": 40}),
        ("metric", {"quantity": "fpr", "at": 40, "band": "simultaneous"}),
    ]
    for name, keywords in some:
        ask = partial(getattr(pu, name), beta=0.2, **keywords)
        found: pd.DataFrame = pd.concat([ask(contamination=share) for share in shares])
        assert (np.diff(found["lower"]) <= 1e-12).all()
        assert (np.diff(found["upper"]) >= -1e-12).all()
        width = found["upper"] - found["lower"]
        assert width.iloc[0] < width.iloc[-1]


def test_less_than_one_wrong_known_positive_is_none() -> None:
    pu = draw(1).pu
    plain, found = pu.auroc(0.2), pu.auroc(0.2, contamination=0.19)  # 0.95 of 5
    assert found[["lower", "upper"]].equals(plain[["lower", "upper"]])
    assert found.attrs["contamination"] == 0.19 and "contamination" not in plain.attrs
    assert found["range_lower"].item() == found["estimate"].item()
    one = pu.auroc(0.2, contamination=0.21)
    assert one["range_lower"].item() < one["estimate"].item()


def test_rows_in_pieces_give_the_same() -> None:
    frame = draw(0, 30, 3000)
    pieces = pu_accessor.from_chunks([frame[start : start + 750] for start in range(0, 3000, 750)])
    for quantity, keywords in (
        ("auroc", {"target": "examples"}),
        ("average_precision", {"target": "population"}),
    ):
        one, other = (
            getattr(pu, quantity)(0.1, contamination=0.1, **keywords) for pu in (frame.pu, pieces)
        )
        pd.testing.assert_frame_equal(one, other)
    one, other = (
        pu.metric("precision", 0.1, at={"rank": [40, 333]}, contamination=0.1)
        for pu in (frame.pu, pieces)
    )
    pd.testing.assert_frame_equal(one, other)


def test_the_envelope_holds_for_wrong_ones_too() -> None:
    pu = draw(2, 20, 90).pu
    for ask in (pu.auroc, lambda *a, **k: pu.metric("precision", *a, at=20, **k)):
        plain, found = (ask(0.2, beta_interval=(0.1, 0.3), contamination=c) for c in (0.0, 0.2))
        assert found["envelope_lower"].item() < plain["envelope_lower"].item()
        assert found["envelope_lower"].item() <= found["lower"].item()
        assert found["envelope_upper"].item() >= plain["envelope_upper"].item()


def test_a_conclusion_breaks_where_its_interval_does() -> None:
    pu = draw(0, 20, 120).pu
    for quantity, at, above in (("auroc", {}, 0.6), ("precision", {"at": 20}, 0.2)):
        found = pu.robustness(quantity, 0.1, **at, above=above, contamination=[0.1, 0])
        assert found["contamination"].tolist() == [0, 0.1] and "selection_odds" not in found
        point = found["breaking_point"].iloc[0]
        assert 0 < point < 0.5
        ask = getattr(pu, quantity, lambda *a, **k: pu.metric("precision", *a, at=20, **k))
        for wrong, holds in ((round(point * 20), False), (round(point * 20) - 1, True)):
            lower = ask(0.1, contamination=(wrong + 0.1) / 20)["lower"].item()
            assert (lower > above) == holds
        assert pu.robustness(quantity, 0.1, **at, above=2, contamination=0)[
            "breaking_point"
        ].tolist() == [0]
        never = pu.robustness(quantity, 0.1, **at, above=-2, contamination=0)
        assert never["breaking_point"].tolist() == [np.inf]


@pytest.mark.parametrize(
    ("share", "told"),
    [
        (0.5, r"contamination must lie in \[0, 0.5\), but 0.5 was passed"),
        (-0.1, r"contamination must lie in \[0, 0.5\)"),
        (float("nan"), r"contamination must lie in \[0, 0.5\)"),
    ],
)
def test_shares_that_are_none(share: float, told: str) -> None:
    pu: Any = draw(0).pu
    asks: list[Callable[[], Any]] = [
        lambda: pu.auroc(0.2, contamination=share),
        lambda: pu.average_precision(0.2, contamination=share),
        lambda: pu.metric("f1", 0.2, at=9, contamination=share),
        lambda: pu.robustness("auroc", 0.2, contamination=[0, share]),
        lambda: pu.roc_bounds(0.2, contamination=share),
    ]
    for ask in asks:
        with pytest.raises(PUValueError, match=told):
            ask()


C: dict[str, Any] = {"contamination": 0.2}


def by() -> Any:
    """Return two groups."""
    return draw(0).assign(group=np.arange(30) % 2).pu(by="group")


def test_what_goes_with_wrong_known_positives() -> None:
    frame = draw(0)
    pu: Any = frame.pu
    weighed = frame.assign(e=np.where(frame["label"] == 1, 0.5 + frame.index / 99, np.nan))
    beta = pu_accessor.beta_from_labels(3, 20, n_unlabeled=25, level=0.99)
    asks: list[tuple[str, Callable[[], Any]]] = [
        ("selection_odds must be left out", lambda: pu.auroc(0.2, selection_odds=2, **C)),
        ("prevalence must be left out", lambda: pu.average_precision(0.2, prevalence=0.1, **C)),
        ("max_fpr must be None with contam", lambda: pu.auroc(0.2, max_fpr=0.1, **C)),
        ("at must be one of", lambda: pu.metric("f1", 0.2, at="maximum", **C)),
        (
            "contamination must be left out with average",
            lambda: by().auroc(0.2, average=True, **C),
        ),
        ("contamination must be 0 with prop", lambda: weighed.pu(propensity="e").auroc(0.2, **C)),
        ("beta must be a number with contamination", lambda: pu.auroc(beta, **C)),
        (
            "reference must be left out with contamination",
            lambda: pu.metric("f1", 0.2, at=9, reference="negatives", **C),
        ),
    ]
    for told, ask in asks:
        with pytest.raises(PUValueError, match=told):
            ask()
    with pytest.raises(PUTypeError, match="contamination must be a number in"):
        pu.auroc(0.2, **{"contamination": "5%"})
    with pytest.raises(PUTypeError, match="contamination must be numbers in"):
        pu.robustness("auroc", 0.2, **{"contamination": "5%"})
    models: Any = frame.assign(other=frame["score"] ** 2).pu(score=["score", "other"])
    for told, ask in (
        (
            "contamination must be left out to compare",
            lambda: models.compare(0.2, quantity="f1", at=5, **C),
        ),
        ("adjust must be 'holm'", lambda: models.compare(adjust="max_t", **C)),
        (
            "contamination must be left out for compare with cluster",
            lambda: (
                frame.assign(other=0, c=frame.index)
                .pu(score=["score", "other"], cluster="c")
                .compare(**C)
            ),
        ),
        (
            "contamination must be 0 with prop",
            lambda: (
                weighed.assign(other=0).pu(score=["score", "other"], propensity="e").compare(**C)
            ),
        ),
        (
            "contamination must be 0 with prop",
            lambda: weighed.pu(propensity="e").contingency(0.2, **C),
        ),
        (
            "contamination must be left out with target='pop",
            lambda: pu.roc_bounds(0.2, target="population", **C),
        ),
        (
            "has an interval: tables are bounded at one beta",
            lambda: pu.roc_bounds(0.2, beta_interval=(0.1, 0.3), **C),
        ),
        (
            "contamination must be 0 for derivatives",
            lambda: pu.contingency(0.2, **C).pu.beta_derivatives(),
        ),
    ):
        with pytest.raises(PUValueError, match=told):
            ask()
