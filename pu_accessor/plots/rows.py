"""Rows of a tidy frame: against beta, a threshold or how labels fail, forests, calibration."""

from collections.abc import Hashable, Sequence
from itertools import combinations, islice, takewhile
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from pu_accessor.checks import check_option
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.inference.comparison.dominance import crossings
from pu_accessor.inference.metrics import write_label
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
}
# The first of these columns ends those of the keys.
_ANSWERS = {"metric", "quantity", "at", "beta", "rank", "threshold", "target", "estimate", "left"}
_ANSWERS |= {"selection_odds", "contamination", "breaking_point", "range_lower"}
_RANGE = ("range_lower", "range_upper")
_BELOW = 0.2  # how far a decision curve is followed below 0, by the highest point
_HALF, _DODGE = 0.006, 0.016  # of a bar's width, and from one curve to the next, in scores
_EMPTY = 0.5  # of the heights of bands, that a picture may have below them
_APART = 0.12  # of the axis, for labels of ticks
_SHARE = 0.8  # of the height of a row of a forest, for all its hues
_THICK, _THIN = 0.06, 0.28  # half of an interval's bar, at most: in inches, and of its hue's part
_ROW = 0.24  # inches that a row takes, and ...
_HUE = 0.1  # ... each further hue in it
_EDGES = 1.2  # inches for labels above and below


def plot_rows(frame: pd.DataFrame, x: str, looks: Looks, label: str | None = None) -> Drawing:
    """Draw a number with its interval against beta, thresholds, or how far labels may fail.

    Against beta a cross marks where two models swap their order. Shaded, with a strip in its hue,
    are the betas at which a model's band is impossible. A vertical line marks the upper limit on
    beta that the known positives set, where it is within the picture. Where labels fail the inner
    band has what the estimate can be, and a cross marks from where on a conclusion breaks.
    """
    looks = check_looks(looks)
    check_option("x", x, _AXES)
    curves, levels = _curves(frame, x, x)
    fails = x in ("selection_odds", "contamination")
    level = f"{100 * frame.attrs['level']:.12g}% " if "level" in frame.attrs else ""
    band = artists.band_label(frame.attrs)
    if fails and "band" not in frame.attrs:
        band = f"{level}interval"

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel=_AXES[x], ylabel=_label(frame, label))
        for curve in curves:
            artists.draw_band(ax, curve, looks, band)
            if reach := curve.aside["range"]:
                inner = curve._replace(lower=reach[0], upper=reach[1])
                artists.draw_band(ax, inner, looks, "range of the estimate", density=2)
        artists.draw_lines(ax, curves, looks)
        if x == "beta":
            _draw_changes(ax, curves, f"{level}upper limit on β̂")
        elif x == "threshold":
            _draw_defaults(ax, artists.not_naive(curves))
        elif "above" in frame.attrs:
            _draw_conclusion(ax, curves, float(frame.attrs["above"]))
        if x == "selection_odds":
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(FixedLocator(_ticks(np.unique(frame[x]))))
            ax.xaxis.set_major_formatter(FuncFormatter(lambda odds, _: f"{odds:.3g}"))
            ax.xaxis.set_minor_locator(NullLocator())

    return draw_panels(curves, draw, looks, levels)


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
        artists.draw_limit(ax, curve.aside["beta_limit"], curve.color, limit)


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
    ax.set(ylim=(-_BELOW * top, 1.05 * top))


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


def plot_calibration(frame: pd.DataFrame, looks: Looks) -> Drawing:
    """Draw reliability diagrams: the share of positives at the mean score of each bin, with a bar.

    A dot is hollow where its bin has no known positive, so that labels say little of it.
    """
    looks = check_looks(looks)
    curves, levels = _curves(frame, "mean_score", "bin", by="left")
    band = artists.band_label(frame.attrs)

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="mean score", ylabel="share of positives")
        artists.draw_diagonal(ax, "calibrated")
        middle = (len(curves) - 1) / 2
        dodged = [each.moved(_DODGE * (i - middle), 0) for i, each in enumerate(curves)]
        for curve in dodged:
            artists.draw_bars(ax, curve, looks, band, _HALF, upright=True)
        artists.draw_dots(ax, dodged, looks)
        for curve in dodged:
            x, y = (each[curve.aside["known_positive"] == 0] for each in curve.estimate)
            if x.size and not curve.is_baseline:
                style: dict[str, Any] = {"color": curve.color, "markerfacecolor": ground(ax)}
                style |= {"marker": "o", "linestyle": "none", "label": "no known positive"}
                ax.plot(x, y, gid=Kind.HOLLOW, zorder=3.5, **style)
        artists.show_rates(ax)

    return draw_panels(curves, draw, looks, levels)


def plot_forest(
    frame: pd.DataFrame,
    looks: Looks,
    order: str | Sequence[Hashable] | None = None,
    label: str | None = None,
) -> Drawing:
    """Draw numbers as dots and their intervals as bars, a row below the other for each model."""
    looks = check_looks(looks)
    curves, names = _places(frame, {*dimensions(looks).values()}, order)
    level, about = frame.attrs["level"], artists.TARGETS[frame.attrs["target"]]
    interval = f"{100 * level:.12g}% interval,\n{about}"

    def draw(ax: Axes, curves: list[Curve]) -> None:
        hues = [curve for curve in curves if not curve.is_baseline]
        step = _SHARE / max(len(hues), 1)
        if looks["ax"] is None and not has_panels(looks):
            figure: Any = ax.get_figure(root=True)
            needed = len(names) * (_ROW + _HUE * (len(hues) - 1)) + _EDGES
            figure.set_figheight(max(figure.get_figheight(), needed))
        inches = ax.get_window_extent().height / ax.figure.dpi
        half = min(_THIN * step, _THICK * len(names) / inches)
        for index, curve in enumerate(hues):
            shift = (index - (len(hues) - 1) / 2) * step
            moved = curve.moved(0, shift)
            artists.draw_bars(ax, moved, looks, interval, half, upright=False)
            artists.draw_dots(ax, [moved], looks)
        artists.draw_dots(ax, [curve for curve in curves if curve.is_baseline], looks)
        ax.set_yticks(range(len(names)), names)
        ax.set(xlabel=_label(frame, label), ylabel="", ylim=(len(names) - 0.5, -0.5))
        ax.tick_params(axis="y", length=0)
        if "metric" in frame and (frame["metric"] == "auroc").all():
            artists.draw_chance(ax, [0.5, 0.5], [-0.5, len(names) - 0.5])

    return draw_panels(curves, draw, looks, {})


