"""Labels that are not quite random, by the public methods: results, pictures and bad input."""

from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr

from pu_accessor import PUTypeError, PUValueError, PUWarning, from_arrays
from pu_accessor.inference.bands.within_odds import exact_within
from tests.cases import binormal, legend_of


def draw(seed: int = 3) -> tuple[pd.DataFrame, float]:
    """Draw scores of two models, with a quarter of the positives known."""
    frame, beta, truth = binormal(200, 800, 0.25, seed)
    noise = np.random.default_rng(seed).normal(size=truth.size)
    return frame.assign(better=frame["score"] + 0.8 * truth, worse=frame["score"] + noise), beta


FRAME, BETA = draw()
MODELS = ["better", "worse"]


def test_models_come_as_they_were_named_and_ticks_stand_apart() -> None:
    models = FRAME.rename(columns={"better": "model 10", "worse": "model 2"})
    pu = models.pu(score=["model 2", "model 10"])
    ax = pu.plot_robustness("auroc", BETA, selection_odds=[1, 1.25, 1.5, 2, 5])
    texts = [text.get_text() for text in legend_of(ax).get_texts()]
    assert [text for text in texts if text.startswith("model")] == ["model 2", "model 10"]
    assert ax.get_xticks().tolist() == [1, 1.5, 2, 5]
    plt.close("all")


def test_tables_within_a_factor() -> None:
    plain = FRAME.pu.contingency(BETA, ranks=[50, 200])
    same = FRAME.pu.contingency(BETA, ranks=[50, 200], selection_odds=1)
    xr.testing.assert_identical(same, plain)
    assert "selection_odds" not in plain.attrs
    within = FRAME.pu.contingency(BETA, ranks=[50, 200], selection_odds=2)
    assert within.attrs["selection_odds"] == 2
    lower, upper = exact_within(50, np.array([150]), 0.95, 2.0)
    known = within["known_positive"].to_numpy()
    for bound, table in (("lower", lower), ("upper", upper)):
        found = within["tp"].sel(bound=bound).isel(beta=0).to_numpy() - known
        np.testing.assert_array_equal(found, np.minimum(table[0][known], [50, 200] - known))
    middle = [tables["tp"].sel(bound="estimate").to_numpy() for tables in (within, plain)]
    np.testing.assert_array_equal(*middle)


@pytest.mark.parametrize("reference", ["positives", "negatives", "tightest", "both"])
@pytest.mark.parametrize("band", ["exact", "simultaneous"])
def test_every_reference_widens(reference: str, band: str) -> None:
    labels = np.where(np.arange(len(FRAME)) % 9 == 8, 0, FRAME["label"])
    frame = FRAME.assign(label=np.where(FRAME["label"] == 1, 1, labels)).iloc[::2]
    tp = [
        frame.pu.contingency(
            0.3, band=band, reference=reference, ranks=[20, 90, 300], selection_odds=odds
        )["tp"]
        for odds in (1, 1.5, 4)
    ]
    for before, after in pairwise(tp):
        assert (after.sel(bound="lower") <= before.sel(bound="lower")).all()
        assert (after.sel(bound="upper") >= before.sel(bound="upper")).all()
    assert (tp[2].sel(bound="lower") < tp[0].sel(bound="lower")).any()


def test_nothing_known_of_the_odds_leaves_what_is_certain() -> None:
    tables = FRAME.pu.contingency(BETA, ranks=[50, 900], selection_odds=np.inf)
    known, latent = tables["known_positive"].to_numpy(), 150
    head = np.array([50, 900]) - known
    tp = tables["tp"].isel(beta=0)
    np.testing.assert_array_equal(
        tp.sel(bound="lower") - known, np.maximum(latent - (950 - head), 0)
    )
    np.testing.assert_array_equal(tp.sel(bound="upper") - known, np.minimum(head, latent))


def test_frames_say_the_factor_where_there_is_one() -> None:
    pu = FRAME.pu(score=MODELS)
    asked: dict[str, tuple[Any, ...]] = {
        "auroc": (BETA,),
        "average_precision": (BETA,),
        "compare": (BETA,),
    }
    for method, arguments in asked.items():
        plain = getattr(pu, method)(*arguments)
        pd.testing.assert_frame_equal(getattr(pu, method)(*arguments, selection_odds=1), plain)
        within = getattr(pu, method)(*arguments, selection_odds=1.5)
        added = {"range_lower", "range_upper", "selection_odds"}
        assert {*within.columns} == {*plain.columns} | added
        middle = within["estimate" if "estimate" in within else "difference"]
        assert (within["lower"] < within["range_lower"]).all()
        assert (within["range_lower"] < middle).all() and (middle < within["range_upper"]).all()
        assert (within["range_upper"] < within["upper"]).all()
        assert (within["lower"] <= plain["lower"]).all()
        assert (within["upper"] >= plain["upper"]).all()
        assert (within["lower"] < plain["lower"]).any()
    at = {"threshold": 1.0}
    found = FRAME.pu.metric("precision", BETA, at=at, selection_odds=1.5)
    assert found[["target", "band", "selection_odds"]].iloc[0].tolist() == [
        "examples",
        "exact",
        1.5,
    ]
    assert "selection_odds" not in FRAME.pu.metric("precision", BETA, at=at)


