"""Regions of a point of the ROC curve: rectangles of two intervals, each at the level's root."""

from itertools import chain
from typing import Any

import numpy as np
import numpy.testing as npt
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUDataError, PUValueError
from tests.cases import binormal
from tests.support.studies.shapes import CHOSEN

AT = {"threshold": 1.0}


FRAME = binormal(200, 400, 0.4, 0, 1.5)[0]
FRAME["site"] = FRAME["tpr"] = np.resize(["a", "b"], 600)


HAND = pu_accessor.beta_from_labels(45, 200, 520)


@pytest.mark.parametrize("roles", [{}, {"cluster": "patient"}, {"monotone": True}])
@pytest.mark.parametrize("beta", [0.2, [0.1, 0.25], HAND])
def test_sides_are_intervals_at_the_root_of_the_level(beta: Any, roles: dict[str, Any]) -> None:
    pu = FRAME.assign(patient=np.arange(600) % 150).pu(**roles)
    got = pu.roc_region(beta, at=AT, level=0.9)
    for rate in ("tpr", "fpr"):
        want = pu.metric(rate, beta, at=AT, level=0.9**0.5)
        sides = got[[rate, f"{rate}_lower", f"{rate}_upper"]]
        npt.assert_array_equal(sides, want[["estimate", "lower", "upper"]])
    assert (got.attrs["level"], got.attrs["target"]) == (0.9, "population")
    assert got.attrs == {**want.attrs, "level": 0.9}


def test_columns() -> None:
    first = ["beta", "rank", "threshold"]
    rates = ["tpr", "tpr_lower", "tpr_upper", "fpr", "fpr_lower", "fpr_upper"]
    got = FRAME.pu.roc_region(0.2, at=AT)
    assert [*got] == [*first, *rates] and [*got.index] == [0]
    joint = FRAME.pu.roc_region(HAND, at=AT)
    assert [*joint] == [*first, *rates] and joint.attrs["joint"] == "approximate"
    several = FRAME.pu(by="site").roc_region([0.1, 0.2], at={"threshold": [0.5, 1, 2]})
    assert [*several.columns[:3]] == ["site", "beta", "at"] and len(several) == 2 * 2 * 3
    alone = FRAME[FRAME["site"] == "b"].pu.roc_region(0.2, at={"threshold": 2})
    npt.assert_allclose(several[rates].iloc[-1].to_numpy(float), alone[rates].iloc[0])
    ranged = FRAME.pu.roc_region(0.2, at=AT, beta_interval=(0.1, 0.3)).iloc[0]
    assert ranged["fpr_envelope_lower"] < ranged["fpr_lower"] < ranged["fpr_upper"]
    assert ranged["tpr_envelope_lower"] == ranged["tpr_lower"]


def test_the_point_lies_in_it_as_often_as_promised() -> None:
    rng, shape = np.random.default_rng(7), CHOSEN["wide positives"]
    good, bad = shape.draw(rng, 200_000, 200_000)
    tpr, fpr = (good >= 1).mean(), (bad >= 1).mean()
    score = np.concatenate([*chain(*(shape.draw(rng, 200, 400) for _ in range(200)))])
    label = np.tile(np.where(np.arange(600) < 80, 1, np.nan), 200)
    frame = pd.DataFrame({"score": score, "label": label, "draw": np.arange(score.size) // 600})
    found = frame.pu(by="draw").roc_region(120 / 520, at=AT)
    inside = [
        (found[f"{rate}_lower"] <= true) & (true <= found[f"{rate}_upper"])
        for rate, true in (("tpr", tpr), ("fpr", fpr))
    ]
    assert 0.925 <= (inside[0] & inside[1]).mean() <= 0.99


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda pu: pu.roc_region(0.2, at=100), PUValueError, "^at must be a threshold"),
        (lambda pu: pu.roc_region(0.2, at="youden"), PUValueError, "^at must be a threshold"),
        (lambda pu: pu.roc_region(0.2, at=AT, level=95), PUValueError, "^level must lie"),
        (lambda pu: pu.roc_region(1, at=AT), PUDataError, "needs negatives"),
        (lambda pu: pu(by="tpr").roc_region(0.2, at=AT), PUValueError, "^by must not be called"),
    ],
)
def test_what_has_no_region(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(FRAME.pu)
