"""What ``df.pu`` and ``ds.pu`` are: thin, registered once, and light to import."""

import subprocess
import sys

import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from cases import as_frame, draw_case
from pu_accessor.accessors import register
from pu_accessor.inference import metrics

FRAME = as_frame(draw_case(8))
TABLES = FRAME.pu.contingency([0, 0.4])


@pytest.mark.parametrize("ranks", ["breakpoints", "all", 5])
def test_roc_bounds_and_pr_bounds_are_curves_of_tables(ranks: str | int) -> None:
    tables = FRAME.pu.contingency(0.4, ranks=ranks, band="dkw", level=0.9)
    roc = FRAME.pu.roc_bounds(0.4, ranks=ranks, band="dkw", level=0.9)
    pr = FRAME.pu.pr_bounds(0.4, ranks=ranks, band="dkw", level=0.9)
    xr.testing.assert_identical(roc, metrics.roc(tables))
    xr.testing.assert_identical(pr, metrics.pr(tables))
    assert list(roc.data_vars) == ["fpr", "tpr"]
    assert list(pr.data_vars) == ["recall", "precision"]
    assert roc["tpr"].dims == pr["recall"].dims == ("rank", "bound", "beta")


def test_curves_come_at_breakpoints() -> None:
    breakpoints = FRAME.pu.contingency(0.4, ranks="breakpoints")
    assert FRAME.pu.roc_bounds(0.4).attrs["ranks"] == "breakpoints"
    assert FRAME.pu.pr_bounds(0.4).attrs["ranks"] == "breakpoints"
    assert FRAME.pu.roc_bounds(0.4).sizes["rank"] == breakpoints.sizes["rank"]


def test_common_keywords_reach_the_data() -> None:
    renamed = FRAME.rename(columns={"score": "s", "label": "y"})
    coded = renamed.assign(y=renamed["y"].map({True: "p", False: "n"}).fillna("u"), s=renamed["s"])
    coded.loc[len(coded)] = [None, "u"]
    keywords = {
        "score": "s",
        "label": "y",
        "positive": "p",
        "negative": "n",
        "unlabeled": "u",
        "nan_policy": "omit",
        "level": 0.8,
        "band": "bootstrap",
    }
    for name in ("contingency", "roc_bounds", "pr_bounds"):
        asked = getattr(coded.pu, name)(0.4, reference="positives", **keywords)
        plain = getattr(FRAME.pu, name)(0.4, level=0.8, band="bootstrap")
        xr.testing.assert_equal(asked, plain)
    for name in ("plot_roc", "plot_pr", "plot_rank_cdf"):
        asked, plain = (
            getattr(frame.pu, name)(0.4, **options)
            for frame, options in ((coded, keywords), (FRAME, {"level": 0.8, "band": "bootstrap"}))
        )
        for one, other in zip(asked.patches, plain.patches, strict=True):
            assert one.get_path().vertices.tolist() == other.get_path().vertices.tolist()


def test_dataset_methods_are_functions_of_tables() -> None:
    xr.testing.assert_identical(TABLES.pu.roc(), metrics.roc(TABLES))
    xr.testing.assert_identical(TABLES.pu.pr(), metrics.pr(TABLES))
    xr.testing.assert_identical(TABLES.pu.metric("mcc"), metrics.metric(TABLES, "mcc"))
    xr.testing.assert_identical(TABLES.pu.area("pr"), metrics.area(TABLES, "pr"))
    xr.testing.assert_identical(
        TABLES.pu.area("roc", max_fpr=0.2), metrics.area(TABLES, "roc", max_fpr=0.2)
    )
    pd.testing.assert_frame_equal(TABLES.pu.to_frame(), metrics.to_frame(TABLES))


def test_repr_counts() -> None:
    frame = pd.DataFrame({"score": [3, 2, 2, 1], "label": [1, None, 0, None]})
    assert repr(frame.pu).splitlines() == [
        "<df.pu>",
        "known positives  1",
        "known negatives  1",
        "unlabeled        2",
        "distinct scores  3 in 4 scores (ties share a cutoff)",
    ]
    assert "<th style='text-align: left'>unlabeled</th><td>2</td>" in frame.pu._repr_html_()
    assert repr(frame.drop(index=1).pu).endswith("distinct scores  3")
    assert repr(frame.assign(site=list("aabb")).groupby("site").pu).endswith(
        "groups           2: site"
    )
    gaps = pd.DataFrame({"score": [3, None, 2, None], "label": [1, None, 0, None]})
    assert repr(gaps.pu).splitlines()[-2:] == [
        "distinct scores  2",
        "missing scores   2: nan_policy='omit' or 'worst'",
    ]


def test_repr_says_what_is_in_the_way() -> None:
    frame = pd.DataFrame({"<b>": [0.5], "label": [True]})
    assert "no 'score' among ['<b>', 'label']" in repr(frame.pu)
    assert "df.pu.roc_bounds(beta=0.3, score='my_score', label='my_label')" in repr(frame.pu)
    assert "&lt;b&gt;" in frame.pu._repr_html_()
    assert "nothing missing" in repr(pd.DataFrame({"score": [1, 2], "label": [0, 1]}).pu)
    assert repr(TABLES.pu) == (
        "<ds.pu: contingency, roc, pr, metric, area, sensitivity, to_frame, dominance, "
        "plot_roc, plot_pr, plot_metric, plot_sensitivity>"
    )


def test_registering_again_changes_nothing() -> None:
    before = vars(pd.DataFrame)["pu"], vars(xr.Dataset)["pu"]
    register()  # a second registration would warn, and warnings are errors here
    assert (vars(pd.DataFrame)["pu"], vars(xr.Dataset)["pu"]) == before


def test_accessor_is_of_its_frame() -> None:
    assert "pu" in dir(FRAME)
    assert type(FRAME.copy().pu) is type(FRAME.pu)
    longer = pd.concat([FRAME, FRAME])
    assert (
        longer.pu.contingency(0).attrs["n_known_positive"] == 2 * TABLES.attrs["n_known_positive"]
    )


def test_import_is_light() -> None:
    code = (
        "import sys, pu_accessor; "
        "print(sorted({'matplotlib', 'seaborn', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_version() -> None:
    assert pu_accessor.__version__.count(".") == 2
