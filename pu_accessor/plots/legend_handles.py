"""What a legend has to name: each curve, and each kind of what is beside them once."""

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pu_accessor.plots.artist_ids import Kind, kind_of
from pu_accessor.plots.colors import ink

__all__ = ["Entries", "legend_entries"]

Entries: TypeAlias = list[tuple[str, Artist]]

# What stands in a legend for several of them that differ in hue, by a pale and a dark grey; also
# the order of these kinds.
_GREY: Mapping[Kind, Callable[[Any, Any], Artist]] = MappingProxyType(
    {
        Kind.BASELINE: lambda pale, dark: Line2D(
            [], [], color=dark, linestyle="--", linewidth=1.3
        ),
        Kind.BAND: lambda pale, dark: Patch(facecolor=pale, edgecolor=dark, linewidth=0.6),
        Kind.ENVELOPE: lambda pale, dark: Patch(
            facecolor="none", edgecolor=dark, hatch="////", linewidth=0.6
        ),
        Kind.CHANGE: lambda pale, dark: Line2D([], [], color=dark, marker="X", linestyle="none"),
        Kind.BREAK: lambda pale, dark: Line2D([], [], color=dark, marker="X", linestyle="none"),
        Kind.BEYOND: lambda pale, dark: Patch(
            facecolor=pale, edgecolor=dark, hatch="///", linewidth=0
        ),
        Kind.LIMIT: lambda pale, dark: Line2D(
            [], [], color=dark, marker="v", linestyle="-.", linewidth=1.1
        ),
        Kind.CHANCE: lambda pale, dark: Line2D([], [], color=dark, linestyle=":", linewidth=1),
    }
)


def legend_entries(
    axes: Sequence[Axes], without: Collection[str] = (), *, brief: bool = False
) -> Entries:
    """Name each curve, then baseline, band and chance once: grey if of several hues."""
    curves: dict[tuple[str, str], Artist] = {}
    shared: dict[str, list[Artist]] = {}
    for ax in axes:
        for artist, label in zip(*ax.get_legend_handles_labels(), strict=True):
            if kind_of(artist) in _GREY:
                shared.setdefault(label, []).append(artist)
            elif label not in without:
                curves.setdefault((label, _hue(artist)), artist)
    entries = [(label, artist) for (label, _), artist in curves.items()]
    if brief and entries:
        return entries
    greys = ink(axes[0], 0.15), ink(axes[0], 0.6)
    for kind, grey in _GREY.items():
        for label, artists in shared.items():
            if kind_of(artists[0]) is kind:
                alike = len({_hue(artist) for artist in artists}) == 1
                entries.append((label, artists[0] if alike else grey(*greys)))
    return entries


def _hue(artist: Artist) -> str:
    """Return the colour of a line, or that of a polygon's edge."""
    color: Any = artist.get_color() if isinstance(artist, Line2D) else artist.get_edgecolor()  # type: ignore[attr-defined]
    return to_hex(color)
