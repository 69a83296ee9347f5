"""A quick version of the study of averages, and that it asks what the package answers."""

import numpy as np
import pandas as pd
import pytest

from pu_accessor.inference.estimates.macro_average import AREA, average_groups
from tests.support.studies import averages as study
from tests.support.studies.population import SHAPES

ALONE = pytest.param("1 known", marks=pytest.mark.long)


@pytest.mark.parametrize(
    "shape", [pytest.param("normal .76", marks=pytest.mark.long), "5 scores", "normal .999"]
)
@pytest.mark.parametrize("design", [ALONE, "1 to 8 known, sizes differ"])
def test_averages_of_auroc_hold(shape: str, design: str) -> None:
    for cell in study.auroc_cells(shape, study.DESIGNS[design], 20, 160).values():
        assert 0.87 <= cell.coverage <= 1 and 0 < cell.width < 0.5


@pytest.mark.parametrize("target", ["population", "examples"])
def test_the_study_asks_what_the_package_answers(target: str) -> None:
    """Scores of its groups, put into a frame, make the same average."""
    design, groups = study.DESIGNS["1 to 8 known, sizes differ"], 9
    terms, truth = study.auroc_terms(np.random.default_rng(3), "5 scores", design, groups, 1)
    rng, parts = np.random.default_rng(3), []
    for number in range(groups):
        known, hidden, negative = (int(rng.integers(low, high + 1)) for low, high in design[:3])
        positive = SHAPES["5 scores"].positive(rng, (1, known + hidden))
        positive = positive + design.spread * rng.normal(size=(1, 1))
        others = SHAPES["5 scores"].negative(rng, (1, negative))
        score = np.concatenate([positive[0], others[0]])
        place = np.arange(score.size)
        label, hidden_or_known = np.where(place < known, 1.0, np.nan), place < known + hidden
        rows = {"group": number, "score": score, "label": label, "truth": hidden_or_known}
        parts.append(pd.DataFrame(rows))
    frame = pd.concat(parts)
    beta = frame[frame["label"].isna()].groupby("group")["truth"].mean()
    found = frame.pu(by="group", average=True).auroc(beta, target=target).iloc[0]
    expected = average_groups(terms[target], target, AREA, 0.95)
    numbers = found[["estimate", "standard_error", "lower", "upper"]].to_numpy(float)
    wanted = [expected.value, expected.error, expected.lower, expected.upper]
    np.testing.assert_allclose(numbers, np.concatenate(wanted), rtol=1e-9)
    labeled = frame.assign(label=frame["truth"])
    pu = labeled.pu(by="group", positive=True, negative=False)
    all_known = pu(average=True).auroc(0, target="examples")["estimate"].item()
    assert all_known == pytest.approx(truth.item(), rel=1e-12)
