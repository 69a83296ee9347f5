"""Benchmarks -> ``docs/benchmarks.md`` and ``docs/measured/benchmarks.csv``.

Run ``python -m tests.support.benchmarks.report build/bench.json``.

Run from the root of the project, by ``make bench``. The tables between the marker lines, the file
of all numbers and the picture are written anew from what pytest-benchmark saved; the prose around
them stays.
"""

import argparse
import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tests.support.studies.tables import write_table

Table: TypeAlias = tuple[list[str], list[list[object]]]
Benchmarked: TypeAlias = Mapping[str, Any]  # what one race, or measurement, left
PACKAGES = ("numpy", "pandas", "scipy", "xarray", "scikit-learn")
OURS = ("roc_bounds", "auroc", "all cutoffs")
RIVALS = ("roc_curve", "roc_auc_score", "one pass")
MIB = 1 << 20


class Saved(NamedTuple):
    """What a run of pytest-benchmark left."""

    machine: Mapping[str, Any]
    date: str
    benchmarks: Sequence[Benchmarked]

    @classmethod
    def read(cls, path: Path) -> "Saved":
        """Read the JSON file."""
        saved = json.loads(path.read_text())
        found = [benchmark["extra_info"] for benchmark in saved["benchmarks"]]
        return cls(saved["machine_info"], saved["datetime"][:10], found)

    def of(self, kind: str) -> list[Benchmarked]:
        """Return the benchmarks of a kind, in the order in which they ran."""
        return [benchmark for benchmark in self.benchmarks if benchmark["kind"] == kind]


class Goal(NamedTuple):
    """A goal, the measured number, and whether the goal is met."""

    text: str
    measured: str
    met: bool
    passes: str = ""  # the time in passes over the scores: no answer can take less than one
    where: str = ""  # the time goes, with one thread


# ---------------------------------------------------------------------------------------------
# Goals


def goals(saved: Saved) -> Iterator[Goal]:
    """Compare each measured number with its goal."""
    rows = {benchmark["about"]["rows"]: benchmark for benchmark in saved.of("rows")}
    known = {benchmark["about"]["known"]: benchmark for benchmark in saved.of("known")}
    for benchmark, what, method, rival, most in (
        (rows[10**6], "10⁶ rows", "roc_bounds", "roc_curve", 0.05),
        (rows[10**7], "10⁷ rows", "roc_bounds", "roc_curve", 0.025),
        (rows[10**7], "10⁷ rows", "auroc", "roc_auc_score", 0.012),
        (known[50_000], "10⁶ rows, n = 50,000", "roc_bounds", "roc_curve", 0.15),
        (rows[10**6], "10⁶ rows", "all cutoffs", "roc_curve", 0.5),
    ):
        text = f"{_name(method)}, {what}: ≤ {most} of `{rival}`"
        yield _compared(benchmark, text, method, rival, most)
    for benchmark in saved.of("memory"):
        if benchmark["about"]["method"] == "all cutoffs":
            ratio = benchmark["peak"] / benchmark["result"]
            text = f"{_name('all cutoffs')}, 10⁶ rows: peak memory at most 1.3x of the result"
            yield Goal(text, f"{ratio:.2f}x", ratio <= 1.3)
    yield from _goals_of_many(saved)
    for benchmark in saved.of("bootstrap"):
        seconds = benchmark["seconds"]
        ratio = seconds["bootstrap"] / seconds["roc_bounds"]
        text = f"{_name('roc_bounds')}, 40,000 rows: at least 300x faster than the bootstrap"
        where = benchmark["profiles"]["roc_bounds"]
        yield Goal(text, f"{ratio:.0f}x", ratio >= 300, where=where)
        taken = seconds["roc_bounds"]
        text = f"{_name('roc_bounds')}, 40,000 rows: under 2 ms"
        yield Goal(text, f"{_ms(taken)} ms", taken < 0.002, where=where)
    for benchmark in saved.of("doubling"):
        method, seconds = benchmark["about"]["method"], benchmark["seconds"]
        sizes = sorted(map(int, seconds))
        growth = np.log(seconds[str(sizes[-1])] / seconds[str(sizes[0])])
        slope = growth / np.log(sizes[-1] / sizes[0])
        text = f"{_name(method)}, 10⁵ to 10⁸ rows: slope of logarithms at most 1.05"
        yield Goal(text, f"{slope:.2f}", slope <= 1.05)
    yield from _goals_of_start(saved)


