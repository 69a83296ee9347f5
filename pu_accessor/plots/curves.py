"""ROC, precision-recall and rank CDF curves with their bands."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon

from pu_accessor.errors import PUValueError
from pu_accessor.inference.metrics import pr, roc
from pu_accessor.inference.tables import BOUNDS
from pu_accessor.ranking import FloatArray

__all__ = ["plot_pr", "plot_rank_cdf", "plot_roc"]

Style: TypeAlias = Mapping[str, Any] | None
Path: TypeAlias = tuple[FloatArray, FloatArray]
Trace: TypeAlias = Callable[[xr.Dataset], Path]

_BASELINE = "0.25"  # dark grey
_PIECES = 200  # straight pieces that a precision-recall curve from recall 0 to 1 is drawn with


class _Hue(NamedTuple):
    """One beta and the colour it is drawn in; the naive beta of 0 is the baseline."""

    beta: float
    color: Any

    @property
    def is_baseline(self) -> bool:
        return self.beta == 0

    @property
    def label(self) -> str:
        return "β̂ = 0 (unlabeled as negative)" if self.is_baseline else f"β̂ = {self.beta:.3g}"


def plot_roc(
    tables: xr.Dataset,
    *,
    baseline: bool = False,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
) -> Axes:
    """Draw ROC curves: the estimate as a line, the area between the bounds filled.

    Parameters
    ----------
    tables : Dataset
        With `tp`, `fp`, `fn`, `tn` over (rank, bound, beta). A beta of 0 is drawn as the dashed
        baseline that treats the unlabeled as negative; the others get a hue each.
    baseline : bool, default False
        Insist on the baseline.
    ax : matplotlib Axes, optional
        Where to draw; new if not given.
    line_kws, band_kws : mapping, optional
        Properties of the estimate's Line2D and of the band's Polygon.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PUKeyError
        If `tables` holds no tables.
    PUValueError
        If `tables` lacks a dimension, a bound, the baseline asked for, or negatives.
    """
    _check(tables, baseline)
    ax = _axes(ax)
    curves = roc(tables)
    if (empty := curves["fpr"].isnull().any(["rank", "bound"])).any():
        raise PUValueError(
            "An ROC curve needs negatives, but at beta = "
            f"{curves['beta'].values[empty].tolist()} there are none. Pass a smaller beta, or "
            "draw the precision-recall curve: plot_pr."
        )
    ax.plot([0, 1], [0, 1], color="0.5", linestyle=":", linewidth=1, label="chance", zorder=1)

    def trace(curve: xr.Dataset) -> Path:
        return curve["fpr"].to_numpy(), curve["tpr"].to_numpy()

    _draw(ax, curves, trace, line_kws, band_kws)
    ax.set(xlabel="false positive rate", ylabel="true positive rate")
    _unit(ax, square=True)
    return _legend(ax, "lower right")


def plot_pr(
    tables: xr.Dataset,
    *,
    baseline: bool = False,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
) -> Axes:
    """Draw precision-recall curves: the estimate as a line, the area between the bounds filled.

    Between two cutoffs the curve follows the contingency tables [1]_, also from rank 0 to the
    first cutoff, where it starts with that cutoff's precision. Chance is the prevalence, dotted.

    Parameters
    ----------
    tables, baseline, ax, line_kws, band_kws
        As in `plot_roc`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PUKeyError, PUValueError
        As in `plot_roc`.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, *The relationship between precision-recall and ROC curves*,
       ICML 2006.
    """
    _check(tables, baseline)
    ax = _axes(ax)
    pr(tables)  # says what is missing where these are no tables
    _draw(ax, tables, _trace_pr, line_kws, band_kws)
    hues = _hues(tables)
    for hue in [hue for hue in hues if not hue.is_baseline] or hues:
        table = tables.sel(beta=hue.beta).isel(rank=-1, bound=0)
        ax.axhline(
            float(table["tp"] / (table["tp"] + table["fp"])),
            color=hue.color,
            linestyle=":",
            linewidth=1,
            label="chance (prevalence)",
            zorder=1,
        )
    ax.set(xlabel="recall", ylabel="precision")
    _unit(ax)
    return _legend(ax, "best")


def plot_rank_cdf(
    cdf: xr.Dataset,
    *,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
) -> Axes:
    """Draw the rank CDF of the known positives and the band around that of the latent ones.

    Parameters
    ----------
    cdf : Dataset
        With `rank_cdf` over (rank, bound, beta).
    ax, line_kws, band_kws
        As in `plot_roc`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    PUValueError
        If `cdf` lacks a dimension or a bound.
    """
    _check(cdf, baseline=False)
    ax = _axes(ax)
    examples = int(cdf["rank"][-1])
    ax.plot(
        [0, examples], [0, 1], color="0.5", linestyle=":", linewidth=1, label="chance", zorder=1
    )

    def trace(curve: xr.Dataset) -> Path:
        return _steps(curve["rank"].to_numpy(), curve["rank_cdf"].to_numpy())

    _draw(ax, cdf, trace, line_kws, band_kws)
    ax.set(xlabel="examples predicted positive", ylabel="share of positives among them")
    ax.set(xlim=(0, examples), ylim=(-0.02, 1.02))
    return _legend(ax, "lower right")


def _check(dataset: xr.Dataset, baseline: bool) -> None:
    """Raise unless there is a curve and a band for each beta."""
    lacking = [dim for dim in ("rank", "bound", "beta") if dim not in dataset.dims]
    bounds = [] if lacking else [b for b in BOUNDS if b not in dataset["bound"].to_numpy()]
    if lacking or bounds:
        raise PUValueError(
            f"A plot needs the dimensions rank, bound and beta with the bounds {list(BOUNDS)}, "
            f"but {lacking or bounds} is missing. Select with a list, which keeps the dimension: "
            "ds.sel(beta=[0.3])."
        )
    if baseline and not (dataset["beta"] == 0).any():
        raise PUValueError(
            f"baseline=True needs tables for beta = 0, but there are {dataset['beta'].values}. "
            "Make them with it: df.pu.contingency(beta=[0, 0.3])."
        )


def _axes(ax: Axes | None) -> Axes:
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _hues(dataset: xr.Dataset) -> list[_Hue]:
    """Give each beta a colour; several run from dark to light, to be told apart in grey."""
    betas = [beta for beta in dataset["beta"].to_numpy().tolist() if beta != 0]
    one = sns.color_palette("colorblind", 1)
    colors = one if len(betas) == 1 else sns.color_palette("viridis", len(betas))
    hues = [_Hue(beta, color) for beta, color in zip(betas, colors, strict=True)]
    return [*hues, *([_Hue(0.0, _BASELINE)] if (dataset["beta"] == 0).any() else [])]


def _draw(ax: Axes, dataset: xr.Dataset, trace: Trace, line_kws: Style, band_kws: Style) -> None:
    """Draw the band and the line of each beta."""
    hues = _hues(dataset)
    several = sum(not hue.is_baseline for hue in hues) > 1
    for hue in hues:
        curves = dataset.sel(beta=hue.beta)
        if not hue.is_baseline:
            _draw_band(ax, curves, trace, hue, 0.18 if several else 0.25, band_kws)
        _draw_line(ax, curves, trace, hue, line_kws)


def _draw_band(
    ax: Axes, curves: xr.Dataset, trace: Trace, hue: _Hue, alpha: float, style: Style
) -> None:
    """Fill between the bounds: along the upper one and back along the lower one."""
    x, y = (
        np.concatenate([up, down[::-1]])
        for up, down in zip(
            trace(curves.sel(bound="upper")), trace(curves.sel(bound="lower")), strict=True
        )
    )
    properties = {
        "facecolor": (*hue.color, alpha),
        "edgecolor": (*hue.color, 0.7),
        "linewidth": 0.6,
        "label": f"{100 * curves.attrs['level']:g}% {curves.attrs['band']} band",
        "zorder": 2,
    }
    ax.add_patch(Polygon(np.stack([x, y], axis=1), **_merge(properties, style, Polygon)))


def _draw_line(ax: Axes, curves: xr.Dataset, trace: Trace, hue: _Hue, style: Style) -> None:
    """Draw the estimate, or the baseline."""
    x, y = trace(curves.sel(bound="estimate"))
    properties = {
        "color": hue.color,
        "linewidth": 1.3 if hue.is_baseline else 1.8,
        "linestyle": "--" if hue.is_baseline else "-",
        "label": hue.label,
        "zorder": 3,
    }
    sns.lineplot(
        x=x,
        y=y,
        estimator=None,
        sort=False,
        ax=ax,
        **_merge(properties, None if hue.is_baseline else style, Line2D),
    )


def _merge(ours: dict[str, Any], style: Style, artist: type) -> dict[str, Any]:
    """Let a user's properties go before ours, under any alias."""
    return {**ours, **normalize_kwargs(dict(style or {}), artist)}