def _label(frame: pd.DataFrame, label: str | None) -> str:
    """Return what an axis shows, in words."""
    if label is None:
        label = write_label(str(frame["metric"].iloc[0])) if "metric" in frame else "estimate"
    return artists.write_name(label)


# A frame -> its curves


def _keys(frame: pd.DataFrame, x: str) -> list[str]:
    """Return the columns that tell curves apart, without beta."""
    keys = [str(name) for name in takewhile(lambda name: name not in _ANSWERS, frame.columns)]
    more = [] if x == "threshold" else [name for name in ("metric", "at") if name in frame]
    return keys + [name for name in more if len(frame[name].unique()) > 1]


def _groups(
    frame: pd.DataFrame, keys: Sequence[str]
) -> list[tuple[dict[str, Hashable], float | None, pd.DataFrame]]:
    """Return where the rows of each curve stand, their beta, and the rows."""
    by = [*keys, *(["beta"] if "beta" in frame else [])]
    found = []
    for key, rows in frame.groupby(by, sort=False, dropna=False) if by else [((), frame)]:
        where: dict[str, Hashable] = dict(zip(by, map(write_missing, key), strict=True))
        beta = float(rows["beta"].iloc[0]) if "beta" in frame else None
        found.append((where, beta, rows))
    return found


def _curves(
    frame: pd.DataFrame, x: str, called: str, by: str | None = None
) -> tuple[list[Curve], Levels]:
    """Return the curves of some rows, which rise along x, and the names a key has."""
    keys = _keys(frame, x)
    if sides := [key for key in keys if key.endswith(("_a", "_b"))]:
        half = len(sides) // 2
        first, second = (
            frame[part].astype(str).agg(", ".join, axis=1) for part in (sides[:half], sides[half:])
        )
        frame = frame.assign(pair=first + " less " + second)
        keys = [*(key for key in keys if key not in sides), "pair"]
    if x == "beta":
        frame = frame.assign(place=frame["beta"]).drop(columns="beta")
        x = "place"
    groups = _groups(frame, keys)
    betas = {beta for _, beta, _ in groups}
    # Each key has a beta of its own.
    own_beta = len(betas) > 1 and len(groups) == len(frame[keys].drop_duplicates()) and bool(keys)
    curves = []
    for where, beta, rows in groups:
        if own_beta:
            del where["beta"]
        rows = rows.sort_values(by or x, kind="stable")
        places = rows[by or x].to_numpy(np.float64)
        if places.size < 2 or (np.diff(places) <= 0).any():
            raise PUValueError(
                f"A plot needs two or more increasing {called}{'s' * (called[-1] != 's')}, but "
                f"there are {places.size}: {places[:5].tolist()}. Pass several."
            )
        rows = rows[rows[["estimate", "lower", "upper"]].notna().any(axis=1)]
        if len(keys) > 1:
            where = {"group": tuple(where[key] for key in keys), **where}
        if len(rows):
            curves.append(_read(where, beta, rows, x))
    if not curves:
        raise PUValueError("There is nothing to draw: no row has an estimate. Try another beta.")
    return curves, {"group": keys} if len(keys) > 1 else {}


def _read(where: dict[str, Hashable], beta: float | None, rows: pd.DataFrame, x: str) -> Curve:
    """Return the curve of some rows, with what their other columns say."""
    columns = {str(name): rows[name].to_numpy() for name in rows}
    numbers = {
        name: float(rows[name].iloc[0] if name in rows else rows.attrs.get(name, np.nan))
        for name in ("breaking_point", "beta_limit", "prevalence")
    }
    bounds = ("estimate", "lower", "upper", *(_RANGE if "range_lower" in rows else ()))
    paths = [(rows[x].to_numpy(np.float64), rows[name].to_numpy(np.float64)) for name in bounds]
    aside = {**columns, **numbers, "range": paths[3:]}
    return Curve(where, beta, paths[0], paths[1], paths[2], aside)


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
    each_once = not rows.duplicated(["place", *told]).any()
    own_beta = each_once and bool((rows["beta"] != rows["beta"].iloc[0]).any())
    number = {name: place for place, name in enumerate(names)}
    rows = rows.assign(y=rows["place"].map(number)).sort_values("y", kind="stable")
    written = [artists.write_key(name) for name in names]
    if own_beta:
        betas = dict(zip(rows["place"], rows["beta"], strict=True))
        written = [
            f"{text}\nβ̂ = {betas[name]:.3g}" for text, name in zip(written, names, strict=True)
        ]
        rows = rows.drop(columns="beta")
    read = [_read(*group, "y") for group in _groups(rows, told)]
    turned = [
        curve._replace(
            estimate=curve.estimate[::-1], lower=curve.lower[::-1], upper=curve.upper[::-1]
        )
        for curve in read
    ]
    return turned, written


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
