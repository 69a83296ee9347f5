"""Models in rows: paired by what identifies an example, or refused with what is wrong."""

from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pu_accessor.dask  # noqa: F401
from pu_accessor import PUError, PUValueError
from tests.cases import put

MODELS = ["svm", "forest", "bayes"]


# Scores of three models, all kinds of labels, propensities and names of examples.
RNG = np.random.default_rng(0)
TRUTH = RNG.random(40) < 0.5
LABEL = np.where(RNG.random(40) < 0.6, TRUTH, np.nan)
SCORES = {model: RNG.normal(TRUTH).round(1) for model in MODELS}
CHANCE = np.where(LABEL == 1, RNG.uniform(0.3, 0.9, 40), np.nan)
NAMES = {"day": RNG.permutation(40) // 7, "hour": np.arange(40), "site": RNG.permutation(40) // 3}
WIDE = pd.DataFrame({**NAMES, **SCORES, "y": LABEL, "propensity": CHANCE})


def as_rows(wide: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each example and model, in any order."""
    rows = wide.melt(["day", "hour", "site", "y", "propensity"], MODELS, "model", "p")
    kinds = pd.CategoricalDtype(MODELS, ordered=True)
    return rows.astype({"model": kinds}).sample(frac=1, random_state=0, ignore_index=True)


ROWS = as_rows(WIDE)
ROLES: dict[str, Any] = {"by": "model", "score": "p", "label": "y"}
WEIGHED = {"propensity": "propensity"}
CLUSTERED = {"cluster": "site"}
TARGETS = ["population", "examples"]


def pieces(rows: pd.DataFrame, **roles: Any) -> Any:
    """Return the accessor of partitions that hold some rows each."""
    from_pandas: Any = dd.from_pandas
    return from_pandas(rows.reset_index(drop=True), npartitions=2).pu(**roles)


PAIRED: list[Any] = [({}, "model", ["day", "hour"]), (WEIGHED, ["run", "model"], "hour")]


@pytest.mark.parametrize(("more", "by", "on"), [*PAIRED, (CLUSTERED, "model", "hour")])
def test_pieces_are_paired_as_one_frame_is(more: dict[str, str], by: Any, on: Any) -> None:
    rows = ROWS.astype({"model": object}).assign(run=lambda rows: rows["model"].str.len() // 4)
    roles, asked = ROLES | {"by": by} | more, {"on": on, "selection_odds": 1 if more else 2}
    both = rows.pu(**roles), pieces(rows, **roles)
    for target in ["population"] if "cluster" in more else ["examples"] if more else TARGETS:
        assert_frame_equal(
            *(put(pu, "compare", "auroc", 0.2, **asked, target=target) for pu in both)
        )


def test_pieces_that_do_not_pair() -> None:
    rows = ROWS.astype({"model": object, "y": "Int64"})
    known, free = rows.index[rows["y"] == 1], rows.index[rows["y"].isna()]
    other = rows.copy()
    other.loc[known[0], "y"], other.loc[free[0], "y"] = pd.NA, 0
    other.loc[known[rows.loc[known, "hour"] != rows.loc[known[0], "hour"]][0], "y"] = 0
    propensity = rows.assign(propensity=rows["propensity"].mask(rows.index == known[-1], 0.95))
    site = rows.assign(site=rows["site"].mask(rows.index == 3, 99))
    cases: list[tuple[pd.DataFrame, dict[str, Any], str]] = [
        (rows.iloc[1:], {}, "must pair the rows of all groups, but 1 of 40 examples"),
        (pd.concat([rows, rows.iloc[:2]]), {}, "each example once in each group, but"),
        (other, {}, "label must be the same in all groups, but 3 of 40 examples"),
        (rows, {"by": "day"}, "must pair the rows of all groups|once in each group"),
        (propensity, WEIGHED, "propensity must be .* but 1 of 40 examples"),
        (site, CLUSTERED, "cluster must be the same in all groups"),
    ]
    for some, roles, told in cases:
        with pytest.raises(PUError, match=told):
            pieces(some, **ROLES | roles).compare("auroc", 0.2, on="hour")
    with pytest.raises(PUValueError, match="cluster must be the same in all groups"):
        site.pu(**ROLES, **CLUSTERED).compare("auroc", 0.2, on="hour")


def test_propensities_of_other_rows_are_not_read() -> None:
    other = np.random.default_rng(0).random(len(ROWS)) * 9 - 4
    spoilt = ROWS.assign(propensity=ROWS["propensity"].where(ROWS["y"] == 1, other))
    both = [rows.pu(**ROLES, **WEIGHED) for rows in (ROWS, spoilt)]
    assert_frame_equal(*(pu.compare("auroc", 0.2, on="hour", target="examples") for pu in both))


@pytest.mark.parametrize("model", MODELS)
def test_labels_and_propensities_that_differ_are_counted(model: str) -> None:
    in_model = ROWS["model"] == model
    for was, now in ((1, 0), (0, 1), (0, None), (1, None), (None, 1)):
        here = ROWS.index[in_model & (ROWS["y"].isna() if was is None else ROWS["y"] == was)]
        rows = ROWS.assign(y=ROWS["y"].mask(ROWS.index.isin(here[:2]), now))
        with pytest.raises(PUValueError, match=r"label must be .* groups, but 2 of 40 examples h"):
            rows.pu(**ROLES).compare("auroc", 0.2, on="hour")
    known = ROWS.index[in_model & (ROWS["y"] == 1)]
    rows = ROWS.assign(propensity=ROWS["propensity"].mask(ROWS.index.isin(known[:3]), 0.95))
    with pytest.raises(PUValueError, match="all groups, but 3 of 40 examples"):
        rows.pu(**ROLES, **WEIGHED).compare("auroc", 0.2, on="hour")


def test_examples_that_are_in_some_groups_alone() -> None:
    gone = {(0, "svm"), (0, "bayes"), (7, "forest"), (9, "bayes")}
    here = [pair in gone for pair in zip(ROWS["hour"], ROWS["model"], strict=True)]
    told = r"^on='hour' must pair the rows of all groups, but 3 of 40 examples are not in every"
    with pytest.raises(PUValueError, match=told):
        ROWS[~np.array(here)].pu(**ROLES).compare("auroc", 0.2, on="hour")
    nobody = ROWS[(ROWS["hour"] != 5) & (ROWS["model"] != "bayes")]
    known = (WIDE["y"] == 1)[WIDE["hour"] != 5].sum()
    assert nobody.pu(**ROLES).compare("auroc", 0.2, on="hour")["n"].item() == known


def test_examples_that_are_twice_in_a_group() -> None:
    rows = pd.concat([ROWS, ROWS[ROWS["hour"].isin([4, 6])], ROWS[ROWS["hour"] == 6]])
    for on, said in (("hour", "'hour'"), (["day", "hour"], r"\['day', 'hour'\]")):
        told = rf"^on={said} must name each example once .* but 2 examples occur in a group twice"
        with pytest.raises(PUValueError, match=told):
            rows.pu(**ROLES).compare("auroc", 0.2, on=on)
