"""Which possible labeling is the best estimate? Rules for completing a ranking, and their errors.

Run ``python -m tests.support.studies.completions --draws 1000``, from the project's root. A
completion says how many latent positives T(h) lie among the first h unlabeled examples, from
counts between known positives alone. The chosen rule and the monotone one are the package's. The
others return false positives at the edges of blocks of known positives; ``lay_out`` cuts them to
what is possible. Errors are against the truth of the same examples, as ratios to the errors of
unbiased statistics.
"""

import argparse
import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import digamma

from pu_accessor.inference.completion import complete
from pu_accessor.ranking import Counts, FloatArray, IntArray, Ranking
from tests.support.studies import shapes
from tests.support.studies.tables import table_path

SEED = 20261122
QUANTITIES = ("auroc", "average_precision", "rank_20", "rank_50", "top_5%", "top_20%")
LEAST = 0.002  # of all positives: a smaller error of cut tables at a rank is no yardstick


class Edges(NamedTuple):
    """Both edges of each block of known positives with one score, best first."""

    h: FloatArray  # unlabeled examples above
    t: FloatArray  # known positives above; at an untied known positive, half of it too
    weight: FloatArray  # known positives of the block, half of them at each edge
    n: int
    m: int  # latent positives
    unlabeled: int


class Drawn(NamedTuple):
    """What a rule may read, and the truth."""

    edges: Edges
    ranks: FloatArray
    known: FloatArray  # known positives at ranks
    truth: FloatArray  # the quantities; at ranks, true positives


class Completion(NamedTuple):
    """Latent and known positives above each cutoff; straight lines between cutoffs."""

    h: FloatArray
    latent: FloatArray
    known: FloatArray


def raw(edges: Edges, shift: float = 0.0) -> FloatArray:
    """Unlabeled above, less the latent positives that are expected there; they can fall."""
    target = np.clip((edges.t + shift) / (edges.n + 2 * shift), 0, 1)
    return edges.h - edges.m * target


def projected(edges: Edges, shift: float = 0.0) -> FloatArray:
    """Nearest false positives that never fall: isotonic regression."""
    return isotonic_regression(raw(edges, shift), weights=edges.weight).x


def between(edges: Edges, share: float) -> FloatArray:
    """A mean of the smallest later and the largest earlier raw false positives."""
    y = raw(edges, -0.25)
    smallest = np.minimum.accumulate(y[::-1])[::-1]
    return share * smallest + (1 - share) * np.maximum.accumulate(y)


def pinned(edges: Edges, share: float) -> FloatArray:
    """The same, and no latent positive below the last known one while there is room above."""
    room = max(0, edges.h[-1] - edges.m) if edges.n > 1 else np.inf
    return np.minimum(np.clip(between(edges, share), *possible(edges)), room)


def falling(edges: Edges) -> FloatArray:
    """False positives of the package's monotone completion."""
    return edges.h - by_package(edges, monotone=True).latent[1 : edges.h.size + 1]


def shrunk(edges: Edges, errors: float = 0.3) -> FloatArray:
    """The projection, shrunk to the monotone completion the less the more they differ."""
    free, n, m = projected(edges), edges.n + 1, edges.m
    p = (edges.t + 0.5) / n
    standard_error = np.sqrt(m * p * (1 - p) * (n + m) / (n + 1))  # beta-binomial
    apart = (falling(edges) - free) / standard_error
    squared = max(np.average(apart**2, weights=edges.weight), 1e-12)
    return free + min(1, errors**2 / squared) * (falling(edges) - free)


def possible(edges: Edges) -> tuple[FloatArray, FloatArray]:
    """Return the fewest and the most false positives at the edges."""
    return np.maximum(0, edges.h - edges.m), np.minimum(edges.h, edges.unlabeled - edges.m)


def cutoffs(edges: Edges) -> tuple[FloatArray, FloatArray]:
    """Unlabeled and known above the edges, with both ends of the ranking."""
    through = np.cumsum(2 * edges.weight[::2])
    known = np.column_stack([np.append(0, through[:-1]), through]).ravel()
    h, k = np.append(0, edges.h), np.append(0, known)
    return np.append(h, edges.unlabeled), np.append(k, edges.n)


def lay_out(edges: Edges, fp: FloatArray) -> Completion:
    """Cut false positives to what is possible; what is left comes right after the last edge."""
    latent = edges.h - np.clip(fp, *possible(edges))
    end = edges.h[-1] + np.ceil(edges.m - latent[-1] - 1e-6)
    (h, known), above = cutoffs(edges), [0, *latent, edges.m, edges.m]
    return Completion(np.insert(h, -1, end), np.array(above), np.insert(known, -1, edges.n))


