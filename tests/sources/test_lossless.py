"""Scores that float64 does not tell apart, in one piece or in several; pieces that change."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUError, PUValueError, from_arrays, from_chunks

LABEL = pd.array([True, None, None], dtype="boolean")
ULP = np.finfo(np.longdouble).eps
LONG = np.array([1, 2, 3], dtype=np.longdouble)


def as_objects(values: Any) -> Any:
    return pd.Series([*values], dtype=object)


# Two pieces of three scores each, of which the first ones differ by less than float64 tells.
SMALL = [Decimal(1), Decimal(2)]
CLOSE: dict[str, tuple[Any, Any]] = {
    "int64": ([2**53, 1, 2], [2**53 + 1, 1, 2]),
    "negative int64": ([-(2**53), 1, 2], [-(2**53) - 1, 1, 2]),
    "uint64": (np.array([2**63, 1, 2], "uint64"), np.array([2**63 + 1, 1, 2], "uint64")),
    "Int64": (pd.array([2**60, 1, 2], "Int64"), pd.array([2**60 + 1, 1, 2], "Int64")),
    "int as object": (as_objects([-(2**53), 1, 2]), as_objects([-(2**53) - 1, 1, 2])),
    "Decimal": ([Decimal("0.1"), *SMALL], [Decimal("0.10000000000000000000001"), *SMALL]),
    "Decimal of a float": ([Decimal.from_float(0.1), *SMALL], [Decimal("0.1"), *SMALL]),
}
EXACT: dict[str, Any] = {
    "Decimal": [Decimal("0.1"), Decimal("123456789.25"), Decimal("-Infinity")],
    "int64": [2**53 - 1, 0, -(2**53) + 1],
    "longdouble": np.array([0.1, 0.2, -np.inf], dtype=np.longdouble),
    "float32": np.array([0.1, 0.2, 0.3], dtype="float32"),
}
if np.finfo(np.float64).eps > ULP:  # not on each platform
    NEXT = LONG + ULP * np.array([1, 0, 0])
    CLOSE["longdouble"], CLOSE["as object"] = (LONG, NEXT), (as_objects(LONG), as_objects(NEXT))


def piece(score: Any) -> pd.DataFrame:
    return pd.DataFrame({"score": score, "label": LABEL})


@pytest.mark.parametrize("kind", CLOSE)
def test_scores_are_not_tied_silently(kind: str) -> None:
    pieces = [piece(score) for score in CLOSE[kind]]
    whole = pd.concat(pieces, ignore_index=True)
    with pytest.raises(PUValueError, match="float64 cannot tell apart"):
        whole.pu.roc_bounds(0.3)
    with pytest.raises(PUValueError, match=r"float64 may not tell apart\. Pieces"):
        from_chunks(pieces).roc_bounds(0.3)


@pytest.mark.parametrize("kind", EXACT)
def test_scores_that_float64_holds_are_taken(kind: str) -> None:
    pieces = [piece(EXACT[kind]), piece(EXACT[kind])]
    whole = pd.concat(pieces, ignore_index=True)
    xr.testing.assert_identical(from_chunks(pieces).roc_bounds(0.3), whole.pu.roc_bounds(0.3))


def test_pieces_that_change_give_no_negative_count() -> None:
    """Where what comes the second time could have come the first time, it is not noticed."""
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(60):
        base, label = rng.integers(0, 12, 30).astype(float), np.full(30, np.nan)
        label[rng.random(30) < 0.3] = 1

        def chunks(base: Any = base, label: Any = label) -> Any:
            moved = (rng.random(30) < 0.1) * rng.integers(-1, 2, 30)
            yield pd.DataFrame({"score": base + moved, "label": label})

        try:
            tables = from_chunks(chunks).contingency(0.3, ranks="breakpoints")
        except PUError as error:
            refused += "the same rows each time" in str(error)
            continue
        for name in ("tp", "fp", "fn", "tn", "rank", "known_positive"):
            assert int(tables[name].min()) >= 0
    assert refused > 10


SIGNAL = [Decimal("sNaN"), Decimal(1), Decimal(2)]
ODD: dict[str, dict[str, Any]] = {
    "scores": {"score": SIGNAL, "label": LABEL},
    "labels": {"score": [3, 2, 1], "label": pd.Series([1, None, SIGNAL[0]], dtype=object)},
    "propensities": {"score": [3, 2, 1], "label": LABEL, "propensity": SIGNAL},
    "keys": {"score": [3, 2, 1], "label": LABEL, "key": SIGNAL},
}


@pytest.mark.parametrize("where", ODD)
def test_a_number_that_refuses_to_be_looked_at(where: str) -> None:
    frame = pd.DataFrame(ODD[where])
    roles: dict[str, Any] = {"by": "key"} if "key" in frame else {}
    roles |= {"propensity": "propensity"} if "propensity" in frame else {}
    for pu in (frame.pu(**roles), from_chunks([frame], **roles)):
        with pytest.raises(PUError, match=r"sNaN|signaling NaN"):
            pu.auroc(0.3, target="examples")
    assert isinstance(repr(frame.pu(**roles)), str)
    if where in ("scores", "labels"):
        with pytest.raises(PUValueError, match="sNaN"):
            from_arrays(frame["score"], frame["label"]).auroc(0.3)
