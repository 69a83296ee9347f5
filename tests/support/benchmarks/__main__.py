"""Compare times with docs/measured/benchmarks.csv; with ``--publish`` replace it and the table.

Sorting, for one, is far slower where NumPy has no code for the processor: all is measured both as
NumPy comes, and without the code that it chooses by the processor.
"""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

DOCS = Path(__file__).parents[3] / "docs"
MEASURED = DOCS / "measured" / "benchmarks.csv"
RIVALS = ["roc_curve", "bootstrap", "roc_auc_score", "roc_auc", "a line", "import pandas, xarray"]
RIVALS += ["auroc, plain", "a tenth"]
PACKAGES = ("numpy", "pandas", "scipy", "xarray", "scikit-learn")
BEGIN, END = "<!-- begin: make bench -->", "<!-- end: make bench -->"
MOST = 1.1  # times the published share of a rival's time
KEYS = ["numpy", "case", "call"]


def chosen_by_processor() -> str:
    """Return the sets of instructions for which this NumPy has code of its own."""
    config: Any = np.show_config(mode="dicts")
    return " ".join(config["SIMD Extensions"].get("found", []))


def measure(numpy: str, without: str) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Run all cases without some sets of instructions; return times, and what was saved."""
    path = DOCS.parent / "build" / "bench.json"
    path.parent.mkdir(exist_ok=True)
    command = ["-m", "pytest", str(Path(__file__).with_name("bench_speed.py"))]
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": without}
    saving = f"--benchmark-json={path}"
    subprocess.run([sys.executable, *command, saving], env=environment, check=True)
    saved = json.loads(path.read_text(encoding="utf-8"))
    found = pd.DataFrame(
        {
            "numpy": numpy,
            "case": one["group"],
            "call": one["params"]["name"],
            "seconds": one["stats"]["min"],
            "peak_mib": round(one["extra_info"]["peak"] / 2**20, 1),
        }
        for one in saved["benchmarks"]
    )
    rival = found[found["call"].isin(RIVALS)].drop_duplicates("case").set_index("case")
    found["of"] = found["case"].map(rival["call"])
    found["share"] = (found["seconds"] / found["case"].map(rival["seconds"])).round(4)
    return found, saved


def slower(found: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Return the races that take a larger share of the rival's time than was published."""
    own = found[~found["call"].isin(RIVALS)]
    both = own.merge(published[[*KEYS, "share"]], on=KEYS, suffixes=("", "_published"))
    return both[both["share"] > MOST * both["share_published"]]


def table(frame: pd.DataFrame) -> str:
    """Return a table of Markdown, its first two columns texts."""
    lines = [[*frame.columns], ["---", "---", *["---:"] * (frame.shape[1] - 2)]]
    lines += frame.astype(str).to_numpy().tolist()
    return "".join(f"|{'|'.join(line)}|\n" for line in lines)


def times(found: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each of our calls: milliseconds both ways, share of the rival's, memory."""
    found = found.assign(ms=(found["seconds"] * 1e3).map(lambda ms: f"{float(f'{ms:.3g}'):g}"))
    first, plain = (found[found["numpy"].eq(way)] for way in found["numpy"].unique())
    both = first.merge(plain[[*KEYS[1:], "ms"]], on=KEYS[1:], suffixes=("", ", plain"))
    share = both["share"].map("{:.2f} of ".format) + both["of"].fillna("")
    both["against"] = share.where(both["of"].notna(), "")
    shown = ["case", "call", "ms", "ms, plain", "against", "peak_mib"]
    return both.loc[~both["call"].isin(RIVALS), shown].rename(columns={"peak_mib": "MiB"})


def publish(found: pd.DataFrame, saved: dict[str, Any]) -> None:
    """Write both files."""
    found.assign(seconds=found["seconds"].map("{:.3g}".format)).to_csv(MEASURED, index=False)
    cpu = saved["machine_info"]["cpu"]
    machine = f"{cpu.get('brand_raw', 'CPU')}, {cpu['count']} cores; Python "
    machine += f"{saved['machine_info']['python_version']}, "
    machine += ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    page = DOCS / "large_data.md"
    before, _, rest_of_page = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest_of_page.partition(END)[2]
    text = f"{table(times(found))}\n{machine}; {saved['datetime'][:10]}."
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Measure both ways; stop if a race is slower than what was published."""
    ways = {"as it comes": "", "without code for the processor": chosen_by_processor()}
    measured = [measure(*way) for way in ways.items()]
    found, saved = pd.concat([one for one, _ in measured], ignore_index=True), measured[0][1]
    print(saved["machine_info"]["cpu"].get("brand_raw", "CPU"), "without:", *ways.values())
    if "--publish" in sys.argv:
        publish(found, saved)
    elif len(late := slower(found, pd.read_csv(MEASURED))):
        sys.exit(f"Slower than published by more than a tenth:\n{late.to_string(index=False)}")


if __name__ == "__main__":
    main()
