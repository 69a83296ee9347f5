"""A report of one page: numbers, pictures and words that public methods give."""

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
_TITLE = "Evaluation from positive and unlabeled examples"
_TEXTS = {  # above some tables
    "Checks": "A small p value speaks against labels at random or β; no large one proves them.",
    "Breaking point": "How far the odds of being labeled may differ before AUROC's interval "
    "reaches 0.5.",
    "Design effect": "So many times as many rows AUROC needs, as rows of a cluster say the same.",
}
_AT_EDGE = 0.9995  # from here on, numbers are written as 1
_MOST = 6  # rankings that a paragraph names one by one
_NO_CHARACTER = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]"
_REFERENCES = (
    "[1] M. Claesen, J. Davis, F. De Smet, B. De Moor, arXiv:1504.06837 (2015).",
    "[2] E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson, Biometrics 44 (1988) 837-845.",
)
# Nothing is loaded, and no script runs, whatever names hold.
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
    """A page of HTML that needs nothing beside itself: a notebook shows it, `save` writes it.

    Printed it says what is in short in it.
    """

    title: str
    html: str
    summary: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page into a file that ends in .html, and return its path.

        One that is there is replaced.
        """
        if not isinstance(path, str | os.PathLike):
            raise PUTypeError(f"path must be the name of a file, but {path!r} was passed.")
        file, came = Path(path), f"but {brief(str(path))} was passed"
        if file.suffix.lower() not in (".html", ".htm"):
            raise PUValueError(f"path must end in .html, {came}. Pass path='report.html'.")
        try:
            file.write_text(self.html, encoding="utf-8")
        except (OSError, ValueError) as error:  # no folder, forbidden, or what no name may hold
            raise PUValueError(
                f"path must be the name of a file that can be written, {came}: {error.args[-1]}. "
                "Pass path='report.html'."
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
    """Return a report: a page with numbers, pictures, and a paragraph for a paper.

    What is in it comes from the other methods: counts, what beta can be, curves with their
    bands, AUROC, average precision and metrics with intervals, the comparison of several models,
    checks of the assumptions, how far labels may be from random, what is taken for granted, what
    was warned of, and versions.
    It needs nothing beside itself: no network, no scripts.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1): one, or one for each group; or an
        estimate of it, as `estimate_beta` and `pu_accessor.beta_from_labels` return it.
    at : At, default {"fraction": [0.01, 0.05, 0.1]}
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; a point of the true curve,
        the last cutoff with ``{"fpr": 0.05}`` or ``{"precision": 0.9}``, the first with
        ``{"recall": 0.9}``, or tpr; "youden" or "maximum", where the estimated informedness, or
        the metric itself, is highest.

        Of precision and recall.
    level : float, default 0.95
        Probability with which intervals and bands cover, in (0, 1).
    band : {"exact", "simultaneous", "bootstrap", "dkw"}, default "exact"
        Of curves, and of metrics at cutoffs.
    wave : hashable, optional
        Column that says when, where or by whom each known positive was labeled. It is not read of
        other rows, and known positives without one are in no wave.
    strata : hashable, optional
        Column that says what rows have in common, such as site, year or sex. Not made from labels.
    title : str, optional
        The heading.

    Returns
    -------
    Report
        A notebook shows it, `print` its `summary`; ``report.save("report.html")`` writes it into
        a file.

    Raises
    ------
    PUValueError
        If there are several betas. A number that the data do not allow is no error: the report
        says why it is not there.

    See Also
    --------
    auroc, average_precision, metric, compare, check_assumptions, robustness, plot_roc : Where
        it is from.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(400) < 100
    >>> score = np.random.default_rng(0).normal(2 * truth)
    >>> df = pd.DataFrame({"score": score, "label": np.where(np.arange(400) < 50, 1, np.nan)})
    >>> df.pu.report(50 / 350).summary.partition(" The share")[0]
    'The data hold 50 known positives and 350 unlabeled examples.'
    """
    read_cutoffs(at)
    check_option("band", band, ("bootstrap", "dkw", "exact", "simultaneous"))
    if not isinstance(title, str):
        raise PUTypeError(f"title must be a text, but {title!r} was passed.")
    answers = _Answers(self, beta, check_level(level), band)
    _ask_all(answers, at, wave, strata)
    summary = " ".join(_sentences(answers))
    sections = {"In short": _element("blockquote", summary)}
    body = [
        f'<section id="{"-".join(name.lower().split())}">{_element("h2", name)}{text}</section>'
        for name, text in (sections | answers.sections).items()
    ]
    page = _PAGE.substitute(title=escape(title), body="\n".join(body))
    # A name may hold anything, also what is no character of HTML.
    return Report(title, *(re.sub(_NO_CHARACTER, "�", text) for text in (page, summary)))


class _Answers:
    """What public methods of an accessor answer, and what they warn of meanwhile."""

    def __init__(self, pu: Any, beta: UserBeta, level: float, band: str) -> None:
        self.pu, self.beta, self.level, self.band = pu, beta, level, band
        self.roles, self.counts = pu._terms, pu._counts()
        self.frames: dict[str, pd.DataFrame] = {}
        self.sections: dict[str, str] = {}
        self.notes = [
            f"Are rows independent, although {name!r} repeats, or do those of one belong "
            f"together, so that intervals on new examples need cluster={name!r}?"
            for name in (pu._source.repeated(pu._terms) if self.roles.cluster is None else [])
        ]
        self.of_rows = self.roles.cluster is None and self.roles.weight is None
        self.target = "examples" if self.of_rows else "population"
        # What is wrong with rows or beta raises here, before anything else is asked.
        areas = self._note(pu.auroc, beta, target=self.target)
        self.keys = [*areas.columns[: [*areas].index("metric")]]
        self.betas = areas[[*self.keys, "beta"]].drop_duplicates()
        if len(areas) > 1 and (not self.keys or areas.duplicated(self.keys).any()):
            raise PUValueError(
                "beta must be one number in a report, or one for each group, but several were "
                "passed. Write a report for each.",
                page="many_models#a-beta-for-each-group",
            )
        # Beta without its interval: a number, or one for each key where they differ.
        each = self.betas["beta"]
        is_one = len({*each}) == 1
        self.point = each.iloc[0] if is_one else self.betas.set_index(self.keys)["beta"].to_dict()

    def write(self, section: str, text: str) -> None:
        """Write a text into a section, which begins with it or goes on."""
        if text:
            self.sections[section] = self.sections.get(section, "") + text

    def ask(self, section: str, caption: str, method: Any, *args: Any, **options: Any) -> None:
        """Write an answer as a table or picture into a section, or note why there is none."""
        try:
            answer = self._note(method, *args, **options)
        except PUError as error:
            self.notes.append(f"Not there: {caption}. {error}")
            return
        if not isinstance(answer, str):
            self.frames[caption] = answer
            text = _element("p", _TEXTS[caption]) if caption in _TEXTS else ""
            answer = text + _table(caption, answer)
        self.write(section, answer)

    def draw(self, caption: str, *question: Any, **options: Any) -> None:
        """Write a picture of its own, which no other figure knows of."""
        self.ask("Curves", caption, partial(_draw, caption), *question, **options)

    def design_effect(self, level: float) -> pd.DataFrame:
        """Return how the variance of AUROC compares with that of independent rows."""
        each = [self.pu, self.pu(cluster=None)]
        asked: Any = {"target": "population", "level": level}
        found, alone = (pd.DataFrame(pu.auroc(self.point, **asked)) for pu in each)
        effect = (found["standard_error"] / alone["standard_error"]) ** 2
        return found[[*self.keys, "beta"]].assign(design_effect=effect)

    def _note(self, method: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Return an answer, and note what it warns of."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PUWarning)
            answer = method(*args, **options, level=self.level)
        for one in caught:
            if issubclass(one.category, PUWarning):
                self.notes.append(str(one.message))
            else:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return answer


def _ask_all(answers: _Answers, at: At, wave: Hashable | None, strata: Hashable | None) -> None:
    """Ask all questions, and write the answers by section."""
    pu, beta, ask, draw = answers.pu, answers.beta, answers.ask, answers.draw
    write, target, band = answers.write, answers.target, {"band": answers.band}
    counts = pd.DataFrame([*answers.counts.items()], columns=["kind", "count"])
    write("Data", f"<p>{_element('code', pu._line())}</p>{_table('Examples', counts)}")
    passed = beta if isinstance(beta, pd.DataFrame) else answers.betas
    write("What beta can be", _table("Beta, as it was passed", passed))
    ask("What beta can be", "What the known positives leave possible", pu.estimate_beta)
    grid = np.linspace(0, min(max(2 * answers.betas["beta"].max(), 0.2), 0.9), 13)
    draw("ROC curve with its band", pu.plot_roc, beta, **band)
    draw("Precision and recall, with their band", pu.plot_pr, beta, **band)
    draw("Precision among the first examples", pu.plot_metric, "precision", beta, **band)
    draw("AUROC, were beta another", pu.plot_metric, "auroc", grid, x="beta", target=target)
    for where, about in (("new", "population"), ("these", "examples"))[: 1 + answers.of_rows]:
        for name, area in (("AUROC", pu.auroc), ("Average precision", pu.average_precision)):
            ask("Numbers", f"{name} on {where} examples", area, beta, target=about)
    rates = partial(pu.metric, ["precision", "recall"], beta, at=at, target="examples")
    ask("Numbers", "Precision and recall", rates, **band)
    if answers.roles.cluster is not None:
        ask("Clusters", "Design effect", answers.design_effect)
    if "model" in answers.keys:
        ask("Comparison", "Differences of AUROC", pu.compare, "auroc", beta)
    if answers.of_rows or wave is not None or strata is not None:
        check = partial(pu.check_assumptions, answers.point, wave=wave, strata=strata)
        ask("Do the data contradict it", "Checks", check)
    if answers.of_rows:
        broken = partial(pu.robustness, "auroc", answers.point, over={"selection_odds": [1]})
        ask("Labels that are not quite random", "Breaking point", broken)
    write("What is taken for granted", _items(_assumptions(answers)))
    notes = [_element('p class="note"', note) for note in dict.fromkeys(answers.notes)]
    write("What to look at", "".join(notes))
    write("References", _items(_REFERENCES))
    made = pd.DataFrame({"version": {name: version(name) for name in _PACKAGES}})
    write("Made with", _table(f"On {datetime.now(UTC).date()}", made.reset_index()))


def _sentences(answers: _Answers) -> Iterator[str]:
    """Say what was done and found, for a paper."""
    frames, counts = answers.frames, answers.counts
    kinds = ("known positives", "known negatives", "unlabeled")
    found = [f"{counts[kind]} {kind}" for kind in kinds if counts.get(kind, "0") != "0"]
    if found:  # chunks are not counted
        yield f"The data hold {_listed(found)} examples."
    yield from _assumptions(answers)[:2]
    for name, frame in frames.items():
        if name.endswith("examples"):
            cited = " [2]" if name == "AUROC on new examples" else ""
            yield f"{name}{cited} is {_each(frame, answers)}."
    if "Precision and recall" in frames:
        band = frames["Precision and recall"].attrs["band"]
        yield f"Bounds on curves are about these examples [1], by the band “{band}” at that level."
    if "Breaking point" in frames:
        factor = _number(frames["Breaking point"]["breaking_point"].min())
        yield f"AUROC is above 0.5 as long as odds of being labeled differ by less than {factor}."
    yield f"All numbers were computed with pu_accessor {version('pu_accessor')}."


def _assumptions(answers: _Answers) -> list[str]:
    """Return what is taken for granted: of beta and labels first."""
    roles, beta, labels = answers.roles, answers.beta, "a random sample of all positives"
    if roles.propensity is not None:
        labels = f"labeled with the probabilities in the column {roles.propensity!r}"
    apart = "" if roles.cluster is None else f" of different clusters, by {roles.cluster!r},"
    times = roles.weight if roles.count is None else roles.count
    weighed = "" if times is None else f" Each row stands for as many as its {times!r} says."
    said, source = "one for each group", "[say where it comes from]"
    if isinstance(beta, pd.Interval):
        said = f"between {_number(beta.left)} and {_number(beta.right)}"
    elif len({*answers.betas["beta"]}) == 1:
        said = _number(answers.betas["beta"].iloc[0])
    if isinstance(beta, pd.DataFrame):
        first = beta.iloc[0].to_dict()
        source = f"by the method {first.get('method')!r}, whose error counts in all intervals"
        said += f" ({100 * first['level']:g}% interval {_limits(first)})" * (len(beta) == 1)
    return [
        f"The share of positives among the unlabeled, β, was taken to be {said}, {source}.",
        f"Known positives are taken to be {labels}.{weighed}",
        "All numbers but the sign of a comparison depend on β.",
        "The scores come from a classifier that was not trained on these rows.",
        f"Rows{apart} are independent of each other.",
        "New examples come from where these come from, and have their prevalence.",
        f"Each interval holds with a probability of {answers.level:g}: of many, some miss.",
        "Tied scores cannot be told apart by any threshold, and share a cutoff.",
    ]


def _each(frame: pd.DataFrame, answers: _Answers) -> str:
    """Write the estimate of each ranking with its interval."""
    if len(frame) > _MOST:
        return f"in the table for each of {len(frame)} rankings"
    texts = []
    for row in frame.to_dict("records"):
        key = ", ".join(str(row[name]) for name in answers.keys)
        # One at the edge is no perfect classifier, as its interval says.
        at_edge = row["estimate"] >= _AT_EDGE > row["lower"]
        estimate = "consistent with 1" if at_edge else _number(row["estimate"])
        interval = f"({100 * answers.level:g}% interval {_limits(row)})"
        texts.append(f"{estimate} {interval}{f' for {key}' if key else ''}")
    return _listed(texts)


def _listed(texts: list[str]) -> str:
    """Join texts as a sentence does."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if texts[1:] else texts)


