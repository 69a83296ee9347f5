"""Comparisons of models, against a slow oracle, scipy and scikit-learn."""

import math
import warnings
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from pu_accessor import PUError, PUKeyError, PUTypeError, PUValueError, PUWarning
from tests.cases import Labels, put
from tests.support.oracles import comparison_oracle as oracle

MODELS = ["svm", "forest", "nb", "copy", "flipped"]

TESTED = ["n", "statistic", "df", "p_value", "p_adjusted", "sign"]
PLAIN = ["model_a", "model_b", *TESTED]

SIZE = ["difference", "lower", "upper"]


class Draw(NamedTuple):
    """Scores of some models, labels, and a beta."""

    scores: dict[str, list[float]]
    labels: Labels
    beta: float


def draw(seed: int) -> Draw:
    """Draw correlated, mostly tied scores; one model is a copy, one a reversal of another."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(6, 30))
    truth = rng.random(size) < rng.uniform(0.2, 0.8)
    base = rng.normal(rng.uniform(-0.5, 2) * truth)
    digits = int(rng.integers(0, 3))
    svm, forest, nb = (np.round(base + rng.normal(size=size), digits) for _ in range(3))
    models = zip(MODELS, (svm, forest, nb, svm, -svm), strict=True)
    shown = rng.random(size) < rng.uniform(0.1, 0.7)
    labels = [bool(true) if seen else None for seen, true in zip(shown, truth, strict=True)]
    labels[:4] = True, True, None, False
    beta = float(rng.choice([0, 1, 0.3, round(rng.random(), 3)]))
    return Draw({name: list(map(float, score)) for name, score in models}, labels, beta)


def wide(case: Draw) -> pd.DataFrame:
    """Return one column per model."""
    return pd.DataFrame({**case.scores, "label": pd.array(case.labels, dtype="boolean")})


def long(case: Draw) -> pd.DataFrame:
    """Return one row per model and example."""
    frame = wide(case).assign(example_id=[f"e{i}" for i in range(len(case.labels))])
    return frame.melt(["example_id", "label"], var_name="model", value_name="score")


def pu(data: Any) -> Any:
    """Return the accessor of a frame or its groups, of which type checkers know nothing."""
    return data.pu


def quiet(data: Any, method: str, *args: Any, **options: Any) -> pd.DataFrame:
    """Call a method of the accessor and let it warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        result = put(data.pu, method, *args, **options)
    assert isinstance(result, pd.DataFrame)
    return result


def expected(
    case: Draw, names: list[str], *betas: float, level: float = 0.95, target: str = "population"
) -> pd.DataFrame:
    """Return what the oracle says of all pairs of models."""
    rows = oracle.compare({k: case.scores[k] for k in names}, case.labels, betas, level, target)
    size = ["beta", *SIZE, "level"] if betas else []
    of_oracle = ["sign", "statistic", "df", "p_value", "p_adjusted", "n", "target"]
    every = pd.DataFrame(rows, columns=[*PLAIN[:2], *size, *of_oracle])
    return every[[*PLAIN[:2], *size[:1], *TESTED, *(SIZE if betas else [])]]


def assert_same(got: pd.DataFrame, want: pd.DataFrame) -> None:
    assert isinstance(got.index, pd.RangeIndex)
    pd.testing.assert_frame_equal(got, want, rtol=1e-9, atol=1e-13, check_dtype=False)


# ---------------------------------------------------------------------------------------------
# The oracle itself


def test_oracle_knows_student() -> None:
    for df in (1, 1.3, 2, 3.7, 9, 60, 400):
        for t in (0.01, 0.5, 3, 40):
            assert oracle.t_two_sided(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-10)
        assert oracle.t_quantile(0.9, df) == pytest.approx(stats.t.ppf(0.95, df), rel=1e-10)


def test_oracle_area_is_share_of_won_pairs() -> None:
    for case in map(draw, range(20)):
        truth = [label is True for label in case.labels]
        for score in case.scores.values():
            assert oracle.auroc(score, list(truth), 0) == oracle.won_pairs(score, truth)


# ---------------------------------------------------------------------------------------------
# Models on the same examples