def by_package(edges: Edges, monotone: bool = False) -> Completion:
    """Return the package's completion."""
    h, known = (count.astype(np.int64) for count in cutoffs(edges))
    counts = Counts(edges.n, 0, edges.unlabeled)
    score = -np.arange(h.size, dtype=np.float64)
    ranking = Ranking(h + known, score, known, 0 * h, h, counts, monotone=monotone)
    (completed,) = complete(ranking, np.array([edges.m]))
    through = np.append(known, [edges.n] * (completed.latent.size - h.size))
    return Completion(completed.unlabeled.astype(np.float64), completed.latent, 1.0 * through)


def by(rule: Callable[..., FloatArray], *given: float) -> Callable[[Edges], Completion]:
    """Return a rule as edges -> completion."""
    return lambda edges: lay_out(edges, rule(edges, *given))


CHOSEN, MONOTONE = "chosen", "monotone"
RULES: Mapping[str, Callable[[Edges], Completion]] = {
    CHOSEN: by_package,
    "pinned .6/.4": by(pinned, 0.6),
    "pinned .7/.3": by(pinned, 0.7),
    "not pinned": by(between, 0.5),
    "smallest": by(between, 1),
    "projection": by(projected),
    "projection, shifted": by(projected, -0.25),
    "leaning on monotone": by(shrunk),
    MONOTONE: lambda edges: by_package(edges, monotone=True),
}


def values(table: Completion, drawn: Drawn) -> FloatArray:
    """Return AUROC, average precision, and true positives at the ranks of a completion."""
    edges = drawn.edges
    tp, fp = table.latent + table.known, table.h - table.latent
    pairs = (edges.n + edges.m) * (edges.unlabeled - edges.m)
    auroc = float(np.diff(fp) @ (tp[1:] + tp[:-1])) / 2 / pairs
    head = drawn.known + np.interp(drawn.ranks - drawn.known, table.h, table.latent)
    return np.concatenate([[auroc, average_precision(table)], head])


def average_precision(table: Completion) -> float:
    """Expected average precision, the latent in random places of their gap; blocks are one step.

    Notes
    -----
    c unlabeled with V latent, below r examples of which p are positive: V/c·(p+1)·S +
    E[V(V-1)]/(c(c-1))·(c - (r+1)·S), with S the sum of 1/(r+i) over i = 1..c.
    """
    tp, rank = table.latent + table.known, table.h + table.known
    c, v, f = (np.diff(x) for x in table)
    steps = float(np.sum((f + v) * np.where(f > 0, tp[1:] / np.maximum(rank[1:], 1), 0)))
    gaps = np.flatnonzero((f == 0) & (c > 1e-12) & (v > 1e-9))
    inside = _within(v[gaps], c[gaps], rank[gaps], tp[gaps])
    return (steps + float(np.sum(inside))) / float(tp[-1])


def _within(v: FloatArray, c: FloatArray, r: FloatArray, p: FloatArray) -> FloatArray:
    total = digamma(r + c + 1) - digamma(r + 1)
    whole = np.floor(v + 1e-9)
    pairs = np.maximum(whole * (2 * v - whole - 1), 0)  # E[V(V-1)] between two whole numbers
    each = np.minimum(pairs / np.maximum(c * (c - 1), 1e-12), v / c)  # where c is no whole number
    return v / c * (p + 1) * total + each * (c - (r + 1) * total)


def unbiased(drawn: Drawn) -> FloatArray:
    """Return unbiased AUROC and average precision, and true positives of cut tables at ranks."""
    edges, h = drawn.edges, drawn.ranks - drawn.known
    n, m, positives = edges.n, edges.m, edges.n + edges.m
    f, start, end = 2 * edges.weight[::2], edges.h[::2], edges.h[1::2]
    k = np.cumsum(f)
    middle = start + k - f + (f + end - start + 1) / 2
    auroc = 1 - (f @ middle / n - (positives + 1) / 2) / (edges.unlabeled - m)
    precision = f @ ((1 + (positives - 1) / max(n - 1, 1) * (k - 1)) / (end + k)) / n
    theta = np.maximum(m * drawn.known / n, m - (edges.unlabeled - h))
    head = drawn.known + np.floor(np.minimum(theta, np.minimum(h, m)) + 0.5)
    return np.concatenate([[auroc, precision], head])


class Cell(NamedTuple):
    """A shape of scores, and how many are known, unlabeled and latent."""

    group: str  # "main": rules were compared there first; "new shapes", "other sizes"
    shape: str
    n: int
    unlabeled: int
    m: int


