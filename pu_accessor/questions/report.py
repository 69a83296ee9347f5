"""A report of one page: tables, plots and a paragraph, from the public methods."""

from __future__ import annotations

import base64
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape, unescape
from importlib.metadata import version
from pathlib import Path
from string import Template
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from pu_accessor.beta import UserBeta, read_betas
from pu_accessor.checks import check_level, check_option
from pu_accessor.errors import PUError, PUTypeError, PUValueError, PUWarning, brief
from pu_accessor.inference.bands import BANDS
from pu_accessor.inference.cutoff_spec import At, read_cutoffs
from pu_accessor.questions.result_frame import split_shared

_PACKAGES = ("pu_accessor", "numpy", "scipy", "pandas", "xarray", "matplotlib", "seaborn")
_AT: At = {"fraction": [0.01, 0.05, 0.1]}
_RATES = ["precision", "recall"]
_PASSED, _ESTIMATED = (
    "[say where it comes from]",
    "an estimate whose error is in all intervals but those of robustness",
)
_ROUNDED_TO_ONE = 0.9995
_MAX_ROWS = 6  # that a paragraph lists
_INVALID_CHARACTERS = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]"


@dataclass(frozen=True)
class Report:
    """A self-contained page of HTML: a notebook shows it, `save` writes it, print summarizes."""

    title: str
    html: str
    summary: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file that ends in .html, replacing any, and return its path."""
        try:
            if Path(os.fspath(path)).suffix.lower() not in (".html", ".htm"):
                raise ValueError("it has another ending")
            Path(path).write_text(self.html, encoding="utf-8")
        except (OSError, TypeError, ValueError) as error:  # no folder, forbidden, or no name
            kind = PUTypeError if isinstance(error, TypeError) else PUValueError
            raise kind(
                "path must be the name of a file that can be written, and end in .html, but "
                f"{brief(path)} was passed: {error.args[-1]}. Pass path='report.html'."
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
    title: str = "Evaluation from positive and unlabeled examples",
) -> Report:
    """Return a report: a page with tables, plots, and a paragraph for a paper.

    It contains counts, beta, curves with their bands, AUROC, average precision and metrics with
    intervals, the comparison of several models, checks of assumptions, robustness, warnings and
    versions. It is self-contained: no network, no scripts.

    Parameters
    ----------
    beta : float, mapping, Series, Interval or DataFrame
        Class prior of the unlabeled, as `auroc` explains: one number, one for each group, an
        interval or an estimate.
    at : int, str or mapping, default {"fraction": [0.01, 0.05, 0.1]}
        The cutoffs of precision and recall, as `metric` explains.
    level : float, default 0.95
        Confidence level of intervals and bands, in (0, 1).
    band : {"exact", "simultaneous", "bootstrap", "dkw"}, default "exact"
        The band of curves, and of metrics at cutoffs.
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
    check_option("band", band, BANDS)
    if not isinstance(title, str):
        raise PUTypeError(f"title must be a text, but {title!r} was passed. Pass title='Report'.")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PUWarning)
        page = _Page(self, beta, check_level(level), band)
        sections = page.sections(page.questions(at))
    for one in caught:
        if not issubclass(one.category, PUWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    notes = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, PUWarning))
    warned = "".join(f"<li>{escape(note)}</li>" for note in notes)
    template = Path(__file__).with_name("report.html").read_text(encoding="utf-8")
    html = Template(template).substitute(
        {name: escape(text) for name, text in page.texts().items()},
        title=escape(title),
        counts=self._repr_html_(),
        sections=sections,
        warnings=f"<h2>Warnings</h2><ul>{warned}</ul>\n" if warned else "",
    )
    html = re.sub(_INVALID_CHARACTERS, "�", html)  # of names
    return Report(title, html, unescape(html.partition("<blockquote>")[2].partition("</block")[0]))