@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize("seed", range(6))
def test_compare_agrees_with_oracle(seed: int, target: str) -> None:
    case = draw(seed)
    betas, level = sorted({0.0, 0.4, case.beta}), [0.95, 0.8][seed % 2]
    got = quiet(wide(case), "compare", score=MODELS, target=target)
    assert_same(got, expected(case, MODELS, target=target))
    got = quiet(wide(case), "compare", betas, score=MODELS, level=level, target=target)
    assert_same(got, expected(case, MODELS, *betas, level=level, target=target))


@pytest.mark.parametrize("seed", range(60, 64))
def test_long_frames_are_paired_by_example(seed: int) -> None:
    case = draw(seed)
    shuffled = long(case).sample(frac=1, random_state=seed)
    want = expected(case, sorted(MODELS), case.beta)
    assert_same(quiet(shuffled, "compare", case.beta, by="model", on="example_id"), want)
    grouped = shuffled.groupby("model")
    assert_same(quiet(grouped, "compare", [case.beta], on="example_id"), want)
    assert_same(quiet(grouped, "compare", on="example_id"), expected(case, sorted(MODELS)))


def test_keys_of_two_columns() -> None:
    case = draw(3)
    frame = long(case).rename(columns={"model": "g"}).assign(h=1)
    got = quiet(frame, "compare", by=["g", "h"], on="example_id")
    assert list(got.columns[:4]) == ["g_a", "h_a", "g_b", "h_b"]
    want = expected(case, sorted(MODELS))
    assert_same(got.drop(columns=["h_a", "h_b"]), want.set_axis(["g_a", "g_b", *TESTED], axis=1))


def test_models_within_folds() -> None:
    cases = {"x": draw(5), "y": draw(6)}
    frame = pd.concat([wide(case).assign(fold=fold) for fold, case in cases.items()])
    parts = {fold: expected(case, MODELS, 0.2, 0.5) for fold, case in cases.items()}
    want = pd.concat(parts, names=["fold"]).reset_index(level="fold").reset_index(drop=True)
    mixed = frame.sample(frac=1, random_state=1)
    assert_same(quiet(mixed, "compare", [0.2, 0.5], score=MODELS, by="fold"), want)
    assert_same(quiet(mixed.groupby("fold"), "compare", [0.2, 0.5], score=MODELS), want)


def many(seed: int) -> Draw:
    """Draw models that differ in all examples, of which many are known positives."""
    rng = np.random.default_rng(seed)
    truth = np.arange(200) < 80
    base = rng.normal(truth)
    scores = {name: list(base + rng.uniform(-1, 1, 200)) for name in ("svm", "nb")}
    return Draw(scores, [True] * 60 + [None] * 140, 1 / 7)


@pytest.mark.parametrize("seed", range(80, 85))
def test_scipy_tests_the_same_ranks(seed: int) -> None:
    case, known = many(seed), [label is True for label in many(seed).labels]
    size = len(known)
    a, b = (size + 1 - stats.rankdata(case.scores[name])[known] for name in ("svm", "nb"))
    want = stats.ttest_rel(b, a)
    got = pu(wide(case))(score=["svm", "nb"]).compare(target="examples").iloc[0]
    assert got["statistic"] == pytest.approx(want.statistic, rel=1e-9) and got["df"] <= want.df
    assert got["p_value"] == pytest.approx(2 * stats.t.sf(abs(want.statistic), got["df"]))
    hidden = case.beta * case.labels.count(None)
    negatives = size - sum(known) - hidden
    drawn = math.sqrt(hidden / (sum(known) + hidden))
    away = stats.t.ppf(0.95, got["df"]) * stats.sem(b - a) * drawn
    values = [(np.mean(b - a) + end) / negatives for end in (0, -away, away)]
    got = quiet(
        wide(case), "compare", case.beta, score=["svm", "nb"], level=0.9, target="examples"
    ).iloc[0]
    assert got[SIZE].tolist() == pytest.approx(values, rel=1e-9)


