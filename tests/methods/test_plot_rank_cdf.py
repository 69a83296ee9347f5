"""Rank CDFs, read back from their artists."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.arguments.test_reference import ask
from tests.cases import Case, as_frame, legend
from tests.plots.test_curves import BETAS, FRAME, bands, lines, path
from tests.plots.test_many import FRAME as GROUPS
from tests.plots.test_many import WIDE, draw


def test_rank_cdf_draws_what_the_method_returns() -> None:
    cdf = FRAME.pu.rank_cdf(0.2)["rank_cdf"].sel(beta=0.2)
    x, y = path(lines(FRAME.pu.plot_rank_cdf(0.2))["known positives"])
    np.testing.assert_array_equal(x, np.repeat(cdf["rank"].to_numpy(), 2)[1:])
    np.testing.assert_array_equal(y, np.repeat(cdf.sel(bound="estimate").to_numpy(), 2)[:-1])


def test_rank_cdf_band_is_that_of_the_latent_positives() -> None:
    # n = 1, m = 3, level .4: lower 0, 1 and upper 2, 3 of 3 (by hand in the tests of bands).
    frame = pd.DataFrame({"score": [4, 3, 2, 1], "label": [None, 1, None, None]})
    ax = frame.pu.plot_rank_cdf(1, level=0.4)
    (band,) = bands(ax)
    heights = set(np.round(band.get_xy()[:, 1] * 3, 9).tolist())
    assert heights == {0, 1, 2, 3}


def test_rank_cdf_of_several_betas_has_one_curve() -> None:
    ax = FRAME.pu.plot_rank_cdf(BETAS)
    told = [f"95% exact band, these examples, β̂ = {beta}" for beta in BETAS]
    assert legend(ax) == ["known positives", *told, "chance"]
    assert len(ax.lines) == 2
    assert len({band.get_facecolor() for band in bands(ax)}) == len(BETAS)


RAMP = Case([8, 7, 6, 5, 4, 3, 2, 1], [None, False, None, None, None, None, False, None], 0.5)


SCORE: list[float] = [16, 3, 14, 1, 2, 9, 8, 10, 15, 7, 6, 4, 13, 11, 12, 0, 5]
NEAR = Case(SCORE, [{"0": False, "1": True}.get(kind) for kind in "0?0?????0??01?01?"], 0.5)


@pytest.mark.parametrize(
    ("case", "reference", "ranks"), [(RAMP, "negatives", range(9)), (NEAR, "tightest", [4])]
)
def test_rank_cdf_is_the_same_at_breakpoints(case: Case, reference: str, ranks: Any) -> None:
    assert case is RAMP or ask(NEAR, reference=reference)["tightest"].item() == "negatives"
    every, few = (
        as_frame(case)
        .pu.assume(reference=reference)
        .plot_rank_cdf(0.5, ranks=kind)
        .get_lines()[-1]
        for kind in ("all", "breakpoints")
    )
    # Straight from place to place; 4 is a labeled score, where both have a cutoff.
    heights, others = (np.interp(ranks, *path(line)) for line in (every, few))
    assert heights == pytest.approx(others)
    if case is RAMP:
        # Of three latent negatives (1/2 - 1/4)/(3/2) = 1/6 are below the last known one, and none
        # is above the first. So of three latent positives 1 is above that, and 1/2 below the last.
        ramp = [0, 1, 1, 1 + 3 / 8, 1 + 6 / 8, 1 + 9 / 8, 2.5, 2.5, 3]
        assert heights == pytest.approx([latent / 3 for latent in ramp])
        assert "known positives" not in legend(every.axes)  # there are none


@pytest.mark.parametrize("col", [None, "model"])
def test_rank_cdfs_show_the_whole_of_the_largest(col: str | None) -> None:
    ax = draw("plot_rank_cdf", WIDE, 0.2, score="m0")
    ax = WIDE[:30].pu(score="m1").plot_rank_cdf(0.2, ax=ax)
    grid = GROUPS.pu(by="model").plot_rank_cdf(0.2, col=col)
    many = GROUPS.assign(n_trees=1000).pu(by="n_trees").plot_rank_cdf(0.2)  # called like a count
    shown = ax if col is None else grid.axes.flat[0]
    for one, size in ((shown, 39 if col else 60), (many, len(GROUPS))):
        assert one.get_xlim() == pytest.approx((-0.02 * size, 1.02 * size))
    if col is None:  # each ends at its own size
        ends = [path(lines(grid)[key])[0][-1] for key in "abcd"]
        assert ends == GROUPS.groupby("model").size().tolist()
