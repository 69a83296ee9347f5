"""Models in rows, paired by what identifies an example; or refused with what is wrong."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pu_accessor import PUError
from tests.sources.test_every_source import FRAME, MODELS, Rows, check_alike, parted, rows
from tests.worlds import fuzzed

ROLES: dict[str, Any] = {"by": "model", "score": "p"}
KEPT = ["id", "day", "label", "propensity", "patient", "weight", "times"]


def melted(frame: Rows) -> Rows:
    """Return a row for each example and model, in any order."""
    named = frame.drop(columns="p").assign(id=range(len(frame)), day=np.arange(len(frame)) // 7)
    long = named.melt(KEPT, MODELS, "model", "p")
    return long.sample(frac=1, random_state=0, ignore_index=True)


OLD: Any = {"target": "examples"}
NAMED = {"propensity": "propensity", "cluster": "patient", "count": "times", "weight": "weight"}
BOUND: list[dict[str, Any]] = [{}, *({role: name} for role, name in NAMED.items())]


@fuzzed(2)
@given(frame=rows, more=st.sampled_from(BOUND), on=st.sampled_from(["id", ["day", "id"]]))
def test_rows_are_paired_as_columns_are(frame: Rows, more: dict[str, Any], on: Any) -> None:
    long, asked = melted(frame), {"metric": "auroc", "beta": 0.2}
    other = np.random.default_rng(0).random(len(long)) * 9 - 4
    long["propensity"] = long["propensity"].where(long["label"] == 1, other)  # which is not read
    asked |= OLD if "propensity" in more else {}
    expected = frame.pu(score=[*reversed(MODELS)], **more).compare(**asked)
    for pu in (long.pu(**ROLES, **more), parted(long, 2)(**ROLES, **more)):
        check_alike(pu.compare(on=on, **asked), expected, attrs=False)


LONG = melted(FRAME)
ONE, OTHER = (LONG[LONG["model"] == model] for model in MODELS)
KNOWN, FREE, NO = (ONE.index[ONE["label"].fillna(2) == label] for label in (1, 2, 0))
LABELS = [(KNOWN, 0), (NO, 1), (NO, None), (KNOWN, None), (FREE, 1)]
TWICE = pd.concat([LONG, LONG[LONG["id"].isin([4, 6])], LONG[LONG["id"] == 6]])
GONE = LONG.drop(ONE.index[:2]).drop(OTHER.index[:1])


def changed(name: str, rows: Any, value: Any) -> Rows:
    """Return rows of which some have another value."""
    return LONG.assign(**{name: LONG[name].mask(LONG.index.isin(rows), value)})


NEW = {"propensity": 0.95, "patient": 0.95, "times": 99, "weight": 99}
SAME = "must be the same in all groups, but 3 of 400"
WRONG: list[tuple[Rows, dict[str, Any], str]] = [
    (GONE, {}, r"on='id' must pair .* but [23] of 400 e"),
    (TWICE, {}, r"on='id' must name each example once .* but 2 examples occur in a group twice"),
    (TWICE, {"on": ["day", "id"]}, r"on=\['day', 'id'\] must .* but 2 examples occur in a"),
    *((changed("label", of[:2], now), {}, "label must .* 2 of") for of, now in LABELS),
    *((changed(x, KNOWN[:3], NEW[x]), {role: x}, f"{role} {SAME}") for role, x in NAMED.items()),
]


@pytest.mark.parametrize(("long", "more", "told"), WRONG)
def test_rows_that_do_not_pair(long: Rows, more: dict[str, Any], told: str) -> None:
    roles = ROLES | more
    asked = {"on": roles.pop("on", "id"), **(OLD if "propensity" in more else {})}
    for pu in (long.pu(**roles), parted(long.reset_index(drop=True), 2)(**roles)):
        with pytest.raises(PUError, match=told):
            pu.compare("auroc", 0.2, **asked)


def test_examples_that_are_nowhere_are_no_obstacle() -> None:
    expected = FRAME.drop(index=KNOWN[0]).pu(score=[*reversed(MODELS)]).compare("auroc", 0.2)
    found = LONG[LONG["id"] != KNOWN[0]].pu(**ROLES).compare("auroc", 0.2, on="id")
    check_alike(found, expected, attrs=False)
