"""The worked examples of docs/contributing.md: each diff applies, and what it adds works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pu_accessor

PAGE = (Path(__file__).parents[2] / "docs" / "contributing.md").read_text(encoding="utf-8")
FILE = re.compile(r"^\+\+\+ (\S+)\n(.*?)(?=^--- |\Z)", re.DOTALL | re.MULTILINE)
EXAMPLES = dict(re.findall(r"^### (.+?)\n.*?^```diff\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
START = """
import pandas as pd, pytest
import pu_accessor
df = pu_accessor.load_example()
"""
CHECKS = {
    "A metric": """
recall, tnr, mean = df.pu.metric(["recall", "tnr", "gmean"], 0.17, at=200)["upper"]
assert abs((recall * tnr) ** 0.5 - mean) < 1e-12
assert df.pu.plot_metric("gmean", 0.17).get_ylabel() == "geometric mean"
each = df.pu.metric("gmean", 0.17, at={"rank": [*range(1, 2001)]}, band="simultaneous")
best = df.pu.metric("gmean", 0.17, at="maximum")
assert best["estimate"].item() == each["estimate"].max()
with pytest.raises(pu_accessor.PUValueError, match="not linear"):
    df.pu(by="site", average=True).metric("gmean", 0.17, at=200)
""",
    "A band": """
joint, each = (df.pu.contingency(0.17, band=band) for band in ("bonferroni", "exact"))
wider = (joint["tp"] - each["tp"]).diff("bound").sum("bound") >= 0
assert wider.all() and joint.attrs["band"] == "bonferroni"
""",
    "A source": """
import pyarrow as pa
import pu_accessor.arrow
answer = pu_accessor.arrow.pu(pa.Table.from_pandas(df))(by="site").auroc(0.17)
pd.testing.assert_frame_equal(answer, df.pu(by="site").auroc(0.17))
table = pu_accessor.arrow.pu(pa.Table.from_pandas(df))
drawn, expected = (pu.sample_to_label(9, random_state=0) for pu in (table, df.pu))
assert drawn["score"].tolist() == expected["score"].tolist()
with pytest.raises(pu_accessor.PUKeyError, match="gone"):
    table(label="gone").auroc(0.17)
""",
    "An assumption": """
pu = df.pu.assume(tail=0.1)
tables = pu.contingency(0.17)
hidden = tables["tp"].isel(rank=-1, bound=0).item() - 202
below = tables.isel(rank=tables["known_positive"].argmax("rank").item(), beta=0)
assert (below["tp"] - 202 >= hidden - hidden // 10).all()
assert tables.attrs["tail"] == 0.1 and "tail=0.1" in repr(pu)
for tail, ask in [(2, "contingency"), (0.1, "auroc")]:
    with pytest.raises(pu_accessor.PUValueError, match="tail"):
        getattr(df.pu.assume(tail=tail), ask)(0.17)
""",
}


def apply(diff: str, folder: Path) -> None:
    """Apply a diff without line numbers: the lines it replaces occur once in their file."""
    for path, text in FILE.findall(diff):
        file = folder / path
        content = file.read_text(encoding="utf-8") if file.is_file() else ""
        for hunk in re.split(r"^@@.*\n", text, flags=re.MULTILINE)[1:]:
            lines = [line or " " for line in hunk.splitlines()]
            before = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
            after = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
            assert not before or content.count(before) == 1, f"{path} has no such lines:\n{before}"
            content = content.replace(before, after) if before else after
        file.write_text(content, encoding="utf-8")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_works(name: str, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(pu_accessor.__file__).parent, tmp_path / "pu_accessor", ignore=ignored)
    apply(EXAMPLES[name], tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "MPLBACKEND": "Agg"}
    code = [sys.executable, "-W", "error", "-c", f"{START}{CHECKS[name]}"]
    subprocess.run(code, env=environment, cwd=tmp_path, check=True)
