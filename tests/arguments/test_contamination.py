"""`contamination=`: known positives of which a share is negative, held against every such set."""

from collections.abc import Callable
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUTypeError, PUValueError


def draw(seed: int, known: int = 6, size: int = 30) -> pd.DataFrame:
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
@pytest.mark.parametrize("share", [0.17, 0.34])  # 1 and 2 of 6
def test_metrics_are_the_worst_of_all_sets_of_wrong_ones(seed: int, share: float) -> None:
    frame, ranks = draw(seed), [2, 5, 12, 29]
    names = ["precision", "recall", "fpr", "npv", "mcc", "lift", "f1"]
    asked: dict[str, Any] = {"at": {"rank": ranks}, "target": "examples"}
    found = frame.pu.metric(names, 0.2, contamination=share, **asked)
    plain = frame.pu.metric(names, 0.2, **asked)
    sets = with_every_set_wrong(frame, int(share * 6))
    each = [one.pu(negative=0).metric(names, 0.2, **asked) for one in sets]
    assert found["lower"].tolist() == pytest.approx(
        np.nanmin([one["lower"] for one in each], axis=0).tolist(), nan_ok=True
    )
    assert found["upper"].tolist() == pytest.approx(
        np.nanmax([one["upper"] for one in each], axis=0).tolist(), nan_ok=True
    )
    pd.testing.assert_series_equal(found["estimate"], plain["estimate"])


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("quantity", ["auroc", "average_precision"])
def test_areas_are_the_worst_of_all_sets_of_wrong_ones(quantity: str, target: str) -> None:
    for seed in (0, 3):
        frame = draw(seed, 6, 30)
        sets = with_every_set_wrong(frame, 2)
        ask = [getattr(one.pu(negative=0), quantity) for one in sets]
        each: pd.DataFrame = pd.concat([one(0.2, target=target) for one in ask])
        found = getattr(frame.pu, quantity)(0.2, contamination=0.34, target=target).iloc[0]
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
    plain, found = pu.auroc(0.2), pu.auroc(0.2, contamination=0.16)  # 0.96 of 6
    assert found[["lower", "upper"]].equals(plain[["lower", "upper"]])
    assert found.attrs["contamination"] == 0.16 and "contamination" not in plain.attrs
    assert found["range_lower"].item() == found["estimate"].item()
    one = pu.auroc(0.2, contamination=0.17)
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
    weighed = frame.assign(e=np.where(frame["label"] == 1, 0.5, np.nan))
    beta = pu_accessor.beta_from_labels(3, 20, n_unlabeled=24, level=0.99)
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
    models = frame.assign(other=frame["score"] ** 2).pu(score=["score", "other"])
    with pytest.raises(PUValueError, match="contamination must be left out with 'difference'"):
        models.robustness("difference", 0.2, contamination=[0, 0.1])
