"""Draw a tidy frame: metrics against beta, thresholds or biased labels, forests, calibration."""

from collections.abc import Callable, Collection, Hashable, Sequence
from functools import partial
from itertools import combinations, takewhile
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pu_accessor.beta import Betas
from pu_accessor.errors import PUValueError, brief
from pu_accessor.inference.comparison import crossings
from pu_accessor.inference.metrics import named
from pu_accessor.plots import drawing
from pu_accessor.plots.curves import write_missing
from pu_accessor.plots.drawing import Curve, Kind
from pu_accessor.plots.options import Options, dimensions, ground, ink
from pu_accessor.plots.panels import Drawing, draw_panels

_AXES = {  # labels of the x axis
    "beta": "class prior β of the unlabeled",
    "threshold": "threshold probability",
    "selection_odds": "selection odds (factor between odds of being labeled), at most",
    "contamination": "share of negatives among the known positives, at most",
    "prevalence": "prevalence in future data",
    "mean_score": "mean predicted probability",
}
# Columns before the first of these are keys.
_RESULTS = {"metric", "quantity", "at", "beta", "rank", "threshold", "target", "estimate", "left"}
_RESULTS |= {"selection_odds", "contamination", "prevalence", "breaking_point"}
_SWEPT = ("selection_odds", "contamination", "prevalence")
_ODDS = 1, 1.5, 2, 3, 5  # that have a tick
_NEGATIVE_SHARE, _MAX_EMPTY_SHARE = 0.2, 0.5  # below a decision curve, and below bands
_HALF_BARS = 0.006, 0.005, 0.004  # half a bar in scores, of one, two or more curves
_ROW_SHARE = 0.8  # of a row of a forest, for all its colours
_MAX_HALF_BAR, _HALF_BAR_SHARE = 0.06, 0.28  # half a bar: inches, and share of its part
_ROW_INCHES, _HUE_INCHES, _OUTER_INCHES = 0.3, 0.2, 0.8  # a row, a colour more in it, labels
_POINTS_PER_INCH, _MIN_POINTS, _MIN_WIDTH = 72, 5, 3.3  # size of digits; inches of their Axes
_NAMES, _MIN_NAME, _LETTER = 0.5, 8, 0.6  # names: share of the Axes, fewest letters, their width


def plot_rows(
    frame: pd.DataFrame,
    x: str,
    looks: Options,
    *,
    label: str,
    betas: Betas | None = None,
    order: str | Sequence[Hashable] | None = None,
    score: Hashable = None,
) -> Drawing:
    """Draw a metric with its interval against `x`; a forest (x="estimate") has rows in order."""
    frame = _with_betas(frame, betas).assign(score=pd.Series([score] * len(frame), dtype=object))
    draw: Callable[..., None] = _draw_bins if x == "mean_score" else partial(_draw_bands, x)
    along, across = _AXES.get(x, ""), drawing.write_name(label)
    if x == "threshold":  # that was asked for, not the score of the cutoff
        frame = frame.assign(threshold=frame["at"])
    if x == "estimate":
        curves, names = _forest_rows(frame, {*dimensions(looks).values()}, order)
        along, across, draw = across, "", partial(_draw_forest, names)
    else:
        curves = _curves(*_with_pairs(frame, _keys(frame, x)), x)
    is_interval = x == "estimate" or (x in _SWEPT and "band" not in frame.attrs)
    what = "intervals" if x == "mean_score" else "interval" if is_interval else "band"
    band = drawing.band_label(frame.attrs, drawing.intervals_of_beta(curves), what=what)

    def draw_labeled(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel=along, ylabel=across)
        draw(frame, looks, band, ax, curves)

    return draw_panels(curves, draw_labeled, looks)


def _draw_bands(
    x: str, frame: pd.DataFrame, looks: Options, band: str, ax: Axes, curves: Sequence[Curve]
) -> None:
    """Draw lines, bands, and the marks of this x axis."""
    edged = [drawing.without_teeth(one) if x == "threshold" else one for one in curves]
    drawing.draw_bands(ax, edged, band, looks)
    drawing.draw_lines(ax, curves, looks)
    if x == "beta":
        _draw_changes(ax, curves, f"{drawing.write_level(frame.attrs)}upper limit on β")
    elif x == "threshold":
        _draw_defaults(ax, curves)
    elif "above" in frame.attrs:
        _draw_conclusion(ax, curves, float(frame.attrs["above"]))
    if x == "selection_odds":
        ax.set_xscale("log")
        ax.set_xticks(_ODDS, [f"{odds:g}" for odds in _ODDS])
        ax.minorticks_off()