def _compared(benchmark: Benchmarked, text: str, method: str, rival: str, most: float) -> Goal:
    """Compare the time of a method with a share of the time of a rival."""
    seconds = benchmark["seconds"]
    ratio = seconds[method] / seconds[rival]
    passes = _passes(seconds, method) if "one pass" in seconds else ""
    measured = f"{ratio:.3f}" if ratio < 0.5 else f"{ratio:.2f}"
    return Goal(text, measured, ratio <= most, passes, benchmark["profiles"][method])


def _goals_of_start(saved: Saved) -> Iterator[Goal]:
    """Compare questions with plain ones, the scorer with another, and the import."""
    for benchmark in saved.of("questions"):
        for method, plain, most in (
            ("roc_bounds, monotone", "roc_bounds", 3),
            ("roc_bounds, new examples", "roc_bounds", 3),
            ("auroc, clusters", "auroc", 3),
            ("auroc, weights", "auroc", 3),
            ("auroc, these examples", "auroc", 3),
            ("average_precision", "auroc", 3),
            ("compare", "auroc", 3),
            ("cutoff", "auroc", 3),
            ("estimate_beta", "auroc", 3),
        ):
            text = f"{_name(method)}, 10⁶ rows: ≤ {most}x of `{plain}`"
            yield _compared(benchmark, text, method, plain, most)
    for benchmark in saved.of("scorer"):
        for method, what in (
            ("cross_val_score", "`cross_val_score`"),
            ("1,000 calls", "1,000 calls on 200 rows"),
        ):
            text = f"`scorer`, {what}: ≤ 1x of `roc_auc`"
            yield _compared(benchmark, text, method, f"{method}, roc_auc", 1)
    for benchmark in saved.of("start"):
        seconds = benchmark["seconds"]
        more = seconds["import pu_accessor"] - seconds["import pandas, xarray"]
        text = "`import pu_accessor`: ≤ .2 s more than pandas and xarray"
        yield Goal(text, f"{more:.2f} s", more <= 0.2)
        each = seconds["1,000 times df.pu"] * 1e3
        yield Goal("`df.pu`: under 5 µs", f"{each:.1f} µs", each < 5)


def _goals_of_many(saved: Saved) -> Iterator[Goal]:
    """Compare many betas, models and groups, envelopes and pictures with their goals."""
    for benchmark in saved.of("betas"):
        text = f"`{benchmark['about']['method']}`, 10⁶ rows: 50 betas at most 2x of one"
        yield _compared(benchmark, text, "50", "1", 2)
    for benchmark in saved.of("envelopes"):
        for method in ("roc_bounds", "auroc"):
            text = f"`{method}`, 10⁶ rows: with an envelope at most 3x"
            yield _compared(benchmark, text, f"{method}, envelope", method, 3)
    for benchmark in saved.of("models"):
        if benchmark["about"]["models"] == 50:
            text = "`roc_bounds`, 50 models of 100,000 rows: ≤ .18 of `roc_curve` in a loop"
            yield _compared(benchmark, text, "roc_bounds", "roc_curve", 0.18)
    for benchmark in saved.of("groups"):
        if benchmark["about"]["groups"] == 200:
            text = "`roc_bounds`, 200 groups of 20,000 rows: ≤ .51 of `roc_curve` in a loop"
            yield _compared(benchmark, text, "roc_bounds", "roc_curve", 0.51)
    for benchmark in saved.of("many groups"):
        about, seconds = benchmark["about"], benchmark["seconds"]
        loop = seconds["roc_auc_score"] * about["groups"] / about["timed"]
        text = "`auroc`, 100,000 groups of 100 rows: ≤ 1/10 of a loop of `roc_auc_score`"
        met, passes = seconds["auroc"] <= loop / 10, _passes(seconds, "auroc")
        yield Goal(text, _ratio(seconds["auroc"] / loop), met, passes)
        text = "`auroc`, 100,000 groups of 100 rows: under 5 s"
        yield Goal(text, f"{seconds['auroc']:.1f} s", seconds["auroc"] < 5)
    for benchmark in saved.of("plots"):
        method = benchmark["about"]["method"]
        text = f"`{method}`, 10⁶ rows: ≤ 4x of matplotlib's line of 1,000 points"
        yield _compared(benchmark, text, method, "a line", 4)


