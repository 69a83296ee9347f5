"""Labels and scores of any coding and dtype: read as they are meant, or refused by name."""

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUError, PUTypeError, PUValueError, from_arrays

MEANT = [True, None, False, None, True]
NUMBERS = [1, None, 0, None, 1]
FLOATS = np.array([1, np.nan, 0, np.nan, 1])
SCORE = [5.0, 4.0, 3.0, 2.0, 1.0]


def read(label: Any, **coding: Any) -> tuple[list[int], list[int]]:
    """Return known positives and known negatives at each cutoff, seen through beta 0 and 1."""
    tables = (
        from_arrays(SCORE, label, **coding).contingency([0, 1], ranks="all").sel(bound="estimate")
    )
    return tables["tp"].sel(beta=0).values.tolist(), tables["fp"].sel(beta=1).values.tolist()


EXPECTED = ([0, 1, 1, 1, 1, 2], [0, 0, 0, 1, 1, 1])


NUMBERED: list[Any] = [
    *((pd.array(NUMBERS, kind), {}) for kind in ("Int64", "Float32", "int8[pyarrow]")),
    *((pd.array(MEANT, kind), {}) for kind in ("boolean", "bool[pyarrow]")),
    *((FLOATS.astype(order), {}) for order in ("<f4", ">f8")),
    (pd.array([None, 1, 0, 1, None], "Int8"), {"positive": [None], "unlabeled": 1}),
    (np.array([0, np.nan, 1, np.nan, 0]), {"positive": 0, "negative": [1, 7]}),
]  # fmt: skip


@pytest.mark.parametrize(("label", "coding"), NUMBERED)
def test_numbers_are_not_looked_up_by_value(label: Any, coding: Any, monkeypatch: Any) -> None:
    monkeypatch.delattr("pu_accessor.sources.label_states._read_any")
    assert read(label, **coding) == EXPECTED


def test_integers_and_flags_are_not_looked_up_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("pu_accessor.sources.label_states._read_any")
    one: Any = np.ones(5, np.uint8)
    two: list[Any] = [np.array([1, 0, 0, 0, 1]), np.array([True, False, False, False, True])]
    cases: list[Any] = [(one, {}, [5, 0, 0])]
    cases += [(label, {"unlabeled": 0}, [2, 0, 3]) for label in two]
    cases += [(label, {"negative": 0}, [2, 3, 0]) for label in two]
    for label, coding, counts in cases:
        tables = from_arrays(SCORE, label, **coding).contingency(0, ranks="all")
        names = ["n_known_positive", "n_known_negative", "n_unlabeled"]
        assert [tables[name].item() for name in names] == counts


CODED: list[Any] = [
    *((label, {}) for label in (MEANT, xr.DataArray(FLOATS))),
    (pd.Series([True, np.nan, False, pd.NA, True], dtype=object), {}),
    (pd.Categorical(MEANT, categories=[True, False]), {}),
    (pd.Categorical(NUMBERS, categories=[0, 1, 2]), {}),
    (list("acdeb"), {"positive": ["a", "b"], "negative": "d", "unlabeled": ["c", "e"]}),
    ([1, -1, 0, -1, 1], {"unlabeled": -1}),
    ([1, 0, -1, 0, 1], {"unlabeled": 0, "negative": -1}),
    ([1, 0, 2, np.nan, 1], {"unlabeled": np.array([0, np.nan]), "negative": {2}}),
    (pd.Categorical(["p", None, "n", None, "p"]), {"positive": "p", "negative": ["n", "x"]}),
    ([None, True, False, True, None], {"positive": [None], "unlabeled": np.array(True)}),
    (pd.Series([(1,), None, (0,), None, (1,)]), {"positive": [(1,)], "negative": [(0,)]}),
    *((np.array([1, -1, 0, -1, 1], order), {"unlabeled": -1}) for order in (">i4", "<i4")),
]  # fmt: skip


@pytest.mark.parametrize(("label", "coding"), CODED)
def test_labels_of_any_coding_and_dtype(label: Any, coding: dict[str, Any]) -> None:
    assert read(label, **coding) == EXPECTED


