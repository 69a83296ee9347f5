"""One estimate: every number is read from one possible labeling. The laws that follow from it."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUWarning
from tests.cases import draw_case

SEEDS = [*range(1, 47, 4), 10, 27]
AREAS = ("auroc", "average_precision")
TARGETS = ("examples", "population")
NUMBERS = ["estimate", "lower", "upper"]

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")


def hide(score: Any, truth: Any, share: float, seed: int, **more: Any) -> pd.DataFrame:
    """Show a share of the positives."""
    places = np.flatnonzero(truth)
    known = np.random.default_rng(seed).choice(places, round(share * places.size), replace=False)
    label = np.where(np.isin(np.arange(len(truth)), known), 1.0, np.nan)
    beta = (places.size - known.size) / (len(truth) - known.size)
    return pd.DataFrame({"score": score, "label": label, "beta": beta, **more})


@cache
def shapes() -> dict[str, pd.DataFrame]:
    """Return rankings as people have them, at the true beta."""
    rng = np.random.default_rng(2)
    truth = np.arange(300) < 90
    normal = rng.normal(size=300)
    return {
        "normal": hide(normal + truth, truth, 0.3, 0),
        "perfect": hide(normal + 99 * truth, truth, 0.3, 1),
        "worse than chance": hide(normal - truth, truth, 0.3, 2),
        "five levels": hide(np.round(normal + 1.5 * truth).clip(-1, 3), truth, 0.3, 3),
        "naive Bayes": hide((normal + 2 * truth > 1) * 1.0, truth, 0.2, 4),
        "one level": hide(0 * normal, truth, 0.3, 5),
    }


@cache
def rankings(weighted: bool = False) -> pd.DataFrame:
    """Return many rankings as groups, with ties and known negatives, and propensities."""
    parts, rng = [], np.random.default_rng(0)
    for seed in SEEDS:
        score, label, beta = draw_case(seed)
        frame = pd.DataFrame({"score": [*score, 0.5], "label": [*label, False], "g": f"{seed}"})
        frame["label"] = frame["label"].map({True: 1.0, False: 0.0})
        parts.append(frame.assign(beta=beta))
    parts += [frame.assign(g=name) for name, frame in shapes().items()]
    whole = pd.concat(parts, ignore_index=True)
    if weighted:
        whole["propensity"] = np.where(whole["label"] == 1, rng.uniform(0.1, 0.9, len(whole)), 1)
    return whole


def bound(weighted: bool = False, **more: Any) -> Any:
    """Return the accessor of all rankings, each a group."""
    roles = {"propensity": "propensity"} if weighted else {}
    return rankings(weighted).pu(by="g", negative=0, **roles, **more)


def betas() -> dict[str, float]:
    first = rankings().groupby("g")["beta"].first()
    return {str(key): float(beta) for key, beta in first.items()}


@cache
def areas(weighted: bool) -> pd.DataFrame:
    """Return all areas of all rankings."""
    pu, found = bound(weighted), []
    for target in ("examples",) if weighted else TARGETS:
        found += [
            getattr(pu, name)(betas(), target=target).assign(target=target) for name in AREAS
        ]
    if not weighted:
        partial = pu.auroc(betas(), max_fpr=0.2, target="examples").assign(metric="partial")
        bedroc = pu.metric(pu_accessor.bedroc(alpha=5), betas(), target="examples")
        found += [each.assign(target="examples") for each in (partial, bedroc)]
    every: pd.DataFrame = pd.concat(found, ignore_index=True)
    return every


@pytest.mark.parametrize(
    ("weighted", "reference"), [(False, "positives"), (False, "negatives"), (True, "positives")]
)
def test_roc_curves_never_step_back_and_hold_the_auroc(weighted: bool, reference: str) -> None:
    rows = areas(weighted).query("metric == 'auroc' and target == 'examples'")
    said, steps, same = rows.set_index("g")["estimate"], 0, 0
    for key, rows in rankings(weighted).groupby("g"):
        if reference == "negatives" and not (rows["label"] == 0).any():
            continue
        pu = rows.pu(negative=0, propensity="propensity" if weighted else None)
        beta = betas()[str(key)]
        curve = pu.assume(reference=reference).roc_bounds(beta).isel(beta=0).sel(bound="estimate")
        tables = pu.assume(reference=reference).contingency(beta, ranks="breakpoints").isel(beta=0)
        assert curve["rank"].values.tolist() == tables["rank"].values.tolist()
        clipped = tables["clipped"].sel(bound="estimate").values
        free = ~(clipped[1:] | clipped[:-1])
        for rate in ("tpr", "fpr"):
            assert (np.diff(curve[rate].values)[free] >= -1e-12).all()
        steps += free.sum()
        if reference == "positives" and not clipped.any():
            area = np.trapezoid(curve["tpr"].values, curve["fpr"].values)
            assert area == pytest.approx(said[key], abs=1e-9)
            same += 1
    assert steps > 200 and (reference == "negatives" or same > 0.6 * len(said))


def test_a_beta_that_propensities_rule_out_is_told() -> None:
    score = np.random.default_rng(0).normal(3.0 * (np.arange(300) < 60))
    label = np.where((np.arange(300) < 60) & (np.arange(300) % 2 == 0), 1.0, np.nan)
    frame = pd.DataFrame({"score": score, "label": label, "p": np.where(score > 3, 0.6, 0.4)})
    pu = frame.pu(propensity="p")
    with pytest.warns(PUWarning, match="In 1 of 2 rows beta is too high for the known positives"):
        found = pu.auroc([0.11, 0.5], target="examples")
    assert found["lower"].isna().tolist() == [False, True]
    assert found["estimate"].between(0, 1).all()


@pytest.mark.parametrize("n", [2, 10, 50])
def test_perfect_rankings_have_an_auroc_of_1(n: int) -> None:
    """Whatever beta within its limit; and no number is missing where known positives tie."""
    label = [1.0] * n + [np.nan] * 100
    frame = pd.DataFrame({"score": -np.arange(n + 100.0), "label": label})
    tied = frame.assign(score=[*[1.0] * (n + 85), *np.linspace(0.9, 0, 15)])
    limit = frame.pu.estimate_beta()["upper"].item()
    for name, target in product(AREAS, TARGETS):
        for beta in (0.01, 0.3 * limit, 0.99 * limit):
            found = getattr(frame.pu, name)(beta, target=target).iloc[0]
            assert found["estimate"] == pytest.approx(1, abs=1e-12)
            assert found[NUMBERS].notna().all() and found["upper"] == 1
        found = getattr(tied.pu, name)(0.9, target=target).iloc[0]
        assert 0 <= found["lower"] <= found["estimate"] <= found["upper"] <= 1
    # Where known positives are a sample of those on top, at the true beta.
    found = shapes()["perfect"]
    assert found.pu.auroc(found["beta"].iloc[0])["estimate"].item() == pytest.approx(1, abs=1e-12)
