"""What does cutting the simultaneous band gain? ``python -m tests.support.studies.coherent``.

Prints how much narrower the range of AUROC is, and that of precision among as many examples as
half of the positives, and in how many draws the whole curve is held before and after: as many.
"""

import warnings
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

import pu_accessor  # noqa: F401
from pu_accessor import PUWarning
from pu_accessor.inference.bands.lookup import Band, latent_bounds
from pu_accessor.ranking import IntArray

SEED, DRAWS, EXAMPLES = 20261121, 20, 2000


class Found(NamedTuple):
    """Widths of a band, and whether it held the whole curve."""

    auroc: float
    precision: float
    held: bool


def uncut(n: int, m: int, level: float) -> tuple[IntArray, IntArray]:
    """The same limits as a band of one's own, of which nobody knows that they hold jointly."""
    return latent_bounds("simultaneous", n, m, level)


def ask(frame: pd.DataFrame, beta: float, truth: IntArray, band: str | Band) -> Found:
    """Ask for the range of AUROC, of precision at one cutoff, and for all true positives."""
    pu = frame.pu
    areas = np.ravel(pu.contingency(beta, band=band, ranks="breakpoints").pu.area("auroc"))
    tables = pu.contingency(beta, band=band, ranks="all")
    tp = tables["tp"].values[..., 0]
    at = tables.isel(rank=int(truth[-1]) // 2).pu.metric("precision").values.ravel()
    held = bool(((tp[:, 0] <= truth) & (truth <= tp[:, 2])).all())
    return Found(areas[2] - areas[0], at[2] - at[0], held)


def main() -> None:
    """Print a row for each cell."""
    warnings.simplefilter("ignore", PUWarning)
    print("distance  prevalence  known  auroc  precision  held: cut  uncut")
    for distance, prevalence, share in product((0.5, 1.2, 2.5, 4), (0.1, 0.5), (0.1, 0.5, 0.9)):
        cell = [round(100 * value) for value in (distance, prevalence, share)]
        rng = np.random.default_rng([SEED, *cell])
        found: list[tuple[Found, Found]] = []
        for _ in range(DRAWS):
            positive = np.arange(EXAMPLES) < prevalence * EXAMPLES
            score = rng.normal(distance * positive)
            known = np.arange(EXAMPLES) < share * prevalence * EXAMPLES
            frame = pd.DataFrame({"score": score, "label": np.where(known, 1.0, np.nan)})
            truth = np.append(0, np.cumsum(positive[np.argsort(-score)]))
            beta = float(positive[~known].mean())
            one, other = (ask(frame, beta, truth, band) for band in ("simultaneous", uncut))
            found.append((one, other))
        cut, plain = (np.mean(side, axis=0) for side in zip(*found, strict=True))
        gain = cut[:2] / plain[:2] - 1
        print(
            f"{distance:8}  {prevalence:10}  {share:5}  {gain[0]:5.1%}  {gain[1]:9.1%}  "
            f"{cut[2]:9.2f}  {plain[2]:5.2f}"
        )


if __name__ == "__main__":
    main()
