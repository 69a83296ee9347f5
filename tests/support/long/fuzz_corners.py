"""Small, one-sided and extreme rows, asked with extreme arguments: ``make fuzz``.

There is an answer whose interval holds its estimate, or an error of ours; nothing else is raised,
and no warning but ours is given.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from tests.support.long.fuzz_abuse import ask_of
from tests.worlds import FRAMES, Question, assumptions, attempt, fuzzed, keywords, public, roles

INF = np.inf
SIZES = [0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 30, 40, 61, 61]
SCORES: list[list[float]] = [
    *([1.0], [0.0, 1.0], [0.0, -0.0, 1.0], [0.0, 0.25, 0.5, 0.75], [0.0, 0.5, 1.0, 1e-12]),
    *([-INF, INF], [-INF, INF, 0.0, 1.0], [np.nan], [np.nan, 0.5, 0.25]),
    *([1e305, -1e305, 1e290], [5e-324, 1e-310, 0.0]),
]
LABELS: list[list[float]] = [
    *([1, np.nan], [1, np.nan, np.nan], [1, 0, np.nan], [1, 1, 1, np.nan]),
    *([np.nan], [1.0], [0.0], [1.0, 0.0]),
]
TIMES: list[list[float]] = [[0], [1], [0, 1, 2], [1, 1.5, 1e12], [1, 2, 3, 1e11], [1.25, 2, 7.5]]
PROPENSITIES: list[list[float]] = [[1], [0.3], [1e-12, 0.5, 1], [0.2, 0.9]]
SHARES = [0, 1, 1e-300, 5e-324, 1e-12, 1e-3, 0.3, 0.5, 0.999, 1 - 1e-12, 1 - 1e-16]
# What an argument may also be, where that is at an end of what it can be, or beyond.
EXTREME: dict[str, list[Any]] = {
    "beta": [
        *(*SHARES, [0, 0.3, 1], np.float32(0.3)),
        *(pd.Interval(0, 1), pd.Interval(0.3, 0.3), pd.Interval(1 - 1e-9, 1)),
        *(pd.Interval(0, 0), pd.Interval(1, 1), pd.Interval(0, 1e-12), pd.Interval(1e-300, 1)),
    ],
    "level": [1e-12, 1e-3, 0.5, 0.999999, 1 - 1e-12, 1 - 1e-15],
    "selection_odds": [1, 1 + 1e-12, 100, 1e12, 1e300, INF],
    "contamination": [1e-300, 1e-12, 0.3, 0.999, 1 - 1e-12],
    "prevalence": [1e-30, 1e-12, 0.999, 1 - 1e-12, 1 - 1e-16],
    "max_fpr": [1e-300, 1e-12, 1e-9, 1 - 1e-12],
    "at": [
        *(0, 1, 61, {"threshold": INF}, {"threshold": -INF}, {"threshold": 1e308}),
        *({"threshold": 1e-300}, {"threshold": [0.999, 1 - 1e-12]}),
        *(
            {kind: share}
            for kind in ("fraction", "fpr", "recall", "precision")
            for share in SHARES
        ),
    ],
    "bins": [1, [0, 1], [0, 1e-12, 1]],
    "cost": [(1e300, 1), (1e-300, 1), (1, 0)],
    "models": [1, 10**9],
    "ranks": [0, 1, [0], [2, 5]],
    **dict.fromkeys(("precision", "recall", "fpr", "expected_beta"), SHARES),
    **{name: [0, 1, INF, -INF, 1e308] for name in ("above", "below")},
}


def corner(rng: np.random.Generator) -> pd.DataFrame:
    """Draw rows of which some kind is rare, or there is none."""
    size = int(rng.choice(SIZES))

    def some(kinds: list[list[float]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        return rng.choice(kinds[rng.integers(len(kinds))], size)

    untied = rng.random() < 0.3
    score, other = (rng.random(size) if untied else some(SCORES) for _ in "ab")
    label, kind = some(LABELS), rng.integers(4)
    if kind < 2:  # all known positives lie above the rest, or below
        level = np.sort(score)[size // 2] if size else 0.0
        label = np.where(score >= level if kind else score <= level, 1.0, np.nan)
    said = pd.Series(label, dtype=float).map({1.0: "yes", 0.0: "no"}).fillna("?")
    return pd.DataFrame(
        {
            **{"score": score, "other": other, "label": label, "said": said.to_numpy()},
            **{"key": rng.choice(list("ab"), size), "fold": rng.integers(0, 3, size)},
            **{"propensity": some(PROPENSITIES), "times": some(TIMES), "id": np.arange(size)},
            "patient": rng.integers(0, 1 + size // int(rng.integers(1, 4)), size),
        }
    )


def check_order(found: Any, question: Question) -> None:
    """Raise unless an interval holds its estimate. An average is unbiased, and may lie outside."""
    averaged = question.roles.get("average", False) is not False
    if isinstance(found, pd.DataFrame) and "estimate" in found and not averaged:
        ends = [name for name in ("lower", "estimate", "upper") if name in found]
        steps = found[ends].astype(float).diff(axis=1)
        assert (steps.isna() | (steps >= -1e-9)).all(axis=None), found[ends]


@pytest.mark.parametrize("method", [name for name in public(FRAMES) if name != "report"])
def test_corners(method: str) -> None:
    @fuzzed(60 if method.startswith("plot_") else 2)
    @given(
        asked=keywords(FRAMES, method),
        roles=roles(),
        assumed=assumptions(),
        seed=st.integers(0, 2**32 - 1),
    )
    def holds(
        asked: dict[str, Any], roles: dict[str, Any], assumed: dict[str, Any], seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        for some in (asked, assumed):
            for name in sorted({*some} & {*EXTREME}):
                if rng.random() < 0.7:
                    some[name] = EXTREME[name][rng.integers(len(EXTREME[name]))]
        rows = corner(rng)
        found, _ = attempt(lambda: ask_of(rows.pu, method, {**asked, **roles, **assumed}))
        check_order(found, Question(method, asked, roles, assumed))
        if isinstance(found, xr.Dataset) and {"tp", "beta"} <= {*found.variables}:
            for ask in (found.pu.to_frame, found.pu.roc_bounds, found.pu.beta_derivatives):
                attempt(ask)

    holds()
