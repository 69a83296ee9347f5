"""Names that mean something to matplotlib, to HTML or to a terminal are shown as they are."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.text import Text

from pu_accessor import from_chunks
from tests.cases import binormal, legend_of

NAMES = ["_hidden", "$x$", "$$", "a$b", r"$\frac$", r"\$", "<script>", "100%", "{x}", "_", ""]
FRAME = binormal(40, 80, 0.5, seed=2)[0]


def shown(text: Text) -> str:
    """Return what is drawn of a text, which must be no mathematics."""
    clean, mathematics = text._preprocess_math(text.get_text())  # type: ignore[attr-defined]
    assert not mathematics
    return str(clean)


def texts(figure: Any) -> list[str]:
    """Draw a figure, and return all its texts."""
    figure.draw_without_rendering()
    return [shown(text).strip() for text in figure.findobj(Text)]


def test_models_in_a_legend() -> None:
    frame = FRAME.assign(**{name: FRAME["score"] + place for place, name in enumerate(NAMES)})
    pu = frame.pu(score=NAMES)
    for ax in (pu.plot_roc(0.2), pu.plot_rank_cdf(0.2)):
        labels = [shown(text).strip() for text in legend_of(ax).get_texts()]
        assert {*NAMES} <= {*labels} and {*NAMES} <= {*texts(ax.figure)}


@pytest.mark.parametrize("name", ["_hidden", "$$"])
def test_columns_and_keys_in_panels(name: str) -> None:
    frame = FRAME.assign(**{name: np.where(FRAME.index % 2, name, "other")})
    grid = frame.pu(by=name).plot_roc(0.2, col=name)
    titles = [shown(ax.title).split(" = ") for ax in grid.axes.flat]
    parts = {tuple(part.strip() for part in title) for title in titles}
    assert parts == {(name, name), (name, "other")}
    texts(grid.figure)
    ax = frame.pu(by=name).plot_pr(0.2)
    assert shown(legend_of(ax).get_title()).strip().startswith(name)
    texts(ax.figure)


@pytest.mark.parametrize("name", ["_gain", "$x$", "$$", "<lambda>"])
def test_functions_of_ones_own(name: str) -> None:
    def metric(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        return tp - fp

    def band(n: int, m: int, level: float) -> Any:
        k = np.arange(n + 1)
        return k * m // n, -(-k * m // n)

    metric.__name__ = band.__name__ = name
    ax = FRAME.pu.plot_metric(metric, 0.2, band=band)
    assert name.replace("_", " ").strip() in texts(ax.figure)
    assert f"95% band, pointwise ({name})" in texts(ax.figure)
    ax = FRAME.pu.plot_metric(metric, [0.1, 0.2], x="beta", at=20)
    assert f"{name.replace('_', ' ').strip()} among the top 20" in texts(ax.figure)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a&b", "\"'><b>", "two\nlines"])
def test_pages_and_terminals(name: str) -> None:
    frame = FRAME.assign(**{name: np.where(FRAME.index % 2, "u", "v")})
    samples = xr.Dataset({"score": ((name, "sample"), np.arange(4.0).reshape(2, 2))})
    samples["label"] = ("sample", np.array([1, np.nan]))
    renamed = frame.drop(columns=name).rename(columns={"score": name})
    several = pd.concat([renamed, renamed.rename(columns={name: "b"})[["b"]]], axis=1)
    for pu in (
        frame.pu(by=name),
        frame.pu(label=name),
        frame.pu(score=name),
        frame.groupby(name).pu,
        several.pu(score=[name, "b"]),
        from_chunks([frame]),
        from_chunks([frame], by=name),
        samples.pu(),
    ):
        page = ElementTree.fromstring(pu._repr_html_())
        assert {part.tag for part in page.iter()} <= {"table", "caption", "tr", "th", "td"}
        assert "\nlines" not in repr(pu) and "\nlines" not in "".join(page.itertext())
        assert repr(name)[1:-1] in repr(pu) or name in repr(pu)


def test_long_names_are_shortened_in_pictures() -> None:
    long = {"a": "a" * 5_000, "b": "b" * 2_500 + "end"}
    frame = FRAME.assign(group=np.where(np.arange(len(FRAME)) % 2, long["a"], long["b"]))
    pu = frame.pu(by="group")
    grid = pu.plot_roc(0.2, col="group")
    for figure in (pu.plot_roc(0.2).figure, pu.plot_forest("auroc", 0.2).figure, grid.figure):
        assert max(map(len, texts(figure))) < 200
    assert any(text.endswith("end") for text in texts(pu.plot_roc(0.2).figure))
