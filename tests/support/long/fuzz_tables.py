"""Rows of any kind against the slow references, and tables that go any way: ``make fuzz``.

Tables are selected from, joined, cast, stored, put in chunks and stripped of attributes, in any
order; after each step any question to them is answered as by tables that were selected from alone.

The profiles `minutes` and `hours` of ``tests/conftest.py`` say how many examples are drawn. What
fails is printed as code to paste, and comes again with the seed that is printed first.
"""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import pu_accessor
from pu_accessor import PUError
from tests.cases import Case, as_frame, as_tables, cases
from tests.datasets.questions import QUESTIONS
from tests.sources.test_pieces import cut
from tests.support.oracles import coherent_oracle, completion_oracle, oracle
from tests.support.oracles.reference_oracle import BOUNDS
from tests.worlds import MODELS, attempt, frames, some

BANDS = {
    "exact": oracle.exact_band,
    "bootstrap": oracle.bootstrap_band,
    "dkw": oracle.dkw_band,
    "simultaneous": oracle.simultaneous_band,
}
SCORES = ["float64", "float32", "object", "Float64", "int64", "Int32", "double[pyarrow]"]
LABELS = ["boolean", "object", "Int8", "Float32", "category", "bool[pyarrow]"]
NAMES = ["f1", "mcc", "precision", "tpr", "fpr"]


def rows(case: Case, score: str, label: str, order: list[int]) -> pd.DataFrame:
    """Return a case as rows of other dtypes in another order."""
    frame = as_frame(case).astype({"score": score, "label": label})
    return frame.iloc[order].reset_index(drop=True)


@given(
    case=cases(),
    band=st.sampled_from(sorted(BANDS)),
    level=st.sampled_from([0.5, 0.8, 0.95]),
    dtypes=st.tuples(st.sampled_from(SCORES), st.sampled_from(LABELS)),
    data=st.data(),
)
def test_rows_of_any_kind(
    case: Case, band: str, level: float, dtypes: tuple[str, str], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(case.score))))
    frame = rows(case, *dtypes, order)
    of_band = oracle.at_scores(BANDS[band], case.score)
    plain = oracle.tables(case.score, case.label, case.beta, level, of_band)
    ends = coherent_oracle.cut_if_joint(band, case.score, case.label, plain)
    m = oracle.latent_count(case.beta, case.label.count(None))
    expected = completion_oracle.with_estimate(case.score, case.label, m, ends)
    how: dict[str, Any] = {"level": level, "band": band}
    tables = frame.pu(negative=False).contingency(case.beta, **how)
    for bound in BOUNDS:
        assert as_tables(tables, bound) == expected[bound]
    for name in NAMES:
        found = tables.pu.metric(name).isel(beta=0)
        for bound in BOUNDS:
            values = [oracle.metric(name, table) for table in expected[bound]]
            np.testing.assert_allclose(found.sel(bound=bound), values, rtol=1e-12, atol=1e-12)
    area = tables.pu.area("average_precision").isel(beta=0)
    for bound in BOUNDS:
        wanted = oracle.pr_area(expected[bound])
        np.testing.assert_allclose(area.sel(bound=bound), wanted, atol=1e-9)
    places = data.draw(st.lists(st.integers(0, len(frame)), max_size=4))
    pieces = pu_accessor.from_chunks(cut(frame, places))(negative=False)
    few = {"ranks": "breakpoints", **how}
    xr.testing.assert_identical(
        pieces.contingency(case.beta, **few),
        frame.pu(negative=False).contingency(case.beta, **few),
    )


def as_joined(some: list[Case]) -> list[xr.Dataset]:
    """Return the tables of a few models at the same ranks, each with numbers of its own."""
    ranks = list(range(min(len(case.label) for case in some) + 1))
    return [
        as_frame(case).pu(negative=False).contingency([0.0, 0.3], ranks=ranks) for case in some
    ]


def check_answers(found: Any, expected: Any) -> None:
    """Hold an answer against another whose dimensions may be in another order."""
    if isinstance(expected, PUError):
        assert type(found) is type(expected), (found, expected)
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    elif isinstance(expected, pd.DataFrame):
        columns = [*expected.columns]
        found, expected = (x.sort_values(columns)[columns] for x in (found, expected))
        pd.testing.assert_frame_equal(
            found.reset_index(drop=True), expected.reset_index(drop=True), check_dtype=False
        )
    else:
        one, other = (
            x.to_dataset(name="it") if isinstance(x, xr.DataArray) else x
            for x in (found, expected)
        )
        assert set(one.data_vars) == set(other.data_vars)
        for name in other.data_vars:
            turned = one[name].transpose(*other[name].dims)
            np.testing.assert_allclose(
                turned.to_numpy().astype(float), other[name].to_numpy().astype(float), rtol=1e-6
            )


