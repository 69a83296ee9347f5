"""Rows of any kind against the slow references, and tables that go any way: ``make fuzz``.

The profiles `minutes` and `hours` of ``tests/conftest.py`` say how many examples are drawn. What
fails is printed as code to paste, and comes again with the seed that is printed first.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import pu_accessor
from tests.cases import Case, as_frame, as_tables, cases
from tests.oracles import coherent_oracle, oracle
from tests.oracles.reference_oracle import BOUNDS
from tests.sources.test_pieces import cut

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
    plain = oracle.tables(case.score, case.label, case.beta, level, BANDS[band])
    expected = coherent_oracle.cut_if_joint(band, case.score, case.label, plain)
    how: dict[str, Any] = {"level": level, "band": band}
    tables = frame.pu(negative=False).contingency(case.beta, **how)
    for bound in BOUNDS:
        assert as_tables(tables, bound) == expected[bound]
    for name in NAMES:
        found = tables.pu.metric(name).isel(beta=0)
        for bound in BOUNDS:
            values = [oracle.metric(name, table) for table in expected[bound]]
            np.testing.assert_allclose(found.sel(bound=bound), values, rtol=1e-12, atol=1e-12)
    area = tables.pu.area("pr").isel(beta=0)
    for bound in BOUNDS:
        wanted = oracle.pr_area(expected[bound])
        np.testing.assert_allclose(area.sel(bound=bound), wanted, atol=1e-9)
    places = data.draw(st.lists(st.integers(0, len(frame)), max_size=4))
    pieces = pu_accessor.ranking_from_chunks(cut(frame, places))(negative=False)
    few = {"ranks": "breakpoints", **how}
    xr.testing.assert_identical(
        pieces.contingency(case.beta, **few),
        frame.pu(negative=False).contingency(case.beta, **few),
    )


class Travels(RuleBasedStateMachine):
    """Tables that are selected from, joined, stored and put in chunks: numbers go with them."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.stored = 0

    @initialize(some=st.lists(cases(), min_size=2, max_size=3))
    def draw(self, some: list[Case]) -> None:
        """Start with the tables of a few models, at the same ranks."""
        most = min(len(case.label) for case in some)
        ranks = list(range(most + 1))
        self.parts = [
            as_frame(case).pu(negative=False).contingency([0.0, 0.3], ranks=ranks) for case in some
        ]
        self.tables = xr.concat(self.parts, "model", combine_attrs="drop")
        self.models = list(range(len(self.parts)))

    @rule(data=st.data())
    def select_models(self, data: st.DataObject) -> None:
        """Keep some models, in any order."""
        kept = data.draw(
            st.lists(st.integers(0, len(self.models) - 1), min_size=1, max_size=3, unique=True)
        )
        self.tables = self.tables.isel(model=kept)
        self.models = [self.models[place] for place in kept]

    @rule(data=st.data())
    def select_ranks(self, data: st.DataObject) -> None:
        """Keep a run of ranks."""
        first = data.draw(st.integers(0, self.tables.sizes["rank"] - 1))
        self.tables = self.tables.isel(rank=slice(first, None))

    @rule(beta=st.sampled_from([0.0, 0.3]))
    def select_beta(self, beta: float) -> None:
        """Keep one beta, as a dimension."""
        if beta in self.tables["beta"]:
            self.tables = self.tables.sel(beta=[beta])

    @rule()
    def transpose(self) -> None:
        """Turn the dimensions over."""
        self.tables = self.tables.transpose(*list(self.tables["tp"].dims)[::-1])

    @rule()
    def stack(self) -> None:
        """Stack two dimensions and unstack them."""
        self.tables = self.tables.stack(place=["beta", "bound"]).unstack("place")

    @rule(size=st.integers(1, 9))
    def chunk(self, size: int) -> None:
        """Put the ranks in chunks."""
        self.tables = self.tables.chunk({"rank": size})

    @rule()
    def load(self) -> None:
        """Take chunks into memory."""
        self.tables = self.tables.load()

    @precondition(lambda self: len(self.models) > 1)
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
        if engine == "zarr":
            self.tables.load().to_zarr(path, consolidated=False)
            self.tables = xr.open_zarr(path, chunks=None, consolidated=False).load()
        else:
            self.tables.load().to_netcdf(path, engine=engine)
            with xr.open_dataset(path, engine=engine) as found:
                self.tables = found.load()

    @invariant()
    def numbers_are_those_of_the_models(self) -> None:
        """Hold metrics and slopes against those of each model by itself."""
        if not hasattr(self, "tables"):
            return
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
TestTravels.settings = settings(stateful_step_count=12)
