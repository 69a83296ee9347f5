"""How rows come about: who is labeled, what belongs together, and what is said of it.

Each design draws a frame with ``score``, ``label``, ``truth`` and columns of its own, and says
what `df.pu` is told: roles of columns, and assumptions. A design "..., ignored" tells less.
"""

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from scipy import optimize, special, stats

import pu_accessor  # noqa: F401 (registers df.pu)
from tests.support.studies.shapes import PAIRS, SHAPES, Bools, Floats, Rng, pools, true_auroc

ODDS, WRONG, FOLDS, SPREAD = 3.0, 0.05, 5, 0.6


class Size(NamedTuple):
    """Known positives, other rows, and the share of positives among these."""

    known: int
    rest: int
    beta: float

    def __str__(self) -> str:
        known = self.known or "as many as planned"
        return f"{known} known, {self.rest} others, {self.beta:.4g} of them positive"

    @property
    def share(self) -> float:
        """The share of positives among all rows."""
        return (self.known + self.beta * self.rest) / (self.known + self.rest)


def sampled(rows: int, share: float, labeled: float) -> Size:
    """Return the size of a sample with a share of positives, of which some are labeled."""
    known = round(rows * share * labeled)
    return Size(known, rows - known, round((rows * share - known) / (rows - known), 9))


Drawn: TypeAlias = tuple[pd.DataFrame, float]  # rows; beta, NaN for that of these rows
Draw: TypeAlias = Callable[[Rng, str, Size], Drawn]


class Design(NamedTuple):
    """How rows are drawn, and what is said of them."""

    draw: Draw
    roles: Mapping[str, Any] = {}
    assumed: Mapping[str, Any] = {}
    times: float = 1  # by which the beta that is passed is wrong
    auroc: Callable[[str], float] = true_auroc  # of new rows
    prevalence: float | None = None  # of new rows, if not that of these
    at_random: bool = False  # whether the share of positives varies as in random rows
    scale: Callable[[Any], Any] = lambda score: score  # from scores of a shape to those of rows


class World(NamedTuple):
    """One draw of a design."""

    design: Design
    shape: str
    size: Size
    frame: pd.DataFrame
    share: float
    rng: Rng

    @property
    def pu(self) -> Any:
        """What is asked."""
        return self.bind(self.frame)

    def all_known(self, **more: Any) -> Any:
        """The same with all labels, of the same rows."""
        full = self.frame.assign(label=self.frame["truth"])
        return self.bind(full, negative=0, assume=False, **more)

    def bind(self, frame: pd.DataFrame, *, assume: bool = True, **more: Any) -> Any:
        """Tell what is said of rows; with all labels nothing is assumed."""
        given = {k: v for k, v in self.design.roles.items() if assume or k != "propensity"}
        bound = frame.pu(**given, **more)
        return bound.assume(**self.design.assumed) if assume and self.design.assumed else bound

    @property
    def actual(self) -> float:
        """The share of positives among these unlabeled rows."""
        return float(self.frame.loc[self.frame["label"].isna(), "truth"].mean())

    def beta(self, target: str) -> float:
        """What is passed: for new rows the share of the design."""
        right = self.actual if target == "examples" or np.isnan(self.share) else self.share
        return min(right * self.design.times, 1.0)

    @property
    def prevalence(self) -> float:
        """The prevalence of the new rows."""
        if self.design.prevalence is not None:
            return self.design.prevalence
        if self.design.at_random:
            return self.size.share
        weight = self.frame.get("weight", pd.Series(1.0, self.frame.index))
        known = float(weight[self.frame["label"] == 1].sum() / weight.sum())
        return known + (self.beta("population") / self.design.times) * (1 - known)


def world(name: str, shape: str, size: Size, rng: Rng) -> World:
    """Draw the rows of a design."""
    return World(DESIGNS[name], shape, size, *DESIGNS[name].draw(rng, shape, size), rng)


# ---------------------------------------------------------------------------------------------
# Rows


def frame_of(score: Floats, truth: Bools, known: Bools, **columns: Any) -> pd.DataFrame:
    """Return a frame; of two models' scores the second is the column "other"."""
    scores = dict(zip(("score", "other"), np.atleast_2d(score), strict=False))
    label = np.where(known, 1.0, np.nan)
    return pd.DataFrame({**scores, "label": label, "truth": truth, **columns})


