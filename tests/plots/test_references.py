"""Pictures of bounds from known positives, known negatives, the tightest kind and both."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from tests.arguments.test_reference import REFERENCES, ask, sites
from tests.cases import Case, as_frame, legend_of

BANDS = {
    "positives": "95% exact band,\nthese examples",
    "negatives": "95% exact band,\nfrom known negatives,\nthese examples",
    "tightest": "95% exact band,\nfrom the tighter kind,\nthese examples",
    "both": "95% exact band,\nfrom both kinds,\nthese examples",
}


def legend(ax: Axes) -> list[str]:
    box = legend_of(ax)
    assert box is not None
    return [text.get_text() for text in box.get_texts()]


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("name", ["roc", "pr"])
def test_plots_draw_the_estimate_of_the_reference(name: str, reference: str) -> None:
    frame = sites().rename(columns={"m": "score"})
    ax = getattr(frame.pu, f"plot_{name}")(0.2, reference=reference)
    assert legend(ax)[:2] == ["β̂ = 0.2", BANDS[reference]]
    line = next(line for line in ax.get_lines() if line.get_label() == "β̂ = 0.2")
    if name == "roc":
        curve = frame.pu.roc_bounds(0.2, reference=reference).sel(bound="estimate", beta=0.2)
        np.testing.assert_array_equal(line.get_xdata(), curve["fpr"])
        np.testing.assert_array_equal(line.get_ydata(), curve["tpr"])
    else:
        assert len(np.asarray(line.get_xdata())) > 20


@pytest.mark.parametrize("reference", REFERENCES[1:])
def test_other_plots_draw(reference: str) -> None:
    frame = sites().rename(columns={"m": "score"})
    ax = frame.pu.plot_metric("precision", 0.2, reference=reference)
    assert BANDS[reference] in legend(ax)
    ax = frame.pu.plot_against_beta("auroc", [0.1, 0.2, 0.3], reference=reference)
    areas = frame.pu.contingency([0.1, 0.2, 0.3], reference=reference).pu.area("auroc")
    np.testing.assert_allclose(
        np.asarray(ax.get_lines()[0].get_ydata(), float), areas.sel(bound="estimate"), rtol=1e-12
    )


RAMP = Case([8, 7, 6, 5, 4, 3, 2, 1], [None, False, None, None, None, None, False, None], 0.5)


def rank_cdf_at(line: Line2D, rank: int) -> float:
    """Return the height of a drawn rank CDF from a rank on."""
    x, y = (np.asarray(side, float) for side in (line.get_xdata(), line.get_ydata()))
    return float(y[np.flatnonzero(x <= rank)[-1]])


def test_rank_cdf_from_negatives_is_the_same_at_breakpoints() -> None:
    frame = as_frame(RAMP)
    drawn = [
        frame.pu.plot_rank_cdf(0.5, reference="negatives", ranks=ranks)
        for ranks in ("all", "breakpoints")
    ]
    for rank in (4, 5):
        every, few = (rank_cdf_at(ax.get_lines()[-1], rank) for ax in drawn)
        assert every == pytest.approx(few)


def test_rank_cdf_from_negatives_is_not_that_of_known_positives() -> None:
    ax = as_frame(RAMP).pu.plot_rank_cdf(0.5, reference="negatives")  # none is known positive
    assert "known positives" not in legend(ax)


NEAR = Case(
    [16, 3, 14, 1, 2, 9, 8, 10, 15, 7, 6, 4, 13, 11, 12, 0, 5],
    [
        *(False, None, False, None, None, None, None, None, False),
        *(None, None, False, True, None, False, True, None),
    ],
    0.5,
)


def test_rank_cdf_of_the_tightest_kind_does_not_depend_on_ranks() -> None:
    frame = as_frame(NEAR)
    assert ask(NEAR, reference="tightest")["tightest"].item() == "negatives"
    drawn = [
        frame.pu.plot_rank_cdf(0.5, reference="tightest", ranks=ranks)
        for ranks in ("all", "breakpoints")
    ]
    every, few = (rank_cdf_at(ax.get_lines()[-1], 4) for ax in drawn)
    assert every == pytest.approx(few)  # at a labeled score, where both have a cutoff
