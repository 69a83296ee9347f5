"""Comparisons of any quantity, with clusters, and with p values adjusted together; by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special, stats

import pu_accessor
from pu_accessor import PUError, PUTypeError, PUValueError
from pu_accessor.ranking import BoolArray, FloatArray

BETA, AT, ALPHA = 0.15, 0.8, 5.0
CHANCE = float(special.expit(AT))  # the same cutoff, of probabilities
MODELS = ["svm", "forest", "nb"]


def draw(seed: int, decimals: int = 12) -> pd.DataFrame:
    """Draw three models of the same rows, of 40 patients."""
    rng = np.random.default_rng(seed)
    truth = np.arange(240) < 90
    base = rng.normal(truth)
    columns = {name: (base + rng.normal(size=240)).round(decimals) for name in MODELS}
    columns["forest"] += 0.4 * truth
    label = np.where(np.arange(240) < 60, 1.0, np.nan)
    return pd.DataFrame({**columns, "label": label, "patient": rng.integers(0, 40, 240)})


def weighted(name: str, score: FloatArray, known: BoolArray, weight: FloatArray) -> float:
    """Return a quantity of weighted rows, over the sizes of both samples; slowly."""
    n, rest = known.sum(), (~known).sum()
    one, other = weight[known] / weight[known].sum(), weight[~known] / weight[~known].sum()

    def above(at: float) -> tuple[float, float]:
        return float(one @ (score[known] >= at)), float(other @ (score[~known] >= at))

    if name == "average_precision":
        shares = np.array([above(at) for at in score[known]]) * [n, rest]
        positives = n + BETA * rest
        return float(one @ (shares[:, 0] / shares.sum(axis=1)) * positives / n)
    if name == "bedroc":
        size = n + rest
        positives, pace = n + BETA * rest, ALPHA / size
        ranks = np.array([above(at) for at in score[known]]) @ [n, rest]

        def mean_weight(start: FloatArray | float, length: float) -> FloatArray:
            ends = np.exp(-pace * np.asarray(start)), np.exp(-pace * (np.asarray(start) + length))
            return np.asarray((ends[0] - ends[1]) / length)

        top, bottom = (mean_weight(at, positives) for at in (0.0, size - positives))
        return float((one @ mean_weight(ranks - 1, 1.0) - bottom) / (top - bottom))
    t, o = above(AT)
    tp = t * (n + BETA * rest)
    head = n * t + rest * o
    cost = CHANCE / (1 - CHANCE)
    benefit = (tp - (head - tp) * cost) / (n + rest)
    values = {
        "net_benefit": benefit,
        "recall": t,
        "precision": tp / head,
        "f1": 2 * tp / (head + n + BETA * rest),
    }
    return float(values[name])


def by_hand(df: pd.DataFrame, name: str) -> FloatArray:
    """Return what each row adds to the difference of the first two models, by nudging it."""
    known, step = df["label"].notna().to_numpy(), 1e-5
    terms = []
    for row in range(len(df)):
        up, down = np.ones(len(df)), np.ones(len(df))
        up[row], down[row] = 1 + step, 1 - step
        ends = [
            [weighted(name, df[model].to_numpy(), known, weight) for model in MODELS[:2]]
            for weight in (up, down)
        ]
        terms.append((ends[0][0] - ends[0][1] - ends[1][0] + ends[1][1]) / (2 * step))
    return np.array(terms)


def by_patient(df: pd.DataFrame, terms: FloatArray) -> float:
    """Return the sum of squares by patient, each sample's part as though it were left out."""
    whole = 0.0
    for patient in df["patient"].unique():
        mine, known = (df["patient"] == patient).to_numpy(), df["label"].notna().to_numpy()
        parts = [
            terms[mine & kind].sum() / (1 - np.mean(mine[kind])) ** 0.5 for kind in (known, ~known)
        ]
        whole += sum(parts) ** 2
    return whole


