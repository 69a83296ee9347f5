"""The rooms of the house and who may import whom: data walks one way."""

import ast
from pathlib import Path

import pytest

import pu_accessor

ROOT = Path(pu_accessor.__file__).parent
MODULES = sorted(path.relative_to(ROOT).with_suffix("").parts for path in ROOT.rglob("*.py"))
ALLOWED = {
    "errors": set(),
    "ranking": {"errors"},
    "counting": {"errors", "ranking"},
    "sources": {"errors", "ranking", "counting"},
    "inference": {"errors", "ranking"},
    "plots": {"errors", "ranking", "inference"},
    "functions": {"errors", "ranking", "sources", "inference"},
    "accessors": {"errors", "ranking", "sources", "inference", "plots"},
    "__init__": {"errors", "accessors", "functions"},
    "dask": {"errors", "sources", "accessors"},
}
OUTSIDE = {
    "errors": set(),
    "ranking": {"numpy"},
    "counting": {"numpy"},
    "sources": {"numpy", "pandas", "xarray"},
    "inference": {"numpy", "scipy", "pandas", "xarray", "tqdm"},  # tqdm where a bar is shown
    "plots": {"numpy", "pandas", "xarray", "seaborn", "matplotlib"},
    "functions": {"numpy", "xarray"},
    # matplotlib and seaborn for types alone
    "accessors": {"numpy", "pandas", "xarray", "matplotlib", "seaborn"},
    "__init__": set(),
    "dask": {"pandas", "dask"},
}
STANDARD = {
    "collections", "dataclasses", "difflib", "fractions", "functools", "html", "importlib",
    "itertools", "math", "numbers", "reprlib", "sys", "types", "typing", "warnings", "__future__",
}  # fmt: skip


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
    outside = {name[0] for name in names} - {"pu_accessor"} - STANDARD
    assert inside <= ALLOWED[room]
    assert outside <= OUTSIDE[room]
