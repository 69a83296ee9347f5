"""Limits at a higher level hold those at a lower one, whatever is bounded."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from pu_accessor.ranking import FloatArray
from tests.cases import binormal, put

ROUNDING = 2e-9
pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
Limits = tuple[FloatArray, FloatArray, FloatArray]


def bounds_of(data: Any, name: str, order: tuple[str, str] = ("lower", "upper")) -> Limits:
    """Return the lower and the upper number of a variable, and the estimate between."""
    bounds = order[0], "estimate", order[1]
    lower, estimate, upper = (data[name].sel(bound=one).to_numpy() for one in bounds)
    return lower, estimate, upper


def check_nested(ask: Callable[[float], Iterator[Limits]]) -> None:
    """Hold limits at each level against those at the next one."""
    answers = [list(ask(level)) for level in [0.2, 0.6, 0.95, 0.99]]
    for answer in answers:
        for lower, estimate, upper in answer:
            assert (lower <= estimate + ROUNDING).all() and (estimate <= upper + ROUNDING).all()
    for narrow, wide in pairwise(answers):
        for (lower, _, upper), (lowest, _, highest) in zip(narrow, wide, strict=True):
            assert (lowest <= lower + ROUNDING).all() and (upper <= highest + ROUNDING).all()


@pytest.mark.parametrize("monotone", [False, True])
def test_curves_on_new_examples(monotone: bool) -> None:
    for seed, shift in enumerate((-1.0, 0.0, 1.5, 1.5)):  # monotone, or hardly so
        frame, beta, _ = binormal(15 + 8 * seed, 30, 0.5, seed, shift)
        frame = frame.round({"score": 1})
        pu = frame.pu.assume(monotone=monotone)

        def ask(level: float, pu: Any = pu, beta: Any = beta) -> Any:
            how = {"target": "population", "level": level, "ranks": "all"}
            roc = put(pu, "roc_bounds", beta, **how)
            yield bounds_of(roc, "tpr")
            yield bounds_of(roc, "fpr", ("upper", "lower"))
            yield bounds_of(
                put(pu, "pr_bounds", beta, **how).isel(rank=slice(1, None)), "precision"
            )

        check_nested(ask)
