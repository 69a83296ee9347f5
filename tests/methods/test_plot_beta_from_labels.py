"""The interval of beta as labels come in, drawn."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Polygon
from matplotlib.text import Annotation

import pu_accessor
from pu_accessor import PUDataError, PUTypeError, PUValueError
from pu_accessor.plots.artists import Kind, kind_of
from tests.cases import legend

LABELS = pd.Series(np.random.default_rng(1).permutation(np.arange(300) < 45))


def test_what_is_drawn_is_what_the_labels_say() -> None:
    steps = pu_accessor.beta_from_labels(LABELS, n_unlabeled=2000, sequential=True)
    ax = pu_accessor.plot_beta_from_labels(LABELS, 2000, width=0.2)
    assert isinstance(ax, Axes)
    (line,) = [line for line in ax.lines if kind_of(line) is Kind.CURVE]
    assert np.array_equal(line.get_xdata(), steps["n_labeled"])
    assert np.array_equal(line.get_ydata(), steps["beta"])
    (band,) = [patch for patch in ax.patches if kind_of(patch) is Kind.BAND]
    assert isinstance(band, Polygon)
    corners = {tuple(corner) for corner in band.get_xy().round(9).tolist()}
    for end in ("lower", "upper"):
        assert {*zip(steps["n_labeled"], steps[end].round(9), strict=True)} <= corners
    narrow = steps[steps["upper"] - steps["lower"] <= 0.2].iloc[0]
    (mark,) = [text for text in ax.texts if text.get_text() == str(int(narrow["n_labeled"]))]
    assert isinstance(mark, Annotation)
    assert mark.xy == (narrow["n_labeled"], narrow["beta"])
    assert (mark.xyann, mark.anncoords) == ((0, 7), "offset points")
    assert mark.get_horizontalalignment() == "center"
    assert mark.get_fontsize() < 10 and mark.get_color() == line.get_color()
    (cross,) = [line for line in ax.lines if kind_of(line) is Kind.BREAK]
    np.testing.assert_array_equal(cross.get_xydata(), [mark.xy])
    assert cross.get_color() == line.get_color()
    assert {"95% interval at all times", "narrow enough"} <= {*legend(ax)}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("labeled by hand", "β")


def test_no_mark_where_no_interval_is_narrow_enough_and_no_baseline_without_positives() -> None:
    assert not pu_accessor.plot_beta_from_labels(LABELS, 2000, width=0.01).texts
    ax = pu_accessor.plot_beta_from_labels(LABELS & False, 2000)
    assert [kind_of(patch) for patch in ax.patches] == [Kind.BAND]


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"width": 2}, PUValueError, "width must lie in"),
        ({"found": 3}, PUTypeError, "found must be a Series"),
        ({"found": LABELS.replace({True: None})}, PUDataError, "found must say True or False"),
        ({"level": 2}, PUValueError, "level must"),
        ({"line_kws": 3}, PUTypeError, "line_kws"),
    ],
)
def test_pictures_that_cannot_be_drawn(how: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pu_accessor.plot_beta_from_labels(**{"found": LABELS, "n_unlabeled": 2000, **how})
