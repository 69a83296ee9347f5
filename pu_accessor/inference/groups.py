"""One question put to many rankings: their answers side by side, on one rank axis."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import pandas as pd
import xarray as xr

from pu_accessor.errors import (
    PUDataError,
    PUImportError,
    PUValueError,
    check_option,
    warn_caller,
)
from pu_accessor.inference.betas import GroupBeta, beta_by_key, name_group, split_key
from pu_accessor.inference.shares import Beta
from pu_accessor.ranking import IntArray, Keyed, Kind, Ranking, Rankings

__all__ = ["Answer", "Question", "ask", "ask_rows", "collect", "spread_groups"]

Question: TypeAlias = Callable[[Ranking, Beta], xr.Dataset]

Content = TypeVar("Content")

_COUNTS = ("n_known_positive", "n_known_negative", "n_unlabeled")
_FEW = 10
_OWN = (*_COUNTS, "n_effective", "beta_limit")  # attributes that each ranking has of its own
_RESERVED = {
    *("rank", "bound", "beta", "threshold", "known_positive", "known_negative", *_OWN),
    *("tp", "fp", "fn", "tn", "clipped", "fpr", "tpr", "recall", "precision", "rank_cdf"),
    *("tightest", "local_alpha", "interval_tp", "interval_bound", "interval_beta"),
    "interval_positives",
    *("fpr_grid", "recall_grid", "envelope", "tpr_envelope", "precision_envelope"),
}


class Answer(NamedTuple, Generic[Content]):
    """What a question got for one key."""

    key: Hashable
    content: Content


def ask(
    rankings: Rankings,
    beta: GroupBeta,
    question: Question,
    *,
    on_error: str = "raise",
    progress: bool = False,
    warn: bool = True,
) -> xr.Dataset:
    """Put a question to each ranking.

    Parameters
    ----------
    rankings : Rankings
        One or many.
    beta : float, array-like of float, or mapping or Series of float by key
        Fraction of positives among the unlabeled, the same for all or one for each key.
    question : callable
        From a ranking and beta to a Dataset over (rank, bound, beta).
    on_error : {"raise", "skip"}, default "raise"
        What to do with a ranking that has no answer: name it in an error, or leave it out and
        name all of them in one warning.
    progress : bool, default False
        Show a bar (tqdm).
    warn : bool, default True
        Say in one warning where beta exceeds the limit that the known positives set, or where
        propensities leave a small effective number of them.

    Returns
    -------
    Dataset
        The answer itself where the rankings have no key. Otherwise with a leading dimension: the
        key's name, or ``group`` with a MultiIndex where it has several levels (``groups`` where
        one of them is called group). All share one rank axis, the union; where a ranking has no
        cutoff, the last one at or before it stands. A beta for each key is a coordinate of two
        dimensions, (key, beta).

    Raises
    ------
    PUValueError
        If a key has a reserved name, or beta lacks a key; if no ranking has an answer.
    PUError
        The question's own, with the key named.
    PUImportError
        If there is no tqdm to show a bar with.
    """
    betas = beta_by_key(beta, rankings.names, rankings.keys)
    answers = collect(rankings, betas.values, question, on_error, progress)
    if warn:
        warn_of_limits(rankings.names, answers)
    if not rankings.names:
        return answers[0].content
    return _side_by_side(rankings.names, answers, betas.own)


def spread_groups(tables: xr.Dataset, names: Sequence[str], samples: xr.Dataset) -> xr.Dataset:
    """Give each level of the keys a dimension of its own, as the samples have.

    Parameters
    ----------
    tables : Dataset
        As `ask` returns it, for keys that are places along dimensions of `samples`.
    names : sequence of str
        These dimensions.
    samples : Dataset
        Whose coordinates along these dimensions are taken over.

    Returns
    -------
    Dataset
        The same where a place is missing.
    """
    shape = [samples.sizes[name] for name in names]
    dim = str(next(iter(tables.data_vars.values())).dims[0])
    if not names or tables.sizes[dim] < np.prod(shape):
        return tables
    spread = {
        name: _spread(variable, dim, names, shape)
        for name, variable in tables.variables.items()
        if name not in (dim, *names)
    }
    coords = [name for name in spread if name in tables.coords]
    taken = samples.coords.to_dataset()
    foreign = [
        name
        for name, coord in samples.coords.items()
        if not coord.dims or not set(coord.dims) <= set(names) or name in _RESERVED
    ]
    return (
        xr.Dataset(spread, attrs=tables.attrs)
        .set_coords(coords)
        .assign_coords(taken.drop_vars(foreign).copy(deep=True).coords)
    )


def _spread(
    variable: xr.Variable, dim: str, names: Sequence[str], shape: Sequence[int]
) -> xr.Variable:
    """Replace the leading dimension by those that its keys are the product of."""
    if dim not in variable.dims:
        return variable
    values = variable.to_numpy().reshape(*shape, *variable.shape[1:])
    return xr.Variable((*names, *variable.dims[1:]), values, variable.attrs)


def ask_rows(
    keyed: Keyed[Kind],
    beta: GroupBeta | None,
    question: Callable[[Kind, Any], pd.DataFrame],
    *,
    on_error: str = "raise",
    progress: bool = False,
) -> pd.DataFrame:
    """Put a question to each thing, where the answer is some rows.

    Parameters
    ----------
    keyed : Keyed
        Rankings, or other things to ask; one or many.
    beta : float, array-like of float, mapping or Series of float by key, or None
        As in `ask`, where the question needs one.
    question : callable
        From a thing and beta, None where none is passed, to a frame.
    on_error, progress
        As in `ask`.

    Returns
    -------
    DataFrame
        The answers below each other, the names of the keys as first columns. A RangeIndex.

    Raises
    ------
    PUError
        As in `ask`; also if a key has the name of a column of the answer.
    """
    betas: list[Beta | None] = [None] * len(keyed.keys)
    if beta is not None:
        betas = [*beta_by_key(beta, keyed.names, keyed.keys).values]
    answers = collect(keyed, betas, question, on_error, progress)
    warn_of_limits(keyed.names, answers)
    if taken := [name for name in keyed.names if name in answers[0].content.columns]:
        raise PUValueError(
            f"by must not be called {taken[0]!r}, which is a column of the result "
            f"({list(answers[0].content.columns)}). Rename the column first."
        )
    for answer in answers:
        key = split_key(keyed.names, answer.key)
        for place, (name, value) in enumerate(zip(keyed.names, key, strict=True)):
            answer.content.insert(place, name, [value] * len(answer.content))
    together = pd.concat([answer.content for answer in answers], ignore_index=True)
    shared = answers[0].content.attrs
    together.attrs = {k: v for k, v in shared.items() if not keyed.names or k not in _OWN}
    return together


def collect(
    keyed: Keyed[Kind],
    betas: Sequence[Beta | None],
    question: Callable[[Kind, Any], Content],
    on_error: str,
    progress: bool,
) -> list[Answer[Content]]:
    """Ask each one; name the one that has no answer.

    Parameters
    ----------
    keyed : Keyed
        Whom to ask.
    betas : sequence
        The beta of each, or None.
    question : callable
        From one of them and its beta to an answer.
    on_error, progress
        As in `ask`.

    Returns
    -------
    list of Answer
        Without those that are left out.

    Raises
    ------
    PUError
        As in `ask`.
    """
    check_option("on_error", on_error, ["raise", "skip"])
    _check_names(keyed.names)
    answers: list[Answer[Content]] = []
    skipped: list[str] = []
    for position, key in enumerate(_with_bar(keyed.keys, progress)):
        try:
            answers.append(Answer(key, question(keyed.make(position), betas[position])))
        except PUDataError as error:  # any other is about the arguments, not about the group
            if not keyed.names:
                raise
            told = f"{name_group(keyed.names, key)}: {error}"
            if on_error == "raise":
                raise type(error)(told) from error
            skipped.append(told)
    if skipped:
        _warn_of(skipped, len(answers))
    return answers


def warn_of_limits(
    names: Sequence[str], answers: Sequence[Answer[xr.Dataset]] | Sequence[Answer[pd.DataFrame]]
) -> None:
    """Say once where beta is too high for the known positives, or where these are too few.

    Parameters
    ----------
    names : sequence of str
        Of the keys' levels.
    answers : sequence of Answer
        Their attributes have `beta_limit` and `n_effective`, as far as there are such.
    """
    beyond, few = [], []
    for key, content in answers:
        group = f"{name_group(names, key)}: " if names else ""
        limit, effective = (content.attrs.get(name) for name in ("beta_limit", "n_effective"))
        betas = np.unique(np.ravel(content["beta"])).tolist() if limit is not None else []
        slack = 0.5 / max(content.attrs.get("n_unlabeled", 1), 1)  # latent positives are counts
        if too_high := [beta for beta in betas if beta > limit + slack]:
            beyond.append(f"{group}{', '.join(f'{beta:g}' for beta in too_high)} > {limit:.4g}")
        if effective is not None and effective < _FEW:
            few.append(f"{group}{effective:.1f}")
    if beyond:
        warn_caller(
            "beta exceeds the upper limit that the known positives set at this level "
            f"({_shorten(beyond)}): they rank too high for so many latent ones. Pass a smaller "
            "beta (df.pu.estimate_beta says what the data allow); if it is known to be right, the "
            "labels are no random sample of the positives."
        )
    if few:
        warn_caller(
            f"The effective number of known positives is below {_FEW} ({_shorten(few)}): a few "
            "small propensities weigh more than all others, and intervals do not hold. Label more "
            "of such examples, or bound the propensities from below: "
            "df['propensity'].clip(lower=...)."
        )


def _shorten(told: list[str]) -> str:
    """Name the first few, and say how many there are."""
    return "; ".join(told[:3]) + (f"; and {len(told) - 3} more groups" if len(told) > 3 else "")


def _check_names(names: Sequence[str]) -> None:
    """Raise if a key's name is that of something else in the result."""
    if taken := [name for name in names if name in _RESERVED]:
        raise PUValueError(
            f"by, or a dimension, must not be called {taken[0]!r}, which has its meaning in the "
            f"result, as has each of {sorted(_RESERVED)}. Rename it first."
        )
    if len(set(names)) < len(names):
        raise PUValueError(f"by must name different columns, but {list(names)} was passed.")


