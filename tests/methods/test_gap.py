"""Gaps between groups, against published intervals, a slow oracle and the numbers of each."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUWarning
from tests.cases import as_tables, binormal, estimates_of, quiet
from tests.methods.test_compare import MODELS, PLAIN, SIZE, Draw, assert_same, draw, wide
from tests.support.oracles import comparison_oracle
from tests.support.oracles import comparison_oracle as oracle
from tests.support.oracles.reference_oracle import BOUNDS

TEST = ["statistic", "df", "p_value", "p_adjusted"]

# R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890, table II: method 10.
NEWCOMBE = [
    *(((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090)),
    *(((6, 7), (2, 7), 0.0582, 0.8062), ((5, 56), (0, 29), -0.0381, 0.1926)),
    *(((0, 10), (0, 20), -0.1611, 0.2775), ((0, 10), (0, 10), -0.2775, 0.2775)),
    *(((10, 10), (0, 20), 0.6791, 1.0), ((10, 10), (0, 10), 0.6075, 1.0)),
]


AT: Any = {"at": {"threshold": 0.8}}


def sites() -> pd.DataFrame:
    """Return three groups of known positives and unlabeled rows."""
    parts = {key: binormal(60, 200, 0.5, seed)[0] for seed, key in enumerate("abc")}
    return pd.concat(parts, names=["site"]).reset_index("site").reset_index(drop=True)


@pytest.mark.parametrize(("one", "other", "lower", "upper"), NEWCOMBE)
def test_gaps_of_recall_are_published(one: Any, other: Any, lower: float, upper: float) -> None:
    rows = [("a", float(i < one[0]), 1) for i in range(one[1])] + [("a", 0.7, np.nan)]
    rows += [("b", float(i < other[0]), 1) for i in range(other[1])] + [("b", 0.2, np.nan)]
    frame = pd.DataFrame(rows, columns=["site", "score", "label"])
    found = frame.pu(by="site").gap("recall", at={"threshold": 0.5}).iloc[0]
    assert found["difference"] == pytest.approx(one[0] / one[1] - other[0] / other[1])
    assert [found["lower"], found["upper"]] == pytest.approx([lower, upper], abs=6e-5)
    assert (found["n_a"], found["n_b"]) == (one[1], other[1])


@pytest.mark.parametrize("beta", [[0.1, 0.2], {"a": 0.1, "b": 0.2, "c": 0.15}])
@pytest.mark.parametrize(
    ("name", "how"),
    [
        *(("precision", AT), (pu_accessor.fbeta(2), AT), ("recall", {**AT, "target": "examples"})),
        *(("npv", {"at": 40}), ("f1", {"at": "maximum"}), ("average_precision", {})),
    ],
)
def test_gaps_are_those_of_the_intervals_of_each(name: Any, how: Any, beta: Any) -> None:
    pu = sites().pu(by="site")
    ask = pu.metric if how else lambda name, beta: getattr(pu, name)(beta)
    found, each = pu.gap(name, beta, **how), ask(name, beta, **how)
    assert len(found) == len(each)  # three pairs of three groups
    assert found.attrs["target"] == each.attrs["target"]
    of = each.set_index(["site", "beta"])
    for _, row in found.iterrows():
        a, b = (of.loc[(row[f"site_{x}"], row.get("beta", row.get(f"beta_{x}")))] for x in "ab")
        down = ((a.estimate - a.lower) ** 2 + (b.upper - b.estimate) ** 2) ** 0.5
        up = ((a.upper - a.estimate) ** 2 + (b.estimate - b.lower) ** 2) ** 0.5
        assert [row["estimate_a"], row["estimate_b"]] == [a.estimate, b.estimate]
        apart = a.estimate - b.estimate
        assert row[SIZE].tolist() == pytest.approx([apart, apart - down, apart + up])


@pytest.mark.parametrize("name", ["recall", "tpr", "fnr"])
def test_recall_needs_no_beta(name: str) -> None:
    pu = sites().pu(by="site")
    found = pu.gap(name, **AT)
    assert "beta" not in found
    assert (found["metric"] == {"fnr": "fnr"}.get(name, "recall")).all()
    # Without one it is that of the known positives, as at beta = 0.
    pd.testing.assert_frame_equal(found, pu.gap(name, 0, **AT).drop(columns="beta"))
    # With one it is the metric of each, where latent positives count, too.
    each = pu.metric(name, 0.3, **AT).set_index("site")["estimate"]
    latent = pu.gap(name, 0.3, **AT)
    assert latent["estimate_a"].tolist() == each[latent["site_a"]].tolist()
    assert (latent["estimate_a"] != found["estimate_a"]).all()
    frame = sites()  # known positives alone have a recall
    alone = frame[(frame["site"] != "c") | frame["label"].notna()]
    pd.testing.assert_frame_equal(alone.pu(by="site").gap(name, **AT), found)


def groups(first: int) -> dict[str, Draw]:
    """Draw three hospitals."""
    return {name: draw(first + i) for i, name in enumerate(["east", "north", "south"])}


def stacked(cases: dict[str, Draw]) -> pd.DataFrame:
    """Return the examples of all hospitals in one frame."""
    parts = {name: wide(case)[["svm", "label"]] for name, case in cases.items()}
    frame = pd.concat(parts, names=["hospital"]).reset_index("hospital").reset_index(drop=True)
    return frame.rename(columns={"svm": "score"})


def expected_unpaired(cases: Any, betas: Any, level: float, target: str) -> pd.DataFrame:
    """Return what the oracle says of all pairs of hospitals, without columns for beta."""
    of = {k: oracle.group(c.scores["svm"], c.labels, betas[k], target) for k, c in cases.items()}
    columns = ["hospital_a", "hospital_b", *SIZE, "level", *TEST, "n_a", "n_b"]
    rows = pd.DataFrame(oracle.compare_unpaired(of, level), columns=columns)
    return rows[[*columns[:2], *SIZE, "n_a", "n_b", *TEST]]


def unpaired(frame: Any, beta: Any, **how: Any) -> pd.DataFrame:
    """Return the tests of the gap in AUROC, whose estimates others are held against."""
    found = quiet(frame, "gap", "auroc", beta, **how)
    assert (found.pop("metric") == "auroc").all()
    assert (found.pop("target") == found.attrs["target"]).all()
    apart = found.pop("estimate_a") - found.pop("estimate_b")
    np.testing.assert_allclose(apart, found["difference"], atol=1e-12)
    return found


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("seed", [100, 103, 106])
def test_compare_unpaired_agrees_with_oracle(seed: int, target: str) -> None:
    cases, level = groups(seed), [0.95, 0.8][seed % 2]
    frame = stacked(cases)
    asked: dict[str, Any] = {"level": level, "target": target}
    got = unpaired(frame, [0.0, 0.35], by="hospital", **asked)
    assert list(got.columns[:4]) == ["hospital_a", "hospital_b", "beta", *SIZE[:1]]
    for beta in (0.0, 0.35):
        part = got[got["beta"] == beta].drop(columns="beta").reset_index(drop=True)
        assert_same(part, expected_unpaired(cases, dict.fromkeys(cases, beta), **asked))
    betas = {name: case.beta for name, case in cases.items()}
    own = unpaired(frame.sample(frac=1, random_state=seed), betas, by="hospital", **asked)
    for side in ("a", "b"):
        assert own.pop(f"beta_{side}").tolist() == own[f"hospital_{side}"].map(betas).tolist()
    assert_same(own, expected_unpaired(cases, betas, **asked))


def test_group_with_one_known_positive() -> None:
    frame = stacked(groups(50))
    is_more = frame["label"].eq(True).fillna(False) & frame.duplicated(["hospital", "label"])
    poor = frame[~is_more.astype(bool) | (frame["hospital"] != "north")]
    with pytest.warns(PUWarning, match="north") as record:
        got = poor.pu(by="hospital").gap("auroc", [0.2, 0.4])
    assert len(record) == 1 and got["difference"].notna().all()
    touched = got[["hospital_a", "hospital_b"]].eq("north").any(axis=1)
    numbers = got[["lower", "upper", "statistic", "p_value", "p_adjusted"]]
    assert numbers[touched].isna().all(axis=None) and numbers[~touched].notna().all(axis=None)
    assert (got["p_adjusted"] == got["p_value"])[~touched].all()  # one test alone is left


FOUND = ["dominates", "equal", "disjoint", "crossings"]


def hold_against_oracle(
    frame: pd.DataFrame, names: list[str], beta: float, level: float, **codes: Any
) -> pd.DataFrame:
    """Compare the dominance of models with that of curves in fractions, and return it."""
    curves: dict[str, dict[str, list[comparison_oracle.Point]]] = {}
    for name in names:
        tables = frame.pu(score=name, **codes).contingency(beta, level=level, ranks="all")
        ends = as_tables(tables, "lower"), as_tables(tables, "upper")
        middle = estimates_of(frame.assign(score=frame[name]), beta, ends)
        bounds = zip(BOUNDS, (ends[0], middle, ends[1]), strict=True)
        curves[name] = {b: comparison_oracle.roc([row[1:5] for row in of]) for b, of in bounds}
    got: pd.DataFrame = frame.pu(score=names, **codes).dominance(beta, level=level)
    got = got[[*PLAIN[:2], *FOUND]]
    wanted = comparison_oracle.dominance(curves)
    for row, want in zip(got.to_numpy().tolist(), wanted, strict=True):
        assert row == [*want[:-1], pytest.approx(want[-1], abs=1e-12)]
    return got


def test_dominance_agrees_with_oracle() -> None:
    found = []
    for seed in [*range(8), 103, 182, 233]:  # the last come back across slanting lines
        case, level = draw(seed), [0.95, 0.1][seed % 2]
        found.append(hold_against_oracle(wide(case), MODELS, case.beta, level))
    seen = pd.concat(found)
    assert set(seen["dominates"].dropna()) == set(MODELS) and seen["dominates"].isna().any()
    assert seen["disjoint"].nunique() == 2 and seen["crossings"].map(len).max() > 1


def test_dominance_of_groups() -> None:
    pu: Any = stacked(groups(70)).pu(by="hospital")
    got = pu.dominance([0.0, 0.3])
    assert list(got.columns) == ["hospital_a", "hospital_b", "beta", *FOUND]
    own = pu.dominance({"east": 0.3, "north": 0.3, "south": 0.3})
    assert list(own.columns) == ["hospital_a", "hospital_b", "beta_a", "beta_b", *FOUND]
    again = got[got["beta"] == 0.3].reset_index(drop=True)
    pd.testing.assert_frame_equal(own[FOUND], again[FOUND])


def test_dominance_among_ties_has_no_crossing_where_nothing_steps_back() -> None:
    # By the estimate a is (0, 0), (.5, 0), (1, 1), and b (0, 0), (.75, 0), (1, 1): of three
    # latent negatives one is as high as its only known one, and one above.
    columns = {"label": [*[None] * 5, 0], "a": [1, 1, 2, 1, 1, 2], "b": [0, 2, 1, 0, 0, 1]}
    models = pd.DataFrame(columns).pu(score=["a", "b"])
    found = models.assume(reference="negatives").dominance(0.3).loc[0]
    assert (found["dominates"], found["crossings"]) == ("a", ())


@pytest.mark.parametrize("target", ["population", "examples"])
def test_groups_without_errors_have_a_gap_with_one(target: str) -> None:
    label = np.where(np.arange(20) < 5, 1.0, np.nan)
    parts = [
        pd.DataFrame({"site": key, "score": -np.arange(20.0), "label": label}) for key in "ab"
    ]
    pu = pd.concat(parts).pu(by="site")
    row = pu.gap("auroc", 0.2, target=target).iloc[0]
    assert row["difference"] == 0 and row["p_value"] == 1
    assert -row["lower"] == pytest.approx(row["upper"]) and 0.1 < row["upper"] < 0.7
