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
from pu_accessor import PUDataError, PUTypeError, PUValueError, PUWarning
from pu_accessor.questions.accessor import Accessor
from pu_accessor.report import Report

EVIL = "<script>alert('x')</script>"


RNG = np.random.default_rng(0)
TRUTH = RNG.random(200) < 0.3  # of which a third are known
FRAME = pd.DataFrame({"label": np.where(TRUTH & (RNG.random(200) < 0.4), 1, np.nan)})
FRAME["score"], FRAME[EVIL] = RNG.normal(1.5 * TRUTH), RNG.normal(TRUTH)  # of two models
FRAME["site"] = np.where(RNG.random(200) < 0.5, "a", "$b$")


BETA = 0.15
AT_RANDOM: Any = {"over": {"selection_odds": [1]}}


def tables_of(text: str) -> dict[str, list[list[str]]]:
    """Return the cells of all tables, by caption."""
    found = {}
    for caption, rows in re.findall(r"(?s)<caption>(.*?)</caption>(.*?)</table>", text):
        every = re.split(r"<tr.*?>", rows)[1:]
        cells = [re.findall(r"(?s)<t[hd]>(.*?)</t[hd]>", row) for row in every]
        found[unescape(caption)] = [[unescape(cell) for cell in row] for row in cells]
    return found


def write(tmp_path: Path, pu: Any, beta: Any = BETA, **keywords: Any) -> str:
    """Write a report, and return its text."""
    report = pu.report(beta, **keywords)
    file = report.save(tmp_path / "report.html")
    assert file == tmp_path / "report.html"
    text = str(file.read_text(encoding="utf-8"))
    assert text == report.html and f'srcdoc="{escape(text)}"' in report._repr_html_()
    told = " ".join(repr(report).split())
    assert escape(report.summary) in text and told.endswith(report.summary)
    between = re.findall(r"</section>(.*?)<section", text, re.DOTALL)
    assert len(between) >= 7 and not "".join(between).strip()
    return text


def numbers(frame: pd.DataFrame) -> list[list[str]]:
    """Write estimates and limits as the report does."""
    rows = frame[["estimate", "lower", "upper"]].to_numpy().tolist()
    return [[f"{value:.3f}" for value in row] for row in rows]


def column(rows: list[list[str]], *names: str) -> list[list[str]]:
    """Return some columns of a table with a head."""
    places = [rows[0].index(name) for name in names]
    return [[row[place] for place in places] for row in rows[1:]]


@pytest.mark.usefixtures("undrawn")
def test_numbers_are_those_of_the_methods(tmp_path: Path) -> None:
    pu: Any = FRAME.pu
    text = write(tmp_path, pu, level=0.9)
    tables = tables_of(text)
    shown = ("estimate", "lower", "upper")
    for caption, name in (("AUROC", "auroc"), ("Average precision", "average_precision")):
        for where, target in (("future data", "population"), ("this sample", "examples")):
            expected = getattr(pu, name)(BETA, level=0.9, target=target)
            found = tables[f"{caption} on {where}"]
            assert column(found, *shown) == numbers(expected)
            assert f"{expected['estimate'].iloc[0]:.3f} (90% interval" in text
    at = {"fraction": [0.01, 0.05, 0.1]}
    rates = pu.metric(["precision", "recall"], BETA, at=at, target="examples", level=0.9)
    assert column(tables["Precision and recall"], *shown) == numbers(rates)
    assert column(tables["Precision and recall"], "metric")[0] == ["precision"]
    broken = pu.robustness("auroc", BETA, level=0.9, **AT_RANDOM)["breaking_point"].item()
    assert column(tables["Breaking point"], "breaking_point") == [[f"{broken:.3f}"]]
    assert f"differ by a factor below {broken:.3f}" in text
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", PUWarning)
        limits = pu.estimate_beta(level=0.9)
    assert told and all(str(one.message) in unescape(text) for one in told)
    found_limits = column(tables["Beta that the known positives allow"], "beta", "upper")
    assert found_limits == [[f"{limits[name].item():.3f}" for name in ("beta", "upper")]]
    counts = {row[0]: row[1] for row in tables["Examples"][1:]}
    assert counts["known positives"] == str(int(FRAME["label"].sum()))
    assert "comparison" not in text.lower().split("references")[0].split(">assumptions<")[0]
    assert pu_accessor.__version__ in text and "β, was taken to be 0.150" in text


