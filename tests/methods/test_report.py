"""The report has what public methods say, escapes names, and needs nothing beside itself."""

import base64
import re
import warnings
from functools import partial
from html import escape, unescape
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUDataError, PUValueError
from tests.cases import quiet

EVIL, BETA = "<script>alert('x')</script>", 0.15
RNG = np.random.default_rng(0)
TRUTH = RNG.random(200) < 0.3  # of which a third are known
FRAME = pd.DataFrame({"label": np.where(TRUTH & (RNG.random(200) < 0.4), 1, np.nan)})
FRAME["score"], FRAME[EVIL] = RNG.normal(1.5 * TRUTH), RNG.normal(TRUTH)  # of two models
FRAME["site"] = np.where(RNG.random(200) < 0.5, "a", "$b$")
FRAME = FRAME.assign(
    id=np.arange(200) // 4, weight=1 + np.arange(200) % 2, p=0.4, seven=np.arange(200) % 7
)
MODELS = ["score", EVIL]


def tables_of(text: str) -> dict[str, pd.DataFrame]:
    """Return all tables as they are written, by caption."""
    found = {}
    for caption, rows in re.findall(r"(?s)<caption>(.*?)</caption>(.*?)</table>", text):
        every = re.split(r"<tr.*?>", rows)[1:]
        head, *cells = [re.findall(r"(?s)<t[hd]>(.*?)</t[hd]>", row) for row in every]
        name, _, shared = unescape(caption).rstrip(")").partition(" (")
        same = dict(one.split(" ", 1) for one in shared.split(", ") if one)
        found[name] = pd.DataFrame(cells, columns=head).map(unescape).assign(**same)
    return found


def write(folder: Path, pu: Any, beta: Any = BETA, **keywords: Any) -> str:
    """Write a report, and return its text."""
    report, file = pu.report(beta, **keywords), folder / "report.html"
    assert report.save(file) == file and file.read_text(encoding="utf-8") == report.html
    assert f'srcdoc="{escape(report.html)}"' in report._repr_html_()
    assert escape(report.summary) in report.html
    assert " ".join(repr(report).split()).endswith(report.summary)
    return str(report.html)


def written(value: Any) -> str:
    """Write a number as a report does."""
    if isinstance(value, float):
        return "–" if np.isnan(value) else "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"
    return "–" if value is None else str(value)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("score", "level", "percent"), [("score", 0.9595, "95.95"), (MODELS, 0.9999999, "99.99999")]
)
def test_numbers_are_those_of_the_methods(
    score: Any, level: float, percent: str, tmp_path: Path
) -> None:
    ask = partial(quiet, FRAME, score=score, level=level)
    rates, at = ["precision", "recall"], {"fraction": [0.01, 0.05, 0.1]}
    expected = {
        "Beta that the known positives allow": ask("estimate_beta"),
        "Precision and recall": ask("metric", rates, BETA, at=at, target="examples", band="dkw"),
        "Breaking point": ask("robustness", "auroc", BETA, over={"selection_odds": [1]}),
        "Checks": ask("check_assumptions", BETA),
    }
    if score is MODELS:
        expected["Differences of AUROC"] = ask("compare", "auroc", BETA)
    for where, target in (("future data", "population"), ("this sample", "examples")):
        expected[f"AUROC on {where}"] = ask("auroc", BETA, target=target)
        expected[f"Average precision on {where}"] = ask("average_precision", BETA, target=target)
    text = write(tmp_path, FRAME.pu(score=score), level=level, band="dkw")
    tables = tables_of(text)
    for caption, frame in expected.items():
        wanted = {name: [*map(written, values)] for name, values in frame.to_dict("list").items()}
        wanted |= {name: [str(level)] * len(frame) for name in wanted if name == "level"}
        assert tables[caption].to_dict("list") == wanted
    assert FRAME.pu(score=score)._repr_html_() in text
    assert tables["Beta as passed"]["beta"].unique().tolist() == ["0.150"]
    assert "Missing" not in text and pu_accessor.__version__ in text
    assert f"has the confidence level {level}, " in text
    for name in ("AUROC on future data", "Average precision on this sample"):
        first = tables[name].iloc[0]
        assert (
            f"{first['estimate']} ({percent}% interval {first['lower']} to {first['upper']})"
            in text
        )


@pytest.mark.usefixtures("undrawn")
def test_an_interval_of_beta_is_shown(tmp_path: Path) -> None:
    low, high = pd.Interval(0.1, 0.2), pd.Interval(0.05, 0.3)
    limits = [["0.100", "0.200"], ["0.050", "0.300"]]
    for pu, beta, wanted in (
        (FRAME.pu, low, limits[:1]),
        (FRAME.pu(by="site"), {"a": low, "$b$": high}, limits[::-1]),
    ):
        passed = tables_of(write(tmp_path, pu, beta, level=0.9))["Beta as passed"]
        assert passed[["lower", "upper"]].values.tolist() == wanted


@pytest.mark.usefixtures("undrawn")
def test_an_average_is_reported() -> None:
    report: Any = quiet(FRAME, "report", BETA, by="site", average=True, title="Mean")
    assert report.title == "Mean"
    area = quiet(FRAME, "auroc", BETA, by="site", average=True)["estimate"].item()
    assert f"AUROC on future data is {area:.3f} " in report.summary


