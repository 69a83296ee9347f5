"""What all tests share."""

import gc

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from hypothesis import settings

# Examples are drawn from a fixed seed: a run that fails here fails everywhere.
settings.register_profile("pu_accessor", derandomize=True, deadline=None, max_examples=30)
# Those of `make fuzz` are drawn anew each time, from a seed that it prints.
for name, examples in {"minutes": 300, "hours": 15_000}.items():
    settings.register_profile(name, deadline=None, max_examples=examples, print_blob=True)
settings.load_profile("pu_accessor")
mpl.use("Agg")
mpl.rcParams["figure.max_open_warning"] = 0
# Looking for garbage after each few hundred objects would be a fifth of the time of the suite.
gc.set_threshold(200_000, 20, 20)


def pytest_runtest_setup() -> None:
    """Close what the collection of tests drew."""
    plt.close("all")


def pytest_runtest_teardown() -> None:
    """Close what a test or an example drew."""
    plt.close("all")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the pictures of reports, which take most of the time, where no test is of them."""
    monkeypatch.setattr("pu_accessor.questions.report._draw", lambda *_, **__: "")


def pytest_collection_finish() -> None:
    """Leave what was imported out of each collection of garbage: it stays."""
    gc.freeze()
