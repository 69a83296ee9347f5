"""Estimates of beta as beta: intervals that hold jointly, and what frames must be."""

import math
from functools import partial
from typing import Any

import numpy as np
import numpy.testing as npt
import pandas as pd
import pytest
from scipy import special

import pu_accessor
from pu_accessor import PUKeyError, PUValueError
from pu_accessor.beta import Beta
from pu_accessor.inference.bands.exact import exact
from pu_accessor.inference.estimates.areas_on_this_sample import estimate_ap
from pu_accessor.inference.estimates.cutoff_spec import Cutoff
from pu_accessor.inference.estimates.estimate_metric import (
    add_beta_error_to_estimates,
    estimate_metric,
)
from pu_accessor.inference.metrics import METRICS
from pu_accessor.inference.settings import Settings
from tests.arguments.test_target import METRICS as FORMULAS
from tests.cases import Labels, binormal
from tests.support.oracles import completion_oracle

LEVEL = 0.95


def draw(seed: int = 0, size: int = 1200) -> pd.DataFrame:
    """Draw two models' scores of two sites; a tenth of the others is positive."""
    rng = np.random.default_rng(seed)
    truth = np.arange(size) < size // 4
    label = np.where(np.arange(size) < size // 6, 1, np.nan)
    scores = {name: rng.normal(shift * truth) for name, shift in (("a", 1.6), ("b", 1.2))}
    return pd.DataFrame({**scores, "label": label, "site": np.where(rng.random(size) < 0.5, 1, 2)})


FRAME = draw()
PU: Any = FRAME.pu(score="a")
BOTH: Any = FRAME.pu(score=["a", "b"])
LABELED: Any = FRAME.assign(label=FRAME["label"].where(FRAME.index < 1100, 0))  # negatives, too
HAND = pu_accessor.beta_from_labels(12, 120, 1000)
HIGH = pu_accessor.beta_from_labels(12, 120, 1000, level=0.98)


def estimate_by(method: str, pu: Any) -> pd.DataFrame:
    """Return an estimate of beta for the rows of which some are known negatives."""
    if method == "by hand":
        return pu_accessor.beta_from_labels(12, 120, 900, level=0.98)
    found: pd.DataFrame = pu.estimate_beta(method=method, level=0.98)
    return found


each_method = pytest.mark.parametrize("method", ["by hand", "feasible", "two_sided"])


def test_levels_are_brought_to_that_of_the_answer() -> None:
    beta = Beta(np.array([0.3]), (0.2, 0.4), 0.6826894921370859)  # one standard deviation
    npt.assert_allclose(beta.grid(0.9544997361036416), [0.3, 0.1, 0.5])
    limit = beta._replace(level=0.8413447460685429, limits="upper")  # one-sided
    npt.assert_allclose(limit.grid(0.9544997361036416)[:3], [0.3, 0.2, 0.5])


@pytest.mark.parametrize("name", ["auroc", "average_precision"])
@pytest.mark.parametrize("target", ["population", "examples"])
def test_joint_interval_is_between_point_and_envelope(target: str, name: str) -> None:
    ask = partial(getattr(PU, name), target=target)
    point, joint = ask(0.1).iloc[0], ask(HAND).iloc[0]
    # The envelope of both errors as if each were as large as it can be.
    wide = ask(pd.Interval(*HIGH[["lower", "upper"]].iloc[0]), level=0.975).iloc[0]
    assert wide["lower"] < joint["lower"] < point["lower"] < point["estimate"]
    # In another order of summation: the ranking has the cutoffs of other betas, too.
    assert point["estimate"] == pytest.approx(joint["estimate"], rel=1e-12)
    assert joint["estimate"] < point["upper"] < joint["upper"] <= wide["upper"]
    assert (joint["beta"], joint.attrs["level"]) == (HAND["beta"].item(), LEVEL)


def test_average_precision_is_joined_from_its_limits_at_each_beta() -> None:
    ranking = PU._rank().make(0)
    beta, lower, upper, level = HAND.iloc[0, :4]
    joint = Beta(np.array([beta]), (lower, upper), level)
    each = estimate_ap(ranking, joint.grid(0.95), Settings(0.95))
    expected = add_beta_error_to_estimates(each, joint)
    found = PU.average_precision(HAND, target="examples").iloc[0]
    wanted = [expected.lower[0], expected.upper[0]]
    assert found[["lower", "upper"]].tolist() == pytest.approx(wanted, rel=1e-12)
    assert found["lower"] < each.lower[0] and each.upper[0] < found["upper"]


@pytest.mark.parametrize("at", [150, {"recall": 0.5}, "youden", "maximum", {"threshold": 1.0}])
def test_metric_at_the_cutoff_of_the_point(at: Any) -> None:
    name = "accuracy" if at == "maximum" else "precision"
    point, joint = (PU.metric(name, beta, at=at).iloc[0] for beta in (0.1, HAND))
    same = ["rank", "threshold", "estimate"]
    assert joint[same].tolist() == point[same].tolist()
    assert joint["lower"] <= point["lower"] and point["upper"] <= joint["upper"]
    assert at == "maximum" or joint["lower"] < point["lower"]


@each_method
def test_joint_tables_add_up(method: str) -> None:
    """Estimates are not rounded, so that none is of integers; margins are whole numbers."""
    pu: Any = LABELED.pu(score="a")
    beta, kinds = estimate_by(method, pu), set[Any]()

    def positives(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        kinds.update(count.dtype for count in (tp, fp, fn, tn))
        for whole in (tp + fp, tp + fn, fp + tn):
            npt.assert_allclose(whole, np.rint(whole), atol=1e-9)
        assert not np.any(tp + fp - 150) and not np.any(tp + fp + fn + tn - len(FRAME))
        return tp + fn

    found = pu.metric(positives, beta, at=150)
    assert kinds == {np.dtype(np.float64)}
    npt.assert_allclose(found["estimate"], 200 + 900 * beta["beta"], atol=0.501)


AT_RANK = {name: FORMULAS[name] for name in ("precision", "recall", "fpr", "npv", "kappa")}


@pytest.mark.parametrize("limits", ["none", "upper", "both"])
@pytest.mark.parametrize("place", [0, 6, 12, 45, 85, 96])  # where limits are cut, and where not
def test_joint_limits_of_a_metric_are_those_of_all_tables(limits: str, place: int) -> None:
    n, rest = 20, 80
    score = np.arange(n + rest, 0, -1.0)
    label = np.where(np.isin(np.arange(n + rest), 3 * np.arange(n) + np.arange(n) // 7), 1, np.nan)
    ranking = pd.DataFrame({"score": score, "label": label}).pu._rank("all").make(0)
    point, low, high = 0.3, 0.14, 0.52
    beta = Beta(np.array([point]), (low, high), LEVEL, limits)
    k = int(np.nansum(label[:place]))
    head = place - k

    labels: Labels = [True if one == 1 else None for one in label]

    def claim(beta: float) -> tuple[int, float, int, int, int, int]:
        m = int(beta * rest + 0.5)
        lower, upper = (int(side[k]) for side in exact(n, m, LEVEL))
        (completed,) = completion_oracle.latent_above(score.tolist(), labels, m, [head])
        middle = min(max(float(completed), lower), upper)
        return m, middle, lower, upper, max(m - rest + head, 0), min(m, head)

    walk: list[tuple[float, float]] = [(point, 1.0)]
    scale = special.ndtri(0.975) / special.ndtri(0.95 if limits == "upper" else 0.975)
    high = point + scale * (high - point)
    shares = np.sin(np.pi / 8 * np.arange(1, 5))
    ways = [(point + t * (high - point), math.sqrt(1 - t * t)) for t in shares[:3]] + [(high, 0.0)]
    if limits == "none":
        walk += ways
        walk += [(point - t * (point - low), math.sqrt(max(1 - t * t, 0.0))) for t in shares]
    elif limits == "upper":
        walk += ways + [(low + t * (point - low), 1.0) for t in (0, 0.25, 0.5, 0.75)]
    else:
        walk += [(low + t * (high - low), 1.0) for t in (0, 0.25, 0.5, 0.75, 1)]
    claims = [claim(beta) for beta, _ in walk]
    cut = any(one[2] < one[4] for one in claims), any(one[3] > one[5] for one in claims)
    for name, function in AT_RANK.items():
        values = []
        for (m, middle, lower, upper, least, most), (_, left) in zip(claims, walk, strict=True):
            down, up = (1.0 if whole else left for whole in cut)
            ends = middle - down * (middle - lower), middle + up * (upper - middle)
            for v in (math.floor(ends[0] + 1e-12), math.ceil(ends[1] - 1e-12)):
                tp = k + min(max(v, least), most)
                counts = tp, place - tp, n + m - tp, rest - m - place + tp
                with np.errstate(invalid="ignore"):
                    values.append(function(*map(np.float64, counts)))
        at, rule = Cutoff("rank", place), Settings(LEVEL)
        found = estimate_metric(METRICS[name], ranking, beta, rule, "examples", at)
        assert found.lower[0] == pytest.approx(np.fmin.reduce(values), abs=1e-12, nan_ok=True)
        assert found.upper[0] == pytest.approx(np.fmax.reduce(values), abs=1e-12, nan_ok=True)


def test_differences_agree_with_their_p_value() -> None:
    for seed in range(6):
        pu = draw(seed, 240).pu(score=["a", "b"])
        row = pu.compare("auroc", pu_accessor.beta_from_labels(3, 20, 200)).iloc[0]
        assert (row["p_value"] < 0.05) == (row["lower"] > 0 or row["upper"] < 0)
    point, joint = BOTH.compare("auroc", 0.1).iloc[0], BOTH.compare("auroc", HAND).iloc[0]
    assert joint["lower"] < point["lower"] and point["upper"] < joint["upper"]
    assert joint["p_value"] == point["p_value"]


@each_method
def test_each_pair_of_models_is_joined_by_itself(method: str) -> None:
    frame: Any = LABELED.assign(c=FRAME["a"] + 2 * FRAME["b"])
    beta = estimate_by(method, frame.pu(score="a"))
    found = frame.pu(score=["a", "b", "c"]).compare("auroc", beta)
    for _, row in found.iterrows():
        pair = [row["model_a"], row["model_b"]]
        alone = frame.pu(score=pair).compare("auroc", beta).iloc[0]
        names = ["difference", "lower", "upper", "statistic", "df", "p_value"]
        assert row[names].tolist() == pytest.approx(alone[names].tolist(), rel=1e-9)


def test_limits_leave_all_betas_below_or_between_them() -> None:
    one_sided = PU.estimate_beta()
    assert one_sided["lower"].item() == 0
    joint, naive = PU.auroc(one_sided).iloc[0], PU.auroc(0).iloc[0]
    assert joint["lower"] <= naive["lower"] < joint["estimate"] < joint["upper"]
    pu = LABELED.pu(score="a")
    found = pu.estimate_beta(method="two_sided")
    joint, ends = pu.auroc(found).iloc[0], pu.auroc(found[["lower", "upper"]].iloc[0].tolist())
    assert joint["lower"] == ends["lower"].min() and joint["upper"] == ends["upper"].max()


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")  # of what the estimate itself says
def test_models_of_the_same_rows_have_one_beta() -> None:
    found = BOTH.estimate_beta()
    told = r"beta\['model'\] == 'a'\].drop\(columns='model'\)"
    for question in (BOTH.auroc, partial(BOTH.compare, "auroc"), BOTH.contingency):
        with pytest.raises(PUValueError, match=told):
            question(found)
    one = BOTH.auroc(found[found["model"] == "a"].drop(columns="model"))
    assert one["beta"].nunique() == 1 and one["model"].tolist() == ["a", "b"]


def test_a_row_for_each_site_holds_for_all_models_there() -> None:
    sites: Any = FRAME.pu(by="site", score="a")
    found = sites.estimate_beta()
    every: Any = FRAME.pu(by="site", score=["a", "b"])
    joint = every.auroc(found)
    assert joint["model"].tolist() == ["a", "b", "a", "b"]
    npt.assert_allclose(joint["beta"], np.repeat(found["beta"], 2), rtol=1e-11)
    one = FRAME[FRAME["site"] == 2].pu(score="b").auroc(found.iloc[[1]].drop(columns="site"))
    last = joint.iloc[3].drop(["site", "model"])
    pd.testing.assert_series_equal(last, one.iloc[0], check_names=False)
    numbers = every.auroc({1: 0.1, 2: 0.05})
    assert numbers["beta"].tolist() == [0.1, 0.1, 0.05, 0.05]
    with pytest.raises(PUKeyError, match=r"has none for \[\(2, 'a'\), \(2, 'b'\)\]"):
        every.auroc(found.iloc[[0]])
    with pytest.raises(PUKeyError, match=r"rows by 'site', too. Pass some of its rows"):
        PU.auroc(found)


def test_pictures_take_a_frame() -> None:
    assert len(PU.plot_roc(HIGH, baseline=True).lines) >= 2
    assert PU.contingency(HAND, ranks=9).attrs["level"] == 0.975


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
@pytest.mark.parametrize("target", ["population", "examples"])
@pytest.mark.parametrize(("hits", "possible"), [(121, True), (195, False)])
def test_an_estimate_too_high_may_have_limits(hits: int, possible: bool, target: str) -> None:
    known = (np.arange(1000) < 650) & (np.arange(1000) % 13 < 4)  # 450 of 800 others are positive
    pu = pu_accessor.from_arrays(np.arange(1000.0, 0, -1), np.where(known, 1, np.nan))
    beta = pu_accessor.beta_from_labels(hits, 200, 800)
    alone, joint = (pu.auroc(b, target=target).iloc[0] for b in (beta["beta"].item(), beta))
    assert alone["estimate"] == joint["estimate"] == 1
    if possible:
        assert 0.8 < joint["lower"] < 1 and joint["upper"] == 1
    else:
        assert np.isnan([alone["lower"], joint["lower"], joint["upper"]]).all()


def test_an_estimate_may_leave_no_negatives() -> None:
    beta = pu_accessor.beta_from_labels(20, 20, n_unlabeled=400).assign(beta=0.9)
    assert beta["upper"].item() == 1
    frame = binormal(40, 400, 1, seed=0, shift=0)[0]
    found = frame.pu.auroc(beta, level=0.9).iloc[0]
    assert 0 <= found["lower"] < found["estimate"] < found["upper"] <= 1