UNCLEAR: list[Any] = [
    ([1, 0], {}, r"contains two values, 1 and 0, and nothing missing: is 0 unlabeled, or a known"
                 r" negative\? Pass unlabeled=0 or negative=0"),
    ([False, True], {}, r"two values, False and True.* Pass unlabeled=False or negative=Fal"),
    ([1, -1], {}, r"contains -1, which is unlabeled to some and negative to others. Pass unlab"),
    (["1", None], {}, r"contains '1', which stands for no state. Labels are True or 1"),
    ([1, 0, None], {"unlabeled": 0}, r"contains None \(missing\), which stands for no state"),
    (list(range(20)), {}, r"contains 2, 3, 4, 5, 6 and 13 more: these look like many grades"),
    ([1, None], {"positive": 1, "negative": 1}, r"positive and negative must not share .* 1"),
    ([1, None], {"negative": [0, 2], "unlabeled": (2,)}, r"negative and unlabeled must not"),
]  # fmt: skip


@pytest.mark.parametrize(("label", "coding", "message"), UNCLEAR)
def test_labels_that_nobody_should_guess(label: Any, coding: Any, message: str) -> None:
    score = np.arange(len(label))
    with pytest.raises(PUValueError, match=f"label column 'label' {message}|{message}"):
        from_arrays(score, label, **coding).contingency(0, ranks="all")