def _with_bar(keys: Sequence[Hashable], progress: bool) -> Iterable[Hashable]:
    """Show a bar while going through the keys."""
    if not progress:
        return keys
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise PUImportError(
            "progress=True needs the package tqdm, which is not installed: pip install tqdm."
        ) from error
    bar: Iterable[Hashable] = tqdm(keys, unit="group")
    return bar


def _warn_of(skipped: list[str], answered: int) -> None:
    """Name the groups without an answer, or raise if that is all of them."""
    told = "\n".join(f"  {text}" for text in skipped)
    if not answered:
        raise PUDataError(f"No group has an answer:\n{told}")
    warn_caller(
        f"{len(skipped)} of {len(skipped) + answered} groups are left out (on_error='skip'):\n"
        f"{told}",
    )


def _side_by_side(
    names: Sequence[str], answers: Sequence[Answer[xr.Dataset]], own_beta: bool
) -> xr.Dataset:
    """Put answers on one rank axis, with a leading dimension for their keys."""
    datasets = [answer.content for answer in answers]
    dim = names[0] if len(names) == 1 else "group"
    while len(names) > 1 and dim in names:
        dim += "s"
    ranks = np.unique(np.concatenate([dataset["rank"].values for dataset in datasets]))
    if datasets[0].attrs["ranks"] == "selected":  # the same for all, in the order asked for
        ranks = datasets[0]["rank"].values
    # A cutoff that a ranking does not have takes its last one at or before it.
    places = [_last_at(dataset["rank"].values, ranks) for dataset in datasets]

    def gathered(name: Hashable) -> Any:
        variable = datasets[0][name].variable
        return (dim, *variable.dims), _gathered(datasets, name, places), variable.attrs

    first = datasets[0]
    coords: dict[Hashable, Any] = {
        # What groups do not share: where cutoffs are, and what belongs to each beta.
        name: gathered(name) if {"rank", "beta"} & set(coord.dims) else coord
        for name, coord in first.coords.items()
    }
    coords["rank"] = ("rank", ranks, first["rank"].attrs)
    coords["beta"] = gathered("beta") if own_beta else first["beta"]
    own = {name: (dim, [d.attrs.get(name, np.nan) for d in datasets]) for name in _own(datasets)}
    together = xr.Dataset(
        {name: gathered(name) for name in first.data_vars},
        coords={**coords, **own},
        attrs=_shared_attrs(datasets, ranks),
    )
    return together.assign_coords(_key_coordinate(names, dim, [a.key for a in answers]))