@pytest.mark.parametrize("target", ["population", "examples"])
def test_models_that_differ_in_rows_that_are_not_known(target: str) -> None:
    """No known positive differs, but the unlabeled ones say that others would."""
    rng = np.random.default_rng(0)
    score = rng.normal(np.arange(1000) < 200)
    other = score.copy()
    other[150:160] = rng.normal(size=10) - 3
    label = np.where(np.arange(1000) < 50, 1, np.nan)
    df = pd.DataFrame({"a": score, "b": other, "label": label})
    got = pu(df)(score=["a", "b"]).compare(150 / 950, target=target).iloc[0]
    truth = np.arange(1000) < 200
    apart = roc_auc_score(truth, score) - roc_auc_score(truth, other)
    assert got["lower"] < apart < got["upper"] and got["p_value"] > 0.05
    assert got["upper"] - got["lower"] < 0.2


def test_nothing_is_left_to_chance_where_all_positives_are_known() -> None:
    frame = wide(draw(20)).assign(label=[True, True, True, *[False] * (len(draw(20).labels) - 3)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = pu(frame)(score=["svm", "nb", "copy"], negative=False).compare(0, target="examples")
    assert got["lower"].tolist() == got["difference"].tolist() == got["upper"].tolist()
    assert set(got["p_value"]) <= {0.0, 1.0}


def test_delong_of_two_models_as_proc_has_it() -> None:
    """A difference has the variance of both placements, as DeLong's contrast of a covariance."""
    case = many(21)
    known = np.array([label is True for label in case.labels])
    frame = wide(case).assign(label=known)
    placed = {}
    for name in ("svm", "nb"):
        score = frame[name].to_numpy()
        wins = (np.sign(score[known][:, None] - score[~known]) + 1) / 2
        placed[name] = wins.mean(axis=1), wins.mean(axis=0)
    parts = [np.cov([placed["svm"][i], placed["nb"][i]]) for i in (0, 1)]
    whole = parts[0] / known.sum() + parts[1] / (~known).sum()
    contrast = np.array([1, -1])
    want = (placed["svm"][0].mean() - placed["nb"][0].mean()) / np.sqrt(
        contrast @ whole @ contrast
    )
    got = quiet(frame, "compare", score=["svm", "nb"], negative=False)
    assert got["statistic"].tolist() == pytest.approx([want])


@pytest.mark.parametrize("seed", range(90, 95))
def test_differences_are_those_of_areas_when_all_is_labeled(seed: int) -> None:
    case = draw(seed)
    frame = wide(case).assign(label=[label is True for label in case.labels])
    area = {name: roc_auc_score(frame["label"], frame[name]) for name in MODELS}
    got = quiet(frame, "compare", 0, score=MODELS, negative=False)
    want = [area[a] - area[b] for a, b in combinations(MODELS, 2)]
    np.testing.assert_allclose(got["difference"], want, atol=1e-12)


def test_beta_moves_no_test() -> None:
    frame = wide(draw(7))
    plain = quiet(frame, "compare", score=MODELS)
    got = quiet(frame, "compare", [0, 0.2, 0.9], score=MODELS)
    for _, part in got.groupby("beta"):
        pd.testing.assert_frame_equal(part[PLAIN].reset_index(drop=True), plain)
    assert got["difference"].abs().groupby(got["beta"]).sum().is_monotonic_increasing


def test_zero_is_outside_exactly_if_p_is_small() -> None:
    cases = map(draw, range(24))
    got = pd.concat(quiet(wide(c), "compare", 0.3, score=MODELS, level=0.7) for c in cases)
    outside = (got["lower"] > 0) | (got["upper"] < 0)
    assert (outside == (got["p_value"] < 0.3)).all()
    assert outside.any() and not outside.all()


def test_swapped_models_swap_signs() -> None:
    frame = wide(draw(9))
    one, other = (quiet(frame, "compare", 0.3, score=names) for names in (MODELS, MODELS[::-1]))
    swap = {"model_a": "model_b", "model_b": "model_a", "lower": "upper", "upper": "lower"}
    keys = list(zip(one["model_a"], one["model_b"], strict=True))
    back = other.rename(columns=swap).set_index(["model_a", "model_b"]).loc[keys].reset_index()
    turned = ["difference", "lower", "upper", "sign", "statistic"]
    back[turned] = -back[turned]
    assert_same(back[one.columns], one)


def test_only_order_matters() -> None:
    frame = wide(draw(10))
    want = quiet(frame, "compare", 0.3, score=MODELS)
    moved = frame.assign(svm=np.exp(frame["svm"]), nb=frame["nb"] ** 3 / 100 - 5)
    assert_same(quiet(moved, "compare", 0.3, score=MODELS), want)
    assert_same(quiet(frame.sample(frac=1, random_state=2), "compare", 0.3, score=MODELS), want)


def test_missing_scores_of_any_model() -> None:
    frame = wide(draw(11))
    gaps = frame.copy()
    gaps.loc[2, "svm"] = gaps.loc[4, "nb"] = np.nan
    want = quiet(frame.drop(index=[2, 4]), "compare", 0.3, score=MODELS)
    assert_same(quiet(gaps, "compare", 0.3, score=MODELS, nan_policy="omit"), want)
    worst = quiet(gaps.fillna({"svm": -99, "nb": -99}), "compare", 0.3, score=MODELS)
    assert_same(quiet(gaps, "compare", 0.3, score=MODELS, nan_policy="worst"), worst)
    with pytest.raises(PUValueError):
        pu(gaps)(score=MODELS).compare(0.3)


def small(label: list[float | None]) -> pd.DataFrame:
    """Return four examples, ranked by two models that differ and by a copy of the first."""
    return pd.DataFrame({"a": [4, 3, 2, 1], "b": [3, 2, 4, 1], "c": [4, 3, 2, 1], "label": label})


def test_one_known_positive_has_no_test() -> None:
    with pytest.warns(PUWarning) as record:
        got = pu(small([1, None, None, None]))(score=["a", "b", "c"]).compare(0.25)
    assert len(record) == 1
    assert got[["lower", "upper", "statistic", "p_value", "p_adjusted"]].isna().all(axis=None)
    assert got["difference"].tolist() == pytest.approx([1 / 2.25, 0, -1 / 2.25])
    assert got["sign"].tolist() == [1, 0, -1]


@pytest.mark.parametrize("odds", [1, 1.5])
def test_one_other_example_has_no_test_on_new_ones(odds: float) -> None:
    frame = small([1, 1, 1, None])
    with pytest.warns(PUWarning) as record:
        got = pu(frame)(score=["a", "b"]).compare(0.25, selection_odds=odds)
    assert len(record) == 1
    assert (
        got[["lower", "upper", "statistic", "df", "p_value", "p_adjusted"]].isna().all(axis=None)
    )
    assert got["difference"].tolist() == [0]


def test_equal_differences() -> None:
    frame = small([1, 1, None, None])
    same = pu(frame)(score=["a", "c"]).compare(0.25).iloc[0]
    assert same[["sign", "statistic", "p_value", "lower", "upper"]].tolist() == [0, 0, 1, 0, 0]
    got = pu(frame)(score=["a", "b", "c"]).compare(0.5, target="examples")
    assert got["difference"].tolist() == [1, 0, -1]
    assert np.isfinite(got["statistic"]).all() and got.loc[1, "p_value"] == 1
    assert got["lower"].tolist()[::2] < [1, -1] < got["upper"].tolist()[::2]


def test_what_cannot_be_compared() -> None:
    frame = small([1, 1, None, None])
    for score in ("a", ["a"]):
        with pytest.raises(PUValueError, match="two"):
            pu(frame)(score=score).compare()
    with pytest.raises(PUValueError, match="beta = 1"):
        quiet(frame, "compare", [0.5, 1], score=["a", "b"])
    with pytest.raises(PUValueError, match="known positive"):
        pu(small([0, None, None, None]))(score=["a", "b"]).compare()
    for beta in ({"a": 0.4, "b": 0.5}, pd.Series({"a": 0.4, "b": 0.5})):
        with pytest.raises(PUTypeError, match="beta"):
            pu(frame)(score=["a", "b"]).compare(beta)


COLUMNS: dict[str, Any] = {"score": ["a", "b"]}

ROWS: dict[str, Any] = {"score": "a", "by": "model", "on": "id"}


@pytest.mark.parametrize("how", [COLUMNS, ROWS])
@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"score": "d"}, PUKeyError, r"^score must name a column, but there is no 'd'"),
        ({"label": "d"}, PUKeyError, r"^label must name a column, but there is no 'd'"),
        ({"propensity": "d"}, PUKeyError, r"^propensity must name a column, .* no 'd'"),
        ({"propensity": "c"}, PUValueError, r"^propensity column 'c' must lie in \(0, 1\]"),
        ({"score": "x"}, PUTypeError, r"^score column 'x' must hold real numbers"),
        ({"score": "gaps"}, PUValueError, r"^score column 'gaps' holds NaN in 1 of 4 rows"),
        ({"label": "x"}, PUValueError, r"^label column 'x' holds 'v'"),
        ({"by": "label"}, PUValueError, r"^by must name other .* the column of labels"),
        ({"by": ["model", "a"]}, PUValueError, r"^by must name other .* the column of scores"),
        ({"on": "a"}, PUValueError, r"^on must (not be passed|name other columns than score)"),
        ({"on": "d"}, PUError, r"^on must (not be passed|name a column, but there is no 'd')"),
    ],
)
def test_columns_that_cannot_be_compared(
    how: Any, wrong: Any, error: type[Exception], message: str
) -> None:
    frame = small([1, 1, None, None]).assign(model=[*"svsv"], id=[0, 0, 1, 1], x="v")
    frame["gaps"] = [1.0, np.nan, 3, 4]
    if how is COLUMNS and "score" in wrong:
        wrong = {"score": ["b", wrong["score"]]}
    asked = {**how, **wrong}
    on = asked.pop("on", None)
    with pytest.raises(error, match=message):
        pu(frame)(**asked).compare(0.25, on=on)


