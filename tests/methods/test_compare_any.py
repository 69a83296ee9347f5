"""Comparisons of any quantity, with clusters, and with p values adjusted together; by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import pu_accessor
from pu_accessor.ranking import FloatArray
from tests.cases import placements
from tests.methods.test_clusters import expected_variance
from tests.support.oracles import cluster_oracle as oracle

BETA, AT, ALPHA = 0.15, 0.8, 5.0
CHANCE = float(special.expit(AT))  # the same cutoff, of probabilities
MODELS = ["svm", "forest", "nb"]
CURVES = ("average_precision", "bedroc")


def draw(seed: int, decimals: int = 12) -> pd.DataFrame:
    """Draw three models of the same rows, of 40 patients."""
    rng = np.random.default_rng(seed)
    truth = np.arange(240) < 90
    base = rng.normal(truth)
    columns = {name: (base + rng.normal(size=240)).round(decimals) for name in MODELS}
    columns["forest"] += 0.4 * truth
    label = np.where(np.arange(240) < 60, 1.0, np.nan)
    return pd.DataFrame({**columns, "label": label, "patient": rng.integers(0, 40, 240)})


def functional_of(name: str, scores: list[float], labels: list[bool | None]) -> oracle.Functional:
    """Return a quantity of weighted rows, over the sizes of both samples; slowly."""
    if name == "average_precision":
        return oracle.unbiased_precision_of(scores, labels, BETA)
    if name != "bedroc":
        cost = CHANCE / (1 - CHANCE)
        metrics = oracle.METRICS | {"net_benefit": lambda tp, fp, fn, tn: tp - fp * cost}
        return oracle.metric_of(scores, labels, BETA, AT, metrics[name])
    score, known = np.array(scores), np.array(labels) == True  # noqa: E712
    n, size = known.sum(), known.size
    positives = n + BETA * (size - n)

    def mean_weight(start: FloatArray | float, length: float) -> FloatArray:
        start = np.asarray(start) * ALPHA / size
        return np.asarray((np.exp(-start) - np.exp(-start - ALPHA / size * length)) / length)

    top, bottom = (mean_weight(at, positives) for at in (0.0, size - positives))

    def bedroc(weight: FloatArray) -> float:
        one, other = (weight[kind] / weight[kind].sum() for kind in (known, ~known))
        above = score >= score[known][:, np.newaxis]
        heads = n * (above[:, known] @ one) + (size - n) * (above[:, ~known] @ other)
        return float((one @ mean_weight(heads - 1, 1.0) - bottom) / (top - bottom))

    return bedroc


def by_patient(df: pd.DataFrame, terms: FloatArray) -> float:
    """Return the sum of squares by patient, each sample's part as though it were left out."""
    whole, known = 0.0, df["label"].notna().to_numpy()
    for patient in df["patient"].unique():
        mine = (df["patient"] == patient).to_numpy()
        kinds = known, ~known
        parts = [terms[mine & kind].sum() / (1 - np.mean(mine[kind])) ** 0.5 for kind in kinds]
        whole += sum(parts) ** 2
    return whole


def with_and_without(pu: Any, **roles: Any) -> Any:
    """Compare the first two models by rows, and by patients."""
    pus = (pu(score=MODELS[:2], cluster=cluster, **roles) for cluster in (None, "patient"))
    return (each.compare("auroc", BETA).iloc[0] for each in pus)


