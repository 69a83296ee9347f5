"""Numbers may be NumPy's or fractions: what is answered is the same as for Python's own."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import beta_from_label_frequency, beta_from_labels, beta_from_prevalence

QUARTER = [0.25, Fraction(1, 4), np.float16(0.25), np.float32(0.25)]
SEVERAL = [kind([0.25]) for kind in (list, tuple, np.array, pd.Series, pd.Index)]
COUNT = [100, np.int8(100), np.uint8(100), np.int64(100)]
PLACE = np.arange(300)
FRAME = pd.DataFrame({"score": PLACE * 37 % 101, "label": np.where(PLACE % 5 == 0, 1, np.nan)})
PU = FRAME.assign(label=FRAME["label"].mask(PLACE % 5 == 1, 0)).pu
ASKED: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "max_fpr": (lambda x: PU.auroc(0.3, max_fpr=x), QUARTER),
    "at": (lambda x: PU.metric("recall", 0.3, at={"fpr": x}), [*QUARTER, np.array(0.25)]),
    "at, several": (lambda x: PU.metric("recall", 0.25, at={"fpr": x}), SEVERAL),
    "models": (lambda x: PU.cutoff(0.3, recall=0.5, models=x), COUNT),
    "label_frequency": (lambda x: beta_from_label_frequency(x, 20, 100), QUARTER),
    "n_positive": (lambda x: beta_from_prevalence(0.9, x, x), COUNT),
    "n_unlabeled": (lambda x: beta_from_labels(pd.Series([True, False]), n_unlabeled=x), COUNT),
}


@pytest.mark.parametrize("name", ASKED)
def test_kinds_of_numbers(name: str) -> None:
    ask, (plain, *others) = ASKED[name]
    expected = ask(plain)
    for number in others:
        found = ask(number)
        if isinstance(found, pd.DataFrame):
            pd.testing.assert_frame_equal(found, expected, check_exact=True)
        else:
            assert (found, type(found)) == (expected, type(expected))
