"""How pictures look, against a description of each, and bad options."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from pu_accessor import PUError, PUTypeError, PUValueError, PUWarning
from tests.plots import test_contract
from tests.plots.pictures import CALLS, FRAME, MODELS, TRUTH, describe, draw

KNOWN = Path(__file__).with_name("pictures.txt")
PINS = (Path(__file__).parents[2] / "requirements.lock").read_text(encoding="utf-8").split()
BLOCKS = re.split("(?m)^== ", KNOWN.read_text(encoding="utf-8"))[1:]  # call -> its picture
FINE, HALF = np.linspace(0.02, 0.4, 8), {"fc": "green", "alpha": 0.5}
PU, SITES, BOTH = FRAME.pu, FRAME.pu(by="site"), FRAME.pu(score=["score", MODELS[0]])
FIRST, LAST, BACK = (FRAME.pu(score=MODELS[some]) for some in (0, 4, slice(2, None, -1)))
EACH: Any = FRAME.pu(score=MODELS[:3], by="site")
SURE = FRAME.assign(score=TRUTH + FRAME["score"] / 2).pu


def within(settings: Any, ask: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Draw with a style or settings of matplotlib's."""
    with plt.style.context(settings):
        return ask(*args, **keywords)


def scaled(plot: str, is_later: bool = False) -> Any:
    """Draw on logarithmic axes, or make them logarithmic."""
    figure, scales = plt.figure(), {"xscale": "log", "yscale": "log"}
    ax = draw(plot, ax=figure.add_subplot(**({} if is_later else scales)))
    ax.set(**(scales if is_later else {}))
    figure.draw_without_rendering()
    return ax


def description(call: str) -> str:
    with warnings.catch_warnings(action="ignore", category=PUWarning):
        told = "\n".join(describe(eval(call, vars(test_contract) | globals())))
    plt.close("all")
    return f"{call} -> {told}\n"


@pytest.mark.skipif(f"matplotlib=={mpl.__version__}" not in PINS, reason="another draws otherwise")
@pytest.mark.parametrize("known", BLOCKS, ids=lambda known: known.partition(" -> ")[0])
def test_pictures_look_as_they_looked(known: str) -> None:
    """Look at the difference; if it is meant: python -m tests.plots.test_looks."""
    assert description(known.partition(" -> ")[0]).splitlines() == known.splitlines()


# Bad options and odd tables


@pytest.mark.parametrize("plot", CALLS)
def test_bad_options_are_refused_before_a_row_is_read(plot: str) -> None:
    unread = FRAME.assign(label="?")
    bad: list[dict[str, Any]] = [{"palette": "virdis"}, {"legend": "auto"}, {"hue": ["model"]}]
    for looks in [*bad, {"line_kws": {"hue": 1}}, {"height": 2}, {"ax": "x"}, {"baseline": 1}]:
        with pytest.raises((PUTypeError, PUValueError), match=f"^{next(iter(looks))} (must|is)"):
            draw(plot, 3, unread, **looks)
    with pytest.raises(PUValueError, match="label column 'label' contains"):
        draw(plot, 3, unread)
    assert plt.get_fignums() == []


def test_odd_properties_and_tables_are_drawn_or_refused_in_words() -> None:
    tables = FRAME.pu(score=MODELS[:2]).contingency([0.2, 0.4], ranks="all")
    PU.plot_roc(0.2, band_kws={"facecolor": None})
    tables.assign_coords(note=("model", ["x", "y"])).pu.plot_pr(hue="model", col="beta")
    for name in ("clipped", "threshold"):
        tables.drop_vars(name).pu.plot_metric("f1", hue="model", col="beta")
    plt.close("all")
    with pytest.raises(PUError, match="'beta' must have its labels"):
        tables.drop_vars("beta").pu.plot_roc(hue="model", col="beta")
    for col in (None, "beta"):
        with pytest.raises(PUValueError, match="each of the 3 curves, but it has 2"):
            draw("plot_roc", 3, palette=["red", "blue"], col=col)
    with pytest.raises(PUValueError, match="ZeroDivisionError"):
        PU.plot_metric(lambda tp, fp, fn, tn: tp if not tp.size else 1 / 0, 0.2)
    assert plt.get_fignums() == []


if __name__ == "__main__":
    mpl.use("Agg")
    told = [f"== {description(block.partition(' -> ')[0])}" for block in BLOCKS]
    KNOWN.write_text("".join(told), encoding="utf-8")
