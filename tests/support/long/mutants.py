"""A pytest plugin that tries a random sample of mutants: ``make mutants``.

mutmut writes the mutants, each a function with one change, and notes which tests reach which
function. Its own runner collects tests anew for each mutant. Here they are collected once; each
mutant gets a fork, in which the tests that reach it run, the quickest first, until one fails.

It is drawn from all mutants in the order of their files, at equal steps from a random start, so
that each file has its share. A mutant that nobody could notice is listed in `equivalent.toml` with
the reason, and leaves the sample.
"""

import doctest
import fnmatch
import json
import os
import re
import resource
import signal
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import import_module
from inspect import getsource
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from tests.support.long.beside_trampolines import NOTED

ROOT = Path(__file__).parents[3]  # of the copy that mutmut made
EQUIVALENT = ROOT.parent / "tests" / "support" / "long" / "equivalent.toml"
PATIENCE = 300  # seconds for one mutant, by the clock
SENTENCE = re.compile(r"(\w+,? ){3}")
WORDS = re.compile(r"""[A-Za-z_]\w*|\d[\w.]*|"[^"]*"|'[^']*'|[<>=!+\-*/&|^%~]+|\S""")
# The check of a zip, with what stands before it, and the type of a cast.
UNSEEN = re.compile(r""",?\s*(strict=\w+)?\s*(?=\))|(?<=cast\()("[^"]*"|None|[\w.]+)(?=, )""")
# What runs as modules are imported, before a mutant comes to be.
IMPORTED = re.compile(
    r"\.x_(explain_call_errors|_checked_method|_of_tables|_by_target|describe_metrics|_?register)__"
)
# Threads of polars do not survive a fork; a copy of an example for each mutant says nothing more.
LEFT_OUT = re.compile(r"polars|\bpl\.|__mutmut_\d")
MEMORY = 12 << 30  # bytes; a mutant that asks for more is noticed


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mutants")
    group.addoption("--sample", type=int, default=1500, help="mutants to try, at most")
    group.addoption("--seed", type=int, default=0, help="of the sample")
    group.addoption("--seconds", type=float, default=60, help="of tests for each mutant")
    group.addoption("--only", default="*", help="mutants to draw from, by a pattern of names")


def pytest_runtestloop(session: pytest.Session) -> bool:
    if session.testsfailed:
        raise session.Interrupted("tests could not be collected")
    option, tell = session.config.option, session.config.get_terminal_writer().line
    failing = {*NOTED.read_text().splitlines()} if NOTED.exists() else {*()}
    session.items = [
        item
        for item in session.items
        if item.nodeid not in failing and not LEFT_OUT.search(f"{item.nodeid}\n{_source_of(item)}")
    ]
    reached, seconds = _read_tests(session.items)
    everything = _read_names(option.only)
    names = draw(everything, option.sample, option.seed)
    verdicts: dict[str, str] = {}
    if attempt(f"{names[0]}_none", session.items[::25], seconds, 10) != "alive":
        raise session.Interrupted("tests fail without a mutant")
    with (ROOT / "tried.jsonl").open("w") as file:
        for name in names:
            tests = reached.get(name.partition("__mutmut_")[0], [])
            verdicts[name] = attempt(name, tests, seconds, option.seconds)
            line = {"name": name, "verdict": verdicts[name]}
            if verdicts[name] in ("alive", "unreached"):
                line |= _explain(name)
                verdicts[name] = "equivalent" if "reason" in line else verdicts[name]
            print(json.dumps(line, ensure_ascii=False), file=file, flush=True)
            if verdicts[name] in ("alive", "unreached"):
                tell(f"\n{verdicts[name]}: {name}\n{line['change']}", flush=True)
    found = summarise(verdicts.values())
    tell(f"\nseed {option.seed}, {len(names)} of {len(everything)}: {found}")
    return True


def _source_of(item: pytest.Item) -> str:
    """Return the text of a test, or nothing of an example."""
    return getsource(item.obj) if isinstance(item, pytest.Function) else ""


def draw(names: Sequence[str], size: int, seed: int) -> list[str]:
    """Draw names at equal steps from a random start, so that each file has its share."""
    rng = np.random.default_rng(seed)
    by_file: dict[str, list[str]] = {}
    for name in names:
        by_file.setdefault(name.rpartition(".")[0], []).append(name)
    mixed = [name for file in by_file.values() for name in rng.permutation(file).tolist()]
    step = max(len(mixed) / size, 1.0)
    drawn = [mixed[int(place)] for place in np.arange(rng.uniform(0, step), len(mixed), step)]
    return list(rng.permutation(drawn))  # the first of them are a sample, too


def attempt(name: str, tests: list[pytest.Item], seconds: dict[str, float], budget: float) -> str:
    """Run examples and tests against a mutant in a fork, the quickest first, until one fails."""
    if not tests:
        return "unreached"
    spent = np.cumsum([seconds.get(test.nodeid, 1.0) for test in tests])
    tests = tests[: max(int(np.searchsorted(spent, budget)), 1)]
    child = os.fork()
    if not child:
        os._exit(_run(name, tests, int(3 * min(spent[-1], budget)) + 10))
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "endless" if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM) else "crashed"
    return {0: "alive", 1: "killed"}.get(os.WEXITSTATUS(status), "crashed")