def _draw_changes(ax: Axes, curves: Sequence[Curve], limit: str) -> None:
    """Mark where models change their order, and shade where a band is impossible."""
    for first, second in combinations(curves, 2):
        (betas, values), (others, more) = first.estimate, second.estimate
        if np.array_equal(betas, others):
            known = np.isfinite(values - more)
            x = np.array(crossings(betas[known], (values - more)[known]))
            if x.size:
                y = np.interp(x, betas[known], values[known])
                drawing.draw_cross(ax, x, y, Kind.CHANGE, "order changes", ink(ax))
    drawing.mark_infeasible(ax, curves)
    for curve in curves:
        if ax.dataLim.x0 <= (beta := curve.extra["beta_limit"]) <= ax.dataLim.x1:
            line: dict[str, Any] = {"color": curve.color, "linestyle": "-.", "linewidth": 1.1}
            line |= {"marker": "v", "markevery": [1], "markersize": 7, "clip_on": False}
            ax.axvline(beta, label=limit, gid=Kind.LIMIT, zorder=2.5, **line)


def _draw_defaults(ax: Axes, curves: Sequence[Curve]) -> None:
    """Draw the net benefit of treating all and of treating none."""
    x = curves[0].estimate[0]
    for prevalence, hue in drawing.prevalences(curves):
        treat_all = prevalence - (1 - prevalence) * x / (1 - x)
        drawing.draw_chance(ax, x, treat_all, label="treat all", **hue)
    none: dict[str, Any] = {"label": "treat none", "linestyle": "-", "linewidth": 0.8}
    drawing.draw_chance(ax, x[:: x.size - 1], [0, 0], **none)
    top = max(float(ax.dataLim.y1), 1e-3)
    if ax.get_yscale() == "linear":  # unless the user has set another scale
        ax.set_ylim(-_NEGATIVE_SHARE * top, 1.05 * top, auto=True)


def _draw_conclusion(ax: Axes, curves: Sequence[Curve], above: float) -> None:
    """Draw the value that a metric must exceed, and mark where it may no longer exceed it."""
    low, high = ax.dataLim.intervaly
    if low - above < _MAX_EMPTY_SHARE * (high - low):
        ends = [float(curves[0].estimate[0][place]) for place in (0, -1)]
        drawing.draw_chance(ax, ends, [above, above], label=f"conclusion: above {above:g}")
    else:
        ax.text(0.03, 0.03, f"above {above:g} throughout", transform=ax.transAxes, size="small")
    for curve in curves:
        point = curve.extra["breaking_point"]
        if np.isfinite(point) and point <= ax.dataLim.x1:
            drawing.draw_cross(ax, [point], [above], Kind.BREAK, "conclusion breaks", curve.color)
            style: dict[str, Any] = {"color": curve.color, "ha": "center", "fontsize": "small"}
            style |= {"xytext": (0, 7), "textcoords": "offset points"}
            ax.annotate(f"{point:.3g}", (point, above), **style)


def _draw_bins(
    frame: pd.DataFrame, looks: Options, band: str, ax: Axes, curves: Sequence[Curve]
) -> None:
    """Draw the share of positives in each bin at its mean score, and bars side by side."""
    number = len(drawing.without_baselines(curves))
    has_bars = len(curves) <= drawing.MAX_FILLED_BANDS or bool(looks["band_kws"])
    drawing.draw_diagonal(ax, "calibrated")
    drawing.draw_counts(ax, curves, int(frame["examples"].max()))  # the same scale in all panels
    half, drawn = _HALF_BARS[min(number, 3) - 1], [*curves]
    for index, curve in enumerate(curves if has_bars else ()):
        at, share = curve.estimate
        beside = at + half * (2 * index - number + 1)
        drawn[index] = curve._replace(estimate=(beside, share))
        drawing.draw_bars(ax, drawn[index], band, looks, half, 0)
    drawing.draw_lines(ax, drawn, looks, dots={"linewidth": 0.8})
    style: dict[str, Any] = {"marker": "o", "linestyle": "none", "markerfacecolor": ground(ax)}
    for curve in drawn:
        at, share = (each[curve.extra["known_positive"] == 0] for each in curve.estimate)
        if at.size and not curve.is_baseline:
            style |= {"color": curve.color, "gid": Kind.HOLLOW, "label": "no known positive"}
            ax.plot(at, share, zorder=3.5, **style)
    drawing.show_rates(ax, below=drawing.COUNTS_HEIGHT)


