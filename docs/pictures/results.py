"""The picture of ``labels.md``: which dimensions tables have."""

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

COUNTS = {
    "0": [0, 0, 0],
    "50": [33, 50, 50],
    "100": [81, 99, 100],
    "200": [165, 186, 200],
    "2000": [500, 500, 500],
}
LAYERS = {"0": "0.75", "0.1": "0.6", "0.166": "tab:blue"}


def dims() -> None:
    """Draw a layer of numbers for each beta, the last one in front."""
    _, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
    x = y = 0.0
    for layer, (beta, color) in enumerate(LAYERS.items()):
        x, y = -0.6 * layer, -0.6 * layer
        box = Rectangle((x, y), 6, 5, facecolor="white", edgecolor=color, linewidth=2)
        ax.add_patch(box)
        ax.text(x + 5.9, y + 5.08, f"beta {beta}", ha="right")
    for row, (rank, counts) in enumerate(COUNTS.items()):
        ax.text(x - 0.2, y + 4.5 - row, rank, ha="right", va="center")
        for column, count in enumerate(counts):
            ax.text(x + 2 * column + 1, y + 4.5 - row, str(count), ha="center", va="center")
    for column, bound in enumerate(["lower", "estimate", "upper"]):
        ax.text(x + 2 * column + 1, y - 0.2, bound, ha="center", va="top")
    ax.text(x - 1.4, y + 2.5, "rank", rotation=90, ha="center", va="center", weight="bold")
    ax.text(x + 3, y - 0.8, "bound", ha="center", va="top", weight="bold")
    ax.text(2.4, 5.9, "tp; fp, fn, tn and clipped have the same shape", ha="center")
    ax.set(xlim=(-3.2, 7), ylim=(-2.8, 6.4), aspect="equal")
    ax.set_axis_off()
