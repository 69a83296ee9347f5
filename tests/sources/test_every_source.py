"""Every question of every source with every option: the answer is that of rows in one frame."""

from collections.abc import Callable
from functools import cache
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr

import pu_accessor
import pu_accessor.dask
import pu_accessor.polars
from tests.accessors.test_spellings import check_same
from tests.cases import put

SIZE = 150
RNG = np.random.default_rng(12)
TRUTH = RNG.random(SIZE) < 0.4
FRAME = pd.DataFrame({"score": RNG.normal(1.2 * TRUTH).round(2)})
FRAME["other"] = RNG.normal(TRUTH).round(1)
FRAME["label"] = np.where(RNG.random(SIZE) < 0.6, TRUTH, np.nan)
FRAME["holes"] = FRAME["score"].mask(RNG.random(SIZE) < 0.1)
FRAME["p"] = 1 / (1 + np.exp(-FRAME["score"]))
FRAME["propensity"] = np.where(FRAME["label"] == 1, RNG.uniform(0.3, 1, SIZE), np.nan)
FRAME["weight"] = RNG.integers(1, 4, SIZE).astype(float)
FRAME["patient"], FRAME["site"] = np.arange(SIZE) // 3, np.where(np.arange(SIZE) % 2, "a", "b")
FRAME["fold"] = np.arange(SIZE) % 3
COLUMNS = ["score", "label", "propensity", "weight", "patient", "other", "holes", "p"]
HAND = pu_accessor.beta_from_labels(13, 60, n_unlabeled=int(FRAME["label"].isna().sum()))
RANKS: dict[str, Any] = {"ranks": [9, 60]}
MODELS, SITES = {"score": ["score", "other"]}, {"by": "site"}
CHANCE, PATIENT, WEIGHT = (
    {"propensity": "propensity"},
    {"cluster": "patient"},
    {"weight": "weight"},
)
POOL: dict[str, Any] = {"by": "fold", "pool": True}
OLD, NEW = {"target": "examples"}, {"target": "population"}
P, AT = {"score": "p"}, {"at": {"threshold": 0.5}}
WORTH = {"at": {"threshold": [0.2, 0.5]}, **OLD}
OF_AREAS: dict[str, dict[str, Any]] = {
    **{"plain": {}, "these examples": OLD, "monotone": {"monotone": True}},
    **{"clusters": PATIENT, "weights": WEIGHT, "propensities": CHANCE | OLD},
    **{"odds": {"selection_odds": 1.5}, "pool": POOL},
    **{"sites": SITES, "average": SITES | {"average": True}, "models": MODELS},
}
# What is asked, with options and roles.
ASKED: dict[str, tuple[str, tuple[Any, ...], dict[str, Any]]] = {
    "tables": ("contingency", ([0.1, 0.3],), RANKS),
    **{f"tables, {b}": ("contingency", (0.3,), RANKS | {"band": b}) for b in ("dkw", "bootstrap")},
    **{
        f"tables from {kind}": ("contingency", (0.3,), RANKS | {"reference": kind})
        for kind in ("negatives", "both", "tightest")
    },
    "tables within odds": ("contingency", (0.3,), RANKS | {"selection_odds": 2}),
    "tables with wrong labels": ("contingency", (0.3,), RANKS | {"contamination": 0.1}),
    "tables by propensities": ("contingency", (0.3,), RANKS | CHANCE),
    "tables of weights": ("contingency", (0.3,), RANKS | WEIGHT),
    "tables of an estimate": ("contingency", (HAND,), RANKS),
    "curve": ("roc_bounds", (0.3,), {}),
    "curve of holes": ("roc_bounds", (0.3,), {"score": "holes", "nan_policy": "worst"}),
    "curve on new examples": ("roc_bounds", (0.3,), NEW),
    "pr of rising shares": ("pr_bounds", (0.3,), {"monotone": True}),
    "rank cdf": ("rank_cdf", (0.3,), {"band": "simultaneous"}),
    **{
        f"{name}, {which}": (name, ([0.2, 0.3],), roles)
        for name in ("auroc", "average_precision")
        for which, roles in OF_AREAS.items()
    },
    "auroc with wrong labels": ("auroc", (0.3,), {"contamination": 0.1}),
    "auroc of an estimate": ("auroc", (HAND,), {}),
    "partial auroc": ("auroc", (0.3,), {"max_fpr": 0.2}),
    "partial auroc of clusters": ("auroc", (0.3,), {"max_fpr": 0.2} | PATIENT),
    "average precision elsewhere": ("average_precision", (0.3,), {"prevalence": 0.1}),
    "metrics at ranks": ("metric", (["f1", "lift"], 0.3), {"at": {"rank": [9, 40]}}),
    "metric at a share inside ties": ("metric", ("precision", 0.3), {"at": {"fraction": 0.1}}),
    "metric on new examples": ("metric", ("precision", 0.3), AT),
    "metric on new examples of clusters": ("metric", ("precision", 0.3), AT | PATIENT),
    "metric elsewhere": ("metric", ("precision", 0.3), AT | {"prevalence": 0.1}),
    "metric at a rate": ("metric", ("recall", 0.3), {"at": {"fpr": 0.1}}),
    "metric at its best": ("metric", ("f1", 0.3), {"at": "maximum"}),
    "metric averaged": ("metric", ("precision", 0.3), {"at": 9, "average": True} | SITES),
    "metric of weights": ("metric", ("precision", 0.3), {"at": 9} | WEIGHT),
    "bedroc": ("metric", ("bedroc", 0.3), OLD),
    "bedroc of an estimate": ("metric", ("bedroc", HAND), OLD),
    "net benefit": ("metric", ("net_benefit", 0.3), WORTH | P),
    "net benefit of sites": ("metric", ("net_benefit", 0.3), WORTH | P | SITES),
    "calibration": ("calibration", (0.3,), {"bins": 4} | P),
    "calibration of sites": ("calibration", (0.3,), {"bins": 4} | P | SITES),
    "boyce": ("metric", ("boyce",), {}),
    "boyce of weights": ("metric", ("boyce",), WEIGHT),
    "boyce by propensities": ("metric", ("boyce",), CHANCE),
    "list": ("cutoff", (0.3,), {"precision": 0.4}),
    "list on new examples": ("cutoff", (0.3,), {"recall": 0.5} | NEW),
    "beta": ("estimate_beta", (), {}),
    "beta by means": ("estimate_beta", (), {"method": "mean_matching"} | CHANCE),
    "beta of sites": ("estimate_beta", (), {"method": "feasible"} | SITES),
    "checks": ("check_assumptions", (0.3,), {}),
    "comparison": ("compare", (), MODELS),
    **{
        f"comparison, {which}": ("compare", ("auroc", 0.3), MODELS | roles)
        for which, roles in {
            **{"clusters": PATIENT, "pool": POOL, "odds": {"selection_odds": 1.5}},
            **{"propensities": CHANCE, "weights": WEIGHT, "sites": SITES},
        }.items()
    },
    "gap": ("gap", ("auroc", 0.3), SITES),
    "gap of a metric": ("gap", ("recall",), AT | SITES),
    "dominance": ("dominance", (0.3,), SITES),
    "robustness": ("robustness", ("auroc", 0.3), {"over": {"selection_odds": [1, 2]}}),
}
DDF: Any = dd.from_pandas(FRAME, npartitions=3, sort=False)  # type: ignore[no-untyped-call]
PARTS = [FRAME[:100], FRAME[100:101], FRAME[101:]]


