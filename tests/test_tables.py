"""Laws of tables: whatever is done to a Dataset, its numbers travel with it, or it is refused."""

import tracemalloc
from collections.abc import Callable
from functools import cache
from itertools import product
from tempfile import TemporaryDirectory
from typing import Any

import dask
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import example, given
from hypothesis import strategies as st

import pu_accessor
from pu_accessor import PUError, PUValueError
from tests.cases import binormal, put
from tests.worlds import MODELS, attempt, check_alike, fuzzed, seen

Tables = xr.Dataset
COUNTS, RNG = ["tp", "fp", "fn", "tn"], np.random.default_rng(5)
# Few cutoffs of many examples: products of two counts are no int32.
TRUTH = RNG.random(200_000) < 0.4
MANY = pd.DataFrame({"score": RNG.normal(TRUTH), "other": RNG.normal(1.5 * TRUTH)}).round(1)
MANY["label"] = np.where(RNG.random(200_000) < 0.3, TRUTH, np.nan)
FRAME, BETA, _ = binormal(60, 240, 0.4, seed=3)
FRAME["other"] = FRAME["score"] - np.arange(300) % 3
FRAME["g"], FRAME["h"] = np.where(np.arange(300) % 2, "a", "b"), np.arange(300) % 3
NEGATIVE = FRAME.assign(label=FRAME["label"].mask(np.arange(300) > 260, 0))
WHOLE = FRAME.pu.contingency(0.1, ranks="all")
GROUPS = FRAME.pu(by=["g", "h"]).contingency([0.1], ranks="breakpoints").isel(group=slice(0, 5))

QUESTIONS: dict[str, Callable[[Tables], Any]] = {
    "roc": lambda ds: ds.pu.roc_bounds(),
    "pr": lambda ds: ds.pu.pr_bounds(),
    **{name: lambda ds, name=name: ds.pu.metric(name) for name in ("f1", "mcc", "kappa")},  # type: ignore[misc]
    "own metric": lambda ds: ds.pu.metric(lambda tp, fp, fn, tn: tp * tn - fp * fn),
    "area roc": lambda ds: ds.pu.area("auroc"),
    "area pr": lambda ds: ds.pu.area("average_precision"),
    "area of a part": lambda ds: ds.pu.area("auroc", max_fpr=0.1),
    "beta_derivatives": lambda ds: ds.pu.beta_derivatives(),
    "to_frame": lambda ds: ds.pu.to_frame(),
    "plot_pr": lambda ds: seen(ds.isel(model=0).pu.plot_pr()),
    "plot_metric": lambda ds: seen(ds.isel(model=0).pu.plot_metric("mcc")),
}
LAZY = ["roc", "pr", "f1", "mcc", "area roc", "area pr", "area of a part", "beta_derivatives"]
BETAS: dict[str, tuple[Any, str]] = {"points": ([0.1, 0.3], "all")}
BETAS |= {"own cutoffs": ([0.1, 0.3], "breakpoints"), "interval": (pd.Interval(0.1, 0.3), "all")}


@cache
def tables_of(kind: str, rows: str = "all") -> Tables:
    """Return tables of two models: at shared cutoffs, at each one's own, or over an interval."""
    beta, ranks = BETAS[kind]
    frame = {"all": NEGATIVE, "many": MANY, "few": NEGATIVE[::5]}[rows]
    tables: Tables = frame.pu(score=MODELS).contingency(beta, ranks=ranks)
    return tables


def axis_of(tables: Tables) -> str:
    """Return the dimension of cutoffs."""
    return "cutoff" if "cutoff" in tables.dims else "rank"


def tidy(found: Any) -> Any:
    """Return an answer with dimensions, columns and rows in one order."""
    if isinstance(found, pd.DataFrame):
        return found.sort_index(axis=1).sort_values(sorted(map(str, found)), ignore_index=True)
    return found if isinstance(found, list) else found.transpose(*sorted(found.dims))


