"""The built site in a headless Chromium, and that its API page has every public name."""

import os
import re
import runpy
import shutil
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
import pu_accessor.sklearn
from pu_accessor.roles_and_assumptions import Terms

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"
PAGES = ["index.html", "gallery/index.html", "generated/pandas.DataFrame.pu.roc_bounds.html"]
NARROW = [*PAGES, "gallery/practice/plot_precision_top_k.html"]
NARROW += ["generated/pandas.DataFrame.pu.metric.html", "api.html"]
# All pages of the manual but the changelog, which is a long list.
NARROW += sorted(
    f"{page.stem}.html" for page in (ROOT / "docs").glob("*.md") if page.stem != "changelog"
)
TELEPHONE = 390
WIDTHS = {TELEPHONE: 2, 1280: 1, 1920: 1}  # of a page; in how many lines a word may stand there
TALLEST = 15_000  # pixels that a reader would scroll through
# Of the words of a text, in how many lines each stands; a block of code can be moved on its own.
LINES_OF_WORDS = """
const walker = document.createTreeWalker(
  document.querySelector('article'), NodeFilter.SHOW_TEXT);
const range = document.createRange(), words = [];
while (walker.nextNode()) {
  const node = walker.currentNode;
  if (node.parentElement.closest('pre, math, .math, script, style')) continue;
  for (const word of node.data.matchAll(/[\\p{L}\\p{N}_]{3,}/gu)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const tops = [...range.getClientRects()].map(piece => Math.round(piece.top));
    words.push([word[0], new Set(tops).size]);
  }
}
return words
"""
FLAGS = """
--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync
"""
# Of each image, once all are loaded: where it is from, its own width, and that on the page.
IMAGES = """
const done = arguments[0], images = [...document.images];
images.forEach(image => { image.loading = 'eager' });
Promise.allSettled(images.map(image => image.decode())).then(() => done(images.map(
  image => [image.currentSrc || image.src, image.naturalWidth, image.clientWidth])))
"""
# Of parts, the width that they need and the one that they have.
WIDTHS_OF = """
return [document.documentElement, ...document.querySelectorAll(arguments[0])]
  .map(part => [part.scrollWidth, part.clientWidth])
"""


KINDS: tuple[Any, ...] = (pd.DataFrame, xr.Dataset)
METHODS = {  # the public names of their accessors
    f"{kind.__name__}.pu.{name}" for kind in KINDS for name in dir(kind.pu) if name[0] != "_"
}


def test_api_page_has_every_public_name() -> None:
    page = (ROOT / "docs" / "api.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^(?:   |\.\. autoexception:: )([\w.]+)$", page, re.MULTILINE)
    modules = pu_accessor, pu_accessor.sklearn, pu_accessor.labeling
    public = {name for module in modules for name in module.__all__}
    assert {*listed} == public | METHODS


def test_api_page_has_every_role_and_assumption() -> None:
    page = (ROOT / "docs" / "api.rst").read_text(encoding="utf-8")
    listed = re.findall(r"\.\. confval:: (\w+)$", page, re.MULTILINE)
    assert sorted(listed) == sorted(field.name for field in fields(Terms))


PICTURES = runpy.run_path(str(ROOT / "docs" / "pictures" / "methods.py"))


def test_every_method_has_a_call_and_those_that_draw_a_picture() -> None:
    assert {*PICTURES["CALLS"]} == METHODS
    drawn = {name for name in METHODS if PICTURES["draws"](name)}
    assert drawn == {name for name in METHODS if ".plot_" in name}


@pytest.mark.parametrize("method", sorted(PICTURES["CALLS"]))
def test_the_call_of_a_page_runs(method: str) -> None:
    call = PICTURES["CALLS"][method]
    assert f".{method.rpartition('.')[2]}(" in call
    assert eval(call, PICTURES["example"]()) is not None
    plt.close("all")


def test_every_script_of_the_gallery_has_a_place_in_its_order() -> None:
    stages = runpy.run_path(str(ROOT / "docs" / "order.py"))["WORK"]
    scripts = {path.stem for path in (ROOT / "gallery").rglob("plot_*.py")}
    listed = [f"plot_{name}" for names in stages.values() for name in names.split()]
    assert sorted(listed) == sorted(scripts)