def _draw_forest(
    names: Sequence[str],
    frame: pd.DataFrame,
    looks: Options,
    interval: str,
    ax: Axes,
    curves: Sequence[Curve],
) -> None:
    """Draw a row for each model: the estimate as a dot, the interval as a bar."""
    number = sum(not curve.is_baseline for curve in curves)
    step = _ROW_SHARE / max(number, 1)
    if looks["ax"] is None and looks["col"] is None:
        needed = len(names) * (_ROW_INCHES + _HUE_INCHES * (number - 1)) + _OUTER_INCHES
        ax.get_figure(root=True).set_figheight(needed)  # type: ignore[union-attr]
    width, inches = np.divide(ax.get_window_extent().size, ax.figure.dpi)
    half = min(_HALF_BAR_SHARE * step, _MAX_HALF_BAR * len(names) / inches)
    drawn = []
    for index, curve in enumerate(curves):
        row, value = curve.estimate
        shift = 0 if curve.is_baseline else (index - (number - 1) / 2) * step
        drawn.append(curve._replace(estimate=(value, row + shift)))
        drawing.draw_bars(ax, drawn[-1], interval, looks, half, 1)
    drawing.draw_lines(ax, drawn, looks, dots={"linestyle": "none"})
    ax.set_yscale("linear")
    _name_rows(ax, names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    low, high = ax.dataLim.intervalx
    metric = named(str(frame["metric"].iloc[0]))
    if metric is not None and metric.curve == "roc" and low - 0.5 < high - low:  # it is near
        drawing.draw_chance(ax, [0.5, 0.5], [-0.5, len(names) - 0.5])
    has_room = looks["col"] is None and ax.figure.get_layout_engine() is not None
    if has_room and width > _MIN_WIDTH:
        _write_numbers(
            ax, drawing.without_baselines(drawn), _POINTS_PER_INCH * inches * step / len(names)
        )


def _write_numbers(ax: Axes, curves: Sequence[Curve], most: float) -> None:
    """Write estimates and limits right of the Axes, unless rows are too low in points."""
    size = min(most, 0.85 * mpl.rcParams["font.size"])
    if size < _MIN_POINTS:
        return
    style: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "va": "center"}
    for curve in curves:
        values = curve.estimate[0], curve.lower[1], curve.upper[1]
        for y, *numbers in zip(curve.estimate[1], *values, strict=True):
            if np.isfinite(numbers[0]):
                text = drawing.write_interval(*numbers)
                ax.text(1.02, y, text, color=ink(ax), fontsize=size, **style)


def _name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Write the names of rows in a size that fits, and cut long names in the middle."""
    room = _POINTS_PER_INCH * np.divide(ax.get_window_extent().size, ax.figure.dpi)
    lines = sum(name.count("\n") + 1 for name in names)
    size = min(room[1] / lines, mpl.rcParams["font.size"])
    longest = max(int(_NAMES * room[0] / (_LETTER * size)), _MIN_NAME)
    parts = (name.partition("\n") for name in names)  # beta is on a line of its own
    written = [f"{drawing.cut(name, longest)}{line}{beta}" for name, line, beta in parts]
    ax.set_yticks(range(len(names)), written, fontsize=size)
    ax.tick_params(axis="y", length=0)


# A frame -> its curves


def _keys(frame: pd.DataFrame, x: str) -> list[str]:
    """Return the key columns of curves, without beta."""
    keys = [str(name) for name in takewhile(lambda name: name not in _RESULTS, frame.columns)]
    more = [] if x == "threshold" else [name for name in ("metric", "at") if name in frame]
    return keys + [name for name in more if len(frame[name].unique()) > 1]


def _with_betas(frame: pd.DataFrame, betas: Betas | None) -> pd.DataFrame:
    """Return rows with the interval of beta, and with beta in words."""
    intervals: list[Any] = [None] * len(frame)
    if betas is not None and (betas.shared is not None or "n_groups" not in frame):  # no average
        names = [str(name) for name in takewhile(lambda name: name not in _RESULTS, frame)]
        keys = frame.set_index(names).index if names else [()] * len(frame)
        intervals = [beta.interval for beta in betas.of(names, [*keys])]
    said = [*map(drawing.write_beta, frame["beta"], intervals)]
    return frame.assign(interval=pd.Series(intervals, frame.index, dtype=object), said=said)


def _has_own_betas(frame: pd.DataFrame, keys: Sequence[str]) -> bool:
    """Whether each key has one beta, and betas differ."""
    pairs = frame.drop_duplicates([*keys, "said"])
    return bool(keys) and len({*frame["said"]}) > 1 and not pairs.duplicated([*keys]).any()


def _with_pairs(frame: pd.DataFrame, keys: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows of differences with the pair as their key, or other rows as they are."""
    sides = [[key for key in keys if key.endswith(side)] for side in ("_a", "_b")]
    if not sides[0]:
        return frame, keys
    first, second = (frame[side].astype(str).agg(", ".join, axis=1) for side in sides)
    others = [key for key in keys if not key.endswith(("_a", "_b"))]
    return frame.assign(pair=first + " minus " + second), [*others, "pair"]


