"""Which curve lies above another at every cutoff, against a slow oracle."""

from typing import Any

import pandas as pd
import pytest

from tests.cases import as_tables, estimates_of, put
from tests.methods.test_compare import MODELS, PLAIN, draw, wide
from tests.methods.test_gap import groups, stacked
from tests.support.oracles import comparison_oracle
from tests.support.oracles.reference_oracle import BOUNDS

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


@pytest.mark.parametrize(
    ("a", "b", "dominates", "equal", "disjoint", "crossings"),
    [
        *(("PPNN", "NNPP", "a", False, True, ()), ("NPPN", "PPNN", "b", False, True, ())),
        *(("PNPN", "PNNP", "a", False, False, ()), ("PNPN", "PNPN", None, True, False, ())),
        ("(PPNN)", "(PPNN)", None, True, False, ()),
        ("PNNNNP", "NNPPNN", None, False, False, (0.5,)),
        ("PNNNPN", "NPNPNN", None, False, False, (0.25,)),  # they coincide from 0.25 to 0.5
        ("P(PPNNN)", "NNNPPP", "a", False, True, ()),
        ("P(NNNN)PP", "(PPPNNNN)", None, False, False, (1 / 3,)),
        ("PNPNPN", "NPPPNN", None, False, False, (1 / 3,)),
        ("PNNPPNNP", "NPPNNPPN", None, False, False, (0.25, 0.5, 0.75)),
    ],
)
def test_dominance_of_known_curves(
    a: str, b: str, dominates: str | None, equal: bool, disjoint: bool, crossings: tuple[float]
) -> None:
    places, others = comparison_oracle.read_ranking(a), comparison_oracle.read_ranking(b)
    frame = pd.DataFrame(places, columns=["label", "a"]).assign(b=[score for _, score in others])
    row = hold_against_oracle(frame, ["a", "b"], 0, 0.95, negative=False)[FOUND].iloc[0]
    assert row.tolist() == [dominates, equal, disjoint, pytest.approx(crossings)]
    back = frame.pu(score=["b", "a"], negative=False).dominance(0)[FOUND].iloc[0]
    assert back.tolist() == row.tolist() and isinstance(row["crossings"], tuple)


def test_dominance_of_groups() -> None:
    pu: Any = stacked(groups(70)).pu(by="hospital")
    got = pu.dominance([0.0, 0.3])
    assert list(got.columns) == ["hospital_a", "hospital_b", "beta", *FOUND]
    own = pu.dominance({"east": 0.3, "north": 0.3, "south": 0.3})
    assert list(own.columns) == ["hospital_a", "hospital_b", "beta_a", "beta_b", *FOUND]
    again = got[got["beta"] == 0.3].reset_index(drop=True)
    pd.testing.assert_frame_equal(own[FOUND], again[FOUND])


def test_dominance_takes_the_highest_at_or_left() -> None:
    frame = pd.DataFrame({"label": [None, None, None, 1, 0], "a": [1, 3, 4, 0, 2]})
    pu: Any = frame.assign(b=[1, 0, 4, 2, 3]).pu(score=["a", "b"])
    how: dict[str, Any] = {"reference": "negatives", "band": "bootstrap"}
    # By both the same height, 1/2, is reached at fpr 0, and the rest only at 1.
    assert put(pu, "dominance", 0.25, **how).loc[0, "equal"]


def test_dominance_among_ties_has_no_crossing_where_nothing_steps_back() -> None:
    # By the estimate a is (0, 0), (.5, 0), (1, 1), and b (0, 0), (.75, 0), (1, 1): of three
    # latent negatives one is as high as its only known one, and one above.
    columns = {"label": [*[None] * 5, 0], "a": [1, 1, 2, 1, 1, 2], "b": [0, 2, 1, 0, 0, 1]}
    models = pd.DataFrame(columns).pu(score=["a", "b"])
    found = models.assume(reference="negatives").dominance(0.3).loc[0]
    assert (found["dominates"], found["crossings"]) == ("a", ())