def test_one_accessor_and_arrays_agree() -> None:
    arrays = from_arrays(FRAME["score"], FRAME["label"])
    expected = FRAME.pu.average_precision(BETA, selection_odds=2)
    pd.testing.assert_frame_equal(arrays.average_precision(BETA, selection_odds=2), expected)
    grouped = FRAME.assign(site="a").pu(by="site").average_precision(BETA, selection_odds=2)
    pd.testing.assert_frame_equal(grouped.drop(columns="site"), expected, check_index_type=False)


def test_an_envelope_within_a_factor() -> None:
    found = FRAME.pu.auroc(BETA, beta_interval=(0.1, 0.2), selection_odds=1.5)
    assert (found["envelope_lower"] < found["lower"]).all()
    assert (found["envelope_upper"] > found["upper"]).all()
    tables = FRAME.pu.contingency(BETA, beta_interval=(0.1, 0.2), ranks=50, selection_odds=1.5)
    assert (tables["interval_tp"].min() <= tables["tp"].min()).all()


def test_known_positives_set_no_limit_on_beta_within_a_factor() -> None:
    with pytest.warns(PUWarning, match="beta exceeds the upper limit"):
        assert "beta_limit" in FRAME.pu.contingency(0.9).coords
    assert "beta_limit" not in FRAME.pu.contingency(0.9, selection_odds=3).coords
    assert "beta_limit" in FRAME.pu.auroc(BETA).attrs
    assert "beta_limit" not in FRAME.pu.auroc(BETA, selection_odds=3).attrs


def test_a_conclusion_breaks_where_its_interval_does() -> None:
    pu = FRAME.pu(score=MODELS)
    for quantity, keywords, asked in (
        ("auroc", {"above": 0.6}, {}),
        ("average_precision", {"above": 0.3}, {}),
        ("precision", {"above": 0.3, "at": 60}, {"at": 60}),
    ):
        broken = pu.robustness(quantity, BETA, **keywords, selection_odds=1).set_index("model")
        point = broken.loc["better", "breaking_point"]
        assert 1 < point < np.inf
        ask = getattr(pu, quantity, None)
        for odds, holds in ((point, True), (point * 1.002, False)):
            found = (
                ask(BETA, selection_odds=odds)
                if ask
                else pu.metric(quantity, BETA, selection_odds=odds, **asked)
            )
            assert (found.set_index("model").loc["better", "lower"] > keywords["above"]) == holds


def test_an_order_breaks_where_its_interval_does() -> None:
    pu = FRAME.pu(score=MODELS)
    broken = pu.robustness("difference", [BETA, BETA / 2], selection_odds=1)
    assert broken["beta"].tolist() == [BETA, BETA / 2]
    point = broken["breaking_point"][0]
    assert 1 < point < np.inf
    assert pu.compare(BETA, selection_odds=point)["lower"].item() > 0
    assert pu.compare(BETA, selection_odds=point * 1.002)["lower"].item() <= 0
    turned = FRAME.pu(score=MODELS[::-1]).robustness("difference", BETA, selection_odds=1)
    assert turned["breaking_point"].item() == pytest.approx(point, rel=2e-3)


def test_models_in_rows_are_paired_by_a_column() -> None:
    rows = FRAME.assign(id=range(len(FRAME))).drop(columns="score")
    long = rows.melt(["id", "label"], MODELS, "model", "score").pu(by="model")
    wide = FRAME.pu(score=MODELS)
    found = long.robustness("difference", BETA, on="id", selection_odds=1)
    pd.testing.assert_frame_equal(found, wide.robustness("difference", BETA, selection_odds=1))
    drawn = [
        pu.plot_robustness("difference", BETA, selection_odds=[1, 2], **on).lines[0]
        for pu, on in ((long, {"on": "id"}), (wide, {}))
    ]
    np.testing.assert_array_equal(*(line.get_xydata() for line in drawn))


def test_conclusions_that_never_hold_and_that_always_do() -> None:
    assert (
        FRAME.pu.robustness("auroc", BETA, above=0.95, selection_odds=1)["breaking_point"].item()
        == 1
    )
    assert (
        FRAME.pu.robustness("auroc", BETA, above=-1, selection_odds=1)["breaking_point"].item()
        == np.inf
    )
    assert (
        FRAME.pu.robustness("auroc", 0.0, above=0.2, selection_odds=1)["breaking_point"].item()
        == np.inf
    )


