"""``df.pu``: roles, assumptions, and the list of methods."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from textwrap import wrap
from typing import Any, NoReturn, Unpack

from pu_accessor.beta import Betas, UserBeta, read_betas
from pu_accessor.checks import check_level, check_option, check_ranks
from pu_accessor.errors import PUError, PUValueError, brief, explain_signaling_nan
from pu_accessor.inference.bands import band_name
from pu_accessor.questions import (
    beta_and_assumptions,
    comparison,
    cutoffs_and_calibration,
    estimation,
    hand_labels,
    pictures,
    tables,
)
from pu_accessor.questions.call_errors import explain_attribute, explain_call_errors, public_names
from pu_accessor.questions.report import report
from pu_accessor.ranking import LazyByKey, PairedRanks, Rankings, Ranks
from pu_accessor.roles_and_assumptions import (
    ASSUMPTIONS,
    OF_TABLES,
    ROLES,
    Assumed,
    FrameRoles,
    Terms,
    UserBand,
    check_known,
    refuse,
)
from pu_accessor.sources.frames import FrameSource

_WIDTH = 80  # of a terminal
# Calls that make a source which has no attribute `pu`.
_ROOTS = {
    "arrays": "pu_accessor.from_arrays(score, label)",
    "chunks": "pu_accessor.from_chunks(chunks)",
}

_DEFAULT_TERMS = Terms()
# Methods that have no answer without beta, whatever is asked.
_OF_BETA = (*OF_TABLES, "calibration", "cutoff", "dominance", "rank_cdf", "robustness")
# Facts of each kind of source in the table of exclusions.
_SOURCE_FACTS: dict[str, tuple[str, ...]] = {
    "frame": (),
    "groupby": ("a groupby",),
    "arrays": ("data in arrays",),
    "samples": ("data in a Dataset",),
    "lazy": ("data in a LazyFrame",),
    "pieces": ("data in chunks",),
    "groupby of pieces": ("a groupby", "data in chunks"),
}


@explain_call_errors
class Accessor:
    """Evaluate classifiers from known positives and unlabeled examples.

    ``df.pu(roles).assume(assumptions).method(beta)``: roles say what columns mean, and each
    analysis is a method. See `__call__` and `assume`.

    Examples
    --------
    >>> import pu_accessor
    >>> df = pu_accessor.load_example()
    >>> df.pu(score="score").assume(selection_odds=1.5).auroc(0.17)["lower"].round(3).item()
    0.813
    """

    def __init__(self, source: FrameSource, terms: Terms | None = None) -> None:
        self._source = source
        self._terms = _DEFAULT_TERMS if terms is None else terms

    def __call__(self, **roles: Unpack[FrameRoles]) -> Accessor:
        """Set the roles of columns. Roles that are not passed stay as they are.

        Data are read when a method is called.

        Parameters
        ----------
        score : hashable or list, default "score"
            Column of scores, higher is more positive; a list has one column for each model.
        label : hashable, default "label"
            Column of labels: true, false and missing are positive, negative and unlabeled.
        by : hashable or list, optional
            Columns whose values make groups, each a ranking of its own. Rows with a missing value
            are in no group, as in pandas.
        cluster : hashable, optional
            Column of clusters: rows of one patient, user or site are dependent.
        weight : hashable, optional
            Column of sampling weights, such as inverse probabilities. Their ratios count, within
            each group: ranks, and numbers in tables, are of rows with its least weight.
        count : hashable, optional
            Column of counts, whole numbers: how many identical rows each row stands for.
        propensity : hashable, optional
            Column of the probabilities, in (0, 1], that positives are labeled.
        positive, negative, unlabeled : value or list, optional
            Values of each state, for labels with another coding.
        nan_policy : {"raise", "omit", "worst", "unretrieved"}, default "raise"
            Rows without a score raise, are left out, are ranked last in one shared cutoff, or rank
            below every cutoff, as documents that a search did not return in trec_eval.
        on_error : {"raise", "skip", "nan"}, default "raise"
            A group without a result raises, is left out with a warning, or has a row of NaN and
            the reason in a column.
        progress : bool, default False
            Show a progress bar over groups.
        average : bool, str or list, default False
            Average the metric over groups with equal weights, such as queries, users or folds, to
            expect it of new groups like these.

        Returns
        -------
        Accessor
            With these roles.

        Raises
        ------
        PUTypeError, PUValueError
            For an unknown role, roles that exclude each other, or a value that is not allowed.

        Examples
        --------
        >>> import pu_accessor
        >>> df = pu_accessor.load_example().rename(columns={"score": "svm"})
        >>> df.pu(score="svm", on_error="skip")
        <df.pu(score='svm', on_error='skip')>
        known positives  202
        known negatives  0
        unlabeled        1,798
        distinct scores  1,995 in 2,000 scores (ties share a cutoff)
        """
        check_known("df.pu", roles, ROLES)
        return self._with(**roles)

    def assume(self, **assumed: Unpack[Assumed]) -> Accessor:
        """Set assumptions about labels and scores. Those that are not passed stay as they are.

        Parameters
        ----------
        reference : {"positives", "negatives", "tightest"}, default "positives"
            Which known examples are a random sample of their class, from which bands are computed.
            "tightest" uses the class with the narrower range of AUROC.
        selection_odds : float, default 1
            Factor by which the odds of being labeled may differ between any two positives: 1 for
            labels selected completely at random (SCAR), infinite without any assumption.
        contamination : float, default 0
            Largest share of the known positives that may be negative, in [0, 0.5).
        monotone : bool, default False
            Whether a higher score never means a smaller probability of being positive. Where this
            is slightly wrong and few positives are known, intervals are wrong without a warning:
            with 50 known and 3% of the positives at the bottom, curves cover .27.
        prevalence : float, optional
            Share of positives among future data, in (0, 1), if it differs from this sample.

        Returns
        -------
        Accessor
            With these assumptions.

        Raises
        ------
        PUTypeError, PUValueError
            As for roles; or if an assumption and a role exclude each other.

        Examples
        --------
        >>> import pu_accessor
        >>> df = pu_accessor.load_example()
        >>> df.pu.assume(selection_odds=2).auroc(0.17)[["lower", "upper"]].round(3)
           lower  upper
        0  0.782  0.946
        """
        check_known("assume", assumed, ASSUMPTIONS)
        return self._with(**assumed)

    # Tables and curves
    contingency = tables.contingency
    roc_bounds = tables.roc_bounds
    pr_bounds = tables.pr_bounds
    rank_cdf = tables.rank_cdf
    # Numbers
    auroc = estimation.auroc
    average_precision = estimation.average_precision
    metric = estimation.metric
    cutoff = cutoffs_and_calibration.cutoff
    calibration = cutoffs_and_calibration.calibration
    report = report
    # Comparisons
    compare = comparison.compare
    gap = comparison.gap
    dominance = comparison.dominance
    # Assumptions, and labels
    estimate_beta = beta_and_assumptions.estimate_beta
    check_assumptions = beta_and_assumptions.check_assumptions
    robustness = beta_and_assumptions.robustness
    sample_to_label = hand_labels.sample_to_label
    # Plots
    plot_roc = pictures.plot_roc
    plot_pr = pictures.plot_pr
    plot_rank_cdf = pictures.plot_rank_cdf
    plot_metric = pictures.plot_metric
    plot_forest = pictures.plot_forest
    plot_calibration = pictures.plot_calibration

    def __dir__(self) -> list[str]:
        return public_names(type(self))

    def __getattr__(self, name: str) -> NoReturn:
        advice = explain_attribute(Accessor, name)
        raise AttributeError(f"df.pu has no attribute {brief(name)}.{advice}")

    def __repr__(self) -> str:
        return fold(f"<{self._code()}>", self._counts())

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align: left'>{escape(name)}</th><td>{escape(text)}</td></tr>"
            for name, text in self._counts().items()
        )
        return f"<table><caption>{escape(self._code())}</caption>{rows}</table>"

    def _with(self, **terms: Any) -> Accessor:
        """Return the accessor with some roles and assumptions changed."""
        return Accessor(self._source, self._terms.update(**terms))

    def _without_rows(self) -> Accessor:
        """Return an accessor that refuses what this one does, and has no columns."""
        source = FrameSource()
        source.kind = self._source.kind
        return Accessor(source, self._terms)

    def _code(self) -> str:
        """Return the code of roles and assumptions."""
        roles, assumed = (
            ", ".join(
                f"{name}={term!r}" if isinstance(term, str) else f"{name}={reprlib.repr(term)}"
                for name, term in self._terms.facts(names).items()
            )
            for names in (ROLES, ASSUMPTIONS)
        )
        root = _ROOTS.get(self._source.name, f"{self._source.name}.pu")
        return f"{root}{f'({roles})' * bool(roles)}{f'.assume({assumed})' * bool(assumed)}"

    def _counts(self) -> dict[str, str]:
        """Return the counts of examples, or why there are none."""
        try:
            with explain_signaling_nan():
                return self._source.summary(self._terms)
        except PUError as error:
            names = "df.pu(score='my_score', label='my_label')"
            return {"not ready": str(error), "other columns": names}

    def _read_arguments(
        self,
        method: str,
        beta: UserBeta | None = None,
        *,
        level: float = 0.95,
        band: UserBand = "exact",
        target: str | None = None,
        **facts: Any,
    ) -> tuple[Betas, Terms]:
        """Read beta and the band; raise if roles, assumptions and facts exclude each other."""
        if target is not None:
            check_option("target", target, ("population", "examples"))
            facts[f"target={target!r}"] = target
        terms = self._terms
        facts["nan_policy='unretrieved'"] = terms.sinks
        facts["on_error='nan'"] = terms.on_error == "nan"
        facts["a list of scores"] = terms.is_wide and terms.score
        betas = Betas() if beta is None and method not in _OF_BETA else read_betas(beta)
        if betas.kind != "points":
            facts[f"beta=an {betas.kind}"] = beta
        name = band_name(band)
        facts["band"] = name if band != "exact" else None
        facts["band=one for labels selected at random"] = band not in ("exact", "simultaneous")
        facts = {n: fact for n, fact in facts.items() if fact is not None and fact is not False}
        source = dict.fromkeys(_SOURCE_FACTS[self._source.kind], self._source.kind)
        if terms.is_wide and "model" in (betas.levels or ()):
            raise PUValueError(
                "beta must be the same for models of the same rows, but has a row for each. Pass "
                f"that of one: beta=beta[beta['model'] == {brief(terms.models[0])}]"
                ".drop(columns='model')."
            )
        refuse({**terms.facts(), **source, **facts}, method)
        return betas, replace(terms, level=check_level(level), band=band)

    def _assumed(self) -> dict[str, Any]:
        """Return the assumptions that differ from the defaults."""
        return self._terms.facts(ASSUMPTIONS)

    def _attrs(self, terms: Terms, target: str, band: str = "") -> dict[str, Any]:
        """Return the attributes that describe a result."""
        of_band = {"band": band} if band else {}
        return {"level": terms.level, **of_band, "target": target, **self._assumed()}

    def _rank(self, ranks: Ranks = "breakpoints") -> Rankings:
        """Return the rankings."""
        check_ranks(ranks)
        ranks = "all" if self._terms.sinks and isinstance(ranks, str) else ranks
        if isinstance(ranks, str) and ranks == "all":
            refuse(dict.fromkeys(("ranks='all'", *_SOURCE_FACTS[self._source.kind]), ranks))
        self._source.warn_of_mixed(self._terms)
        return self._source.rank(self._terms, ranks)

    def _pair(self, on: Any) -> LazyByKey[PairedRanks]:
        """Return paired ranks of models: columns of a row, or rows of groups paired by `on`."""
        grouped = self._terms.by is not None or "a groupby" in _SOURCE_FACTS[self._source.kind]
        if on is None and grouped and not self._terms.is_wide:
            raise PUValueError(
                "on must name the column that pairs the rows of groups, but None was passed. For "
                "example on='example_id'; groups that share no examples have a gap: "
                "df.pu(by='site').gap('auroc', 0.3)."
            )
        return self._source.pair(self._terms, on)


def fold(head: str, rows: Mapping[str, str]) -> str:
    """Return a repr in lines no longer than a terminal."""
    lines = wrap(head, _WIDTH, subsequent_indent="  ")
    indent = " " * (max(map(len, rows), default=0) + 2)
    for name, text in rows.items():
        first = f"{name:<{len(indent)}}"
        lines += wrap(text, _WIDTH, initial_indent=first, subsequent_indent=indent)
    return "\n".join(lines)
