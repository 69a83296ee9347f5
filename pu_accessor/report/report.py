"""A report of one file: numbers, pictures and words that public methods give."""

from __future__ import annotations

import os
import platform
import warnings
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.accessors.bound import Bound
from pu_accessor.checks import check_level, check_option
from pu_accessor.errors import PUError, PUTypeError, PUValueError, PUWarning, brief
from pu_accessor.inference.estimates.cutoff_spec import At, read_cutoffs
from pu_accessor.questions.betas import Beta, read_betas
from pu_accessor.report import page as html
from pu_accessor.report.words import Facts, assumptions, for_a_paper, references

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["report"]

Found = TypeVar("Found")

_SUFFIXES = (".html", ".htm")
_PACKAGES = ("pu_accessor", "numpy", "scipy", "pandas", "xarray", "matplotlib", "seaborn")
_AT: At = {"fraction": [0.01, 0.05, 0.1]}
_TOLD = ("level", "beta_lower", "beta_upper", "joint")  # the same in all rows
_TITLE = "Evaluation from positive and unlabeled examples"


def report(
    self: Bound,
    beta: Beta,
    *,
    path: str | os.PathLike[str],
    at: At = _AT,
    level: float = 0.95,
    band: str = "exact",
    title: str = _TITLE,
) -> Path:
    """Write a report: one HTML file with numbers, pictures, and a paragraph for a paper.

    What is in it comes from the other methods: counts, what beta can be, curves with their
    bands, AUROC, average precision and metrics with intervals, the comparison of several models,
    how far labels may be from random, what is taken for granted, what was warned of, and versions.
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
        share, ``{"fraction": 0.1}``; a score, ``{"threshold": 0.5}``; the last cutoff with an
        estimated ``{"fpr": 0.05}`` at most or ``{"precision": 0.9}`` at least, the first with
        ``{"recall": 0.9}``, or tpr, at least; "youden" and "maximum", where the estimated
        informedness, or the metric itself, is highest.

        Of precision and recall.
    level : float, default 0.95
        Probability with which intervals and bands cover, in (0, 1).
    band : {"exact", "simultaneous", "bootstrap", "dkw"}, default "exact"
        Of curves, and of metrics at cutoffs.
    title : str, optional
        The heading.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    PUKeyError
        If there is no such column, or beta lacks a group.
    PUTypeError
        If an argument or a column is of a kind that is not allowed.
    PUValueError
        If one has a value that is not allowed, labels are ambiguous, or no row is a known
        positive. In a group, the error names it.

        Also if there are several betas, or `path` is a folder, in no folder that there is, or ends
        otherwise. A number that the data do not allow is no error: the report says why it is not
        there.

    See Also
    --------
    auroc, average_precision, metric, compare, robustness, plot_roc : Where it is from.

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
    asked = _Report(self, _one_beta(beta), at, check_level(level), band)
    file.write_text(html.page(title, asked.parts()), encoding="utf-8")
    return file


class _Report:
    """What is asked of an accessor for a report, and what it warned of meanwhile.

    Parameters
    ----------
    pu : Accessor
        Whom to ask.
    beta, at, level, band
        As in `report`.
    """

    def __init__(self, pu: Bound, beta: Any, at: At, level: float, band: str) -> None:
        self._pu: Any = pu
        self._beta, self._at, self._level, self._band = beta, at, level, band
        self._notes: list[str] = []
        self._models = isinstance(pu._roles.score, list)

    def parts(self) -> list[str]:
        """Return the sections."""
        pu, beta, level = self._pu, self._beta, self._level
        # What is wrong with rows or arguments raises here, before anything else is asked.
        these = self._noting(lambda: pu.auroc(beta, target="examples", level=level))
        new = self._try("AUROC on new examples", lambda: pu.auroc(beta, level=level))
        keys = [str(name) for name in these.columns[: [*these.columns].index("beta")]]
        precision = [
            self._try(
                f"Average precision of {name} examples",
                partial(pu.average_precision, beta, target=target, level=level),
            )
            for name, target in (("new", "population"), ("these", "examples"))
        ]
        rates = self._try("Metrics at cutoffs", self._rates)
        breaking = self._try("How far labels may be from random", self._breaking)
        areas = {"AUROC": these if new is None else new}
        if (found := next((one for one in precision if one is not None), None)) is not None:
            areas["average precision"] = found
        facts = Facts(
            counts=pu._counts(),
            beta=beta,
            keys=keys,
            level=level,
            band=self._band if pu._roles.propensity is None else "weighted",
            areas=areas,
            rates=rates,
            breaking=breaking,
            propensity=pu._roles.propensity,
            version=version("pu_accessor"),
        )
        told = html.paragraph(f"With {100 * level:g}% intervals, from lower to upper.")
        numbers = [
            ("AUROC", [new, these]),
            ("Average precision", precision),
            ("Precision and recall", [rates]),
        ]
        return [
            html.section("In short", html.paragraph(for_a_paper(facts), "blockquote"))
            + html.paragraph("To copy. What stands in brackets is yours to say."),
            self._counts(facts),
            self._of_beta(),
            html.section("Curves", self._curves()),
            html.section("Numbers", told, *(_below(name, some) for name, some in numbers)),
            self._comparison(),
            self._robustness(breaking),
            html.section("What is taken for granted", html.items(assumptions(facts))),
            self._warned(),
            html.section("References", html.items(references())),
            self._versions(),
        ]

    def _rates(self) -> pd.DataFrame:
        """Ask for precision and recall at the cutoffs."""
        found: pd.DataFrame = self._pu.metric(
            ["precision", "recall"],
            self._beta,
            at=self._at,
            target="examples",
            level=self._level,
            band=self._band,
        )
        return found

    def _breaking(self) -> pd.DataFrame:
        """Ask by which factor the odds of being labeled may differ."""
        found: pd.DataFrame = self._pu.robustness(
            "auroc", self._point(), selection_odds=1, level=self._level
        )
        of_factor = ["selection_odds", "range_lower", "range_upper", "lower", "upper"]
        return found.drop(columns=of_factor)

    def _point(self) -> Any:
        """Return beta without its interval."""
        if not isinstance(self._beta, pd.DataFrame):
            return self._beta
        return read_betas(self._beta).points()

    def _counts(self, facts: Facts) -> str:
        """Tell what was evaluated."""
        counted = pd.DataFrame({"kind": [*facts.counts], "count": [*facts.counts.values()]})
        return html.section(
            "Data", html.paragraph(self._pu._line(), "code"), html.table(counted, "Examples")
        )

    def _of_beta(self) -> str:
        """Tell what beta was, and what it can be."""
        parts = []
        if isinstance(self._beta, pd.DataFrame):
            parts.append(html.table(self._beta, "Beta, as it was passed"))
        elif read_betas(self._beta).shared is None:
            parts.append(html.table(self._each_beta(), "Beta, as it was passed"))
        else:
            parts.append(html.paragraph(f"Beta was passed as {float(self._beta):g}."))
        limits = self._try("What beta can be", lambda: self._pu.estimate_beta(level=self._level))
        if limits is not None:
            parts += [
                html.table(limits, "What the known positives leave possible"),
                html.paragraph(_as_sentence(str(limits.attrs.get("assumptions", "")))),
            ]
        return html.section("What beta can be", *parts)

    def _each_beta(self) -> pd.DataFrame:
        """Return the beta of each group, as it was passed."""
        beta = self._beta
        if isinstance(beta, xr.DataArray):
            return beta.to_series().rename("beta").reset_index()
        by_key = dict(beta.items())
        return pd.DataFrame({"group": [*map(str, by_key)], "beta": [*by_key.values()]})

    def _curves(self) -> str:
        """Draw curves."""
        pu, beta, level, band = self._pu, self._beta, self._level, self._band
        if isinstance(beta, pd.DataFrame) and float(beta["level"].iloc[0]) <= level:
            beta = self._point()
            self._notes.append(
                "Curves are drawn at the point estimate of beta, as its interval is of no higher "
                f"level than {level:g}: estimate it at level={(1 + level) / 2:g} to see the "
                "envelope."
            )
        point = self._point()
        most = np.max([*point.values()] if isinstance(point, Mapping) else point)
        grid = np.linspace(0, min(max(2 * float(most), 0.2), 0.9), 13)
        how = {"level": level, "band": band}
        drawings: list[tuple[str, Callable[[Axes], Any]]] = [
            ("ROC curve with its band", lambda ax: pu.plot_roc(beta, ax=ax, **how)),
            ("Precision and recall, with their band", lambda ax: pu.plot_pr(beta, ax=ax, **how)),
            (
                "Precision among the first examples",
                lambda ax: pu.plot_metric("precision", beta, x="rank", ax=ax, **how),
            ),
            (
                "Area under the ROC curve, were beta another",
                lambda ax: pu.plot_against_beta("auroc", grid, ax=ax, **how),
            ),
        ]
        shown = [self._try(name, partial(_drawn, name, draw)) for name, draw in drawings]
        return f'<div class="pictures">{"".join(one for one in shown if one is not None)}</div>'

    def _comparison(self) -> str:
        """Compare several models of the same rows."""
        if not self._models:
            return ""
        pu, beta, level = self._pu, self._beta, self._level
        found = self._try("The comparison", lambda: pu.compare(beta, level=level))
        if found is None:
            found = self._try("Of these", lambda: pu.compare(beta, level=level, target="examples"))
        told = html.paragraph(
            "Which model has the higher AUROC is tested by known positives alone: sign and p "
            "value hold at any beta."
        )
        return html.section("Comparison", told, _below("Differences of AUROC", [found]))

    def _robustness(self, breaking: pd.DataFrame | None) -> str:
        """Tell how far labels may be from random."""
        told = html.paragraph(
            "The factor by which the odds of being labeled may differ between any two positives, "
            "before the interval of AUROC reaches 0.5."
        )
        parts = [_below("Breaking point", [breaking])] if breaking is not None else []
        return html.section("Labels that are not quite random", told, *parts) if parts else ""

    def _warned(self) -> str:
        """List what was warned of, and what there is no answer to."""
        notes = [*dict.fromkeys(self._notes)]
        return html.section("What to look at", *(html.paragraph(n, "note") for n in notes)) * bool(
            notes
        )

    def _versions(self) -> str:
        """Tell what this was made with."""
        made = {name: version(name) for name in _PACKAGES} | {"Python": platform.python_version()}
        rows = pd.DataFrame({"package": [*made], "version": [*made.values()]})
        today = datetime.now(UTC).date()
        return html.section("Made with", html.table(rows, f"On {today}"))

    def _try(self, name: str, ask: Callable[[], Found]) -> Found | None:
        """Return an answer, or note why there is none."""
        try:
            return self._noting(ask)
        except PUError as error:
            self._notes.append(f"{name} is not there: {error}")
            return None

    def _noting(self, ask: Callable[[], Found]) -> Found:
        """Return an answer, and note what it warns of."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", PUWarning)
            found = ask()
        for one in caught:
            if issubclass(one.category, PUWarning):
                self._notes.append(str(one.message))
            else:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return found


def _as_sentence(text: str) -> str:
    """Write a text with a capital first, and a full stop."""
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _drawn(name: str, draw: Callable[[Axes], Any]) -> str:
    """Draw a picture of its own, which no other figure knows of."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.2), layout="constrained")
    draw(figure.subplots())
    return html.picture(figure, name)


def _below(name: str, frames: list[pd.DataFrame | None]) -> str:
    """Put frames of numbers below each other, as one table, without what is told elsewhere."""
    there = [
        frame.drop(columns=[*_TOLD], errors="ignore") for frame in frames if frame is not None
    ]
    return html.table(pd.concat(there, ignore_index=True), name) if there else ""


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
    if file.suffix.lower() not in _SUFFIXES:
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
            f"beta must be one number in a report, or one for each group, but "
            f"{betas.shared.values.size} were passed. How much depends on it is drawn there; or "
            "write a report for each."
        )
    return betas.shared.point
