"""What each public question costs as known positives, rows, groups, models and betas grow.

Run ``python -m tests.support.benchmarks.costs``, for an hour; ``--only cutoff`` takes some
questions alone and writes nothing. The table is ``docs/measured/benchmarks_costs.csv``: seconds of
one processor, which other work of the machine changes little, and the peak of memory at each size,
and the slope of the logarithms of both over the last tenfold.
"""

import argparse
import math
import signal
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from timeit import Timer
from types import FrameType
from typing import Any, NamedTuple, TypeAlias

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import pu_accessor
from tests.support.benchmarks.contestants import BETA, Rows, peak_memory
from tests.support.studies.tables import write_table

Question: TypeAlias = Callable[[Any, Any], object]  # an accessor and beta

SPAN = pd.Interval(0.05, 0.4)  # of beta
PAGE = Path(tempfile.gettempdir(), "pu_accessor_costs.html")
_LONGEST = 60.0  # seconds; a larger size is not tried after this
_MIB = 1 << 20

QUESTIONS: dict[str, Question] = {
    "auroc": lambda pu, beta: pu.auroc(beta),
    "auroc, these examples": lambda pu, beta: pu.auroc(beta, target="examples"),
    "auroc, odds": lambda pu, beta: pu.assume(selection_odds=1.5).auroc(beta),
    "auroc, interval of beta": lambda pu, _: pu.auroc(SPAN),
    "auroc, max_fpr": lambda pu, beta: pu.auroc(beta, max_fpr=0.1),
    "auroc, monotone": lambda pu, beta: pu.assume(monotone=True).auroc(beta),
    "auroc, clusters": lambda pu, beta: pu(cluster="patient").auroc(beta),
    "auroc, weights": lambda pu, beta: pu(weight="weight").auroc(beta),
    "average_precision": lambda pu, beta: pu.average_precision(beta),
    "average_precision, these examples": lambda pu, beta: pu.average_precision(
        beta, target="examples"
    ),
    "metric at a cutoff": lambda pu, beta: pu.metric("mcc", beta, at={"fraction": 0.1}),
    "metric, best cutoff": lambda pu, beta: pu.metric("f1", beta, at="maximum"),
    "metric at a false positive rate": lambda pu, beta: pu.metric("tpr", beta, at={"fpr": 0.1}),
    "metrics at a threshold": lambda pu, beta: pu.metric(
        ["recall", "fpr"], beta, at={"threshold": 1.5}
    ),
    "bedroc": lambda pu, beta: pu.metric("bedroc", beta, target="examples"),
    "boyce": lambda pu, _: pu.metric("boyce"),
    "roc_bounds": lambda pu, beta: pu.roc_bounds(beta),
    "roc_bounds, simultaneous": lambda pu, beta: pu.roc_bounds(beta, band="simultaneous"),
    "roc_bounds, new examples": lambda pu, beta: pu.roc_bounds(beta, target="population"),
    "roc_bounds, interval of beta": lambda pu, _: pu.roc_bounds(SPAN),
    "roc_bounds, odds": lambda pu, beta: pu.assume(selection_odds=1.5).roc_bounds(beta),
    "roc_bounds, monotone": lambda pu, beta: pu.assume(monotone=True).roc_bounds(beta),
    "roc_bounds, clusters": lambda pu, beta: pu(cluster="patient").roc_bounds(beta),
    "roc_bounds, weights": lambda pu, beta: pu(weight="weight").roc_bounds(beta),
    "pr_bounds": lambda pu, beta: pu.pr_bounds(beta),
    "rank_cdf": lambda pu, beta: pu.rank_cdf(beta),
    "recall, many cutoffs": lambda pu, beta: pu.metric(
        "recall", beta, at={"fraction": [share / 20 for share in range(1, 20)]}
    ),
    "contingency": lambda pu, beta: pu.contingency(beta, ranks="breakpoints"),
    "cutoff": lambda pu, beta: pu.cutoff(beta, recall=0.9),
    "net_benefit": lambda pu, beta: pu(score="chance").metric(
        "net_benefit", beta, at={"threshold": 0.5}, target="examples"
    ),
    "calibration": lambda pu, beta: pu(score="chance").calibration(beta),
    "compare": lambda pu, beta: pu.compare("auroc", beta),
    "dominance": lambda pu, beta: pu.dominance(beta),
    "gap": lambda pu, beta: pu.gap("auroc", beta),
    "robustness": lambda pu, beta: pu.robustness("auroc", beta),
    "check_assumptions": lambda pu, beta: pu.check_assumptions(beta),
    "estimate_beta": lambda pu, _: pu.estimate_beta(),
    "sample_to_label": lambda pu, _: pu.sample_to_label(50, random_state=0),
    "plot_roc": lambda pu, beta: pu.plot_roc(beta),
    "plot_pr": lambda pu, beta: pu.plot_pr(beta),
    "plot_metric": lambda pu, beta: pu.plot_metric("precision", beta),
    "report": lambda pu, beta: pu.report(beta).save(PAGE),
}
SORT = "numpy.argsort of the scores"  # what data in caches, and then not, do to a slope
QUESTIONS[SORT] = lambda pu, _: np.argsort(pu._source._frame["score"].to_numpy())
SEVERAL = ("compare", "dominance", "gap")  # ask about more than one ranking
MODELS = ("compare", "dominance")


