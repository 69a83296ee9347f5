"""ROC, precision-recall and rank CDF curves with their bands."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Polygon

from pu_accessor.errors import PUTypeError, PUValueError
from pu_accessor.inference.metrics import roc
from pu_accessor.inference.tables import BOUNDS, COUNTS
from pu_accessor.ranking import FloatArray

__all__ = ["plot_pr", "plot_rank_cdf", "plot_roc"]

Style: TypeAlias = Mapping[str, Any] | None
Path: TypeAlias = tuple[FloatArray, FloatArray]
Trace: TypeAlias = Callable[[xr.Dataset], Path]

_BASELINE = "0.25"  # dark grey
_PIECES = 200  # straight pieces that a precision-recall curve from recall 0 to 1 is drawn with
# What an artist of ours is, to find it again on Axes that are drawn on twice.
_CURVE, _BAND, _CHANCE = "pu_accessor curve", "pu_accessor band", "pu_accessor chance"


class _Hue(NamedTuple):
    """One beta, its colour and its name; the naive beta of 0 is the baseline."""

    beta: float
    color: Any
    label: str

    @property
    def is_baseline(self) -> bool:
        return self.beta == 0


def plot_roc(
    tables: xr.Dataset,
    *,
    baseline: bool = False,
    ax: Axes | None = None,
    line_kws: Style = None,
    band_kws: Style = None,
) -> Axes:
    """Draw ROC curves: the estimate as a line, the area between the bounds filled.

    A curve may step back: a known positive that enters the head brings latent ones along, which
    were false positives one rank before.

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
        If `tables` lacks a dimension, a bound, a second rank, the baseline asked for, or
        negatives, or has more dimensions.
    PUTypeError
        If `ax`, `line_kws` or `band_kws` is of another kind.
    """
    curves = roc(tables)
    _check(tables, baseline)
    if (empty := curves["fpr"].isnull().all(["rank", "bound"])).any():
        raise PUValueError(
            "An ROC curve needs negatives, but at beta = "
            f"{curves['beta'].values[empty].tolist()} there are none. Pass a smaller beta, or "
            "draw the precision-recall curve: plot_pr."
        )
    ax = _axes(ax, line_kws, band_kws)
    _draw_chance(ax, [0, 1], [0, 1])

    def trace(curve: xr.Dataset) -> Path:
        return curve["fpr"].to_numpy(), curve["tpr"].to_numpy()

    for hue in _hues(tables, ax):
        _draw_band(ax, curves, trace, hue, band_kws)
        _draw_line(ax, curves, trace, hue, line_kws)
    ax.set(xlabel="false positive rate", ylabel="true positive rate", aspect="equal")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
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
    PUKeyError, PUValueError, PUTypeError
        As in `plot_roc`.

    References
    ----------
    .. [1] J. Davis, M. Goadrich, *The relationship between precision-recall and ROC curves*,
       ICML 2006.
    """
    roc(tables)  # says what is missing where these are no tables
    _check(tables, baseline)
    ax = _axes(ax, line_kws, band_kws)
    hues = _hues(tables, ax)
    for hue in hues:
        _draw_band(ax, tables, _trace_pr, hue, band_kws)
        _draw_line(ax, tables, _trace_pr, hue, line_kws)
    for hue in [hue for hue in hues if not hue.is_baseline] or hues:
        tp, fp, fn, tn = (tables[name].sel(beta=hue.beta).values[0, 0] for name in COUNTS)
        prevalence = (tp + fn) / (tp + fp + fn + tn)
        label = "chance (prevalence)"
        _draw_chance(ax, [0, 1], [prevalence, prevalence], color=hue.color, label=label)
    ax.set(xlabel="recall", ylabel="precision", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
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
    PUValueError, PUTypeError
        As in `plot_roc`.
    """
    _check(cdf, baseline=False)
    ax = _axes(ax, line_kws, band_kws)
    examples = int(cdf["rank"][-1])
    _draw_chance(ax, [0, examples], [0, 1])

    def trace(curve: xr.Dataset) -> Path:
        return _steps(curve["rank"].to_numpy(), curve["rank_cdf"].to_numpy())

    hues = _hues(cdf, ax)
    for hue in hues:
        _draw_band(ax, cdf, trace, hue, band_kws, of=f", {hue.label}")
    # The known positives are the same at each beta.
    known = hues[0]._replace(color="black", label="known positives")
    _draw_line(ax, cdf, trace, known, line_kws)
    ax.set(xlabel="examples predicted positive", ylabel="share of positives found")
    ax.set(xlim=(0, examples), ylim=(-0.02, 1.02))
    return _legend(ax, "lower right")


def _check(dataset: xr.Dataset, baseline: bool) -> None:
    """Raise unless there is a curve and a band for each beta."""
    dims = ("rank", "bound", "beta")
    lacking = [dim for dim in dims if dim not in dataset.dims]
    bounds = [] if lacking else [b for b in BOUNDS if b not in dataset["bound"].to_numpy()]
    if lacking or bounds:
        raise PUValueError(
            f"A plot needs the dimensions rank, bound and beta with the bounds {list(BOUNDS)}, "
            f"but {lacking or bounds} is missing. Select with a list, which keeps the dimension: "
            "ds.sel(beta=[0.3])."
        )
    if more := [dim for dim in dataset.dims if dim not in dims]:
        raise PUValueError(
            f"A plot takes the dimensions {list(dims)}, but there is {more}, too. Select one of "
            f"it: ds.sel({more[0]}=...)."
        )
    _check_coordinates(dataset)
    if baseline and not (dataset["beta"] == 0).any():
        raise PUValueError(
            f"baseline=True needs tables for beta = 0, but there are {dataset['beta'].values}. "
            "Make them with it: df.pu.contingency(beta=[0, 0.3])."
        )


def _check_coordinates(dataset: xr.Dataset) -> None:
    """Raise unless ranks increase and each beta is there once."""
    ranks, betas = dataset["rank"].to_numpy(), dataset["beta"].to_numpy()
    if ranks.size < 2 or (np.diff(ranks) <= 0).any():
        raise PUValueError(
            f"A plot needs two or more increasing ranks, but there are {ranks.size}: "
            f"{ranks[:5].tolist()}. Make tables with ranks='breakpoints', or ds.sortby('rank')."
        )
    if not 0 < betas.size == np.unique(betas).size:
        raise PUValueError(f"A plot needs each beta once, but there are {betas.tolist()}.")


def _axes(ax: Axes | None, line_kws: Style, band_kws: Style) -> Axes:
    """Return Axes to draw on; new ones only when nothing can go wrong any more."""
    if not isinstance(ax, Axes | None):
        raise PUTypeError(f"ax must be a matplotlib Axes, but a {type(ax).__name__} was passed.")
    _check_style("line_kws", line_kws, lambda kws: Line2D([], [], **kws))
    _check_style("band_kws", band_kws, lambda kws: Polygon(np.zeros((1, 2)), **kws))
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def _check_style(argument: str, style: Style, make: Callable[[dict[str, Any]], Artist]) -> None:
    """Raise unless an artist takes these properties."""
    try:
        make(dict(style or {}))
    except (AttributeError, TypeError, ValueError) as error:
        artist = {"line_kws": "Line2D", "band_kws": "Polygon"}[argument]
        raise PUTypeError(
            f"{argument} must be a mapping of properties of matplotlib's {artist}, but {style!r} "
            f"was passed: {error}"
        ) from error


def _hues(dataset: xr.Dataset, ax: Axes) -> list[_Hue]:
    """Give each beta a colour and a name.

    Several run from dark to light, to be told apart in grey. A single one takes the next colour
    that is not on the Axes yet.
    """
    betas = [beta for beta in dataset["beta"].to_numpy().tolist() if beta != 0]
    if len(betas) == 1:
        drawn = sum(line.get_gid() == _CURVE for line in ax.lines)
        colors = [sns.color_palette("colorblind", drawn + 1)[drawn]]
    else:
        colors = sns.color_palette("viridis", len(betas))
    digits = next(
        d for d in range(3, 18) if len({f"{beta:.{d}g}" for beta in betas}) == len(betas)
    )
    labels = [f"β̂ = {beta:.{digits}g}" for beta in betas]
    hues = [_Hue(*parts) for parts in zip(betas, colors, labels, strict=True)]
    naive = [_Hue(0.0, _BASELINE, "β̂ = 0 (unlabeled as negative)")]
    return [*hues, *(naive if (dataset["beta"] == 0).any() else [])]


def _draw_chance(ax: Axes, x: list[float], y: list[float], **style: Any) -> None:
    ours = {"color": "0.4", "label": "chance", "linestyle": ":", "linewidth": 1, "zorder": 1}
    ax.plot(x, y, gid=_CHANCE, **{**ours, **style})


def _draw_band(
    ax: Axes, dataset: xr.Dataset, trace: Trace, hue: _Hue, style: Style, of: str = ""
) -> None:
    """Fill between the bounds: along the upper one and back along the lower one."""
    if hue.is_baseline:  # nothing is latent, so there is nothing to bound
        return
    curves = dataset.sel(beta=hue.beta)
    up, down = (trace(curves.sel(bound=bound)) for bound in ("upper", "lower"))
    corners = np.stack(
        [np.append(there, back[::-1]) for there, back in zip(up, down, strict=True)]
    )
    asked = normalize_kwargs(dict(style or {}), Polygon)
    color = asked.pop("color", asked.pop("facecolor", hue.color))
    opaque = "alpha" in asked or to_rgba(color)[3] < 1
    several = (dataset["beta"] != 0).sum() > 1
    properties = {
        "facecolor": color if opaque else (*to_rgb(color), 0.18 if several else 0.25),
        "edgecolor": (*to_rgb(color), 0.7),
        "linewidth": 0.6,
        "label": f"{_band_label(dataset)}{of}",
        "gid": _BAND,
        "zorder": 2,
    }
    ax.add_patch(Polygon(corners.T, **{**properties, **asked}))


def _band_label(dataset: xr.Dataset) -> str:
    """Name the band and its level, as far as the attributes say."""
    level, band = dataset.attrs.get("level"), dataset.attrs.get("band")
    percent = "" if level is None else f"{100 * level:.12g}% "
    return f"{percent}{'' if band is None else f'{band} '}band"


def _draw_line(ax: Axes, dataset: xr.Dataset, trace: Trace, hue: _Hue, style: Style) -> None:
    """Draw the estimate, or the baseline."""
    x, y = trace(dataset.sel(beta=hue.beta, bound="estimate"))
    properties = {
        "color": hue.color,
        "linewidth": 1.3 if hue.is_baseline else 1.8,
        "linestyle": "--" if hue.is_baseline else "-",
        "label": hue.label,
        "gid": _CURVE,
        "zorder": 3,
    }
    asked = {} if hue.is_baseline else normalize_kwargs(dict(style or {}), Line2D)
    sns.lineplot(x=x, y=y, estimator=None, sort=False, ax=ax, **{**properties, **asked})


def _trace_pr(tables: xr.Dataset) -> Path:
    """Follow recall and precision along straight lines of tp and fp."""
    tp, fp = (tables[name].to_numpy().astype(np.float64) for name in ("tp", "fp"))
    positives = tp[0] + tables["fn"].to_numpy()[0]
    pieces = np.ceil(np.diff(tp) / positives * _PIECES).astype(int).clip(min=1)
    starts = np.cumsum(pieces) - pieces
    part = (np.arange(pieces.sum()) - np.repeat(starts, pieces)) / np.repeat(pieces, pieces)
    place = np.append(np.repeat(np.arange(pieces.size), pieces) + part, pieces.size)
    tp, fp = (np.interp(place, np.arange(count.size), count) for count in (tp, fp))
    head = tp + fp
    precision = tp / np.where(head > 0, head, 1)
    # From rank 0 on, precision is that of the first cutoff.
    return tp / positives, np.where(head > 0, precision, precision[1])


def _steps(x: FloatArray, y: FloatArray) -> Path:
    """Hold each value until the next cutoff."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def _legend(ax: Axes, place: Literal["best", "lower right"]) -> Axes:
    """Name each curve, then each kind of band and of chance once: grey if it has several hues."""
    shared: dict[str, list[Artist]] = {}
    entries: list[tuple[str, Artist]] = []
    for artist, label in zip(*ax.get_legend_handles_labels(), strict=True):
        if artist.get_gid() in (_BAND, _CHANCE):
            shared.setdefault(label, []).append(artist)
        else:
            entries.append((label, artist))
    grey = {
        _BAND: Patch(facecolor="0.85", edgecolor="0.4", linewidth=0.6),
        _CHANCE: Line2D([], [], color="0.4", linestyle=":", linewidth=1),
    }
    for kind in (_BAND, _CHANCE):
        for label, artists in shared.items():
            if artists[0].get_gid() == kind:
                entries.append((label, artists[0] if len(artists) == 1 else grey[kind]))
    labels, handles = zip(*entries, strict=True)
    ax.legend(handles, labels, loc=place, framealpha=0.8, edgecolor="none")
    return ax
