"""A report of one page: tables, plots and a paragraph, from the public methods."""

from __future__ import annotations

import base64
import os
import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from html import escape
from importlib.metadata import version
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from string import Template
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.beta import UserBeta
from pu_accessor.checks import check_level, check_option
from pu_accessor.errors import PUError, PUTypeError, PUValueError, PUWarning, brief
from pu_accessor.inference.estimates.cutoff_spec import At, read_cutoffs

_PACKAGES = ("pu_accessor", "numpy", "scipy", "pandas", "xarray", "matplotlib", "seaborn")
_AT: At = {"fraction": [0.01, 0.05, 0.1]}
_TARGETS = {"future data": "population", "this sample": "examples"}
_TITLE = "Evaluation from positive and unlabeled examples"
_IN_CAPTION = ("metric", "beta", "target", "level", "method")  # where all rows have one value
_ROUNDED_TO_ONE = 0.9995
_MAX_ROWS = 6  # that a paragraph lists
_INVALID_CHARACTERS = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]"
_REFERENCES = (
    "[1] M. Claesen, J. Davis, F. De Smet, B. De Moor, arXiv:1504.06837 (2015).",
    "[2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.",
)


@dataclass(frozen=True)
class Report:
    """A self-contained page of HTML: a notebook shows it, `save` writes it, print summarizes."""

    title: str
    html: str
    summary: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file that ends in .html, replacing any, and return its path."""
        is_name = isinstance(path, str | os.PathLike)
        came = f"but {brief(str(path) if is_name else path)} was passed"
        if not is_name or Path(path).suffix.lower() not in (".html", ".htm"):
            raise (PUValueError if is_name else PUTypeError)(
                f"path must be the name of a file, and end in .html, {came}. "
                "Pass path='report.html'."
            )
        try:
            Path(path).write_text(self.html, encoding="utf-8")
        except (OSError, ValueError) as error:  # no folder, forbidden, or an invalid name
            raise PUValueError(
                f"path must be the name of a file that can be written, {came}: {error.args[-1]}. "
                "Pass path='report.html'."
            ) from error
        return Path(path)

    def _repr_html_(self) -> str:
        return f'<iframe sandbox width="100%" height="800" srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f'<report "{self.title}": save(path) writes it>\n\n{fill(self.summary, 80)}'


def report(
    self: Any,
    beta: UserBeta,
    *,
    at: At = _AT,
    level: float = 0.95,
    band: str = "exact",
    wave: Hashable | None = None,
    strata: Hashable | None = None,
    title: str = _TITLE,
) -> Report:
    """Return a report: a page with tables, plots, and a paragraph for a paper.

    It contains counts, beta, curves with their bands, AUROC, average precision and metrics with
    intervals, the comparison of several models, checks of assumptions, robustness, warnings and
    versions. It is self-contained: no network, no scripts.

    Parameters
    ----------
    beta : float, mapping, Series, Interval or DataFrame
        As in `auroc`: one number, one for each group, an interval or an estimate.
    at : int, str or mapping, default {"fraction": [0.01, 0.05, 0.1]}
        The cutoffs of precision and recall, as in `metric`.
    level : float, default 0.95
        Confidence level of intervals and bands, in (0, 1).
    band : {"exact", "simultaneous", "bootstrap", "dkw"}, default "exact"
        The band of curves, and of metrics at cutoffs.
    wave, strata : hashable, optional
        Columns, as in `check_assumptions`.
    title : str, optional
        The heading.

    Returns
    -------
    Report
        A notebook shows it, ``print(report)`` its `summary`, and ``report.save("report.html")``
        writes it to a file.

    Raises
    ------
    PUValueError
        If there are several betas. Results that the data do not allow are not errors: the report
        gives the reason.

    Examples
    --------
    >>> import pu_accessor
    >>> report = pu_accessor.load_example().pu.report(0.17)
    >>> report.summary.partition(" The share")[0]
    'The data have 202 known positives and 1,798 unlabeled examples.'
    """
    read_cutoffs(at)
    check_option("band", band, ("bootstrap", "dkw", "exact", "simultaneous"))
    if not isinstance(title, str):
        raise PUTypeError(f"title must be a text, but {title!r} was passed. Pass title='Report'.")
    page = _Page(self, beta, check_level(level))
    for section, caption, result in _contents(page, beta, at, band, wave, strata):
        page.add(section, caption, result)
    assumed = _assumptions(page, beta)
    summary = " ".join(_sentences(page, assumed[:2], band))
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    sections = {
        "In short": _element("blockquote", summary),
        **page.sections,
        "Assumptions": _items(assumed),
        "Warnings": _items(dict.fromkeys(page.notes)),
        "References": _items(_REFERENCES)
        + _element("p", f"Made on {datetime.now(UTC).date()} with {packages}."),
    }
    body = "\n".join(_element("h2", name) + text for name, text in sections.items() if text)
    template = files("pu_accessor").joinpath("report.html").read_text(encoding="utf-8")
    html = Template(template).substitute(title=escape(title), body=body)
    # Names may have characters that HTML does not.
    return Report(title, *(re.sub(_INVALID_CHARACTERS, "�", text) for text in (html, summary)))


class _Page:
    """Results of public methods by section, and the warnings that they gave."""

    def __init__(self, pu: Any, beta: UserBeta, level: float) -> None:
        self.pu, self.level, self.roles = pu, level, pu._terms
        self.sections: dict[str, str] = {}
        self.frames: dict[str, pd.DataFrame] = {}
        repeated = pu._source.repeated(self.roles) if self.roles.cluster is None else []
        self.notes = [
            f"{name!r} repeats: if its rows are dependent, intervals on future data need "
            f"cluster={name!r}."
            for name in repeated
        ]
        self.is_plain = not self.roles.facts(["cluster", "weight", "average"])
        self.target = "examples" if self.is_plain else "population"
        areas = self.ask(partial(pu.auroc, beta, target=self.target))  # errors raise here
        self.keys = [*areas.columns[: [*areas].index("metric")]]
        if len(areas) > 1 and (not self.keys or areas.duplicated(self.keys).any()):
            raise PUValueError(
                "beta must be one number in a report, or one for each group, but several were "
                "passed. Write a report for each."
            )
        self.betas = areas[[*self.keys, "beta"]]
        # Beta without its interval: a number, or one for each key.
        is_one = len({*self.betas["beta"]}) == 1
        self.point = self.betas["beta"].iloc[0] if is_one else areas.set_index(self.keys)["beta"]

    def add(self, section: str, caption: str, result: Any) -> None:
        """Add a text, a table or what a method returns to a section, or note why it is missing."""
        try:
            result = self.ask(result) if callable(result) else result
        except PUError as error:
            self.notes.append(f"Missing: {caption}. {error}")
            return
        if isinstance(result, pd.DataFrame):
            self.frames[caption] = result
            result = _table(caption, result)
        self.sections[section] = self.sections.get(section, "") + result

    def ask(self, method: Callable[..., Any]) -> Any:
        """Return a result, and note its warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PUWarning)
            result = method(level=self.level)
        for one in caught:
            if issubclass(one.category, PUWarning):
                self.notes.append(str(one.message))
            else:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return result


