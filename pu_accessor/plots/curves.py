"""ROC, precision-recall and rank CDF curves with their bands."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.datasets.curves import curve as curve_of
from pu_accessor.datasets.schema import COUNTS
from pu_accessor.errors import PUValueError
from pu_accessor.plots.artists import (
    Curve,
    Envelope,
    Path,
    band_label,
    curves_on,
    draw_band,
    draw_chance,
    draw_curves,
    draw_line,
    follow,
    hold,
)
from pu_accessor.plots.colors import ink
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.options import Options
from pu_accessor.ranking import FloatArray, IntArray

_DIAGONAL = [0.0, *np.geomspace(1e-6, 1, 61).tolist()]  # straight, and right on a log scale, too
_PIECES = 200  # straight pieces that a precision-recall curve from recall 0 to 1 is drawn with


def plot_roc(tables: xr.Dataset, options: Options) -> Drawing:
    """Draw ROC curves: the estimate as a line, the area between the bounds filled.

    A curve may step back: a known positive that enters the head brings latent ones along, which
    were false positives one rank before.
    """
    rates = curve_of(tables, "roc")
    _check_negatives(tables)
    envelope = _read_envelope(rates, "tpr_envelope")

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="false positive rate", ylabel="true positive rate")
        draw_chance(ax, _DIAGONAL, _DIAGONAL)
        draw_curves(ax, curves, follow("fpr", "tpr"), options, tables, envelope)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), box_aspect=1)  # square where zoomed, too

    return draw_panels(rates, draw, options)


def plot_pr(tables: xr.Dataset, options: Options) -> Drawing:
    """Draw precision-recall curves: the estimate as a line, the area between the bounds filled.

    Between two cutoffs the curve follows the contingency tables [1]_. At recall 0 it starts with
    the precision of the first cutoff that finds a positive. Chance is the prevalence, dotted.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, *The relationship between precision-recall and ROC curves*,
       ICML 2006.
    """
    rates = curve_of(tables, "pr")  # says what is missing where these are no tables
    rates = rates.assign({name: tables[name].variable for name in COUNTS})
    envelope = _read_envelope(rates, "precision_envelope")

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="recall", ylabel="precision")
        draw_curves(ax, curves, _trace_pr, options, tables, envelope)
        _draw_prevalences(ax, [curve for curve in curves if not curve.is_baseline] or curves)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))

    return draw_panels(rates, draw, options)


def plot_rank_cdf(cdf: xr.Dataset, options: Options) -> Drawing:
    """Draw the rank CDF of the known positives and the band around that of the latent ones."""
    held = bool((cdf["reference"] == "positives").all())
    trace = _trace_rank_cdf if held else _trace_rising
    weighted = "n_effective" in cdf.coords

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="examples predicted positive", ylabel="share of positives found")
        for end in {_examples(curve.data) for curve in curves}:
            draw_chance(ax, [0, end], [0, 1])
        # The known positives are the same at each beta.
        shared = held and not weighted and not any(curve.by_model for curve in curves)
        first = not curves_on(ax)
        band = band_label(cdf)
        if shared and len(curves) > 1:  # an entry for each: a line is enough
            band = band.replace("\n", " ")
        for curve in curves:
            beta = f", {curve.label}" if shared else ""
            draw_band(ax, curve, trace, options, f"{band}{beta}")
        for curve in curves[:1] if shared else curves:
            line = curve._replace(is_baseline=False)
            if shared:
                color = ink(ax) if first else curve.color
                line = line._replace(color=color, label="known positives")
            draw_line(ax, line, trace, options.line)
        ax.margins(x=0.02)  # a last step at the last example is not under the frame
        ax.set(ylim=(-0.02, 1.02))

    return draw_panels(cdf, draw, options)


def _check_negatives(tables: xr.Dataset) -> None:
    """Raise where there is no false positive rate."""
    if "beta" not in tables.dims:
        return  # said better by what follows
    dims = [dim for dim in tables["fp"].dims if dim != "beta"]
    empty = (tables["fp"] + tables["tn"] == 0).any(dims)
    if empty.any():
        betas = tables["beta"].to_numpy()[..., empty]
        raise PUValueError(
            f"An ROC curve needs negatives, but at beta = {betas.tolist()} there are none. Pass a "
            "smaller beta, or draw the precision-recall curve: plot_pr.",
            page="beta#too-high",
        )


def _read_envelope(rates: xr.Dataset, name: str) -> Envelope | None:
    """Return how to get from a curve to the lowest and the highest one while beta varies."""

    def read(curve: xr.Dataset) -> tuple[FloatArray, Path]:
        low, high = (curve[name].sel(envelope=side).to_numpy() for side in ("lower", "upper"))
        return curve[str(curve[name].dims[-2])].to_numpy(), (low, high)

    return read if name in rates else None


def _draw_prevalences(ax: Axes, curves: list[Curve]) -> None:
    """Draw what chance does, in the hue of those that share a prevalence if that is one."""
    colors: dict[float, list[Any]] = {}
    for curve in curves:
        tp, fp, fn, tn = (curve.data[name].to_numpy()[0, 0] for name in COUNTS)
        colors.setdefault(float((tp + fn) / (tp + fp + fn + tn)), []).append(curve.color)
    for prevalence, hues in colors.items():
        hue = {"color": hues[0]} if len(hues) == 1 else {}
        draw_chance(ax, [0, 1], [prevalence, prevalence], label="chance (prevalence)", **hue)


def _trace_pr(tables: xr.Dataset) -> Path:
    """Follow recall and precision along straight lines of tp and fp."""
    tp, fp, fn = (tables[name].to_numpy().astype(np.float64) for name in ("tp", "fp", "fn"))
    known = np.isfinite(tp + fp + fn)
    tp, fp, fn = tp[known], fp[known], fn[known]
    positives = tp[0] + fn[0]
    # Before a positive is found precision is 0 or undefined: it would be a spike at recall 0.
    first = int(np.argmax(tp > 0))
    tp, fp = tp[first:], fp[first:]
    pieces = np.ceil(np.diff(tp) / positives * _PIECES).astype(int).clip(min=1)
    if pieces.size < pieces.sum():
        tp, fp = _divide(pieces, tp, fp)
    head = tp + fp
    recall, precision = tp / positives, tp / np.where(head > 0, head, 1)
    if not first:
        return recall, precision
    return np.insert(recall, 0, 0.0), np.insert(precision, 0, precision[0])


def _divide(pieces: IntArray, *counts: FloatArray) -> list[FloatArray]:
    """Divide what is between two cutoffs into pieces of equal length."""
    starts = np.cumsum(pieces) - pieces
    part = (np.arange(pieces.sum()) - np.repeat(starts, pieces)) / np.repeat(pieces, pieces)
    cutoffs = np.append(np.repeat(np.arange(pieces.size), pieces) + part, pieces.size)
    return [np.interp(cutoffs, np.arange(count.size), count) for count in counts]


def _trace_rank_cdf(curve: xr.Dataset) -> Path:
    """Hold each value until the next cutoff, up to the last example."""
    return hold(*_trace_rising(curve))


def _trace_rising(curve: xr.Dataset) -> Path:
    """Follow what known negatives say, straight from cutoff to cutoff, up to the last example."""
    inside = curve["rank"].to_numpy() <= _examples(curve)
    return curve["rank"].to_numpy()[inside], curve["rank_cdf"].to_numpy()[inside]


def _examples(cdf: xr.Dataset) -> int:
    """Return the number of examples: groups that share a rank axis may end earlier."""
    names = ("n_known_positive", "n_known_negative", "n_unlabeled")
    return int(sum(cdf[name] for name in names))