def dask_goals(saved: Saved) -> Iterator[Goal]:
    """Compare the peak of each worker with 400 MiB, and the time with that of reading."""
    for benchmark in saved.of("dask"):
        about = benchmark["about"]
        text = f"{_name(about['method'])}, {_rows(about['rows'])} rows in {about['files']} files: "
        measured = f"{benchmark['peak'] / MIB:.0f} MiB"
        yield Goal(f"{text}each worker under 400 MiB", measured, benchmark["peak"] < 400 * MIB)
        ratio = benchmark["seconds"] / benchmark["reading"]
        yield Goal(f"{text}at most 4x of reading them", _ratio(ratio), ratio <= 4)


def _doublings(benchmark: Benchmarked) -> list[tuple[float, int]]:
    """Return by how much time grew when the rows doubled, and to how many."""
    seconds = benchmark["seconds"]
    sizes = sorted(map(int, seconds))
    return [(seconds[str(2 * n)] / seconds[str(n)], 2 * n) for n in sizes[:-1]]


def _goal_table(found: Sequence[Goal]) -> str:
    """Return a count of the goals that are met, and a table of the others."""
    missed = [goal for goal in found if not goal.met]
    count = f"{len(found) - len(missed)} of {len(found)} goals are met"
    if not missed:
        return f"{count}.\n"
    lines = [["goal that is missed", "measured"], ["---", "---:"]]
    lines += [[goal.text, goal.measured] for goal in missed]
    return f"{count}. The others:\n\n{_markdown(lines)}"


def _time_table(saved: Saved) -> str:
    """Return milliseconds by number of rows, ours before those of scikit-learn."""
    names = ("roc_bounds", "auroc", "roc_curve", "roc_auc_score")
    lines = [["rows", *(f"`{name}`" for name in names)], ["---:"] * 5]
    for benchmark in saved.of("rows"):
        times = (_ms(benchmark["seconds"][name]) for name in names)
        lines.append([_rows(benchmark["about"]["rows"]), *times])
    return f"Milliseconds:\n\n{_markdown(lines)}"


def _markdown(lines: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


# ---------------------------------------------------------------------------------------------
# Tables


def report(saved: Saved) -> str:
    """Return times and goals, but those of dask."""
    found = _goal_table([*goals(saved)])
    return f"{_time_table(saved)}\n{found}\n{_machine(saved, PACKAGES)}"


def dask_report(saved: Saved) -> str:
    """Return the goals of dask."""
    lines = [["goal", "measured"], ["---", "---:"]]
    lines += [[goal.text, goal.measured] for goal in dask_goals(saved)]
    return f"{_markdown(lines)}\n{_machine(saved, ('dask', 'distributed'))}"


def write_numbers(saved: Saved, folder: Path) -> None:
    """Write one table of all numbers; those of tables that this run lacks are kept."""
    path, written = folder / "benchmarks.csv", []
    found = [line for name in _TABLES for line in _long(name, saved)]
    new = {line[0] for line in found}
    if path.is_file():
        written = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))[1:]
    kept = [line for line in written if line[0] not in new]
    write_table("benchmarks", ["table", "case", "what", "value"], [*kept, *found], folder)