@pytest.mark.parametrize("beta", [None, [0.05, 0.1]])
@pytest.mark.parametrize("odds", [1.2, 5.0, np.inf])
def test_what_odds_change_is_up_to_each_pair(beta: Any, odds: float) -> None:
    rng = np.random.default_rng(0)
    truth, known = np.arange(60) < 20, np.arange(60) < 14
    frame = pd.DataFrame({name: rng.normal(k * truth) for name, k in (("a", 1), ("b", 2))})
    frame["c"], frame["label"] = frame["b"] + rng.normal(size=60) / 2, np.where(known, 1, np.nan)
    found = pu(frame)(score=[*"abc"]).compare(beta, selection_odds=odds)
    parts = [
        pu(frame)(score=[*pair]).compare(beta, selection_odds=odds)
        for pair in combinations("abc", 2)
    ]
    once = [name for name in found.columns if name != "p_adjusted"]
    pd.testing.assert_frame_equal(found[once], pd.concat(parts)[once].reset_index(drop=True))
    signs = {tuple(part["sign"]) for part in parts}
    assert (len(signs) > 1) == (odds < np.inf)  # what changes one pair changes no other


@pytest.mark.parametrize("target", ["population", "examples"])
def test_odds_of_nearly_one_test_what_random_labels_do(target: str) -> None:
    frame = wide(draw(12))
    for beta in [None, 0.2] if target == "population" else [0.2]:
        plain = quiet(frame, "compare", beta, score=MODELS, target=target)
        found = quiet(frame, "compare", beta, score=MODELS, target=target, selection_odds=1 + 1e-9)
        assert found["sign"].tolist() == plain["sign"].tolist()
        np.testing.assert_allclose(found["statistic"], plain["statistic"], rtol=1e-4)
        for name in ("df", "p_value"):  # the lowest df up to the next factor
            np.testing.assert_allclose(found[name], plain[name], rtol=0.05)


