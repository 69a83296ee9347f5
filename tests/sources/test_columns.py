"""Columns of any coding, dtype and name: read as they are meant, or with advice that is right."""

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUError, PUValueError, from_arrays, from_chunks

MEANT, NUMBERS = [True, None, False, None, True], [1, None, 0, None, 1]
FLOATS, SCORE = np.array([1, np.nan, 0, np.nan, 1]), [5.0, 4.0, 3.0, 2.0, 1.0]


def tables_of(score: Any, label: Any, **coding: Any) -> xr.Dataset:
    """Return tables at each cutoff for beta 0 and 1, through which labels are seen."""
    return from_arrays(score, label, **coding).contingency([0, 1], ranks="all")


def as_objects(*values: Any) -> Any:
    """Return a column of these objects."""
    return pd.Series([*values], dtype=object)


EXPECTED = tables_of(SCORE, MEANT)
NUMBERED: list[Any] = [
    *((pd.array(NUMBERS, kind), {}) for kind in ("Int64", "Float32", "int8[pyarrow]")),
    *((pd.array(MEANT, kind), {}) for kind in ("boolean", "bool[pyarrow]")),
    *((FLOATS.astype(order), {}) for order in ("<f4", ">f8")),
    (pd.array([None, 1, 0, 1, None], "Int8"), {"positive": [None], "unlabeled": 1}),
    (np.array([0, np.nan, 1, np.nan, 0]), {"positive": 0, "negative": [1, 7]}),
]
CODED: list[Any] = [
    *((label, {}) for label in (MEANT, xr.DataArray(FLOATS))),
    (as_objects(True, np.nan, False, pd.NA, True), {}),
    (pd.Categorical(NUMBERS, categories=[0, 1, 2]), {}),
    (list("acdeb"), {"positive": ["a", "b"], "negative": "d", "unlabeled": ["c", "e"]}),
    ([1, 0, 2, np.nan, 1], {"unlabeled": np.array([0, np.nan]), "negative": {2}}),
    ([None, True, False, True, None], {"positive": [None], "unlabeled": np.array(True)}),
    (pd.Series([(1,), None, (0,), None, (1,)]), {"positive": [(1,)], "negative": [(0,)]}),
    *((np.array([1, -1, 0, -1, 1], order), {"unlabeled": -1}) for order in (">i4", "<i4")),
]


