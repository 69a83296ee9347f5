"""What ``df.pu`` and ``ds.pu`` are: thin, registered once, and light to import."""

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor.accessors import register
from tests.cases import as_frame, binormal, draw_case

FRAME = as_frame(draw_case(8))
TABLES = FRAME.pu.contingency([0, 0.4])


@pytest.mark.parametrize("ranks", ["breakpoints", "all", 5])
def test_roc_bounds_and_pr_bounds_are_curves_of_tables(ranks: str | int) -> None:
    tables = FRAME.pu.contingency(0.4, ranks=ranks, band="dkw", level=0.9)
    roc = FRAME.pu.roc_bounds(0.4, ranks=ranks, band="dkw", level=0.9)
    pr = FRAME.pu.pr_bounds(0.4, ranks=ranks, band="dkw", level=0.9)
    xr.testing.assert_identical(roc, tables.pu.roc_bounds())
    xr.testing.assert_identical(pr, tables.pu.pr_bounds())
    assert list(roc.data_vars) == ["fpr", "tpr"]
    assert list(pr.data_vars) == ["recall", "precision"]
    assert roc["tpr"].dims == pr["recall"].dims == ("rank", "bound", "beta")


def test_curves_come_at_breakpoints() -> None:
    pu = binormal(60, 200, 0.3, seed=1)[0].pu
    breakpoints, every = pu.contingency(0.2, ranks="breakpoints"), pu.contingency(0.2)
    for curves in (pu.roc_bounds(0.2), pu.pr_bounds(0.2)):
        assert curves["rank"].values.tolist() == breakpoints["rank"].values.tolist()
        assert curves["n_cutoffs"] == breakpoints.sizes["rank"] < every.sizes["rank"]
        assert not curves["all_cutoffs"]
    assert every["all_cutoffs"] and every["n_cutoffs"] == every.sizes["rank"]
    some = every.isel(rank=[0, 1])
    assert some["n_cutoffs"] == every.sizes["rank"]  # so that it is known that some are missing
    assert pu.contingency(0.2, ranks=[3, 2])["n_cutoffs"] == 0


def test_what_columns_mean_reaches_the_data() -> None:
    renamed = FRAME.rename(columns={"score": "s", "label": "y"})
    coded = renamed.assign(y=renamed["y"].map({True: "p", False: "n"}).fillna("u"), s=renamed["s"])
    coded = pd.concat([coded, coded.tail(1)], ignore_index=True)
    coded.loc[coded.index[-1], "s"] = np.nan
    coded.loc[coded.index[-1], "y"] = "u"
    pu = coded.pu(
        score="s", label="y", positive="p", negative="n", unlabeled="u", nan_policy="omit"
    )
    how = {"level": 0.8, "band": "bootstrap"}
    for name in ("contingency", "roc_bounds", "pr_bounds"):
        asked = getattr(pu, name)(0.4, reference="positives", **how)
        xr.testing.assert_equal(asked, getattr(FRAME.pu, name)(0.4, **how))
    for name in ("plot_roc", "plot_pr", "plot_rank_cdf"):
        asked, plain = (getattr(one, name)(0.4, **how) for one in (pu, FRAME.pu))
        for one, other in zip(asked.patches, plain.patches, strict=True):
            assert one.get_path().vertices.tolist() == other.get_path().vertices.tolist()


def test_tables_at_some_cutoffs() -> None:
    several = pd.concat([FRAME.assign(site="a"), FRAME.iloc[:9].assign(site="b")])
    for tables in (
        TABLES,
        FRAME.pu.contingency([0, 0.4], ranks="breakpoints"),
        several.pu(by="site").contingency([0, 0.4], ranks="breakpoints"),
        several.pu(by="site").contingency([0, 0.4]),
    ):
        sites = tables["site"].values.tolist() if "site" in tables.coords else [None]
        for site in sites:
            one = tables if site is None else tables.sel(site=site)
            rank, threshold = one["rank"].values, one["threshold"].values
            size = int(one["n_known_positive"] + one["n_known_negative"] + one["n_unlabeled"])
            questions: list[tuple[dict[str, Any], int]]
            questions = [({"rank": asked}, asked) for asked in (0, 3, 4, size)]
            questions += [({"fraction": x}, int(x * size)) for x in (0, 0.2, 0.75, 1)]
            for question, asked in questions:
                last = np.flatnonzero(rank <= asked)[-1]
                expected = one["tp"].isel({one["tp"].dims[0]: last}).values
                got = tables.pu.at(**question)
                got = got if site is None else got.sel(site=site)
                np.testing.assert_array_equal(np.squeeze(got["tp"].values), expected.squeeze())
            at = float(np.median(FRAME["score"]))
            last = np.flatnonzero(threshold >= at)[-1]
            expected = one["tp"].isel({one["tp"].dims[0]: last}).values
            got = tables.pu.at(threshold=at)
            got = got if site is None else got.sel(site=site)
            np.testing.assert_array_equal(np.squeeze(got["tp"].values), expected.squeeze())


def test_repr_counts() -> None:
    frame = pd.DataFrame({"score": [3, 2, 2, 1], "label": [1, None, 0, None]})
    lines = repr(frame.pu).splitlines()
    for line in (
        "known positives  1",
        "known negatives  1",
        "unlabeled        2",
        "distinct scores  3 in 4 scores (ties share a cutoff)",
    ):
        assert line in lines
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
    for name in ("roc", "metric", "beta_derivatives", "at", "to_frame", "plot_against_beta"):
        assert name in listed


def test_registering_again_changes_nothing() -> None:
    before = vars(pd.DataFrame)["pu"], vars(xr.Dataset)["pu"]
    register()  # a second registration would warn, and warnings are errors here
    assert (vars(pd.DataFrame)["pu"], vars(xr.Dataset)["pu"]) == before


def test_accessor_is_of_its_frame() -> None:
    assert "pu" in dir(FRAME)
    assert type(FRAME.copy().pu) is type(FRAME.pu)
    longer = pd.concat([FRAME, FRAME])
    assert longer.pu.contingency(0)["n_known_positive"] == 2 * TABLES["n_known_positive"]


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
