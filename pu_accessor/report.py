"""A report of one page: tables, plots and a paragraph, from the public methods."""

from __future__ import annotations

import base64
import os
import re
import warnings
from collections import defaultdict
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
from pu_accessor.inference.cutoff_spec import At, read_cutoffs

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
        kind, came = (PUValueError, brief(str(path))) if is_name else (PUTypeError, brief(path))
        message = (
            "path must be the name of a file{}, but {} was passed{}. Pass path='report.html'."
        )
        if not is_name or Path(path).suffix.lower() not in (".html", ".htm"):
            raise kind(message.format(", and end in .html", came, ""))
        try:
            Path(path).write_text(self.html, encoding="utf-8")
        except (OSError, ValueError) as error:  # no folder, forbidden, or an invalid name
            why = f": {error.args[-1]}"
            raise kind(message.format(" that can be written", came, why)) from error
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
    texts, frames = defaultdict[str, str](str), dict[str, pd.DataFrame]()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PUWarning)
        page = _Page(self, beta, check_level(level), band)
        for section, caption, method in page.contents(at, {"wave": wave, "strata": strata}):
            try:
                content = method(level=page.level)
            except PUError as error:
                warnings.warn(f"Missing: {caption}. {error}", PUWarning, stacklevel=2)
                continue
            if isinstance(content, pd.DataFrame):
                frames[caption], content = content, _table(caption, content)
            texts[section] += content
    notes = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, PUWarning))
    for one in caught:
        if not issubclass(one.category, PUWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    summary = " ".join(page.sentences(frames))
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    made = _element("p", f"Made on {datetime.now(UTC).date()} with {packages}.")
    sections = {
        "In short": _element("blockquote", summary),
        **texts,
        "Assumptions": _items(page.assumptions()),
        "Warnings": _items(notes),
        "References": _items(_REFERENCES) + made,
    }
    body = "\n".join(_element("h2", name) + text for name, text in sections.items() if text)
    template = files("pu_accessor").joinpath("report.html").read_text(encoding="utf-8")
    html = Template(template).substitute(title=escape(title), body=body)
    # Names may have characters that HTML does not.
    return Report(title, *(re.sub(_INVALID_CHARACTERS, "�", text) for text in (html, summary)))


class _Page:
    """What is reported on: data, beta, the level and the band."""

    def __init__(self, pu: Any, beta: UserBeta, level: float, band: str) -> None:
        self.pu, self.beta, self.level, self.band = pu, beta, level, band
        self.roles = pu._terms
        for name in pu._source.repeated(self.roles) if self.roles.cluster is None else ():
            need = "if its rows are dependent, intervals on future data need"
            warnings.warn(f"{name!r} repeats: {need} cluster={name!r}.", PUWarning, stacklevel=2)
        self.is_plain = not self.roles.facts(["cluster", "weight", "average"])
        self.target = "examples" if self.is_plain else "population"
        areas = pu.auroc(beta, target=self.target, level=level)  # errors raise here
        self.keys = [*areas.columns[: [*areas].index("metric")]]
        if len(areas) > 1 and (not self.keys or areas.duplicated(self.keys).any()):
            raise PUValueError(
                "beta must be one number in a report, or one for each group, but several were "
                "passed. Write a report for each."
            )
        self.betas = areas[[*self.keys, "beta"]]
        # Beta without its interval: a number, or one for each key.
        is_one = len({*areas["beta"]}) == 1
        self.point = areas["beta"].iloc[0] if is_one else areas.set_index(self.keys)["beta"]

    def contents(
        self, at: At, columns: dict[str, Hashable | None]
    ) -> Iterator[tuple[str, str, Callable[..., Any]]]:
        """Yield the section and the caption of each text, table and plot, and what returns it."""
        pu, beta, band = self.pu, self.beta, dict[str, Any](band=self.band)
        counts = pd.DataFrame([*pu._counts().items()], columns=["kind", "count"])
        passed = beta if isinstance(beta, pd.DataFrame) else self.betas
        yield "Data", "", lambda level: _element("code", pu._code())
        yield "Data", "Examples", lambda level: counts
        yield "Class prior", "Beta as passed", lambda level: passed
        yield "Class prior", "Beta that the known positives allow", pu.estimate_beta
        for data, target in [*_TARGETS.items()][: 1 + self.is_plain]:
            for name, area in (("AUROC", pu.auroc), ("Average precision", pu.average_precision)):
                yield "Numbers", f"{name} on {data}", partial(area, beta, target=target)
        how: dict[str, Any] = {"at": at, "target": None if self.roles.average else "examples"}
        rates = partial(pu.metric, ["precision", "recall"], beta, **band, **how)
        yield "Numbers", "Precision and recall", rates
        if "model" in self.keys:
            yield "Numbers", "Differences of AUROC", partial(pu.compare, "auroc", beta)
        grid = np.linspace(0, min(max(2 * self.betas["beta"].max(), 0.2), 0.9), 13)
        for caption, options, *call in (
            ("ROC curve with its band", band, pu.plot_roc, beta),
            ("Precision-recall curve with its band", band, pu.plot_pr, beta),
            ("Precision at each rank", band, pu.plot_metric, "precision", beta),
            ("AUROC by beta", {"x": "beta", "target": self.target}, pu.plot_metric, "auroc", grid),
        ):
            yield "Curves", caption, partial(_draw, caption, *call, **options)
        if self.is_plain or any(name is not None for name in columns.values()):
            check = partial(pu.check_assumptions, self.point, **columns)
            yield "Checks of assumptions", "Checks", check
        if self.is_plain:
            broken = partial(pu.robustness, "auroc", self.point, over={"selection_odds": [1]})
            yield "Checks of assumptions", "Breaking point", broken

    def sentences(self, frames: dict[str, pd.DataFrame]) -> Iterator[str]:
        """Yield the sentences of a paragraph for a paper."""
        counts = self.pu._counts()
        kinds = ("known positives", "known negatives", "unlabeled")
        sizes = [f"{counts[kind]} {kind}" for kind in kinds if counts.get(kind, "0") != "0"]
        if sizes:  # chunks are not counted
            yield f"The data have {' and '.join(sizes)} examples."
        yield from self.assumptions()[:2]
        for name, frame in frames.items():
            if name.endswith(tuple(_TARGETS)) and len(frame) <= _MAX_ROWS:
                yield f"{name} is {', '.join(map(self.estimate, frame.to_dict('records')))}."
        yield f"Limits of AUROC are DeLong's [2], and curves have the band “{self.band}” [1]."

    def estimate(self, row: dict[Any, Any]) -> str:
        """Return an estimate with its interval, and its key."""
        # An estimate of 1 does not mean a perfect classifier.
        is_near_1 = row["estimate"] >= _ROUNDED_TO_ONE > row["lower"]
        value = "consistent with 1" if is_near_1 else _number(row["estimate"])
        limits = f"{_number(row['lower'])} to {_number(row['upper'])}"
        of = "".join(f" for {row[name]}" for name in self.keys)
        return f"{value} ({100 * self.level:.13g}% interval {limits}){of}"

    def assumptions(self) -> list[str]:
        """Return the assumptions, first those about beta and labels."""
        cluster, propensity = self.roles.cluster, self.roles.propensity
        labels, apart = "a random sample of all positives", ""
        value, source = "one for each group", "[say where it comes from]"
        if propensity is not None:
            labels = f"labeled with the probabilities in the column {propensity!r}"
        if cluster is not None:
            apart = f" of different clusters, by {cluster!r},"
        if isinstance(self.beta, pd.DataFrame):
            source = "an estimate whose error is in all intervals"
        if isinstance(self.beta, pd.Interval):
            value = f"between {_number(self.beta.left)} and {_number(self.beta.right)}"
        elif not isinstance(self.point, pd.Series):
            value = _number(self.point)
        return [
            f"The share of positives among the unlabeled, β, was taken to be {value}, {source}.",
            f"Known positives are taken to be {labels}.",
            "The scores come from a classifier that was not trained on these rows.",
            f"Rows{apart} are independent of each other.",
            "Future data come from the same source, with the same prevalence.",
            f"Each interval has the confidence level {self.level}, without adjustment for their "
            "number.",
            "A small p value is evidence against labels at random or β; a large one proves "
            "nothing.",
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
    names = [n for n in _IN_CAPTION if n in frame and (frame[n] == frame[n].iloc[0]).all()]
    shared = ((n, frame[n].iloc[0]) for n in names)
    said = ", ".join(f"{n} {_number(one) if n == 'beta' else one}" for n, one in shared)
    text = f"{caption} ({said})" if said else caption
    rows = pd.DataFrame(frame.drop(columns=names))
    with pd.option_context("display.max_colwidth", None):
        html = rows.to_html(index=False, border=0, float_format=_number, na_rep="–")
    return html.replace(">", f">{_element('caption', text)}", 1)


def _draw(caption: str, plot: Callable[..., Any], *args: Any, **options: Any) -> str:
    """Return a plot as an HTML figure."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure, drawn = Figure(figsize=(5.6, 4.2), layout="constrained"), BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The legend was left out")
        ax = plot(*args, ax=figure.subplots(), **options)
    if ax.get_legend() is None:
        figure.legend(loc="outside lower center", ncols=2, fontsize="small", frameon=False)
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "pu_accessor"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    source = f"data:image/svg+xml;base64,{base64.b64encode(drawn.getvalue()).decode('ascii')}"
    text = _element("figcaption", caption)
    return f'<figure><img alt="{escape(caption)}" src="{source}">{text}</figure>'
