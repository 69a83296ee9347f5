"""The driver of the studies asks, keeps what it finds, and says where a promise is broken."""

import math
import re
from pathlib import Path

import pytest

import pu_accessor
from tests.support.studies import page, store
from tests.support.studies.__main__ import main
from tests.support.studies.promises import PROMISES, Answer, Cell, Promise

DOCS = Path(__file__).parents[2] / "docs"
SIZE = "10 known, 300 others, 0.4 of them positive"
BROKEN = Cell("`auroc`, future data", "plain", "normal .76", SIZE)


def test_each_promise_is_answered_and_holds_more_often_than_not() -> None:
    missed = []
    for promise in PROMISES:
        found = store.look(next(iter(promise.cells())), 2, "")
        assert found.missing == 0, promise.name
        if not math.isnan(promise.low) and found.covers < 0.5:
            missed.append(promise.name)
    assert len(missed) <= 5


def test_the_page_shows_what_was_measured(tmp_path: Path) -> None:
    found = store.read(DOCS / "measured" / "coverage.csv")
    assert {*found} == {*store.promise_of()}  # each cell
    (tmp_path / "coverage.md").write_text((DOCS / "coverage.md").read_text("utf-8"), "utf-8")
    store.write(tmp_path / "measured" / "coverage.csv", found)
    main(["--draws", "0", "--out", str(tmp_path)])
    for name in ("coverage.md", "measured/coverage.csv"):
        assert (tmp_path / name).read_text("utf-8") == (DOCS / name).read_text("utf-8")
    assert (tmp_path / "images" / "coverage.png").stat().st_size > 10_000


def test_a_broken_promise_is_drawn_again_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    promise = store.promise_of()[BROKEN]
    broken = promise._replace(ask=lambda w: Answer(*promise.ask(w)[:2], truth=0.1))
    everything: dict[Cell, Promise] = {BROKEN: broken}
    monkeypatch.setattr(store, "promise_of", lambda: everything)
    monkeypatch.setattr(page, "promise_of", lambda: everything)
    (tmp_path / "coverage.md").write_text("<!-- below -->\n<!-- end -->\n", "utf-8")
    main(["--draws", "2", "--workers", "0", "--out", str(tmp_path)])
    (found,) = store.read(tmp_path / "measured" / "coverage.csv").values()
    assert (found.draws, found.covers, found.below) == (10, 0, 1)
    text = (tmp_path / "coverage.md").read_text("utf-8")
    assert "* .000 ± .000: `auroc`, future data, normal .76, 10 known" in text
    more = store.look(BROKEN, 12, found.commit, found)
    assert more._replace(width=0) == store.look(BROKEN, 12, found.commit)._replace(width=0)


def test_what_simulations_support_names_its_rows() -> None:
    package, found = Path(pu_accessor.__file__).parent, store.read(DOCS / "measured/coverage.csv")
    texts = [path.read_text("utf-8") for path in (package / "inference").rglob("*.py")]
    texts = [re.sub(r"\s+(# )?", " ", text) for text in texts]
    said = [
        part
        for text in texts
        for part in re.split(r"\b(?=[Ss]imulat(?:ed|ions?\b(?! and)))", text)[1:]
    ]
    assert len(said) > 10
    for part in said:
        cited = re.search(r'^.{0,80}\(coverage\.csv: "(.+?)"(?:, designs? (.+?))?\)', part)
        assert cited, part[:80]
        designs = re.findall('"(.+?)"', cited[2] or "") or [None]
        for design in designs:
            names = [c.promise for c in found if design in (None, c.design)]
            assert any(name.startswith(cited[1]) for name in names), cited[0]
