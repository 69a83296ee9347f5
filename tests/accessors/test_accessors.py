"""What ``df.pu`` and ``ds.pu`` are: thin, registered once, and light to import."""

import subprocess
import sys

import pandas as pd
import xarray as xr

import pu_accessor
from pu_accessor.questions.constructors import register
from tests.cases import as_frame, draw_case

FRAME = as_frame(draw_case(8))

TABLES = FRAME.pu.contingency([0, 0.4], ranks="all")


def test_repr_says_what_is_in_the_way() -> None:
    frame = pd.DataFrame({"<b>": [0.5], "label": [True]})
    assert "no 'score' among ['<b>', 'label']" in " ".join(repr(frame.pu).split())
    assert "df.pu(score=" in repr(frame.pu)
    assert "&lt;b&gt;" in frame.pu._repr_html_()
    two = repr(pd.DataFrame({"score": [1, 2], "label": [0, 1]}).pu)
    assert "nothing missing" in " ".join(two.split())
    listed = repr(TABLES.pu)
    for name in ("roc", "metric", "beta_derivatives", "at", "to_frame", "plot_metric"):
        assert name in listed


def test_the_accessor_is_registered_once_and_is_of_its_frame() -> None:
    before = vars(pd.DataFrame)["pu"], vars(xr.Dataset)["pu"]
    register()  # a second registration would warn, and warnings are errors here
    assert (vars(pd.DataFrame)["pu"], vars(xr.Dataset)["pu"]) == before
    assert "pu" in dir(FRAME) and type(FRAME.copy().pu) is type(FRAME.pu)
    longer = pd.concat([FRAME, FRAME])
    assert (
        longer.pu.contingency(0, ranks="all")["n_known_positive"] == 2 * TABLES["n_known_positive"]
    )
    assert pu_accessor.__version__.count(".") == 2


def test_import_is_light() -> None:
    code = "import sys, pu_accessor; print({'matplotlib', 'seaborn', 'sklearn'} & {*sys.modules})"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