def test_names_are_escaped_and_nothing_is_loaded(tmp_path: Path) -> None:
    frame = FRAME.rename(columns={"label": "<i>y</i>", "site": "</td>"})
    for pu in (
        frame.pu(score=["score", EVIL], label="<i>y</i>"),
        frame.assign(**{"</td>": EVIL}).pu(score=EVIL, label="<i>y</i>", by="</td>"),
    ):
        text = write(tmp_path, pu, title=EVIL)
        tags = {*re.findall(r"<\s*([a-z]\w*)", text.lower())}
        assert "script" not in tags and "i" not in tags and "<script" not in text
        assert unescape(text).count(EVIL) >= 4
        assert "default-src 'none'" in text
        addresses = set(re.findall(r'(?:src|href)="([^"]{1,30})', text))
        assert {one.split(",")[0] for one in addresses} == {"data:image/svg+xml;base64"}
        coded = re.findall(r"svg\+xml;base64,([^\"]+)", text)
        drawings = [base64.b64decode(one).decode() for one in coded]
        assert len(drawings) == 4
        for drawing in drawings:
            assert "<script" not in drawing and "<text" not in drawing  # outlines: no fonts
            linked = set(re.findall(r'href="([^"]+)"', drawing))
            assert all(one.startswith(("#", "data:")) for one in linked)
    assert plt.get_fignums() == []


@pytest.mark.usefixtures("undrawn")
def test_what_the_data_do_not_allow_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = FRAME.copy()
    frame["label"] = np.where(np.arange(len(frame)) == 3, 1, np.nan)
    with np.errstate(all="raise"):
        text = write(tmp_path, frame.pu)
    assert ">Warnings<" in text and "only one known positive" in text
    propensity = FRAME.assign(propensity=0.4).pu(propensity="propensity")
    text = write(tmp_path, propensity)
    assert "Missing: AUROC on future data." in text and "&#x27;propensity&#x27;" in text
    assert "AUROC on this sample" in tables_of(text)
    text = write(tmp_path, propensity(score=["score", EVIL]))
    assert "Differences of AUROC" in tables_of(text)
    compare, careless = Accessor.compare, Mock(side_effect=partial(warnings.warn, "of a library"))
    monkeypatch.setattr(Accessor, "compare", lambda *a, **k: careless() or compare(*a, **k))
    with pytest.warns(UserWarning, match="of a library"):
        write(tmp_path, propensity(score=["score", EVIL]))
    monkeypatch.setattr(Accessor, "compare", Mock(side_effect=PUDataError("there are no pairs")))
    text = write(tmp_path, propensity(score=["score", EVIL]))
    assert "Missing: Differences of AUROC. there are no pairs" in text


@pytest.mark.usefixtures("undrawn")
def test_an_estimate_at_the_edge_is_consistent_with_1(tmp_path: Path) -> None:
    label = [1 if i < 20 and i % 2 == 0 else None for i in range(60)]
    perfect = pd.DataFrame({"score": range(60, 0, -1), "label": label})
    area = perfect.pu.auroc(0.2)
    assert area["estimate"].item() == 1 and area["lower"].item() < 0.99
    text = write(tmp_path, perfect.pu, 0.2)
    assert "is consistent with 1 (95% interval" in text
    assert perfect.pu.report(0.2).save(tmp_path / "report.HTM").exists()  # either name will do


@pytest.mark.parametrize(
    ("path", "error", "told"),
    [
        ("report.pdf", PUValueError, r"end in \.html.*path='report\.html'"),
        (".", PUValueError, r"end in \.html"),
        ("folder.html", PUValueError, "can be written, .*folder"),
        ("no/report.html", PUValueError, "can be written, .*No such file"),
        (3, PUTypeError, "name of a file"),
        ("a\0.html", PUValueError, "can be written, .*null"),
    ],
)
def test_paths_that_cannot_be_written(
    path: Any, error: Any, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(error, match=told):
        Report("A title", "<p>", "").save(path)
    assert [each.name for each in tmp_path.iterdir()] == ["folder.html"]


@pytest.mark.usefixtures("undrawn")
def test_clusters_have_a_design_effect(tmp_path: Path) -> None:
    clustered = FRAME.assign(id=np.arange(len(FRAME)) // 2).pu(cluster="id")
    text = write(tmp_path, clustered)
    assert "Checks" not in tables_of(text)
    errors = [pu.auroc(BETA)["standard_error"].item() for pu in (clustered, FRAME.pu)]
    effect = f"{(errors[0] / errors[1]) ** 2:.3f}"
    assert column(tables_of(text)["Design effect"], "design_effect") == [[effect]]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("beta", "last"), [(0.02, 0.2), (0.3, 0.6), (0.7, 0.9)])
def test_auroc_is_drawn_up_to_twice_the_beta(
    beta: float, last: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Any] = []

    def note(_: str, plot: Any, *args: Any, **options: Any) -> str:
        drawn.append((plot.__name__, args, options))
        return "<figure></figure>"

    monkeypatch.setattr("pu_accessor.report._draw", note)
    label = [1 if i % 5 == 0 else None for i in range(60)]
    rows = pd.DataFrame({"score": np.arange(60, 0, -1) % 37, "label": label})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)  # of a beta above what is possible
        write(tmp_path, rows.pu, beta, level=0.9, band="dkw")
    name, (metric, grid), options = drawn[-1]
    assert (len(drawn), name, metric, options.pop("x")) == (4, "plot_metric", "auroc", "beta")
    assert options == {"level": 0.9, "target": "examples"}
    assert all(how["band"] == "dkw" for _, _, how in drawn[:-1])
    np.testing.assert_allclose(grid, np.linspace(0, last, 13))


