"""What limits that hold on both sides together would gain, and what ties at the end ask for.

``python -m tests.support.studies.free_width`` writes build/measured/ties_at_the_end.csv and
bands_two_sided.csv.

Probabilities that are 0 for most negatives hide a few positives among them, which a sample seldom
shows. Each cell draws known positives and others from the held-out half of a data set, scored by a
classifier of the other half.

The band "exact" misses on each side with half of 1 - level. Blaker's limits [1]_ miss with 1 -
level on both sides together, and lie within.

References
----------
.. [1] H. Blaker, *Confidence curves and improved exact confidence intervals for discrete
   distributions*, Canadian Journal of Statistics 28 (2000) 783-798.
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from pu_accessor.inference.estimates.areas_on_future_data import auroc_interval
from pu_accessor.inference.influence import Placements
from pu_accessor.ranking import FloatArray, IntArray
from tests.support.studies.tables import table_path

LEVEL, SAME, DRAWS = 0.95, 1e-9, 1000
MODELS: Mapping[str, Callable[[], Any]] = {
    "naive Bayes": GaussianNB,
    "10 trees": lambda: RandomForestClassifier(10, random_state=0),
    "100 trees": lambda: RandomForestClassifier(100, random_state=0),
    "a tree": lambda: DecisionTreeClassifier(max_depth=3, random_state=0),
}


class Cell(NamedTuple):
    """A classifier of one class of a data set, and the sizes of both samples."""

    model: str
    data: str
    known: int
    rest: int
    share: float


CELLS = [
    *[Cell("naive Bayes", f"digit {d}", n, 2000, 0.03) for d in (0, 8, 9) for n in (10, 20, 50)],
    Cell("naive Bayes", "digit 1", 20, 1000, 0.05),
    *[Cell("10 trees", f"digit {d}", 30, 2000, 0.05) for d in (1, 8)],
    *[Cell("100 trees", f"digit {d}", 20, 1000, 0.05) for d in (8, 9)],
    *[Cell("a tree", f"digit {d}", n, 1000, 0.05) for d in (1, 8) for n in (20, 50)],
    *[Cell("a tree", "breast cancer", n, 500, 0.1) for n in (10, 20, 50)],
    Cell("naive Bayes", "digit 3", 50, 10_000, 0.01),
    Cell("naive Bayes", "digit 3", 20, 1000, 0.01),
    Cell("naive Bayes", "digit 4", 20, 1000, 0.01),
    Cell("naive Bayes", "digit 7", 50, 2000, 0.1),
    Cell("10 trees", "digit 3", 20, 1000, 0.01),
    Cell("10 trees", "digit 9", 20, 1000, 0.01),
    Cell("10 trees", "digit 9", 50, 2000, 0.01),
    Cell("10 trees", "digit 5", 10, 500, 0.3),
    Cell("10 trees", "breast cancer", 20, 1000, 0.1),
    Cell("100 trees", "breast cancer", 20, 1000, 0.1),
    Cell("a tree", "digit 5", 20, 1000, 0.1),
]
WORLDS = [(5, 20), (10, 20), (10, 100), (20, 100), (20, 500), (50, 50), (50, 500)]
WORLDS += [(100, 400), (200, 1000), (400, 800)]


@cache
def scores(model: str, data: str) -> tuple[FloatArray, FloatArray]:
    """Return the scores of positives and of negatives that a classifier has not seen."""
    features, target = (load_digits if "digit" in data else load_breast_cancer)(return_X_y=True)
    positive = target == (int(data.split()[-1]) if "digit" in data else 0)
    seen, left, known, truth = train_test_split(
        features, positive, test_size=0.5, random_state=0, stratify=positive
    )
    score = MODELS[model]().fit(seen, known).predict_proba(left)[:, 1]
    return score[truth], score[~truth]


def place(known: FloatArray, rest: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the placements of both samples, the rest's as shares of known positives above."""
    return _share_below(rest, known), 1 - _share_below(known, rest)