def check_same(ask: Callable[[Tables], Any], tables: Tables, expected: Tables) -> None:
    """Hold an answer against that of other tables; where one is an error so is the other."""
    found, wanted = (attempt(lambda: ask(ds))[0] for ds in (tables, expected))  # noqa: B023
    if isinstance(wanted, PUError):
        assert type(found) is type(wanted), (found, wanted)
    else:
        check_alike(tidy(found), tidy(wanted))


# What is done to tables


def cast(tables: Tables, dtype: str) -> Tables:
    """Return tables with all integers of one dtype."""
    whole = [name for name in tables.variables if tables[name].dtype == np.int64]
    others = {name: tables[name].astype(dtype) for name in whole}
    return tables.assign_coords({x: others.pop(x) for x in whole if x in tables.coords}).assign(
        others
    )


def chunked(tables: Tables, size: int) -> Tables:
    """Return tables in chunks along the cutoffs, coordinates as well: as open_zarr does."""
    aside = {n: c.chunk() for n, c in tables.coords.items() if n not in tables.indexes}
    return tables.chunk({axis_of(tables): size}).assign_coords(aside)


def stored(tables: Tables) -> Tables:
    """Write a file and read it."""
    with TemporaryDirectory() as folder:
        path = f"{folder}/tables.nc"
        tables.load().drop_encoding().to_netcdf(path, engine="h5netcdf")
        with xr.open_dataset(path, engine="h5netcdf") as found:
            return found.load()