class _Page:
    """What is reported on, and its answers."""

    def __init__(self, pu: Any, beta: UserBeta, level: float, band: str) -> None:
        self.pu, self.beta, self.level, self.band = pu, beta, level, band
        self.roles, self.areas = pu._terms, ""
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
        points = areas.set_index(self.keys)["beta"] if self.keys else areas["beta"]
        # Beta without its interval: a number, or one for each key.
        self.point = points.iloc[0] if len({*points}) == 1 else points
        self.passed = beta if isinstance(beta, pd.DataFrame) else areas[[*self.keys, "beta"]]
        if (betas := read_betas(beta)).kind == "interval" and (self.keys or betas.shared):
            ends = [(one.lower, one.upper) for one in betas.of(self.keys, [*points.index])]
            self.passed = self.passed.assign(**pd.DataFrame(ends, columns=["lower", "upper"]))

    def questions(self, at: At) -> list[tuple[str, str, Any]]:
        """Return the section, the caption and, if it is asked, the method of each part."""
        pu, beta, point, plain = self.pu, self.beta, self.point, self.is_plain
        area, ap, metric, draw = pu.auroc, pu.average_precision, pu.metric, pu.plot_metric
        future, sample = {"target": "population"}, {"target": "examples"}
        band, odds, checks = {"band": self.band}, {"selection_odds": [1]}, "Checks of assumptions"
        rates = {**band, "at": at, "target": None if self.roles.average else "examples"}
        up_to = {"x": "beta", "target": self.target}
        betas = np.linspace(0, min(max(2 * np.max(point), 0.2), 0.9), 13)
        compared = "model" in self.keys
        return [
            ("Class prior", "Beta as passed", lambda level: self.passed),
            ("Class prior", "Beta that the known positives allow", pu.estimate_beta),
            ("Numbers", "AUROC on future data", partial(area, beta, **future)),
            ("Numbers", "Average precision on future data", partial(ap, beta, **future)),
            ("Numbers", "AUROC on this sample", plain and partial(area, beta, **sample)),
            ("Numbers", "Average precision on this sample", plain and partial(ap, beta, **sample)),
            ("Numbers", "Precision and recall", partial(metric, _RATES, beta, **rates)),
            ("Numbers", "Differences of AUROC", compared and partial(pu.compare, "auroc", beta)),
            ("Curves", "ROC curve with its band", partial(pu.plot_roc, beta, **band)),
            ("Curves", "Precision-recall curve with its band", partial(pu.plot_pr, beta, **band)),
            ("Curves", "Precision at each rank", partial(draw, "precision", beta, **band)),
            ("Curves", "AUROC by beta", partial(draw, "auroc", betas, **up_to)),
            (checks, "Checks", plain and partial(pu.check_assumptions, point)),
            (
                checks,
                "Breaking point",
                plain and partial(pu.robustness, "auroc", point, over=odds),
            ),
        ]

    def sections(self, questions: list[tuple[str, str, Any]]) -> str:
        """Return the HTML of all sections; what cannot be answered becomes a warning."""
        html = dict[str, str]()
        for section, caption, ask in (one for one in questions if one[-1]):
            render = _draw if section == "Curves" else self.table
            try:
                part = render(caption, partial(ask, level=self.level))
                html[section] = html.get(section, "") + part
            except PUError as error:
                warnings.warn(f"Missing: {caption}. {error}", PUWarning, stacklevel=2)
        return "\n".join(f"<h2>{name}</h2>{text}" for name, text in html.items())

    def table(self, caption: str, ask: Callable[[], pd.DataFrame]) -> str:
        """Return an answer as an HTML table; what all rows share stands in its caption."""
        frame = ask()
        rows, shared = split_shared(frame, _number)
        if caption.endswith((" future data", " this sample")) and len(frame) <= _MAX_ROWS:
            values = ", ".join(map(self.estimate, frame.to_dict("records")))
            self.areas += f"{caption} is {values}. "
        with pd.option_context("display.max_colwidth", None):
            html = rows.to_html(index=False, border=0, float_format=_number, na_rep="–")
        title = escape(f"{caption} ({shared})" if shared else caption)
        note = escape(frame.attrs.get("assumptions", ""))
        return html.replace(">", f"><caption>{title}</caption>", 1) + f"<p>{note}</p>" * bool(note)

    def texts(self) -> dict[str, str]:
        """Return what the sentences of the page say, by name."""
        counts, cluster, propensity = self.pu._counts(), self.roles.cluster, self.roles.propensity
        kinds = ("known positives", "known negatives", "unlabeled")
        sizes = [f"{counts[kind]} {kind}" for kind in kinds if counts.get(kind, "0") != "0"]
        beta = "one for each group" if isinstance(self.point, pd.Series) else _number(self.point)
        if isinstance(self.beta, pd.Interval):
            beta = f"between {_number(self.beta.left)} and {_number(self.beta.right)}"
        source = _ESTIMATED if isinstance(self.beta, pd.DataFrame) else _PASSED
        known = f"labeled with the probabilities in the column {propensity!r}"
        return {
            "sizes": f"The data have {' and '.join(sizes)} examples. " if sizes else "",
            "beta": f"{beta}, {source}",
            "known": "a random sample of all positives" if propensity is None else known,
            "apart": "" if cluster is None else f" of different clusters, by {cluster!r},",
            "areas": self.areas,
            "band": self.band,
            "level": str(self.level),
            "date": str(pd.Timestamp.now("UTC").date()),
            "packages": ", ".join(f"{name} {version(name)}" for name in _PACKAGES),
        }

    def estimate(self, row: dict[Any, Any]) -> str:
        """Return an estimate with its interval, and its key."""
        # An estimate of 1 does not mean a perfect classifier.
        is_near_1 = row["estimate"] >= _ROUNDED_TO_ONE > row["lower"]
        value = "consistent with 1" if is_near_1 else _number(row["estimate"])
        limits = f"{_number(row['lower'])} to {_number(row['upper'])}"
        of = "".join(f" for {row[name]}" for name in self.keys)
        return f"{value} ({100 * self.level:.13g}% interval {limits}){of}"


def _number(value: float) -> str:
    """Return a number with three decimals."""
    return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"


def _draw(caption: str, plot: Callable[..., Any]) -> str:
    """Return a plot as an HTML figure."""
    from pu_accessor.plots.panels import write_svg

    source = f"data:image/svg+xml;base64,{base64.b64encode(write_svg(plot)).decode('ascii')}"
    text = f"<figcaption>{escape(caption)}</figcaption>"
    return f'<figure><img alt="{escape(caption)}" src="{source}">{text}</figure>'
