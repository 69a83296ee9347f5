"""Enrichment factors, which are the lift at a fraction: against the papers' definitions."""

import numpy as np
import pytest

from tests.methods.test_bedroc import ranked
from tests.support.oracles import practice_oracle


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.25, 0.3, 1])
@pytest.mark.parametrize("seed", range(4))
def test_fully_labeled_enrichment_is_that_of_the_paper(seed: int, fraction: float) -> None:
    rng = np.random.default_rng(seed)
    active = rng.random(47) < 0.3
    found = ranked(active).pu(negative=0).metric("lift", 0, at={"fraction": fraction})
    wanted = practice_oracle.enrichment(active.tolist(), fraction)
    numbers = found.loc[0, ["estimate", "lower", "upper"]].tolist()
    assert numbers == pytest.approx([wanted] * 3, abs=1e-12)
