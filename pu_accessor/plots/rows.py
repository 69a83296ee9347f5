"""Rows of a tidy frame: against beta, a threshold or how labels fail, forests, calibration."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from itertools import combinations, islice, takewhile
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.textpath import TextPath

from pu_accessor.checks import check_option
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.inference.comparison.dominance import crossings
from pu_accessor.inference.metrics import axis_label
from pu_accessor.plots import artists
from pu_accessor.plots.artists import Curve, Kind
from pu_accessor.plots.curves import write_missing
from pu_accessor.plots.looks import Looks, check_looks, dimensions, ground, has_panels, ink
from pu_accessor.plots.panels import Drawing, Levels, draw_panels
from pu_accessor.ranking import FloatArray

_AXES = {  # what may stand along the axis
    "beta": "β̂ (share of positives among the unlabeled)",
    "threshold": "threshold probability",
    "selection_odds": "factor by which odds of being labeled differ, at most",
    "contamination": "share of the known positives that is negative, at most",
    "mean_score": "mean predicted probability",
    "estimate": "",  # what the number is
}
_ACROSS = {"mean_score": "share of positives"}
# The first of these columns ends those of the keys.
_ANSWERS = {"metric", "quantity", "at", "beta", "rank", "threshold", "target", "estimate", "left"}
_ANSWERS |= {"selection_odds", "contamination", "breaking_point"}
_BELOW = 0.2  # how far a decision curve is followed below 0, by the highest point
_HALF, _DODGE = 0.006, 0.016  # of a bar's width, and from one curve to the next, in scores
_EMPTY = 0.5  # of the heights of bands, that a picture may have below them
_APART = 0.12  # of the axis, for labels of ticks
_SHARE = 0.8  # of the height of a row of a forest, for all its hues
_THICK, _THIN = 0.06, 0.28  # half of an interval's bar, at most: in inches, and of its hue's part
_ROW = 0.24  # inches that a row takes, and ...
_HUE = 0.1  # ... each further hue in it
_EDGES = 1.2  # inches for labels above and below
_POINTS = 72  # in an inch
_NAMES, _SHORTEST = 0.5, 8  # of the width of Axes, for names of rows; characters of one


def plot_rows(
    frame: pd.DataFrame,
    x: str,
    looks: Looks,
    *,
    label: str | None = None,
    order: str | Sequence[Hashable] | None = None,
) -> Drawing:
    """Draw a number with its interval, along what `x` names.

    Against beta a cross marks where two models swap their order. Shaded, with a strip in its hue,
    are the betas at which a model's band is impossible. A vertical line marks the upper limit on
    beta that the known positives set, where it is within the picture. Where labels fail the inner
    band has what the estimate can be, and a cross marks from where on a conclusion breaks. Against
    mean scores there are dots and bars, hollow where a bin has no known positive, so that labels
    say little of it, and counts at the foot. Against the estimate there is a row for each model,
    in `order`.
    """
    looks = check_looks(looks)
    check_option("x", x, _AXES)
    if label is None:
        label = axis_label(str(frame["metric"].iloc[0])) if "metric" in frame else "estimate"
    levels: Levels = {}
    draw: Callable[..., None]
    if x == "estimate":
        curves, names = _places(frame, {*dimensions(looks).values()}, order)
        draw = partial(_draw_forest, names)
    else:
        curves, levels = _curves(frame, x)
        draw = _draw_bins if x == "mean_score" else partial(_draw_bands, x)

    def draw_labeled(ax: Axes, curves: list[Curve]) -> None:
        across = artists.write_name(label)
        along = (across, "") if x == "estimate" else (_AXES[x], _ACROSS.get(x, across))
        ax.set(xlabel=along[0], ylabel=along[1])
        draw(frame, looks, ax, curves)

    return draw_panels(curves, draw_labeled, looks, levels)


def _draw_bands(
    x: str, frame: pd.DataFrame, looks: Looks, ax: Axes, curves: Sequence[Curve]
) -> None:
    """Draw lines and bands, and what stands beside them."""
    level = f"{100 * frame.attrs['level']:.12g}% " if "level" in frame.attrs else ""
    fails = x in ("selection_odds", "contamination") and "band" not in frame.attrs
    band = f"{level}interval" if fails else artists.band_label(frame.attrs)
    for curve in curves:
        artists.draw_band(ax, curve, looks, band)
    artists.draw_lines(ax, curves, looks)
    if x == "beta":
        _draw_changes(ax, curves, f"{level}upper limit on β̂")
    elif x == "threshold":
        _draw_defaults(ax, artists.not_naive(curves))
    elif "above" in frame.attrs:
        _draw_conclusion(ax, curves, float(frame.attrs["above"]))
    if x == "selection_odds":
        ax.set_xscale("log")
        ticks = _ticks(np.unique(frame[x]))
        ax.set_xticks(ticks, [f"{odds:.3g}" for odds in ticks])
        ax.minorticks_off()


def _draw_changes(ax: Axes, curves: Sequence[Curve], limit: str) -> None:
    """Mark where models swap their order, and shade where a band is impossible."""
    for first, second in combinations(curves, 2):
        (betas, values), (others, more) = first.estimate, second.estimate
        if np.array_equal(betas, others):
            known = np.isfinite(values - more)
            x = np.array(crossings(betas[known], (values - more)[known]))
            if x.size:
                y = np.interp(x, betas[known], values[known])
                artists.draw_cross(ax, x, y, Kind.CHANGE, "order changes", ink(ax))
    for curve in curves:
        if "infeasible" in curve.aside:
            artists.draw_infeasible(
                ax, (curve.estimate[0], curve.aside["infeasible"]), curve.color
            )
        if ax.dataLim.x0 <= (beta := curve.aside["beta_limit"]) <= ax.dataLim.x1:
            line: dict[str, Any] = {"color": curve.color, "linestyle": "-.", "linewidth": 1.1}
            line |= {"marker": "v", "markevery": [1], "markersize": 7, "clip_on": False}
            ax.axvline(beta, label=limit, gid=Kind.LIMIT, zorder=2.5, **line)


def _draw_defaults(ax: Axes, curves: Sequence[Curve]) -> None:
    """Draw what treating all, and treating none, are worth."""
    x = curves[0].estimate[0]
    colors = {curve.aside["prevalence"]: curve.color for curve in curves}
    for prevalence, color in colors.items():
        style = {"color": color} if len(colors) > 1 else {}
        treat_all = prevalence - (1 - prevalence) * x / (1 - x)
        if np.isfinite(prevalence):
            artists.draw_chance(ax, x, treat_all, label="treat all", **style)
    none: dict[str, Any] = {"label": "treat none", "linestyle": "-", "linewidth": 0.8}
    artists.draw_chance(ax, x[:: x.size - 1], [0, 0], **none)
    tops = [np.max(line.get_ydata()) for line in ax.lines]
    tops += [area.get_xy()[:, 1].max() for area in ax.patches]  # type: ignore[attr-defined]
    top = max(float(max(tops)), 1e-3)
    if ax.get_yscale() == "linear":  # until somebody asks for another scale
        ax.set_ylim(-_BELOW * top, 1.05 * top, auto=True)


def _draw_conclusion(ax: Axes, curves: Sequence[Curve], above: float) -> None:
    """Draw what a number is to exceed, and mark from where on it does not for sure."""
    low, high = ax.dataLim.intervaly
    if low - above < _EMPTY * (high - low):
        ends = [float(curves[0].estimate[0][place]) for place in (0, -1)]
        artists.draw_chance(ax, ends, [above, above], label=f"{above:g}")
    else:
        holds = f"above {above:g} throughout"
        ax.annotate(holds, (0.03, 0.03), xycoords="axes fraction", fontsize="small")
    for curve in curves:
        point = curve.aside["breaking_point"]
        if np.isfinite(point) and point <= ax.dataLim.x1:
            artists.draw_cross(ax, [point], [above], Kind.BREAK, "conclusion breaks", curve.color)
            style: dict[str, Any] = {"color": curve.color, "ha": "center", "fontsize": "small"}
            style |= {"xytext": (0, 7), "textcoords": "offset points"}
            ax.annotate(f"{point:.3g}", (point, above), **style)


def _ticks(odds: FloatArray) -> list[float]:
    """Return factors from the highest down that stand apart on a logarithmic axis."""
    ticks = [float(odds[-1])]
    least = (odds[-1] / odds[0]) ** _APART
    for factor in odds[::-1].tolist():
        if ticks[-1] / factor >= least:
            ticks.append(factor)
    return ticks[::-1]


def _draw_bins(frame: pd.DataFrame, looks: Looks, ax: Axes, curves: Sequence[Curve]) -> None:
    """Draw the share of positives at the mean score of each bin, with a bar."""
    band, middle = artists.band_label(frame.attrs), (len(curves) - 1) / 2
    has_bars = len(curves) <= artists.FEW or bool(looks["band_kws"])
    artists.draw_diagonal(ax, "calibrated")
    artists.draw_counts(ax, curves, int(frame["examples"].max()))  # on one scale in all panels
    dodged = []
    for index, curve in enumerate(curves):
        at, share = curve.estimate
        shift = has_bars * _DODGE * (index - middle)
        dodged.append(curve._replace(estimate=(at + shift, share)))
        if has_bars:
            artists.draw_bars(ax, dodged[-1], looks, band, _HALF, upright=True)
    artists.draw_lines(ax, dodged, looks, dots={"linewidth": 0.8})
    style: dict[str, Any] = {"marker": "o", "linestyle": "none", "markerfacecolor": ground(ax)}
    for curve in dodged:
        at, share = (each[curve.aside["known_positive"] == 0] for each in curve.estimate)
        if at.size and not curve.is_baseline:
            style |= {"color": curve.color, "gid": Kind.HOLLOW, "label": "no known positive"}
            ax.plot(at, share, zorder=3.5, **style)
    artists.show_rates(ax, below=artists.STRIP)


def _draw_forest(
    names: Sequence[str], frame: pd.DataFrame, looks: Looks, ax: Axes, curves: Sequence[Curve]
) -> None:
    """Draw numbers as dots and their intervals as bars, a row below the other."""
    level, about = frame.attrs["level"], artists.TARGETS[frame.attrs["target"]]
    interval = f"{100 * level:.12g}% interval,\n{about}"
    hues = [curve for curve in curves if not curve.is_baseline]
    step = _SHARE / max(len(hues), 1)
    if looks["ax"] is None and not has_panels(looks):
        figure: Any = ax.get_figure(root=True)
        needed = len(names) * (_ROW + _HUE * (len(hues) - 1)) + _EDGES
        figure.set_figheight(max(figure.get_figheight(), needed))
    inches = ax.get_window_extent().height / ax.figure.dpi
    half = min(_THIN * step, _THICK * len(names) / inches)
    drawn = []
    for index, curve in enumerate(curves):
        row, value = curve.estimate
        shift = 0 if curve.is_baseline else (index - (len(hues) - 1) / 2) * step
        drawn.append(curve._replace(estimate=(value, row + shift)))
        artists.draw_bars(ax, drawn[-1], looks, interval, half, upright=False)
    artists.draw_lines(ax, drawn, looks, dots={"linestyle": "none"})
    ax.set_yscale("linear")  # rows are no numbers
    _name_rows(ax, names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    if "metric" in frame and (frame["metric"] == "auroc").all():
        artists.draw_chance(ax, [0.5, 0.5], [-0.5, len(names) - 0.5])


def _name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Write the names of rows in print that they have room for, long ones without their middle."""
    room = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    lines = sum(name.count("\n") + 1 for name in names)
    size = min(_POINTS * room.height / lines, mpl.rcParams["font.size"])
    cut = []
    for name in names:
        first, *more = name.split("\n")
        width = TextPath((0, 0), f"{first}.", size=size).get_extents().width / _POINTS
        fitting = int(len(first) * _NAMES * room.width / max(width, _NAMES * room.width))
        cut.append("\n".join([artists.cut(first, max(fitting, _SHORTEST)), *more]))
    ax.set_yticks(range(len(names)), cut, fontsize=size)
    ax.tick_params(axis="y", length=0)