def _contents(
    page: _Page, beta: UserBeta, at: At, band: str, wave: Hashable | None, strata: Hashable | None
) -> Iterator[tuple[str, str, Any]]:
    """Yield the section, the caption and the content of each table and plot."""
    pu = page.pu
    counts = pd.DataFrame([*pu._counts().items()], columns=["kind", "count"])
    yield "Data", "", _element("code", pu._code())
    yield "Data", "Examples", counts
    passed = beta if isinstance(beta, pd.DataFrame) else page.betas
    yield "Class prior", "Beta as passed", passed
    yield "Class prior", "Beta that the known positives allow", pu.estimate_beta
    for data, target in [*_TARGETS.items()][: 1 + page.is_plain]:
        yield "Numbers", f"AUROC on {data}", partial(pu.auroc, beta, target=target)
        precision = partial(pu.average_precision, beta, target=target)
        yield "Numbers", f"Average precision on {data}", precision
    how: dict[str, Any] = {"at": at, "target": None if page.roles.average else "examples"}
    rates = partial(pu.metric, ["precision", "recall"], beta, band=band, **how)
    yield "Numbers", "Precision and recall", rates
    if "model" in page.keys:
        yield "Numbers", "Differences of AUROC", partial(pu.compare, "auroc", beta)
    grid = np.linspace(0, min(max(2 * page.betas["beta"].max(), 0.2), 0.9), 13)
    curves = (
        ("ROC curve with its band", pu.plot_roc, beta),
        ("Precision-recall curve with its band", pu.plot_pr, beta),
        ("Precision at each rank", pu.plot_metric, "precision", beta),
    )
    for caption, *call in curves:
        yield "Curves", caption, partial(_draw, caption, *call, band=band)
    name, how = "AUROC by beta", {"x": "beta", "target": page.target}
    yield "Curves", name, partial(_draw, name, pu.plot_metric, "auroc", grid, **how)
    if page.is_plain or wave is not None or strata is not None:
        check = partial(pu.check_assumptions, page.point, wave=wave, strata=strata)
        yield "Checks of assumptions", "Checks", check
    if page.is_plain:
        broken = partial(pu.robustness, "auroc", page.point, over={"selection_odds": [1]})
        yield "Checks of assumptions", "Breaking point", broken


