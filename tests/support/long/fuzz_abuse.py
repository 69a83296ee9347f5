"""Every keyword of everything public takes values of any kind: ``make fuzz``.

There is an answer, or an error of ours that names an argument in at most 300 characters. Nothing
else is raised, and no warning but ours is given.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pu_accessor
import pu_accessor.sklearn
from pu_accessor import PUError
from pu_accessor.roles_and_assumptions import ASSUMPTIONS, ROLES
from tests.cases import put
from tests.datasets.test_dtypes import SMALL
from tests.sources.test_pieces import FRAME
from tests.support.long.fuzz_sources import seen
from tests.worlds import FRAMES, ROTTEN, TABLES, attempt, fuzzed, keywords, parameters, public

ROWS = FRAME.replace([np.inf, -np.inf], 0).assign(
    id=FRAME.index,
    p=1 / (1 + FRAME["other"] ** 2),
    patient=FRAME.index // 3,
    times=1 + FRAME.index % 4,
)
FEW = ROWS.head(60)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: function
    for name, function in vars(pu_accessor).items()
    if name in pu_accessor.__all__ and inspect.isfunction(function)
} | {"scorer": pu_accessor.sklearn.scorer}
# What is passed to a function where nothing is rotten.
USUAL: dict[str, Any] = {
    "data": ROWS,
    "listed": "a",
    "score": [3, 2, 1, 0],
    "label": pd.Series([1, None, None, 1]),
    "chunks": [ROWS],
    "label_frequency": 0.5,
    "n_positive": 20,
    "n_unlabeled": 100,
    "n_labeled": 50,
    "prevalence": 0.3,
    "weight": 2,
    "width": 0.2,
    "difference": 0.1,
    "pilot": {"auroc": 0.8, "correlation": 0.6},
    "beta": 0.3,
    "found": pd.Series([True], index=[1]),
    "metric": "auroc",
}
# What errors call an argument: of counts and shares they say what these leave.
CALLED = {
    "chunks": ["score", "label"],
    "metric": ["metric", "at must", "whose order of models", "to compare"],
    "negative": ["unlabel", "column"],
}
CALLED |= {
    "positive": ["unlabel", "column"],
    "unlabeled": ["column"],
    "pilot": ["score"],
    "label_frequency": ["label frequency"],
}
CALLED |= {
    name: ["frequency", "prevalence"] for name in ("n_positive", "n_unlabeled", "n_negative")
}
SOURCES: dict[str, Callable[[str, Any], Any]] = {
    "frame": lambda role, value: FEW.pu(**{role: value}),
    "chunks": lambda role, value: pu_accessor.from_chunks([FEW], **{role: value}),
    "arrays": lambda role, value: pu_accessor.from_arrays(
        **{"score": FEW["score"], "label": FEW["label"], role: value}
    ),
    "xarray": lambda role, value: FEW.to_xarray().pu(**{"dim": "index", role: value}),
}


def spoil(draw: Callable[..., Any], names: list[str]) -> dict[str, Any]:
    """Draw one rotten value, or two."""
    most = draw(st.sampled_from([1, 1, 2]))
    wrong = draw(st.lists(st.sampled_from(names), min_size=1, max_size=most, unique=True))
    return {name: draw(ROTTEN) for name in wrong}


def check(ask: Callable[[dict[str, Any]], Any], rotten: dict[str, Any]) -> None:
    """Ask with rotten values; where they alone are in the way the error names one of them."""
    found, _ = attempt(lambda: ask(rotten))
    if isinstance(found, PUError) and not isinstance(attempt(lambda: ask({}))[0], PUError):
        words = [word for name in rotten for word in [name, *CALLED.get(name, [])]]
        assert any(word in str(found) for word in words), (rotten, str(found))


def ask_of(accessor: Any, method: str, asked: dict[str, Any]) -> Any:
    """Ask, with what is bound and assumed among the keywords, and close what was drawn."""
    found = put(accessor, method, **asked)
    return seen(found) if method.startswith("plot_") else found


@pytest.mark.parametrize("method", public(FRAMES))
def test_keywords_of_questions(method: str) -> None:
    @fuzzed(30 if method.startswith(("plot_", "report")) else 8)
    @given(data=st.data(), asked=keywords(FRAMES, method))
    def holds(data: st.DataObject, asked: dict[str, Any]) -> None:
        rotten = spoil(data.draw, [*parameters(getattr(FRAMES, method))])
        some: list[dict[str, Any]] = [{}, {"score": "p"}, {"by": "key"}, {"score": ["score", "p"]}]
        some += [{"cluster": "patient"}, {"weight": "times"}, {"monotone": True}]
        roles = data.draw(st.sampled_from(some))
        check(lambda more: ask_of(ROWS.pu, method, {**roles, **asked, **more}), rotten)

    holds()


@pytest.mark.parametrize("method", [m for m in public(TABLES) if parameters(getattr(TABLES, m))])
def test_keywords_of_questions_to_tables(method: str) -> None:
    tables = SMALL.isel(model=0) if method.startswith("plot_") else SMALL

    @fuzzed(30 if method.startswith("plot_") else 8)
    @given(data=st.data(), asked=keywords(TABLES, method))
    def holds(data: st.DataObject, asked: dict[str, Any]) -> None:
        rotten = spoil(data.draw, [*parameters(getattr(TABLES, method))])
        check(lambda more: ask_of(tables.pu, method, {**asked, **more}), rotten)

    holds()


@pytest.mark.parametrize("source", SOURCES)
def test_roles(source: str) -> None:
    make = SOURCES[source]
    roles = [*ROLES, *ASSUMPTIONS, *(["dim"] if source == "xarray" else [])]
    unasked = {"xarray": ["by", "pool", "average"]}
    unasked["arrays"] = [*unasked["xarray"], "on_error", "progress"]

    @fuzzed(4)
    @given(data=st.data(), value=ROTTEN)
    def holds(data: st.DataObject, value: Any) -> None:
        role = data.draw(st.sampled_from([x for x in roles if x not in unasked.get(source, [])]))
        method = data.draw(st.sampled_from(["auroc", "contingency", "compare", "plot_roc"]))

        def ask() -> Any:
            assumed = role in ASSUMPTIONS
            pu = (
                make("nan_policy", "raise").assume(**{role: value})
                if assumed
                else make(role, value)
            )
            assert repr(pu) and pu._repr_html_()
            return ask_of(pu, method, {"beta": 0.3})

        attempt(ask)

    holds()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    function, known = FUNCTIONS[name], parameters(FUNCTIONS[name])
    places = [one for one, kind in known.items() if kind.kind is not kind.VAR_KEYWORD]
    if not places:  # nothing can be spoilt
        return
    usual = {one: USUAL[one] for one in places if known[one].default is known[one].empty}

    @fuzzed(4)
    @given(data=st.data())
    def holds(data: st.DataObject) -> None:
        def ask(more: dict[str, Any]) -> Any:
            found = function(**{**usual, **more})
            if name in ("fbeta", "bedroc"):
                return ROWS.pu.metric(found, 0.3, at=20)
            return found.auroc(0.3) if name.startswith("ranking") else found

        check(ask, spoil(data.draw, places))

    holds()