def _long(name: str, saved: Saved) -> Iterator[list[str]]:
    """Yield a line for each number of a table: the first columns make its case."""
    table, keys = _TABLES[name]
    head, body = table(saved)
    for line in body:
        case = ", ".join(f"{what} {cell}" for what, cell in zip(head, line[:keys], strict=False))
        for what, cell in zip(head[keys:], line[keys:], strict=True):
            if cell != "":
                yield [name, case, what, str(cell)]


def _machine(saved: Saved, packages: Sequence[str]) -> str:
    """Name the machine, and the packages that ran on it."""
    cpu = saved.machine["cpu"]
    brand = cpu.get("brand_raw", saved.machine["machine"])
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return (
        f"{brand}, {cpu['count']} cores, {saved.machine['system']}; "
        f"Python {saved.machine['python_version']}, {versions}; {saved.date}.\n"
    )


def _goals_table(saved: Saved) -> Table:
    found = [] if saved.of("dask") else [*goals(saved)]
    body: list[list[object]] = [
        [goal.text.replace("`", ""), goal.measured, goal.met, goal.passes, goal.where]
        for goal in found
    ]
    return ["goal", "measured", "met", "passes", "where the time goes"], body


def _dask_table(saved: Saved) -> Table:
    head = ["method", "rows", "files", "on disk, MiB", "s", "rows a second"]
    head += ["reading alone, s", "time / reading", "peak, MiB", "before, MiB"]
    body = []
    for benchmark in saved.of("dask"):
        about, taken = benchmark["about"], benchmark["seconds"]
        cells = [about["method"], about["rows"], about["files"], round(benchmark["disk"] / MIB)]
        cells += [f"{taken:.1f}", round(about["rows"] / taken), f"{benchmark['reading']:.1f}"]
        cells += [f"{taken / benchmark['reading']:.2f}"]
        body.append([*cells, *(round(benchmark[what] / MIB) for what in ("peak", "idle"))])
    return head, body


def _rows_table(saved: Saved) -> Table:
    body = []
    for benchmark in saved.of("rows"):
        seconds, about = benchmark["seconds"], benchmark["about"]
        cells: list[object] = [about["rows"], about["known"]]
        for name in (*OURS, *RIVALS[:-1]):
            there = name in seconds
            cells += [_ms(seconds[name]), _passes(seconds, name)] if there else ["", ""]
        body.append([*cells, _ms(seconds["one pass"])])
    names = [_plain(name) for name in (*OURS, *RIVALS[:-1])]
    each = [f"{name}, {what}" for name in names for what in ("ms", "passes")]
    return ["rows", "n", *each, "one pass, ms"], body


def _known_table(saved: Saved) -> Table:
    names, body = ("roc_bounds", "auroc", "roc_curve"), []
    for benchmark in saved.of("known"):
        seconds = benchmark["seconds"]
        share = f"{seconds['roc_bounds'] / seconds['roc_curve']:.3g}"
        body.append([benchmark["about"]["known"], *(_ms(seconds[name]) for name in names), share])
    return ["n", *(f"{name}, ms" for name in names), "roc_bounds / roc_curve"], body


def _betas_table(saved: Saved) -> Table:
    body = [
        [benchmark["about"]["method"], count, _ms(taken), f"{taken / seconds['1']:.1f}"]
        for benchmark in saved.of("betas")
        for seconds in [benchmark["seconds"]]
        for count, taken in seconds.items()
    ]
    return ["method", "betas", "ms", "of one beta"], body