def summarise(verdicts: Iterable[str]) -> str:
    """Say how many are alive, with an interval of 95% by Clopper and Pearson."""
    counts = Counter(verdicts)
    alive = counts["alive"] + counts["unreached"]
    tried = counts.total() - counts["equivalent"]
    lower = beta.ppf(0.025, alive, tried - alive + 1) if alive else 0.0
    upper = beta.ppf(0.975, alive + 1, tried - alive)
    share = f"{alive / tried:.1%} [{lower:.1%}, {upper:.1%}]"
    return f"{alive} of {tried} alive, {share}; {dict(counts)}"


def _run(name: str, tests: list[pytest.Item], limit: int) -> int:
    """Run tests in a fork; 0 if none notices the mutant."""
    from mutmut.mutation import trampoline

    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(PATIENCE)
    trampoline.set_mutant_under_test(name)
    trampoline.get_mutant_under_test = lambda: name  # which is asked at each call
    tests[0].config.pluginmanager.unregister(name="terminalreporter")
    try:
        if _fails_examples(name):
            return 1
        for test, following in zip(tests, [*tests[1:], None], strict=True):
            test.ihook.pytest_runtest_protocol(item=test, nextitem=following)
            if test.session.testsfailed:
                return 1
    except BaseException:
        return 1
    return 0


def _fails_examples(name: str) -> bool:
    """Tell whether an example in the docstrings of the mutant's module fails."""
    module = import_module(name.rpartition(".")[0])
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    for holder in (module, *(each for each in vars(module).values() if isinstance(each, type))):
        for key, function in list(vars(holder).items()):
            if key.endswith("__mutmut_orig"):  # the only one to stand for all its mutants
                for test in finder.find(function, key, module=module):
                    runner.run(test, out=lambda text: None)
    return runner.failures > 0


def _read_tests(items: list[pytest.Item]) -> tuple[dict[str, list[Any]], dict[str, float]]:
    """Return the tests that reach each function, the quickest first, and what each takes."""
    noted = json.loads((ROOT / "mutmut-stats.json").read_text())
    seconds, here = noted["duration_by_test"], {item.nodeid: item for item in items}
    found = {f: set(tests) for f, tests in noted["tests_by_mangled_function_name"].items()}
    quickest = {
        function: sorted(tests & here.keys(), key=lambda test: (seconds[test], test))
        for function, tests in found.items()
    }
    reached = {function: [here[test] for test in tests] for function, tests in quickest.items()}
    return reached, seconds


def _read_names(pattern: str) -> list[str]:
    """Return all mutants that can be tried, file by file."""
    files = sorted(ROOT.glob("pu_accessor/**/*.meta"))
    names = [name for file in files for name in json.loads(file.read_text())["exit_code_by_key"]]
    return [name for name in fnmatch.filter(names, pattern) if not IMPORTED.search(name)]


def _explain(name: str) -> dict[str, str]:
    """Return the lines that a mutant changes, and why nobody can notice if that is known."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    module = Path(*name.split(".")[:-1])
    path = module / "__init__.py" if (ROOT / module).is_dir() else module.with_suffix(".py")
    here = Path.cwd()
    os.chdir(ROOT.parent)
    diff = get_diff_for_mutant(name, path=path).splitlines()[2:]
    os.chdir(here)
    change = "\n".join(line for line in diff if line[0] in "-+")
    before, _, after = (UNSEEN.sub("", part) for part in change.partition("\n"))
    if before[1:].split() == after[1:].split():
        return {
            "change": change,
            "reason": "A zip has equal lengths; a cast says its type to type checkers.",
        }
    function, changed = name.partition("__mutmut_")[0], what_changes(change)
    if before[1:].lower() == after[1:].lower() and SENTENCE.search(changed):
        return {"change": change, "reason": "The words of a message are the same."}
    for known in tomllib.loads(EQUIVALENT.read_text())["equivalent"]:
        for pattern, changes in known.items():
            if fnmatch.fnmatch(function, pattern) and (changed in changes or "*" in changes):
                return {"change": change, "reason": known["reason"]}
    return {"change": change, "changed": changed}


def what_changes(change: str) -> str:
    """Return the words that a diff replaces, in brackets, with the words beside them.

    Examples
    --------
    >>> what_changes("-    if size < 8:  # few\\n+    if size <= 8:  # few")
    'size [< -> <=] 8'
    """
    lines = change.strip().splitlines()
    old, new = (
        WORDS.findall(" ".join(line[1:] for line in lines if line[0] == sign)) for sign in "-+"
    )
    most = min(len(old), len(new))
    start = next((i for i in range(most) if old[i] != new[i]), most)
    end = next((i for i in range(most - start) if old[-1 - i] != new[-1 - i]), most - start)
    beside = old[max(start - 1, 0) : start], old[len(old) - end :][:1]
    replaced = (" ".join(words[start : len(words) - end]) for words in (old, new))
    return " ".join([*beside[0], f"[{' -> '.join(replaced)}]", *beside[1]])