def _own(datasets: Sequence[xr.Dataset]) -> list[str]:
    """Return the attributes that some datasets have, each its own."""
    return [name for name in _OWN if any(name in dataset.attrs for dataset in datasets)]


def _last_at(have: IntArray, want: IntArray) -> IntArray:
    """Return the position of the last rank at or before each wanted one."""
    if have.size == want.size and (have == want).all():
        return np.arange(have.size)
    return np.searchsorted(have, want, side="right") - 1


def _gathered(
    datasets: Sequence[xr.Dataset], name: Hashable, places: Sequence[IntArray]
) -> np.ndarray[Any, Any]:
    """Return a variable of all datasets on the shared rank axis, the datasets first."""
    values = datasets[0][name].values
    if "rank" not in datasets[0][name].dims:
        return np.stack([dataset[name].values for dataset in datasets])
    shape = (len(datasets), places[0].size, *values.shape[1:])
    gathered = np.empty(shape, dtype=values.dtype)
    for row, dataset, place in zip(gathered, datasets, places, strict=True):
        np.take(dataset[name].values, place, axis=0, out=row)
    return gathered


def _shared_attrs(datasets: Sequence[xr.Dataset], ranks: IntArray) -> dict[str, Any]:
    """Return the attributes that all share; counts are coordinates instead."""
    first = datasets[0].attrs
    return {
        name: value
        for name, value in first.items()
        if name not in _OWN and all(dataset.attrs[name] == value for dataset in datasets)
    } | {"n_cutoffs": ranks.size}


def _key_coordinate(names: Sequence[str], dim: str, keys: Sequence[Hashable]) -> xr.Coordinates:
    """Return the leading coordinate: an index, or a MultiIndex of several levels."""
    if len(names) > 1:
        levels = pd.MultiIndex.from_tuples(cast("list[tuple[Any, ...]]", keys), names=list(names))
        return xr.Coordinates.from_pandas_multiindex(levels, dim)
    return xr.Coordinates({dim: (dim, pd.Index(list(keys), tupleize_cols=False))})