def test_a_picture_of_robustness() -> None:
    ax = FRAME.pu.plot_robustness("auroc", BETA, selection_odds=[3, 1, 2], above=0.6)
    curve = next(line for line in ax.lines if line.get_gid() == "pu_accessor curve")
    assert curve.get_xdata().tolist() == [1, 2, 3]
    interval, spread = (patch.get_xy() for patch in ax.patches)
    for corners, names in (
        (interval, ["upper", "lower"]),
        (spread, ["range_upper", "range_lower"]),
    ):
        found = FRAME.pu.auroc(BETA, selection_odds=3).iloc[0]
        np.testing.assert_allclose(corners[2:4], [[3, found[name]] for name in names])
    cross = next(line for line in ax.lines if line.get_gid() == "pu_accessor break")
    point = FRAME.pu.robustness("auroc", BETA, above=0.6, selection_odds=1)[
        "breaking_point"
    ].item()
    np.testing.assert_allclose(cross.get_xydata(), [[point, 0.6]])
    assert ax.get_xscale() == "log" and ax.get_ylabel() == "AUROC"
    labels = [text.get_text() for text in legend_of(ax).get_texts()]
    assert {"95% interval", "range of the estimate", "conclusion breaks", "0.6"} <= {*labels}
    plt.close("all")


def test_pictures_of_models_and_metrics() -> None:
    pu = FRAME.pu(score=MODELS)
    ax = pu.plot_robustness("difference", BETA, selection_odds=[1, 1.5])
    assert ax.get_ylabel() == "difference in AUROC"
    grid = pu.plot_robustness(
        "precision", [BETA, BETA / 2], at=50, selection_odds=[1, 2], col="model"
    )
    assert grid.axes.shape == (1, 2)
    assert "95% exact band,\nthese examples" in [t.get_text() for t in grid.legend.get_texts()]
    drawn = FRAME.pu.plot_roc(BETA, selection_odds=2)
    texts = [text.get_text() for text in legend_of(drawn).get_texts()]
    assert "95% exact band,\nodds within 2,\nthese examples" in texts
    plt.close("all")


@pytest.mark.parametrize(
    ("method", "arguments", "keywords"),
    [
        ("contingency", (BETA,), {}),
        ("roc_bounds", (BETA,), {}),
        ("plot_pr", (BETA,), {}),
        ("metric", ("f1", BETA), {"at": 5}),
        ("dominance", (BETA,), {}),
    ],
)
def test_bands_without_a_factor(
    method: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> None:
    ask = getattr(FRAME.pu(score="no such column"), method)  # nothing is read before
    for band in ("bootstrap", "dkw", lambda n, m, level: (n, m)):
        with pytest.raises(PUValueError, match="band must be 'exact' or 'simultaneous' with"):
            ask(*arguments, band=band, selection_odds=2, **keywords)
    with pytest.raises(PUValueError, match=r"selection_odds must be 1 .*up to infinity, but 0.5"):
        ask(*arguments, selection_odds=0.5, **keywords)
    with pytest.raises(PUTypeError, match="selection_odds must be a number from 1 on"):
        ask(*arguments, selection_odds="2", **keywords)


def test_odds_and_propensities_exclude_each_other() -> None:
    pu = FRAME.assign(e=0.2).pu(propensity="e")
    asked: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
        "contingency": ((BETA,), {}),
        "auroc": ((BETA,), {"target": "examples"}),
        "average_precision": ((BETA,), {}),
        "metric": (("f1", BETA), {"at": 5}),
    }
    for method, (arguments, keywords) in asked.items():
        with pytest.raises(PUValueError, match=r"selection_odds must be 1 with propensity=\.\.\."):
            getattr(pu, method)(*arguments, selection_odds=2, **keywords)
    for method in ("robustness", "plot_robustness"):
        with pytest.raises(PUValueError, match="propensity must not be bound, but 'e' is"):
            getattr(pu, method)("auroc", BETA)


def test_what_robustness_cannot_be_asked() -> None:
    pu = FRAME.pu(score=MODELS)
    for arguments, keywords, told in (
        (("aurocc", BETA), {}, r"quantity must be one of .*Did you mean 'auroc'"),
        (("f1", BETA), {}, "at must say the one cutoff of 'f1'"),
        (("auroc", BETA), {"at": 3}, "at must be left out with 'auroc'"),
        (("auroc", BETA), {"band": "simultaneous"}, "band and reference must be left out"),
        (("f1", BETA), {"at": 3, "band": "dkw"}, "band must be 'exact' or 'simultaneous'"),
        (("f1", BETA), {"at": 3, "target": "population"}, "target must be 'examples' with a met"),
        (("difference", BETA), {"above": 0.1}, "above must be left out with 'difference'"),
        (("auroc", BETA), {"on": "id"}, "on must be left out with 'auroc', but 'id' was passed"),
    ):
        with pytest.raises(PUValueError, match=told):
            pu.robustness(*arguments, **keywords, selection_odds=1)
    with pytest.raises(PUValueError, match="max_fpr must be None with selection_odds=2"):
        FRAME.pu.auroc(BETA, max_fpr=0.1, target="examples", selection_odds=2)
    for odds in ([2], [1, np.inf]):
        with pytest.raises(PUValueError, match="selection_odds must hold two or more finite"):
            pu.plot_robustness("auroc", BETA, selection_odds=odds)
    with pytest.raises(PUValueError, match="plot_robustness needs the same betas"):
        pu.plot_robustness("auroc", {"better": 0.1, "worse": 0.2})
    with pytest.raises(PUValueError, match="two or more models"):
        FRAME.pu(score=["better"]).robustness("difference", BETA, selection_odds=1)
