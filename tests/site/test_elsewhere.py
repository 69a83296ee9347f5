"""Addresses in other manuals are written without a network, for names that are there."""

import runpy
import zlib
from pathlib import Path
from pkgutil import resolve_name

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "elsewhere.py"))
NAMES = [name for _, objects in TOOL["AT"].values() for name in objects]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_there(name: str) -> None:
    assert callable(resolve_name(name))


def test_inventories(tmp_path: Path) -> None:
    mapping = TOOL["write_inventories"](tmp_path / "inventories")
    assert {*mapping} == {"matplotlib", "numpy", "pandas", "seaborn", "sklearn", "xarray"}
    address, path = mapping["pandas"]
    head, _, rest = Path(path).read_bytes().partition(b"zlib.\n")
    assert address.startswith("https://") and head.startswith(b"# Sphinx inventory version 2\n")
    assert zlib.decompress(rest).decode().splitlines()[0] == (
        "pandas.DataFrame py:class 1 reference/api/pandas.DataFrame.html#$ -"
    )
    assert TOOL["SHORT"]["DataFrame"] == "pandas.DataFrame"
    assert {"Axes", "Dataset", "FacetGrid", "Generator", "Series"} <= {*TOOL["SHORT"]}
