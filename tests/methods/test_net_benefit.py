"""Net benefit, against tables of the oracle, dcurves' formula and scikit-learn."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pu_accessor import PUWarning
from tests.cases import ORACLES, as_frame, draw_case
from tests.methods.test_plot_metric import FRAME
from tests.support.oracles import coherent_oracle, completion_oracle, oracle, practice_oracle

THRESHOLDS = [0.05, 0.3, 0.5, 0.77]


def probabilities(score: Any) -> Any:
    """Return scores as probabilities, ties kept."""
    return 1 / (1 + np.exp(-np.asarray(score)))


def treat_all(row: Any) -> float:
    """Return the net benefit of treating all."""
    share, threshold = row["prevalence"], row["at"]
    return float(share - (1 - share) * threshold / (1 - threshold))


@pytest.mark.parametrize("band", ["exact", "simultaneous"])
@pytest.mark.parametrize("seed", range(4))
def test_net_benefit_is_that_of_the_oracle(seed: int, band: str) -> None:
    case = draw_case(seed)
    frame = as_frame(case)
    frame["score"] = score = probabilities(frame["score"])
    tables = oracle.tables(score.tolist(), case.label, case.beta, 0.95, ORACLES[band])
    tables = coherent_oracle.cut_if_joint(band, score.tolist(), case.label, tables)
    m = completion_oracle.latent_positives(case.label, case.beta)
    ends = tables["lower"], tables["upper"]
    tables["estimate"] = completion_oracle.estimates(score.tolist(), case.label, m, ends)
    cuts = oracle.cutoffs(score.tolist(), case.label)
    found = frame.pu.metric(
        "net_benefit", case.beta, at={"threshold": THRESHOLDS}, band=band, target="examples"
    )
    assert found["at"].tolist() == THRESHOLDS and found.attrs["band"] == band
    for row, threshold in zip(found.to_dict("records"), THRESHOLDS, strict=True):
        place = max(i for i, cut in enumerate(cuts) if cut.threshold >= threshold)
        assert row["rank"] == cuts[place].rank
        odds = Fraction(str(threshold))
        for bound in ("lower", "estimate", "upper"):
            wanted = practice_oracle.net_benefit(tables[bound][place], odds)
            assert row[bound] == pytest.approx(float(wanted), abs=1e-12)
        wanted = practice_oracle.net_benefit(tables["estimate"][-1], odds)
        assert treat_all(row) == pytest.approx(float(wanted), abs=1e-12)


def sites() -> pd.DataFrame:
    return FRAME.sample(frac=1, random_state=3, ignore_index=True).assign(site=FRAME.index % 3)


def test_the_ends_are_probabilities_and_missing_scores_are_never_treated() -> None:
    frame = sites()
    frame.loc[[4, 5], "score"] = [0.0, 1.0]
    ask: Any = {"at": {"threshold": [0.01, 0.5, 0.99]}, "target": "examples"}
    assert frame.pu.metric("net_benefit", 0.2, **ask).notna().all(axis=None)
    frame.loc[7, "score"] = np.nan
    found = frame.pu(nan_policy="worst").metric("net_benefit", 0.2, **ask)
    assert found.loc[0, "rank"] == (frame["score"] >= 0.01).sum()


# The example of A. J. Vickers' tutorial on decision curves: 750 men had a biopsy, 105 have cancer.
# What dcurves for R says of its prediction model (dcurves/data/r_bin_dca_result_1.csv in
# MSKCC-Epi-Bio/dcurves): threshold, true and false positives (tp_rate and fp_rate times n) and net
# benefit; treat_all of the same file.
PUBLISHED = [
    (0.05, 96, 320, 0.1055438596491228, 0.09473684210526317),
    (0.10, 87, 193, 0.08740740740740742, 0.04444444444444445),
    (0.20, 75, 98, 0.06733333333333334, -0.07499999999999998),
    (0.40, 47, 27, 0.038666666666666676, -0.43333333333333335),
]


def test_published_net_benefits() -> None:
    # Of 750 men risks lie between the thresholds as published.
    counts = np.array([(105, 645), *((tp, fp) for _, tp, fp, _, _ in PUBLISHED), (0, 0)])
    risks = 0.01 + np.array([0.0, *(row[0] for row in PUBLISHED)])
    label = np.tile([1.0, 0.0], risks.size)
    men = pd.DataFrame({"score": risks.repeat(2), "label": label})
    men = men.loc[men.index.repeat(-np.diff(counts, axis=0).ravel())].reset_index(drop=True)
    assert len(men) == 750 and men["label"].sum() == 105
    thresholds, _, _, benefit, of_all = map(list, zip(*PUBLISHED, strict=True))
    found = men.pu(negative=0).metric(
        "net_benefit", 0, at={"threshold": thresholds}, target="examples"
    )
    assert found["estimate"].tolist() == pytest.approx(benefit, rel=1e-12)
    rows = found.to_dict("records")
    assert [treat_all(row) for row in rows] == pytest.approx(of_all, rel=1e-12)
    assert found["lower"].tolist() == found["upper"].tolist() == found["estimate"].tolist()


@pytest.mark.parametrize("target", ["examples", "population"])
def test_probabilities_of_being_known_are_told(target: str) -> None:
    rng = np.random.default_rng(1)
    positive = rng.beta(0.6, 1.4, 3_000)  # the probability of each
    truth = rng.random(3_000) < positive
    known = truth & (rng.random(3_000) < 0.4)
    df = pd.DataFrame({"score": 0.4 * positive, "label": np.where(known, 1, np.nan)})
    beta = float(truth[~known].mean())
    asked: Any = {"at": {"threshold": 0.1}, "target": target}
    with pytest.warns(PUWarning, match=r"probabilities of being known.* n/\(n \+ beta"):
        df.pu.metric("net_benefit", beta, **asked)
    share = known.sum() / (known.sum() + beta * (~known).sum())
    df.assign(score=(df["score"] / share).clip(upper=1)).pu.metric("net_benefit", beta, **asked)
    df.pu.metric("net_benefit", 0.0, **asked)  # no row is hidden there: nothing to warn of