def levels(rng: shapes.Rng, p: int, q: int) -> tuple[FloatArray, FloatArray]:
    """Normal scores, shift 1, rounded to five levels."""
    positives, negatives = shapes.normal(1)(rng, p, q)
    return np.clip(np.round(positives), -1, 3), np.clip(np.round(negatives), -1, 3)


def from_pool(name: str) -> shapes.Draw:
    """Draw a classifier's scores without replacement."""

    def draw(rng: shapes.Rng, p: int, q: int) -> tuple[FloatArray, FloatArray]:
        positives, negatives = pool(name)
        return rng.permutation(positives)[:p], rng.permutation(negatives)[:q]

    return draw


@cache
def pool(name: str) -> tuple[FloatArray, FloatArray]:
    """Cross-validated scores of positives and of negatives."""
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    forest = RandomForestClassifier(10, random_state=0)
    load, model, method, positive = {
        "naive Bayes": (load_digits, GaussianNB(), "predict_proba", None),
        "forest": (load_digits, forest, "predict_proba", None),
        "cancer": (load_breast_cancer, logistic, "decision_function", 0),
        "digits": (load_digits, logistic, "decision_function", 3),
    }[name]
    x, y = load(return_X_y=True)
    truth = np.equal.outer(y, range(10)) if positive is None else y == positive
    score = cross_val_predict(model, x, y if positive is None else truth, cv=5, method=method)
    return score[truth], score[~truth]


MAIN: Mapping[str, shapes.Draw] = {
    "normal, shift 1": shapes.normal(1),
    "normal, shift 2": shapes.normal(2),
    "normal, shift 3": shapes.normal(3),
    "positives N(1.5, 2)": shapes.normal(1.5, 2),
    "30% like negatives": shapes.hidden(0.3),
    "perfect": lambda rng, p, q: (1 + rng.random(p), rng.random(q)),
    "worse than chance": shapes.normal(-0.5),
    "hard negatives": shapes.hard_negatives(0.05, 3),
    "five levels": levels,
    "log-normal": shapes.CHOSEN["log-normal tail"].draw,
    "naive Bayes, digits": from_pool("naive Bayes"),
    "forest of 10, digits": from_pool("forest"),
}
REAL = {"cancer": (20, 63, 150), "digits": (20, 54, 140)}  # sizes
HOLDS = (*list(MAIN)[:3], "30% like negatives", "perfect", "five levels")
NEW = {name: shape.draw for name, shape in shapes.OTHERS.items()}
DRAWS = {**MAIN, **NEW, **{f"logistic, {key}": from_pool(key) for key in REAL}}
DESIGNS = ((500, 0.3), (505, 0.29), (2000, 0.1), (1000, 0.01))
SIZES = ((5, 500, 0.3), (20, 300, 0.8), (64, 300, 0.8), (200, 300, 0.8), (1000, 5000, 0.3))


def cells() -> Iterator[Cell]:
    """Return all cells."""
    for shape, n, (unlabeled, beta) in product(MAIN, (20, 64, 200), DESIGNS):
        yield Cell("main", shape, n, unlabeled, round(beta * unlabeled))
    for key, n in ((key, n) for key, sizes in REAL.items() for n in sizes):
        p, q = (scores.size for scores in pool(key))
        yield Cell("main", f"logistic, {key}", n, p - n + q, p - n)
    for shape, n, (unlabeled, beta) in product(NEW, (20, 64, 200), DESIGNS[::2]):
        yield Cell("new shapes", shape, n, unlabeled, round(beta * unlabeled))
    analytic = [shape for shape in MAIN if "digits" not in shape]
    for shape, (n, unlabeled, beta) in product(analytic, SIZES):
        yield Cell("other sizes", shape, n, unlabeled, round(beta * unlabeled))


def draw(cell: Cell, rng: shapes.Rng) -> Drawn:
    """Draw scores; they are exchangeable, so the first positives are known."""
    positives = cell.n + cell.m
    score = np.concatenate(DRAWS[cell.shape](rng, positives, cell.unlabeled - cell.m))
    _, level, size = np.unique(-score, return_inverse=True, return_counts=True)
    found, known = (np.bincount(level[:k], minlength=size.size) for k in (positives, cell.n))
    return Drawn(edges_of(known, size, cell.m), *at_ranks(known, found, size))


