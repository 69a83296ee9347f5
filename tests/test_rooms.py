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
from pu_accessor.plots import Options

LOOKS = {"looks", *Options.__annotations__}
ROOT = Path(pu_accessor.__file__).parent
MODULES = sorted(path.relative_to(ROOT).with_suffix("").parts for path in ROOT.rglob("*.py"))
BEFORE_SOURCES = {"errors", "checks", "ranking", "counting", "roles_and_assumptions"}
BEFORE_QUESTIONS = {
    "errors",
    "checks",
    "ranking",
    "sources",
    "roles_and_assumptions",
    "beta",
    "inference",
}
ALLOWED = {
    "errors": set(),
    "ranking": {"errors"},
    "checks": {"errors", "ranking"},
    "roles_and_assumptions": {"errors", "checks"},
    "beta": {"errors", "checks", "ranking"},
    "counting": {"errors", "checks", "ranking"},
    "sources": BEFORE_SOURCES,
    "inference": {"errors", "checks", "ranking", "beta"},
    "datasets": {"errors", "checks", "ranking", "inference"},
    "plots": {"errors", "checks", "ranking", "inference", "datasets"},
    "report": {"errors", "checks", "beta", "inference"},
    "questions": BEFORE_QUESTIONS | {"datasets", "plots", "report"},
    "priors": BEFORE_QUESTIONS | {"questions"},
    "labeling": BEFORE_QUESTIONS | {"questions"},
    "example": set(),
    "__init__": {"errors", "example", "inference", "priors", "questions", "labeling", "sklearn"},
    "dask": BEFORE_SOURCES | {"sources", "questions"},
    "polars": BEFORE_SOURCES | {"sources", "questions"},
    "sklearn": BEFORE_QUESTIONS,
}
OUTSIDE = {
    "errors": set(),
    "ranking": {"numpy"},
    "checks": {"numpy"},
    "roles_and_assumptions": {"numpy"},
    "beta": {"numpy", "pandas", "scipy", "xarray"},
    "counting": {"numpy"},
    "sources": {"numpy", "pandas", "xarray"},
    "inference": {"numpy", "scipy"},
    "datasets": {"numpy", "pandas", "xarray"},
    "plots": {"numpy", "pandas", "xarray", "seaborn", "matplotlib"},
    "report": {"numpy", "pandas", "matplotlib"},
    # tqdm where a bar is shown, matplotlib where a look is explained; others for types alone
    "questions": {"numpy", "pandas", "xarray", "tqdm", "matplotlib", "dask", "polars"},
    "priors": {"numpy", "pandas", "scipy"},
    "labeling": {"numpy", "pandas"},
    "example": {"pandas"},
    "__init__": set(),
    "dask": {"pandas", "dask"},
    "polars": {"pandas", "polars", "pyarrow"},
    "sklearn": {"numpy", "pandas", "scipy", "sklearn"},
}
# Files that share a name, as they are the same thing on another layer.
LAYERS = {
    "curves": {"inference", "plots"},
    "planning": {"labeling", "inference"},
    "tables": {"datasets", "questions"},
}
LONGEST = 8  # parameters of a public method, looks of a plot apart


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
    types_alone = ("questions", "constructors")
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
        name: len({*inspect.signature(getattr(kind, name)).parameters} - {"self", *LOOKS})
        for name in dir(kind)
        if not name.startswith("_")
    }
    assert counts and {name for name in counts if counts[name] > LONGEST} == set()
