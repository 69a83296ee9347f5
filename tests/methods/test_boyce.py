"""The continuous Boyce index, against its definition in fractions, and its picture."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.axes import Axes
from scipy.stats import spearmanr

import pu_accessor
from pu_accessor import PUDataError, PUError, PUTypeError, PUValueError, PUWarning
from tests.cases import as_frame, draw_case, legend_of


def draw(seed: int) -> pd.DataFrame:
    """Draw a small ranking, most of it tied."""
    return as_frame(draw_case(seed)).astype({"label": float})


def define(frame: pd.DataFrame, windows: int, width: Fraction) -> tuple[list[float], float]:
    """Go through the windows one by one, in fractions: the ratio of each, and the index."""
    scores = [Fraction(str(score)) for score in frame["score"]]
    known = [score for score, one in zip(scores, frame["label"].eq(1), strict=True) if one]
    rest = [score for score, one in zip(scores, frame["label"].eq(1), strict=True) if not one]
    low, span = min(scores), max(scores) - min(scores)
    ratios = []
    for number in range(windows):
        start = low + span * (1 - width) * Fraction(number, windows - 1)
        found, expected = (
            sum(start <= score <= start + width * span for score in some) for some in (known, rest)
        )
        if expected:
            ratios.append(float(Fraction(found * len(rest), len(known) * expected)))
        else:
            ratios.append(np.inf if found else np.nan)
    there = [ratio for ratio in ratios if not np.isnan(ratio)]
    if len({*there}) < 2:
        return ratios, np.nan
    places = [sorted({*there}).index(ratio) for ratio in there]
    return ratios, float(spearmanr(places, range(len(there))).statistic)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_its_definition(seed: int) -> None:
    frame = draw(seed)
    windows, width = [(101, "0.1"), (21, "0.25"), (10, "0.1"), (7, "0.9")][seed % 4]
    found = frame.pu.boyce(windows=windows, width=float(width))
    ratios, index = define(frame, windows, Fraction(width))
    np.testing.assert_allclose(found["ratio"], ratios, rtol=1e-12)
    np.testing.assert_allclose(found["boyce"], index, rtol=1e-12)
    assert found["ratio"].dims == found["score"].dims == ("window",) and found["boyce"].dims == ()
    step = np.ptp(frame["score"]) * (1 - float(width)) / (windows - 1)
    np.testing.assert_allclose(np.diff(found["score"]), step)


HAND = pd.DataFrame({"score": [0, 0, 1, 3, 3, 4.0], "label": [None, 1, None, 1, None, 1]})


def test_it_is_nan_where_the_ratio_does_not_vary() -> None:
    found = pu_accessor.from_arrays([0, 0, 1, 1], [1, None, 1, None]).boyce()
    assert np.isnan(found["boyce"]) and found["ratio"].dropna("window").to_numpy().max() == 1


# Every source


def test_samples_keep_their_dimensions() -> None:
    rng = np.random.default_rng(1)
    label = np.where(rng.random((2, 40)) < 0.3, 1, np.nan)
    score = (("model", "fold", "place"), rng.normal(size=(3, 2, 40)))
    coords = {"model": ["x", "y", "z"], "window": ("fold", [1, 2])}
    samples = xr.Dataset({"score": score, "label": (("fold", "place"), label)}, coords)
    found = samples.pu(score="score", label="label", dim="place").boyce(windows=9)
    assert dict(found["ratio"].sizes) == {"model": 3, "fold": 2, "window": 9}
    expected = pu_accessor.from_arrays(score[1][2, 1], label[1]).boyce(windows=9)
    np.testing.assert_array_equal(found["ratio"][2, 1], expected["ratio"])
    assert found["boyce"][2, 1] == expected["boyce"]


def same(one: xr.Dataset, other: xr.Dataset) -> bool:
    """Tell if ratios and index are the same."""
    pairs = ((one[name], other[name]) for name in ("ratio", "boyce"))
    return all(np.allclose(*pair, rtol=1e-12, equal_nan=True) for pair in pairs)


@pytest.mark.parametrize("times", [2, 2.5])
def test_weights_stand_for_rows(times: float) -> None:
    frame = draw(4).assign(weight=lambda df: np.where(df["label"].isna(), 2 * times, times))
    twice = pd.concat([frame, frame[frame["label"].isna()]])
    assert same(frame.pu(weight="weight").boyce(), twice.pu.boyce())


def test_propensities_weigh_known_positives() -> None:
    frame = draw(1).assign(propensity=lambda df: np.where(df["score"] > 0, 0.5, 0.25))
    times = np.where(frame["label"].eq(1), 1 / frame["propensity"], 1).astype(int)
    found = frame.pu(propensity="propensity").boyce()
    assert same(found, frame.loc[frame.index.repeat(times)].pu.boyce())
    assert not same(found, frame.pu.boyce())


# What is not allowed

FRAME = draw(2)


@pytest.mark.parametrize(
    ("pu", "how", "kind", "match"),
    [
        (FRAME.pu, {"windows": 1}, PUValueError, "windows must be from 2 to 10,000"),
        *((FRAME.pu, {"windows": x}, PUTypeError, "must be an integer") for x in (True, 10.0)),
        (FRAME.pu, {"width": 1}, PUValueError, r"width must lie in \(0, 1\), but 1"),
        (FRAME.pu, {"width": "a"}, PUTypeError, "width must be a number in"),
        (FRAME.assign(score=3).pu, {}, PUDataError, "differ and .* from 3 to 3"),
        (FRAME.assign(label=None).pu, {}, PUDataError, "at least one known positive"),
        (FRAME.assign(label=1).pu(negative=0), {}, PUDataError, "needs a background"),
        (FRAME.assign(x=0).pu(by="x", pool=True), {}, PUValueError, "pool must be False where sc"),
        (FRAME.assign(window=0).pu(by="window"), {}, PUValueError, "not be called 'window'"),
    ],
)
def test_errors(pu: Any, how: Any, kind: type[PUError], match: str) -> None:
    for ask in (pu.boyce, pu.plot_boyce):
        with pytest.raises(kind, match=match) as caught:
            ask(**how)
        assert len(str(caught.value)) <= 300


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("row", [0, 1])  # a known positive, and an unlabeled example
def test_scores_are_finite(value: float, row: int) -> None:
    frame = FRAME.copy()
    frame.loc[row, "score"] = value
    with pytest.raises(PUDataError, match="needs scores that differ and a finite range"):
        frame.pu(nan_policy="worst").boyce()
    if np.isnan(value):
        omitted = frame.pu(nan_policy="omit").boyce()
        xr.testing.assert_identical(omitted, frame.drop(index=row).pu.boyce())


GROUPS = pd.concat([draw(seed).assign(site=site) for seed, site in [(3, "a"), (5, "b"), (9, "c")]])
GROUPS["half"] = GROUPS.groupby(["site", "label"], dropna=False).cumcount() % 2


def test_groups_without_an_answer_are_skipped() -> None:
    flat = GROUPS.assign(score=GROUPS["score"].where(GROUPS["site"] != "b", 0))
    with pytest.raises(PUDataError, match=r"group site='b': boyce needs .* on_error='skip'"):
        flat.pu(by="site").boyce()
    with pytest.warns(PUWarning, match="1 of 3 groups"):
        found = flat.pu(by="site", on_error="skip").boyce()
    assert [*found["site"].values] == ["a", "c"] and "site='b'" in found.attrs["skipped"]


# The picture


def lines(ax: Axes) -> dict[str, np.ndarray[Any, Any]]:
    return {str(line.get_label()): np.asarray(line.get_xydata()) for line in ax.lines}


def test_the_picture_shows_what_the_method_returns() -> None:
    how: dict[str, Any] = {"windows": 31, "width": 0.2}
    found, ax = FRAME.pu.boyce(**how), FRAME.pu.plot_boyce(**how, line_kws={"linewidth": 3})
    line = lines(ax)[f"Boyce index {found['boyce'].item():.2f}"]
    wanted = np.stack([found["score"], found["ratio"]], 1)
    np.testing.assert_array_equal(line, wanted[np.isfinite(found["ratio"])])
    assert lines(ax)["chance"][:, 1].tolist() == [1, 1] and ax.lines[0].get_linewidth() == 3


def test_models_have_their_index_beside_their_name() -> None:
    ax = FRAME.assign(other=-FRAME["score"]).pu(score=["score", "other"]).plot_boyce()
    index = FRAME.pu.boyce()["boyce"].item()
    wanted = {f"score (Boyce index {index:.2f})", f"other (Boyce index {-index:.2f})", "chance"}
    assert wanted <= {text.get_text() for text in legend_of(ax).get_texts()}


def test_windows_without_background_are_triangles_at_the_top() -> None:
    ax = HAND.pu.plot_boyce(windows=5, width=0.125)
    assert lines(ax)["no background"].tolist() == [[3.75, 1]]
    assert len(lines(ax)["Boyce index 0.63"]) == 3


def test_panels() -> None:
    halves = GROUPS.pu(by=["site", "half"])
    ax = halves.plot_boyce(col="half", windows=11).axes_dict[1]
    found = halves.boyce(windows=11).sel(site="c", half=1)["ratio"].to_numpy()
    np.testing.assert_array_equal(lines(ax)["c"][:, 1], found[np.isfinite(found)])
    assert ax.get_title() == "half = 1"