def _share_below(sample: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the share of a sample below each score, ties counting half."""
    ordered = np.sort(sample)
    left, right = np.searchsorted(ordered, scores), np.searchsorted(ordered, scores, "right")
    share: FloatArray = (left + right) / (2 * sample.size)
    return share


def ties_row(cell: Cell, draws: int) -> dict[str, Any]:
    """Ask for AUROC on new examples where many have the lowest score."""
    model, data, n, size, share = cell
    positive, negative = scores(model, data)
    rng = np.random.default_rng([2026, n, size, *f"{model} {data}".encode()])
    held, widths = np.zeros(draws, np.bool_), np.zeros(draws)
    truth = float(place(positive, negative)[0].mean())
    for turn in range(draws):
        hidden = rng.binomial(size, share)
        known = rng.choice(positive, n)
        rest = np.append(rng.choice(positive, hidden), rng.choice(negative, size - hidden))
        below, above = place(known, rest)
        variance = np.array([[below.var(ddof=1)], [above.var(ddof=1)]])
        placed = Placements(
            np.array([[n], [size]], np.float64), variance, below.mean(keepdims=True)
        )
        one = auroc_interval(np.full(1, share), placed, LEVEL)
        low, high = np.minimum(one.lower, one.value), np.maximum(one.upper, one.value).clip(max=1)
        held[turn] = low[0] <= truth + SAME and truth <= high[0] + SAME
        widths[turn] = high[0] - low[0]
    found = {"truth": truth, "covers": held.mean().item(), "width": widths.mean().item()}
    return cell._asdict() | found


def two_sided(n: int, m: int, level: float) -> tuple[IntArray, IntArray, dict[str, float]]:
    """Return central and Blaker's limits, shape (2, n + 1), and what they miss at the worst."""
    missed, alpha = {"central": 0.0, "two-sided": 0.0, "one side of it": 0.0}, 1 - level
    limits = np.array([[[n + m + 1]] * 2, [[-1]] * 2]).repeat(n + 1, axis=2)
    for s in range(n + m + 1):  # positives in the head
        known = np.arange(max(0, s - m), min(n, s) + 1)
        below, above, p = _tails(n, m, s, known)
        accepted = np.stack(
            [np.minimum(below, above) > alpha / 2 * (1 + SAME), _two(below, above) > alpha]
        )
        assert not (accepted[1] & ~accepted[0]).any()  # Blaker's lie within
        lowest, highest = accepted[1].argmax(), known.size - accepted[1][::-1].argmax()
        sides = p[:lowest].sum(), p[highest:].sum()
        for name, left in zip(missed, [*(1 - accepted @ p), max(sides)], strict=True):
            missed[name] = max(missed[name], float(left))
        for row, inside in enumerate(accepted):
            some = known[inside]
            limits[0, row, some] = np.minimum(limits[0, row, some], s - some)
            limits[1, row, some] = np.maximum(limits[1, row, some], s - some)
    return limits[:, 0], limits[:, 1], missed


def _tails(n: int, m: int, s: int, known: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return P(K <= k), P(K >= k) and P(K = k) for each number of known positives in the head."""
    ways = [special.gammaln(x + 1) for x in (known, n - known, s - known, m - s + known)]
    p = np.exp(_whole(n, m, s) - np.sum(ways, axis=0))
    return np.cumsum(p), np.cumsum(p[::-1])[::-1], p


def _whole(n: int, m: int, s: int) -> float:
    """Return the logarithm of what all ways share."""
    parts = special.gammaln(np.array([n, m, s, n + m - s]) + 1.0).sum()
    return float(parts - special.gammaln(n + m + 1))


def _two(below: FloatArray, above: FloatArray) -> FloatArray:
    """Return Blaker's p value: a tail, and the largest of the other side that is no larger."""
    least = np.minimum(below, above) * (1 + SAME)
    others = np.where(
        below <= above,
        np.append(above, 0)[np.searchsorted(-above, -least)],
        np.append(0, below)[np.searchsorted(below, least, "right")],
    )
    value: FloatArray = np.minimum(least + others, 1) / (1 + SAME)
    return value


def two_sided_row(n: int, m: int) -> dict[str, Any]:
    """Compare the widths of both bands."""
    central, narrower, missed = two_sided(n, m, LEVEL)
    one, other = (float(np.ptp(each, axis=0).mean()) for each in (central, narrower))
    covers = {f"covers, {name}": 1 - missed[name] for name in ("central", "two-sided")}
    share = {"width, central": one, "width, two-sided": other, "narrower by": 1 - other / one}
    return {"n": n, "m": m, **share, **covers, "missed on one side": missed["one side of it"]}


def write(name: str, rows: Iterator[dict[str, Any]]) -> None:
    """Write rows, and print them."""
    found = list(rows)
    path = table_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, found[0], lineterminator="\n")
        writer.writeheader()
        for row in found:
            rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}
            writer.writerow(rounded)
            print(*rounded.values())


def main() -> None:
    """Write both tables."""
    write("bands_two_sided", (two_sided_row(*world) for world in WORLDS))
    write("ties_at_the_end", (ties_row(cell, DRAWS) for cell in CELLS))


if __name__ == "__main__":
    main()
