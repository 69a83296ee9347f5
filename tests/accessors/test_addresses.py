"""Messages that name a concept end with the address of its page, and the pages are there."""

import ast
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import errors

DOCS = Path(__file__).parents[2] / "docs"
FRAME = pd.DataFrame(
    {"score": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], "label": [1, None, 1, None, None, None]}
)
GROUPS = pd.concat([FRAME.assign(fold=fold) for fold in "ab"], ignore_index=True)
BETA = pu_accessor.beta_from_labels(1, 2, 9)


def anchors(page: Path) -> set[str]:
    """Return the places that headings of a page make."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def named_pages() -> set[str]:
    """Return the pages that errors name where they are raised."""
    calls = [
        node
        for path in Path(pu_accessor.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "page"
    ]
    return {str(call.value.value) for call in calls if isinstance(call.value, ast.Constant)}


@pytest.mark.parametrize("address", sorted({*errors._PAGES.values(), *named_pages()}))
def test_pages_are_there(address: str) -> None:
    name, mark, place = address.partition("#")
    page = DOCS / f"{name}.md"
    assert page.is_file()
    assert not mark or place in anchors(page)


@pytest.mark.parametrize(
    ("address", "ask"),
    [
        ("beta.md", lambda: FRAME.pu.auroc(29)),
        ("beta.md#too-high", lambda: FRAME.pu.auroc(1)),
        ("beta.md#an-interval-and-a-limit", lambda: FRAME.pu.roc_bounds(0.3, beta_interval=0.2)),
        ("beta.md#with-its-error", lambda: FRAME.pu.auroc(BETA)),
        ("bands.md", lambda: FRAME.pu.roc_bounds(0.3, band=(1, 2))),
        ("bands.md", lambda: FRAME.pu.roc_bounds(0.3, band=max)),
        ("bands.md", lambda: FRAME.pu.roc_bounds(0.3, band="exat")),
        ("cutoffs.md", lambda: FRAME.pu.cutoff(0.3, precision=0.5, band="exact")),
        ("known_negatives.md", lambda: FRAME.pu.roc_bounds(0.3, reference="negatives")),
        ("selection_odds.md", lambda: FRAME.pu.auroc(0.3, selection_odds=0.5)),
        ("labels.md", lambda: FRAME.fillna({"label": -1}).pu.auroc(0.3)),
        ("tables.md#numbers-with-intervals", lambda: FRAME.pu.metric("f1", 0.3, at=99)),
        ("cross_validation.md#one-answer-for-all-folds", lambda: FRAME.pu(pool=True).auroc(0.3)),
        ("large_data.md#chunks", lambda: pu_accessor.from_chunks(iter([])).auroc(0.3)),
        ("many_models.md#a-beta-for-each-group", lambda: GROUPS.pu(by="fold").auroc({"a": 0.3})),
        ("many_models.md#which-model-is-better", lambda: FRAME.pu(score=["score"]).compare()),
        ("biased_labels.md", lambda: FRAME.assign(p=0.5).pu(propensity="p").auroc(0.3)),
        ("practice.md#calibration", lambda: FRAME.pu.calibration(0.3, bins=0)),
    ],
)
def test_messages_end_with_the_page(address: str, ask: Callable[[], object]) -> None:
    with pytest.raises(pu_accessor.PUError) as caught:
        ask()
    assert str(caught.value).endswith(f" See docs/{address}.")
    assert len(str(caught.value)) <= 300


def test_errors_within_errors_say_it_once() -> None:
    spoiled = GROUPS.assign(label=GROUPS["label"].where(GROUPS["fold"] == "a", None))
    with pytest.raises(pu_accessor.PUDataError, match=r"^group fold='b': label") as caught:
        spoiled.pu(by="fold").auroc(0.3)
    assert str(caught.value).count(" See docs/") == 1
    assert str(caught.value).endswith(" See docs/labels.md.")
    with pytest.warns(pu_accessor.PUWarning) as told:
        found = spoiled.pu(by="fold", on_error="skip").auroc(0.3)
    assert str(told[0].message).count(" See docs/") == 1
    assert found.attrs["skipped"]["group fold='b'"].endswith(" See docs/labels.md.")


def test_warnings_say_it_too() -> None:
    rng = np.random.default_rng(0)
    truth = np.arange(600) < 200
    df = pd.DataFrame(
        {"score": rng.normal(3 * truth), "label": np.where(np.arange(600) < 150, 1, np.nan)}
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        df.pu.contingency(0.9)
    assert [str(one.message).rpartition(" See ")[2] for one in told] == ["docs/beta.md#too-high."]


def test_what_is_no_concept_has_no_page() -> None:
    with pytest.raises(pu_accessor.PUKeyError) as caught:
        FRAME.pu(score="p").auroc(0.3)
    assert "See docs" not in str(caught.value)


def test_long_messages_keep_the_page() -> None:
    message: Any = errors.PUValueError("beta must " + 500 * "x" + " Pass another.")
    assert len(str(message)) <= 300
    assert str(message).endswith("x Pass another. See docs/beta.md.")
