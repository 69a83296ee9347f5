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


def both_ways(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, **question: Any
) -> list[pd.DataFrame]:
    """Ask for AUROC in one pass, and one by one."""
    found = []
    for many in (FEW, 10**9):
        monkeypatch.setattr("pu_accessor.sources.frames._MANY", many)
        found.append(frame.pu(by="query", on_error="skip").auroc(**question))
    return found


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
    once, each = both_ways(frame, monkeypatch, beta=beta)
    pd.testing.assert_frame_equal(once, each, rtol=1e-12, atol=1e-12)
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
    frame = frame[frame["query"] < 5]
    rng = np.random.default_rng(4)
    frame = frame.assign(
        propensity=np.where(frame["label"] == 1, rng.uniform(0.2, 0.9, len(frame)), np.nan),
        other=rng.normal(size=len(frame)),
        holes=frame["score"].mask(rng.random(len(frame)) < 0.2),
        fold=rng.integers(2, size=len(frame)),
    )
    found = []
    for many in (1, 10**9):
        monkeypatch.setattr("pu_accessor.sources.frames._MANY", many)
        found.append(frame.pu(**{"by": "query", **roles}).auroc([0.02, 0.1]))
        with pytest.raises(PUValueError, match=r"^target must be 'examples' with propensity"):
            frame.pu(by="query", propensity="propensity").auroc(0.1)
    once, each = found
    pd.testing.assert_frame_equal(once, each, rtol=1e-12, atol=1e-12)
    assert once["query"].nunique() == 5


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_betas_of_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = queries(40, 0, 0, seed=1, groups=FEW)
    betas = dict(enumerate(np.linspace(0, 0.6, FEW)))
    once, each = both_ways(frame, monkeypatch, beta=betas, level=0.9)
    pd.testing.assert_frame_equal(once, each, rtol=1e-12, atol=1e-12)


def test_a_group_without_an_answer_is_named() -> None:
    frame = queries(40, 0, 0, seed=2)
    frame.loc[frame["query"] == 7, "label"] = np.nan
    with pytest.raises(PUDataError, match="group query=7: label must mark at least one known"):
        frame.pu(by="query").auroc(0.01)


def test_a_beta_that_is_too_high_is_said_of_its_group() -> None:
    frame = queries(60, 0, 0, seed=3)
    best = frame["query"] == 7
    frame.loc[best, "score"] = frame["label"].fillna(0) + 0.001 * frame["score"]
    with pytest.warns(PUWarning) as told:
        frame.pu(by="query").auroc(0.3)
    assert any("beta exceeds" in str(one.message) for one in told)
    assert any("query=7: 0.3 >" in str(one.message) for one in told)


def test_a_beta_too_high_is_told_where_the_estimate_is_possible() -> None:
    # Of 40 known positives half are above the others: 12 latent ones can hardly follow them.
    group = pd.DataFrame({"score": np.arange(80.0), "label": 1.0, "query": 7})
    group.loc[20:59, "label"] = np.nan
    others = queries(60, 0, 0, seed=3)
    frame = pd.concat([others[others["query"] != 7], group])
    with pytest.warns(PUWarning) as told:
        found = frame.pu(by="query").auroc(0.3)
    assert any("query=7: 0.3 >" in str(one.message) for one in told)
    assert 0 < found.set_index("query").loc[7, "estimate"] < 1
