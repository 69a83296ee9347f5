"""A pytest plugin for mutmut's look at which tests reach what: ``make mutants``.

Where each function is called by way of a trampoline, tests that ask for the line or the signature
of a caller fail. They are noted, and left out when mutants are tried.
"""

import os
from pathlib import Path

import pytest

NOTED = Path("failing.txt")  # in the copy that mutmut made
_failing: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    config.option.maxfail = 0
    _failing.clear()  # mutmut runs pytest again and again in one process


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _failing.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _failing and os.environ.get("MUTANT_UNDER_TEST") == "stats":
        NOTED.write_text("\n".join(sorted(_failing)))
    if _failing and NOTED.exists() and {*NOTED.read_text().splitlines()} >= _failing:
        session.exitstatus = session.testsfailed = 0
