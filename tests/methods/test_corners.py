"""Small, one-sided and extreme samples have an answer, or an error of ours."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor

LABEL = [1.0, np.nan, 1, np.nan, np.nan, 1, np.nan, np.nan]


def ranked(score: list[float], label: list[float] | None = None, **columns: Any) -> pd.DataFrame:
    """Return rows with scores and labels."""
    return pd.DataFrame({"score": score, "label": label or LABEL[: len(score)], **columns})


EVEN, FALLING = ranked([0.5] * 8), ranked([*range(8, 0, -1)], other=[*range(8)])
KEYED = FALLING.assign(key=[0, 1] * 4, patient=[0, 1, 2, 3] * 2, w=[1.5, 2] * 4)
POSITIVE = ranked([3, 2, 2, 1], [1.0] * 4, other=[1, 2, 3, 4], w=2)
TWO = ranked([0, 1, 1, 1, 0, 1, 1, 1], [np.nan, 1, np.nan, 1, 1, 1, 1, 1])
TWO = TWO.assign(p=[0, 3, 4, 4, 3, 0, 0, 0], w=[1.5, 1.5, 1, 1.5, 1e12, 1, 1e12, 1])
MISSING, LONE = ranked([np.nan] * 8), ranked([2, 3, 1, 0, 4, 5], [1] + [np.nan] * 5)

BOTH = ["score", "other"]
TIMES = [534985989575, 18960428964, 490267744451, 729717947594, 332918288020, 241982379321]
HEAVY = ranked([0.0, 0, 1, 1, 1, 0], [1, 1, 1, np.nan, np.nan, 1], p=[3, 1, 3, 1, 0, 0], w=TIMES)
CHANCES = [0.5, 1e-12, 0.5, 0.5, 0.5, 1e-12, 1e-12, 1, 0.5, 1e-12, 0.5, 1, 0.5, 0.5, np.nan]
ONE_SIDED = ranked([1.0] * 14 + [0], [1.0] * 14 + [np.nan], p=CHANCES, key=[0] * 7 + [1] * 8, w=2)

# Each raised, or warned of, something of Python's or NumPy's.
ANSWERED: dict[str, Callable[[], pd.DataFrame]] = {
    "all tied": lambda: EVEN.pu.metric("bedroc", 0.3, target="population"),
    "next to no weight": lambda: ranked(
        [8, 7, 6, 5, 4, 3, 2, 1], [np.nan] * 4 + [1, np.nan, 1, np.nan]
    ).pu.metric(pu_accessor.bedroc(alpha=700), 0.3, target="population"),
    "known": lambda: (
        ranked([0, 1] * 20, [1.0] * 40).pu.assume(contamination=0.05).average_precision(0)
    ),
    "bends": lambda: LONE.pu.cutoff(0.1, precision=0, target="population"),
    "no scores": lambda: MISSING.pu(nan_policy="worst").calibration(0.3, band="simultaneous"),
    "a list that nothing reaches": lambda: FALLING.pu.assume(monotone=True).cutoff(
        0, precision=1, target="population"
    ),
    "models": lambda: POSITIVE.pu(score=BOTH).assume(contamination=0.3).compare(),
    "refuted": lambda: FALLING.pu(score=BOTH).robustness(
        "difference", 0.9, over={"selection_odds": np.inf}
    ),
    "nothing to be wrong": lambda: (
        ranked([3, 2, 1], [0, np.nan, np.nan])
        .pu.assume(reference="negatives")
        .robustness("recall", 0.3, over={"contamination": 0}, at=1)
    ),
    "variance in the last digit": lambda: TWO.pu(cluster="p", weight="w").auroc(1e-300),
    "no negative in clusters": lambda: KEYED.pu(by="key", cluster="patient", average=True).metric(
        "recall", 1, at={"rank": 2}, target="population"
    ),
    "parts of rows": lambda: KEYED.pu(
        by="key", cluster="patient", weight="w", average=True
    ).metric("recall", 0.3, at={"rank": 2}, target="population"),
    "known, with weights": lambda: POSITIVE.pu(weight="w").average_precision(0),
    "billions": lambda: (
        HEAVY.pu(cluster="p", weight="w").contingency(0.3, ranks="all").pu.to_frame()
    ),
    "recall of nothing else": lambda: POSITIVE.pu.cutoff(0, recall=0.3, target="population"),
    "recall of all": lambda: FALLING.pu.cutoff(1, recall=0.3, target="population", level=0.5),
    "known alone": lambda: ONE_SIDED.pu(by="key", weight="w").gap("fnr", at={"threshold": 1}),
    "shares above one": lambda: ONE_SIDED.pu(propensity="p").estimate_beta(),
}
SILENT = [
    "known",
    "known, with weights",
    "no scores",
    "a list that nothing reaches",
]  # no interval


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("name", ANSWERED)
def test_an_interval_holds_its_estimate(name: str) -> None:
    found = ANSWERED[name]()
    assert len(found)
    if "estimate" in found and name not in SILENT:
        assert found.filter(like="lower").le(found["estimate"] + 1e-12, axis=0).all(axis=None)
        assert found.filter(like="upper").ge(found["estimate"] - 1e-12, axis=0).all(axis=None)


def test_windows_may_be_where_sums_are_infinite() -> None:
    huge, small = (
        ranked([1.7 * unit, 1.2 * unit, 1.6 * unit, 1.1 * unit]).pu.metric("boyce")
        for unit in (1e308, 1.0)
    )
    pd.testing.assert_frame_equal(huge, small)


def test_strata_may_be_of_known_positives_alone() -> None:
    df = FALLING.assign(ward=[7, 1, 7, 1, 2, 7, 1, 2])
    drawn = df.pu.sample_to_label(3, strata="ward", random_state=0)
    assert set(drawn["stratum"]) == {1, 2}
