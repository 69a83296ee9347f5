"""A quick version of the study of completions."""

import numpy as np
import pytest

from tests.support.studies import completions as study

SHAPES = ("normal, shift 2", "perfect", "worse than chance", "five levels")
CELLS = [
    study.Cell("main", shape, *sizes)
    for shape in SHAPES
    for sizes in ((20, 500, 150), (64, 1000, 10), (20, 300, 240))
]


@pytest.mark.parametrize("cell", CELLS)
def test_completions_are_possible_and_half_and_half_is_the_rule_of_the_package(
    cell: study.Cell,
) -> None:
    edges = study.draw(cell, np.random.default_rng(cell.n)).edges
    for rule in study.RULES.values():
        completed = rule(edges)
        unlabeled, latent = np.diff(completed.h), np.diff(completed.latent)
        assert completed.latent[0] == 0 and completed.latent[-1] == pytest.approx(cell.m)
        assert latent.min() >= -1e-9 and np.all(latent <= unlabeled + 1e-9)
    formula = study.lay_out(edges, study.pinned(edges, 0.5))
    for taken, expected in zip(study.by_package(edges), formula, strict=True):
        np.testing.assert_allclose(taken, expected, atol=1e-9)