# Labels from the best to the worst, and what is advised: the best are positive, whatever is rare.
ORDERED = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
ADVISED: list[Any] = [
    ([3, 2, 1, None], {}, "positive=[1, 2, 3]"),
    ([3, 2, 1, 0, 0], {}, "positive=[1, 2, 3], and negative=0 or unlabeled=0"),
    ([*"3210"], {}, "positive=['1', '2', '3'], and negative='0' or unlabeled='0'"),
    ([2, 1, 0, None], {}, "positive=[1, 2]"),
    ([5, 4, 3, 2, 1], {}, "positive=[2, 3, 4, 5], and negative=1 or unlabeled=1"),
    ([3, 2, -1, None], {}, "positive=[2, 3], unlabeled=[-1, None]"),
    ([3, 1, 0, -2, None], {}, "positive=[1, 3], negative=[0, -2]"),
    ([2, 2, 1, 1, 1], {}, "positive=2, unlabeled=1"),
    ([3, 2, 1, None], {"positive": 2}, "positive=[2, 3], negative=1"),
    ([3, 2, 1, 0], {"positive": 3}, "negative=[2, 1, 0] or unlabeled=[2, 1, 0]"),
    (pd.array([2, 1, None], "Int64"), {}, "positive=[1, 2]"),
    (pd.Categorical(["high", "high", "mid", "low"], dtype=ORDERED), {},
     "positive=['mid', 'high'], and negative='low' or unlabeled='low'"),
    (pd.Categorical(["high", "high", "mid", None], dtype=ORDERED), {}, "positive=['mid', 'high']"),
    (["yes", "yes", "no"], {}, "positive='yes', and negative='no' or unlabeled='no'"),
    ([" YES ", " YES ", "no", None], {}, "positive=' YES ', negative='no'"),
    ([*"++-", None], {}, "positive='+', negative='-'"),
    ([*"PNUU"], {}, "positive='P', negative='N', unlabeled='U'"),
    (["case", "control"], {}, "positive='case', and negative='control' or unlabeled='control'"),
    (["1", "1", "-1"], {}, "positive='1', unlabeled='-1'"),
    ([True, False, "unknown"], {}, "unlabeled='unknown'"),
    ([1, "yes", None], {}, "positive=[1, 'yes']"),
    ([True, "no", "no", None], {}, "negative='no'"),
    ([True, 0, "x", "x", None], {}, "unlabeled=['x', None]"),
    (["good", "bad", "bad"], {}, "positive='good', unlabeled='bad'; if 'bad' is positive: po"),
    (["good", "good", "bad", None], {}, "positive=['bad', 'good']"),
    ([*"abbcc"], {}, "positive='a', unlabeled=['b', 'c']"),
    (["q", False, "z", "z"], {}, "positive='q', unlabeled=['z', False]"),
    ([1, None, 0], {"unlabeled": 0}, "unlabeled=[0, None]"),
    ([*"xxy", None], {"unlabeled": "y"}, "positive='x', unlabeled=['y', None]"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize(("label", "coding", "advice"), ADVISED)
def test_advice_for_labels_is_right_as_it_is_typed(label: Any, coding: Any, advice: str) -> None:
    frame = pd.DataFrame({"score": -np.arange(len(label)), "label": label})
    with pytest.raises(PUValueError) as told:
        frame.pu(**coding).auroc(0)
    assert re.search(f"(for example|positives?:|unlabeled:) {re.escape(advice)}", str(told.value))
    first, _, either = advice.partition("; if ")[0].rpartition("and ")
    for way in either.split(" or "):
        assert frame.pu(**{**coding, **eval(f"dict({first}{way})")}).auroc(0)["estimate"][0] == 1


THRESHOLDED: list[Any] = [
    (np.linspace(0, 1, 99), "probabilities", 0.5),
    ([0.99, 1, None], "probabilities", 0.5),
    (pd.array([0.2, 0.99, None], "Float64"), "probabilities", 0.5),
    (range(20), "many grades", 1),
    ([*"0123456789"], "many grades", 1),
    (np.linspace(-3, 8, 14), "measurements", 2.5),
]


@pytest.mark.parametrize(("label", "looks", "least"), THRESHOLDED)
def test_numbers_are_thresholded_by_the_line(label: Any, looks: str, least: float) -> None:
    frame = pd.DataFrame({"score": np.arange(len(label)), "label": label})
    with pytest.raises(PUValueError, match=f"these look like {looks}. Threshold") as told:
        frame.pu.auroc(0)
    line = re.search(r"df\['label'\] = np.where.* np.nan\)", str(told.value))
    assert line is not None
    exec(line[0], {"df": frame, "np": np})
    many = pd.Series(label).astype(float) >= least
    assert frame["label"].notna().tolist() == many.tolist()
    assert (looks == "probabilities") == ("are not supported" in str(told.value))


@pytest.mark.parametrize(
    "score",
    [
        [5, 4, 3, 2, 1],
        np.array(SCORE, dtype=np.float32),
        np.array(SCORE, dtype=np.longdouble),
        pd.array(SCORE, dtype="double[pyarrow]"),
        pd.Series([5, 4.0, np.float32(3), 2, 1], dtype=object),
        pd.Series([Decimal(n) for n in (5, 4, 3, 2, 1)]),
        pd.arrays.SparseArray(SCORE),
        range(5, 0, -1),
        xr.DataArray(SCORE),
    ],
    ids=lambda score: f"{type(score).__name__}-{getattr(score, 'dtype', '')}",
)
def test_scores_of_any_real_dtype(score: Any) -> None:
    tables = from_arrays(score, MEANT).contingency(0.5, ranks="all")
    xr.testing.assert_identical(tables, from_arrays(SCORE, MEANT).contingency(0.5, ranks="all"))


@pytest.mark.parametrize("missing", ["Float64", "double[pyarrow]", object, float])
def test_missing_scores_of_any_dtype(missing: Any) -> None:
    score = pd.Series([3, None, 1], dtype=missing)
    with pytest.raises(
        PUValueError, match=r"'score' contains NaN in 1 of 3 rows. Pass nan_policy='wo"
    ):
        from_arrays(score, [True, None, None]).contingency(0.5, ranks="all")
    tables = from_arrays(score, [True, None, None], nan_policy="omit").contingency(
        0.5, ranks="all"
    )
    assert tables["n_unlabeled"] == 1
    other = score.astype(object).where(score.notna(), pd.NA)
    again = from_arrays(other, [True, None, None], nan_policy="omit").contingency(0.5, ranks="all")
    xr.testing.assert_identical(again, tables)


UNRANKED: list[Any] = [
    (["a", "b"], PUTypeError, r"'score' must contain real numbers, but is (str|object) .*'a'"),
    (["0.5", "0.1"], PUTypeError, r"must contain real numbers, .* column.astype\(float\)"),
    ([1j, 2], PUTypeError, r"must contain real numbers, but is complex128"),
    ([2**53, 2**53 + 1], PUValueError, r"float64 cannot tell apart, .*: column.rank\(\)"),
    (pd.array([2**60, 2**60 + 1], dtype="int64[pyarrow]"), PUValueError, r"cannot tell apart"),
    ([10**400, 10**401], PUValueError, r"contains object numbers that float64 cannot tell"),
    ([[1], [2, 3]], PUTypeError, r"score must be one-dimensional, but a list of 2 dimensions"),
]  # fmt: skip


@pytest.mark.parametrize(("score", "error", "message"), UNRANKED)
def test_scores_that_cannot_be_ranked(score: Any, error: type[PUError], message: str) -> None:
    with pytest.raises(error, match=message):
        from_arrays(score, [True, None]).contingency(0, ranks="all")


def test_large_integers_that_stay_apart_are_scores() -> None:
    tables = from_arrays([2**62, 2**61, 1], [True, None, None]).contingency(0, ranks="all")
    assert tables["threshold"].values.tolist() == [np.inf, 2.0**62, 2.0**61, 1]


def test_long_floats_beyond_float64_are_infinite() -> None:
    label = [None, True, None, None]
    score = np.array(["1e4000", "2", "1", "-1e4000"], dtype=np.longdouble)
    tables = from_arrays(score, label).contingency(0, ranks="all")
    expected = from_arrays([np.inf, 2, 1, -np.inf], label).contingency(0, ranks="all")
    xr.testing.assert_identical(tables, expected)
    if np.isfinite(score[0]):  # where they are longer than float64
        with pytest.raises(PUValueError, match="float64 cannot tell apart"):
            from_arrays(np.append(score[:3], score[0] * 2), label).auroc(0)


# Frames


@pytest.mark.parametrize("name", [0, "", ("model", 1), None, 2.5])
def test_columns_of_any_name(name: Any) -> None:
    frame = pd.DataFrame({"label": MEANT})
    frame.insert(0, name, SCORE)
    expected = from_arrays(SCORE, MEANT).contingency(0.5, ranks="all")
    xr.testing.assert_equal(frame.pu(score=name).contingency(0.5, ranks="all"), expected)


@pytest.mark.parametrize("role", ["score", "label"])
def test_a_column_without_a_name_is_called_by_its_role(role: str) -> None:
    frame = pd.DataFrame({"score": ["high", "low"], "label": ["yes", "no"]})
    frame = frame.assign(label=[1, np.nan]) if role == "score" else frame.assign(score=[2.0, 1.0])
    frame.columns = pd.Index([None if name == role else name for name in frame], dtype=object)
    pu = frame.pu(**{role: None})
    asked: list[Any] = [lambda: pu.auroc(0.5)]
    if role == "label":
        asked.append(lambda: pu.sample_to_label(1, random_state=0))
    for ask in asked:
        with pytest.raises(PUError, match=f"{role} column '{role}' (must contain|contains)"):
            ask()
    assert f"{role} column '{role}'" in " ".join(repr(pu).split())


COLUMNS = pd.DataFrame({"score": SCORE, "label": pd.array(MEANT, "boolean"), "weekday": 1})


def test_lists_that_change_later_change_nothing() -> None:
    lists: list[list[Any]] = [["score"], ["weekday"], [None]]
    scores, by, unlabeled = lists
    pu = COLUMNS.pu(score=scores, by=by, unlabeled=unlabeled)
    expected = pu.contingency(0.5, ranks="all")
    for role in lists:
        role.append("gone")
    xr.testing.assert_identical(pu.contingency(0.5, ranks="all"), expected)


class Tensor:
    """An object of which an array can be made, and nothing else."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return an array."""
        return self.values


def test_tensors_are_arrays() -> None:
    score, label, count = [3.0, 2, 1, 0], [1, np.nan, np.nan, 1], [1, 2, 1, 3]
    found = from_arrays(Tensor(score), Tensor(label), count=Tensor(count))
    expected = from_arrays(score, label, count=count)
    asked: Any = (found.contingency(0.3), expected.contingency(0.3))
    xr.testing.assert_identical(*asked)
