"""Answers that were recorded: a change of a number or a word is seen, whichever method gives it.

Where it is wanted, `python -m tests.test_answers` records them anew; the difference is read.
"""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import pu_accessor
from pu_accessor import PUError, PUWarning, labeling
from tests import worlds

RECORDED = Path(__file__).with_name("answers.txt")
QUESTIONS = dict(zip(*[iter(RECORDED.read_text(encoding="utf-8").splitlines())] * 2, strict=True))
NAMES = {"pd": pd, "np": np, "pu_accessor": pu_accessor, "labeling": labeling}
MOST = 30  # numbers and words of an answer; all numbers are in a sum
LONG = 120  # characters, beyond which a checksum stands for the rest of a text


def ask(question: str) -> tuple[list[str], list[float]]:
    """Return the words and the numbers of an answer, or an error, and the warnings."""
    size, seed, kind, asked = question.split(maxsplit=3)
    frame = worlds.rows(int(size), int(seed), kind)
    undrawn = patch("pu_accessor.questions.report._draw", lambda *_, **__: "")
    with undrawn, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PUWarning)
        try:
            found = [*_flat(eval(asked, NAMES | {"df": frame, "pu": frame.pu}))]
        except (PUError, AttributeError) as error:
            found = [f"{type(error).__name__}: {error}"]
    numbers = np.array([one for one in found if isinstance(one, float)])
    total = float(np.nan_to_num(numbers, posinf=1, neginf=2) @ np.cos(np.arange(numbers.size)))
    words = [one for one in found if isinstance(one, str)]
    words = [f"{one[:LONG]}{f' ... {crc32(one.encode()):x}' * (len(one) > LONG)}" for one in words]
    words = [*sorted({str(one.message) for one in caught}), *words[:MOST]]
    return words, [float(f"{one:.9g}") for one in [total, *numbers[:MOST].tolist()]]


def _flat(answer: Any) -> Iterator[str | float]:
    """Yield what an answer is made of."""
    answer = answer.to_dataset(name="value") if isinstance(answer, xr.DataArray) else answer
    if isinstance(answer, xr.Dataset):
        for name, one in sorted(answer.variables.items(), key=str):
            yield f"{name} {one.dims} {one.attrs}"
            yield from _flat(one.values.ravel()[:: one.size // 200 + 1].tolist())
    elif isinstance(answer, pd.DataFrame):
        yield " ".join([*map(str, answer.columns), *map(str, answer.attrs.items())])
        yield "".join(one.kind for one in answer.dtypes)
        yield from _flat(answer.to_numpy().tolist())
    elif hasattr(answer, "axes"):
        yield from _flat([np.ravel(one).tolist() for one in worlds.seen(answer)])
    elif isinstance(answer, (list, tuple)):
        for one in answer:
            yield from _flat(one)
    else:
        yield float(answer) if isinstance(answer, (int, float)) else str(answer)


def write() -> None:
    """Record all answers anew."""
    answers = [f"{question}\n{json.dumps(ask(question))}\n" for question in QUESTIONS]
    RECORDED.write_text("".join(answers), encoding="utf-8")


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_is_the_recorded_one(question: str) -> None:
    words, numbers = json.loads(QUESTIONS[question])
    found = ask(question)
    assert found[0] == words
    np.testing.assert_allclose(found[1], numbers, rtol=1e-6, atol=1e-8)


if __name__ == "__main__":
    write()