def asked(df: pd.DataFrame, name: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return rows as a quantity takes them, and how it is asked for."""
    if name == "net_benefit":
        rows = df.assign(**{model: special.expit(df[model]) for model in MODELS})
        return rows, {"quantity": name, "at": {"threshold": CHANCE}}
    cutoff = {} if name in ("average_precision", "bedroc") else {"at": {"threshold": AT}}
    return df, {"quantity": name, **cutoff, **({"alpha": ALPHA} if name == "bedroc" else {})}


def half_width(row: "pd.Series[Any]") -> float:
    """Return a standard error from an interval that is not cut."""
    return float((row["upper"] - row["lower"]) / 2 / stats.t.ppf(0.975, row["df"]))


@pytest.mark.parametrize(
    "name", ["average_precision", "recall", "precision", "f1", "bedroc", "net_benefit"]
)
@pytest.mark.parametrize("seed", [0, 1])
def test_errors_are_what_rows_add(seed: int, name: str) -> None:
    df = draw(seed)
    rows, how = asked(df, name)
    known, terms = df["label"].notna().to_numpy(), by_hand(df, name)
    squares = [part @ part * part.size / (part.size - 1) for part in (terms[known], terms[~known])]
    row = rows.pu(score=MODELS[:2]).compare(BETA, **how).iloc[0]
    assert half_width(row) == pytest.approx(sum(squares) ** 0.5, rel=1e-4)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(row["statistic"]), row["df"]))
    square, count = max(by_patient(df, terms), sum(squares)), df.loc[known, "patient"].nunique()
    row = rows.pu(score=MODELS[:2], cluster="patient").compare(BETA, **how).iloc[0]
    assert half_width(row) == pytest.approx(square**0.5, rel=1e-4)
    assert row["df"] <= count - 1


@pytest.mark.parametrize("decimals", [12, 1])
@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("average_precision", None),
        ("precision", {"threshold": AT}),
        ("precision", 30),
        ("recall", {"fraction": 0.1}),
        ("lift", {"fraction": 0.03}),
        (pu_accessor.fbeta(2), 25),
    ],
)
def test_differences_are_those_of_the_estimates(name: Any, at: Any, decimals: int) -> None:
    df = draw(2, decimals)
    found = df.pu(score=MODELS).compare([0.05, BETA], quantity=name, at=at)
    for model_a, model_b, beta, difference in found[
        ["model_a", "model_b", "beta", "difference"]
    ].itertuples(index=False):
        values = []
        for model in (model_a, model_b):
            pu = df.pu(score=model)
            if at is None:
                values.append(pu.average_precision(beta)["estimate"].item())
            else:
                values.append(pu.metric(name, beta, at=at)["estimate"].item())
        assert difference == pytest.approx(values[0] - values[1], abs=1e-12)
    assert (found["lower"] <= found["difference"]).all()
    assert (found["difference"] <= found["upper"]).all()
    if name != "lift":
        assert found["lower"].min() >= -1 and found["upper"].max() <= 1


@pytest.mark.parametrize("decimals", [12, 1])
@pytest.mark.parametrize("name", ["bedroc", "net_benefit"])
def test_differences_of_what_has_a_method_of_its_own(name: str, decimals: int) -> None:
    rows, how = asked(draw(2, decimals), name)
    own = {"alpha": ALPHA} if name == "bedroc" else {"thresholds": CHANCE}
    found = rows.pu(score=MODELS).compare([0.05, BETA], **how)
    for model_a, model_b, beta, difference in found[
        ["model_a", "model_b", "beta", "difference"]
    ].itertuples(index=False):
        values = [
            getattr(rows.pu(score=model), name)(beta, target="population", **own)[
                "estimate"
            ].item()
            for model in (model_a, model_b)
        ]
        assert difference == pytest.approx(values[0] - values[1], abs=1e-12)
    assert (found["lower"] <= found["difference"]).all()
    assert (found["difference"] <= found["upper"]).all()


def test_bedroc_is_as_early_as_that_of_one_model() -> None:
    pu = draw(2).pu(score=MODELS)
    plain, early = (pu.compare(BETA, quantity="bedroc", **how) for how in ({}, {"alpha": 20.0}))
    pd.testing.assert_frame_equal(plain, early)
    assert not plain.equals(pu.compare(BETA, quantity="bedroc", alpha=ALPHA))


def test_at_a_rank_precision_and_recall_say_the_same() -> None:
    df = draw(3)
    found = [
        df.pu(score=MODELS).compare(BETA, quantity=name, at=30) for name in ("precision", "recall")
    ]
    np.testing.assert_allclose(found[0]["p_value"], found[1]["p_value"], rtol=1e-6)


def placements(df: pd.DataFrame, model: str) -> FloatArray:
    """Return what each row adds to the share of pairs in order."""
    known, score = df["label"].notna().to_numpy(), df[model].to_numpy()
    wins = (np.sign(score[known][:, np.newaxis] - score[~known]) + 1) / 2
    terms = np.empty(len(df))
    terms[known] = (wins.mean(axis=1) - wins.mean()) / known.sum()
    terms[~known] = (wins.mean(axis=0) - wins.mean()) / (~known).sum()
    return terms


def test_clusters_of_auroc_are_obuchowskis() -> None:
    df = draw(4)
    terms = placements(df, "svm") - placements(df, "forest")
    known = df["label"].notna()
    count = df.loc[known, "patient"].nunique()
    rows, clusters = (
        df.pu(score=MODELS[:2], cluster=cluster).compare(BETA).iloc[0]
        for cluster in (None, "patient")
    )
    parts = [terms[known], terms[~known]]
    plain = sum(part @ part * part.size / (part.size - 1) for part in parts)
    effect = max(by_patient(df, terms) / plain, 1)
    assert rows["statistic"] / clusters["statistic"] == pytest.approx(effect**0.5)
    assert clusters["df"] <= min(rows["df"], count - 1) + 1e-9
    assert rows["difference"] == pytest.approx(clusters["difference"], abs=1e-14)


def test_clusters_of_pooled_folds_are_summed_over_all() -> None:
    df, rng = draw(4).assign(fold=lambda df: df.index % 3), np.random.default_rng(1)
    df["patient"] = rng.integers(0, 25, 240)
    for model in MODELS[:2]:  # patients are alike, and in all folds
        df[model] += rng.normal(size=25)[df["patient"]]
    known, n = df["label"].notna(), int(df["label"].count())
    terms = np.zeros((2, len(df)))
    for model, added in zip(("svm", "forest"), terms, strict=True):
        for _, part in df.groupby("fold"):
            mine, score = part["label"].notna().to_numpy(), part[model].to_numpy()
            wins = (np.sign(score[mine][:, np.newaxis] - score[~mine]) + 1) / 2
            rows = part.index.to_numpy()
            added[rows[mine]] = wins.mean(axis=1) / n
            added[rows[~mine]] = mine.sum() / n * (wins.mean(axis=0) - wins.mean()) / (~mine).sum()
        added[known] -= added[known].mean()
    apart = terms[0] - terms[1]
    plain = float(apart[known] @ apart[known]) * n / (n - 1)
    for _, part in df[~known].groupby("fold"):
        plain += float(apart[part.index] @ apart[part.index]) * len(part) / (len(part) - 1)
    effect = by_patient(df, apart) / plain
    rows, clusters = (
        df.pu(score=MODELS[:2], by="fold", pool=True, cluster=cluster).compare(BETA).iloc[0]
        for cluster in (None, "patient")
    )
    assert rows["difference"] == clusters["difference"]
    assert rows["statistic"] / clusters["statistic"] == pytest.approx(effect**0.5, rel=1e-9)
    assert effect > 1.1
    assert clusters["df"] <= df.loc[known, "patient"].nunique() - 1


def test_copies_of_rows_say_nothing_more() -> None:
    """Rows that stand five times, as clusters, have the error of the rows themselves."""
    df = draw(5).drop(columns="patient")
    copied = pd.concat([df.assign(patient=range(len(df)))] * 5)
    single = df.pu(score=MODELS).compare(BETA)
    found = copied.pu(score=MODELS, cluster="patient").compare(BETA)
    np.testing.assert_allclose(found["difference"], single["difference"], atol=1e-12)
    np.testing.assert_allclose(found["statistic"], single["statistic"], rtol=0.03)


def test_rows_of_models_have_clusters_too() -> None:
    df = draw(6).assign(row=range(240))
    rows = df.melt(["row", "label", "patient"], MODELS, var_name="model", value_name="score")
    rows["model"] = pd.Categorical(rows["model"], MODELS)
    for how in ({}, {"quantity": "precision", "at": 20}):
        wide = df.pu(score=MODELS, cluster="patient").compare(BETA, **how)
        by_row = rows.pu(by="model", cluster="patient").compare(BETA, on="row", **how)
        numbers = ["difference", "lower", "upper", "statistic", "p_value"]
        np.testing.assert_allclose(by_row[numbers], wide[numbers])
    rows.loc[0, "patient"] = 99
    with pytest.raises(PUValueError, match="cluster must be the same in all groups"):
        rows.pu(by="model", cluster="patient").compare(BETA, on="row")


def test_gaps_count_clusters() -> None:
    df = draw(7).assign(sex=lambda df: np.where(df["patient"] % 2, "f", "m"))
    rows, clusters = (
        df.pu(score="svm", by="sex", cluster=cluster).gap("auroc", BETA).iloc[0]
        for cluster in (None, "patient")
    )
    assert rows["difference"] == pytest.approx(clusters["difference"], abs=1e-14)
    assert abs(clusters["statistic"]) <= abs(rows["statistic"]) and clusters["df"] <= rows["df"]
    with pytest.raises(PUValueError, match="cluster must be left out"):
        df.pu(score="svm", by="sex", cluster="patient").gap("auroc", BETA, target="examples")


def test_max_t_is_between_plain_and_holm() -> None:
    df = draw(8)
    for cluster in (None, "patient"):
        pu = df.pu(score=MODELS, cluster=cluster)
        for how in ({}, {"quantity": "average_precision"}):
            holm, together = (pu.compare(BETA, adjust=by, **how) for by in ("holm", "max_t"))
            assert (together["p_adjusted"] <= holm["p_adjusted"]).all()
            assert (together["p_adjusted"] >= holm["p_value"]).all()
            assert (together["p_adjusted"] < holm["p_adjusted"]).any()
            pd.testing.assert_frame_equal(
                together.drop(columns="p_adjusted"), holm.drop(columns="p_adjusted")
            )
    assert "max-t" in together.attrs["adjust"] and "Holm" in holm.attrs["adjust"]
    assert pu.compare(BETA, adjust="max_t").equals(pu.compare(BETA, adjust="max_t"))


def test_an_estimate_of_beta_widens_differences() -> None:
    df = draw(9)
    hand = pu_accessor.beta_from_labels(15, 100, n_unlabeled=180)
    pu = df.pu(score=MODELS)
    point = pu.compare(BETA, quantity="precision", at=30)
    joint = pu.compare(hand, quantity="precision", at=30)
    np.testing.assert_allclose(joint["difference"], point["difference"], atol=1e-9)
    assert ((joint["upper"] - joint["lower"]) >= (point["upper"] - point["lower"]) - 1e-12).all()


def test_a_metric_without_a_value_has_no_test() -> None:
    pu = draw(12).pu(score=MODELS)
    with pytest.warns(pu_accessor.PUWarning, match="no value at the cutoff"):
        found = pu.compare(BETA, quantity="precision", at={"threshold": 99})
    assert found[["difference", "lower", "upper", "p_value"]].isna().all(axis=None)
    nothing = pu.compare(BETA, quantity="recall", at={"threshold": 99})
    assert (nothing["p_value"] == 1).all() and (nothing["difference"] == 0).all()


@pytest.mark.parametrize("dtype", ["float64", "Float64"])
def test_samples_in_xarray_are_compared_alike(dtype: str) -> None:
    df = draw(13).astype({"label": dtype})
    ds = xr.Dataset(
        {
            "score": (("model", "row"), df[MODELS].to_numpy().T),
            "label": ("row", df["label"].to_numpy(dtype=float, na_value=np.nan)),
        },
        coords={"model": MODELS},
    )
    how = {"quantity": "f1", "at": {"fraction": 0.2}, "adjust": "max_t"}
    found = ds.pu(score="score", label="label", dim="row").compare(BETA, **how)
    pd.testing.assert_frame_equal(found, df.pu(score=MODELS).compare(BETA, **how))


@pytest.mark.parametrize(
    ("roles", "how", "error", "message"),
    [
        ({}, {"quantity": "precision", "at": AT}, PUTypeError, "at must be an integer"),
        ({}, {"quantity": "precision", "at": {"fpr": 0.1}}, PUValueError, "at must be one of"),
        ({}, {"quantity": "precision"}, PUValueError, "at must say the one cutoff"),
        (
            {},
            {"quantity": "average_precision", "target": "examples"},
            PUValueError,
            "target must be 'population' to compare",
        ),
        (
            {},
            {"quantity": "average_precision", "selection_odds": 2},
            PUValueError,
            "selection_odds must be left out",
        ),
        ({}, {"quantity": "difference"}, PUValueError, "quantity must be one of"),
        ({}, {"quantity": "bedroc", "alpha": 0}, PUValueError, "alpha must be"),
        ({}, {"quantity": "bedroc", "at": 20}, PUValueError, "at must be left out with 'bedroc'"),
        ({}, {"alpha": 20}, PUValueError, "alpha must be left out to compare 'auroc'"),
        ({}, {"quantity": "net_benefit"}, PUValueError, "at must say the one cutoff"),
        ({}, {"quantity": "net_benefit", "at": 20}, PUValueError, "at must be a threshold"),
        (
            {},
            {"quantity": "net_benefit", "at": {"threshold": 1.5}},
            PUValueError,
            "thresholds must be probabilities",
        ),
        (
            {},
            {"quantity": "net_benefit", "at": {"threshold": 0.5}},
            PUError,
            "net_benefit needs scores that are probabilities",
        ),
        ({}, {"adjust": "bonferroni"}, PUValueError, "adjust must be one of"),
        ({}, {"adjust": "max_t", "selection_odds": 2}, PUValueError, "adjust must be 'holm'"),
        ({"cluster": "patient"}, {"target": "examples"}, PUValueError, "target must be"),
        (
            {"cluster": "patient"},
            {"selection_odds": 2},
            PUValueError,
            "selection_odds must be left out",
        ),
        ({"cluster": "label"}, {}, PUError, "cluster"),
        (
            {"propensity": "chance"},
            {"quantity": "average_precision"},
            PUValueError,
            "quantity must be 'auroc'",
        ),
    ],
)
def test_what_cannot_be_compared(
    roles: dict[str, Any], how: dict[str, Any], error: type[Exception], message: str
) -> None:
    df = draw(10).assign(chance=0.5)
    with pytest.raises(error, match=message) as told:
        df.pu(score=MODELS, **roles).compare(BETA, **how)
    assert len(str(told.value).split(" See ")[0]) <= 300


def test_other_quantities_need_beta_and_rows() -> None:
    df = draw(11)
    with pytest.raises(PUTypeError, match="beta must be passed to compare 'average_precision'"):
        df.pu(score=MODELS).compare(quantity="average_precision")
    pieces = pu_accessor.from_chunks([df.iloc[:100], df.iloc[100:]], score=MODELS)
    with pytest.raises(PUValueError, match="quantity must be 'auroc' where rows"):
        pieces.compare(BETA, quantity="average_precision")
    pd.testing.assert_frame_equal(pieces.compare(BETA), df.pu(score=MODELS).compare(BETA))
    one = df.assign(patient=np.where(df["label"].notna(), 0, df["patient"] + 1))
    with pytest.raises(PUError, match="cluster must leave known positives in two or more"):
        one.pu(score=MODELS, cluster="patient").compare(BETA)


def test_models_that_are_the_same_cost_no_adjustment() -> None:
    """Two of three models are one: there is one test, though rounding tells the two apart."""
    df = draw(3).assign(nb=lambda rows: rows["svm"])
    for roles in ({}, {"cluster": "patient"}):
        found = df.pu(score=MODELS, **roles).compare(BETA, adjust="max_t").set_index("model_b")
        tests = found[found["statistic"] != 0]
        assert len(tests) == 2 and tests["p_adjusted"].to_numpy() == pytest.approx(
            tests["p_value"].to_numpy(), abs=0.005
        )