class Quiet(SimpleHTTPRequestHandler):
    """Serve files and say nothing."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Leave out the line that each request would print."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Serve the built site."""
    if not (SITE / "index.html").is_file():
        pytest.skip("there is no built site: make docs")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start a headless Chromium with an empty profile."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is missing: make docs")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("chromium or chromedriver is missing")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in [*FLAGS.split(), f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    service = webdriver.ChromeService(executable_path=driver, log_output=os.devnull)
    started = webdriver.Chrome(options=options, service=service)
    started.set_page_load_timeout(60)
    yield started
    started.quit()


def resize(browser: Any, width: int) -> None:
    """Make the page this wide; a window cannot be as narrow as a telephone."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def complaints(browser: Any) -> list[str]:
    """Return what the console holds against the pages since it was last asked."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def wait_until(browser: Any, found: Any) -> Any:
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 30).until(found)


@pytest.mark.browser
@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, address: str, browser: Any) -> None:
    resize(browser, 1280)
    browser.get(f"{address}/{page}")
    # A browser that has just started may still be about to go there.
    ready = "return document.readyState === 'complete' && document.images.length > 0"
    wait_until(browser, lambda there: there.execute_script(ready))
    images = browser.execute_async_script(IMAGES)
    assert len(images) >= (15 if page.startswith("gallery") else 1)
    assert [source for source, width, _ in images if not width] == []
    assert complaints(browser) == []


@pytest.mark.browser
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", NARROW)
def test_page_can_be_read(page: str, width: int, address: str, browser: Any) -> None:
    resize(browser, width)
    browser.get(f"{address}/{page}")
    words = browser.execute_script(LINES_OF_WORDS)
    assert len(words) > 50
    assert [word for word, lines in words if lines > WIDTHS[width]] == []
    beyond = (  # tables wider than their column, but where the column can be moved
        "return [...document.querySelectorAll('article table')].filter(table =>"
        " getComputedStyle(table.parentElement).overflowX !== 'auto' &&"
        " table.getBoundingClientRect().right >"
        " table.parentElement.getBoundingClientRect().right + 1).map(table => table.innerText)"
    )
    assert browser.execute_script(beyond) == []
    assert browser.execute_script("return document.documentElement.scrollHeight") < TALLEST
    if width > TELEPHONE:
        return
    # Nothing reaches over the edge of a telephone.
    found = browser.execute_script(WIDTHS_OF, "h1, h2")  # the theme would cut headings off
    assert found[0][1] <= TELEPHONE
    assert [(needed, there) for needed, there in found if needed > there] == []
    beyond = (  # but in blocks of code, tables and formulas, which can be moved on their own
        "return [...document.querySelectorAll('article *')].filter(part =>"
        " !part.closest('pre, table, .sphx-glr-thumbcontainer')"
        " && part.getBoundingClientRect().right > innerWidth + 1).map(part => part.textContent)"
    )
    assert browser.execute_script(beyond) == []
    listed = (  # names and what they are for, one below the other
        "return [...document.querySelectorAll('table.autosummary td')]"
        ".filter(cell => cell.getBoundingClientRect().right > innerWidth).length"
    )
    assert browser.execute_script(listed) == 0


@pytest.mark.browser
def test_search_finds_a_method(address: str, browser: Any) -> None:
    resize(browser, 1280)
    browser.get(f"{address}/search.html?q=roc_bounds")
    results = ("css selector", "#search-results li a")
    found = wait_until(browser, lambda page: page.find_elements(*results))
    assert any("pandas.DataFrame.pu.roc_bounds" in link.get_attribute("href") for link in found)
    assert complaints(browser) == []


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a report of two models in groups whose names are HTML."""
    rng, name = np.random.default_rng(0), "<script>document.title = 'lost'</script>"
    truth = rng.random(300) < 0.3
    label = np.where(truth & (rng.random(300) < 0.5), 1, np.nan)
    frame = pd.DataFrame({"svm": rng.normal(1.5 * truth), name: rng.normal(truth), "label": label})
    path = tmp_path_factory.mktemp("report") / "report.html"
    written: Path = frame.pu(score=["svm", name]).report(0.15, title=name).save(path)
    return written


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_report(width: int, report: Path, browser: Any) -> None:
    resize(browser, width)
    complaints(browser)
    browser.get(report.as_uri())
    images = browser.execute_async_script(IMAGES)
    assert len(images) == 4 and all(drawn > 0 and wide > 250 for _, drawn, wide in images)
    assert browser.execute_script(
        "return [document.scripts.length, performance.getEntriesByType('resource')"
        ".filter(one => !one.name.startsWith('data:')).length]"
    ) == [0, 0]
    assert browser.title == "<script>document.title = 'lost'</script>"
    sizes = browser.execute_script(WIDTHS_OF, "h1, h2, p, blockquote")
    assert [(needed, there) for needed, there in sizes if needed > there] == []
    cells = browser.execute_script(
        "return [...document.querySelectorAll('#comparison td')].map(cell => cell.innerText)"
    )
    assert cells[0] == "svm" and cells[1] == browser.title
    assert complaints(browser) == []
