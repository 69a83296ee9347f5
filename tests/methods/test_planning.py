"""Planning: widths that are reached, differences that are seen."""

from typing import Any

import numpy as np
import numpy.testing as npt
import pandas as pd
import pytest
from scipy import stats

from pu_accessor import PUDataError, PUValueError
from pu_accessor.inference import planning as plans
from pu_accessor.inference.estimates.areas_on_future_data import auroc_interval
from pu_accessor.inference.influence import Placements
from pu_accessor.labeling import labels_needed, positives_needed, power
from pu_accessor.labeling.planning import smallest
from tests.cases import placements

ENDS = (0.825, 0.775)


def test_fully_labeled_plans_are_those_of_the_closed_form() -> None:
    plan = positives_needed(0.04, pilot={"auroc": 0.8}, beta=0, n_unlabeled=3000)
    n, scatter = plan["n"].item(), plans.moments_of_normals(0.8, 0.0)
    error = (scatter.known.variance / n + scatter.rest.variance / 3000) ** 0.5
    npt.assert_allclose(2 * 1.96 * error, 0.04, rtol=0.03)
    variances = plans.paired_variances_of_normals(ENDS, 0.5, 0.0)
    error = sum(variance / 300 for variance in variances) ** 0.5
    found = power(0.05, 300, 300, pilot={"auroc": 0.8, "correlation": 0.5}, beta=0)
    npt.assert_allclose(found, stats.norm.sf(1.96 - 0.05 / error), atol=0.01)
    # without correlation variances add: each model's own
    apart = plans.paired_variances_of_normals(ENDS, 0.0, 0.0)[0]
    own = sum(plans.moments_of_normals(one, 0.0).known.variance for one in ENDS)
    npt.assert_allclose(apart, own, rtol=1e-3)


def few() -> pd.DataFrame:
    """Draw tied scores of two models, 12 known positives and 4 known negatives among 40."""
    rng = np.random.default_rng(6)
    label = np.array([1.0] * 12 + [0.0] * 4 + [np.nan] * 24)
    truth = np.nan_to_num(label, nan=0.3)
    scores = {name: np.round(rng.normal(truth, 0.7), 1) for name in ("a", "b")}
    return pd.DataFrame({**scores, "label": label})


@pytest.mark.parametrize("difference", [0.0, 0.1, -0.1])
def test_power_by_a_pilot_is_that_of_its_placements(difference: float) -> None:
    frame, sizes = few(), np.array([30, 500])
    (known, rest), (other_known, other_rest) = (placements(frame, name) for name in ("a", "b"))
    each = np.var(known - other_known, ddof=1), np.var(rest - other_rest, ddof=1)
    squares = np.array(each) / sizes
    df = squares.sum() ** 2 / (squares**2 / (sizes - 1)).sum()
    apart = difference * (1 - 0.2 * 24 / 28) / squares.sum() ** 0.5
    reach = stats.t.isf(0.05, df)
    expected = stats.nct.sf(reach, df, apart) + stats.nct.cdf(-reach, df, apart)
    pu = frame.pu(score=["a", "b"])
    npt.assert_allclose(power(difference, 30, 500, pilot=pu, beta=0.2, level=0.9), expected)


@pytest.mark.parametrize(("level", "probability"), [(0.95, 0.8), (0.99, 0.3)])
def test_sizes_by_a_pilot_are_those_of_its_placements(level: float, probability: float) -> None:
    frame, moments = few(), []
    for values in placements(frame, "a"):
        away = values - values.mean()
        central = [(away**power).mean() for power in (2, 3, 4)]
        moments.append(plans.Moments(values.mean(), *central))
    asked: Any = {"pilot": frame.pu(score="a"), "beta": 0.2, "level": level}
    plan = positives_needed(0.25, **asked, probability=probability)
    n = plan["n"].item()

    def chance(n: int) -> float:
        sizes = n, round(n * 28 / 12)
        return plans.probability_of_width(
            0.25, plans.PlacementMoments(*moments), 0.2 * 24 / 28, sizes, level
        )

    assert chance(n) >= probability > chance(n - 1)
    assert plan["n_unlabeled"].item() == round(n * 28 / 12)
    asked["pilot"] = frame.rename(columns={"a": "score"})  # by its default columns
    pd.testing.assert_frame_equal(positives_needed(0.25, **asked, probability=probability), plan)