class Axis(NamedTuple):
    """What grows, its sizes, what is asked at a size, and which questions make sense."""

    name: str
    sizes: Sequence[int]
    asked: Callable[[int], tuple[Any, Any]]
    questions: Sequence[str]


def _columns(rows: Rows, beta: float = BETA) -> pd.DataFrame:
    """Return the frame with a chance, a patient and a weight for each example."""
    rng, frame = np.random.default_rng(0), rows.frame
    frame["chance"] = 1 / (1 + np.exp(np.log1p(-beta) - math.log(beta) + 0.72 - 1.2 * rows.score))
    frame["patient"] = rng.integers(0, len(frame) // 10 + 1, len(frame))
    frame["weight"] = np.where(rows.label, 1, rng.integers(1, 10, len(frame)))
    return frame


def _of_known(count: int) -> tuple[Any, Any]:
    return _columns(Rows(4 * count, count)).pu, BETA


def _of_rows(count: int) -> tuple[Any, Any]:
    return _columns(Rows(count, 1_000)).pu, BETA


def _of_groups(count: int) -> tuple[Any, Any]:
    frame = _columns(Rows(200 * count, 40 * count))
    known = frame["label"].notna().to_numpy().argsort(kind="stable")
    frame = frame.iloc[known].reset_index(drop=True)  # 40 known positives in each group
    frame["group"] = np.arange(len(frame)) % count
    return frame.pu(by="group"), BETA


def _of_models(count: int) -> tuple[Any, Any]:
    frame = _columns(Rows(10_000, 500))
    noise = np.random.default_rng(1).standard_normal((len(frame), count))
    scores = [f"model {number}" for number in range(count)]
    more = pd.DataFrame(noise + frame["score"].to_numpy()[:, np.newaxis], columns=scores)
    return pd.concat([frame, more], axis=1).pu(score=scores), BETA


def _of_betas(count: int) -> tuple[Any, Any]:
    return _columns(Rows(100_000, 1_000)).pu, np.linspace(0.1, 0.35, count)


_ONE = [name for name in QUESTIONS if name not in SEVERAL]
_NO_MODEL = ("net_benefit", "calibration")  # take one column, of probabilities
_ONE_MODEL = (*_NO_MODEL, "gap", "select", "sample_to_label")
_NO_BETA = (
    "boyce",
    "estimate_beta",
    "sample_to_label",
    "report",
    "check_assumptions",
    "select",
    SORT,
)
AXES = [
    Axis("known positives", [10**3, 10**4, 10**5, 10**6], _of_known, _ONE),
    Axis("rows", [10**4, 10**5, 10**6, 10**7], _of_rows, _ONE),
    Axis(
        "groups",
        [10, 100, 1_000],
        _of_groups,
        [
            name
            for name in QUESTIONS
            if name not in (*MODELS, SORT) and not name.startswith("plot")
        ],
    ),
    Axis(
        "models",
        [1, 10, 100, 1_000],
        _of_models,
        [
            name
            for name in QUESTIONS
            if name not in (*_NO_MODEL, SORT, "gap", "select", "sample_to_label")
        ],
    ),
    Axis(
        "betas",
        [1, 10, 100, 1_000],
        _of_betas,
        [name for name in _ONE if name not in _NO_BETA and "interval" not in name],
    ),
]


class TooLongError(Exception):
    """A call took longer than is waited for."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise TooLongError


def cost(question: Question, asked: tuple[Any, Any]) -> tuple[float, int]:
    """Return the time of a call, in seconds, and the peak of memory in bytes."""

    def call() -> None:
        question(*asked)
        plt.close("all")

    call()  # warms up
    times, taken = Timer(call, timer=time.process_time).autorange()
    return taken / times, peak_memory(call)


def measured(axis: Axis, only: str) -> Iterator[tuple[str, int, float, int]]:
    """Yield a question, a size, seconds and bytes; the largest sizes only if there is time."""
    late: set[str] = set()
    for size in axis.sizes:
        asked = axis.asked(size)
        for name in axis.questions:
            if only not in name or name in late or (size == 1 and name in SEVERAL):
                continue
            signal.setitimer(signal.ITIMER_PROF, 5 * _LONGEST)
            try:
                taken, peak = cost(QUESTIONS[name], asked)
            except (pu_accessor.PUError, TooLongError) as error:
                print(f"{axis.name} {size:,} {name}: {type(error).__name__} {error}", flush=True)
                late.add(name)
                continue
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            if taken > _LONGEST / 8:
                late.add(name)
            print(f"{axis.name} {size:,} {name}: {taken:.3g} s, {peak / _MIB:.3g} MiB", flush=True)
            yield name, size, taken, peak


def slope(sizes: Sequence[int], figures: Sequence[float]) -> float:
    """Return by which power of the size a figure grows over the last two sizes."""
    if len(figures) < 2:
        return math.nan
    return math.log(figures[-1] / figures[-2]) / math.log(sizes[-1] / sizes[-2])


def table(axes: Sequence[Axis], only: str = "") -> tuple[list[str], list[list[object]]]:
    """Return the head and the lines of the table, one for each question and axis."""
    head = [
        "what grows",
        "question",
        "sizes",
        "seconds",
        "MiB",
        "slope of seconds",
        "slope of MiB",
    ]
    body: list[list[object]] = []
    for axis in axes:
        found = list(measured(axis, only))
        for name in axis.questions:
            mine = [row[1:] for row in found if row[0] == name]
            if not mine:
                continue
            sizes, seconds, peaks = zip(*mine, strict=True)
            slopes = [f"{slope(sizes, figures):.2f}" for figures in (seconds, peaks)]
            cells = [" ".join(f"{size}" for size in sizes)]
            cells += [" ".join(f"{figure:.2g}" for figure in seconds)]
            cells += [" ".join(f"{peak / _MIB:.2g}" for peak in peaks)]
            body.append([axis.name, name, *cells, *slopes])
    return head, body


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", default="", help="part of the name of a question")
    parser.add_argument("--axis", default="", help="part of the name of what grows")
    asked = parser.parse_args(arguments)
    mpl.use("Agg")
    signal.signal(signal.SIGPROF, _stop)
    warnings.simplefilter("ignore")  # a thousand groups have a thousand peculiarities
    axes = [axis for axis in AXES if asked.axis in axis.name]
    head, body = table(axes, asked.only)
    if not asked.only and not asked.axis:
        write_table("benchmarks_costs", head, body)
    for line in body:
        print(" | ".join(map(str, line)))


if __name__ == "__main__":
    main()
