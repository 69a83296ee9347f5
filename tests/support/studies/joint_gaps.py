"""Do gaps hold jointly with estimates of beta? ``python -m tests.support.studies.joint_gaps``.

Two groups, of which one is ranked better; beta comes from labels made by hand in each, or from
one sample of both, whose groups then have the same beta.
"""

import argparse
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

import pu_accessor
from pu_accessor import PUWarning
from pu_accessor.ranking import FloatArray
from tests.support.studies.population import SHAPES
from tests.support.studies.tables import write_table

SEED, THRESHOLD, BY_HAND = 20261122, 1.0, 100
DRAWN = ("normal .76", "3% hard negatives", "worse than chance", "wide")
ASKED = ("gap of auroc", "gap of precision")


class Cell(NamedTuple):
    """How often intervals held the truth, and how wide they were; also with beta as a point."""

    coverage: float
    width: float
    point_coverage: float
    point_width: float


def draw(rng: np.random.Generator, shape: str, shares: tuple[float, float]) -> pd.DataFrame:
    """Draw two groups of 600: 60 known positives, and others of which a share is positive."""
    parts = []
    for number, (name, share) in enumerate(zip("ab", shares, strict=True)):
        rest = rng.random(540) < share
        truth = np.append(np.ones(60, np.bool_), rest)
        score = np.where(
            truth,
            SHAPES[shape].positive(rng, (600,)) + 0.3 * number,
            SHAPES[shape].negative(rng, (600,)),
        )
        label = np.where(np.arange(600) < 60, 1.0, np.nan)
        columns = {"group": name, "score": score, "label": label, "truth": truth}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def truths(shape: str, shares: tuple[float, float]) -> FloatArray:
    """Return the gaps of AUROC and of precision at the threshold, of many new examples."""
    rng, found = np.random.default_rng(1), []
    for number, share in enumerate(shares):
        positive = SHAPES[shape].positive(rng, (200_000,)) + 0.3 * number
        negative = np.sort(SHAPES[shape].negative(rng, (200_000,)))
        below = [np.searchsorted(negative, positive, side=side) for side in ("left", "right")]
        prevalence = (60 + 540 * share) / 600
        true = prevalence * (positive >= THRESHOLD).mean()
        false = (1 - prevalence) * (negative >= THRESHOLD).mean()
        found.append((np.mean(below) / negative.size, true / (true + false)))
    difference: FloatArray = np.array(found[0]) - np.array(found[1])
    return difference


def by_hand(rng: np.random.Generator, truth: FloatArray, unlabeled: int) -> pd.DataFrame:
    """Label some rows."""
    some = rng.choice(truth, BY_HAND, replace=False)
    return pu_accessor.beta_from_labels(int(some.sum()), BY_HAND, unlabeled)


def run(shape: str, *, shared: bool, draws: int) -> dict[str, Cell]:
    """Simulate the cells of a shape."""
    rng = np.random.default_rng([SEED, *shape.encode(), shared])
    shares = (0.25, 0.25) if shared else (0.3, 0.15)
    goals, rows = truths(shape, shares), []
    for _ in range(draws):
        frame = draw(rng, shape, shares)
        rest = frame[frame["label"].isna()]
        if shared:
            beta = by_hand(rng, rest["truth"].to_numpy(), len(rest))
            point = beta["beta"].item()
        else:
            beta = pd.concat(
                by_hand(rng, some["truth"].to_numpy(), len(some)).assign(group=name)
                for name, some in rest.groupby("group")
            )
            point = beta.set_index("group")["beta"]
        pu = frame.pu(by="group")
        at = {"threshold": THRESHOLD}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PUWarning)  # by chance beta is too high
            asked = [
                (pu.gap("auroc", some), pu.gap("precision", some, at=at)) for some in (beta, point)
            ]
        ends = [[one[["lower", "upper"]].iloc[0].tolist() for one in both] for both in asked]
        rows.append(ends)
    lower, upper = np.moveaxis(np.array(rows), -1, 0)
    held = ((lower <= goals) & (goals <= upper)).mean(axis=0)
    width = (upper - lower).mean(axis=0)
    return {
        name: Cell(*(float(part[way, place]) for way in (0, 1) for part in (held, width)))
        for place, name in enumerate(ASKED)
    }


def main() -> None:
    """Simulate, and write ``build/measured/joint_gaps.csv``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    draws, rows = parser.parse_args().draws, []
    for shape in DRAWN:
        for shared in (False, True):
            for name, found in run(shape, shared=shared, draws=draws).items():
                beta = "one for both" if shared else "one for each"
                rows.append((shape, beta, name, *(f"{value:.3f}" for value in found)))
    ways = [f"{way}{part}" for way in ("joint", "as if exact") for part in ("", ", width")]
    write_table("joint_gaps", ["scores", "beta", "metric", *ways], rows)


if __name__ == "__main__":
    main()
