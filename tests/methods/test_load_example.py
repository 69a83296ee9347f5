"""The bundled rows: what they hold, and that the script in the sources draws them."""

from pathlib import Path

import numpy as np
import pandas as pd

import pu_accessor
from tests.support import example


def test_columns() -> None:
    df = pu_accessor.load_example()
    assert [*df] == ["site", "score", "old_score", "label", "truth"]
    assert len(df) == 2_000 and {*df["site"]} == {"east", "west"}
    assert df["truth"].dtype == bool
    assert df[["score", "old_score"]].stack().between(0, 1, inclusive="neither").all()
    known = df["label"].eq(1)
    assert df["truth"][known].all() and df["label"][~known].isna().all()
    assert 0 < known.sum() < df["truth"].sum()
    df["score"] = 0  # each call returns rows of its own
    assert pu_accessor.load_example()["score"].nunique() > 1_900


def test_the_script_draws_these_rows() -> None:
    drawn = example.draw()
    pd.testing.assert_frame_equal(pu_accessor.load_example(), drawn, rtol=0, atol=2e-6)
    assert Path(pu_accessor.__file__).parent / "example.csv" == example.PATH
    scores = drawn[["score", "old_score"]].to_numpy()
    assert np.array_equal(scores, scores.round(6))
