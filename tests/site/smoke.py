"""The README's first lines where nothing but the package is installed: `make dist` runs them."""

import importlib.metadata
import os
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import pu_accessor

HERE = Path(__file__).parents[2]


def main() -> None:
    """Run the lines on scores that are drawn."""
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^```python\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)[0]
    rng = np.random.default_rng(0)
    truth = rng.random(600) < 0.4
    label = np.where(truth & (rng.random(600) < 0.3), 1, np.nan)
    names: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pd.DataFrame({"score": rng.normal(truth), "label": label}).to_csv("scores.csv")
        exec(compile(lines, "README.md", "exec"), names)
        os.chdir(HERE)
    installed = Path(pu_accessor.__file__)
    assert HERE / "pu_accessor" not in installed.parents, "the sources were imported"
    assert pu_accessor.__version__ == importlib.metadata.version("pu_accessor")
    assert (installed.parent / "py.typed").is_file()
    assert names["bounds"].sizes["bound"] == 3  # type: ignore[attr-defined]
    print(names["bounds"].to_dict())  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
