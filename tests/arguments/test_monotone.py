"""Scores that are taken never to mean less where they are higher: ``df.pu(monotone=True)``."""

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUWarning
from tests.cases import Case, as_frame, binormal, draw_case

BETA = 0.25


def draw(seed: int, known: int = 40, shift: float = 2.0) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw normal scores, of which some positives are known; also the truth."""
    frame, _, truth = binormal(140 + known, 460 - known, known / (140 + known), seed, shift)
    return frame, truth


def small(seed: int) -> tuple[pd.DataFrame, float]:
    """Draw a small ranking, and beta."""
    score, label, beta = draw_case(seed)
    return as_frame(Case([*score, 0.5], [*label, True], beta)), beta


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("ranks", ["breakpoints", "all"])
def test_the_roc_curve_of_new_examples_is_concave_and_has_its_area(seed: int, ranks: str) -> None:
    frame, beta = small(seed)
    pu, beta = frame.pu.assume(monotone=True), min(beta, 0.4)
    asked = {"target": "population", "ranks": ranks, "level": 0.9999}
    curve = pu.roc_bounds(beta, **asked).isel(beta=0).sel(bound="estimate")
    x, y = curve["fpr"].to_numpy(), curve["tpr"].to_numpy()
    turn = np.diff(x)[:-1] * np.diff(y)[1:] - np.diff(x)[1:] * np.diff(y)[:-1]
    assert (turn <= 1e-9).all() and (np.diff(x) >= -1e-12).all() and (np.diff(y) >= -1e-12).all()
    area = pu.auroc(beta)["estimate"].item()
    assert np.trapezoid(y, x) == pytest.approx(area, abs=1e-9)
    assert area >= 0.5 - 1e-9


def test_limits_at_a_threshold_use_the_cut_band() -> None:
    names, narrower = ["precision", "fdr", "lift", "f1", "recall", "fpr", "informedness"], []
    for seed in range(10):
        frame, _ = draw(seed)
        at = {"threshold": float(frame["score"].quantile(0.95))}
        plain, rising = (
            frame.pu.assume(monotone=m).metric(names, BETA, at=at) for m in (False, True)
        )
        ratio = (rising["upper"] - rising["lower"]) / (plain["upper"] - plain["lower"])
        assert (ratio <= 1.12).all()  # 5% where shares are near normal
        assert (rising["lower"] <= rising["estimate"]).all()
        assert (rising["estimate"] <= rising["upper"]).all()
        narrower.append(ratio)
    assert (np.mean(narrower, axis=0)[:3] < 0.8).all()


def test_no_limit_of_an_area_is_below_chance() -> None:
    frame, _ = draw(0, known=8, shift=0.2)
    plain, rising = (frame.pu.assume(monotone=monotone) for monotone in (False, True))
    assert plain.auroc(BETA)["lower"].item() < 0.5 == rising.auroc(BETA)["lower"].item()
    share = (8 + 592 * BETA) / 600
    low = [pu.average_precision(BETA)["lower"].item() for pu in (plain, rising)]
    assert low[0] < share == pytest.approx(low[1])


@pytest.mark.parametrize("beta", [0.0, 0.1, BETA, 1.0])
def test_bounds_stay_and_hold_the_estimate(beta: float) -> None:
    frame, _ = draw(1)
    plain, falling = (
        frame.pu.assume(monotone=flag).contingency(beta, ranks="all") for flag in (False, True)
    )
    ends = {"bound": ["lower", "upper"], "rank": plain["rank"]}
    assert falling[["tp", "fp"]].sel(ends).equals(plain[["tp", "fp"]].sel(ends))
    tp = falling["tp"].transpose("bound", ...)
    assert bool(((tp[0] <= tp[1]) & (tp[1] <= tp[2])).all())


def test_the_share_of_a_long_stretch_is_that_of_odds() -> None:
    # 20 of the first 40 rows are known, 10 of the other 60: odds 1 and 1/5 to be known.
    label = [*[1, None] * 20, *[1, None, None, None, None, None] * 10]
    frame = pd.DataFrame({"score": range(100, 0, -1), "label": label})
    tables = frame.pu.assume(monotone=True).contingency(0.3, ranks=[40, 100])
    # 20 and 50 unlabeled rows of weights 1 and 1/5: 21 latent positives are 14 and 7.
    assert tables["tp"].sel(bound="estimate", beta=0.3).to_numpy().tolist() == [20 + 14, 30 + 21]


def test_every_gap_full_and_one_known_positive_work() -> None:
    frame, _ = draw(4)
    full = frame.pu.assume(monotone=True).contingency(1.0, ranks="all")
    assert (full["fp"].sel(bound="estimate") == 0).all()
    alone = frame.assign(label=[1.0, *[np.nan] * 599]).pu.assume(monotone=True)
    with pytest.warns(PUWarning, match="only one known positive"):
        assert 0 <= alone.auroc(BETA)["estimate"].item() <= 1


def test_scores_that_are_worse_than_chance_refute_it() -> None:
    frame, _ = draw(6, known=100, shift=-1.0)
    with pytest.warns(PUWarning, match=r"monotone=True is rejected at level 0\.95.*\d%\)"):
        frame.pu.assume(monotone=True).auroc(BETA)
    both = pd.concat([frame.assign(m="bad"), draw(6)[0].assign(m="good")])
    with pytest.warns(PUWarning, match=r"rejected at level 0\.9: .*m='bad': .*Leave monotone out"):
        both.pu(by="m").assume(monotone=True).roc_bounds(BETA, level=0.9)
    for seed in range(5):  # others refute nothing
        assert len(draw(seed, shift=1.0)[0].pu.assume(monotone=True).auroc(BETA)) == 1