class Travels(RuleBasedStateMachine):
    """Tables that go any way: numbers go with them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.stored = 0
        self.parts: list[xr.Dataset] = []

    @initialize(
        some=st.lists(cases(), min_size=2, max_size=3),
        frame=frames(most=25),
        kind=st.sampled_from(["joined", "joined", "wide", "own cutoffs", "interval"]),
    )
    def draw(self, some: list[Case], frame: pd.DataFrame, kind: str) -> None:
        """Start with tables of a few models."""
        how: dict[str, Any] = {"ranks": "breakpoints"} if kind == "own cutoffs" else {}
        beta: Any = pd.Interval(0.0, 0.3) if kind == "interval" else [0.0, 0.3]
        rows = frame.fillna({"score": 0.0, "other": 0.0})
        wide, _ = attempt(lambda: rows.pu(score=MODELS).contingency(beta, **how))
        if kind == "joined" or isinstance(wide, PUError):
            kind, self.parts = "joined", as_joined(some)
            wide = xr.concat(self.parts, "model", combine_attrs="drop")
        self.kind, self.tables, self.plain = kind, wide, wide
        self.models = list(range(wide.sizes["model"]))

    def select(self, **kept: Any) -> None:
        """Select from both."""
        self.tables, self.plain = (ds.isel(kept) for ds in (self.tables, self.plain))

    @rule(data=st.data())
    def select_models(self, data: st.DataObject) -> None:
        """Keep some models, in any order."""
        kept = data.draw(
            st.lists(st.integers(0, len(self.models) - 1), min_size=1, max_size=3, unique=True)
        )
        self.select(model=kept)
        self.models = [self.models[place] for place in kept]

    @rule(data=st.data())
    def select_ranks(self, data: st.DataObject) -> None:
        """Keep a run of ranks."""
        axis = "rank" if "rank" in self.plain.dims else "cutoff"
        first = data.draw(st.integers(0, self.plain.sizes[axis] - 1))
        self.select(**{axis: slice(first, None)})

    @rule(beta=st.integers(0, 1))
    def select_beta(self, beta: int) -> None:
        """Keep one beta, as a dimension."""
        if beta < self.plain.sizes["beta"]:
            self.select(beta=[beta])

    @rule(kept=st.sampled_from([[0, 1, 2], [2, 1, 0], [1], [0, 2]]))
    def select_bounds(self, kept: list[int]) -> None:
        """Keep some bounds, or turn them over."""
        if max(kept) < self.plain.sizes["bound"]:
            self.select(bound=kept)

    @rule()
    def transpose(self) -> None:
        """Turn the dimensions over, and the order of the variables."""
        turned = self.tables.transpose(*list(self.tables.dims)[::-1])
        self.tables = turned[list(turned.data_vars)[::-1]]

    @precondition(lambda self: self.kind != "interval")
    @rule()
    def stack(self) -> None:
        """Stack two dimensions and unstack them."""
        stacked = self.tables.stack(place=["beta", "bound"]).unstack("place")
        self.tables = stacked.reindex(beta=self.plain["beta"], bound=self.plain["bound"])

    @rule(size=st.integers(1, 9))
    def chunk(self, size: int) -> None:
        """Put the ranks in chunks."""
        axis = "rank" if "rank" in self.tables.dims else "cutoff"
        self.tables = self.tables.chunk({axis: size})

    @rule()
    def load(self) -> None:
        """Take chunks into memory."""
        self.tables = self.tables.load()

    @rule()
    def forget(self) -> None:
        """Drop all attributes."""
        self.tables = self.tables.drop_attrs()

    @rule(dtype=st.sampled_from(["int16", "uint8", "int32", ">i4", "float32", ">f8", "uint64"]))
    def cast(self, dtype: Any) -> None:
        """Have the counts in another dtype."""
        counts = {name: self.tables[name].astype(dtype) for name in ("tp", "fp", "fn", "tn")}
        self.tables = self.tables.assign(counts)

    @precondition(lambda self: len(self.models) > 1 and self.kind == "joined")
    @rule()
    def take_apart_and_join(self) -> None:
        """Join what was taken apart."""
        alone = [self.tables.isel(model=[place]) for place in range(len(self.models))]
        self.tables = xr.concat(alone, "model", combine_attrs="override")

    @rule(engine=st.sampled_from(["scipy", "h5netcdf", "zarr"]))
    def store(self, engine: Any) -> None:
        """Write a file and read it."""
        self.stored += 1
        path = Path(self.folder.name) / f"{self.stored}"
        tables = self.tables.load()
        if engine == "scipy":  # of which netCDF 3 has no such integers
            wide = {name: tables[name].astype("int64") for name in ("tp", "fp", "fn", "tn")}
            tables = tables.assign(wide)
        if engine == "zarr":
            with warnings.catch_warnings():  # of zarr itself, on texts that a file gave back
                warnings.simplefilter("ignore")
                tables.drop_encoding().to_zarr(path, consolidated=False)
                self.tables = xr.open_zarr(path, chunks=None, consolidated=False).load()
        else:
            tables.drop_encoding().to_netcdf(path, engine=engine)
            with xr.open_dataset(path, engine=engine) as found:
                self.tables = found.load()

    @rule(name=st.sampled_from([*QUESTIONS]))
    def ask(self, name: str) -> None:
        """Put any question."""
        if name == "own metric" and self.kind == "interval":
            return
        question = QUESTIONS[name]
        found, _ = attempt(lambda: question(self.tables))
        expected, _ = attempt(lambda: question(self.plain))
        check_answers(found, expected)

    @precondition(lambda self: self.parts)
    @invariant()
    def numbers_are_those_of_the_models(self) -> None:
        """Hold metrics and slopes against those of each model by itself."""
        found = self.tables.pu.metric("f1")
        slopes = self.tables.pu.beta_derivatives()["precision"]
        for place, model in enumerate(self.models):
            one = self.parts[model]
            self.same(found.isel(model=place), one.pu.metric("f1"))
            self.same(slopes.isel(model=place), one.pu.beta_derivatives()["precision"])

    def same(self, found: xr.DataArray, whole: xr.DataArray) -> None:
        """Compare those places that are left."""
        left = {dim: found[dim] for dim in found.dims}
        expected = whole.sel(left).transpose(*found.dims)
        np.testing.assert_allclose(found.to_numpy(), expected.to_numpy(), rtol=1e-12)

    def teardown(self) -> None:
        """Remove the files."""
        self.folder.cleanup()


TestTravels = Travels.TestCase
TestTravels.settings = settings(
    stateful_step_count=12, max_examples=some(20), suppress_health_check=list(HealthCheck)
)
