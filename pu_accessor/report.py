"""A report of one page: tables, plots and a paragraph, from the public methods."""

from __future__ import annotations

import base64
import os
import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from html import escape
from importlib.metadata import version
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
_TEXTS = {  # above some tables
    "Checks": "A small p value is evidence against labels at random or β; a large one proves "
    "nothing.",
    "Breaking point": "The ratio of the odds of being labeled at which the interval of AUROC "
    "includes 0.5.",
    "Design effect": "The variance of AUROC, divided by that of independent rows.",
}
_ROUNDED_TO_ONE = 0.9995
_MAX_RANKINGS = 6  # that a paragraph lists
_INVALID_CHARACTERS = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]"
_REFERENCES = (
    "[1] M. Claesen, J. Davis, F. De Smet, B. De Moor, arXiv:1504.06837 (2015).",
    "[2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.",
)
# Nothing is loaded and no script runs, whatever is in names.
_PAGE = Template("""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
img-src data:; style-src 'unsafe-inline'">
<title>$title</title><style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 1rem auto; max-width: 60rem; }
h1, h2, p, blockquote { overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .9rem; display: block; overflow-x: auto; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #e3e8ec; white-space: nowrap; }
td { text-align: right; } caption { text-align: left; } .note { background: #fff6e5; }
figure { display: inline-block; margin: 0; width: min(100%, 29rem); } img { width: 100%; }
blockquote { margin: 1rem 0; padding: .5rem 1rem; background: #f3f6f8; }
</style></head><body><h1>$title</h1>
$body
</body></html>
""")