# A frame -> its curves


def _keys(frame: pd.DataFrame, x: str) -> list[str]:
    """Return the columns that tell curves apart, without beta."""
    keys = [str(name) for name in takewhile(lambda name: name not in _ANSWERS, frame.columns)]
    more = [] if x == "threshold" else [name for name in ("metric", "at") if name in frame]
    return keys + [name for name in more if len(frame[name].unique()) > 1]


def _has_own_betas(frame: pd.DataFrame, keys: Sequence[str]) -> bool:
    """Whether each key has one beta, not the same as others."""
    if not keys or "beta" not in frame or frame["beta"].nunique() < 2:
        return False
    return not frame.drop_duplicates([*keys, "beta"]).duplicated([*keys]).any()


def _curves(frame: pd.DataFrame, x: str) -> tuple[list[Curve], Levels]:
    """Return the curves of some rows, which rise along x, and the names a key has."""
    keys = _keys(frame, x)
    if sides := [key for key in keys if key.endswith(("_a", "_b"))]:
        half = len(sides) // 2
        first, second = (
            frame[part].astype(str).agg(", ".join, axis=1) for part in (sides[:half], sides[half:])
        )
        frame = frame.assign(pair=first + " less " + second)
        keys = [*(key for key in keys if key not in sides), "pair"]
    own_beta = x != "beta" and _has_own_betas(frame, keys)
    by, called = ("left", "bins") if x == "mean_score" else (x, x if x[-1] == "s" else f"{x}s")
    curves = []
    for where, rows in _groups(frame, keys if x == "beta" else [*keys, "beta"]):
        rows = rows.sort_values(by, kind="stable")
        places = rows[by].to_numpy(np.float64)
        if places.size < 2 or (np.diff(places) <= 0).any():
            raise PUValueError(
                f"A plot needs two or more increasing {called}, but there are {places.size}: "
                f"{places[:5].tolist()}. Pass several."
            )
        if own_beta:
            del where["beta"]
        rows = rows[rows[["estimate", "lower", "upper"]].notna().any(axis=1)]
        if len(keys) > 1:
            where = {"group": tuple(where[key] for key in keys), **where}
        if len(rows):
            curves.append(_read(where, rows, x))
    if not curves:
        raise PUValueError("There is nothing to draw: no row has an estimate. Try another beta.")
    return curves, {"group": keys} if len(keys) > 1 else {}


