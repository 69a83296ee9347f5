"""Names on the API page, and the built site and a report in a headless Chromium."""

import os
import re
import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
import pu_accessor.sklearn
from pu_accessor.roles_and_assumptions import TERMS

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "site"
API = (ROOT / "docs" / "api.rst").read_text(encoding="utf-8")
KINDS: tuple[Any, ...] = (pd.DataFrame, xr.Dataset)
METHODS = {  # the public names of their accessors
    f"{kind.__name__}.pu.{name}" for kind in KINDS for name in dir(kind.pu) if name[0] != "_"
}
PICTURES = runpy.run_path(str(ROOT / "docs" / "pictures" / "methods.py"))


def test_the_api_page_has_every_public_name() -> None:
    listed = re.findall(r"^(?:   |\.\. autoexception:: )([\w.]+)$", API, re.MULTILINE)
    listed = [re.sub(r"^pu\.", "DataFrame.pu.", name) for name in listed]
    modules = pu_accessor, pu_accessor.sklearn, pu_accessor.labeling
    assert {*listed} == {name for module in modules for name in module.__all__} | METHODS
    listed = re.findall(r"\.\. confval:: (\w+)$", API, re.MULTILINE)
    assert sorted(listed) == sorted(TERMS)
    assert {*PICTURES["CALLS"]} == METHODS


@pytest.mark.parametrize("method", sorted(PICTURES["CALLS"]))
def test_the_call_of_a_page_runs(method: str) -> None:
    call = PICTURES["CALLS"][method]
    assert f".{method.rpartition('.')[2]}(" in call
    assert eval(call, dict(zip(("df", "beta"), PICTURES["example"](), strict=True))) is not None
    plt.close("all")


# Chromium

PAGES = ["index.html", "gallery/index.html", "generated/pandas.DataFrame.pu.roc_bounds.html"]
PAGES += [
    "gallery/practice/plot_precision_top_k.html",
    "generated/pandas.DataFrame.pu.metric.html",
]
PAGES += ["api.html", *sorted(f"{page.stem}.html" for page in (ROOT / "docs").glob("*.md"))]
TALLEST = 15_000  # pixels that a reader would scroll through
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync"""
# Of each image, once all are loaded, whether it is there.
IMAGES = """
const done = arguments[0], images = [...document.images];
images.forEach(image => { image.loading = 'eager' });
Promise.allSettled(images.map(image => image.decode())).then(
  () => done(images.filter(image => !image.naturalWidth).map(image => image.src)))
"""
# Texts that reach over the edge, but in what can be moved on its own; words in several lines.
LOST = """
const article = document.querySelector('article') ?? document.body, words = [];
const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT), range = new Range();
while (walker.nextNode()) {
  const node = walker.currentNode;
  if (node.parentElement.closest('pre, math, .math, script, style')) continue;
  for (const word of node.data.matchAll(/[\\p{L}\\p{N}_]{3,}/gu)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    if (new Set([...range.getClientRects()].map(one => Math.round(one.top))).size > arguments[0])
      words.push(word[0]);
  }
}
const beyond = [...article.querySelectorAll('*')].filter(part =>
  !part.closest('pre, table, .sphx-glr-thumbcontainer, .math')
  && part.getBoundingClientRect().right > innerWidth + 1);
return [...words, ...beyond.map(part => part.textContent)]
"""


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


def check_page(browser: Any, page: str, width: int, lines: int) -> None:
    """Open a page this wide: all pictures, no complaint of the console, no text that is lost."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(page)
    assert browser.execute_async_script(IMAGES) == []
    assert browser.execute_script(LOST, lines) == []
    assert browser.execute_script("return document.documentElement.scrollHeight") < TALLEST
    assert [one for one in browser.get_log("browser") if one["level"] == "SEVERE"] == []


@pytest.mark.browser
@pytest.mark.parametrize(("width", "lines"), [(390, 2), (1280, 1), (1920, 1)])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_read(page: str, width: int, lines: int, browser: Any) -> None:
    if not (SITE / page).is_file():
        pytest.skip("there is no built site: make docs")
    check_page(browser, (SITE / page).as_uri(), width, lines)


@pytest.mark.browser
@pytest.mark.parametrize(("width", "lines"), [(390, 3), (1280, 1)])
def test_a_report_has_no_script_and_loads_nothing(
    width: int, lines: int, tmp_path: Path, browser: Any
) -> None:
    rng, name = np.random.default_rng(0), "<script>document.title = 'lost'</script>"
    truth = rng.random(300) < 0.3
    label = np.where(truth & (rng.random(300) < 0.5), 1, np.nan)
    frame = pd.DataFrame({"svm": rng.normal(1.5 * truth), name: rng.normal(truth), "label": label})
    path = frame.pu(score=["svm", name]).report(0.15, title=name).save(tmp_path / "report.html")
    check_page(browser, path.as_uri(), width, lines)
    assert browser.execute_script(
        "return [document.scripts.length, performance.getEntriesByType('resource')"
        ".filter(one => !one.name.startsWith('data:')).length]"
    ) == [0, 0]
    assert browser.title == name and len(browser.find_elements("css selector", "img")) == 4
