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


def test_repr_counts() -> None:
    frame = pd.DataFrame({"score": [3, 2, 2, 1], "label": [1, None, 0, None]})
    lines = {*repr(frame.pu).splitlines()}
    assert {"known positives  1", "known negatives  1", "unlabeled        2"} <= lines
    assert "distinct scores  3 in 4 scores (ties share a cutoff)" in lines
    assert "<th style='text-align: left'>unlabeled</th><td>2</td>" in frame.pu._repr_html_()
    assert "distinct scores  3" in repr(frame.drop(index=1).pu).splitlines()
    grouped = repr(frame.assign(site=list("aabb")).groupby("site").pu)
    assert "2: site" in grouped
    gaps = pd.DataFrame({"score": [3, None, 2, None], "label": [1, None, 0, None]})
    assert "missing scores   2: nan_policy='omit' or 'worst'" in repr(gaps.pu).splitlines()


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