def _limits(row: Mapping[Any, Any]) -> str:
    """Write the limits of an interval."""
    return f"{_number(row['lower'])} to {_number(row['upper'])}"


def _number(value: Any) -> str:
    """Write a value as a reader wants it: three decimals, whole numbers whole.

    Examples
    --------
    >>> [_number(value) for value in (0.12345, 12345, float("inf"), "svm", 1e-9)]
    ['0.123', '12,345', '∞', 'svm', '<0.001']
    """
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        return "" if value is None or value is pd.NA else str(value)
    if pd.api.types.is_integer(value):
        return f"{int(value):,}"
    written = "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"
    return {"nan": "–", "inf": "∞", "-inf": "-∞"}.get(written, written)


def _element(tag: str, text: str) -> str:
    """Return an element of text.

    Examples
    --------
    >>> _element('p class="note"', "a < b")
    '<p class="note">a &lt; b</p>'
    """
    return f"<{tag}>{escape(text)}</{tag.split()[0]}>"


def _items(texts: Iterable[str]) -> str:
    """Return a list."""
    return f"<ul>{''.join(_element('li', text) for text in texts)}</ul>"


def _table(caption: str, frame: pd.DataFrame) -> str:
    """Return a table that scrolls by itself where it is wider than the screen."""
    with pd.option_context("display.max_colwidth", None):
        html = frame.map(_number).to_html(index=False, border=0)
    return html.replace(">", f">{_element('caption', caption)}", 1)


def _draw(caption: str, plot: Callable[..., Any], *args: Any, **options: Any) -> str:
    """Return a picture inside the page."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure, drawn = Figure(figsize=(5.6, 4.2), layout="constrained"), BytesIO()
    plot(*args, ax=figure.subplots(), **options)
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "pu_accessor"}):
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    source = f"data:image/svg+xml;base64,{base64.b64encode(drawn.getvalue()).decode('ascii')}"
    text = _element("figcaption", caption)
    return f'<figure><img alt="{escape(caption)}" src="{source}">{text}</figure>'
