"""What labels made by hand are worth: ``python -m tests.support.studies.hand_labels``.

Writes ``build/measured/hand_sequential.csv``, how many labels it takes to stop at some width;
``hand_use.csv``, what 100 labels say of beta, and of precision and recall of a list;
``hand_strata.csv``, what labels of more strata say of beta; and ``hand_weights.csv``, numbers on
new examples with weights, and with beta. What is NaN counts as a miss.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import pu_accessor
from pu_accessor import labeling
from pu_accessor.errors import PUWarning
from tests.support.studies.shapes import CHOSEN, OTHERS, Draw, Rng
from tests.support.studies.tables import table_path

SEED = 20261123
KNOWN, UNLABELED, LABELS, LISTED = 200, 5_000, 100, 500
TRUTH = 200_000  # new examples of each kind
NAMES = ("normal, AUROC .80", "normal, AUROC .96", "hard negatives", "beta, skewed", "5 scores")


@cache
def real(name: str) -> Draw:
    """Return how scores of a real classifier are drawn, out of those of cross-validation."""
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if name == "breast cancer, logistic":
        columns, target = load_breast_cancer(return_X_y=True)
        truth, model = target == 0, make_pipeline(StandardScaler(), LogisticRegression())
    else:
        columns, target = load_digits(return_X_y=True)
        truth, model = target == 8, GaussianNB()
    score = cross_val_predict(model, columns, truth, cv=5, method="predict_proba")[:, 1]
    return lambda rng, p, q: (rng.choice(score[truth], p), rng.choice(score[~truth], q))


def shapes() -> Mapping[str, Draw]:
    """Return how scores are drawn, by name."""
    simulated = {name: {**CHOSEN, **OTHERS}[name].draw for name in NAMES}
    return {
        **simulated,
        **{n: real(n) for n in ("breast cancer, logistic", "digits, naive Bayes")},
    }


# Labels as they come in


def sequential(
    total: int, beta: float, width: float, expected: float | None, draws: int, rng: Rng
) -> dict[str, float | int]:
    """Label all of some examples, and tell if the truth was always held, and where to stop.

    With a prior of 10 labels that is centered at what is expected.
    """
    prior = (1, 1) if expected is None else (10 * expected, 10 * (1 - expected))
    positives, held, stopped = round(beta * total), 0, []
    for _ in range(draws):
        labels = pd.Series(rng.permutation(np.arange(total) < positives))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PUWarning)
            steps = pu_accessor.beta_from_labels(
                labels, n_unlabeled=total, sequential=True, prior=prior
            )
        last = steps.iloc[-1]
        held += last["lower"] <= positives / total <= last["upper"]
        narrow = steps["upper"] - steps["lower"] <= width
        stopped.append(int(steps["n_labeled"][narrow].min()) if narrow.any() else total)
    low, middle, high = np.quantile(stopped, [0.1, 0.5, 0.9]).round().astype(int).tolist()
    return {
        "held at all times": held / draws,
        "labels, median": middle,
        "labels, .1 quantile": low,
        "labels, .9 quantile": high,
        "planned, beta known": labeling.labels_needed(width, total, beta=beta),
        "planned, beta not known": labeling.labels_needed(width, total),
    }


# What 100 labels are used for


def designs(threshold: float, beta: float) -> Mapping[str, dict[str, Any]]:
    """Return ways to draw rows."""
    cut = {"strata": threshold}
    return {
        "simple": {},
        "strata, proportional": cut,
        "strata, Neyman": {**cut, "allocate": "neyman", "expected_beta": beta},
        "the list alone": {"above": threshold},
    }


def use(draw: Draw, beta: float, draws: int, rng: Rng) -> Iterator[dict[str, object]]:
    """Draw rows in each way, and yield width and coverage of what their labels say."""
    rows: dict[tuple[str, str], list[tuple[float, float]]] = {}
    positives = KNOWN + round(beta * UNLABELED)
    size = KNOWN + UNLABELED
    for _ in range(draws):
        truth, known = np.arange(size) < positives, np.arange(size) < KNOWN
        score = np.concatenate(draw(rng, positives, size - positives))
        score += 1e-9 * rng.normal(size=size)  # a list of 500 has no ties
        frame = pd.DataFrame({"score": score, "label": np.where(known, 1, np.nan)})
        threshold = float(np.sort(score)[-LISTED])
        listed = score >= threshold
        goals = {
            "beta": truth[~known].mean(),
            "precision": truth[listed].mean(),
            "recall": truth[listed].sum() / positives,
        }
        for name, design in designs(threshold, beta).items():
            seed = int(rng.integers(2**32))
            drawn = frame.pu.sample_to_label(LABELS, **design, random_state=seed)
            drawn["label"] = truth[drawn.index]
            for quantity, limits in answers(drawn, threshold, frame).items():
                lower, upper = limits
                held = lower - 1e-12 <= goals[quantity] <= upper + 1e-12
                rows.setdefault((quantity, name), []).append((held, upper - lower))
    for (quantity, name), each in rows.items():
        held, width = np.array(each, float).T
        yield {"metric": quantity, "rows": name, "covers": held.mean(), "width": width.mean()}


def answers(
    drawn: pd.DataFrame, threshold: float, frame: pd.DataFrame
) -> dict[str, tuple[float, float]]:
    """Return the limits of what labels say."""
    simple = "stratum" not in drawn
    found: dict[str, tuple[float, float]] = {}
    if simple:  # of each part those that fell into it are a random sample
        beta = pu_accessor.beta_from_labels(drawn["label"], n_unlabeled=UNLABELED)
        found["beta"] = tuple(beta[["lower", "upper"]].iloc[0])
        high, unlabeled = frame["score"] >= threshold, frame["label"].isna()
        part = high[drawn.index]
        drawn = drawn.assign(
            stratum=np.where(part, f">= {threshold:.12g}", "rest"),
            n=np.where(part, (high & ~unlabeled).sum(), (~high & ~unlabeled).sum()),
            n_negative=0,
            n_unlabeled=np.where(part, (high & unlabeled).sum(), (~high & unlabeled).sum()),
        )
        if part.nunique() == 1:  # nothing of the list was labeled
            return {**found, "precision": (0.0, 1.0), "recall": (0.0, 1.0)}
    elif drawn["stratum"].nunique() > 1:
        beta = pu_accessor.beta_from_labels(drawn)
        found["beta"] = tuple(beta[["lower", "upper"]].iloc[0])
    rates = labeling.rates_from_labels(drawn, f">= {threshold:.12g}").set_index("metric")
    for quantity in {"precision", "recall"} & {*rates.index}:
        found[quantity] = tuple(rates.loc[quantity, ["lower", "upper"]])
    return found


# How many strata

CUTS = {2: [0.8], 3: [0.7, 0.9], 4: [0.6, 0.8, 0.93]}


def strata(draw: Draw, beta: float, labels: int, draws: int, rng: Rng) -> Iterator[dict[str, Any]]:
    """Yield width and coverage of beta from as many labels of all rows, and of strata by score.

    Strata are cut at quantiles of the unlabeled, and Neyman's shares are those of the true beta.
    """
    rows: dict[str, list[tuple[float, float]]] = {}
    total = 10_000
    positives, size = KNOWN + round(beta * total), KNOWN + total
    for _ in range(draws):
        truth, known = np.arange(size) < positives, np.arange(size) < KNOWN
        score = np.concatenate(draw(rng, positives, size - positives))
        frame = pd.DataFrame({"score": score, "label": np.where(known, 1, np.nan)})
        simple = frame.pu.sample_to_label(labels, random_state=int(rng.integers(2**32)))
        drawn = {"simple": simple}
        for number, cuts in CUTS.items():
            for allocate in ("proportional", "neyman"):
                drawn[f"{number} strata, {allocate}"] = frame.pu.sample_to_label(
                    labels,
                    strata=np.quantile(score[~known], cuts),
                    allocate=allocate,
                    expected_beta=beta if allocate == "neyman" else None,
                    random_state=int(rng.integers(2**32)),
                )
        for name, part in drawn.items():
            found = pu_accessor.beta_from_labels(part.assign(label=truth[part.index])).iloc[0]
            held = found["lower"] - 1e-12 <= beta <= found["upper"] + 1e-12
            rows.setdefault(name, []).append((held, found["upper"] - found["lower"]))
    for name, each in rows.items():
        held, width = np.array(each, float).T
        yield {"rows": name, "covers": held.mean(), "width": width.mean()}


# Weights


@cache
def goals(name: str, prevalence: float) -> dict[str, float]:
    """Return what is true of new examples, and the threshold of precision."""
    good, bad = map(np.sort, shapes()[name](np.random.default_rng(SEED), TRUTH, TRUTH))
    tpr, fpr = (1 - np.searchsorted(kind, good, "left") / TRUTH for kind in (good, bad))
    tied = 1 - np.searchsorted(bad, good, "right") / TRUTH
    threshold = float(np.quantile(bad, 0.9))

    def precision(true: Any, false: Any) -> Any:
        return prevalence * true / (prevalence * true + (1 - prevalence) * false)

    rates = [float((kind >= threshold).mean()) for kind in (good, bad)]
    return {
        "threshold": threshold,
        "AUROC": float(1 - (fpr + tied).mean() / 2),
        "AP": float(precision(tpr, fpr).mean()),
        "precision": float(precision(*rates)),
    }


def ask(pu: Any, beta: Any, threshold: float) -> dict[str, pd.DataFrame]:
    """Ask for three numbers on new examples."""
    at = {"at": {"threshold": threshold}, "target": "population"}
    return {
        "AUROC": pu.auroc(beta),
        "AP": pu.average_precision(beta),
        "precision": pu.metric("precision", beta, **at),
    }


def weights(
    name: str, prevalence: float, labels: int, biased: bool, draws: int, rng: Rng
) -> Iterator[dict[str, object]]:
    """Yield coverage and width with weights, and with beta, of labels at random or not."""
    goal, size = goals(name, prevalence), 3_000
    rows: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _ in range(draws):
        positives = int(rng.binomial(size, prevalence))
        score = np.concatenate(shapes()[name](rng, positives, size - positives))
        truth = np.arange(size) < positives
        rank = np.argsort(np.argsort(score[:positives])) / positives
        known = np.zeros(size, np.bool_)
        known[:positives] = rng.random(positives) < (0.4 * rank if biased else 0.2)
        frame = pd.DataFrame({"score": score, "label": np.where(known, 1, np.nan)})
        seed, cut = int(rng.integers(2**32)), float(np.quantile(score[~known], 0.8))
        simple = frame.pu.sample_to_label(labels, random_state=seed)
        found = pd.Series(truth[simple.index], index=simple.index)
        beta = pu_accessor.beta_from_labels(found, n_unlabeled=int((~known).sum()))
        asked = {"beta": ask(frame.pu, beta, goal["threshold"])}
        asked["weights"] = weighed(frame, found, goal["threshold"])
        if (score[~known] < cut).any():
            options = {"strata": cut, "allocate": "neyman", "expected_beta": prevalence}
            drawn = frame.pu.sample_to_label(labels, **options, random_state=seed)
            drawn["label"] = truth[drawn.index]
            asked["weights, strata"] = weighed(frame, drawn, goal["threshold"])
        for way, answer in asked.items():
            for quantity, found_number in answer.items():
                lower, upper = found_number[["lower", "upper"]].iloc[0]
                held = lower - 1e-9 <= goal[quantity] <= upper + 1e-9
                rows.setdefault((quantity, way), []).append((held, upper - lower))
    for (quantity, way), each in rows.items():
        held, width = np.array(each, float).T
        yield {
            "metric": quantity,
            "way": way,
            "covers": held.mean(),
            "width": np.nanmean(width) if np.isfinite(width).any() else np.nan,
        }


def weighed(frame: pd.DataFrame, found: Any, threshold: float) -> dict[str, pd.DataFrame]:
    """Ask with the weights of labeled rows."""
    rows = frame.assign(**labeling.weigh_labels(frame["label"], found))
    return ask(rows.pu(weight="weight"), 0, threshold)


# All of them


def _beside(rows: list[dict[str, object]], column: str) -> list[dict[str, object]]:
    """Put ways to use labels beside each other."""
    table = pd.DataFrame(rows)
    keys = [name for name in table if name not in (column, "covers", "width")]
    wide = table.pivot(index=keys, columns=column, values=["covers", "width"])
    wide.columns = [f"{pair[1]}: {pair[0]}" for pair in wide.columns.to_list()]
    order = [f"{way}: {what}" for way in table[column].unique() for what in ("covers", "width")]
    asked = table[keys].drop_duplicates()
    listed: Any = wide[order].loc[[*asked.itertuples(index=False, name=None)]].reset_index()
    found: list[dict[str, object]] = listed.to_dict("records")
    return found


def _write(name: str, rows: list[dict[str, object]]) -> None:
    table = pd.DataFrame(rows).round(3)
    print(table.to_string(index=False), flush=True)
    path = table_path(f"hand_{name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False)


def _rng(*words: str) -> Rng:
    return np.random.default_rng([SEED, *"".join(words).encode()])


def _sequential(draws: int) -> list[dict[str, object]]:
    total, width = 2_000, 0.1
    return [
        {"unlabeled": total, "width": width, "beta": beta, "expected": expected or "not known"}
        | sequential(total, beta, width, expected, draws, _rng("sequential", str(beta)))
        for beta in (0.01, 0.05, 0.1, 0.2, 0.5)
        for expected in dict.fromkeys((None, beta, 0.2))
    ]


def _use(draws: int) -> list[dict[str, object]]:
    rows = [
        {"scores": name, "unlabeled": UNLABELED, "beta": beta, **row}
        for name, draw in shapes().items()
        for beta in (0.1, 0.03)
        for row in use(draw, beta, draws, _rng("use", name, str(beta)))
    ]
    return _beside(rows, "rows")


def _strata(draws: int) -> list[dict[str, object]]:
    rows = [
        {"scores": name, "unlabeled": 10_000, "labels": labels, "beta": beta, **row}
        for name in ("normal, AUROC .80", "normal, AUROC .96")
        for labels in (50, 100, 200)
        for beta in (0.05, 0.2, 0.5)
        for row in strata(
            shapes()[name], beta, labels, draws, _rng("strata", name, str(labels), str(beta))
        )
    ]
    return _beside(rows, "rows")


def _weights(draws: int) -> list[dict[str, object]]:
    rows = [
        {"scores": name, "labels": labels, "known": known, **row}
        for name in shapes()
        for labels in (100, 300)
        for known in ("at random", "the better the likelier")
        for row in weights(
            name, 0.15, labels, known != "at random", draws, _rng("weights", name, known)
        )
    ]
    return _beside(rows, "way")


TABLES: Mapping[str, Callable[[int], list[dict[str, object]]]] = {
    "sequential": _sequential,
    "use": _use,
    "strata": _strata,
    "weights": _weights,
}


def main() -> None:
    """Simulate, print and write all tables, or some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--tables", nargs="*", default=[*TABLES])
    options = parser.parse_args()
    warnings.simplefilter("ignore", PUWarning)
    for name in options.tables:
        _write(name, TABLES[name](options.draws))


if __name__ == "__main__":
    main()
