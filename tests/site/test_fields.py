"""The ten rows of each field give the numbers of its own tools; comments have the calls."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "fields.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)

AUROC_OF_SPECIES = "species.auroc([0, 0.15])"
QUERIES = 'judged.metric(["recall", "precision", "ndcg"], 0, at=3)'
SENSITIVITY = 'species.metric("recall", at={"threshold": 0.5})'
BOYCE = 'species.metric("boyce")'
SAMPLE = "pu_accessor.beta_from_labels(2, 40, n_unlabeled=1_000)"
REVIEWED = 'reviewed.metric(["precision", "recall", "f1"], 0, at=at)'
LINKED = 'linkage.metric(["precision", "recall", "f1"], 1 / 3, at=at)'
BEDROC = 'screening.metric("bedroc", [0, 0.25], target="examples")'
ENRICHMENT = 'screening.metric("lift", [0, 0.25], at={"fraction": 0.2})'
PHENOTYPE = 'phenotype.metric(["recall", "precision"], 1 / 6, at={"threshold": 0.5})'
PRECISION = 'fraud.average_precision([0, 1 / 7], target="examples")'
TOP = 'fraud.metric(["precision", "recall"], [0, 1 / 7], at=3)'

OUR, LIMITS = ["estimate"], ["lower", "upper"]
# A line of the page, columns, and what the tool says of each in the first rows.
SAME: list[tuple[str, list[str], list[list[float]]]] = [
    # pytrec_eval-terrier 0.5.11: recall_3, P_3 and ndcg_cut_3; the means of map, recip_rank, Rprec
    (QUERIES, OUR, [[1 / 3, 1 / 3, 0.4692787260, 1 / 2, 1 / 3, 0.3868528072]]),
    ("judged(average=True).metric(names, 0)", OUR, [[0.2916666667, 0.75, 0.4166666667]]),
    # pROC 1.18.0: auc(roc(type, suitability, direction = "<")), sqrt(var(roc(...))); so of others
    (AUROC_OF_SPECIES, [*OUR, "standard_error"], [[0.8333333333], [0.1443375673]]),
    ("candidates.auroc([0, 1 / 6])", OUR, [[0.7916666667]]),
    ("phenotype.auroc([0, 1 / 6])", OUR, [[0.7083333333]]),
    # epiR 2.0.57: epi.tests(table, method = "wilson")$detail, se
    (SENSITIVITY, [*OUR, *LIMITS], [[0.75], [0.30064184], [0.9544127]]),
    ('review.metric(rates, 0.25, at={"threshold": 50})', ["lower"], [[0.30064184]]),
    (PHENOTYPE, ["lower"], [[0.30064184]]),
    # R 4.2.2: the least and the greatest K of 1,000 for which neither
    # phyper(1, K, 1000 - K, 40, lower.tail = FALSE) nor phyper(2, K, 1000 - K, 40) is below .025
    (SAMPLE, LIMITS, [[0.007], [0.166]]),
    # recordlinkage 0.16: precision, recall and fscore of links; below with (b, h) as a match
    (REVIEWED, OUR, [[0.75, 0.6, 0.6666666667]]),
    (LINKED, OUR, [[0.8, 0.6666666667, 0.7272727273]]),
    # rdkit 2026.09.1: CalcBEDROC(scores, 0, 20.0), CalcEnrichment(scores, 0, [0.2]); limits are
    # the extremes with each of the four compounds without a test as active
    (BEDROC, ["lower"], [[0.8826948005, 0.8808017574]]),
    (ENRICHMENT, LIMITS, [[1.6666666667, 1.25], [1.6666666667, 2.5]]),
    # and CalcEnrichment(scores, 0, [0.3])
    ('candidates.metric(["recall", "lift"], 0, at=3)', OUR, [[0.5, 1.6666666667]]),
    # pykeen 1.11.1: HitsAtK(k)(ranks) for k of 1 and 3, InverseHarmonicMeanRank()(ranks) with the
    # filtered ranks 2 and 1
    ('graph.metric("recall", 0, at={"rank": [1, 3]})', OUR, [[0.5, 1.0]]),
    ('graph.metric("reciprocal_rank", 0)', OUR, [[0.75]]),
    # scikit-learn 1.9.1: average_precision_score; limits are its extremes with each of the seven
    # payments without a complaint as a fraud. precision_score and recall_score of the first three
    (PRECISION, LIMITS, [[0.9166666667, 0.7875], [0.9166666667, 1.0]]),
    (TOP, OUR, [[0.6666666667, 0.6666666667]]),
]
# A line, its row and column; what we say; what the tool says, and so the page.
DIFFERENT = [
    (AUROC_OF_SPECIES, (1, "estimate"), 0.884286, (5 / 6 - 0.15 / 2) / 0.85, ".892"),
    # pROC 1.18.0: ci.auc(r, method = "delong")
    (AUROC_OF_SPECIES, (0, "lower"), 0.332310, 0.5504369, ".55"),
    # ecospat 3.2.2, as copied in biomod2: ecospat.boyce(background, presences), without and with
    # rm.duplicate = FALSE
    (BOYCE, (0, "estimate"), 0.492065, 0.2635231, ".264"),
    (BOYCE, (0, "estimate"), 0.492065, 0.4667665, ".467"),
    # epiR 2.0.57: pv.pos of epi.tests, as above
    (REVIEWED, (0, "lower"), 0.322081, 0.30064184, ".301"),
]


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """Return what the page defines."""
    found: dict[str, Any] = {}
    for block in BLOCKS:
        exec(compile(block, "docs/fields.md", "exec"), found)
    return found


def ask(line: str, names: dict[str, Any]) -> Any:
    """Ask what the page asks."""
    assert line in PAGE
    return eval(line, dict(names))


@pytest.mark.parametrize(("line", "columns", "wanted"), SAME)
def test_the_tool_says_the_same(
    line: str, columns: list[str], wanted: list[list[float]], names: dict[str, Any]
) -> None:
    found = ask(line, names)[columns].head(len(wanted[0])).to_numpy()
    np.testing.assert_allclose(found, np.transpose(wanted), atol=1e-6)


@pytest.mark.parametrize(("line", "place", "ours", "theirs", "written"), DIFFERENT)
def test_the_page_says_how_the_tool_differs(
    line: str, place: Any, ours: float, theirs: float, written: str, names: dict[str, Any]
) -> None:
    found: Any = ask(line, names).loc[place]
    assert found == pytest.approx(ours, abs=1e-5) and abs(found - theirs) > 0.005
    assert float(written) == pytest.approx(theirs, abs=5e-4) and written in PAGE


def test_every_field_has_ten_rows_and_every_answer_of_them_a_value() -> None:
    frames = re.findall(r"read_rows\(\"{3}\n(.*?)\n\"{3}\)", PAGE, re.DOTALL)
    assert [len(frame.splitlines()) for frame in frames] == [11] * 8
    asked = {line for line, *_ in [*SAME, *DIFFERENT]}
    shown = [block for block in BLOCKS if 'read_rows("""' in block or "run.merge(" in block]
    assert sum(block.count("show(") + block.count("print(") for block in shown) == len(asked)