FORMS: dict[str, Callable[[Tables], Tables]] = {
    "chunked": lambda ds: chunked(ds, 7),
    "loaded": lambda ds: ds.load(),
    "stored": stored,
    "without attributes": lambda ds: ds.drop_attrs(),
    "stacked": lambda ds: (
        ds.stack(place=["beta", "bound"]).unstack("place").sel(beta=ds["beta"], bound=ds["bound"])
    ),
    "turned": lambda ds: ds.transpose(*[*ds.dims][::-1])[[*ds.data_vars][::-1]],
    "joined": lambda ds: xr.concat(
        [ds.isel(model=[place]) for place in range(ds.sizes["model"])], "model"
    ),
    **{dtype: lambda ds, dtype=dtype: cast(ds, dtype) for dtype in (">i4", "float32", "uint64")},  # type: ignore[misc]
}
SELECTIONS: dict[str, Callable[[Tables], Tables]] = {
    "models turned over": lambda ds: ds.isel(model=slice(None, None, -1)),
    "the last model": lambda ds: ds.isel(model=[-1]),
    "later cutoffs": lambda ds: ds.isel({axis_of(ds): slice(ds.sizes[axis_of(ds)] // 3, None)}),
    "a beta": lambda ds: ds.isel(beta=[-1]),
    "bounds turned over": lambda ds: ds.isel(bound=slice(None, None, -1)),
    "the first bounds": lambda ds: ds.isel(bound=slice(0, 2)),
    "a bound": lambda ds: ds.isel(bound=[0]),
}
STEPS = FORMS | SELECTIONS


@fuzzed(1.5)
@given(
    kind=st.sampled_from([*BETAS]),
    steps=st.lists(st.sampled_from([*STEPS]), min_size=1, max_size=6),
    few=st.lists(st.sampled_from([*QUESTIONS]), min_size=3, max_size=5, unique=True),
)
@example(kind="interval", steps=["stacked"], few=["roc", "f1", "area pr"])
def test_numbers_travel_with_tables(kind: str, steps: list[str], few: list[str]) -> None:
    whole = tables = plain = tables_of(kind, "few")
    for step in steps:
        tables = STEPS[step](tables)
        plain = SELECTIONS[step](plain) if step in SELECTIONS else plain
    for name in few:
        check_same(QUESTIONS[name], tables, plain)
    for name in ("f1", "beta_derivatives") if kind != "interval" else ():
        # What is asked of a part is the part of what is asked of all.
        expected = QUESTIONS[name](whole)
        for step in [step for step in steps if step in SELECTIONS]:
            expected = SELECTIONS[step](expected)
        xr.testing.assert_allclose(QUESTIONS[name](plain), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("kind", "dtype", "rows"), [("points", "int32", "many"), ("interval", "int8", "few")]
)
def test_no_dtype_overflows(kind: str, dtype: str, rows: str) -> None:
    tables = tables_of(kind, rows)
    for ask in QUESTIONS.values():
        check_same(ask, cast(tables, dtype), tables)


@pytest.mark.parametrize("question", LAZY)
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_answers_of_tables_in_chunks_are_lazy(question: str, dtype: str) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("something was computed")

    tables = chunked(cast(tables_of("points"), dtype), 61)
    answer = QUESTIONS[question](tables)
    variables = [answer] if isinstance(answer, xr.DataArray) else answer.data_vars.values()
    assert all(variable.chunks is not None for variable in variables)
    assert all(coord.chunks is None for coord in answer.coords.values())
    if question in LAZY[:4]:  # of these not even a coordinate is read
        tables = tables.assign_coords({n: c.compute() for n, c in tables.coords.items()})
        with dask.config.set(scheduler=refuse):
            QUESTIONS[question](tables)


# Tables that were spoiled, or joined so that numbers of the first stand for all

# What is done to tables, and what all questions must say then; without a text an answer will do.
SPOILED: dict[str, tuple[Callable[[Tables], Tables], str | None]] = {
    "no beta at all": (lambda ds: ds.isel(beta=[]), "dimension 'beta' is empty"),
    "no bound at all": (lambda ds: ds.isel(bound=[]), "dimension 'bound' is empty"),
    "no cutoff at all": (lambda ds: ds.isel({axis_of(ds): []}), "is empty"),
    "bounds unnamed": (lambda ds: ds.drop_vars("bound"), "'bound' must have its labels"),
    "betas unnamed": (lambda ds: ds.drop_vars("beta"), "'beta' must have its labels"),
    "a bound twice": (lambda ds: ds.isel(bound=[0, 0, 1, 2]), "each once, but are ['lower', 'low"),
    "text": (lambda ds: ds.assign(fp=ds["fp"].astype(str)), "'fp' must contain numbers"),
    "a count's own shape": (lambda ds: ds.assign(tp=ds["tp"][..., 0]), "counts must have the"),
    "one beta": (lambda ds: ds.isel(beta=0), None),
    "a count missing": (lambda ds: ds.drop_vars("fn"), None),
    "no ranks": (lambda ds: ds.drop_vars("rank"), None),
    "no thresholds": (lambda ds: ds.drop_vars("threshold"), None),
    "betas renamed": (lambda ds: ds.rename(beta="prior"), None),
    "holes": (lambda ds: ds[[*COUNTS, "clipped"]].where(ds["tp"] > 3), None),
}


@pytest.mark.parametrize("spoil", SPOILED)
@pytest.mark.parametrize("kind", ["own cutoffs", "interval"])
def test_every_question_speaks_for_itself(spoil: str, kind: str) -> None:
    change, said = SPOILED[spoil]
    spoilt = change(tables_of(kind))
    for question, ask in QUESTIONS.items():
        no_first = question.startswith("plot") and kind == "own cutoffs"
        if not no_first and (question != "own metric" or said != "is empty"):
            found = attempt(lambda: ask(spoilt))[0]  # noqa: B023
            assert said is None or said in str(found), question


ASKED = [NEGATIVE.pu.assume(reference=kind) for kind in ("positives", "negatives", "tightest")]
ALONE = [pu.contingency([0.1, 0.2], ranks=range(0, 250, 10)) for pu in ASKED]


def test_references_may_differ() -> None:
    found = xr.concat(ALONE[:2], "model", combine_attrs="override").pu.beta_derivatives()
    for place, alone in enumerate(ALONE[:2]):
        for rate, expected in alone.pu.beta_derivatives().data_vars.items():
            np.testing.assert_allclose(found[rate].isel(model=place), expected)
            assert expected.attrs == {"long_name": f"derivative of {rate} by β̂"}


def test_numbers_of_the_first_alone_are_noticed() -> None:
    other = FRAME[10:].pu.contingency([0.1, 0.2], ranks=range(0, 250, 10))
    first: Any = {"coords": "minimal", "compat": "override", "join": "override"}
    both = xr.concat([ALONE[0], other], "model", **first)
    moved = ALONE[2]["known_negative"].variable.roll(rank=-5)
    blank = both.assign_coords(known_positive=both["known_positive"] * np.nan)  # totals still tell
    later = GROUPS.assign_coords(rank=GROUPS["rank"] + 1)
    for tables in (both, blank, ALONE[2].assign_coords(known_negative=moved), later):
        with pytest.raises(PUValueError, match="not those of the tables"):
            tables.pu.beta_derivatives()


@pytest.mark.parametrize("ranks", [range(0, 250, 10), "breakpoints"])
@pytest.mark.parametrize("reference", ["positives", "negatives"])
def test_cutoffs_of_the_first_alone_are_noticed(reference: str, ranks: Any) -> None:
    # The same labels, and another order: all totals are equal.
    frame = NEGATIVE.assign(other=np.roll(NEGATIVE["score"], 25))
    pu = frame.pu(score=MODELS).assume(reference=reference)
    tables = pu.contingency(0.2, ranks=ranks).isel(cutoff=slice(60), missing_dims="ignore")
    first = tables.isel(model=0, drop=True).coords
    spoilt = tables.assign_coords({name: first[name] for name in first if name != "beta"})
    for question in ("f1", "to_frame"):
        with pytest.raises(PUValueError, match=r"^Cutoffs, thresholds or numbers of examples"):
            QUESTIONS[question](spoilt)
    assert np.isfinite(QUESTIONS["f1"](tables)).any()


# Whole curves, empty places


def test_areas_are_of_cutoffs_in_order_and_once() -> None:
    ragged = GROUPS.isel(cutoff=[0] * 9 + [*range(9, GROUPS.sizes["cutoff"])])
    some = WHOLE.drop_attrs().isel(rank=slice(-9)), WHOLE.isel(rank=[0] * 9 + [*range(9, 301)])
    for tables in (*some, ragged):
        with pytest.raises(PUValueError, match="in their order"):
            tables.pu.area("auroc")


def test_an_empty_place_stays_empty() -> None:
    hole, expected = GROUPS.unstack("group"), GROUPS.pu.beta_derivatives().unstack("group")
    for name, found in hole.pu.beta_derivatives().data_vars.items():
        xr.testing.assert_equal(found, expected[name])
    assert len(hole.pu.to_frame()) == len(GROUPS.pu.to_frame())


@pytest.mark.parametrize("name", ["wanted", "is a cutoff of its own", "beta position"])
def test_no_key_is_lost_to_a_name_of_ours(name: str) -> None:
    tables = FRAME.assign(**{name: FRAME["g"]}).pu(by=name).contingency(0.1, ranks="breakpoints")
    assert set(tables.pu.to_frame()[name]) == {"a", "b"}


def test_counts_and_areas_say_what_they_are_and_promise() -> None:
    for band, promise in (("simultaneous", "the true area lies"), ("exact", "none: bounds hold")):
        tables = FRAME.pu.contingency(0.1, band=band, ranks="breakpoints")
        assert tables["tp"].attrs == {"long_name": "true positives", "units": "examples"}
        told = tables.pu.area("auroc", max_fpr=0.2).attrs
        assert told["promise"].startswith(promise)
        assert {**told, "band": band, "level": 0.95, "max_fpr": 0.2} == told


@pytest.mark.parametrize("area", ["auroc", "average_precision"])
def test_areas_of_curves_with_wrong_positives_are_those_of_tables(area: str) -> None:
    pu, ends = FRAME.pu.assume(contamination=0.2), ["lower", "upper"]
    tables, curve = pu.contingency([0.1, 0.3], ranks="breakpoints"), pu.pr_bounds([0.1, 0.3])
    one, other = (ds.pu.area(area).sel(bound=ends) for ds in (tables, curve))
    # Where no positive is above a cutoff, precision does not tell how many are below.
    np.testing.assert_allclose(one, other, atol=1e-3)


def test_a_band_that_holds_jointly_is_mixed_inside_ties_at_its_level() -> None:
    score = FRAME["score"].rank(ascending=False)
    frame = FRAME.assign(score=np.where((score > 100) & (score <= 120), -110, -score))
    for band, level in (("simultaneous", 0.95), ("exact", 0.975)):
        ends = frame.pu.contingency(0.2, band=band, ranks=[100, 120], level=level)
        expected = (ends["tp"] / (ends["tp"] + ends["fn"])).squeeze("beta").mean("rank")
        found = frame.pu.metric("tpr", 0.2, at=110, band=band, target="examples").iloc[0]
        limits = expected.sel(bound=["lower", "upper"]).to_numpy()
        assert found[["lower", "upper"]].tolist() == pytest.approx(limits)


# What a question holds in memory is bounded by its answer, not by the rows or the counts


def peak(ask: Callable[[], Any]) -> int:
    """Return the most bytes that are held at a time."""
    tracemalloc.start()
    try:
        ask()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


BATCH = "pu_accessor.inference.hidden_bounds._BATCH_SIZE"


@pytest.mark.parametrize("method", ["roc_bounds", "contingency"])
def test_many_betas_take_little_more_than_the_answer(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BATCH, 1 << 12)
    ask = getattr(binormal(60, 1500, 0.5, seed=2)[0].pu, method)
    how: Any = {"beta": np.linspace(0.01, 0.5, 80), "band": "simultaneous", "ranks": "all"}
    answer = ask(**how)  # what is imported, and remembered, is not counted
    assert peak(lambda: ask(**how)) < 1.2 * answer.nbytes


@pytest.mark.parametrize("band", ["exact", "simultaneous"])
@pytest.mark.parametrize("said", [{}, {"monotone": True}, {"by": "g"}], ids=str)
def test_tables_do_not_depend_on_how_many_betas_there_are_at_once(
    band: str, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = ["positives"] if said.get("monotone") else ["positives", "tightest"]
    betas: Any = [0.3, 0.0, 0.2], pd.Interval(0.1, 0.2)
    for beta, kind, ranks in product(betas, kinds, ("all", "breakpoints", [5, 12, 25])):
        how, found = said | {"band": band, "reference": kind, "ranks": ranks}, []
        for size in (1 << 17, 1):
            monkeypatch.setattr(BATCH, size)
            found += [put(NEGATIVE[::5].pu, "contingency", beta, **how)]
        xr.testing.assert_identical(*found)


def test_a_repr_reads_rows_without_a_copy() -> None:
    frame = pd.DataFrame({"score": np.arange(2_000_000, dtype=float), "label": np.nan})
    frame.loc[:10, "label"] = 1
    for shown in (frame.pu.__repr__, frame.pu._repr_html_):
        assert peak(shown) < 12 * len(frame)


def test_a_sample_of_few_says_the_same_of_any_large_number() -> None:
    small, large = (pu_accessor.beta_from_labels(12, 50, 10**size) for size in (9, 12))
    pd.testing.assert_frame_equal(small.assign(n_unlabeled=10**12), large, atol=1e-7)
    pu_accessor.labeling.labels_needed(0.1, 10**12)  # what is imported is not counted
    assert peak(lambda: pu_accessor.beta_from_labels(12, 50, 10**12)) < 1_000_000
    assert peak(lambda: pu_accessor.labeling.labels_needed(0.1, 10**12)) < 1_000_000