def _groups(
    frame: pd.DataFrame, names: Sequence[str]
) -> Iterator[tuple[dict[str, Hashable], pd.DataFrame]]:
    """Yield the rows of each curve, and where they stand."""
    by = [name for name in names if name in frame]
    for key, rows in frame.groupby(by, sort=False, dropna=False) if by else [((), frame)]:
        yield dict(zip(by, map(write_missing, key), strict=True)), rows


def _read(where: dict[str, Hashable], rows: pd.DataFrame, x: str) -> Curve:
    """Return the curve of some rows, with what their other columns say."""
    columns = {str(name): rows[name].to_numpy() for name in rows}
    numbers = {
        name: float(rows[name].iloc[0] if name in rows else rows.attrs.get(name, np.nan))
        for name in ("breaking_point", "beta_limit", "prevalence")
    }
    bounds = ("estimate", "lower", "upper")
    along = rows[x].to_numpy(np.float64)
    middle, lower, upper = ((along, rows[name].to_numpy(np.float64)) for name in bounds)
    beta = float(rows["beta"].iloc[0]) if "beta" in rows and x != "beta" else None
    return Curve(where, beta, middle, lower, upper, {**columns, **numbers})


def _places(
    frame: pd.DataFrame, apart: set[str], order: str | Sequence[Hashable] | None
) -> tuple[list[Curve], list[str]]:
    """Return rows as curves that run through places, and the names of these."""
    keys = _keys(frame, "")
    listed = [key for key in keys if key not in apart]
    told = [key for key in keys if key in apart]
    # The key of each row: of one column as it is, of several as a tuple.
    places = frame.set_index(listed).index.tolist() if listed else [""] * len(frame)
    rows = frame.assign(place=pd.Series(places, dtype=object, index=frame.index))
    names = _ordered(rows, order, listed)
    rows = rows[rows["place"].isin(names)]
    number = {name: place for place, name in enumerate(names)}
    rows = rows.assign(y=rows["place"].map(number)).sort_values("y", kind="stable")
    written = [artists.write_key(name) for name in names]
    if _has_own_betas(rows, ["place", *told]):
        betas = rows.drop_duplicates("y")["beta"]
        written = [f"{text}\nβ̂ = {beta:.3g}" for text, beta in zip(written, betas, strict=True)]
        rows = rows.drop(columns="beta")
    groups = _groups(rows, [*told, "beta"])
    return [_read(where, own, "y") for where, own in groups], written