def _sentences(page: _Page, assumed: Iterable[str], band: str) -> Iterable[str]:
    """Yield the sentences of a paragraph for a paper."""
    counts = page.pu._counts()
    kinds = ("known positives", "known negatives", "unlabeled")
    sizes = [f"{counts[kind]} {kind}" for kind in kinds if counts.get(kind, "0") != "0"]
    if sizes:  # chunks are not counted
        yield f"The data have {' and '.join(sizes)} examples."
    yield from assumed
    for name, frame in page.frames.items():
        if name.endswith(tuple(_TARGETS)) and len(frame) <= _MAX_ROWS:
            each = [_write_estimate(page, row) for row in frame.to_dict("records")]
            yield f"{name} is {', '.join(each)}."
    yield f"Limits of AUROC are DeLong's [2], and curves have the band “{band}” [1]."


def _write_estimate(page: _Page, row: dict[Any, Any]) -> str:
    """Return an estimate with its interval, and its key."""
    # An estimate of 1 does not mean a perfect classifier.
    is_near_1 = row["estimate"] >= _ROUNDED_TO_ONE > row["lower"]
    estimate = "consistent with 1" if is_near_1 else _number(row["estimate"])
    limits = f"{_number(row['lower'])} to {_number(row['upper'])}"
    of = "".join(f" for {row[name]}" for name in page.keys)
    return f"{estimate} ({100 * page.level:g}% interval {limits}){of}"


def _assumptions(page: _Page, beta: UserBeta) -> list[str]:
    """Return the assumptions, first those about beta and labels."""
    roles, labels = page.roles, "a random sample of all positives"
    if roles.propensity is not None:
        labels = f"labeled with the probabilities in the column {roles.propensity!r}"
    apart = "" if roles.cluster is None else f" of different clusters, by {roles.cluster!r},"
    value, source = "one for each group", "[say where it comes from]"
    if isinstance(beta, pd.Interval):
        value = f"between {_number(beta.left)} and {_number(beta.right)}"
    elif not isinstance(page.point, pd.Series):
        value = _number(page.point)
    if isinstance(beta, pd.DataFrame):
        source = "an estimate whose error is in all intervals"
    return [
        f"The share of positives among the unlabeled, β, was taken to be {value}, {source}.",
        f"Known positives are taken to be {labels}.",
        "The scores come from a classifier that was not trained on these rows.",
        f"Rows{apart} are independent of each other.",
        "Future data come from the same source, with the same prevalence.",
        f"Each interval has the confidence level {page.level:g}, without adjustment for their "
        "number.",
        "A small p value is evidence against labels at random or β; a large one proves nothing.",
    ]


def _number(value: float) -> str:
    """Return a number with three decimals."""
    return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"


def _element(tag: str, text: str) -> str:
    """Return an HTML element."""
    return f"<{tag}>{escape(text)}</{tag}>"


def _items(texts: Iterable[str]) -> str:
    """Return an HTML list."""
    items = "".join(_element("li", text) for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _table(caption: str, frame: pd.DataFrame) -> str:
    """Return an HTML table; what all rows share stands in its caption."""
    shared = [n for n in _IN_CAPTION if n in frame and (frame[n] == frame[n].iloc[0]).all()]
    first = ((name, frame[name].iloc[0]) for name in shared)
    said = [f"{name} {_number(one) if isinstance(one, float) else one}" for name, one in first]
    text = f"{caption} ({', '.join(said)})" if said else caption
    rows = pd.DataFrame(frame.drop(columns=shared))
    with pd.option_context("display.max_colwidth", None):
        html = rows.to_html(index=False, border=0, float_format=_number, na_rep="–")
    return html.replace(">", f">{_element('caption', text)}", 1)


def _draw(caption: str, plot: Callable[..., Any], *args: Any, **options: Any) -> str:
    """Return a plot as an HTML figure."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure, drawn = Figure(figsize=(5.6, 4.2), layout="constrained"), BytesIO()
    plot(*args, ax=figure.subplots(), **options)
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "pu_accessor"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    source = f"data:image/svg+xml;base64,{base64.b64encode(drawn.getvalue()).decode('ascii')}"
    text = _element("figcaption", caption)
    return f'<figure><img alt="{escape(caption)}" src="{source}">{text}</figure>'
