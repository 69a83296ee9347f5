"""Where one curve crosses another, and betas that are too high for either."""

from typing import Any

import numpy as np
import pytest

from pu_accessor.inference.comparison.dominance import infeasible


@pytest.mark.parametrize("missing", [False, True])
def test_a_beta_is_too_high_where_both_bounds_are_clipped_to_one_table(missing: bool) -> None:
    rng = np.random.default_rng(0)
    shape = (6, 10, 4, 3)  # groups, betas, cutoffs, bounds
    tp = rng.integers(0, 3, (*shape[:3], 1)) + (rng.random(shape) < 0.1)
    fp, tn = rng.integers(0, 3, (2, *shape))
    known = rng.integers(0, 5, shape[:2])
    clipped: Any = rng.random(shape) < 0.7
    if missing:
        clipped = np.where(rng.random(shape) < 0.1, np.nan, clipped)
    found = infeasible(tp, fp, tn, clipped, known)
    alone = infeasible(tp, fp, tn, clipped, 2)
    assert found.any() and not found.all()
    for place in np.ndindex(*shape[:2]):
        cutoffs = [
            fp[*place, cutoff, 0] + tn[*place, cutoff, 0]
            for cutoff in range(4)
            if len({*tp[*place, cutoff].tolist()}) == 1
            and clipped[*place, cutoff, ::2].tolist() == [True] * 2
        ]
        assert found[place] == any(negatives > known[place] for negatives in cutoffs)
        assert alone[place] == any(negatives > 2 for negatives in cutoffs)
