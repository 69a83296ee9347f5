"""The picture of ``results.md``: which dimensions tables have."""

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

BOUNDS = ["lower", "estimate", "upper"]
COUNTS = [[0, 0, 0], [24, 39, 50], [73, 95, 100], [173, 190, 200], [210, 210, 210]]
RANKS = ["0", "50", "100", "200", "569"]


def dims() -> None:
    """Draw a layer of numbers for each beta, the last one in front."""
    _, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for layer, (beta, color) in enumerate(zip(["0", "0.2", "0.29"], ["0.9", "0.8", "C0"], strict=True)):
        x, y = -0.45 * layer, -0.45 * layer
        box = Rectangle((x, y), 3, 5, facecolor="white", edgecolor=color, linewidth=2)
        ax.add_patch(box)
        ax.text(x + 3.08, y + 4.72, f"beta {beta}", va="center")
    for row, (rank, counts) in enumerate(zip(RANKS, COUNTS, strict=True)):
        ax.text(x - 0.1, y + 4.5 - row, rank, ha="right", va="center")
        for column, count in enumerate(counts):
            ax.text(x + column + 0.5, y + 4.5 - row, f"{count}", ha="center", va="center")
    for column, bound in enumerate(BOUNDS):
        ax.text(x + column + 0.5, y - 0.15, bound, ha="center", va="top")
    ax.text(x - 0.7, y + 2.5, "rank", rotation=90, ha="center", va="center", weight="bold")
    ax.text(x + 1.5, y - 0.6, "bound", ha="center", va="top", weight="bold")
    ax.text(3.3, 5.1, "beta", weight="bold")
    ax.set_title("tp of tables; fp, fn, tn and clipped have the same shape")
    ax.set(xlim=(-2, 5), ylim=(-2.2, 5.6), aspect="equal")
    ax.set_axis_off()
