"""A quick version of the study of labels made by hand."""

import numpy as np
import pytest

from tests.support.studies import hand_labels as study

pytestmark = pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")


def test_intervals_hold_while_labels_come_in() -> None:
    found = study.sequential(300, 0.1, 0.2, None, 60, np.random.default_rng(1))
    assert found["held at all times"] >= 0.86
    assert found["planned, beta known"] < found["labels, median"]
    sooner = study.sequential(300, 0.1, 0.2, 0.1, 60, np.random.default_rng(1))
    assert sooner["labels, median"] < found["labels, median"]


def test_weights_hold_where_known_positives_are_no_random_sample() -> None:
    found = study.weights("normal, AUROC .80", 0.15, 150, True, 12, np.random.default_rng(3))
    rows = {(row["metric"], row["way"]): row["covers"] for row in found}
    assert rows["AUROC", "weights"] >= 0.7 > 0.5 >= rows["AUROC", "beta"]
