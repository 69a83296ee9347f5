"""Import is light; what other frames need is imported when asked for, or missed by name."""

import subprocess
import sys

import pytest

SCRIPT = """
import importlib, sys
KIND, MODULE = sys.argv[1:]
import pu_accessor
assert not {KIND, "matplotlib", "seaborn", "sklearn"} & {*sys.modules}
importlib.reload(sys.modules["pu_accessor"]).sklearn.scorer("auroc", unlabeled=0)
sys.modules[KIND] = None
try:
    importlib.import_module("pu_accessor." + KIND)
except ImportError as error:
    print(type(error).__name__, error)
del sys.modules[KIND]
frames = importlib.import_module(MODULE)
import pandas as pd
df = pd.DataFrame({"score": [9.0, 8, 7, 6, 5], "label": [None, 1, 1, None, None]})
frame = frames.DataFrame(df) if KIND == "polars" else frames.from_pandas(df, npartitions=2)
try:
    pu_accessor.pu(frame)
except pu_accessor.PUTypeError as error:
    print(error)
for _ in range(2):
    importlib.reload(importlib.import_module("pu_accessor." + KIND))
print(frame.pu.roc_bounds(0.5).identical(df.pu.roc_bounds(0.5)))
"""


@pytest.mark.parametrize(("kind", "module"), [("dask", "dask.dataframe"), ("polars", "polars")])
def test_imports_without_a_package_and_twice(kind: str, module: str) -> None:
    pytest.importorskip(kind)
    call = [sys.executable, "-W", "error", "-c", SCRIPT, kind, module]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    refused, advised, same = run.stdout.splitlines()
    assert not run.stderr and same == "True"
    assert refused.startswith(f"PUImportError pu_accessor.{kind} needs {kind}")
    assert f"pip install 'pu_accessor[{kind}]'" in refused
    assert f"Import pu_accessor.{kind} first" in advised
