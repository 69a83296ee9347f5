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
FILES = sorted((ROOT / "pu_accessor").rglob("*.py"))
# Modules that open what the package must not, and functions of others that do.
MODULES = {"asyncio", "ctypes", "dill", "ftplib", "http", "importlib", "joblib", "marshal", "mmap"}
MODULES |= {"multiprocessing", "pickle", "pty", "requests", "shelve", "shutil", "smtplib"}
MODULES |= {"socket", "ssl", "subprocess", "tempfile", "urllib", "webbrowser", "xmlrpc", "yaml"}
CALLS = {"eval", "exec", "compile", "__import__", "open", "input", "breakpoint"}
METHODS = {"read_pickle", "to_pickle", "query", "eval", "system", "popen", "fromfile", "tofile"}
METHODS |= {"memmap", "write_text", "write_bytes", "to_csv", "to_netcdf", "to_zarr", "savefig"}
ALLOWED = {(f"{name}.py", "importlib.metadata") for name in ("__init__", "report", "errors")}
# The example's rows, and our own modules that load when they are touched.
ALLOWED |= {("example.py", "importlib.resources"), ("__init__.py", "importlib")}
# The one file that is written, where a user says; pictures for it are drawn in memory.
WRITTEN = {("report.py", "write_text"), ("report.py", "savefig")}

ASKED = """
import numpy as np, pandas as pd, pu_accessor
rng = np.random.default_rng(0)
truth = rng.random(200) < 0.4
label = np.where(rng.random(200) < 0.4, truth, np.nan)
key = rng.choice(["a", "b"], 200)
frame = pd.DataFrame({"score": rng.normal(truth), "label": label, "key": key})
ranked = frame.pu(by="key").assume(reference="tightest")
tables = ranked.contingency(pd.Interval(0.1, 0.2))
print(tables.pu.area("auroc").values.tolist(), ranked.dominance(0.2).to_dict())
print(frame.pu.auroc(0.2).to_dict(), frame.pu(by="key").gap("auroc", 0.2).to_dict())
print(repr(frame.pu), tables["key"].values)
for ask in (lambda: frame.pu.auroc(2), lambda: frame.pu.auroc(0.2, levl=1)):
    try:
        ask()
    except pu_accessor.PUError as error:
        print(type(error).__name__, error)
"""


def imported(tree: ast.AST) -> set[str]:
    """Return the full names of all that is imported."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module))
    return names


def called(tree: ast.AST) -> tuple[set[str], set[str]]:
    """Return the names of functions and of methods that are called."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    functions = {call.id for call in calls if isinstance(call, ast.Name)}
    return functions, {call.attr for call in calls if isinstance(call, ast.Attribute)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_source_is_harmless(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {name for name in imported(tree) if name.split(".")[0] in MODULES}
    assert {name for name in names if (path.name, name) not in ALLOWED} == set()
    functions, methods = called(tree)
    assert functions & CALLS == set()
    assert {name for name in methods & METHODS if (path.name, name) not in WRITTEN} == set()
    # Left out under PYTHONOPTIMIZE, whatever they check.
    assert not any(isinstance(node, ast.Assert) for node in ast.walk(tree))


def test_the_reader_sees_what_is_there() -> None:
    tree = ast.parse("import pickle\nfrom os import path\neval('1')\nframe.query('a')\nassert 1")
    assert imported(tree) == {"pickle", "os"}
    assert called(tree) == ({"eval"}, {"query"})
    assert len(FILES) > 50


def test_the_hash_seed_does_not_matter() -> None:
    """Nor does PYTHONOPTIMIZE: see `make dist`. All packages would be compiled anew here."""
    here = StringIO()
    with redirect_stdout(here):
        exec(compile(ASKED, "asked", "exec"), {})
    other = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", ASKED],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": other},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == here.getvalue()
    assert "auroc has no argument 'levl'" in here.getvalue()


def test_the_citation_is_of_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [project["version"]]
    assert re.findall(r"^license: (.*)$", citation, re.MULTILINE) == [project["license"]]
