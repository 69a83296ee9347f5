"""Rows that belong together: ids of any kind, few clusters, and what is said of them."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import PUWarning, from_arrays, from_chunks
from tests.sources.test_every_source import FRAME as ROWS
from tests.sources.test_every_source import MODELS, cut

FRAME = ROWS.assign(patient=ROWS["patient"] // 2)  # of whom most have several rows
NUMBERS: Any = FRAME["patient"]
IDS: list[Any] = [
    NUMBERS.map("p{}".format).astype("category").cat.add_categories(["nobody"]),
    NUMBERS.map("p{}".format).astype("string[pyarrow]"),
    *(NUMBERS.astype("Int64"), NUMBERS.astype(np.uint64) + 2**63, NUMBERS / 7),
    *(NUMBERS * 2**40, NUMBERS - 2**62 - 2**62, NUMBERS + len(FRAME), NUMBERS - 9),
    pd.Timestamp("2020") + pd.to_timedelta(NUMBERS, "D"),
    NUMBERS.map(lambda number: number if number % 2 else f"p{number}"),
    pd.Series([*zip(NUMBERS, NUMBERS, strict=True)]),
]


def chunked(frame: pd.DataFrame) -> Any:
    """Return chunks that cut clusters."""
    return from_chunks(cut(frame, [50, 133]), cluster="patient")


@pytest.mark.parametrize("ids", IDS, ids=lambda ids: f"{ids.dtype}")
def test_ids_are_of_any_kind(ids: Any) -> None:
    expected, frame = FRAME.pu(cluster="patient").auroc(0.2), FRAME.assign(patient=ids)
    asked = [frame.pu(cluster="patient"), chunked(frame)]
    if not isinstance(ids[0], tuple):
        asked.append(from_arrays(FRAME["score"], FRAME["label"], cluster=ids.array))
    for pu in asked:
        pd.testing.assert_frame_equal(pu.auroc(0.2), expected, rtol=1e-12)


HELD = [*FRAME.loc[FRAME["label"] == 1, "patient"].unique()]


@pytest.mark.parametrize("number", [1, 9, 10])
def test_few_clusters_are_warned_of_once(number: int) -> None:
    kept = FRAME["patient"].isin(HELD[:number]) & (FRAME["label"] == 1)
    few = FRAME.assign(label=FRAME["label"].where(kept))
    groups = pd.concat([few.assign(site=site) for site in "abc"])
    for pu in (few.pu(cluster="patient"), chunked(few), groups.pu(by="site", cluster="patient")):
        if number == 1:
            with pytest.raises(pu_accessor.PUDataError, match="known positives in 2 clusters"):
                pu.auroc(0.2)
        elif number == 10:
            pu.auroc(0.2)  # without a warning
        else:
            told = "Fewer than 10 clusters .* \\(9\\)|site='a': .*; .*site='b'"
            with pytest.warns(PUWarning, match=told) as warned:
                pu.auroc(0.2)
            assert len(warned) == 1


def test_clusters_of_known_positives_alone_have_no_statistic() -> None:
    with pytest.warns(PUWarning, match="only one known positive, or one other example"):
        found = FRAME.assign(label=1).pu(score=MODELS, cluster="patient").compare()
    assert found["p_value"].isna().all() and (found["sign"] == 0).all()


# What is said of them


def test_a_repr_counts_them() -> None:
    sizes = FRAME["patient"].value_counts()
    words = f"clusters +{sizes.size} of 1 to {sizes.max()} rows, {len(HELD)} with a known posit"
    assert re.search(words, repr(FRAME.pu(cluster="patient")))
    equal = pd.DataFrame({"score": range(6), "label": [1, None] * 3, "site": [5, 5, 0, 0, 9, 9]})
    assert re.search(r"clusters +3 of 2 rows, 3 with", repr(equal.pu(cluster="site")))


ALONE = FRAME.assign(patient=range(len(FRAME)))
ODD: list[Any] = ["one", np.nan, [[1]] * len(FRAME)]
BOTH = pd.concat([ALONE.assign(model=model) for model in "ab"])
# Rows, what is bound, and the column that a report asks about, as it looks like ids and repeats.
REPEATED: list[tuple[Any, dict[str, Any], str]] = [
    *((FRAME.rename(columns={"patient": name}), {}, name) for name in ("User_id", "ID")),
    *((FRAME.assign(patient=odd), {}, "") for odd in ODD),
    *((FRAME.rename(columns={"patient": "patient_age"}), {}, ""), (ALONE, {}, "")),
    (FRAME, {"cluster": "patient"}, ""),
    (BOTH, {"by": "model"}, ""),
]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize(("frame", "roles", "asked"), REPEATED)
def test_a_report_asks_where_an_id_repeats(frame: Any, roles: Any, asked: str) -> None:
    text = pu_accessor.pu(frame, **roles).report(0.2).html.replace("&#x27;", "'")
    assert re.findall(r"'(\w+)' repeats: if its rows are dependent", text) == [asked] * bool(asked)
    named = "Rows of different clusters, by 'patient', are independent of each other."
    assert (named in re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", text))) == ("cluster" in roles)
