"""What other frames need is imported when it is asked for, twice if need be, or missed by name."""

import subprocess
import sys

import pytest

SCRIPT = """
import importlib, sys
KIND, MODULE = sys.argv[1:]
import pu_accessor
print(KIND in sys.modules)
sys.modules[KIND] = None
try:
    importlib.import_module("pu_accessor." + KIND)
except pu_accessor.PUImportError as error:
    print(isinstance(error, ImportError), error)
del sys.modules[KIND]
frames = importlib.import_module(MODULE)
print(hasattr(frames.DataFrame, "pu"))
import pandas as pd
label = pd.array([None, True, True, None, None, True, *[None] * 3], "boolean")
df = pd.DataFrame({"score": range(9, 0, -1), "label": label, "key": ["a", "b"] * 4 + [None]})
if KIND == "polars":
    same = frames.DataFrame(df.astype(object).where(df.notna(), None).to_dict("list"))
    try:
        pu_accessor.pu(same)
    except pu_accessor.PUTypeError as error:
        print(error)
else:
    same = frames.from_pandas(df, npartitions=2)
importlib.reload(importlib.import_module("pu_accessor." + KIND))
found = same.pu(by="key").roc_bounds(0.5)
print(frames.__name__, found.identical(df.pu(by="key").roc_bounds(0.5)))
if KIND == "polars":
    kinds = same.with_columns(kind=frames.col("key").cast(frames.Enum(["b", "a"])))
    print(kinds.pu(by="kind").roc_bounds(0.5)["kind"].values.tolist())
    print(same.pu.sample_to_label(1, random_state=0).shape)
"""


@pytest.mark.parametrize(("kind", "module"), [("dask", "dask.dataframe"), ("polars", "polars")])
def test_imports_without_a_package_and_twice(kind: str, module: str) -> None:
    pytest.importorskip(module)
    call = [sys.executable, "-W", "error", "-c", SCRIPT, kind, module]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    assert not run.stderr
    loaded, refused, registered, *more = run.stdout.splitlines()
    assert (loaded, registered) == ("False", "False")
    assert refused.startswith(f"True pu_accessor.{kind} needs {kind}")
    assert f"pip install 'pu_accessor[{kind}]'" in refused
    if kind == "polars":
        assert "Import pu_accessor.polars first" in more.pop(0)
        assert more[1:] == ["['b', 'a']", "(1, 3)"]
    assert more[0] == f"{module} True"
