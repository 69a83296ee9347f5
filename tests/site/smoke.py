"""The README's first lines, in an empty folder, where nothing but the package is installed.

`make dist` runs this.
"""

import importlib.metadata
import os
import re
import tempfile
from pathlib import Path

import pu_accessor

HERE = Path(__file__).parents[2]


def main() -> None:
    """Run the lines as printed."""
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^```python\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)[0]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exec(compile(lines, "README.md", "exec"), {})
        assert os.listdir() == ["roc.png"]
        os.chdir(HERE)
    installed = Path(pu_accessor.__file__)
    assert HERE / "pu_accessor" not in installed.parents, "the sources were imported"
    assert pu_accessor.__version__ == importlib.metadata.version("pu_accessor")
    for name in ("py.typed", "example.csv", "questions/report.html"):
        assert (installed.parent / name).is_file()


if __name__ == "__main__":
    main()
