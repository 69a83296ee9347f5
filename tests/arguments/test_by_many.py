"""Many small groups in one pass, against each of them by itself."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor  # noqa: F401
from pu_accessor.errors import PUDataError, PUValueError, PUWarning

GROUPS, FEW = 150, 50


def queries(
    size: int, distinct: int, negative: float, seed: int, groups: int = GROUPS
) -> pd.DataFrame:
    """Return groups of rows, shuffled; some groups hold one known positive or none."""
    rng = np.random.default_rng(seed)
    rows = groups * size
    known = rng.random(rows) < 0.15
    label = np.where(known, 1.0, np.nan)
    label[(rng.random(rows) < negative) & ~known] = 0
    score = rng.standard_normal(rows) + known
    frame = pd.DataFrame(
        {
            "score": np.round(score * distinct) if distinct else score,
            "label": label,
            "query": np.arange(rows) % groups,
        }
    )
    return frame.iloc[rng.permutation(rows)]


def check_both_ways(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, roles: Any = None, **question: Any
) -> pd.DataFrame:
    """Ask for AUROC in one pass, and one by one."""
    found: list[pd.DataFrame] = []
    for many in (1, 10**9):
        monkeypatch.setattr("pu_accessor.sources.frames._MANY", many)
        pu = frame.pu(**{"by": "query", "on_error": "skip", **(roles or {})})
        found.append(pu.auroc(**question))
    once, each = found
    pd.testing.assert_frame_equal(once, each, rtol=1e-12, atol=1e-12)
    return once


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize(
    ("size", "distinct", "negative", "beta"),
    [
        *((60, 0, 0, 0.05), (12, 0, 0, [0, 0.1, 0.4])),
        *((40, 2, 0, 0.05), (40, 1, 0.3, [0, 0.1, 0.4])),
    ],
)
def test_one_pass_is_one_by_one(
    size: int, distinct: int, negative: float, beta: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = queries(size, distinct, negative, seed=size, groups=FEW)
    once = check_both_ways(frame, monkeypatch, beta=beta)
    assert once["query"].nunique() > FEW / 2


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize(
    "roles",
    [
        *({}, {"score": ["score", "other"]}, {"score": ["other"]}),
        *({"score": "holes", "nan_policy": policy} for policy in ("omit", "worst")),
        {"by": ["query", "fold"], "pool": "fold"},
    ],
    ids=str,
)
def test_one_pass_of_all_roles(roles: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    frame = queries(80, 0, 0.1, seed=4)
    frame, rng = frame[frame["query"] < 5], np.random.default_rng(4)
    frame = frame.assign(
        other=rng.normal(size=len(frame)),
        holes=frame["score"].mask(rng.random(len(frame)) < 0.2),
        fold=rng.integers(2, size=len(frame)),
    )
    once = check_both_ways(frame, monkeypatch, {"on_error": "raise", **roles}, beta=[0.02, 0.1])
    assert once["query"].nunique() == 5


@pytest.mark.parametrize("many", [1, 10**9])
def test_propensities_have_no_pass(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pu_accessor.sources.frames._MANY", many)
    frame = queries(80, 0, 0.1, seed=4, groups=5).assign(propensity=0.5)
    with pytest.raises(PUValueError, match=r"^target must be 'examples' with propensity"):
        frame.pu(by="query", propensity="propensity").auroc(0.1)


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_betas_of_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = queries(40, 0, 0, seed=1, groups=FEW)
    betas = dict(enumerate(np.linspace(0, 0.6, FEW)))
    check_both_ways(frame, monkeypatch, beta=betas, level=0.9)


def test_a_group_without_an_answer_is_named() -> None:
    frame = queries(40, 0, 0, seed=2)
    frame.loc[frame["query"] == 7, "label"] = np.nan
    with pytest.raises(PUDataError, match="group query=7: label must mark at least one known"):
        frame.pu(by="query").auroc(0.01)


@pytest.mark.parametrize("possible", [True, False])
def test_a_beta_that_is_too_high_is_told_of_its_group(possible: bool) -> None:
    # Of 40 known positives half are above the others: 12 latent ones can hardly follow them.
    group = pd.DataFrame({"score": np.arange(80.0), "label": 1.0, "query": 7})
    group.loc[20 : 59 if possible else 79, "label"] = np.nan
    if not possible:
        group["score"] *= -1  # all of the known ones are above the others
    others = queries(60, 0, 0, seed=3)
    frame = pd.concat([others[others["query"] != 7], group])
    with pytest.warns(PUWarning) as told:
        found = frame.pu(by="query").auroc(0.3)
    texts = [str(one.message) for one in told]
    assert any("beta exceeds" in text and "query=7: 0.3 >" in text for text in texts)
    assert not possible or 0 < found.set_index("query").loc[7, "estimate"] < 1
