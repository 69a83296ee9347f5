"""Chances that intervals of AUROC are narrow, from moments of placements."""

from typing import Any

import numpy as np
import pytest

from pu_accessor import PUDataError
from pu_accessor.inference import planning as plans
from pu_accessor.inference.estimates.areas_on_future_data import auroc_interval
from pu_accessor.inference.influence import Placements
from pu_accessor.labeling import positives_needed
from pu_accessor.labeling.planning import smallest
from tests.cases import placements
from tests.methods.test_labeling import few


@pytest.mark.parametrize(("level", "probability"), [(0.95, 0.8), (0.99, 0.3)])
def test_sizes_by_a_pilot_are_those_of_its_placements(level: float, probability: float) -> None:
    frame, moments = few(), []
    for values in placements(frame, "a"):
        away = values - values.mean()
        central = [(away**power).mean() for power in (2, 3, 4)]
        moments.append(plans.Moments(values.mean(), *central))
    asked: Any = {"pilot": frame.pu(score="a"), "beta": 0.2, "level": level}
    plan = positives_needed(0.25, **asked, probability=probability)
    n, pilot = plan["n"].item(), plans.PlacementMoments(*moments)

    def chance(n: int) -> float:
        return plans.probability_of_width(0.25, pilot, 4.8 / 28, (n, round(n * 28 / 12)), level)

    assert chance(n) >= probability > chance(n - 1)
    assert plan["n_unlabeled"].item() == round(n * 28 / 12)


SKEWED = plans.Moments(0.78, 0.05, -0.006, 0.007), plans.Moments(0.78, 0.03, 0.004, 0.003)
NOTHING = plans.Moments(0.78, 0.0, 0.0, 0.0)


def width(at: Any, share: float, sizes: Any) -> float:
    """Return the width of the interval of an area and variances of placements."""
    column = np.array(sizes, float)[:, np.newaxis], at[1:, np.newaxis]
    found = auroc_interval(np.array([share]), Placements(*column, at[:1]), 0.9)
    return float(found.upper[0] - found.lower[0])


@pytest.mark.parametrize(("share", "sizes"), [(0.0, (40, 300)), (0.2, (150, 60))])
@pytest.mark.parametrize("moments", [SKEWED, SKEWED[::-1], (SKEWED[0], NOTHING)])
def test_chances_of_widths_are_of_a_linear_part(moments: Any, share: float, sizes: Any) -> None:
    at, of = np.array([0.78, moments[0].variance, moments[1].variance]), (share, sizes)
    _, square, cube, fourth = np.array(moments).T / sizes
    covariance = np.diag([square.sum(), *(fourth - square**2 * sizes)])
    covariance[0, 1:] = covariance[1:, 0] = cube
    slope = np.zeros(3)
    for place, error in enumerate(np.sqrt(np.diag(covariance))):
        if error:
            step = 1e-3 * error * (np.arange(3) == place)
            slope[place] = (width(at + step, *of) - width(at - step, *of)) / (2e-3 * error)
    spread = float(slope @ covariance @ slope) ** 0.5
    for away, chance in ((-1.3, 0.0968), (0.0, 0.5), (0.8, 0.7881)):
        asked = width(at, *of) + away * spread, plans.PlacementMoments(*moments), *of, 0.9
        assert plans.probability_of_width(*asked) == pytest.approx(chance, abs=1e-4)


def test_where_nothing_varies_a_width_is_certain() -> None:
    least = width(np.array([0.78, 0, 0]), 0, (40, 300))
    pilot = plans.PlacementMoments(NOTHING, NOTHING)
    for asked, chance in ((least, 1), (least * (1 - 1e-12), 0)):
        assert plans.probability_of_width(asked, pilot, 0, (40, 300), 0.9) == chance


def test_the_smallest_number_that_is_enough() -> None:
    for wanted in [*range(2, 40), 999, 1023, 1024, 1025, 10**8 + 1, 10**9]:
        assert smallest(lambda n, wanted=wanted: n >= wanted) == wanted  # type: ignore[misc]
    with pytest.raises(PUDataError, match=r"^width is too small for this number of unlabeled"):
        smallest(lambda n: n > 10**10)
