"""Tables that were spoiled are refused in our own words, whatever is asked of them."""

from collections.abc import Callable
from typing import Any

import pytest
import xarray as xr

from pu_accessor.errors import PUError
from tests.cases import binormal
from tests.datasets.questions import QUESTIONS, within_interval

FRAME = binormal(60, 140, 0.4, seed=6)[0].assign(forest=lambda df: -df["score"])
PU = FRAME.rename(columns={"score": "svm"}).pu(score=["svm", "forest"])
POINTS, OWN, INTERVAL = (
    PU.contingency([0.1, 0.2], ranks="all"),
    PU.contingency([0.1, 0.2], ranks="breakpoints"),
    within_interval(PU),
)

# What is done to tables, and what all questions must say then; without a text an answer will do.
SPOILED: dict[str, tuple[Callable[[xr.Dataset], xr.Dataset], str | None]] = {
    "no beta at all": (lambda ds: ds.isel(beta=[]), "dimension 'beta' is empty"),
    "no bound at all": (lambda ds: ds.isel(bound=[]), "dimension 'bound' is empty"),
    "bounds unnamed": (lambda ds: ds.drop_vars("bound"), "'bound' must have its labels"),
    "betas unnamed": (lambda ds: ds.drop_vars("beta"), "'beta' must have its labels"),
    "a bound twice": (lambda ds: ds.isel(bound=[0, 0, 1, 2]), "labels of 'bound' must be some of"),
    "other bounds": (lambda ds: ds.assign_coords(bound=[*"lmu"]), "labels of 'bound' must be"),
    "text": (lambda ds: ds.assign(fp=ds["fp"].astype(str)), "'fp' must contain numbers"),
    "complex": (lambda ds: ds.assign(tn=ds["tn"] + 0j), "'tn' must contain numbers"),
    "a count's own shape": (lambda ds: ds.assign(tp=ds["tp"][..., 0]), "counts must have the"),
    "one beta": (lambda ds: ds.isel(beta=0), None),
    "one bound": (lambda ds: ds.sel(bound="upper"), None),
    "a count missing": (lambda ds: ds.drop_vars("fn"), None),
    "no ranks": (lambda ds: ds.drop_vars("rank"), None),
    "no thresholds": (lambda ds: ds.drop_vars("threshold"), None),
    "not clipped": (lambda ds: ds.drop_vars("clipped"), None),
    "no totals": (lambda ds: ds.drop_vars("n_known_negative"), None),
    "betas renamed": (lambda ds: ds.rename(beta="prior"), None),
    "holes": (lambda ds: ds[["tp", "fp", "fn", "tn", "clipped"]].where(ds["tp"] > 3), None),
    "negative": (lambda ds: ds.assign(tp=-ds["tp"]), None),
    "no models": (lambda ds: ds.drop_vars("model"), None),
}


def complain(ask: Callable[[xr.Dataset], Any], tables: xr.Dataset) -> str:
    """Return what is said, or nothing where there is an answer."""
    try:
        ask(tables)
    except PUError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("spoil", SPOILED)
@pytest.mark.parametrize("tables", [OWN, INTERVAL], ids=["own cutoffs", "interval"])
def test_every_question_speaks_for_itself(spoil: str, tables: xr.Dataset) -> None:
    change, said = SPOILED[spoil]
    spoilt = change(tables)
    for question, ask in QUESTIONS.items():
        if not (question.startswith("plot") and tables is OWN):
            told = complain(ask, spoilt)
            assert said is None or said in told, question


@pytest.mark.parametrize("empty", [POINTS.isel(rank=[]), OWN.isel(cutoff=[]), OWN.isel(model=[])])
def test_there_is_a_table_or_more(empty: xr.Dataset) -> None:
    for question in ("roc", "area pr", "beta_derivatives", "at fraction", "to_frame"):
        assert "is empty" in complain(QUESTIONS[question], empty), question