def asked(df: pd.DataFrame, name: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return rows as a quantity takes them, and how it is asked for."""
    if name == "net_benefit":
        rows = df.assign(**{model: special.expit(df[model]) for model in MODELS})
        return rows, {"metric": name, "at": {"threshold": CHANCE}}
    if name == "bedroc":
        return df, {"metric": pu_accessor.bedroc(ALPHA)}
    return df, {"metric": name, **({} if name in CURVES else {"at": {"threshold": AT}})}


def half_width(row: "pd.Series[Any]") -> float:
    """Return a standard error from an interval that is not cut."""
    return float((row["upper"] - row["lower"]) / 2 / stats.t.ppf(0.975, row["df"]))


@pytest.mark.parametrize("name", [*CURVES, "recall", "precision", "f1", "net_benefit"])
def test_errors_are_what_rows_add(name: str) -> None:
    df = draw(0)
    rows, how = asked(df, name)
    known = df["label"].notna()
    labels = [True if one else None for one in known]
    first, second = (functional_of(name, df[model].tolist(), labels) for model in MODELS[:2])
    nothing = df.assign(score=0.0)
    clusters, squares = expected_variance(lambda weight: first(weight) - second(weight), nothing)
    row = rows.pu(score=MODELS[:2]).compare(beta=BETA, **how).iloc[0]
    assert half_width(row) == pytest.approx(squares**0.5, rel=1e-4)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(row["statistic"]), row["df"]))
    square = max(clusters, squares)
    row = rows.pu(score=MODELS[:2], cluster="patient").compare(beta=BETA, **how).iloc[0]
    assert half_width(row) == pytest.approx(square**0.5, rel=1e-4)
    assert row["df"] <= df.loc[known, "patient"].nunique() - 1


@pytest.mark.parametrize("decimals", [12, 1])
@pytest.mark.parametrize(
    ("name", "at"),
    [
        *((name, None) for name in (*CURVES, "net_benefit")),
        *(("precision", {"threshold": AT}), ("precision", 30), ("recall", {"fraction": 0.1})),
        *(("lift", {"fraction": 0.03}), (pu_accessor.fbeta(2), 25)),
    ],
)
def test_differences_are_those_of_the_estimates(name: Any, at: Any, decimals: int) -> None:
    df, betas = draw(2, decimals), [0.05, BETA]
    rows, how = asked(df, name) if at is None else (df, {"metric": name, "at": at})
    found, each = rows.pu(score=MODELS).compare(beta=betas, **how), {}
    for model in MODELS:
        pu: Any = rows.pu(score=model)
        answer = pu.metric(beta=betas, target=None if at else "population", **how)
        each[model] = answer.set_index("beta")["estimate"]
    for _, row in found.iterrows():
        values = [each[row[side]][row["beta"]] for side in ("model_a", "model_b")]
        assert row["difference"] == pytest.approx(values[0] - values[1], abs=1e-12)
        assert row["lower"] <= row["difference"] <= row["upper"]
    if name not in ("lift", "net_benefit"):
        assert found["lower"].min() >= -1 and found["upper"].max() <= 1


def added(df: pd.DataFrame, model: str) -> FloatArray:
    """Return what each row adds to the share of pairs in order."""
    known, terms = df["label"].notna().to_numpy(), np.empty(len(df))
    wins, losses = placements(df, model)
    terms[known], terms[~known] = (wins - 0.5) / wins.size, (losses - wins.mean()) / losses.size
    return terms


def test_clusters_of_auroc_are_obuchowskis() -> None:
    df, known = draw(4), draw(4)["label"].notna()
    terms = added(df, "svm") - added(df, "forest")
    terms[known] -= terms[known].mean()
    plain = sum(
        part @ part * part.size / (part.size - 1) for part in (terms[known], terms[~known])
    )
    effect = max(by_patient(df, terms) / plain, 1)
    rows, clusters = with_and_without(df.pu)
    assert rows["statistic"] / clusters["statistic"] == pytest.approx(effect**0.5)
    assert clusters["df"] <= min(rows["df"], df.loc[known, "patient"].nunique() - 1) + 1e-9
    assert rows["difference"] == pytest.approx(clusters["difference"], abs=1e-14)


def test_clusters_of_pooled_folds_are_summed_over_all() -> None:
    df, rng = draw(4).assign(fold=lambda df: df.index % 3), np.random.default_rng(1)
    df["patient"] = rng.integers(0, 25, 240)
    for model in MODELS[:2]:  # patients are alike, and in all folds
        df[model] += rng.normal(size=25)[df["patient"]]
    known, apart = df["label"].notna().to_numpy(), np.zeros(len(df))
    plain: Any = 0.0
    for _, part in df.groupby("fold"):
        share = part["label"].count() / known.sum()
        apart[part.index] = share * (added(part, "svm") - added(part, "forest"))
        terms = apart[part.index][part["label"].isna()]
        plain += terms @ terms * terms.size / (terms.size - 1)
    apart[known] -= apart[known].mean()
    plain += apart[known] @ apart[known] * known.sum() / (known.sum() - 1)
    effect = by_patient(df, apart) / plain
    rows, clusters = with_and_without(df.pu, by="fold", pool=True)
    assert rows["difference"] == clusters["difference"]
    assert rows["statistic"] / clusters["statistic"] == pytest.approx(effect**0.5, rel=1e-9)
    assert effect > 1.1
    assert clusters["df"] <= df.loc[known, "patient"].nunique() - 1


@pytest.mark.parametrize("cluster", [None, "patient"])
@pytest.mark.parametrize("quantity", ["auroc", "average_precision"])
def test_max_t_is_between_plain_and_holm(quantity: str, cluster: str | None) -> None:
    pu: Any = draw(8).pu(score=MODELS, cluster=cluster)
    holm, together, again = (
        pu.compare(quantity, BETA, adjust=by) for by in ("holm", "max_t", "max_t")
    )
    assert "max-t" in together.attrs["adjust"] and "Holm" in holm.attrs["adjust"]
    assert again.equals(together)
    adjusted, most = together.pop("p_adjusted"), holm.pop("p_adjusted")
    pd.testing.assert_frame_equal(together, holm)
    assert (adjusted <= most).all() and (adjusted < most).any()
    assert (adjusted >= holm["p_value"]).all()


def test_an_estimate_of_beta_widens_differences() -> None:
    hand = pu_accessor.beta_from_labels(15, 100, n_unlabeled=180)
    pu = draw(9).pu(score=MODELS)
    point, joint = (pu.compare("precision", beta, at=30) for beta in (BETA, hand))
    np.testing.assert_allclose(joint["difference"], point["difference"], atol=1e-9)
    assert ((joint["upper"] - joint["lower"]) >= (point["upper"] - point["lower"]) - 1e-12).all()


def test_a_metric_without_a_value_has_no_test() -> None:
    pu = draw(12).pu(score=MODELS)
    with pytest.warns(pu_accessor.PUWarning, match="no value at the cutoff"):
        found = pu.compare("precision", BETA, at={"threshold": 99})
    assert found[["difference", "lower", "upper", "p_value"]].isna().all(axis=None)
    nothing = pu.compare("recall", BETA, at={"threshold": 99})
    assert (nothing["p_value"] == 1).all() and (nothing["difference"] == 0).all()


@pytest.mark.parametrize("cluster", [None, "patient"])
def test_models_that_are_the_same_cost_no_adjustment(cluster: str | None) -> None:
    """Two of three models are one: there is one test, though rounding tells the two apart."""
    df = draw(3).assign(nb=lambda rows: rows["svm"])
    found = df.pu(score=MODELS, cluster=cluster).compare("auroc", BETA, adjust="max_t")
    tests = found[found["statistic"] != 0]
    assert len(tests) == 2
    np.testing.assert_allclose(tests["p_adjusted"], tests["p_value"], rtol=0, atol=0.005)


WAYS: list[Any] = [
    *(("auroc", None), ("average_precision", None), ("bedroc", None), ("precision", 12)),
    *(("f1", {"fraction": 0.1}), ("recall", {"threshold": 0.8})),
]


@pytest.mark.parametrize(("name", "at"), WAYS)
def test_no_difference_is_certain_but_of_one_order(name: str, at: Any) -> None:
    """Three models that no row tells apart: the first two are one, the third has another order."""
    score = np.arange(120.0)[::-1] / 60
    known = np.isin(np.arange(120), [0, 1, 5, 8, 9, 30, 60, 80])
    order = np.arange(120)
    order[[100, 101]] = 101, 100  # below all known positives, whatever the cutoff
    df = pd.DataFrame({"a": score, "b": score, "c": score[order]})
    df["label"] = np.where(known, 1.0, np.nan)
    found = df.pu(score=[*"abc"]).compare(name, 0.1, at=at)
    assert (found["difference"] == 0).all() and (found["p_value"] == 1).all()
    half = found["upper"].to_numpy()
    np.testing.assert_allclose(-found["lower"], half)
    assert half[0] == 0 and (half[1:] > 1e-3).all()
    by_odds = df.assign(b=np.exp(score)).pu(score=["a", "b"]).compare(name, 0.1, at=at)
    assert (by_odds["upper"].item() > 0) == (name == "recall")


@pytest.mark.parametrize(("name", "at"), WAYS)
def test_near_twins_are_not_told_apart_by_chance(name: str, at: Any) -> None:
    """In 5% of the rows the second model has the score of another row, and is worse."""
    held, rng, size = [], np.random.default_rng(0), 600
    truth, known = np.arange(size) < 150, np.arange(size) < 30
    for _ in range(20):
        score = rng.normal(1.5 * truth)
        other = np.where(rng.random(size) < 0.05, rng.permutation(score), score)
        df = pd.DataFrame({"a": score, "b": other, "label": np.where(known, 1.0, np.nan)})
        row = df.pu(score=["a", "b"]).compare(name, 120 / 570, at=at).iloc[0]
        assert row["upper"] - row["lower"] > 0.01
        held.append(row["lower"] <= 0.03 <= row["upper"])
        assert row["p_value"] > 0.05 or row["sign"] == 1
    assert np.mean(held) >= 0.9
