"""Addresses in other manuals are written without a network, for names that are there."""

import runpy
import zlib
from importlib import import_module
from pathlib import Path

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "elsewhere.py"))
NAMES = [name for _, objects in TOOL["AT"].values() for name in objects]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_there(name: str) -> None:
    parts = name.split(".")
    place = next(n for n in range(len(parts) - 1, 0, -1) if _imports(".".join(parts[:n])))
    found = import_module(".".join(parts[:place]))
    for part in parts[place:]:
        found = getattr(found, part)
    assert callable(found)


def _imports(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


def test_inventories(tmp_path: Path) -> None:
    mapping = TOOL["write_inventories"](tmp_path / "inventories")
    assert {*mapping} == {"matplotlib", "numpy", "pandas", "seaborn", "sklearn", "xarray"}
    address, path = mapping["pandas"]
    head, _, rest = Path(path).read_bytes().partition(b"zlib.\n")
    assert address.startswith("https://") and head.startswith(b"# Sphinx inventory version 2\n")
    assert zlib.decompress(rest).decode().splitlines()[0] == (
        "pandas.DataFrame py:class 1 reference/api/pandas.DataFrame.html#$ -"
    )


def test_shared_types_have_one_meaning() -> None:
    assert TOOL["SHORT"]["DataFrame"] == "pandas.DataFrame"
    assert {"Axes", "Dataset", "FacetGrid", "Generator", "Series"} <= {*TOOL["SHORT"]}