@pytest.mark.parametrize("kind", [1.0, 0.0])
def test_a_pilot_has_two_of_each(kind: float) -> None:
    frame = few().assign(label=1 - kind)
    frame.loc[0, "label"] = kind
    ends = (1, 39) if kind else (39, 1)
    with pytest.raises(PUDataError, match=f"but has {ends[0]} and {ends[1]}"):
        positives_needed(0.1, pilot=frame.pu(score="a", negative=0), beta=0)
    frame.loc[1, "label"] = kind
    assert positives_needed(0.9, pilot=frame.pu(score="a", negative=0), beta=0)["n"].item() >= 2


def width_at(mean: float, variances: Any, share: float, sizes: Any, level: float) -> float:
    """Return the width of the interval of these placements."""
    column = np.array(sizes, float)[:, np.newaxis], np.array(variances)[:, np.newaxis]
    found = auroc_interval(np.array([share]), Placements(*column, np.array([mean])), level)
    return float(found.upper[0] - found.lower[0])


SKEWED = plans.Moments(0.78, 0.05, -0.006, 0.007), plans.Moments(0.78, 0.03, 0.004, 0.003)
NOTHING = plans.Moments(0.78, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(("share", "sizes"), [(0.0, (40, 300)), (0.2, (150, 60))])
@pytest.mark.parametrize("moments", [SKEWED, SKEWED[::-1], (SKEWED[0], NOTHING)])
def test_chances_of_widths_are_of_a_linear_part(moments: Any, share: float, sizes: Any) -> None:
    at = np.array([0.78, moments[0].variance, moments[1].variance])
    _, square, cube, fourth = np.array(moments).T / sizes
    covariance = np.diag([square.sum(), *(fourth - square**2 * sizes)])
    covariance[0, 1:] = covariance[1:, 0] = cube
    slope = np.zeros(3)
    for place, error in enumerate(np.sqrt(np.diag(covariance))):
        if error:
            step = 1e-3 * error * (np.arange(3) == place)
            up, down = (width_at(x[0], x[1:], share, sizes, 0.9) for x in (at + step, at - step))
            slope[place] = (up - down) / (2e-3 * error)
    middle = width_at(at[0], at[1:], share, sizes, 0.9)
    spread = float(slope @ covariance @ slope) ** 0.5
    for away in (-1.3, 0.0, 0.8):
        asked = middle + away * spread, plans.PlacementMoments(*moments), share, sizes, 0.9
        found = plans.probability_of_width(*asked)
        npt.assert_allclose(found, stats.norm.cdf(away), atol=1e-4)


def test_the_smallest_number_that_is_enough() -> None:
    for wanted in [*range(2, 40), 999, 1023, 1024, 1025, 10**8 + 1, 10**9]:
        assert smallest(lambda n, wanted=wanted: n >= wanted) == wanted  # type: ignore[misc]
    with pytest.raises(PUDataError, match=r"^width is too small for this number of unlabeled"):
        smallest(lambda n: n > 10**10)


@pytest.mark.parametrize("width", [0.3, 0.1])
def test_a_pilot_that_tells_all_plans_what_the_interval_is(width: float) -> None:
    def separated(n: int, unlabeled: int) -> Any:
        label = np.where(np.arange(n + unlabeled) < n, 1, np.nan)
        return pd.DataFrame({"score": -np.arange(n + unlabeled), "label": label}).pu

    plan = positives_needed(width, pilot=separated(5, 20), beta=0, n_unlabeled=200)
    n, found = plan["n"].item(), []
    for size in (n - 1, n):
        row = separated(size, 200).auroc(0).iloc[0]
        found.append(row["upper"] - row["lower"])
    assert found[1] <= width < found[0]


def test_power_is_a_number_however_far_models_are_apart() -> None:
    def chance(apart: float, correlation: float) -> float:
        pilot = {"auroc": 0.8, "correlation": correlation}
        return power(apart, 100, 500, pilot=pilot, beta=0.1)

    alike = few().assign(b=lambda df: df["a"]).pu(score=["a", "b"])  # models that rank alike
    assert [power(x, 30, 500, pilot=alike, beta=0.2) for x in (-0.1, 0.0, 0.1)] == [1, 0, 1]
    chances = [chance(apart, 0.99) for apart in np.linspace(0, 0.19, 80)]
    assert (np.diff(chances) >= 0).all() and chances[-1] == 1
    for correlation in (-1, 1):
        assert 0 < chance(0.01, correlation) <= 1
        with pytest.raises(PUValueError, match=r"\['correlation'\] must lie in \[-1, 1\], but"):
            chance(0.01, 1.01 * correlation)


def test_labels_needed_at_the_ends() -> None:
    assert labels_needed(1e-6, 50) == 50
    # At half positive no other count is wider.
    assert len({labels_needed(0.2, 1000, probability=p) for p in (0.9, 0.999)}) == 1
    assert len({labels_needed(0.1, 10**12, beta=b) for b in (1e-11, 1 - 1e-11, 1)}) == 1
    # One of 4 is positive. Of 2 labels none is with a probability of a half, and then the interval
    # is 0 to 1 positives, where it is 1 to 3 otherwise; of 1 label it is 0 to 2, or 2 to 4.
    assert labels_needed(0.3, 4, beta=0.25, level=0.5) == 2
    # By the definition at every number of labels that is tried, one after the other.
    assert labels_needed(0.0055, 5918, beta=0.01, probability=0.8) == 2987
    assert labels_needed(0.0125, 5426, beta=0.01) == 981


def chances(total: int, width: float, beta: float, level: float) -> list[float]:
    """Return the probability of narrow intervals for each number of labels, from all counts."""
    m, found = np.arange(total + 1)[:, np.newaxis], []
    for size in range(1, total + 1):
        x = np.arange(size + 1)
        drawn = stats.hypergeom(total, m, size)
        kept = np.minimum(drawn.sf(x - 1), drawn.cdf(x)) > (1 - level) / 2 * (1 + 1e-12)
        kept &= (m >= x) & (total - m >= size - x)
        narrow = (kept.sum(axis=0) - 1) / total <= width * (1 + 1e-12)
        found.append(float(stats.hypergeom.pmf(x, total, round(beta * total), size) @ narrow))
    return found


PLANS: list[tuple[float, ...]] = [  # 64: by halving 53, which is enough in .469 of all cases
    *((24, 0.3, 0.5, 0.95, 0.5), (24, 0.3, 0.1, 0.9, 0.8), (24, 0.4, 0.0, 0.8, 0.3)),
    *((24, 0.2, 1.0, 0.8, 0.9), (24, 0.7, 0.8, 0.9, 0.2), (64, 0.1, 0.3, 0.95, 0.95)),
    *((80, 0.06, 0.05, 0.8, 0.6), (90, 0.12, 0.1, 0.9, 0.2), (100, 0.2, 0.01, 0.95, 0.8)),
    *((24, 0.5, 0.3, 0.99, 0.95), (24, 0.999, 0.5, 0.5, 0.5)),
]
# Betas, levels and probabilities.
RNG, SOME = np.random.default_rng(7), [[0, 0.02, 0.1, 0.3, 0.9], [0.8, 0.95], [0.3, 0.8, 0.95]]
for _ in range(15):
    total, width = int(RNG.integers(2, 50)), float(RNG.uniform(0.05, 0.6))
    PLANS.append((total, width, *(float(RNG.choice(values)) for values in SOME)))


@pytest.mark.parametrize(("total", "width", "beta", "level", "probability"), PLANS)
def test_labels_needed_are_enough_and_so_are_more(
    total: int, width: float, beta: float, level: float, probability: float
) -> None:
    size = labels_needed(width, total, beta=beta, level=level, probability=probability)
    short = np.array(chances(total, width, beta, level)) < probability * (1 - 1e-12)
    assert size == np.flatnonzero(np.append(True, short))[-1] + 1