def as_arrays(roles: Any) -> Any:
    """Return the columns of roles as arrays, and what is no column bound."""
    columns = {role: FRAME[roles.pop(role, role)] for role in ("score", "label")}
    columns |= {r: FRAME[roles.pop(r)] for r in ("propensity", "weight", "cluster") if r in roles}
    return pu_accessor.from_arrays(**{role: x.to_numpy() for role, x in columns.items()})


SOURCES: dict[str, Callable[[Any], Any]] = {
    "arrays": as_arrays,
    "samples": lambda _: xr.Dataset({x: ("sample", FRAME[x]) for x in COLUMNS}).pu(),
    "chunks": lambda _: pu_accessor.from_chunks(PARTS),
    "polars": lambda _: pu_accessor.pu(pl.from_pandas(FRAME)),
    "lazy polars": lambda _: pu_accessor.pu(pl.from_pandas(FRAME).lazy()),
    "partitions": lambda _: DDF.pu,
    "rows in another order": lambda _: FRAME.sample(frac=1, random_state=1).pu,
}


def can_be_asked(source: str, keywords: dict[str, Any]) -> bool:
    """Return whether a source has what roles name: groups, models, and folds that are pooled."""
    if source in ("arrays", "samples"):
        return "by" not in keywords and not isinstance(keywords.get("score"), list)
    return source not in ("chunks", "partitions") or "pool" not in keywords


# Samples say in the attributes of tables which variable weighs, a frame does not.
APART = ("samples", "tables of weights")
CASES = [(s, name) for s in SOURCES for name in ASKED if can_be_asked(s, ASKED[name][2])]
CASES.remove(APART)


@cache
def of_frame(name: str) -> Any:
    """Return the answer of all rows in one frame."""
    method, arguments, keywords = ASKED[name]
    return put(FRAME.pu, method, *arguments, **keywords)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize(("source", "name"), CASES)
def test_the_answer_is_that_of_one_frame(source: str, name: str) -> None:
    method, arguments, keywords = ASKED[name]
    roles = dict(keywords)
    check_same(put(SOURCES[source](roles), method, *arguments, **roles), of_frame(name))