def _many_table(saved: Saved) -> Table:
    body = []
    for kind in ("models", "groups"):
        for benchmark in saved.of(kind):
            seconds, about = benchmark["seconds"], benchmark["about"]
            times = [_ms(seconds[name]) for name in ("roc_bounds", "auroc", "roc_curve")]
            share = f"{seconds['roc_bounds'] / seconds['roc_curve']:.3g}"
            each = _ms(seconds["roc_bounds"] / about[kind])
            body.append([kind, about[kind], about["rows"], about["known"], *times, share, each])
    head = ["kind", "number", "rows of each", "n of each", "roc_bounds, ms", "auroc, ms"]
    head += ["roc_curve in a loop, ms", "roc_bounds / roc_curve", "roc_bounds for each, ms"]
    return head, body


def _questions_table(saved: Saved) -> Table:
    kinds = ("questions", "scorer", "start", "plots", "envelopes")
    body: list[list[object]] = [
        [benchmark["about"].get("method", kind), _plain(name), _ms(taken)]
        for kind in kinds
        for benchmark in saved.of(kind)
        for name, taken in benchmark["seconds"].items()
    ]
    return ["kind", "what", "ms"], body


def _bootstrap_table(saved: Saved) -> Table:
    body: list[list[object]] = [
        [_BOOTSTRAPS[name], _ms(taken), f"{taken / benchmark['seconds']['roc_bounds']:.1f}"]
        for benchmark in saved.of("bootstrap")
        for name, taken in benchmark["seconds"].items()
    ]
    return ["what", "ms", "of roc_bounds"], body


def _doubling_table(saved: Saved) -> Table:
    found, head = saved.of("doubling"), ["rows"]
    if not found:
        return head, []
    for benchmark in found:
        method = benchmark["about"]["method"]
        head += [f"{method}, ms", f"{method}, of half the rows"]
    lines: dict[int, list[object]] = {int(size): [] for size in found[0]["seconds"]}
    for benchmark in found:
        growth = {size: f"{ratio:.2f}" for ratio, size in _doublings(benchmark)}
        for size, cells in lines.items():
            cells += [_ms(benchmark["seconds"][str(size)]), growth.get(size, "")]
    return head, [[size, *cells] for size, cells in lines.items()]


def _memory_table(saved: Saved) -> Table:
    body = [
        [
            _plain(benchmark["about"]["method"]),
            benchmark["about"]["rows"],
            *(_mib(benchmark[what]) for what in ("columns", "result", "peak")),
            f"{benchmark['peak'] / benchmark['columns']:.2f}",
        ]
        for benchmark in saved.of("memory")
    ]
    head = ["method", "rows", "two columns, MiB", "result, MiB", "peak, MiB", "peak / columns"]
    return head, body


_TABLES: Mapping[str, tuple[Callable[[Saved], Table], int]] = {  # and how many columns name a case
    "goals": (_goals_table, 1),
    "rows": (_rows_table, 2),
    "known": (_known_table, 1),
    "betas": (_betas_table, 2),
    "many": (_many_table, 4),
    "questions": (_questions_table, 2),
    "bootstrap": (_bootstrap_table, 1),
    "doubling": (_doubling_table, 1),
    "memory": (_memory_table, 2),
    "dask": (_dask_table, 3),
}


def _passes(seconds: Mapping[str, float], method: str) -> str:
    return f"{seconds[method] / seconds['one pass']:.0f}"


def _ratio(ratio: float) -> str:
    return f"1/{1 / ratio:.1f}" if ratio < 1 else f"{ratio:.2f}x"


def _ms(seconds: float) -> str:
    taken = 1000 * seconds
    return f"{taken:.2g}" if taken < 10 else f"{taken:.0f}"


def _mib(count: int) -> str:
    return f"{count / MIB:.2g}" if count < 10 * MIB else f"{count / MIB:.0f}"


def _plain(contestant: str) -> str:
    return _NAMES.get(contestant, contestant)


def _name(contestant: str) -> str:
    return f"`{_plain(contestant)}`"