def test_rows_that_do_not_pair_up() -> None:
    frame = long(draw(13))
    nb, example = frame["model"] == "nb", frame["example_id"]
    gone = frame[~(nb & example.isin(["e0", "e3", "e5"]))]
    again = pd.concat([frame, frame[nb & example.isin(["e0", "e3", "e5"])]])
    differ = frame.assign(label=frame["label"].mask(nb & example.isin(["e0", "e1"])))
    hole = frame.assign(example_id=example.where(example != "e2"))
    for bad, text in (
        (gone, r"\b3\b"),
        (again, r"\b3\b"),
        (differ, r"\b2\b"),
        (hole, "example_id"),
    ):
        with pytest.raises(PUValueError, match=text):
            pu(bad)(by="model").compare(on="example_id")
    with pytest.raises(PUValueError, match="two or more"):
        pu(frame[nb])(by="model").compare(on="example_id")
    with pytest.raises(PUValueError, match="by="):
        pu(frame).compare(on="example_id")
    with pytest.raises(PUValueError, match="share no examples: gap"):
        pu(frame)(by="model").compare()
    with pytest.raises(PUValueError, match="share no examples: gap"):
        pu(frame.groupby("model")).compare()


def test_warning_names_the_line_of_the_caller() -> None:
    with pytest.warns(PUWarning) as record:
        pu(small([1, None, None, None]))(score=["a", "b"]).compare()
    assert record[0].filename == __file__


