"""What all tests share."""

import gc
from collections.abc import Iterator

import matplotlib as mpl
import pytest
from hypothesis import settings

# Examples are drawn from a fixed seed: a run that fails here fails everywhere.
settings.register_profile("pu_accessor", derandomize=True, deadline=None, max_examples=30)
# Those of `make fuzz` are drawn anew each time, from a seed that it prints.
for name, examples in {"minutes": 300, "hours": 15_000}.items():
    settings.register_profile(name, deadline=None, max_examples=examples, print_blob=True)
settings.load_profile("pu_accessor")
mpl.use("Agg")
# Examples in docstrings leave their figures open: a worker may have many before the next test.
mpl.rcParams["figure.max_open_warning"] = 0
# Looking for garbage after each few hundred objects would be a fifth of the time of the suite.
gc.set_threshold(50_000, 20, 20)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Close what a test drew, and examples before it."""
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def pytest_collection_finish() -> None:
    """Leave what was imported out of each collection of garbage: it stays."""
    gc.freeze()