def test_nothing_is_missing_from_a_report_of_two_models(tmp_path: Path) -> None:
    rows = FRAME.assign(wave=np.where(FRAME["label"] == 1, FRAME.index % 2, np.nan))
    pu: Any = rows.pu(score=["score", EVIL])
    text = write(tmp_path, pu, wave="wave", strata="site", band="dkw")
    assert "Missing" not in text
    assert re.findall(r'<img[^>]* alt="([^"]*)"', text) == [
        "ROC curve with its band",
        "Precision-recall curve with its band",
        "Precision at each rank",
        "AUROC by beta",
    ]
    tables = tables_of(text)
    differences = [["score", f"{pu.compare('auroc', BETA)['difference'].item():.3f}"]]
    assert column(tables["Differences of AUROC"], "model_a", "difference") == differences
    assert "p_value" in tables["Differences of AUROC"][0]
    checks = pu.check_assumptions(BETA, wave="wave", strata="site")
    assert {"waves", "strata"} <= {*checks["check"]}
    assert column(tables["Checks"], "check") == [[check] for check in checks["check"]]
    at_random = pu.robustness("auroc", BETA, **AT_RANDOM)
    expected = [[f"{point:.3f}"] for point in at_random["breaking_point"]]
    assert column(tables["Breaking point"], "breaking_point") == expected
    assert text.count("<blockquote>") == 1 == text.count(f"<code>{escape(pu._code())}</code>")


def texts_of(folder: Path) -> str:
    """Return what reports of several kinds say, numbers and the bodies of tables left out.

    Of all but the first one, only sections and what was not said before.
    """
    unlabeled = int(FRAME["label"].isna().sum())
    rows = FRAME.assign(id=np.arange(200) // 4, weight=2, p=0.4, seven=np.arange(200) % 7)
    betas = xr.DataArray([0.1] * 7, {"seven": range(7)}, "seven")
    asked: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "plain": (rows.pu, BETA, {}),
        "clusters": (rows.pu(cluster="id"), pu_accessor.beta_from_labels(9, 60, unlabeled), {}),
        "weights": (rows.pu(score=["score", EVIL], weight="weight"), BETA, {}),
        "groups": (rows.pu(by="site"), {"a": 0.1, "$b$": 0.2}, {"band": "dkw"}),
        "estimates": (rows.pu(by="site"), rows.pu(by="site").estimate_beta(), {}),
        "many": (rows.pu(by="seven"), betas, {"at": {"rank": 20}}),
        "propensities": (rows.pu(propensity="p"), BETA, {"title": "Another"}),
    }
    said: list[str] = []
    for name, (pu, beta, how) in asked.items():
        text = write(folder, pu, beta, **how).replace(pu_accessor.__version__, "#")
        text = re.sub(r"(?s)<style>.*?</style>|<tbody>.*?</tbody>", "", text)
        text = re.sub(r"(Missing: [^.<]*)[^<]*", r"\1", text)  # errors say why, which others test
        lines = re.sub(r"\d+([.,]\d+)*", "#", unescape(text)).splitlines()
        new = [line for line in lines if line not in said or line.startswith("<section")]
        said += [f"== {name}", *new]
    return "\n".join(said) + "\n"


@pytest.mark.usefixtures("undrawn")
@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_reports_say_what_they_said(tmp_path: Path) -> None:
    """Look at the difference; if it is meant, write what is said into the file."""
    known = Path(__file__).with_name("report_texts.txt").read_text(encoding="utf-8")
    assert texts_of(tmp_path).splitlines() == known.splitlines()