def _rows(size: int) -> str:
    powers = {10**6: "10⁶", 10**7: "10⁷", 10**8: "10⁸"}
    return powers.get(size, f"{size:,}")


_NAMES = {
    "all cutoffs": 'contingency(ranks="all")',
    "roc_bounds, new examples": "roc_bounds, future data",
    "auroc, these examples": "auroc, this sample",
}
_BOOTSTRAPS = {
    "roc_bounds": "roc_bounds",
    "roc_bounds, bootstrap": 'roc_bounds(band="bootstrap")',
    "all cutoffs": 'contingency(ranks="all")',
    "bootstrap": "2,000 resamples, at each cutoff",
    "bootstrap at known positives": "2,000 resamples, only at known positives",
}


# ---------------------------------------------------------------------------------------------
# The picture


def draw(saved: Saved, path: Path) -> None:
    """Draw time against rows: what is ours in full lines, rivals dashed, the limit dotted."""
    import matplotlib.pyplot as plt
    import seaborn as sns

    hues = sns.color_palette("colorblind")
    styles = {
        "roc_bounds": (hues[0], "-"),
        "auroc": (hues[2], "-"),
        "all cutoffs": (hues[4], "-"),
        "roc_curve": (hues[1], "--"),
        "roc_auc_score": (hues[3], "--"),
        "one pass": ("0.4", ":"),
    }
    names = {**{name: name for name in styles}, "all cutoffs": 'contingency(ranks="all")'}
    lines: dict[str, list[tuple[int, float]]] = {name: [] for name in styles}
    for benchmark in saved.of("rows"):
        for name, taken in benchmark["seconds"].items():
            lines[name].append((benchmark["about"]["rows"], taken))
    with sns.axes_style("ticks"):
        figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    for name, points in lines.items():
        color, dashes = styles[name]
        ax.plot(*zip(*points, strict=True), dashes, color=color, marker="o", markersize=4)
    farthest = max(lines["one pass"])[0]
    ends = {name: points[-1][1] for name, points in lines.items() if points[-1][0] == farthest}
    for name, height in _apart(ends).items():
        ax.text(1.15 * farthest, height, names[name], color=styles[name][0], va="center")
    for name in lines.keys() - ends.keys():  # ends earlier, where others go on
        rows, taken = lines[name][len(lines[name]) // 2]
        ax.text(0.85 * rows, 1.2 * taken, names[name], color=styles[name][0], ha="right")
    ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds", xlim=(7e3, 5e7))
    ax.set_xticks([10**power for power in range(4, 8)])
    sns.despine(ax=ax)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _apart(ends: Mapping[str, float], least: float = 1.9) -> dict[str, float]:
    """Return where to write the labels of the ends of lines: above each other, none on another."""
    heights: dict[str, float] = {}
    for name in sorted(ends, key=lambda name: ends[name]):
        heights[name] = max([ends[name], *(least * height for height in heights.values())])
    return heights


# ---------------------------------------------------------------------------------------------
# The command


def insert(text: str, target: str, generated: str) -> str:
    """Replace what stands between the marker lines of a target of make."""
    begin, end = f"<!-- begin: make {target} -->", f"<!-- end: make {target} -->"
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n\n{generated}\n{end}{after}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("saved", type=Path, help="what pytest-benchmark saved")
    parser.add_argument("--page", type=Path, default=Path("docs/benchmarks.md"))
    asked = parser.parse_args(arguments)
    saved = Saved.read(asked.saved)
    dask = bool(saved.of("dask"))
    generated = dask_report(saved) if dask else report(saved)
    write_numbers(saved, asked.page.parent / "measured")
    page = insert(asked.page.read_text(), "bench-dask" if dask else "bench", generated)
    if not dask:
        draw(saved, asked.page.parent / "images" / "benchmarks.png")
    asked.page.write_text(page)
    print(generated)


if __name__ == "__main__":
    main()
