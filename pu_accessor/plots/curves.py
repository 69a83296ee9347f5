"""Curves: ROC, precision-recall, rank CDF, net benefit, gains, calibration, Boyce."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from pu_accessor.datasets.curves import between_cutoffs
from pu_accessor.datasets.curves import curve as curve_of
from pu_accessor.datasets.schema import (
    BOUND,
    COUNTS,
    INTERVAL,
    axis_of,
    check_negatives,
    is_on_new,
)
from pu_accessor.datasets.slices import PLACE, WINDOW, visible
from pu_accessor.plots import artists
from pu_accessor.plots.artists import Curve, Envelope, Kind, Path
from pu_accessor.plots.colors import ground, ink
from pu_accessor.plots.layout import Drawing, draw_panels
from pu_accessor.plots.options import Options
from pu_accessor.ranking import FloatArray

_MARGIN = 0.02  # beside shares of 0 and 1
_BELOW = 0.2  # how far a decision curve is followed below 0, by the highest point
_HALF, _DODGE = 0.006, 0.016  # of a bar's width, and from one curve to the next, in scores
_PIECES = 200  # points of a precision-recall curve between cutoffs, and as many close to the top


def plot_roc(tables: xr.Dataset, options: Options) -> Drawing:
    """Draw ROC curves: the estimate as a line, the area between the bounds filled.

    A bound may step back: a known positive that enters the head brings latent ones along, which
    were false positives one rank before. The estimate does not, but where a bound cuts it.
    """
    rates = _rates(tables, "roc")
    check_negatives(tables)
    envelope = _read_envelope(rates, "tpr_envelope")

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="false positive rate", ylabel="true positive rate")
        # Straight, and right on a logarithmic scale, too, down to the rate of one example.
        tp, fp, fn, tn = (rates[name] for name in COUNTS)
        examples = float((tp + fp + fn + tn).max())
        diagonal = [0.0, *np.geomspace(1 / examples, 1, 61).tolist()]
        artists.draw_chance(ax, diagonal, diagonal)
        artists.draw_curves(ax, curves, artists.follow("fpr", "tpr"), options, tables, envelope)
        _show_shares(ax, "xy")
        if options.ax is None:
            ax.set_box_aspect(1)  # square where zoomed, too

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
    rates = _rates(tables, "pr")
    envelope = _read_envelope(rates, "precision_envelope")

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="recall", ylabel="precision")
        artists.draw_curves(ax, curves, _trace_pr, options, tables, envelope)
        _draw_prevalences(ax, _not_naive(curves))
        _show_shares(ax, "xy")

    return draw_panels(rates, draw, options)


def plot_rank_cdf(cdf: xr.Dataset, options: Options) -> Drawing:
    """Draw the rank CDF of the known positives and the band around that of the latent ones."""
    held = bool((cdf["reference"] == "positives").all())
    trace = _trace_rank_cdf if held else _trace_rising
    weighted = "n_effective" in cdf.coords

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="examples predicted positive", ylabel="share of positives found")
        for end in {_examples(curve.data) for curve in curves}:
            artists.draw_chance(ax, [0, end], [0, 1])
        # The known positives are the same at each beta.
        shared = held and not weighted and not any(curve.by_model for curve in curves)
        first = not artists.curves_on(ax)
        band = artists.band_label(cdf)
        if shared and len(curves) > 1:  # an entry for each: a line is enough
            band = band.replace("\n", " ")
        for curve in curves:
            beta = f", {curve.label}" if shared else ""
            artists.draw_band(ax, curve, trace, options, f"{band}{beta}")
        for curve in curves[:1] if shared else curves:
            line = curve._replace(is_baseline=False)
            if shared:
                color = ink(ax) if first else curve.color
                line = line._replace(color=color, label="known positives")
            artists.draw_line(ax, line, trace, options.line)
        ax.margins(x=_MARGIN)  # a last step at the last example is not under the frame
        _show_shares(ax, "y")

    return draw_panels(visible(cdf), draw, options)


def plot_waves(waves: xr.Dataset, options: Options) -> Drawing:
    """Draw the rank CDF of each wave of known positives against the rest."""

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="share of the rest above", ylabel="share of the wave's known positives")
        artists.draw_chance(ax, [0, 1], [0, 1])
        for curve in curves:
            artists.draw_line(ax, curve, artists.follow("above", "value"), options.line)
        _show_shares(ax, "xy")

    return draw_panels(waves, draw, options, along=PLACE)


def _rates(tables: xr.Dataset, name: str) -> xr.Dataset:
    """Return a curve with the counts it is of, at cutoffs that can be seen."""
    has_envelope = any(part in tables for part in INTERVAL)  # which all cutoffs count for
    seen = tables if has_envelope else visible(tables)
    rates = curve_of(seen, name)  # says what is missing where these are no tables
    rates = rates.assign({count: seen[count].variable for count in COUNTS})
    return visible(rates) if has_envelope else rates


def _read_envelope(rates: xr.Dataset, name: str) -> Envelope | None:
    """Return how to get from a curve to the lowest and the highest one while beta varies."""

    def read(curve: xr.Dataset) -> tuple[FloatArray, Path]:
        low, high = (curve[name].sel(envelope=side) for side in ("lower", "upper"))
        return curve[str(low.dims[0])].to_numpy(), (low.to_numpy(), high.to_numpy())

    return read if name in rates else None


def _draw_prevalences(ax: Axes, curves: Sequence[Curve]) -> None:
    """Draw what chance does, in the hue of those that share a prevalence if that is one."""
    colors: dict[float, list[Any]] = {}
    for curve in curves:
        tp, fp, fn, tn = (curve.data[name].to_numpy()[0, 0] for name in COUNTS)
        colors.setdefault(float((tp + fn) / (tp + fp + fn + tn)), []).append(curve.color)
    for prevalence, hues in colors.items():
        hue = {"color": hues[0]} if len(hues) == 1 else {}
        artists.draw_chance(
            ax, [0, 1], [prevalence, prevalence], label="chance (prevalence)", **hue
        )


def _trace_pr(tables: xr.Dataset) -> Path:
    """Follow recall and precision along straight lines of tp and fp."""
    tp = tables["tp"].to_numpy()
    known = np.isfinite(tp)
    # Before a positive is found precision is 0 or undefined: it would be a spike at recall 0.
    from_first = known & (np.arange(tp.size) >= np.argmax(known & (tp > 0)))
    tables = tables.isel({axis_of(tables.dims): from_first})
    tp, fp, fn = (tables[name].to_numpy().astype(np.float64) for name in ("tp", "fp", "fn"))
    ranks = tables["rank"].to_numpy() if is_on_new(tables) else tp + fp
    filled = np.union1d(*between_cutoffs(tables, _PIECES))
    positives = tp[0] + fn[0]
    tp, fp = (np.interp(filled, ranks, count) for count in (tp, fp))
    head = tp + fp
    recall, precision = tp / positives, tp / np.where(head > 0, head, 1)
    return (
        (recall, precision)
        if recall[0] == 0
        else (np.append(0, recall), np.append(precision[0], precision))
    )


def _trace_rank_cdf(curve: xr.Dataset) -> Path:
    """Hold each value until the next cutoff, up to the last example."""
    return artists.hold(*_trace_rising(curve))


def _trace_rising(curve: xr.Dataset) -> Path:
    """Follow what known negatives say, straight from cutoff to cutoff, up to the last example."""
    inside = curve["rank"].to_numpy() <= _examples(curve)
    return curve["rank"].to_numpy()[inside], curve["rank_cdf"].to_numpy()[inside]


def _examples(cdf: xr.Dataset) -> int:
    """Return the number of examples: groups that share a rank axis may end earlier."""
    names = ("n_known_positive", "n_known_negative", "n_unlabeled")
    return int(sum(cdf[name] for name in names))


# Curves of practice


def plot_net_benefit(benefits: xr.Dataset, options: Options) -> Drawing:
    """Draw decision curves: net benefit with its band, of treating all, and of treating none."""

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="threshold probability", ylabel="net benefit")
        envelope = _envelope_of_benefits if "envelope" in benefits else None
        artists.draw_curves(
            ax, curves, artists.follow("threshold", "value"), options, benefits, envelope
        )
        _draw_defaults(ax, _not_naive(curves))
        tops = [np.max(line.get_ydata()) for line in ax.lines]
        tops += [area.get_xy()[:, 1].max() for area in ax.patches]  # type: ignore[attr-defined]
        top = max(float(max(tops)), 1e-3)
        ax.set(ylim=(-_BELOW * top, 1.05 * top))

    return draw_panels(benefits, draw, options, along="threshold")


def _draw_defaults(ax: Axes, curves: Sequence[Curve]) -> None:
    """Draw what treating all, and treating none, are worth."""
    colors = {tuple(curve.data["treat_all"].to_numpy().tolist()): curve.color for curve in curves}
    x = curves[0].data["threshold"].to_numpy().tolist()
    for treat_all, color in colors.items():
        style = {"color": color} if len(colors) > 1 else {}
        artists.draw_chance(ax, x, [*treat_all], label="treat all", **style)
    artists.draw_chance(
        ax, x[:: len(x) - 1], [0, 0], label="treat none", linestyle="-", linewidth=0.8
    )


def plot_gain(gains: xr.Dataset, options: Options) -> Drawing:
    """Draw cumulative gains: the share of positives found against that of examples looked at."""

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="share of examples predicted positive", ylabel="share of positives found")
        envelope = _envelope_of_gains if "envelope_lower" in gains["bound"] else None
        artists.draw_curves(
            ax, curves, artists.follow("fraction", "gain"), options, gains, envelope
        )
        artists.draw_chance(ax, [0, 1], [0, 1])
        prevalences = {float(curve.data["prevalence"]) for curve in _not_naive(curves)}
        for prevalence in sorted(prevalences):
            ends: tuple[list[float], list[float]] = [0, prevalence, 1], [0, 1, 1]
            artists.draw_chance(ax, *ends, label="perfect", linestyle="-", linewidth=0.8)
        _show_shares(ax, "xy")

    return draw_panels(visible(gains), draw, options)


def plot_calibration(shares: xr.Dataset, options: Options) -> Drawing:
    """Draw reliability diagrams: the share of positives at the mean score of each bin, with a bar.

    A dot is hollow where its bin has no known positive, so that labels say little of it.
    """

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="mean score", ylabel="share of positives")
        artists.draw_chance(ax, [0, 1], [0, 1], label="calibrated")
        for index, curve in enumerate(curves):
            shift = _DODGE * (index - (len(curves) - 1) / 2)
            data = curve.data.assign(mean_score=curve.data["mean_score"] + shift)
            _draw_bins(ax, curve._replace(data=data), options, shares)
        _show_shares(ax, "xy")

    return draw_panels(shares, draw, options, along="bin")


def _draw_bins(ax: Axes, curve: Curve, options: Options, shares: xr.Dataset) -> None:
    """Draw the dots of one curve and their bars, on those of the envelope."""
    at_bins = artists.follow("mean_score", "value")
    if curve.is_baseline:
        artists.draw_naive(ax, curve, at_bins)
        return
    bins = [curve.data.isel(bin=[place]) for place in range(curve.data.sizes["bin"])]
    for each in bins if "envelope" in shares else []:
        x = _sides_of_bar(each)
        low, high = (np.repeat(side, 2) for side in _sides(each))
        part, betas = curve._replace(data=each), shares["interval_beta"].to_numpy()
        artists.draw_envelope(ax, part, x, (low, high), betas)
    artists.draw_bars(ax, curve, bins, _trace_bar, options, artists.band_label(shares))
    artists.draw_dots(ax, curve, at_bins, options)
    unknown = curve.data.sel(bound="estimate", bin=curve.data["known_positive"].to_numpy() == 0)
    if unknown.sizes["bin"]:
        style: dict[str, Any] = {"color": curve.color, "markerfacecolor": ground(ax)}
        style |= {"marker": "o", "linestyle": "none", "label": "no known positive", "zorder": 3.5}
        ax.plot(*at_bins(unknown), gid=Kind.HOLLOW, **style)


def plot_boyce(found: xr.Dataset, options: Options) -> Drawing:
    """Draw predicted-to-expected ratios against the score, with the index beside each name.

    Where a window has no background the ratio is infinite: a triangle at the top.
    """

    def draw(ax: Axes, curves: list[Curve]) -> None:
        ax.set(xlabel="score", ylabel="predicted-to-expected ratio")
        for curve in curves:
            index = f"Boyce index {float(curve.data['boyce']):.2f}"
            label = f"{curve.label} ({index})" if curve.by_model else index
            named = curve if options.has_panels else curve._replace(label=label)
            artists.draw_line(ax, named, artists.follow("score", "ratio"), options.line)
            endless = curve.data["score"].to_numpy()[np.isinf(curve.data["ratio"][0].to_numpy())]
            if endless.size:
                style: dict[str, Any] = {"marker": "^", "linestyle": "none", "color": curve.color}
                style |= {"label": "no background", "transform": ax.get_xaxis_transform()}
                ax.plot(endless, np.ones(endless.size), gid=Kind.HOLLOW, clip_on=False, **style)
        ends = np.concatenate([curve.data["score"].to_numpy() for curve in curves])
        artists.draw_chance(ax, [float(ends.min()), float(ends.max())], [1, 1])

    ratio = found["ratio"]
    every = ("bound", *ratio.dims), np.stack([ratio.to_numpy()] * len(BOUND))
    by_bound = found.assign(ratio=every).assign_coords(bound=BOUND)
    return draw_panels(by_bound, draw, options, along=WINDOW)


def _show_shares(ax: Axes, axes: Literal["y", "xy"]) -> None:
    """Show 0 to 1, with a margin; a logarithmic scale, which has no 0, finds limits of its own."""
    ax.update_datalim([(0, 0), (1, 1)], updatex="x" in axes)
    for axis in axes:
        getattr(ax, f"set_{axis}margin")(_MARGIN)
        if getattr(ax, f"get_{axis}scale")() != "log":
            getattr(ax, f"set_{axis}lim")(-_MARGIN, 1 + _MARGIN, auto=True)


def _not_naive(curves: Sequence[Curve]) -> Sequence[Curve]:
    """Return the curves without baselines, or these where there are no others."""
    return [curve for curve in curves if not curve.is_baseline] or curves


def _sides(curve: xr.Dataset) -> Path:
    """Return the lower and the upper side of an envelope."""
    low, high = curve["envelope"].transpose("side", ...).to_numpy()
    return low, high


def _envelope_of_benefits(curve: xr.Dataset) -> tuple[FloatArray, Path]:
    """Return thresholds, and the sides of the envelope there."""
    return curve["threshold"].to_numpy(), _sides(curve)


def _envelope_of_gains(curve: xr.Dataset) -> tuple[FloatArray, Path]:
    """Return shares of the examples, and the sides of the envelope there."""
    low, high = (curve["gain"].sel(bound=f"envelope_{side}") for side in ("lower", "upper"))
    return curve["fraction"].to_numpy(), (low.to_numpy(), high.to_numpy())


def _trace_bar(each: xr.Dataset) -> Path:
    return _sides_of_bar(each), np.repeat(each["value"].to_numpy(), 2)


def _sides_of_bar(each: xr.Dataset) -> FloatArray:
    """Return the left and the right side of the bar of one bin."""
    x: FloatArray = each["mean_score"].to_numpy() + np.array([-_HALF, _HALF])
    return x
