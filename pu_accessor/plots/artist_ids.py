"""What an artist of ours is, to find it again on Axes that are drawn on twice."""

from enum import StrEnum

from matplotlib.artist import Artist

__all__ = ["Kind", "kind_of", "name_of", "tag"]

_SEP = ": "


class Kind(StrEnum):
    """Kinds of artists; they are their group ids, in vector files as well."""

    CURVE = "pu_accessor curve"
    BASELINE = "pu_accessor baseline"
    BAND = "pu_accessor band"
    ENVELOPE = "pu_accessor envelope"
    CHANGE = "pu_accessor change"
    BREAK = "pu_accessor break"
    BEYOND = "pu_accessor beyond"
    LIMIT = "pu_accessor limit"
    SHADE = "pu_accessor shade"
    CHANCE = "pu_accessor chance"


def tag(kind: Kind, name: str | None) -> str:
    """Return the group id of an artist.

    Examples
    --------
    >>> tag(Kind.CURVE, "svm")
    'pu_accessor curve: svm'
    """
    return kind if name is None else f"{kind}{_SEP}{name}"


def kind_of(artist: Artist) -> Kind | None:
    """Return what an artist is, if it is one of ours."""
    first = str(artist.get_gid()).partition(_SEP)[0]
    return Kind(first) if first in {*Kind} else None


def name_of(artist: Artist) -> str | None:
    """Return what a curve's examples are ranked by, if that is known."""
    return str(artist.get_gid()).partition(_SEP)[2] or None
