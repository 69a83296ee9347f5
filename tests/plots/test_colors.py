"""Colours of many models: as many of a palette as stay apart, then others."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import to_hex

import pu_accessor  # noqa: F401 -- registers df.pu

MORE = ["#df2666", "#43c5ea", "#555416", "#c52ec8", "#3fcbb1", "#7d4216"]  # hues far apart


def test_fourteen_models_have_fourteen_colours() -> None:
    rng = np.random.default_rng(0)
    label = np.where(np.arange(280) < 60, 1.0, np.nan)
    rows = pd.DataFrame({"score": rng.normal(size=280), "label": label})
    ax = rows.assign(model=np.arange(280) % 14).pu(by="model").plot_roc(0.2, band="dkw")
    names = {str(number) for number in range(14)}
    colors = [to_hex(line.get_color()) for line in ax.lines if line.get_label() in names]
    assert colors == [*map(to_hex, sns.color_palette("colorblind")[:8]), *MORE]
