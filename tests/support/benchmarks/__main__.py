"""Write benchmarks.csv and the tables of docs/benchmarks.md from what ``make bench`` saved."""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from tests.support.benchmarks.bench_speed import SIZES

DOCS = Path(__file__).parents[3] / "docs"
RIVALS = ("roc_curve", "bootstrap", "roc_auc_score", "roc_auc", "a line", "import pandas, xarray")
PACKAGES = ("numpy", "pandas", "scipy", "xarray", "scikit-learn")
BEGIN, END = "<!-- begin: make bench -->", "<!-- end: make bench -->"


def table(frame: pd.DataFrame) -> str:
    """Return a table of Markdown, its first column a text."""
    lines = [[*frame.columns], ["---", *["---:"] * (frame.shape[1] - 1)]]
    lines += frame.astype(str).to_numpy().tolist()
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Read what was saved, and write both files."""
    saved = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    found = pd.DataFrame(
        [
            [one["group"], one["params"]["name"], one["stats"]["min"], one["extra_info"]["peak"]]
            for one in saved["benchmarks"]
        ],
        columns=["case", "call", "seconds", "peak_mib"],
    )
    found["peak_mib"] = (found["peak_mib"] / 2**20).round(1)
    rival = found[found["call"].isin(RIVALS)].drop_duplicates("case").set_index("case")
    found["of"] = found["case"].map(rival["call"])
    found["share"] = (found["seconds"] / found["case"].map(rival["seconds"])).round(4)
    found["seconds"] = found["seconds"].map("{:.3g}".format)
    found.to_csv(DOCS / "measured" / "benchmarks.csv", index=False)
    milliseconds = found.assign(ms=found["seconds"].astype(float).mul(1e3).map("{:.3g}".format))
    by_rows = milliseconds[milliseconds["case"].isin([f"{name} rows" for name in SIZES.values()])]
    wide = by_rows.pivot_table("ms", "case", "call", "first", sort=False).reset_index()
    rest = milliseconds.drop(by_rows.index)
    rest = rest.assign(against=rest["share"].map("{:.2f} of ".format) + rest["of"].fillna(""))
    rest["against"] = rest["against"].where(rest["of"].notna() & (rest["call"] != rest["of"]), "")
    rest = rest[["case", "call", "ms", "against", "peak_mib"]]
    rest = rest.rename(columns={"peak_mib": "peak, MiB"})
    cpu = saved["machine_info"]["cpu"]
    machine = f"{cpu.get('brand_raw', 'CPU')}, {cpu['count']} cores; Python "
    machine += f"{saved['machine_info']['python_version']}, "
    machine += ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    page = DOCS / "benchmarks.md"
    before, _, rest_of_page = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest_of_page.partition(END)[2]
    tables = f"Milliseconds:\n\n{table(wide)}\n{table(rest)}\n{machine}; {saved['datetime'][:10]}."
    page.write_text(f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
