"""Messages that name a concept end with the address of its page, and the pages are there.

The address of the manual is one setting, "Documentation" in ``[project.urls]``. A message never
names a file of the sources: who installed a wheel has none.
"""

from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pu_accessor
from pu_accessor import errors

DOCS = Path(__file__).parents[2] / "docs"
FRAME = pd.DataFrame({"score": range(6, 0, -1), "label": [1, None, 1, None, None, None]})
GROUPS = pd.concat([FRAME.assign(fold=fold) for fold in "ab"], ignore_index=True)
MANUAL = "https://manual.example/en"


def publish(monkeypatch: pytest.MonkeyPatch, *urls: str) -> None:
    """Let the installed package have these addresses."""
    installed = Message()
    for url in urls:
        installed["Project-URL"] = url
    monkeypatch.setattr(errors, "metadata", lambda _: installed)
    errors._manual.cache_clear()


@pytest.fixture(autouse=True)
def manual(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the manual have an address, with a slash at its end, after another address."""
    publish(monkeypatch, "Paper, https://arxiv.org/abs/1504.06837", f"Documentation, {MANUAL}/")
    yield
    errors._manual.cache_clear()


def url(page: str) -> str:
    """Return where a page can be read."""
    return f"{MANUAL}/{page}.html"


@pytest.mark.parametrize("page", sorted({*errors._PAGES.values()}))
def test_pages_are_there(page: str) -> None:
    assert (DOCS / f"{page}.md").is_file()


ADDRESSES: list[tuple[str, Callable[[], object]]] = [
    ("class_prior", lambda: FRAME.pu.auroc(29)),
    ("intervals", lambda: FRAME.pu.roc_bounds(0.3, band=max)),
    ("labels", lambda: FRAME.fillna({"label": -1}).pu.auroc(0.3)),
    ("thresholds", lambda: FRAME.pu.metric("f1", 0.3, at=99)),
    ("scikit_learn", lambda: FRAME.pu(pool=True).auroc(0.3)),
    ("", lambda: FRAME.pu(score="p").auroc(0.3)),  # no concept, no page
]


@pytest.mark.parametrize(("address", "ask"), ADDRESSES)
def test_messages_end_with_the_page(address: str, ask: Callable[[], object]) -> None:
    with pytest.raises(pu_accessor.PUError) as caught:
        ask()
    message = str(caught.value)
    assert message.endswith(f" See {url(address)}.") if address else "See" not in message
    assert len(message) <= 300


def test_errors_within_errors_and_warnings_say_it_once() -> None:
    spoiled = GROUPS.assign(label=GROUPS["label"].where(GROUPS["fold"] == "a", None))
    with pytest.raises(pu_accessor.PUDataError, match=r"^group fold='b': label") as caught:
        spoiled.pu(by="fold").auroc(0.3)
    assert str(caught.value).count(" See ") == 1
    assert str(caught.value).endswith(f" See {url('labels')}.")
    with pytest.warns(pu_accessor.PUWarning) as told:
        found = spoiled.pu(by="fold", on_error="skip").auroc(0.3)
    assert " See " not in str(told[0].message) and "df.pu" not in str(told[0].message)
    assert found.attrs["skipped"]["group fold='b'"].startswith("label must mark")
    head = pd.DataFrame(
        {"score": np.arange(200, 0, -1), "label": np.where(np.arange(200) < 50, 1, np.nan)}
    )
    with pytest.warns(pu_accessor.PUWarning, match="^beta exceeds ") as told:
        head.pu.contingency(0.9, ranks="all")
    assert str(told[0].message).endswith(f" See {url('class_prior')}.")


def test_without_a_manual_there_is_no_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for urls in ([], ["Paper, https://arxiv.org/abs/1504.06837"]):
        publish(monkeypatch, *urls)
        with pytest.raises(pu_accessor.PUError, match=r"^beta must ") as caught:
            FRAME.pu.auroc(29)
        assert "See" not in str(caught.value) and "docs/" not in str(caught.value)


def test_long_messages_keep_the_page() -> None:
    message: Any = errors.PUValueError("beta must " + 500 * "x" + " Pass another.")
    assert len(str(message)) <= 300
    assert str(message).endswith(f"x Pass another. See {url('class_prior')}.")
