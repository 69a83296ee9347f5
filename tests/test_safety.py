"""The package evaluates no text, unpickles nothing, knows no network and starts no process."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = {str(path.relative_to(ROOT)): path for path in (ROOT / "pu_accessor").rglob("*.py")}
# Modules that open what the package must not, functions, and methods of others that do.
REFUSED = {"ctypes", "http", "importlib", "marshal", "mmap", "multiprocessing", "pickle", "shutil"}
REFUSED |= {"requests", "shelve", "socket", "ssl", "subprocess", "tempfile", "urllib", "yaml"}
REFUSED |= {"eval()", "exec()", "compile()", "__import__()", "open()", "input()", "assert"}
REFUSED |= {".read_pickle", ".query", ".eval", ".system", ".popen", ".fromfile", ".tofile"}
REFUSED |= {".write_text", ".write_bytes", ".to_csv", ".to_netcdf", ".to_zarr", ".savefig"}
# Versions, the example's rows, our own modules that load when they are touched, and the one file
# that is written, where a user says; pictures for it are drawn in memory.
ALLOWED = dict.fromkeys(["__init__.py", "example.py", "errors.py"], frozenset(["importlib"]))
ALLOWED["report.py"] = frozenset(["importlib", ".write_text", ".savefig"])
ASKED = """
import pandas as pd, pu_accessor
ranked = pu_accessor.load_example().pu(by="site", score="old_score")
print(ranked.contingency(pd.Interval(0.1, 0.2)).pu.to_frame(), ranked.dominance(0.2).to_dict())
print(repr(ranked), ranked.gap("auroc", 0.2).to_dict())
try:
    ranked.auroc(0.2, levl=1)
except pu_accessor.PUError as error:
    print(type(error).__name__, error)
"""


def used(text: str) -> set[str]:
    """Return modules that are imported, and what is called; an assert is left out by an option."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module).split(".")[0]}
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "id", None)
            found |= {f"{name}()" if name else f".{getattr(node.func, 'attr', '')}"}
        elif isinstance(node, ast.Assert):
            found |= {"assert"}
    return found & REFUSED


@pytest.mark.parametrize("name", FILES)
def test_source_is_harmless(name: str) -> None:
    path = FILES[name]
    assert used(path.read_text(encoding="utf-8")) <= ALLOWED.get(path.name, frozenset())


@pytest.mark.filterwarnings("ignore::pu_accessor.PUWarning")
def test_the_hash_seed_does_not_matter() -> None:
    here = StringIO()
    with redirect_stdout(here):
        exec(compile(ASKED, "asked", "exec"), {})
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-W", "ignore", "-c", ASKED]
    assert subprocess.check_output(command, env=environment, text=True) == here.getvalue()
    assert "auroc has no argument 'levl'" in here.getvalue()


def test_the_citation_is_of_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for name in ("version", "license"):
        assert re.findall(rf"^{name}: (.*)$", citation, re.MULTILINE) == [project[name]]