def _ordered(
    rows: pd.DataFrame, order: str | Sequence[Hashable] | None, listed: Sequence[str]
) -> list[Hashable]:
    """Return keys in the order that was asked for."""
    names: list[Hashable] = [*dict.fromkeys(rows["place"])]
    if isinstance(order, str) and order == "estimate" and order not in names:
        best = rows.drop_duplicates("place").sort_values(order, ascending=False, kind="stable")
        return best["place"].tolist()
    if order is None:
        return names
    try:  # one more than there are is enough to see that some are wrong
        asked: list[Hashable] = (
            [order] if isinstance(order, str) else [*islice(order, len(names) + 1)]
        )
    except TypeError as error:
        raise PUTypeError(
            f"order must be a list of keys of {', '.join(listed) or 'groups'}, but "
            f"{brief(order)} was passed. Leave it out for the order of the rows, or pass "
            "'estimate'."
        ) from error
    known = {*names}
    wrong = [key for key in asked if not pd.api.types.is_hashable(key) or key not in known]
    if wrong or not asked or len({*asked}) < len(asked):
        raise PUValueError(
            f"order must hold keys of {', '.join(listed) or 'groups'}, each once, but "
            f"{brief(wrong or asked)} was passed. There are {brief([*names])}."
        )
    return asked
