"""Curves of few vertices, held against the whole ones: their extremes, ways and pictures."""

from collections.abc import Callable
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.ndimage import maximum_filter, minimum_filter

from pu_accessor.plots.artists import hold
from pu_accessor.plots.simplify import COLUMNS, LIMIT, PIXELS, WHOLE, Path, thin
from pu_accessor.ranking import FloatArray, IntArray

HALF_A_PIXEL = 0.5 / PIXELS


def smooth(size: int, rng: np.random.Generator) -> Path:
    x = np.arange(float(size))
    return x, np.sin(x / size * 7) + (x == size // 3)


def noise(size: int, rng: np.random.Generator) -> Path:
    return np.sort(rng.normal(size=size)), rng.standard_cauchy(size)


def precision(size: int, rng: np.random.Generator) -> Path:
    """Return the precision at each rank, which jumps up and down at first."""
    ranks = np.arange(1.0, size + 1)
    return ranks, np.cumsum(rng.random(size) < 0.5 * np.exp(-4 * ranks / size)) / ranks


def steps(size: int, rng: np.random.Generator) -> Path:
    """Return values that are held, most from one score to the next, some for long."""
    x = np.sort(rng.exponential(size=size // 2) ** 3)
    return hold(x, np.tanh(x) + 0.2 * (np.arange(x.size) // 500 % 2))


def stairs(size: int, rng: np.random.Generator) -> Path:
    """Return a curve that goes up by some high steps and is flat between them."""
    return np.sort(rng.random(size)), np.arange(size) // (size // 40) / 40.0


def roc(size: int, rng: np.random.Generator) -> Path:
    """Return a ROC curve: where it steps up it steps back, too."""
    found = rng.random(size) < 0.3 * np.exp(-9 * np.arange(size) / size)
    fp = np.append(0, np.cumsum(np.where(found, -1.5, 1.0))) + 2000.0
    tp = np.append(0, np.cumsum(found))
    return fp / fp.max(), tp / tp[-1]


def backwards(size: int, rng: np.random.Generator) -> Path:
    """Return a curve that steps back in x and in y."""
    way = np.arange(size) / size
    return way + 0.01 * np.sin(50 * way), way**2 + 0.01 * rng.random(size)


def vertical(size: int, rng: np.random.Generator) -> Path:
    return np.full(size, 2.0), np.sort(rng.random(size))


def constant(size: int, rng: np.random.Generator) -> Path:
    return np.arange(float(size)), np.full(size, 0.5)


CURVES: dict[str, Callable[[int, np.random.Generator], Path]] = {
    one.__name__: one
    for one in (
        *(smooth, noise, precision, steps, stairs),
        *(roc, backwards, vertical, constant),
    )
}
every_curve = pytest.mark.parametrize("curve", CURVES)


def make(curve: str, size: int = 60_000, seed: int = 0) -> Path:
    return CURVES[curve](size, np.random.default_rng(seed))


def places(whole: Path, some: Path) -> IntArray:
    """Return where vertices stand among all points, or fail: in their order, each once."""
    every, few = (list(zip(x.tolist(), y.tolist(), strict=True)) for x, y in (whole, some))
    found, rest = [], iter(enumerate(every))
    for vertex in few:
        found.append(next(place for place, point in rest if point == vertex))
    return np.array(found)


def ends(along: FloatArray, across: FloatArray, edges: FloatArray) -> dict[int, tuple[float, ...]]:
    """Return the lowest and the highest of each column in which there is something."""
    column = np.searchsorted(edges, along, side="right")
    return {
        int(one): (across[column == one].min(), across[column == one].max())
        for one in np.unique(column)
    }


def split(low: float, high: float) -> FloatArray:
    return low + (high - low) * (np.arange(COLUMNS) / COLUMNS)


def rises(values: FloatArray) -> bool:
    return bool((np.diff(values) >= 0).all())


def check_extremes(whole: Path, some: Path) -> None:
    """Raise unless each column has its lowest and highest point, or each row its outermost."""
    x, y = whole
    if rises(x) or not rises(y):
        edges = split(x.min(), x.max())
        assert ends(*some, edges) == ends(*whole, edges)
        if x.min() >= 0 and x.max() > 0:
            edges = np.exp(split(*np.log([x[x > 0].min(), x.max()])))
            assert ends(*some, edges) == ends(*whole, edges)
    if not rises(x):
        edges = split(y.min(), y.max())
        assert ends(*some[::-1], edges) == ends(*whole[::-1], edges)


def unit(values: FloatArray) -> FloatArray:
    scaled: FloatArray = (values - values.min()) / (np.ptp(values) or 1)
    return scaled


def distance(points: Path, line: Path) -> FloatArray:
    """Return how far points are from a line, each from its nearest piece."""
    u, v = (np.asarray(side)[:, None] for side in points)
    (a, b), (du, dv) = ((side[:-1] for side in line), (np.diff(side) for side in line))
    square = du**2 + dv**2
    part = np.clip(((u - a) * du + (v - b) * dv) / np.where(square, square, 1), 0, 1)
    far: FloatArray = np.hypot(u - a - part * du, v - b - part * dv).min(axis=1)
    return far


def draw(paths: list[Path], width: int, log: bool) -> FloatArray:
    """Return the grey values of a picture of a line, or of what is between two."""
    figure = Figure(figsize=(width / 100, width / 125), dpi=100)
    ax = figure.add_axes((0.01, 0.01, 0.98, 0.98), xscale="log" if log else "linear")
    if len(paths) == 1:
        ax.plot(*paths[0], color="black", linewidth=1.8, snap=False)
    else:
        (x, up), (back, down) = paths
        ax.fill(np.append(x, back[::-1]), np.append(up, down[::-1]), color="black", linewidth=0.6)
    buffer = BytesIO()
    figure.savefig(buffer, format="raw", dpi=100)
    pixels = np.frombuffer(buffer.getvalue(), np.uint8).reshape(-1, width, 4)
    return pixels[..., 0].astype(np.float64) / 255


@every_curve
def test_few_points_are_drawn_as_they_are(curve: str) -> None:
    x, y = make(curve, WHOLE - 1)
    same, alike = thin(x, y)
    assert same is x and alike is y


@pytest.mark.parametrize("gone", [np.nan, np.inf])
def test_what_is_not_finite_is_left_alone(gone: float) -> None:
    x, y = make("noise")
    y[7] = gone
    assert thin(x, y)[1] is y
    assert thin(y, x)[0] is y


@settings(max_examples=40)
@given(
    curve=st.sampled_from(list(CURVES)),
    size=st.integers(WHOLE + 1, 5 * WHOLE),
    seed=st.integers(0, 99),
    scale=st.sampled_from([1e-200, 1.0, 1e200]),
    shift=st.sampled_from([-3.0, 0.0, 5.0]),
)
def test_extremes_and_ends_stay(
    curve: str, size: int, seed: int, scale: float, shift: float
) -> None:
    x, y = make(curve, size, seed)
    x, y = (x + shift) * scale, y * scale
    whole = x.copy(), y.copy()
    some = thin(x, y)
    np.testing.assert_array_equal((x, y), whole)
    assert some[0].size <= min(LIMIT, x.size)
    found = places(whole, some)
    assert (np.diff(found) > 0).all()
    assert [side[[0, -1]].tolist() for side in some] == [side[[0, -1]].tolist() for side in whole]
    check_extremes(whole, some)


@settings(max_examples=30)
@given(
    steps_of_x=st.lists(st.integers(0, 9), min_size=1, max_size=9),
    heights=st.lists(st.integers(-9, 9), min_size=1, max_size=9),
    size=st.integers(WHOLE + 1, 3 * WHOLE),
)
def test_extremes_stay_among_ties(steps_of_x: list[int], heights: list[int], size: int) -> None:
    x = np.cumsum(np.resize(steps_of_x, size)).astype(np.float64)
    y = np.resize(heights, size).astype(np.float64)
    some = thin(x, y)
    assert some[0].size <= LIMIT
    check_extremes((x, y), some)


@every_curve
def test_integers_are_thinned_alike(curve: str) -> None:
    x, y = (np.round(1e6 * side).astype(np.int64) for side in make(curve))
    for one, other in zip(thin(x, y), thin(x.astype(float), y.astype(float)), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "curve", ["smooth", "precision", "steps", "stairs", "roc", "vertical", "constant"]
)
def test_nothing_moves_by_more_than_half_a_pixel(curve: str, log: bool) -> None:
    x, y = make(curve)
    few, heights = thin(x, y)
    assert few.size < LIMIT
    if log:
        x, few = (np.log(np.maximum(side, x[x > 0].min())) for side in (x, few))
    low, extent = x.min(), np.ptp(x) or 1
    line = (few - low) / extent, (heights - y.min()) / (np.ptp(y) or 1)
    u, v = unit(x), unit(y)
    for start in range(0, x.size, 101 * 50):
        near = slice(start, start + 101 * 50, 50)
        assert distance((u[near], v[near]), line).max() <= HALF_A_PIXEL


def test_a_smooth_curve_needs_few_vertices() -> None:
    assert thin(*make("smooth", 1_000_000))[0].size < 3_000
    assert thin(*make("constant", 1_000_000))[0].size < 3_000


def test_a_corner_stays() -> None:
    x = np.arange(1_000_001) / 1_000_000
    y = np.where(x < 0.123457, 0, np.where(x < 0.98, 0.7, 1.0))
    few, heights = thin(x, y)
    for corner in (0.123456, 0.123457, 0.979999, 0.98):
        assert np.abs(few - corner).min() < HALF_A_PIXEL / 2
    assert set(heights) == {0, 0.7, 1}


def apart(one: FloatArray, other: FloatArray) -> float:
    """Return the share of pixels that are unlike all those at or beside their place in another."""
    sides = []
    for here, there in ((one, other), (other, one)):
        low, high = minimum_filter(there, 3), maximum_filter(there, 3)
        sides.append(((here < low - 0.2) | (here > high + 0.2)).mean())
    return float(max(sides))


@pytest.mark.parametrize("width", [1_000])
@pytest.mark.parametrize(
    ("curve", "log"),
    [*((curve, False) for curve in CURVES), ("precision", True), ("steps", True), ("roc", True)],
)
def test_pictures_of_lines_are_the_same(curve: str, width: int, log: bool) -> None:
    x, y = make(curve)
    x = x - min(x.min(), 0)
    one, other = (draw([path], width, log) for path in ((x, y), thin(x, y)))
    # Of noise, which takes more vertices than there may be, the columns are what stays.
    noisy = curve in ("noise", "backwards")
    assert apart(one, other) < (0.01 if noisy else 1e-6)
    # Edges of a line of very many pieces are darker: each piece adds its share of a pixel.
    assert np.abs(one - other).mean() < (0.02 if noisy else 2e-3)


@pytest.mark.parametrize("width", [1_000])
@pytest.mark.parametrize("curve", ["precision", "steps", "roc"])
def test_pictures_of_areas_are_the_same(curve: str, width: int) -> None:
    x, y = make(curve, 10_000)
    band = [(x, y), (x, y - 0.2 * np.ptp(y) * unit(x))]
    one, other = (draw(paths, width, False) for paths in (band, [thin(*side) for side in band]))
    assert 0.01 < (one < 0.5).mean() < 0.9
    assert apart(one, other) < 1e-6
    assert np.abs(one - other).mean() < 2e-4
