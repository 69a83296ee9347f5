"""The gap of a metric between groups, against published intervals and the metric of each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUDataError, PUTypeError, PUValueError
from tests.cases import binormal

# R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890, table II: method 10.
NEWCOMBE = [
    ((56, 70), (48, 80), 0.0524, 0.3339),
    ((9, 10), (3, 10), 0.1705, 0.8090),
    ((6, 7), (2, 7), 0.0582, 0.8062),
    ((5, 56), (0, 29), -0.0381, 0.1926),
    ((0, 10), (0, 20), -0.1611, 0.2775),
    ((0, 10), (0, 10), -0.2775, 0.2775),
    ((10, 10), (0, 20), 0.6791, 1.0),
    ((10, 10), (0, 10), 0.6075, 1.0),
]


def sites() -> pd.DataFrame:
    """Return three groups of known positives and unlabeled rows."""
    return pd.concat(
        [binormal(60, 200, 0.5, seed)[0].assign(site=key) for seed, key in enumerate("abc")]
    )


@pytest.mark.parametrize(("one", "other", "lower", "upper"), NEWCOMBE)
def test_gaps_of_recall_are_published(
    one: tuple[int, int], other: tuple[int, int], lower: float, upper: float
) -> None:
    rows = [
        pd.DataFrame({"site": site, "score": [1.0] * k + [0.0] * (n - k), "label": 1.0})
        for site, (k, n) in (("a", one), ("b", other))
    ]
    rows.append(pd.DataFrame({"site": ["a", "b"], "score": [0.7, 0.2], "label": np.nan}))
    found = pd.concat(rows).pu(by="site").gap("recall", at={"threshold": 0.5}).iloc[0]
    assert found["difference"] == pytest.approx(one[0] / one[1] - other[0] / other[1])
    assert [found["lower"], found["upper"]] == pytest.approx([lower, upper], abs=6e-5)
    assert (found["n_a"], found["n_b"]) == (one[1], other[1])


@pytest.mark.parametrize("beta", [0.1, [0.1, 0.2], {"a": 0.1, "b": 0.2, "c": 0.15}])
@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("precision", {"at": {"threshold": 0.8}}),
        (pu_accessor.fbeta(2), {"at": {"threshold": 0.8}}),
        ("recall", {"at": {"threshold": 0.8}, "target": "examples"}),
        ("npv", {"at": 40}),
        ("f1", {"at": "maximum"}),
    ],
)
def test_gaps_are_those_of_the_metric_of_each(name: Any, how: Any, beta: Any) -> None:
    pu = sites().pu(by="site")
    found, each = pu.gap(name, beta, **how), pu.metric(name, beta, **how)
    assert len(found) == len(each)  # three pairs of three groups
    assert found["target"].unique().tolist() == each["target"].unique().tolist()
    for _, row in found.iterrows():
        sides = []
        for side in "ab":
            of = each[each["site"] == row[f"site_{side}"]]
            own = row.get("beta", row.get(f"beta_{side}"))
            sides.append(of[of["beta"] == own].iloc[0])
        a, b = sides
        down = ((a.estimate - a.lower) ** 2 + (b.upper - b.estimate) ** 2) ** 0.5
        up = ((a.upper - a.estimate) ** 2 + (b.estimate - b.lower) ** 2) ** 0.5
        assert row["difference"] == pytest.approx(a.estimate - b.estimate)
        assert [row["estimate_a"], row["estimate_b"]] == [a.estimate, b.estimate]
        wanted = [row["difference"] - down, row["difference"] + up]
        assert [row["lower"], row["upper"]] == pytest.approx(wanted)


@pytest.mark.parametrize("name", ["recall", "tpr", "fnr"])
def test_recall_needs_no_beta(name: str) -> None:
    pu = sites().pu(by="site")
    found = pu.gap(name, at={"threshold": 0.8})
    assert "beta" not in found and found["quantity"].unique().tolist() == [name]
    given = pu.gap(name, 0.3, at={"threshold": 0.8}).drop(columns="beta")
    pd.testing.assert_frame_equal(found, given)


def test_a_group_of_known_positives_alone_has_a_recall() -> None:
    frame = sites()
    alone = frame[(frame["site"] != "c") | frame["label"].notna()]
    wanted = frame.pu(by="site").gap("recall", at={"threshold": 0.8})
    pd.testing.assert_frame_equal(alone.pu(by="site").gap("recall", at={"threshold": 0.8}), wanted)


@pytest.mark.parametrize(
    ("name", "how", "error", "message"),
    [
        ("precision", {"at": {"threshold": 1}}, PUTypeError, "beta must be passed .* on new ex"),
        ("recall", {"at": 40}, PUTypeError, "'recall' on these examples: for example 0.3"),
        ("recall", {"at": 40, "target": "population"}, PUValueError, "target must be 'examples'"),
        ("recal", {"at": {"threshold": 1}}, PUValueError, "Did you mean 'recall'"),
        (["recall"], {"at": {"threshold": 1}}, PUValueError, "quantity must be one of"),
        ("recall", {"at": {"threshold": [1, 2]}}, PUValueError, "the one cutoff of 'recall'"),
        ("recall", {"at": {"threshold": 1}, "level": 1.5}, PUValueError, "level"),
    ],
)
def test_gaps_that_are_none(name: Any, how: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sites().pu(by="site").gap(name, **how)


def test_groups_of_which_nothing_is_known_have_no_recall() -> None:
    frame = sites()
    frame.loc[frame["site"] == "b", "label"] = np.nan
    with pytest.raises(PUDataError, match="site='b': label must mark at least one known positive"):
        frame.pu(by="site").gap("recall", at={"threshold": 0.8})
    with pytest.raises(PUValueError, match=r"with propensity=\.\.\., but gap was asked for"):
        sites().assign(propensity=0.5).pu(by="site", propensity="propensity").gap(
            "recall", at={"threshold": 0.8}
        )


def test_one_group_has_no_gap() -> None:
    with pytest.raises(PUValueError, match="two or more models"):
        sites().pu.gap("recall", at={"threshold": 1})