def test_folds_without_a_test_are_told_once() -> None:
    folds = small([1, None, None, None]), small([1, 1, None, None]), small([1, None, None, None])
    frame = pd.concat(folds, keys=list("xyz"), names=["fold"]).reset_index(level="fold")
    with pytest.warns(PUWarning) as record:
        pu(frame)(score=["a", "c"], by="fold").compare()
    assert len(record) == 1 and "x" in str(record[0].message) and "z" in str(record[0].message)


# ---------------------------------------------------------------------------------------------
# What is claimed


def simulated(draws: int, known: int, seed: int, mirrored: bool) -> tuple[pd.DataFrame, float]:
    """Draw two binormal rankings of 200 positives and 200 negatives, many times; also beta."""
    rng = np.random.default_rng(seed)
    truth = np.arange(400) % 200 < 100  # two equal halves, which may swap their scores
    scores = rng.normal(size=(2, draws, 400)) + rng.normal(size=(draws, 400)) + 2 * truth
    if mirrored:
        scores[:, :, 200:] = scores[::-1, :, :200]
    scores[1] += 0.0 if mirrored else 0.5 * truth
    shown = rng.permuted(np.tile(np.arange(200) < known, (draws, 1)), axis=1)
    label = np.full((draws, 400), np.nan)
    label[:, truth] = np.where(shown, 1, np.nan)
    columns = {"a": scores[0].ravel(), "b": scores[1].ravel(), "label": label.ravel()}
    frame = pd.DataFrame({**columns, "draw": np.repeat(np.arange(draws), 400)})
    return frame.assign(truth=np.tile(truth, draws)), (200 - known) / (400 - known)


def true_areas(frame: pd.DataFrame, score: str) -> "pd.Series[float]":
    """Return the AUROC of each draw with all labels."""
    ranks = frame.groupby("draw")[score].rank()[frame["truth"]]
    return (ranks.groupby(frame["draw"]).mean() - 201 / 2) / 200


def test_paired_interval_covers() -> None:
    frame, beta = simulated(400, 20, 1, mirrored=False)
    true = (true_areas(frame, "a") - true_areas(frame, "b")).to_numpy()
    got = pu(frame)(score=["a", "b"], by="draw").compare(beta, target="examples")
    assert 0.92 < np.mean((got["lower"] < true) & (true < got["upper"])) < 0.995
    assert got["difference"].mean() == pytest.approx(true.mean(), abs=0.01)


def test_paired_test_keeps_its_size() -> None:
    frame, _ = simulated(400, 20, 2, mirrored=True)
    np.testing.assert_allclose(true_areas(frame, "a"), true_areas(frame, "b"))
    got = pu(frame)(score=["a", "b"], by="draw").compare()
    assert 0.02 < (got["p_value"] < 0.05).mean() < 0.08
    assert 0.4 < (got["p_value"] < 0.5).mean() < 0.55


def test_a_group_must_not_be_called_like_a_column() -> None:
    frame = wide(draw(5)).assign(sign="x")
    with pytest.raises(PUValueError, match="by must not be called sign, as 'sign' is"):
        quiet(frame, "compare", score=MODELS, by="sign")