@dataclass(frozen=True)
class Report:
    """A self-contained page of HTML: a notebook shows it, `save` writes it, print summarizes."""

    title: str
    html: str
    summary: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file that ends in .html, replacing any, and return its path."""
        if not isinstance(path, str | os.PathLike):
            raise PUTypeError(
                f"path must be the name of a file, but {path!r} was passed. Pass 'report.html'."
            )
        file, passed = Path(path), f"but {brief(str(path))} was passed"
        if file.suffix.lower() not in (".html", ".htm"):
            raise PUValueError(f"path must end in .html, {passed}. Pass path='report.html'.")
        try:
            file.write_text(self.html, encoding="utf-8")
        except (OSError, ValueError) as error:  # no folder, forbidden, or an invalid name
            raise PUValueError(
                f"path must be the name of a file that can be written, {passed}: "
                f"{error.args[-1]}. Pass path='report.html'."
            ) from error
        return file

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
    contents = _Contents(self, beta, check_level(level), band)
    _compute_all(contents, at, wave, strata)
    summary = " ".join(_sentences(contents))
    sections = {"In short": _element("blockquote", summary)}
    body = [
        f'<section id="{"-".join(name.lower().split())}">{_element("h2", name)}{text}</section>'
        for name, text in (sections | contents.sections).items()
    ]
    page = _PAGE.substitute(title=escape(title), body="\n".join(body))
    # Names may have characters that HTML does not.
    return Report(title, *(re.sub(_INVALID_CHARACTERS, "�", text) for text in (page, summary)))


class _Contents:
    """Results of the public methods of an accessor, and their warnings."""

    def __init__(self, pu: Any, beta: UserBeta, level: float, band: str) -> None:
        self.pu, self.beta, self.level, self.band = pu, beta, level, band
        self.roles, self.counts = pu._terms, pu._counts()
        self.frames: dict[str, pd.DataFrame] = {}
        self.sections: dict[str, str] = {}
        self.notes = [
            f"{name!r} repeats: if its rows are dependent, intervals on future data need "
            f"cluster={name!r}."
            for name in (pu._source.repeated(pu._terms) if self.roles.cluster is None else [])
        ]
        self.is_plain = self.roles.cluster is None and self.roles.weight is None
        self.target = "examples" if self.is_plain else "population"
        # Errors of rows or beta raise here.
        areas = self._record(pu.auroc, beta, target=self.target)
        self.keys = [*areas.columns[: [*areas].index("metric")]]
        self.betas = areas[[*self.keys, "beta"]].drop_duplicates()
        if len(areas) > 1 and (not self.keys or areas.duplicated(self.keys).any()):
            raise PUValueError(
                "beta must be one number in a report, or one for each group, but several were "
                "passed. Write a report for each."
            )
        # Beta without its interval: a number, or one for each key.
        each = self.betas["beta"]
        is_one = len({*each}) == 1
        self.point = each.iloc[0] if is_one else self.betas.set_index(self.keys)["beta"].to_dict()

    def write(self, section: str, text: str) -> None:
        """Append a text to a section."""
        if text:
            self.sections[section] = self.sections.get(section, "") + text

    def add(self, section: str, caption: str, method: Any, *args: Any, **options: Any) -> None:
        """Add a result to a section, as a table or a plot, or note why it is missing."""
        try:
            result = self._record(method, *args, **options)
        except PUError as error:
            self.notes.append(f"Missing: {caption}. {error}")
            return
        if not isinstance(result, str):
            self.frames[caption] = result
            text = _element("p", _TEXTS[caption]) if caption in _TEXTS else ""
            result = text + _table(caption, result)
        self.write(section, result)

    def draw(self, caption: str, *call: Any, **options: Any) -> None:
        """Add a plot."""
        self.add("Curves", caption, partial(_draw, caption), *call, **options)

    def design_effect(self, level: float) -> pd.DataFrame:
        """Return the variance of AUROC divided by that of independent rows."""
        clustered, independent = (
            pd.DataFrame(pu.auroc(self.point, target="population", level=level))
            for pu in (self.pu, self.pu(cluster=None))
        )
        effect = (clustered["standard_error"] / independent["standard_error"]) ** 2
        return clustered[[*self.keys, "beta"]].assign(design_effect=effect)

    def _record(self, method: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Return a result, and note its warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PUWarning)
            result = method(*args, **options, level=self.level)
        for one in caught:
            if issubclass(one.category, PUWarning):
                self.notes.append(str(one.message))
            else:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return result


def _compute_all(
    contents: _Contents, at: At, wave: Hashable | None, strata: Hashable | None
) -> None:
    """Compute all results, and add them by section."""
    pu, beta, add, draw = contents.pu, contents.beta, contents.add, contents.draw
    write, target, band = contents.write, contents.target, {"band": contents.band}
    counts = pd.DataFrame([*contents.counts.items()], columns=["kind", "count"])
    write("Data", f"<p>{_element('code', pu._code())}</p>{_table('Examples', counts)}")
    passed = beta if isinstance(beta, pd.DataFrame) else contents.betas
    write("Class prior", _table("Beta as passed", passed))
    add("Class prior", "Beta that the known positives allow", pu.estimate_beta)
    grid = np.linspace(0, min(max(2 * contents.betas["beta"].max(), 0.2), 0.9), 13)
    draw("ROC curve with its band", pu.plot_roc, beta, **band)
    draw("Precision-recall curve with its band", pu.plot_pr, beta, **band)
    draw("Precision at each rank", pu.plot_metric, "precision", beta, **band)
    draw("AUROC by beta", pu.plot_metric, "auroc", grid, x="beta", target=target)
    for data, about in [*_TARGETS.items()][: 1 + contents.is_plain]:
        for name, area in (("AUROC", pu.auroc), ("Average precision", pu.average_precision)):
            add("Numbers", f"{name} on {data}", area, beta, target=about)
    rates = partial(pu.metric, ["precision", "recall"], beta, at=at, target="examples")
    add("Numbers", "Precision and recall", rates, **band)
    if contents.roles.cluster is not None:
        add("Clusters", "Design effect", contents.design_effect)
    if "model" in contents.keys:
        add("Comparison", "Differences of AUROC", pu.compare, "auroc", beta)
    if contents.is_plain or wave is not None or strata is not None:
        check = partial(pu.check_assumptions, contents.point, wave=wave, strata=strata)
        add("Checks of assumptions", "Checks", check)
    if contents.is_plain:
        broken = partial(pu.robustness, "auroc", contents.point, over={"selection_odds": [1]})
        add("Robustness", "Breaking point", broken)
    write("Assumptions", _items(_assumptions(contents)))
    notes = [_element('p class="note"', note) for note in dict.fromkeys(contents.notes)]
    write("Warnings", "".join(notes))
    write("References", _items(_REFERENCES))
    made = pd.DataFrame({"version": {name: version(name) for name in _PACKAGES}})
    write("Versions", _table(f"On {datetime.now(UTC).date()}", made.reset_index()))


def _sentences(contents: _Contents) -> Iterator[str]:
    """Yield the sentences of a paragraph for a paper."""
    frames, counts = contents.frames, contents.counts
    kinds = ("known positives", "known negatives", "unlabeled")
    sizes = [f"{counts[kind]} {kind}" for kind in kinds if counts.get(kind, "0") != "0"]
    if sizes:  # chunks are not counted
        yield f"The data have {_listed(sizes)} examples."
    yield from _assumptions(contents)[:2]
    for name, frame in frames.items():
        if name.endswith(tuple(_TARGETS)):
            cited = " [2]" if name == "AUROC on future data" else ""
            yield f"{name}{cited} is {_each(frame, contents)}."
    if "Precision and recall" in frames:
        band = frames["Precision and recall"].attrs["band"]
        yield f"Bounds on curves are for this sample [1], by the band “{band}” at that level."
    if "Breaking point" in frames:
        factor = _number(frames["Breaking point"]["breaking_point"].min())
        yield f"AUROC is above 0.5 if the odds of being labeled differ by a factor below {factor}."
    yield f"All numbers were computed with pu_accessor {version('pu_accessor')}."


def _assumptions(contents: _Contents) -> list[str]:
    """Return the assumptions, first those about beta and labels."""
    roles, beta, labels = contents.roles, contents.beta, "a random sample of all positives"
    if roles.propensity is not None:
        labels = f"labeled with the probabilities in the column {roles.propensity!r}"
    apart = "" if roles.cluster is None else f" of different clusters, by {roles.cluster!r},"
    times = roles.weight if roles.count is None else roles.count
    weighed = "" if times is None else f" Each row stands for the number of rows in {times!r}."
    value, source = "one for each group", "[say where it comes from]"
    if isinstance(beta, pd.Interval):
        value = f"between {_number(beta.left)} and {_number(beta.right)}"
    elif len({*contents.betas["beta"]}) == 1:
        value = _number(contents.betas["beta"].iloc[0])
    if isinstance(beta, pd.DataFrame):
        first = beta.iloc[0].to_dict()
        source = f"by the method {first.get('method')!r}, whose error is in all intervals"
        value += f" ({100 * first['level']:g}% interval {_limits(first)})" * (len(beta) == 1)
    return [
        f"The share of positives among the unlabeled, β, was taken to be {value}, {source}.",
        f"Known positives are taken to be {labels}.{weighed}",
        "All results except the sign of a comparison depend on β.",
        "The scores come from a classifier that was not trained on these rows.",
        f"Rows{apart} are independent of each other.",
        "Future data come from the same source, with the same prevalence.",
        f"Each interval has the confidence level {contents.level:g}, without adjustment for their "
        "number.",
        "Tied scores share a cutoff, as no threshold separates them.",
    ]


def _each(frame: pd.DataFrame, contents: _Contents) -> str:
    """Return the estimate of each ranking with its interval."""
    if len(frame) > _MAX_RANKINGS:
        return f"in the table for each of {len(frame)} rankings"
    texts = []
    for row in frame.to_dict("records"):
        key = ", ".join(str(row[name]) for name in contents.keys)
        # An estimate of 1 does not mean a perfect classifier.
        rounds_to_one = row["estimate"] >= _ROUNDED_TO_ONE > row["lower"]
        estimate = "consistent with 1" if rounds_to_one else _number(row["estimate"])
        interval = f"({100 * contents.level:g}% interval {_limits(row)})"
        texts.append(f"{estimate} {interval}{f' for {key}' if key else ''}")
    return _listed(texts)


def _listed(texts: list[str]) -> str:
    """Join texts by commas and "and"."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if texts[1:] else texts)


def _limits(row: Mapping[Any, Any]) -> str:
    """Return the limits of an interval."""
    return f"{_number(row['lower'])} to {_number(row['upper'])}"


def _number(value: Any) -> str:
    """Return a value with three decimals, or as a whole number."""
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        return "" if value is None or value is pd.NA else str(value)
    if pd.api.types.is_integer(value):
        return f"{int(value):,}"
    written = "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"
    return {"nan": "–", "inf": "∞", "-inf": "-∞"}.get(written, written)


def _element(tag: str, text: str) -> str:
    """Return an HTML element."""
    return f"<{tag}>{escape(text)}</{tag.split()[0]}>"


def _items(texts: Iterable[str]) -> str:
    """Return an HTML list."""
    return f"<ul>{''.join(_element('li', text) for text in texts)}</ul>"


def _table(caption: str, frame: pd.DataFrame) -> str:
    """Return an HTML table."""
    with pd.option_context("display.max_colwidth", None):
        html = frame.map(_number).to_html(index=False, border=0)
    return html.replace(">", f">{_element('caption', caption)}", 1)


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
