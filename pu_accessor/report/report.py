"""A report of one file: numbers, pictures and words that public methods give."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.checks import check_level, check_option
from pu_accessor.errors import PUTypeError, PUValueError, brief
from pu_accessor.inference.estimates.cutoff_spec import At, read_cutoffs
from pu_accessor.questions.betas import Beta, read_betas
from pu_accessor.report import page as html
from pu_accessor.report.answers import Answers, assumptions, for_a_paper, references

_TOLD = ("band", "target")  # of attributes, beside numbers: tables are put together
_PACKAGES = ("pu_accessor", "numpy", "scipy", "pandas", "xarray", "matplotlib", "seaborn")
_AT: At = {"fraction": [0.01, 0.05, 0.1]}
_TITLE = "Evaluation from positive and unlabeled examples"


def report(
    self: Any,
    beta: Beta,
    *,
    path: str | os.PathLike[str],
    at: At = _AT,
    level: float = 0.95,
    band: str = "exact",
    wave: Hashable | None = None,
    strata: Hashable | None = None,
    title: str = _TITLE,
) -> Path:
    """Write a report: one HTML file with numbers, pictures, and a paragraph for a paper.

    What is in it comes from the other methods: counts, what beta can be, curves with their
    bands, AUROC, average precision and metrics with intervals, the comparison of several models,
    checks of the assumptions, how far labels may be from random, what is taken for granted, what
    was warned of, and versions.
    The file needs nothing beside itself: no network, no scripts.

    Parameters
    ----------
    beta : Beta
        Fraction of positives among the unlabeled, in [0, 1): one, or one for each group; or an
        estimate of it, as `estimate_beta` and `pu_accessor.beta_from_labels` return it.
    path : str or path
        The file to write, ending in .html; one that is there is replaced.
    at : At, default {"fraction": [0.01, 0.05, 0.1]}
        The cutoff: a number of examples predicted positive, 100 or ``{"rank": 100}``, or their
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last with an estimated
        ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with ``{"recall":
        0.9}``, or tpr, at least; "youden" or "maximum", where the estimated informedness, or the
        metric itself, is highest.

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
    Path
        Of the file.

    Raises
    ------
    PUValueError
        If there are several betas, or `path` is a folder, in no folder that there is, or ends
        otherwise. A number that the data do not allow is no error: the report says why it is not
        there.

    See Also
    --------
    auroc, average_precision, metric, compare, check_assumptions, robustness, plot_roc : Where
        it is from.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import pandas as pd
    >>> import pu_accessor
    >>> truth = np.arange(400) < 100
    >>> score = np.random.default_rng(0).normal(2 * truth)
    >>> df = pd.DataFrame({"score": score, "label": np.where(np.arange(400) < 50, 1, np.nan)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = df.pu.report(50 / 350, path=f"{folder}/report.html")
    ...     text = path.read_text(encoding="utf-8")
    >>> path.name, text[:15]
    ('report.html', '<!DOCTYPE html>')
    """
    file = _read_path(path)
    read_cutoffs(at)
    check_option("band", band, ("bootstrap", "dkw", "exact", "simultaneous"))
    if not isinstance(title, str):
        raise PUTypeError(f"title must be a text, but {title!r} was passed.")
    columns = {"wave": wave, "strata": strata}
    answers = Answers(self, _one_beta(beta), at, check_level(level), band, columns)
    file.write_text(html.page(title, _sections(answers)), encoding="utf-8")
    return file


def _sections(answers: Answers) -> list[str]:
    """Return the sections."""
    return [
        html.section(
            "In short",
            html.paragraph(for_a_paper(answers), "blockquote"),
            html.paragraph("To copy. What stands in brackets is yours to say."),
        ),
        _data(answers),
        _betas(answers),
        html.section("Curves", _curves(answers)),
        html.section(
            "Numbers",
            html.paragraph(f"With {100 * answers.level:g}% intervals, from lower to upper."),
            *(_table(name, areas) for name, areas in answers.areas.items()),
            _table("Precision and recall", answers.rates),
        ),
        _comparison(answers),
        _checks(answers),
        _robustness(answers),
        html.section("What is taken for granted", html.items(assumptions(answers))),
        _notes(answers),
        html.section("References", html.items(references())),
        _versions(),
    ]


def _data(answers: Answers) -> str:
    """Say what was evaluated."""
    counts = pd.DataFrame({"kind": [*answers.counts], "count": [*answers.counts.values()]})
    code = html.paragraph(answers.pu._line(), "code")
    clusters = _table(
        "Clusters, and the factor by which they raise AUROC's variance", answers.clusters
    )
    return html.section("Data", code, html.table(counts, "Examples"), clusters)


def _betas(answers: Answers) -> str:
    """Say what beta was, and what it can be."""
    beta = answers.beta
    if isinstance(beta, pd.DataFrame):
        parts = [html.table(beta, "Beta, as it was passed")]
    elif read_betas(beta).shared is None:
        parts = [html.table(_by_group(beta), "Beta, as it was passed")]
    else:
        parts = [html.paragraph(f"Beta was passed as {float(beta):g}.")]
    limits = answers.ask("What beta can be", answers.pu.estimate_beta, level=answers.level)
    for frame in limits:
        said = frame.attrs["assumptions"]
        parts.append(html.table(frame, "What the known positives leave possible"))
        parts.append(html.paragraph(f"{said[:1].upper()}{said[1:]}."))
    return html.section("What beta can be", *parts)


def _by_group(beta: Any) -> pd.DataFrame:
    """Return the beta of each group, as it was passed."""
    if isinstance(beta, xr.DataArray):
        return beta.to_series().rename("beta").reset_index()
    by_key = dict(beta.items())
    return pd.DataFrame({"group": [*map(str, by_key)], "beta": [*by_key.values()]})


def _curves(answers: Answers) -> str:
    """Draw curves."""
    pu, beta, level = answers.pu, answers.beta, answers.level
    point = answers.point()
    highest = np.max([*point.values()] if isinstance(point, Mapping) else point)
    grid = np.linspace(0, min(max(2 * float(highest), 0.2), 0.9), 13)
    against_beta = partial(pu.plot_against_beta, "auroc", grid)
    plots = {
        "ROC curve with its band": partial(pu.plot_roc, beta),
        "Precision and recall, with their band": partial(pu.plot_pr, beta),
        "Precision among the first examples": partial(pu.plot_metric, "precision", beta),
        "Area under the ROC curve, were beta another": against_beta,
    }
    options = {"level": level, "band": answers.band}
    drawn = (answers.ask(name, _draw, name, plot, **options) for name, plot in plots.items())
    return f'<div class="pictures">{"".join(chain.from_iterable(drawn))}</div>'


def _comparison(answers: Answers) -> str:
    """Compare several models of the same rows."""
    pu, beta, level = answers.pu, answers.beta, answers.level
    if not isinstance(pu._roles.score, list):
        return ""
    differences = answers.ask("The comparison", pu.compare, beta, level=level)
    text = html.paragraph(
        "Which model has the higher AUROC is tested by known positives alone: sign and p value "
        "hold at any beta."
    )
    return html.section("Comparison", text, _table("Differences of AUROC", differences))


def _checks(answers: Answers) -> str:
    """Say whether the data contradict what is taken for granted."""
    text = html.paragraph(
        "Each check sees some failures and is blind to others. A small p value speaks against "
        "labels at random or β; no large one proves them."
    )
    table = _table("Checks", answers.checks)
    return html.section("Do the data contradict it", text, table) if table else ""


def _robustness(answers: Answers) -> str:
    """Say how far labels may be from random."""
    text = html.paragraph(
        "The factor by which the odds of being labeled may differ between any two positives, "
        "before the interval of AUROC reaches 0.5."
    )
    table = _table("Breaking point", answers.breaking)
    return html.section("Labels that are not quite random", text, table) if table else ""


def _notes(answers: Answers) -> str:
    """List what was warned of, and what there is no answer to."""
    notes = [html.paragraph(note, "note") for note in dict.fromkeys(answers.notes)]
    return html.section("What to look at", *notes) if notes else ""


def _versions() -> str:
    """Say what this was made with."""
    versions = {name: version(name) for name in _PACKAGES} | {"Python": platform.python_version()}
    rows = pd.DataFrame({"package": [*versions], "version": [*versions.values()]})
    return html.section("Made with", html.table(rows, f"On {datetime.now(UTC).date()}"))


def _draw(name: str, plot: Callable[..., Any], **options: Any) -> str:
    """Draw a picture of its own, which no other figure knows of."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.2), layout="constrained")
    plot(ax=figure.subplots(), **options)
    return html.picture(figure, name)


def _table(name: str, frames: list[pd.DataFrame]) -> str:
    """Put frames of numbers below each other, as one table that says what each is about."""
    if not frames:
        return ""
    told = [{name: frame.attrs[name] for name in _TOLD if name in frame.attrs} for frame in frames]
    about = [frame.assign(**each) for frame, each in zip(frames, told, strict=True)]
    return html.table(pd.concat(about, ignore_index=True), name)


def _read_path(path: str | os.PathLike[str]) -> Path:
    """Return where to write, or raise before anything is asked."""
    if not isinstance(path, str | os.PathLike):
        raise PUTypeError(
            f"path must be the name of a file, but {path!r} was passed: path='report.html'."
        )
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass  # it is written, or the folder is named below
    except (OSError, ValueError) as error:  # too long, forbidden, or with what no name may hold
        raise PUValueError(
            f"path must be the name of a file that can be written, but {brief(str(path))} was "
            f"passed: {error.args[-1]}. Pass path='report.html'."
        ) from error
    file = Path(path)
    if file.is_dir():
        raise PUValueError(
            f"path must be a file, but {str(path)!r} is a folder. Name one in it: "
            f"path={str(file / 'report.html')!r}."
        )
    if file.suffix.lower() not in (".html", ".htm"):
        raise PUValueError(
            f"path must end in .html, as that is what is written, but {str(path)!r} was passed. "
            f"Pass path={str(file.with_suffix('.html')) if file.name else 'report.html'!r}."
        )
    if not file.parent.is_dir():
        raise PUValueError(
            f"path must be in a folder that is there, but {str(file.parent)!r} is not. Make it "
            "first: pathlib.Path(path).parent.mkdir(parents=True)."
        )
    return file


def _one_beta(beta: Beta) -> Beta:
    """Return one beta, one for each group, or an estimate, as it was passed."""
    betas = read_betas(beta)
    if betas.shared is None or betas.are_estimates:
        return beta
    if betas.shared.values.size != 1:
        raise PUValueError(
            "beta must be one number in a report, or one for each group, but "
            f"{betas.shared.values.size} were passed. How much depends on it is drawn there; or "
            "write a report for each.",
            page="many_models#a-beta-for-each-group",
        )
    return betas.shared.point
