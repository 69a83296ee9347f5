"""Rows that stand for so many identical ones. The laws have that counts are rows written out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUDataError, PUWarning

SIZE = 400
RNG = np.random.default_rng(5)
TRUTH = RNG.random(SIZE) < 0.4
FRAME = pd.DataFrame({"score": RNG.normal(1.2 * TRUTH)})
FRAME["svm"] = np.where(RNG.random(SIZE) < 0.1, RNG.normal(size=SIZE), FRAME["score"])
FRAME["label"] = np.where(TRUTH & (RNG.random(SIZE) < 0.5), 1, np.nan)
FRAME["site"], FRAME["e"] = np.arange(SIZE) % 31, RNG.uniform(0.3, 0.9, SIZE)
FRAME["fold"] = np.arange(SIZE) % 2
KNOWN = FRAME["label"].notna()
ASKED: dict[str, Callable[[Any], Any]] = {
    "auroc": lambda pu: pu.auroc(0.2),
    "auroc of these": lambda pu: pu.auroc(0.2, target="examples"),
    "average precision": lambda pu: pu.average_precision(0.2),
    "of clusters": lambda pu: pu(cluster="site").metric("bedroc", 0.2, target="population"),
    "of propensities": lambda pu: pu(propensity="e").average_precision(0.2, target="examples"),
    "precision": lambda pu: pu.metric(["precision", "mcc"], 0.2, at={"fpr": 0.1}),
    "pooled": lambda pu: pu(by="fold", pool=True).auroc(0.2),
    "compare": lambda pu: pu(score=["score", "svm"]).compare("auroc", 0.2),
    "compare precision": lambda pu: pu(score=["score", "svm"]).compare("average_precision", 0.2),
    "roc": lambda pu: pu.roc_bounds(0.2).isel(rank=slice(1, None))[["fpr", "tpr"]].to_dataframe(),
    "within odds": lambda pu: pu.assume(selection_odds=2).auroc(0.2),
    "beta": lambda pu: pu.estimate_beta(),
}


@pytest.mark.filterwarnings("ignore:In 1 of 1 rows a limit", "ignore:Known positives rank above")
@pytest.mark.parametrize("name", ASKED)
def test_products_of_large_counts_are_not_beyond_integers(name: str) -> None:
    """Of so many rows, that there are more of them changes next to nothing."""
    each = [FRAME.assign(n=np.where(KNOWN, 200, most // SIZE)) for most in (2**38, 2**52)]
    found = [ASKED[name](rows.pu(count="n")).select_dtypes("number") for rows in each]
    kept = found[0].columns.difference(["rank", "rank_lower", "rank_upper", "n_unlabeled"])
    kept = kept.difference(["threshold", "examples_at_threshold"])
    np.testing.assert_allclose(found[0][kept], found[1][kept], rtol=1e-4, atol=1e-4)


def test_counts_are_integers_in_answers_and_in_a_repr() -> None:
    rows = FRAME.assign(n=np.where(KNOWN, 2.0, 3.0))
    tables = rows.pu(count="n").contingency(0.2, ranks=[0, 1100])
    assert {tables[name].dtype for name in ("tp", "fp", "fn", "tn", "rank")} == {np.dtype("int64")}
    size = 2 * KNOWN.sum() + 3 * (~KNOWN).sum()
    assert tables["n_known_positive"].item() + tables["n_unlabeled"].item() == size
    text = repr(rows.pu(count="n"))
    assert f"known positives  {2 * KNOWN.sum()}\n" in text and "2 to 3, " in text


def test_one_row_that_holds_most_of_the_weight_names_counts() -> None:
    table = pd.DataFrame({"score": range(40), "label": [None, None, None, 1] * 10, "n": 1})
    table.loc[0, "n"] = 9
    with pytest.warns(PUWarning, match=r"has more than a tenth .*\(24%\).*count="):
        table.pu(weight="n").auroc(0.1)
    for free in (table.pu(count="n"), table.assign(n=table["n"] / 2 + 1).pu(weight="n"), table.pu):
        free.auroc(0.1)


def test_no_standard_error_of_a_share_is_above_a_half() -> None:
    rows = pd.DataFrame({"score": range(9, 0, -1), "label": [1, None, None] * 3, "n": 1e6})
    rows["n"], rows.loc[6, "label"] = [20, 1e6, 1e6, 1, *5 * [1e6]], None
    with pytest.warns(PUWarning):
        assert rows.pu(count="n").average_precision(0.1)["standard_error"].item() == 0.5


def test_known_examples_that_no_memory_holds_are_refused() -> None:
    rows = FRAME.assign(n=2**44)
    assert rows.pu(count="n").auroc(0.2)["lower"].notna().all()
    with pytest.raises(PUDataError, match=r"not enough memory .* one by one"):
        rows.pu(count="n").contingency(0.2)