@pytest.mark.parametrize(("label", "coding"), [*NUMBERED, *CODED])
def test_labels_of_any_coding_and_dtype(
    label: Any, coding: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if any(label is one for one, _ in NUMBERED):  # is not looked up by value
        monkeypatch.delattr("pu_accessor.sources.label_states._read_any")
    xr.testing.assert_identical(tables_of(SCORE, label, **coding), EXPECTED)


ZEROS = [np.array([1, 0, 0, 0, 1]), np.array([True, False, False, False, True])]
FULL: list[Any] = [(np.ones(5, np.uint8), {}, [5, 0, 0])]
FULL += [(zeros, {"unlabeled": 0}, [2, 0, 3]) for zeros in ZEROS]
FULL += [(zeros, {"negative": 0}, [2, 3, 0]) for zeros in ZEROS]


@pytest.mark.parametrize(("label", "coding", "counts"), FULL)
def test_full_labels(label: Any, coding: Any, counts: list[int], monkeypatch: Any) -> None:
    monkeypatch.delattr("pu_accessor.sources.label_states._read_any")
    tables = from_arrays(SCORE, label, **coding).contingency(0, ranks=[3])
    names = ["n_known_positive", "n_known_negative", "n_unlabeled"]
    assert [tables[name].item() for name in names] == counts


# Labels from the best to the worst, and what is advised: the best are positive, whatever is rare.
RANKED = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
GRADES: Any = [pd.Categorical(["high", "high", "mid", x], dtype=RANKED) for x in ("low", None)]
ADVISED: list[Any] = [
    ([3, 2, 1, 0, 0], {}, "positive=[1, 2, 3], and negative=0 or unlabeled=0"),
    ([*"3210"], {}, "positive=['1', '2', '3'], and negative='0' or unlabeled='0'"),
    ([5, 4, 3, 2, 1], {}, "positive=[2, 3, 4, 5], and negative=1 or unlabeled=1"),
    ([2, 1, 1, 1], {}, "positive=2, and negative=1 or unlabeled=1"),
    ([3, 2, -1, None], {}, "positive=[2, 3], unlabeled=[-1, None]"),
    ([3, 1, 0, -2, None], {}, "positive=[1, 3], negative=[0, -2]"),
    ([3, 2, 1, None], {"positive": 2}, "positive=[2, 3], negative=1"),
    ([3, 2, 1, 0], {"positive": 3}, "negative=[2, 1, 0] or unlabeled=[2, 1, 0]"),
    (GRADES[0], {}, "positive=['mid', 'high'], and negative='low' or unlabeled='low'"),
    (GRADES[1], {}, "positive=['mid', 'high']"),
    ([" YES ", " YES ", "no", None], {}, "positive=' YES ', negative='no'"),
    ([*"++-", None], {}, "positive='+', negative='-'"),
    ([*"PNUU"], {}, "positive='P', negative='N', unlabeled='U'"),
    ([True, False, "unknown"], {}, "unlabeled='unknown'"),
    ([True, 0, "x", "x", None], {}, "unlabeled=['x', None]"),
    (["good", "bad", "bad"], {}, "positive='good', and negative='bad' or unlabeled='bad'"),
    (["good", "good", "bad", None], {}, "positive=['good', 'bad']"),
    ([*"abbcc"], {}, "positive='a', and negative=['b', 'c'] or unlabeled=['b', 'c']"),
    (
        ["Pathogenic", "Likely benign", "VUS"],
        {},
        "positive='Pathogenic', negative='Likely benign', unlabeled='VUS'",
    ),
    ([pd.Timestamp("2024-01-02"), pd.NaT], {}, "positive=pd.Timestamp('2024-01-02')"),
    (["q", False, "z", "z"], {}, "positive='q', unlabeled='z'"),
    ([1, None, 0], {"unlabeled": 0}, "unlabeled=[0, None]"),
    ([*"xxy", None], {"unlabeled": "y"}, "positive='x', unlabeled=['y', None]"),
]


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize(("label", "coding", "advice"), ADVISED)
def test_advice_for_labels_is_right_as_it_is_typed(label: Any, coding: Any, advice: str) -> None:
    frame = pd.DataFrame({"score": -np.arange(len(label)), "label": label})
    with pytest.raises(PUValueError) as told:
        frame.pu(**coding).auroc(0)
    assert re.search(f"(for example|positives?:|unlabeled:) {re.escape(advice)}", str(told.value))
    first, _, either = advice.rpartition("and ")
    for way in either.split(" or "):
        assert frame.pu(**{**coding, **eval(f"dict({first}{way})")}).auroc(0)["estimate"][0] == 1


THRESHOLDED: list[Any] = [
    (np.linspace(0, 1, 99), "probabilities", 0.5),
    (pd.array([0.2, 0.99, None], "Float64"), "probabilities", 0.5),
    *((range(20), "many grades", 1), ([*"0123456789"], "many grades", 1)),
    *((np.linspace(a, b, 15), "measurements", (a + b) / 2) for a, b in ((-3, 8), (0.25, 2))),
]


@pytest.mark.parametrize(("label", "looks", "least"), THRESHOLDED)
def test_numbers_are_thresholded_by_the_line(label: Any, looks: str, least: float) -> None:
    frame = pd.DataFrame({"score": np.arange(len(label)), "label": label})
    with pytest.raises(PUValueError, match=f"these look like {looks}. Threshold") as told:
        frame.pu.auroc(0)
    (line,) = re.findall(r"df\['label'\] = np.where.* np.nan\)", str(told.value))
    exec(line, {"df": frame, "np": np})
    many = pd.Series(label).astype(float) >= least
    assert frame["label"].notna().tolist() == many.tolist()
    assert (looks == "probabilities") == ("are not supported" in str(told.value))
    assert (looks == "many grades") == str(told.value).endswith("makes the others unlabeled.")


# Scores


class Tensor:
    """An object of which an array can be made, and nothing else."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return an array."""
        return self.values


SCORES: list[Any] = [range(5, 0, -1), np.array(SCORE, "float32"), xr.DataArray(SCORE)]
SCORES += [np.array(SCORE, np.longdouble), pd.array(SCORE, "double[pyarrow]"), Tensor(SCORE)]
SCORES += [pd.Series([5, 4.0, np.float32(3), 2, 1], dtype=object), pd.arrays.SparseArray(SCORE)]
SCORES += [as_objects(*map(Decimal, SCORE))]


@pytest.mark.parametrize("score", SCORES, ids=lambda score: type(score).__name__)
def test_scores_of_any_real_dtype(score: Any) -> None:
    xr.testing.assert_identical(tables_of(score, Tensor(FLOATS)), EXPECTED)
    count: Any = Tensor([1, 2, 1, 3, 1])
    assert from_arrays(score, MEANT, count=count).contingency(0, ranks=[3])["n_unlabeled"] == 5


# Pieces of three scores each: the first ones differ by less than float64 tells, or it holds all.
LABEL = pd.array([True, None, None], dtype="boolean")
LONG = np.array([1, 2, 3], dtype=np.longdouble)
NEXT = LONG + np.finfo(np.longdouble).eps * np.array([1, 0, 0])


CLOSE: list[tuple[Any, Any]] = [
    ([2**53, 1, 2], [2**53 + 1, 1, 2]),
    ([-(2**53), 1, 2], [-(2**53) - 1, 1, 2]),
    (np.array([2**63, 1, 2], "uint64"), np.array([2**63 + 1, 1, 2], "uint64")),
    (pd.array([2**60, 1, 2], "Int64"), pd.array([2**60 + 1, 1, 2], "Int64")),
    tuple(as_objects(x, *map(Decimal, "12")) for x in (Decimal.from_float(0.1), Decimal("0.1"))),
]
if (NEXT.astype(float) == LONG).all():  # not on each platform
    CLOSE += [(LONG, NEXT), (as_objects(*LONG), as_objects(*NEXT))]
EXACT: list[Any] = [[Decimal("0.1"), Decimal("123456789.25"), Decimal("-Infinity")]]
EXACT += [[2**53 - 1, 0, -(2**53) + 1], np.array([0.1, 0.2, -np.inf], np.longdouble)]


def in_pieces(*scores: Any) -> tuple[Any, Any]:
    """Return accessors of pieces and of all rows."""
    parts = [pd.DataFrame({"score": score, "label": LABEL}) for score in scores]
    return from_chunks(parts), pd.concat(parts, ignore_index=True).pu


@pytest.mark.parametrize("scores", CLOSE)
def test_scores_are_not_tied_silently(scores: Any) -> None:
    told = r"may not tell apart\. Pi", "cannot tell"
    for pu, may in zip(in_pieces(*scores), told, strict=True):
        with pytest.raises(PUValueError, match=f"float64 {may}"):
            pu.roc_bounds(0.3)


@pytest.mark.parametrize("score", EXACT)
def test_scores_that_float64_holds_are_taken(score: Any) -> None:
    pieces, whole = in_pieces(score, score)
    xr.testing.assert_identical(pieces.roc_bounds(0.3), whole.roc_bounds(0.3))


def test_large_numbers_that_stay_apart_are_scores() -> None:
    found = from_arrays([2**62, 2**61, 1], LABEL).contingency(0, ranks="all")
    assert found["threshold"].values.tolist() == [np.inf, 2.0**62, 2.0**61, 1]
    score = np.array(["1e4000", "2", "-1e4000"], np.longdouble)
    found = from_arrays(score, LABEL).contingency(0, ranks="all")
    assert found["threshold"].values.tolist() == [np.inf, np.inf, 2, -np.inf]
    if np.isfinite(score[0]):  # where they are longer than float64
        with pytest.raises(PUValueError, match="float64 cannot tell apart"):
            from_arrays(np.append(score, score[0] * 2), [*LABEL, True]).auroc(0)


SIGNAL = [Decimal("sNaN"), Decimal(1), Decimal(2)]


@pytest.mark.parametrize("role", ["score", "label", "propensity", "by"])
def test_a_number_that_refuses_to_be_looked_at(role: str) -> None:
    columns = {"score": [3, 2, 1], "label": LABEL, role: as_objects(*SIGNAL)}
    frame, roles = pd.DataFrame(columns), dict[str, Any](zip(columns, columns, strict=True))
    for pu in (frame.pu(**roles), from_chunks([frame], **roles)):
        with pytest.raises(PUError, match=r"sNaN|signaling NaN"):
            pu.auroc(0.3, target="examples")
    assert isinstance(repr(frame.pu(**roles)), str)


# Names


@pytest.mark.parametrize("name", [0, "", ("model", 1), None, 2.5])
def test_columns_of_any_name(name: Any) -> None:
    frame = pd.DataFrame({"label": MEANT})
    frame.insert(0, name, SCORE)
    xr.testing.assert_equal(frame.pu(score=name).contingency([0, 1], ranks="all"), EXPECTED)


@pytest.mark.parametrize("role", ["score", "label"])
def test_a_column_without_a_name_is_called_by_its_role(role: str) -> None:
    columns = {"score": [2.0, 1.0], "label": [1, np.nan], role: ["yes", "no"]}
    pu = pd.DataFrame(columns).rename(columns={role: None}).pu(**{role: None})
    with pytest.raises(PUError, match=f"{role} column '{role}' (must contain|contains)"):
        pu.auroc(1)
    assert f"{role} column '{role}'" in " ".join(repr(pu).split())


def test_lists_that_change_later_change_nothing() -> None:
    lists: dict[str, list[Any]] = {"score": ["score"], "by": ["weekday"], "unlabeled": [None]}
    pu = pd.DataFrame({"score": SCORE, "label": MEANT, "weekday": 1}).pu(**lists)
    expected = pu.auroc(0.5)
    for role in lists.values():
        role.append("gone")
    assert pu.auroc(0.5).equals(expected)
