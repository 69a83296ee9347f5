"""Names at the ends of curves, or where they are far from others, in place of a legend."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from pu_accessor.plots.artist_ids import Kind, kind_of
from pu_accessor.plots.colors import contrast, ground, ink
from pu_accessor.plots.legends import settle
from pu_accessor.ranking import FloatArray

__all__ = ["label_curves"]

_LABEL = "pu_accessor label"
_NAMED = (Kind.CURVE, Kind.BASELINE)
_STEPS = 200  # points that stand for a curve where labels are placed
_EVERY = 5  # of them at which its own label may stand
_AWAY = 5.0  # points between a curve and its name
_READ = 2.5  # the contrast that a name needs to keep its colour


def label_curves(ax: Axes) -> None:
    """Write the name of each curve beside its end, in its colour.

    Where curves end at one point, as ROC curves do, a name stands beside its curve where that is
    far from the others.
    """
    for text in [text for text in ax.texts if text.get_gid() == _LABEL]:
        text.remove()
    lines = [line for line in ax.lines if kind_of(line) in _NAMED and _has_points(line)]
    named = {(str(line.get_label()), _own_hue(line)): line for line in reversed(lines)}
    lines = [line for line in lines if line in named.values()]
    if not lines:
        return
    figure: Any = ax.get_figure(root=True)
    settle(figure)
    texts = [_write(ax, line) for line in lines]
    ends = np.array([_pixels(line)[-1] for line in lines])
    high = max(text.get_window_extent().height for text in texts)
    if len(lines) == 1 or np.ptp(ends[:, 1]) > 0.8 * high:
        _stack(ax, texts, ends, high)
    else:
        _scatter(ax, lines, texts)


def _own_hue(line: Line2D) -> str:
    """Return the colour of a curve; baselines share their name."""
    return str(line.get_color()) if kind_of(line) is Kind.CURVE else ""


def _has_points(line: Line2D) -> bool:
    return bool(np.size(line.get_xdata()))


def _write(ax: Axes, line: Line2D) -> Annotation:
    """Write a name anywhere, in a colour that can be read, on a seam of the ground."""
    below, color = ground(ax), line.get_color()
    read = color if contrast(color, below) >= _READ else ink(ax, 0.9)
    halo = [withStroke(linewidth=3, foreground=below)]
    look: dict[str, Any] = {"color": read, "path_effects": halo, "gid": _LABEL, "zorder": 5}
    return ax.annotate(
        str(line.get_label()).replace("\n", " "),
        (0, 0),
        xytext=(0, 0),
        textcoords="offset points",
        fontsize="small",
        annotation_clip=False,
        va="center",
        **look,
    )


def _pixels(line: Line2D) -> FloatArray:
    """Return the corners of a line in pixels."""
    path = line.get_transform().transform_path(line.get_path())
    return np.asarray(path.vertices, dtype=np.float64)


def _put(text: Annotation, pixel: FloatArray) -> None:
    """Attach a text to the data that are at a pixel."""
    ax: Any = text.axes
    text.xy = tuple(ax.transData.inverted().transform(pixel))


def _stack(ax: Axes, texts: Sequence[Annotation], ends: FloatArray, high: float) -> None:
    """Put names right of the ends, each at least its height from the next."""
    order = np.argsort(ends[:, 1])
    y = spread(ends[order, 1], 1.05 * high)
    frame = ax.get_window_extent()
    if y[-1] > frame.y1:  # within the height of the Axes, as far as there is room
        y = y - min(y[-1] - frame.y1, max(0.0, y[0] - frame.y0))
    points = 72 / ax.figure.dpi
    for place, at in zip(order.tolist(), y.tolist(), strict=True):
        right = max(frame.x1 - ends[place, 0], 0.0) if ends[place, 0] > frame.x1 - 40 else 0.0
        _put(texts[place], ends[place])
        shift = (at - ends[place, 1]) * points
        texts[place].set_position((right * points + _AWAY, shift))


def spread(wanted: FloatArray, gap: float) -> FloatArray:
    """Move places apart as little as can be.

    Examples
    --------
    >>> spread(np.array([0.0, 0.1, 5.0]), 1.0).round(2).tolist()
    [-0.45, 0.55, 5.0]
    """
    # Without the gaps the order is all that is to be kept: means of neighbours that violate it.
    steps = gap * np.arange(wanted.size)
    blocks: list[tuple[float, int]] = []
    for place in (wanted - steps).tolist():
        mean, size = place, 1
        while blocks and blocks[-1][0] > mean:
            before, many = blocks.pop()
            mean, size = (before * many + mean * size) / (many + size), many + size
        blocks.append((mean, size))
    means = np.repeat([mean for mean, _ in blocks], [size for _, size in blocks])
    apart: FloatArray = means + steps
    return apart


def _scatter(ax: Axes, lines: Sequence[Line2D], texts: Sequence[Annotation]) -> None:
    """Put names beside their curves, where these are alone and no name is yet."""
    curves = [_resample(_pixels(line)) for line in lines]
    frame = ax.get_window_extent()
    placed: list[Bbox] = []
    away = _AWAY * ax.figure.dpi / 72
    for place, text in enumerate(texts):
        size = text.get_window_extent()
        own = curves[place]
        others = np.concatenate([curve for at, curve in enumerate(curves) if at != place])
        spots, boxes = _spots(own, size.width, size.height, away)
        best = int(np.argmin(_costs(boxes, spots, own, others, placed, frame)))
        left, low, right, top = boxes[best]
        placed.append(Bbox.from_extents(left, low, right, top))
        _put(text, spots[best])
        points = 72 / ax.figure.dpi
        shift = np.array([left, (low + top) / 2]) - spots[best]
        text.set_position(tuple(shift * points))


def _resample(corners: FloatArray) -> FloatArray:
    """Return points of a line at equal steps along it."""
    steps = np.hypot(*np.diff(corners, axis=0).T)
    along = np.append(0, np.cumsum(steps))
    at = np.linspace(0, along[-1], _STEPS)
    return np.stack([np.interp(at, along, side) for side in corners.T], axis=1)


def _spots(
    own: FloatArray, width: float, height: float, away: float
) -> tuple[FloatArray, FloatArray]:
    """Return points of a curve, and the boxes of a name at each of their sides."""
    points = own[::_EVERY]
    spots, boxes = [], []
    for x in (away, -away - width, -width / 2):
        for y in (-away - height, away, -height / 2):
            if x == -width / 2 and y == -height / 2:
                continue  # on the curve itself
            corner = points + np.array([x, y])
            spots.append(points)
            boxes.append(np.concatenate([corner, corner + np.array([width, height])], axis=1))
    return np.concatenate(spots), np.concatenate(boxes)


def _costs(
    boxes: FloatArray,
    spots: FloatArray,
    own: FloatArray,
    others: FloatArray,
    placed: Sequence[Bbox],
    frame: Bbox,
) -> FloatArray:
    """Return how bad each box is for a name."""
    cost = 10.0 * _inside(boxes, others) + 4.0 * _inside(boxes, own)
    nearest = np.hypot(*(spots[:, None] - others[None]).transpose(2, 0, 1)).min(axis=1)
    cost -= 0.2 * np.minimum(nearest, 60)  # far from others: nobody takes it for theirs
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2
    for one, sign in ((others, -1.0), (own, 1.0)):
        near = np.hypot(*(middle[:, None] - one[None]).transpose(2, 0, 1)).min(axis=1)
        cost += sign * 0.1 * np.minimum(near, 60)
    outside = (boxes[:, :2] < (frame.x0, frame.y0)) | (boxes[:, 2:] > (frame.x1, frame.y1))
    cost += 1e4 * outside.any(axis=1)
    for box in placed:
        apart = (boxes[:, 0] > box.x1) | (boxes[:, 2] < box.x0)
        apart |= (boxes[:, 1] > box.y1) | (boxes[:, 3] < box.y0)
        cost += 1e3 * ~apart
    return cost


def _inside(boxes: FloatArray, points: FloatArray) -> FloatArray:
    """Count the points in each box."""
    low = (points[None] >= boxes[:, None, :2]).all(axis=2)
    high = (points[None] <= boxes[:, None, 2:]).all(axis=2)
    found: FloatArray = (low & high).sum(axis=1).astype(np.float64)
    return found
