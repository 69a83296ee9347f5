"""The rooms of the house and who may import whom: data walks one way."""

import ast
import inspect
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import xarray as xr

import pu_accessor

ROOT = Path(pu_accessor.__file__).parent
MODULES = sorted(path.relative_to(ROOT).with_suffix("").parts for path in ROOT.rglob("*.py"))
ALLOWED = {
    "errors": set(),
    "ranking": {"errors"},
    "checks": {"errors", "ranking"},
    "counting": {"errors", "checks", "ranking"},
    "sources": {"errors", "checks", "ranking", "counting"},
    "inference": {"errors", "checks", "ranking"},
    "questions": {"errors", "checks", "ranking", "inference"},
    "datasets": {"errors", "checks", "ranking", "inference", "questions"},
    "plots": {"errors", "checks", "ranking", "inference", "questions", "datasets"},
    "report": {"errors", "checks", "inference", "questions"},
    "accessors": {
        "errors",
        "checks",
        "ranking",
        "sources",
        "inference",
        "questions",
        "datasets",
        "plots",
        "report",
    },
    "example": set(),
    "__init__": {"errors", "example", "inference", "questions", "accessors"},
    "dask": {"errors", "checks", "counting", "sources", "accessors"},
    "sklearn": {"errors", "checks", "ranking", "sources", "inference"},
    "polars": {"errors", "ranking", "sources", "accessors"},
}
OUTSIDE = {
    "errors": set(),
    "ranking": {"numpy"},
    "checks": {"numpy"},
    "counting": {"numpy"},
    "sources": {"numpy", "pandas", "xarray"},
    "inference": {"numpy", "scipy"},
    "questions": {"numpy", "pandas", "xarray", "tqdm"},  # tqdm where a bar is shown
    "datasets": {"numpy", "pandas", "xarray"},
    "report": {"numpy", "pandas", "xarray", "matplotlib"},
    "plots": {"numpy", "pandas", "xarray", "seaborn", "matplotlib"},
    # dask, polars, matplotlib, numpy and seaborn for types alone
    "accessors": {"numpy", "pandas", "xarray", "matplotlib", "seaborn", "dask", "polars"},
    "example": {"pandas"},
    "__init__": set(),
    "dask": {"pandas", "dask"},
    "sklearn": {"numpy", "pandas", "scipy", "sklearn"},
    "polars": {"numpy", "pandas", "polars"},
}
# Files that share a name, as they are the same thing on another layer.
LAYERS = {
    "assumptions": {"accessors", "inference", "questions"},
    "comparison": {"accessors", "questions"},
    "curves": {"datasets", "inference", "plots"},
    "estimates": {"accessors", "questions"},
    "macro_average": {"inference", "questions"},
    "planning": {"accessors", "inference"},
    "prior": {"accessors", "questions"},
    "tables": {"accessors", "datasets"},
    "utility": {"accessors", "inference", "questions"},
}
LONGEST, LONGEST_PLOT = 13, 14  # parameters of a public method


def imported(module: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return what a module imports, as tuples of names."""
    tree = ast.parse((ROOT.joinpath(*module)).with_suffix(".py").read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            names |= {(*str(node.module).split("."), alias.name) for alias in node.names}
    return names


def test_there_is_no_other_room() -> None:
    assert {module[0] for module in MODULES} == set(ALLOWED)


@pytest.mark.parametrize("module", MODULES, ids="/".join)
def test_imports_run_one_way(module: tuple[str, ...]) -> None:
    room = module[0]
    names = imported(module)
    inside = {name[1] for name in names if name[0] == "pu_accessor"} - {room}
    outside = {name[0] for name in names} - {"pu_accessor"} - sys.stdlib_module_names
    assert inside <= ALLOWED[room]
    assert outside <= OUTSIDE[room]


def test_polars_is_imported_where_it_is_read_alone() -> None:
    found = {module for module in MODULES if "polars" in {name[0] for name in imported(module)}}
    types_alone = ("accessors", "constructors")
    assert found - {types_alone} == {("polars",)}


@pytest.mark.parametrize(
    "module", [module for module in MODULES if module[0] == "inference"], ids="/".join
)
def test_inference_knows_arrays_alone_and_warns_nobody(module: tuple[str, ...]) -> None:
    names = imported(module)
    assert not {"pandas", "xarray", "warnings"} & {name[0] for name in names}
    assert ("pu_accessor", "errors", "warn_caller") not in names


def test_subrooms_of_inference_have_an_order() -> None:
    into: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        if module[0] == "inference" and len(module) == 3:
            names = {
                name[2] for name in imported(module) if name[:2] == ("pu_accessor", "inference")
            }
            into[module[1]] |= names - {module[1]}
    rooms = {*into}
    while rooms:
        done = {room for room in rooms if not into[room] & rooms}
        assert done, f"a circle among {sorted(rooms)}"
        rooms -= done


def test_names_of_files_tell_rooms_apart() -> None:
    rooms: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        rooms[module[-1]].add(module[0])
    shared = {name: among for name, among in rooms.items() if len(among) > 1}
    assert {name: shared[name] for name in shared if name != "__init__"} == LAYERS


@pytest.mark.parametrize("thing", [pd.DataFrame(), xr.Dataset()], ids=["df.pu", "ds.pu"])
def test_methods_have_few_parameters(thing: Any) -> None:
    kind = type(thing.pu)
    counts = {
        name: len(inspect.signature(getattr(kind, name)).parameters) - 1
        for name in dir(kind)
        if not name.startswith("_")
    }
    assert counts
    most = {name: LONGEST_PLOT if name.startswith("plot_") else LONGEST for name in counts}
    assert {name for name in counts if counts[name] > most[name]} == set()
