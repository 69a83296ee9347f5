"""Colours of many models: as many of a palette as stay apart, then others."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import to_rgb

import pu_accessor  # noqa: F401 -- registers df.pu


def test_nine_models_have_nine_colours() -> None:
    rng = np.random.default_rng(0)
    label = np.where(np.arange(270) < 60, 1.0, np.nan)
    rows = pd.DataFrame({"score": rng.normal(size=270), "label": label})
    ax = rows.assign(model=np.arange(270) % 9).pu(by="model").plot_roc(0.2, band="exact")
    colors = [to_rgb(line.get_color()) for line in ax.lines if line.get_label() in "012345678"]
    assert [tuple(color) for color in sns.color_palette("colorblind")[:8]] == colors[:8]
    assert len({*colors}) == 9 and colors[8] not in sns.color_palette("colorblind")
