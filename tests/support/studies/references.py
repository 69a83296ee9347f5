"""Does the kind of known examples that looks sharper hold the curve? `reference="tightest"`.

So many positives and negatives are known, drawn at random, and the simultaneous bounds of
whichever kind gives the narrower range of AUROC are asked for all cutoffs through the public
method.
"""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

import pu_accessor  # noqa: F401  registers df.pu
from pu_accessor import PUWarning
from pu_accessor.ranking import FloatArray

SEED = 20261121


class Design(NamedTuple):
    """A known number of each kind, of so many; distance and deviation of the positives' scores."""

    distance: float
    deviation: float
    known: tuple[int, int]
    examples: tuple[int, int]


class Found(NamedTuple):
    """How often all cutoffs were held, what was said by way of warning, and the mean width."""

    covers: float
    below: float  # true positives fewer than the lower bound somewhere
    above: float
    width: float
    warned: float
    silent: float  # missed without a warning


CHOSEN = {
    "few alike, AUROC .50": Design(0, 1, (60, 60), (200, 200)),
    "few alike, AUROC .64": Design(0.5, 1, (60, 60), (200, 200)),
    "few alike, AUROC .86": Design(1.5, 1, (60, 60), (200, 200)),
    "few positives, many negatives": Design(1, 1, (20, 80), (200, 200)),
}
CHECKED = {
    "fewer alike, AUROC .53": Design(0.1, 1, (20, 20), (100, 100)),
    "most known, AUROC .50": Design(0, 1, (120, 120), (200, 200)),
    "worse than chance": Design(-0.7, 1, (50, 50), (150, 250)),
    "wide positives": Design(0.3, 2, (40, 60), (150, 250)),
    "rare positives": Design(0.8, 1, (20, 60), (40, 360)),
    "many positives, few negatives": Design(0.4, 1, (100, 30), (200, 200)),
}


def own(caught: list[warnings.WarningMessage]) -> bool:
    """Return whether something was said about an interval, other than that beta is too high."""
    told = [str(one.message) for one in caught if issubclass(one.category, PUWarning)]
    return any(not text.startswith("beta exceeds the upper limit") for text in told)


def look(name: str, draws: int) -> Found:
    """Simulate a design."""
    design = {**CHOSEN, **CHECKED}[name]
    rng = np.random.default_rng([SEED, *name.encode()])
    truth = np.repeat([True, False], design.examples)
    within = np.concatenate([np.arange(count) for count in design.examples])
    known = within < np.repeat(design.known, design.examples)  # scores are exchangeable
    label, beta = np.where(known, truth, np.nan), float(truth[~known].mean())
    rows = np.empty((draws, 4))
    for turn in range(draws):
        score = rng.normal(0, np.where(truth, design.deviation, 1)) + design.distance * truth
        rows[turn] = _ask(pd.DataFrame({"score": score, "label": label}), truth, beta)
    below, above, width, warned = rows.T
    return summarise(1 - np.maximum(below, above), below, above, width, warned)


def summarise(
    held: FloatArray, below: FloatArray, above: FloatArray, width: FloatArray, warned: FloatArray
) -> Found:
    """Return shares of draws, and the mean width where there is one."""
    silent = (1 - held) * (1 - warned)
    return Found(
        covers=float(held.mean()),
        below=float(below.mean()),
        above=float(above.mean()),
        width=float(np.nanmean(width)),
        warned=float(warned.mean()),
        silent=float(silent.mean()),
    )


def _ask(frame: pd.DataFrame, truth: FloatArray, beta: float) -> tuple[bool, bool, float, bool]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tables = frame.pu.assume(reference="tightest").contingency(
            beta, band="simultaneous", ranks="all"
        )
    tp = tables["tp"].transpose("bound", "beta", "rank").to_numpy()[:, 0]
    found = np.append(0, np.cumsum(truth[np.argsort(-frame["score"].to_numpy())]))
    lower, upper = tp[0], tp[2]
    width = float(np.mean(upper - lower)) / int(truth.sum())
    return bool((found < lower).any()), bool((found > upper).any()), width, own(caught)
