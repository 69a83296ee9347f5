"""Many small groups in one pass, against each of them by itself."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor.errors import PUWarning
from tests.cases import Case, Labels, as_frame, draw_case

FEW = 30


def queries(size: int, distinct: int, negative: float, seed: int, groups: int) -> pd.DataFrame:
    """Return groups of rows, shuffled; some groups hold one known positive or none."""
    rng = np.random.default_rng(seed)
    rows = groups * size
    known = rng.random(rows) < 0.15
    label = np.where(known, 1.0, np.nan)
    label[(rng.random(rows) < negative) & ~known] = 0
    score = rng.standard_normal(rows) + known
    score = np.round(score * distinct) if distinct else score
    frame = pd.DataFrame({"score": score, "label": label, "query": np.arange(rows) % groups})
    return frame.iloc[rng.permutation(rows)]


def check_both_ways(
    frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch, roles: Any = None, **question: Any
) -> tuple[pd.DataFrame, str]:
    """Ask for AUROC in one pass, and one by one; return it and what was told."""
    found: list[pd.DataFrame] = []
    texts: list[list[str]] = []
    for many in (1, 10**9):
        monkeypatch.setattr("pu_accessor.sources.groups._MANY", many)
        pu = frame.pu(**{"by": "query", "on_error": "skip", **(roles or {})})
        with warnings.catch_warnings(record=True, action="always", category=PUWarning) as told:
            found.append(pu.auroc(**question))
        texts.append(sorted(str(one.message) for one in told))
    once, each = found
    pd.testing.assert_frame_equal(once, each, rtol=1e-12, atol=1e-12)
    assert texts[0] == texts[1]
    return once, " ".join(texts[0])


@pytest.mark.parametrize(
    ("size", "distinct", "negative", "beta"),
    [
        *((60, 0, 0, 0.05), (12, 0, 0, [0, 0.1, 0.4])),
        *((40, 2, 0, 0.05), (40, 1, 0.3, [0, 0.1, 0.4])),
        (40, 0, 0, dict(enumerate(np.linspace(0, 0.6, FEW)))),
    ],
)
def test_one_pass_is_one_by_one(
    size: int, distinct: int, negative: float, beta: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = queries(size, distinct, negative, seed=size, groups=FEW)
    once, _ = check_both_ways(frame, monkeypatch, beta=beta, level=0.9)
    assert once["query"].nunique() > FEW / 2


@pytest.mark.parametrize("beta", [[0.0, 0.3], [0.55], [1.0]])
def test_one_pass_tells_of_odd_groups(beta: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    odd: dict[int, Labels] = {
        **{0: [True, True, False, None], 1: [None, None, None, False], 2: [True, True, None]},
        **{3: [True, None, None], 4: [True, True, False], 7: [True, True, True]},
        8: [*[True] * 20, *[None] * 60],  # all of the known ones above the others
    }
    for key, n, between in ((5, 10, 25), (6, 15, 60)):  # half of the known ones too far above
        odd[key] = [*[None] * (key == 6), *[True] * n, *[None] * between, *[True] * n]
    drawn = {seed: draw_case(seed) for seed in range(FEW)}
    drawn |= {key: Case([*range(len(one), 0, -1)], one, 0) for key, one in odd.items()}
    frame = pd.concat([as_frame(case).assign(query=seed) for seed, case in drawn.items()])
    _, told = check_both_ways(frame, monkeypatch, beta=beta, level=0.9)
    for text in ("groups are left out", "one known positive alone", "beta exceeds the upper"):
        assert text in told


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
    frame = queries(80, 0, 0.1, seed=4, groups=150)
    frame, rng = frame[frame["query"] < 5], np.random.default_rng(4)
    frame = frame.assign(
        other=rng.normal(size=len(frame)),
        holes=frame["score"].mask(rng.random(len(frame)) < 0.2),
        fold=rng.integers(2, size=len(frame)),
    )
    once, _ = check_both_ways(frame, monkeypatch, {"on_error": "raise", **roles}, beta=[0.02, 0.1])
    assert once["query"].nunique() == 5
