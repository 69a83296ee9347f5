"""Messages that name a concept end with the address of its page in the manual, once."""

from collections.abc import Callable
from email.message import Message
from typing import Any

import pandas as pd
import pytest

import pu_accessor
from pu_accessor import errors

FRAME = pd.DataFrame({"score": range(6, 0, -1), "label": [1, None, 1, None, None, None]})
SPOILT = pd.concat([FRAME.assign(fold="a"), FRAME.assign(fold="b", label=float("nan"))])
OTHER, MANUAL = "Paper, https://arxiv.org/abs/1504.06837", "Documentation, https://manual.test/en/"
UNCACHED: Any = errors._manual.__wrapped__


def told(monkeypatch: pytest.MonkeyPatch, ask: Callable[[], object], *urls: str) -> str:
    """Return what an error says where the installed package has these addresses."""
    installed = Message()
    for url in urls:
        installed["Project-URL"] = url
    monkeypatch.setattr(errors, "metadata", lambda _: installed)
    monkeypatch.setattr(errors, "_manual", UNCACHED)
    with pytest.raises(pu_accessor.PUError) as caught:
        ask()
    return str(caught.value)


@pytest.mark.parametrize(
    ("page", "ask"),
    [
        ("class_prior", lambda: FRAME.pu.auroc(29)),
        ("intervals", lambda: FRAME.pu.roc_bounds(0.3, band=max)),
        ("labels", lambda: SPOILT.pu(by="fold").auroc(0.3)),
        ("thresholds", lambda: FRAME.pu.metric("f1", 0.3, at=99)),
        ("scikit_learn", lambda: FRAME.pu(pool=True).auroc(0.3)),
        ("", lambda: FRAME.pu(score="p").auroc(0.3)),  # no concept, no page
    ],
)
def test_messages_end_with_the_page(
    page: str, ask: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    message = told(monkeypatch, ask, OTHER, MANUAL)
    assert message.count(" See ") == bool(page) and len(message) <= 300
    assert message.endswith(f" See https://manual.test/en/{page}.html.") or not page
    for urls in ([], [OTHER]):
        assert " See " not in told(monkeypatch, ask, *urls)


def test_a_long_message_keeps_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise errors.PUValueError("beta must " + 500 * "x" + " Pass another.")

    message = told(monkeypatch, fail, MANUAL)
    assert len(message) == 300 and message.startswith("beta must x")
    assert message.endswith("x Pass another. See https://manual.test/en/class_prior.html.")


def test_a_warning_that_quotes_an_error_leaves_the_page_out() -> None:
    with pytest.warns(pu_accessor.PUWarning) as warned:
        found = SPOILT.pu(by="fold", on_error="skip").auroc(0.3)
    assert " See " not in str(warned[0].message) and "df.pu" not in str(warned[0].message)
    assert found.attrs["skipped"]["group fold='b'"].startswith("label must mark")
