"""Known positives that were labeled with unequal, known probabilities."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import optimize, special

import pu_accessor
from pu_accessor import PUKeyError, PUTypeError, PUValueError, PUWarning
from pu_accessor.ranking import FloatArray


def drawn(
    known: int, unlabeled: int, decimals: int, seed: int, least: float = 0.1
) -> pd.DataFrame:
    """Draw scores, and propensities of the known positives alone."""
    rng = np.random.default_rng(seed)
    truth = np.arange(known + unlabeled) < known + unlabeled * 0.3
    positive = np.arange(truth.size) < known
    return pd.DataFrame(
        {
            "score": np.round(rng.normal(truth), decimals),
            "label": np.where(positive, 1, np.nan),
            "odds": np.where(positive, rng.uniform(least, 1, truth.size), np.nan),
        }
    )


FRAME = drawn(60, 200, 6, seed=1)
TIED = drawn(60, 200, 0, seed=2)


def oracle(frame: pd.DataFrame, beta: float) -> dict[int, list[int]]:
    """Return what the true positives at each cutoff may be, by rank, slowly; two at a half."""
    known = frame[frame["label"] == 1]
    unlabeled = frame[frame["label"].isna()]
    m = int(Fraction(str(beta)) * len(unlabeled) + Fraction(1, 2))
    extra = {i: 1 / Fraction(float(e)) - 1 for i, e in known["odds"].items()}
    whole = sum(extra.values(), Fraction(0))
    found = {0: [0]}
    for cutoff in np.unique(frame["score"]):
        head = known.index[known["score"] >= cutoff]
        share = m * sum((extra[i] for i in head), Fraction(0)) / whole
        near = abs(share % 1 - Fraction(1, 2)) < Fraction(1, 10**9)
        claims = {int(share + Fraction(1, 2)), int(share) if near else int(share + Fraction(1, 2))}
        h = int((unlabeled["score"] >= cutoff).sum())
        rank = int((frame["score"] >= cutoff).sum())
        fit = {max(min(claim, h, m), m - (len(unlabeled) - h)) for claim in claims}
        found[rank] = [len(head) + one for one in fit]
    return found


def shuffled(frame: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


# The central table


@pytest.mark.parametrize("beta", [0.05, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("decimals", [0, 1, 6])
@pytest.mark.parametrize("seed", range(4))
def test_the_central_table_is_the_weighted_sum(seed: int, decimals: int, beta: float) -> None:
    frame = shuffled(drawn(25, 60, decimals, seed, 0.3), seed)
    tables = frame.pu.contingency(beta, propensity="odds")
    expected = oracle(frame, beta)
    central = tables["tp"].sel(bound="estimate", beta=beta)
    assert central["rank"].values.tolist() == sorted(expected)
    assert all(int(central.sel(rank=rank)) in some for rank, some in expected.items())
    assert (tables["tp"].diff("bound") >= 0).all() and (tables["tp"].diff("rank") >= 0).all()
    assert (tables["tp"] + tables["fp"] == tables["rank"]).all()
    if beta == 0.7:
        assert tables["clipped"].sel(bound="estimate").any()


@pytest.mark.filterwarnings("ignore:The effective number")
def test_certain_labels_stand_for_themselves() -> None:
    # Labels at odds .5 and 1: all six latent positives come with the first one.
    label, odds = [1, None, None, None, 1, *[None] * 6], [0.5, *[None] * 3, 1.0, *[None] * 6]
    tables = pu_accessor.contingency(
        range(11, 0, -1), label, beta=6 / 9, propensity=pd.Series(odds, dtype="Float64")
    )
    central = tables["tp"].sel(bound="estimate").values[:, 0]
    assert central.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8]


@pytest.mark.parametrize("odds", [1e-6, 0.01, 0.3, 0.999999, 1.0])
@pytest.mark.parametrize("frame", [FRAME, TIED], ids=["untied", "tied"])
def test_equal_propensities_give_what_none_do(frame: pd.DataFrame, odds: float) -> None:
    equal = frame.assign(odds=odds)
    for beta in (0.05, 0.25, 0.4):
        one, other = equal.pu.contingency(beta, propensity="odds"), equal.pu.contingency(beta)
        away = abs(one["tp"] - other["tp"])
        assert int(away.sel(bound="estimate").max()) <= 1
        assert int(away.max()) <= 2
    for name in ("auroc", "average_precision"):
        weighted = getattr(equal.pu, name)([0.05, 0.25, 0.4], propensity="odds")
        plain = getattr(equal.pu, name)([0.05, 0.25, 0.4])
        pd.testing.assert_frame_equal(weighted, plain, rtol=0, atol=1e-9)
    tables = equal.pu.contingency(0.1, propensity="odds")
    assert tables.attrs["n_effective"] == pytest.approx(60, abs=1e-9)


def test_the_effective_number() -> None:
    weight = 1 / FRAME["odds"].dropna()
    expected = weight.sum() ** 2 / (weight**2).sum()
    tables = FRAME.pu.contingency(0.2, propensity="odds")
    assert tables.attrs["n_effective"] == pytest.approx(expected)
    assert tables.attrs["propensity"] == "odds" and tables.attrs["band"] == "weighted"
    groups = pd.concat([FRAME.assign(g="a"), TIED.assign(g="b")])
    by = groups.pu.contingency(0.2, by="g", propensity="odds")
    assert float(by["n_effective"].sel(g="a")) == pytest.approx(expected)
    other = 1 / TIED["odds"].dropna()
    assert float(by["n_effective"].sel(g="b")) == pytest.approx(
        other.sum() ** 2 / (other**2).sum()
    )


@pytest.mark.parametrize("name", ["auroc", "average_precision"])
def test_frames_have_the_effective_number_in_their_attributes(name: str) -> None:
    found = getattr(FRAME.pu, name)(0.2, propensity="odds")
    tables = FRAME.pu.contingency(0.2, propensity="odds")
    assert found.attrs["n_effective"] == tables.attrs["n_effective"] > 10
    assert "beta_limit" not in found.attrs and found.attrs["n_known_positive"] == 60
    grouped = getattr(FRAME.assign(g="a").pu, name)(0.2, by="g", propensity="odds")
    assert "n_effective" not in grouped.attrs  # that of a ranking is none of a row's


# Which row has which propensity


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    moved = shuffled(FRAME, seed)
    one, other = (f.pu.contingency(0.3, propensity="odds") for f in (FRAME, moved))
    xr.testing.assert_identical(one, other)
    for name in ("auroc", "average_precision"):
        rows = [getattr(f.pu, name)(0.3, propensity="odds") for f in (FRAME, moved)]
        pd.testing.assert_frame_equal(*rows)
    # The propensities do: they are not the same in another order.
    wrong = FRAME.copy()
    wrong.loc[:59, "odds"] = FRAME["odds"].to_numpy()[59::-1]
    assert not wrong.pu.contingency(0.3, propensity="odds")["tp"].equals(one["tp"])


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_tied_rows_does_not_matter_to_the_estimates(seed: int) -> None:
    moved = shuffled(TIED, seed)
    one, other = (f.pu.contingency(0.3, propensity="odds") for f in (TIED, moved))
    xr.testing.assert_equal(one.sel(bound="estimate"), other.sel(bound="estimate"))
    for name in ("auroc", "average_precision"):
        rows = [getattr(f.pu, name)(0.3, propensity="odds") for f in (TIED, moved)]
        columns = ["estimate", "standard_error"]
        pd.testing.assert_frame_equal(rows[0][columns], rows[1][columns], rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_tied_rows_does_not_matter_to_any_bound(seed: int) -> None:
    one, other = (
        f.pu.contingency([0.1, 0.3], propensity="odds") for f in (TIED, shuffled(TIED, seed))
    )
    xr.testing.assert_identical(one, other)


@pytest.mark.parametrize("name", ["contingency", "auroc", "average_precision"])
def test_the_order_of_tied_rows_does_not_matter_to_the_limits(name: str) -> None:
    # A single block of ties, with propensities that fall or rise down the rows.
    odds = np.linspace(1, 0.05, 30)
    frame = pd.DataFrame({"score": [2.0, *[1.0] * 30, *np.arange(60) / 29.7], "label": np.nan})
    frame.loc[:30, "label"], frame["odds"] = 1.0, 0.5
    both = []
    for one in (odds, odds[::-1]):
        frame.loc[1:30, "odds"] = one
        found = getattr(frame.pu, name)(0.3, propensity="odds")
        if name == "contingency":
            both.append(found["tp"].to_numpy())
        else:
            both.append(found[["lower", "estimate", "upper", "standard_error"]].to_numpy())
    np.testing.assert_allclose(both[0], both[1], atol=1e-12)


def test_groups_and_models_have_the_propensities_of_their_rows() -> None:
    groups = shuffled(pd.concat([FRAME.assign(g="a"), TIED.assign(g="b"), FRAME.assign(g="c")]))
    groups["other"] = -groups["score"]
    tables = groups.pu.contingency(0.3, by="g", score=["score", "other"], propensity="odds")
    for key, rows in groups.groupby("g"):
        for model in ("score", "other"):
            alone = rows.pu.contingency(0.3, score=model, propensity="odds")
            here = tables.sel(group=(key, model)).sel(rank=alone["rank"])
            np.testing.assert_array_equal(here["tp"], alone["tp"])
    for name in ("auroc", "average_precision"):
        every = getattr(groups.pu, name)(0.3, by="g", score=["score", "other"], propensity="odds")
        for key, rows in groups.groupby("g"):
            alone = getattr(rows.pu, name)(0.3, score="other", propensity="odds")
            there = every[(every["g"] == key) & (every["model"] == "other")]
            pd.testing.assert_frame_equal(
                there.drop(columns=["g", "model"]).reset_index(drop=True), alone
            )


def test_arrays_and_samples_take_them_too() -> None:
    frame = shuffled(FRAME)
    expected = frame.pu.contingency(0.3, propensity="odds")
    arrays = pu_accessor.contingency(
        frame["score"], frame["label"], beta=0.3, propensity=frame["odds"]
    )
    xr.testing.assert_identical(arrays, expected)
    listed = pu_accessor.contingency(
        frame["score"], frame["label"], beta=0.3, propensity=frame["odds"].tolist()
    )
    xr.testing.assert_equal(listed, expected)
    samples = xr.Dataset.from_dataframe(frame.rename_axis("sample"))
    xr.testing.assert_identical(samples.pu.contingency(0.3, propensity="odds"), expected)
    # Over models in any order of dimensions, and of two propensities.
    wide = xr.concat([samples, samples.assign(odds=samples["odds"] ** 2)], "model").transpose()
    tables = wide.assign(label=samples["label"]).pu.contingency(0.3, propensity="odds")
    np.testing.assert_array_equal(tables["tp"][0], expected["tp"])
    squared = frame.assign(odds=frame["odds"] ** 2).pu.contingency(0.3, propensity="odds")
    np.testing.assert_array_equal(tables["tp"][1], squared["tp"])
    assert not np.array_equal(tables["tp"][0], tables["tp"][1])


@pytest.mark.parametrize("policy", ["omit", "worst"])
def test_rows_without_a_score(policy: str) -> None:
    gone = np.random.default_rng(0).random(len(FRAME)) < 0.3
    frame = shuffled(FRAME.assign(score=FRAME["score"].mask(gone)))
    there = frame[frame["score"].notna()] if policy == "omit" else frame.fillna({"score": -99.0})
    for name in ("auroc", "average_precision"):
        one = getattr(frame.pu, name)(0.2, propensity="odds", nan_policy=policy)
        pd.testing.assert_frame_equal(one, getattr(there.pu, name)(0.2, propensity="odds"))
    tables = frame.pu.contingency(0.2, propensity="odds", nan_policy=policy)
    np.testing.assert_array_equal(tables["tp"], there.pu.contingency(0.2, propensity="odds")["tp"])


def test_curves_and_metrics_are_those_of_the_tables() -> None:
    tables = FRAME.pu.contingency(0.3, propensity="odds", ranks="breakpoints")
    for name in ("roc", "pr"):
        curves = getattr(FRAME.pu, f"{name}_bounds")(0.3, propensity="odds")
        xr.testing.assert_identical(curves, getattr(tables.pu, name)())
    every = FRAME.pu.contingency(0.3, propensity="odds").pu.metric("f1")
    row = FRAME.pu.metric("f1", 0.3, at=70, propensity="odds").iloc[0]
    found = row[["lower", "estimate", "upper"]].tolist()
    assert found == every.sel(rank=70, beta=0.3).values.tolist()
    assert row["band"] == "weighted"
    reached = FRAME.pu.metric("f1", 0.3, at={"recall": 0.5}, propensity="odds").iloc[0]
    recall = FRAME.pu.contingency(0.3, propensity="odds").pu.metric("tpr")
    first = recall.sel(bound="estimate", beta=0.3)
    assert reached["rank"] == int(first["rank"][np.argmax(first.to_numpy() >= 0.5)])


@pytest.mark.parametrize("plot", ["plot_roc", "plot_pr", "plot_metric", "plot_rank_cdf"])
def test_pictures_take_them(plot: str) -> None:
    name = ("f1",) if plot == "plot_metric" else ()
    drawings = [
        getattr(frame.pu, plot)(*name, beta=0.3, propensity="odds")
        for frame in (FRAME, FRAME.assign(odds=0.5))
    ]
    lines = [
        np.asarray(next(one for one in ax.lines if len(one.get_xydata()) > 2).get_xydata())
        for ax in drawings
    ]
    assert lines[0].shape != lines[1].shape or not np.allclose(lines[0], lines[1])
    texts = [text.get_text() for text in drawings[0].get_legend().get_texts()]
    assert any("95% weighted band" in text for text in texts)


# Bad input

ROWS = FRAME.iloc[:62].assign(extra=1)


@pytest.mark.parametrize(
    ("odds", "error", "message"),
    [
        (0.0, PUValueError, r"propensity column 'odds' must lie in \(0, 1\], but \[0.0"),
        (-0.1, PUValueError, r"propensity .* must lie in \(0, 1\]"),
        (1.0001, PUValueError, r"propensity .* must lie in \(0, 1\], but \[1.0001"),
        (np.inf, PUValueError, r"propensity .* must lie in \(0, 1\], but \[inf"),
        (np.nan, PUValueError, "propensity .* value for each known positive, but 60 of 60 are"),
        (None, PUValueError, "propensity .* value for each known positive, but 60 of 60 are"),
        (True, PUTypeError, "propensity column 'odds' must hold numbers"),
        ("half", PUTypeError, "propensity column 'odds' must hold numbers"),
        (0.5j, PUTypeError, "propensity column 'odds' must hold numbers"),
        ([[0.5]] * 62, PUTypeError, "propensity column 'odds' must hold numbers"),
    ],
)
@pytest.mark.parametrize("name", ["contingency", "auroc", "plot_roc", "roc_bounds"])
def test_what_is_no_propensity(name: str, odds: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        getattr(ROWS.assign(odds=odds).pu, name)(0.1, propensity="odds")


NO_NUMBERS = {
    "text": ["0.5"] * 62,
    "times": pd.to_timedelta(np.ones(62)),
    "dates": pd.to_datetime(np.ones(62)),
    "objects": pd.Series([True] * 62, dtype=object),
    "categories": pd.Categorical(["0.5"] * 62),
}


@pytest.mark.parametrize("odds", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_text_and_times_are_no_propensities(odds: Any) -> None:
    with pytest.raises(PUTypeError, match="propensity column 'odds' must hold numbers"):
        ROWS.assign(odds=odds).pu.contingency(0.1, propensity="odds")


@pytest.mark.parametrize("odds", [9.9e-13, 1e-200, 5e-324])
def test_a_propensity_that_is_nearly_none(odds: float) -> None:
    # One over it, or its square, is more than a float holds, or all that is left of the others.
    frame = ROWS.assign(odds=ROWS["odds"].mask(ROWS.index == 0, odds))
    with pytest.raises(PUValueError, match="propensity column 'odds' must"):
        frame.pu.contingency(0.1, propensity="odds")


@pytest.mark.filterwarnings("ignore:The effective number")
def test_the_smallest_propensity() -> None:
    frame = ROWS.assign(odds=ROWS["odds"].mask(ROWS.index == 0, 1e-12))
    tables = frame.pu.contingency(0.5, propensity="odds")
    assert tables.attrs["n_effective"] == pytest.approx(1)
    estimate = frame.pu.auroc(0.5, propensity="odds")[["lower", "estimate", "upper"]]
    assert np.isfinite(estimate).all(axis=None)


def test_one_missing_propensity_of_a_known_positive() -> None:
    frame = ROWS.assign(odds=ROWS["odds"].mask(ROWS.index == 3))
    with pytest.raises(PUValueError, match=r"'odds' must have a value .* but 1 of 60 are missing"):
        frame.pu.metric("f1", 0.1, at=3, propensity="odds")
    with pytest.raises(PUValueError, match=r"propensity .* but 1 of 60 are missing"):
        pu_accessor.contingency(
            frame["score"], frame["label"], beta=0.1, propensity=frame["odds"].to_numpy()
        )


@pytest.mark.parametrize("odds", [np.nan, -7.0, 0.0, np.inf, 1e9])
def test_that_of_unlabeled_rows_is_not_read(odds: float) -> None:
    frame = FRAME.assign(odds=FRAME["odds"].fillna(odds))
    xr.testing.assert_identical(
        frame.pu.contingency(0.3, propensity="odds"), FRAME.pu.contingency(0.3, propensity="odds")
    )


@pytest.mark.parametrize(
    ("call", "arguments", "error", "message"),
    [
        ("contingency", {"propensity": "ods"}, PUKeyError, "propensity must name .* 'odds'"),
        ("auroc", {"propensity": ["odds"]}, PUTypeError, "propensity must be the name"),
        ("contingency", {"band": "simultaneous"}, PUValueError, "band must .* propensity"),
        ("contingency", {"band": "bootstrap"}, PUValueError, "band must .* propensity"),
        ("plot_pr", {"band": "dkw"}, PUValueError, "band must .* propensity"),
        ("plot_rank_cdf", {"band": "dkw"}, PUValueError, "band must .* propensity"),
        ("roc_bounds", {"reference": "both"}, PUValueError, "reference must .* propensity"),
        ("contingency", {"reference": "tightest"}, PUValueError, "reference must .* propensity"),
        ("pr_bounds", {"reference": "negatives"}, PUValueError, "reference must .* propensity"),
        ("auroc", {"max_fpr": 0.2}, PUValueError, "max_fpr must .* propensity"),
    ],
)
def test_what_does_not_go_with_propensities(
    call: str, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    frame = ROWS.assign(label=np.where(np.arange(62) == 61, 0, ROWS["label"]))
    with pytest.raises(error, match=message):
        getattr(frame.pu, call)(0.1, **{"propensity": "odds", **arguments})


@pytest.mark.parametrize("at", ["youden", "maximum"])
def test_a_chosen_cutoff_does_not_go_with_propensities(at: str) -> None:
    with pytest.raises(PUValueError, match=f"at must .* propensity=..., but '{at}' was passed"):
        FRAME.pu.metric("f1", 0.1, at=at, propensity="odds")


def test_arrays_and_variables_that_do_not_fit() -> None:
    score, label = FRAME["score"], FRAME["label"]
    with pytest.raises(PUValueError, match=r"propensity must have .* 260 examples, but has 259"):
        pu_accessor.contingency(score, label, beta=0.1, propensity=[0.5] * 259)
    for odds in (0.5, np.full((260, 1), 0.5)):
        with pytest.raises(PUTypeError, match="propensity must be one-dimensional"):
            pu_accessor.contingency(score, label, beta=0.1, propensity=odds)
    samples = xr.Dataset.from_dataframe(FRAME.rename_axis("sample"))
    with pytest.raises(PUKeyError, match="propensity must name a variable"):
        samples.pu.contingency(0.1, propensity="ods")
    with pytest.raises(PUValueError, match="dim must be"):
        samples.assign(odds=0.5).pu.contingency(0.1, propensity="odds")


@pytest.mark.parametrize(
    "name", ["contingency", "roc_bounds", "auroc", "average_precision", "plot_pr", "plot_rank_cdf"]
)
def test_a_small_effective_number_warns_once(name: str) -> None:
    small = FRAME.assign(odds=FRAME["odds"].mask(FRAME.index < 3, 1e-4))
    with pytest.warns(PUWarning, match=r"effective number of .* below 10 \(3\.") as caught:
        getattr(small.pu, name)([0.1, 0.2], propensity="odds")
    assert len(caught) == 1 and caught[0].filename == __file__
    groups = pd.concat([small.assign(g="a"), FRAME.assign(g="b"), small.assign(g="c")])
    with pytest.warns(PUWarning, match="group g='a': 3.*group g='c': 3") as caught:
        getattr(groups.pu, name)(0.1, by="g", propensity="odds")
    assert len(caught) == 1 and "'b'" not in str(caught[0].message)


# Coverage


def selected(seed: int, ratio: float, draws: int) -> tuple[FloatArray, FloatArray]:
    """Label 500 of 3,000 with odds that rise with the score; return what covers the truth."""
    rng = np.random.default_rng(seed)
    positives, examples = 500, 3000
    covered, inside = np.zeros((draws, 2)), np.zeros((draws, 40))
    for draw in range(draws):
        score = rng.standard_normal(examples)
        score[:positives] += 1
        slope = np.log(ratio) * score[:positives]

        def expected(shift: float, slope: FloatArray = slope) -> float:
            return float(special.expit(slope + shift).sum()) - 100

        odds = special.expit(slope + optimize.brentq(expected, -20, 20))
        known = np.zeros(examples, bool)
        known[:positives] = rng.random(positives) < odds
        frame = pd.DataFrame({"score": score, "label": np.where(known, 1, np.nan)})
        frame["odds"] = np.nan
        frame.loc[: positives - 1, "odds"] = odds
        beta = (positives - known.sum()) / (examples - known.sum())
        order = np.argsort(-score)
        true = np.cumsum(order < positives)
        auroc = 1 - (np.flatnonzero(order < positives).mean() - (positives - 1) / 2) / 2500
        for which, odds_column in enumerate((None, "odds")):
            row = frame.pu.auroc(beta, propensity=odds_column).iloc[0]
            covered[draw, which] = row["lower"] <= auroc <= row["upper"]
        ranks = np.linspace(30, 2900, 40).astype(int)
        tp = frame.pu.contingency(beta, propensity="odds", ranks=ranks)["tp"].isel(beta=0)
        low, high = (tp.sel(bound=bound).to_numpy() for bound in ("lower", "upper"))
        inside[draw] = (low <= true[ranks - 1]) & (true[ranks - 1] <= high)
    return covered.mean(axis=0), inside.mean(axis=0)


@pytest.mark.filterwarnings("ignore:In .* the estimate lies outside")
@pytest.mark.parametrize("ratio", [3.0])
def test_weighted_intervals_cover_where_others_do_not(ratio: float) -> None:
    (plain, weighted), cutoffs = selected(int(ratio), ratio, 150)
    assert plain < 0.5
    assert 0.92 <= weighted <= 0.98
    assert cutoffs.mean() >= 0.93 and cutoffs.min() >= 0.893  # .95 less 3.2 errors
