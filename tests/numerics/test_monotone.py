"""The monotone completion against min-max averages and halving."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pu_accessor.inference.completion import monotone_latent
from tests.support.oracles import new_examples_oracle

COUNTS = st.tuples(*(st.integers(0, most) for most in (3, 2, 4)))


@given(steps=st.lists(COUNTS, min_size=1, max_size=12), share=st.floats(0, 1))
@example([(0, 0, 2), (1, 0, 0), (0, 0, 10)], 1 / 12)  # a third of the best are known positives
@example([(0, 0, 2), (1, 0, 0), (0, 0, 10)], 7 / 12)
def test_latent_positives_of_the_oracle(steps: list[tuple[int, int, int]], share: float) -> None:
    known, negatives, unlabeled = np.array(steps).T
    m = round(share * int(unlabeled.sum()), 6)
    latent = monotone_latent(known, negatives, unlabeled, m)
    first, second, third = (column.tolist() for column in (known, negatives, unlabeled))
    slow = new_examples_oracle.monotone_latent(first, second, third, m)
    np.testing.assert_allclose(latent, slow, atol=1e-6)
    assert latent.sum() == pytest.approx(m, abs=1e-9)
    assert (latent >= 0).all() and (latent <= unlabeled + 1e-9).all()
    shares = latent[unlabeled > 0] / unlabeled[unlabeled > 0]
    assert (np.diff(shares) <= 1e-9).all()


def test_nothing_known_or_nothing_unlabeled() -> None:
    none, some = np.zeros(3, np.int64), np.array([1, 2, 1])
    assert monotone_latent(none, none, some, 2).tolist() == [0.5, 1, 0.5]
    assert monotone_latent(some, some, none, 0).tolist() == [0, 0, 0]
    assert monotone_latent(none, none, none, 0).tolist() == [0, 0, 0]