def _curves(frame: pd.DataFrame, keys: Sequence[str], x: str) -> list[Curve]:
    """Return the curve of each key and beta, along sorted x."""
    has_beta = "beta" in frame and x != "beta"
    names = [*keys, "beta"] if has_beta and not _has_own_betas(frame, keys) else [*keys]
    by, called = ("left", "bins") if x == "mean_score" else (x, x if x[-1] == "s" else f"{x}s")
    frame = frame[frame[by].notna()]  # without groups that have no result
    curves = []
    for key, rows in frame.groupby(names, sort=False, dropna=False) if names else [((), frame)]:
        where = dict(zip(names, map(write_missing, key), strict=True))
        rows = rows.sort_values(by, kind="stable")
        places = rows[by].to_numpy(np.float64)
        if x != "row" and (places.size < 2 or (np.diff(places) <= 0).any()):
            raise PUValueError(
                f"A plot needs two or more increasing {called}, but there are {places.size}: "
                f"{places[:5].tolist()}. Pass several."
            )
        rows = rows[rows[["estimate", "lower", "upper"]].notna().any(axis=1)]
        if len(keys) > 1:
            where = {"group": tuple(where[key] for key in keys), **where}
        if len(rows):
            curves.append(_curve_of(where, rows, x))
    return curves


def _curve_of(where: dict[str, Hashable], rows: pd.DataFrame, x: str) -> Curve:
    """Return the curve of some rows; their other columns are extra."""
    extra: dict[str, Any] = {str(name): rows[name].to_numpy() for name in rows}
    for name in ("breaking_point", "beta_limit", "prevalence"):
        extra[name] = float(extra[name][0] if name in rows else rows.attrs.get(name, np.nan))
    intervals = {*extra["interval"]}
    extra["interval"] = intervals.pop() if len(intervals) == 1 else None
    extra["score"] = extra["score"][0]
    has_beta = "beta" in rows and x != "beta" and rows.attrs.get("n_unlabeled", 1) > 0
    beta = float(extra["beta"][0]) if has_beta else None
    names = (x, "estimate", "lower", "upper")
    along, middle, lower, upper = (rows[name].to_numpy(np.float64) for name in names)
    if "infeasible" in rows:
        extra["cut"] = along, extra["infeasible"]
    return Curve(where, beta, (along, middle), (along, lower), (along, upper), extra)


def _forest_rows(
    frame: pd.DataFrame, hue_names: set[str], order: str | Sequence[Hashable] | None
) -> tuple[list[Curve], list[str]]:
    """Return the curves of a forest, along its rows, and the names of rows."""
    keys = _keys(frame, "")
    in_hues, listed = ([key for key in keys if (key in hue_names) == is_hue] for is_hue in (1, 0))
    if not (keys or hue_names or (frame["beta"] == 0).any()):  # one model: a row for each beta
        said = [*map(drawing.write_beta, frame["beta"])]  # the legend has its interval
        model = frame["score"].iloc[0]
        said = said if model is None else [f"{drawing.write_key(model)}\n{beta}" for beta in said]
        frame, listed = frame.assign(said=said).drop(columns="beta"), ["said"]
    # A key is a value of one column, or a tuple of several.
    places = frame.set_index(listed).index.tolist() if listed else [""] * len(frame)
    rows = frame.assign(place=pd.Series(places, dtype=object))
    names = _ordered(rows, order, listed)
    number = {name: place for place, name in enumerate(names)}
    rows = rows.assign(row=rows["place"].map(number)).dropna(subset="row")
    written = [drawing.write_key(name) for name in names]
    if "beta" in rows and _has_own_betas(rows, ["place", *in_hues]):
        betas = rows.drop_duplicates("row").sort_values("row")["said"]
        written = [f"{text}\n{beta}" for text, beta in zip(written, betas, strict=True)]
        rows = rows.drop(columns="beta")
    return _curves(rows, in_hues, "row"), written


def _ordered(
    rows: pd.DataFrame, order: str | Sequence[Hashable] | None, listed: Sequence[str]
) -> list[Hashable]:
    """Return keys in the requested order."""
    names: list[Hashable] = [*dict.fromkeys(rows["place"])]
    if order is None:
        return names
    if isinstance(order, str) and order == "estimate" and order not in names:
        best = rows.drop_duplicates("place").sort_values(order, ascending=False, kind="stable")
        return best["place"].tolist()
    given = [order] if isinstance(order, str) else order
    asked: list[Hashable] = [*given] if isinstance(given, Collection) else []
    wrong = [key for key in asked if key not in names]
    if wrong or not asked or len({*asked}) < len(asked):
        raise PUValueError(
            f"order must be 'estimate', or a list of keys of {', '.join(listed) or 'groups'}, "
            f"each once, but {brief(wrong or order)} was passed. There are {brief(names)}."
        )
    return asked