def draw_scores(rng: Rng, shape: str, truth: Bools) -> Floats:
    """Draw scores of one model, or of a pair."""
    if shape in PAIRS:
        return PAIRS[shape](rng, truth)
    score, (positive, negative) = np.empty(truth.size), SHAPES[shape]
    score[truth], score[~truth] = positive(rng, truth.sum()), negative(rng, (~truth).sum())
    return score


def plain(rng: Rng, shape: str, size: Size) -> Drawn:
    """Known positives are one random sample, all others another."""
    total, hidden = size.known + size.rest, rng.binomial(size.rest, size.beta)
    place = np.arange(total)
    truth, known = place < size.known + hidden, place < size.known
    wave = rng.integers(0, 2, total)
    return frame_of(draw_scores(rng, shape, truth), truth, known, wave=wave), size.beta


def probabilities(rng: Rng, shape: str, size: Size) -> Drawn:
    """Scores are probabilities."""
    frame = plain(rng, shape, size)[0]
    return frame.assign(score=as_probability(frame["score"])), size.beta


def as_probability(score: Any) -> Any:
    """Return scores as probabilities, in the same order."""
    return special.expit(np.clip(score, -30, 30) - 1)


def negatives_known(rng: Rng, shape: str, size: Size) -> Drawn:
    """As many negatives are known, or a fifth of all."""
    frame = plain(rng, shape, size)[0]
    few = rng.choice(np.flatnonzero(~frame["truth"]), min(size.known, size.rest // 5), False)
    frame.loc[few, "label"] = 0.0
    return frame, np.nan


def wrong_labels(rng: Rng, shape: str, size: Size) -> Drawn:
    """So many of the known positives are negatives, drawn at random."""
    frame, few = plain(rng, shape, size)[0], int(WRONG * size.known)
    frame.loc[: few - 1, "label"] = np.nan
    frame.loc[rng.choice(np.flatnonzero(~frame["truth"]), few, False), "label"] = 1.0
    return frame, np.nan


def favoured(rng: Rng, shape: str, size: Size) -> Drawn:
    """Odds of being labeled are up to three times as high for positives that rank high."""
    positives = size.known + round(size.rest * size.beta)
    truth = np.arange(size.known + size.rest) < positives
    score = draw_scores(rng, shape, truth)
    ahead = score[0] - score[1] if score.ndim > 1 else score
    place = stats.rankdata(ahead[:positives]) / positives
    odds = ODDS ** (place > 0.5) if rng.random() < 0.5 else ODDS**place
    shift = optimize.brentq(lambda x: special.expit(np.log(odds) + x).sum() - size.known, -30, 30)
    chance = np.ones(truth.size)
    chance[:positives] = special.expit(np.log(odds) + shift)
    known = truth & (rng.random(truth.size) < chance)
    return frame_of(score, truth, known, propensity=chance), np.nan


def clustered(rng: Rng, shape: str, size: Size, rows: int = 5) -> Drawn:
    """Rows of a cluster have correlated scores; labels go by cluster, or row by row."""
    count = (size.known + size.rest) // rows
    cluster, by_row = np.repeat(np.arange(count), rows), rng.random() < 0.5
    share = size.share
    seen = size.known / (size.known + size.rest) / share

    def happens(chance: float) -> Bools:
        drawn = rng.random(cluster.size) if by_row else rng.random(count)[cluster]
        return drawn < chance

    truth = happens(share)
    known = truth & happens(seen)
    if shape in PAIRS:
        score = PAIRS[shape](rng, truth) + rng.normal(size=(2, count))[:, cluster]
    else:
        noise = rng.normal(size=count)[cluster] + rng.normal(size=cluster.size)
        place = (stats.norm.cdf(noise / 2**0.5) * pools(shape)[0].size).astype(np.int64)
        score = np.where(truth, *(kind[np.minimum(place, kind.size - 1)] for kind in pools(shape)))
    frame = frame_of(score, truth, known, cluster=cluster)
    return frame, share * (1 - seen) / (1 - share * seen)


def thinned(rng: Rng, shape: str, size: Size) -> Drawn:
    """All known positives are kept, and a quarter of the others: each stands for four."""
    frame = plain(rng, shape, size._replace(rest=4 * size.rest))[0]
    known = frame["label"].eq(1)
    kept = frame[known | (rng.random(len(frame)) < 0.25)].reset_index(drop=True)
    return kept.assign(weight=np.where(kept["label"].eq(1), 1.0, 4.0)), size.beta


def _joined(parts: list[pd.DataFrame], name: str) -> pd.DataFrame:
    place = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return pd.concat(parts, ignore_index=True).assign(**{name: place})


def folds(rng: Rng, shape: str, size: Size) -> Drawn:
    """Each fold has a model of its own, better or worse, on a scale of its own."""
    parts = []
    for fold in range(FOLDS):
        part = plain(rng, shape, Size(size.known // FOLDS, size.rest // FOLDS, size.beta))[0]
        part["score"] += part["truth"] * _better(fold)
        parts.append(part.assign(score=(part["score"] + 7.0 * fold) * (1 + fold)))
    return _joined(parts, "fold"), size.beta


def _better(fold: int) -> float:
    return 0.4 * (fold / (FOLDS - 1) - 0.5)


def _of_folds(shape: str) -> float:
    return float(np.mean([true_auroc(shape, _better(fold)) for fold in range(FOLDS)]))


def queries(rng: Rng, shape: str, size: Size) -> Drawn:
    """Many small groups, in which positives score higher or lower; 1 to 9 are known in each."""
    parts, groups = [], size.known // 5
    for _ in range(groups):
        known, rest = int(rng.integers(1, 10)), int(rng.integers(10, 2 * size.rest // groups - 10))
        hidden = round(size.beta * rest)
        place = np.arange(known + rest)
        truth = place < known + hidden
        score = draw_scores(rng, shape, truth) + truth * SPREAD * rng.normal()
        parts.append(frame_of(score, truth, place < known))
    return _joined(parts, "query"), np.nan


@cache
def _of_queries(shape: str) -> float:
    place, weight = np.polynomial.hermite_e.hermegauss(9)
    each = [true_auroc(shape, SPREAD * float(x)) for x in place]
    return float(np.average(each, weights=weight))


def two_sites(rng: Rng, shape: str, size: Size, draw: Draw = plain) -> Drawn:
    """Rows of a site with this shape, and twice as many of one with normal scores."""
    more = size._replace(known=2 * size.known, rest=2 * size.rest)
    (one, share), (other, _) = draw(rng, shape, size), draw(rng, "normal .76", more)
    return _joined([one, other], "site"), share


def random_rows(
    rng: Rng, shape: str, size: Size, share: float = 0.2, scale: Callable[[Any], Any] = np.array
) -> Drawn:
    """All rows are one random sample of a population, and so are the known of its positives."""
    rows = size.known + size.rest
    truth = rng.random(rows) < share
    known = truth & (rng.random(rows) < size.known / rows / share)
    return frame_of(scale(draw_scores(rng, shape, truth)), truth, known), np.nan


def at_random(rng: Rng, shape: str, size: Size) -> Drawn:
    """The same with the share of positives of a size, and scores that are probabilities."""
    return random_rows(rng, shape, size, size.share, as_probability)


two_sites_at_random = partial(two_sites, draw=at_random)
DESIGNS: Mapping[str, Design] = {
    "plain": Design(plain),
    "probabilities": Design(probabilities),
    "beta too high by half": Design(plain, times=1.5),
    "monotone": Design(plain, assumed={"monotone": True}),
    "used at a prevalence of .02": Design(plain, assumed={"prevalence": 0.02}, prevalence=0.02),
    "rows of a population": Design(random_rows, assumed={"prevalence": 0.2}, prevalence=0.2),
    "rows of a population, ignored": Design(random_rows, prevalence=0.2),
    "rows at random": Design(at_random, at_random=True, scale=as_probability),
    "two sites, rows at random": Design(
        *(two_sites_at_random, {"by": "site"}), at_random=True, scale=as_probability
    ),
    "negatives as the reference": Design(negatives_known, assumed={"reference": "negatives"}),
    "tightest reference": Design(negatives_known, assumed={"reference": "tightest"}),
    "negatives known": Design(negatives_known),
    "5% wrong labels": Design(wrong_labels, assumed={"contamination": WRONG}),
    "5% wrong labels, ignored": Design(wrong_labels),
    "selection odds of 3": Design(favoured, assumed={"selection_odds": ODDS}),
    "selection odds of 3, ignored": Design(favoured),
    "propensities": Design(favoured, {"propensity": "propensity"}),
    "clusters": Design(clustered, {"cluster": "cluster"}),
    "clusters, ignored": Design(clustered),
    "weights": Design(thinned, {"weight": "weight"}),
    "weights, ignored": Design(thinned),
    "average over folds": Design(folds, {"by": "fold", "average": True}, auroc=_of_folds),
    "average over queries": Design(queries, {"by": "query", "average": True}, auroc=_of_queries),
    "two sites": Design(two_sites, {"by": "site"}),
}