@pytest.mark.parametrize(("beta", "last"), [(0.02, 0.2), (0.3, 0.6), (0.7, 0.9)])
def test_auroc_is_drawn_up_to_twice_the_beta(beta: float, last: float, monkeypatch: Any) -> None:
    monkeypatch.setattr("pu_accessor.questions.report._draw", drawn := Mock(return_value=""))
    quiet(FRAME, "report", beta, level=0.9, band="simultaneous")
    asked: Any = [one.args[1] for one in drawn.call_args_list]
    *before, how = [one.keywords for one in asked]
    metric, grid = asked[-1].args
    assert (asked[-1].func.__name__, metric) == ("plot_metric", "auroc")
    assert how == {"level": 0.9, "target": "examples", "x": "beta"}
    assert before == [{"level": 0.9, "band": "simultaneous"}] * 3
    np.testing.assert_allclose(grid, np.linspace(0, last, 13))


def test_names_are_escaped_and_nothing_is_loaded(tmp_path: Path) -> None:
    frame = FRAME.rename(columns={"label": "<i>y</i>"}).assign(**{"</td>": EVIL})
    text = write(tmp_path, frame.pu(score=EVIL, label="<i>y</i>", by="</td>"), title=EVIL)
    assert not {"script", "i"} & {*re.findall(r"<\s*([a-z]\w*)", text.lower())}
    assert unescape(text).count(EVIL) >= 4 and "default-src 'none'" in text
    kinds, coded = zip(*re.findall(r'(?:src|href)="([^",]*),?([^"]*)', text), strict=True)
    assert {*kinds} == {"data:image/svg+xml;base64"}
    for drawing in (base64.b64decode(one).decode() for one in coded):
        assert "<script" not in drawing and "<text" not in drawing  # outlines: no fonts
        assert {*re.findall(r'href="(data:|.)', drawing)} <= {"#", "data:"}
    titles = ["ROC curve with its band", "Precision-recall curve with its band"]
    titles += ["Precision at each rank", "AUROC by beta"]
    assert re.findall(r'<img[^>]* alt="([^"]*)"', text) == titles
    assert plt.get_fignums() == []


@pytest.mark.usefixtures("undrawn")
def test_what_the_data_do_not_allow_is_told(tmp_path: Path, monkeypatch: Any) -> None:
    lone = FRAME.assign(label=np.where(np.arange(200) == 3, 1, np.nan))
    with np.errstate(all="raise"):
        text = write(tmp_path, lone.pu)
    assert ">Warnings<" in text and "only one known positive" in text
    pu = FRAME.pu(propensity="p", score=MODELS)
    kind = type(pu)
    compare, careless = kind.compare, Mock(side_effect=partial(warnings.warn, "of a library"))
    monkeypatch.setattr(kind, "compare", lambda *a, **k: careless() or compare(*a, **k))
    with pytest.warns(UserWarning, match="of a library"):
        assert "Differences of AUROC" in tables_of(write(tmp_path, pu))
    monkeypatch.setattr(kind, "compare", Mock(side_effect=PUDataError("there are no pairs")))
    assert "Missing: Differences of AUROC. there are no pairs" in write(tmp_path, pu)
    perfect = pd.DataFrame({"score": range(60, 0, -1), "label": [1, None] * 10 + [None] * 40})
    assert "is consistent with 1 (95% interval" in write(tmp_path, perfect.pu, 0.2)
    assert perfect.pu.report(0.2).save(tmp_path / "report.HTM").exists()  # either name will do
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(PUValueError, match=r"can be written, .*folder"):
        perfect.pu.report(0.2).save(tmp_path / "folder.html")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_reports_say_what_they_said(tmp_path: Path) -> None:
    """Of all but the first one, only sections and what was not said before, without numbers.

    Look at the difference; if it is meant, write what is said into the file.
    """
    betas = xr.DataArray([0.1] * 7, {"seven": range(7)}, "seven")
    labels = pu_accessor.beta_from_labels(9, 60, int(FRAME["label"].isna().sum()))
    by_site = FRAME.pu(by="site")
    asked: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "plain": (FRAME.pu, BETA, {}),
        "clusters": (FRAME.pu(cluster="id"), labels, {}),
        "weights": (FRAME.pu(score=MODELS, weight="weight"), BETA, {}),
        "groups": (by_site, {"a": 0.1, "$b$": 0.2}, {"band": "dkw"}),
        "estimates": (by_site, by_site.estimate_beta(), {}),
        "many": (FRAME.pu(by="seven"), betas, {"at": {"rank": 20}}),
        "propensities": (FRAME.pu(propensity="p"), BETA, {"title": "Another"}),
    }
    said: list[str] = []
    for name, (pu, beta, how) in asked.items():
        text = write(tmp_path, pu, beta, **how).replace(pu_accessor.__version__, "#")
        text = re.sub(r"(?s)<style>.*?</style>|<tbody>.*?</tbody>", "", text)
        text = re.sub(r"(Missing: [^.<]*)[^<]*", r"\1", text)  # errors say why, which others test
        lines = re.sub(r"\d+([.,]\d+)*", "#", unescape(text)).splitlines()
        new = [line for line in lines if line not in said or line.startswith("<section")]
        said += [f"== {name}", *new]
    known = Path(__file__).with_name("report_texts.txt").read_text(encoding="utf-8")
    assert said == known.splitlines()
