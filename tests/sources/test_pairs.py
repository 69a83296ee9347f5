"""Models in rows: paired by what identifies an example, or refused with what is wrong."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor  # noqa: F401
from pu_accessor import PUValueError

MODELS = ["svm", "forest", "bayes"]


def draw_wide(seed: int = 0, size: int = 40) -> pd.DataFrame:
    """Draw scores of three models, all kinds of labels, propensities and names of examples."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.5
    label = np.where(rng.random(size) < 0.6, truth, np.nan)
    scores = {model: rng.normal(truth).round(1) for model in MODELS}
    odds = np.where(label == 1, rng.uniform(0.3, 0.9, size), np.nan)
    names = {"day": rng.permutation(size) // 7, "hour": np.arange(size)}
    return pd.DataFrame({**names, **scores, "y": label, "odds": odds})


def as_rows(wide: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each example and model, in any order."""
    rows = wide.melt(["day", "hour", "y", "odds"], MODELS, "model", "p")
    kinds = pd.CategoricalDtype(MODELS, ordered=True)
    return rows.astype({"model": kinds}).sample(frac=1, random_state=0, ignore_index=True)


WIDE = draw_wide()
ROWS = as_rows(WIDE)
ROLES: dict[str, Any] = {"by": "model", "score": "p", "label": "y"}


@pytest.mark.parametrize("policy", ["omit", "worst"])
@pytest.mark.parametrize("on", ["hour", ["hour"], ["day", "hour"]])
@pytest.mark.parametrize("weighted", [False, True])
def test_models_in_rows_are_those_in_columns(weighted: bool, on: Any, policy: str) -> None:
    wide = WIDE.copy()
    wide.loc[[3, 8], "svm"] = wide.loc[[8, 11], "bayes"] = np.nan
    roles: dict[str, Any] = {"nan_policy": policy} | ({"propensity": "odds"} if weighted else {})
    expected = wide.pu(score=MODELS, label="y", **roles).compare([0.1, 0.3], target="examples")
    rows = as_rows(wide)
    found = rows.pu(**ROLES, **roles).compare([0.1, 0.3], on=on, target="examples")
    names = ["model_a", "model_b"]
    pd.testing.assert_frame_equal(
        found.astype(dict.fromkeys(names, expected[names[0]].dtype)), expected
    )


def test_propensities_of_other_rows_are_not_read() -> None:
    other = np.random.default_rng(0).random(len(ROWS)) * 9 - 4
    spoilt = ROWS.assign(odds=ROWS["odds"].where(ROWS["y"] == 1, other))
    answers = [
        rows.pu(**ROLES, propensity="odds").compare(0.2, on="hour", target="examples")
        for rows in (ROWS, spoilt)
    ]
    pd.testing.assert_frame_equal(*answers)


@pytest.mark.parametrize("model", MODELS)
def test_propensities_that_differ_are_counted(model: str) -> None:
    known = ROWS.index[(ROWS["model"] == model) & (ROWS["y"] == 1)]
    rows = ROWS.assign(odds=ROWS["odds"].mask(ROWS.index.isin(known[:3]), 0.95))
    told = f"all groups, but 3 of {len(known)} known positives"
    with pytest.raises(PUValueError, match=told):
        rows.pu(**ROLES, propensity="odds").compare(0.2, on="hour")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("was", "now"), [(1, 0), (0, 1), (0, None), (1, None), (None, 1)])
def test_labels_that_differ_are_counted(was: Any, now: Any, model: str) -> None:
    here = (ROWS["y"].isna() if was is None else ROWS["y"] == was) & (ROWS["model"] == model)
    rows = ROWS.assign(y=ROWS["y"].mask(ROWS.index.isin(ROWS.index[here][:2]), now))
    with pytest.raises(PUValueError, match=r"label must be .* groups, but 2 of 40 examples have"):
        rows.pu(**ROLES).compare(0.2, on="hour")


def test_examples_that_are_in_some_groups_alone() -> None:
    gone = {(0, "svm"), (0, "bayes"), (7, "forest"), (9, "bayes")}
    here = [pair in gone for pair in zip(ROWS["hour"], ROWS["model"], strict=True)]
    told = r"^on='hour' must pair the rows of all groups, but 3 of 40 examples are not in every"
    with pytest.raises(PUValueError, match=told):
        ROWS[~np.array(here)].pu(**ROLES).compare(0.2, on="hour")
    nobody = ROWS[(ROWS["hour"] != 5) & (ROWS["model"] != "bayes")]
    assert (
        nobody.pu(**ROLES).compare(0.2, on="hour")["n"].item()
        == (WIDE["y"] == 1)[WIDE["hour"] != 5].sum()
    )


def test_examples_that_are_twice_in_a_group() -> None:
    rows = pd.concat([ROWS, ROWS[ROWS["hour"].isin([4, 6])], ROWS[ROWS["hour"] == 6]])
    for on, said in (("hour", "'hour'"), (["day", "hour"], r"\['day', 'hour'\]")):
        told = rf"^on={said} must name each example once .* but 2 examples stand in a group twice"
        with pytest.raises(PUValueError, match=told):
            rows.pu(**ROLES).compare(0.2, on=on)


def test_rows_whose_example_is_missing() -> None:
    rows = ROWS.astype({"day": float, "hour": float})
    rows.loc[[5, 9, 30], "hour"] = rows.loc[[1, 5], "day"] = np.nan
    told = r"but 3 of 120 rows have no 'day', 'hour'\. .*\(subset=\['day', 'hour'\]\)"
    for on in (["day", "hour"], ["hour", "day"]):
        with pytest.raises(PUValueError, match=told if on[0] == "day" else "but 3 of 120 rows"):
            rows.pu(**ROLES).compare(0.2, on=on)
    with pytest.raises(PUValueError, match="but 2 of 120 rows have no 'day'"):
        rows.pu(**ROLES).compare(0.2, on="day")


@pytest.mark.parametrize("name", ["p", "y", "model"])
def test_what_has_another_role_identifies_nothing(name: str) -> None:
    for on in (name, ["hour", name]):
        with pytest.raises(PUValueError, match=f"^on must name other columns .* but '{name}' is"):
            ROWS.pu(**ROLES).compare(0.2, on=on)


def test_models_that_are_not_named() -> None:
    for asked, told in (
        ({"label": "y", "score": "p"}, "score must name two or more columns, .* but 'p' was"),
        (ROLES, "on must name the column that pairs the rows of model, but None was"),
        (ROLES | {"by": ["model", "day"]}, "pairs the rows of model, day, but None"),
    ):
        with pytest.raises(PUValueError, match=told):
            ROWS.pu(**asked).compare(0.2)
    for by in (None, "day"):
        with pytest.raises(PUValueError, match=r"^on must not be passed .* but 'hour' was"):
            WIDE.pu(score=MODELS, label="y", by=by).compare(0.2, on="hour")
