"""What all tests share."""

from collections.abc import Iterator

import matplotlib as mpl
import pytest
from hypothesis import settings

# Examples are drawn from a fixed seed: a run that fails here fails everywhere.
settings.register_profile("pu_accessor", derandomize=True, deadline=None)
settings.load_profile("pu_accessor")
mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Close what a test or an example drew."""
    import matplotlib.pyplot as plt

    yield
    plt.close("all")
