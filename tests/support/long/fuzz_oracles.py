"""The suite's own comparisons with slow references, at seeds of their own: ``make fuzz``.

Each test there that takes a seed, or draws a case, and nothing but values, is asked again with
drawn ones. Those that hold at some seeds alone are named, and why.
"""

import inspect
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from pu_accessor import PUError, PUWarning
from tests.worlds import fuzzed

FOLDERS = ("arguments", "methods", "numerics", "sources")
TESTS = Path(__file__).parents[2]
NAMES = [
    f"tests.{path.parent.name}.{path.stem}"
    for f in FOLDERS
    for path in TESTS.glob(f"{f}/test_*.py")
]
MODULES = [import_module(name) for name in [*NAMES, "tests.quick.test_oracle"]]
SOME_SEEDS: dict[str, str] = {
    "test_check_assumptions.test_clusters_trade_waves_as_a_whole_or_among_themselves": (
        "a thousand draws are .02 off in one case of forty"
    ),
    "test_compare.test_scipy_tests_the_same_ranks": "scipy warns where differences are alike",
    "test_tables.test_areas_with_steps_back_are_those_of_the_oracle": "few curves step back",
    "test_contamination.test_a_comparison_is_the_worst_of_all_sets_of_wrong_ones": (
        "limits are those of the worst difference, which may be .05 beyond the worst limit"
    ),
    "test_prevalence.test_all_labeled_it_is_that_of_weighted_examples": "seeds are digits, too",
    "test_on_new_examples.test_cut_limits_lie_within_the_others": (
        "a band of 95% is refuted in a draw of some"
    ),
    "test_prevalence.test_average_precision_agrees_with_oracle": (
        "differences of the reference are off by more than a thousandth at 1e-9"
    ),
    "test_target.test_average_precision_agrees_with_derivatives": (
        "a ranking that is too good for its beta has no limits"
    ),
    "test_prevalence.test_metrics_agree_with_oracle": "where there is none, NaN is not NaN",
    "test_counting.test_edges_lie_in_the_wanted_gaps_all_over": "a gap of two has more edges",
    "test_selection_odds.test_every_reference_widens": (
        "the rows may leave a band no room to be wider"
    ),
    "test_weighted.test_bounds_are_those_of_gamma_variables": "a seed is how steep weights are",
}


def choices(test: Callable[..., Any]) -> dict[str, list[Any]]:
    """Return the values of the arguments that a test has one by one."""
    found: dict[str, list[Any]] = {}
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize" and "," not in str(mark.args[0]):
            found[str(mark.args[0])] = [*mark.args[1]]
    return found


def drawn() -> dict[str, tuple[Callable[..., Any], dict[str, st.SearchStrategy[Any]]]]:
    """Return tests, and the strategies of all of their arguments."""
    found = {}
    for module in MODULES:
        for name, test in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("test_") or test.__module__ != module.__name__:
                continue
            inner = getattr(getattr(test, "hypothesis", None), "inner_test", test)
            given_ = getattr(getattr(test, "hypothesis", None), "_given_kwargs", {})
            some = {key: st.sampled_from(values) for key, values in choices(test).items()}
            if "seed" in some:
                some["seed"] = st.integers(0, 10**6)
            if ("seed" in some or given_) and {*inspect.signature(inner).parameters} == {
                *some,
                *given_,
            }:
                found[f"{module.__name__.rpartition('.')[2]}.{name}"] = (inner, {**some, **given_})
    return found


DRAWN = drawn()


@pytest.mark.parametrize("name", [name for name in DRAWN if name not in SOME_SEEDS])
def test_references_agree(name: str) -> None:
    test, strategies = DRAWN[name]

    @fuzzed(20)
    @given(values=st.fixed_dictionaries(strategies))
    def holds(values: dict[str, Any]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PUWarning)
            try:
                test(**values)
            except PUError:  # of a case without an answer; `fuzz_sources.py` asks if it should be
                reject()

    holds()


assert len(DRAWN) > 30