def edges_of(known: IntArray, size: IntArray, m: int) -> Edges:
    """Return the edges of blocks that hold known positives."""
    blocks = np.flatnonzero(known)
    f, end = known[blocks], np.cumsum(size - known)
    start, through = end[blocks] - (size - known)[blocks], np.cumsum(f)
    h = np.column_stack([start, end[blocks]]).astype(float)
    t = np.column_stack([through - f, through]).astype(float)
    untied = h[:, 0] == h[:, 1]
    t[untied] = t[untied].mean(axis=1, keepdims=True)
    return Edges(h.ravel(), t.ravel(), np.repeat(f / 2, 2), int(through[-1]), m, int(end[-1]))


def at_ranks(known: IntArray, found: IntArray, size: IntArray) -> tuple[FloatArray, ...]:
    """Return ranks, known positives there, and the truth; in ties, expected over all orders."""
    rank, negatives, positives = np.cumsum(size), size - found, found.sum()
    tp = np.cumsum(found)
    auroc = negatives @ (tp - found / 2) / positives / negatives.sum()
    precision = found @ (tp / rank) / positives
    ranks, heads = np.array([20, 50, 0.05 * rank[-1], 0.2 * rank[-1]]), np.append(0, rank)
    known_at, tp_at = (np.interp(ranks, heads, np.append(0, x)) for x in (np.cumsum(known), tp))
    return ranks, known_at, np.concatenate([[auroc, precision], tp_at])


class Row(NamedTuple):
    """What a rule gave in a cell."""

    group: str
    shape: str
    n: int
    unlabeled: int
    m: int
    rule: str
    outside: float  # share of draws with an area outside [0, 1]
    rmse: FloatArray  # of each quantity; at ranks, a share of all positives
    ratio: FloatArray  # to the unbiased statistics and the cut tables


def look(cell: Cell, draws: int) -> list[Row]:
    """Simulate a cell with all rules."""
    words = [SEED, cell.n, cell.unlabeled, cell.m, *cell.shape.encode()]
    rng = np.random.default_rng(words)
    names = ("unbiased", *RULES)
    estimates, truth = np.empty((len(names), draws, 6)), np.empty((draws, 6))
    for turn in range(draws):
        drawn = draw(cell, rng)
        truth[turn] = drawn.truth
        completed = (values(rule(drawn.edges), drawn) for rule in RULES.values())
        estimates[:, turn] = [unbiased(drawn), *completed]
    return list(_rows(cell, names, estimates, truth))


def _rows(
    cell: Cell, names: Sequence[str], estimates: FloatArray, truth: FloatArray
) -> Iterator[Row]:
    scale = np.where(np.arange(6) < 2, 1, cell.n + cell.m)
    rmse = np.sqrt(np.mean((estimates - truth) ** 2, axis=1)) / scale
    least = np.where(np.arange(6) < 2, 1e-9, LEAST)
    ratio = rmse / np.where(rmse[0] < least, np.nan, rmse[0])
    areas = estimates[..., :2]
    outside = np.mean(np.any((areas < -1e-9) | (areas > 1 + 1e-9), axis=2), axis=1)
    for name, *told in zip(names, outside.tolist(), rmse, ratio, strict=True):
        yield Row(*cell, name, *told)


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write all that was measured; ratios follow from the errors of the rule ``unbiased``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([*Row._fields[:-2], *(f"rmse_{name}" for name in QUANTITIES)])
        for row in rows:
            numbers = (f"{x:.4g}" for x in (row.outside, *row.rmse))
            table.writerow([*row[:-3], *numbers])


def summary(rows: Sequence[Row]) -> str:
    """Return a line for each rule: mean and worst ratio of AUROC, AP and rates at ranks."""
    lines = []
    for name in dict.fromkeys(row.rule for row in rows):
        ratio = np.array([row.ratio for row in rows if row.rule == name])
        parts = ratio[:, 0], ratio[:, 1], ratio[:, 2:]
        told = [f"{np.nanmean(part):.3f}, {np.nanmax(part):.2f}" for part in parts]
        lines.append(f"| {name} | {' | '.join(told)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, write the table, and print a summary of each group of cells."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000, help="in a cell")
    parser.add_argument("--out", type=Path, default=table_path("completions"))
    asked = parser.parse_args(arguments)
    rows = [row for cell in cells() for row in look(cell, asked.draws)]
    write(asked.out, rows)
    for group in dict.fromkeys(row.group for row in rows):
        print(f"\n{group}\n{summary([row for row in rows if row.group == group])}")
    held = [row for row in rows if row.shape in HOLDS and row.group == "main"]
    print(f"\nwhere the monotone assumption holds\n{summary(held)}")


if __name__ == "__main__":
    main()