def _trace_pr(tables: xr.Dataset) -> Path:
    """Follow recall and precision along straight lines of tp and fp."""
    tp, fp = (tables[name].to_numpy().astype(np.float64) for name in ("tp", "fp"))
    pieces = np.ceil(np.diff(tp) / tp[-1] * _PIECES).astype(int).clip(min=1)
    starts = np.cumsum(pieces) - pieces
    part = (np.arange(pieces.sum()) - np.repeat(starts, pieces)) / np.repeat(pieces, pieces)
    place = np.append(np.repeat(np.arange(pieces.size), pieces) + part, pieces.size)
    tp, fp = (np.interp(place, np.arange(count.size), count) for count in (tp, fp))
    precision = tp[1:] / (tp[1:] + fp[1:])
    return tp / tp[-1], np.concatenate([precision[:1], precision])


def _steps(x: FloatArray, y: FloatArray) -> Path:
    """Hold each value until the next cutoff."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def _unit(ax: Axes, square: bool = False) -> None:
    """Show rates from 0 to 1, with room for a line on the border."""
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    if square:
        ax.set_aspect("equal")


def _legend(ax: Axes, place: Literal["best", "lower right"]) -> Axes:
    """Name each thing once: curves first, then bands, then chance; grey if it has several hues."""
    entries: dict[str, Any] = {}
    for artist, label in zip(*ax.get_legend_handles_labels(), strict=True):
        if label not in entries:
            entries[label] = artist
        elif isinstance(artist, Polygon):
            entries[label] = Patch(facecolor="0.85", edgecolor="0.4", linewidth=0.6)
        elif isinstance(artist, Line2D):
            entries[label] = Line2D([], [], color="0.5", linestyle=artist.get_linestyle())
    ordered = sorted(
        entries, key=lambda label: (label.startswith("chance"), isinstance(entries[label], Patch))
    )
    ax.legend([entries[label] for label in ordered], ordered, loc=place, frameon=False)
    return ax
