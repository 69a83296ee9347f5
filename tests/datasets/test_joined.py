"""Tables that were joined, taken apart and stored: their numbers travel with them."""

from typing import Any

import numpy as np
import pytest
import xarray as xr

from pu_accessor.errors import PUValueError
from tests.cases import binormal
from tests.datasets.questions import QUESTIONS, assert_same, within_interval

RANKS = range(0, 250, 10)
FRAMES = [binormal(100, 200, 0.4, seed=1)[0], binormal(60, 190, 0.6, seed=2)[0]]
# The second also starts from known negatives, which says other things at the same cutoffs.
FRAMES[1].loc[200:240, "label"] = 0
TABLES = [frame.pu.contingency([0.1, 0.2], ranks=RANKS) for frame in FRAMES]
BOTH = [
    frame.pu.assume(reference=kind).contingency([0.1, 0.2], ranks=RANKS)
    for frame, kind in ((FRAMES[1], "negatives"), (FRAMES[1], "tightest"))
]
PU = FRAMES[0].assign(svm=FRAMES[0]["score"], forest=-FRAMES[0]["score"]).pu
MODELS = PU(score=["svm", "forest"])
WIDE = [MODELS.contingency([0.1, 0.2], ranks="all"), within_interval(MODELS)]
PER_CUTOFF = ["roc", "pr", "f1", "mcc", "own metric", "beta_derivatives", "at rank", "at fraction"]


@pytest.mark.parametrize("question", [*QUESTIONS])
def test_attributes_are_for_readers_alone(question: str) -> None:
    for tables in WIDE[question.startswith("plot") :]:
        assert_same(QUESTIONS[question](tables.drop_attrs()), QUESTIONS[question](tables))


def test_references_may_differ() -> None:
    positives = TABLES[1].assign_coords(known_negative=BOTH[0]["known_negative"].variable)
    joined = xr.concat([positives, BOTH[0]], "model", combine_attrs="override")
    found = joined.pu.beta_derivatives()
    for place, alone in enumerate((TABLES[1], BOTH[0])):
        expected = alone.pu.beta_derivatives()
        for rate in ("tpr", "fpr", "precision"):
            np.testing.assert_allclose(found[rate].isel(model=place), expected[rate])
    slopes = [found["fpr"].isel(model=place).values for place in (0, 1)]
    assert np.nanmax(np.abs(slopes[0] - slopes[1])) > 0.01  # the two do say different things


def test_numbers_of_the_first_alone_are_noticed() -> None:
    joined = xr.concat(TABLES, "model", coords="minimal", compat="override")
    for question in PER_CUTOFF:
        with pytest.raises(PUValueError, match=r"not those of the tables: joining may have kept"):
            QUESTIONS[question](joined)
    negatives = BOTH[0]["known_negative"].variable
    moved = BOTH[0].assign_coords(known_negative=negatives.roll(rank=-5))
    with pytest.raises(PUValueError, match=r"not those of the tables"):
        moved.pu.beta_derivatives()
    # Without the known examples at each cutoff their numbers in all still tell.
    bare = joined.assign_coords(known_positive=joined["known_positive"] * np.nan)
    with pytest.raises(PUValueError, match=r"numbers of examples.*not those of the tables"):
        bare.pu.beta_derivatives()


@pytest.mark.parametrize("ranks", [RANKS, "breakpoints"])
@pytest.mark.parametrize("reference", ["positives", "negatives"])
def test_cutoffs_of_the_first_alone_are_noticed(reference: str, ranks: Any) -> None:
    # The same labels, and another order: all totals are equal.
    frame = FRAMES[1].assign(other=np.roll(FRAMES[1]["score"], 25))
    tables = [
        frame.pu(score=name).assume(reference=reference).contingency(0.2, ranks=ranks)
        for name in ("score", "other")
    ]
    size = min(one.sizes["rank"] for one in tables)
    if ranks == "breakpoints":  # as in files of their own cutoffs, joined by place
        whole = [one.isel(rank=slice(size)) for one in tables]
        tables = [
            one.rename(rank="cutoff")
            .drop_vars("cutoff")
            .assign_coords(rank=("cutoff", one["rank"].values))
            for one in whole
        ]
    joined = xr.concat(tables, "model", coords="minimal", compat="override", join="override")
    for ask in (QUESTIONS["f1"], QUESTIONS["at threshold"], QUESTIONS["to_frame"]):
        with pytest.raises(PUValueError, match=r"^Cutoffs, thresholds or numbers of examples"):
            ask(joined)
    right = xr.concat(tables, "model", coords="different", compat="equals")
    assert np.isfinite(QUESTIONS["f1"](right)).any()
