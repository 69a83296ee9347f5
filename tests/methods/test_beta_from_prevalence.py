"""Beta from a prevalence or a label frequency: units that convert, and those confused."""

import math
from typing import Any

import pytest

import pu_accessor
from pu_accessor import PUTypeError, PUValueError

# Labels made by hand, and other units

BY_PREVALENCE: Any = pu_accessor.beta_from_prevalence


def test_units_at_their_ends_but_for_rounding() -> None:
    prevalence = pu_accessor.beta_from_prevalence
    assert 0.29 * 100 < 29 and 0.07 * 100 > 7
    assert prevalence(0.29, 29, 71) == 0
    assert prevalence(0.07, 0, 7, 93) == 1
    assert prevalence(1, 100, 900) == 1 and prevalence(0.1, 100, 900) == 0
    assert 0.29 * 10**8 < 29 * 10**6 and prevalence(0.29, 29 * 10**6, 71 * 10**6) == 0
    assert prevalence(0.25, 0, 2**53) == 0.25
    for share in (0.29 - 1e-8, 1.0):  # 28.999999 of 100, and 71 where 70 are unlabeled
        with pytest.raises(PUValueError, match="which is no share"):
            prevalence(share, 29, 71 - round(share), round(share))
    with pytest.raises(PUValueError, match="leaves 0 positives for 0 unlabeled"):
        prevalence(1, 100, 0)


def test_units_convert() -> None:
    beta = pu_accessor.beta_from_prevalence(0.3, n_positive=100, n_unlabeled=800, n_negative=100)
    assert beta == pytest.approx((300 - 100) / 800)
    assert pu_accessor.beta_from_label_frequency(0.25, 100, 900) == pytest.approx(300 / 900)
    assert pu_accessor.beta_from_label_frequency(1, 100, 900) == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: pu_accessor.beta_from_prevalence(0.05, 100, 900),
            PUValueError,
            "^a prevalence of 0.05 leaves -50 positives for 900",
        ),
        (lambda: pu_accessor.beta_from_prevalence(1, 100, 800, 100), PUValueError, "leaves 900"),
        (lambda: pu_accessor.beta_from_prevalence(30, 100, 900), PUValueError, "must lie in"),
        (lambda: BY_PREVALENCE("3", 100, 900), PUTypeError, "be a number"),
        (lambda: BY_PREVALENCE(0.3, 1.5, 900), PUTypeError, "n_positive must"),
        (lambda: pu_accessor.beta_from_prevalence(0.3, -1, 900), PUValueError, "not be negative"),
        (lambda: pu_accessor.beta_from_label_frequency(0, 1, 9), PUValueError, "but 0 was passed"),
        (
            lambda: pu_accessor.beta_from_label_frequency(0.01, 10, 9),
            PUValueError,
            "^a label frequency of 0.01 leaves 990 ",
        ),
        (lambda: pu_accessor.beta_from_labels(3, 2, 9), PUValueError, "0 <= n_positive <="),
        (lambda: pu_accessor.beta_from_labels(0, 0, 9), PUValueError, "something labeled"),
        (
            lambda: pu_accessor.beta_from_labels(1, 2, 9, method="wald"),
            PUValueError,
            "method must",
        ),
        (lambda: BY_PREVALENCE(2, 1, 9), PUValueError, "^prevalence must lie in"),
        (lambda: BY_PREVALENCE(0.3, 1, -9), PUValueError, "^n_unlabeled must not be neg"),
        (lambda: BY_PREVALENCE(0.3, 1, 9, 2.0), PUTypeError, "^n_negative must be an integer"),
        (lambda: BY_PREVALENCE(0.3, 2**53 + 1, 9), PUValueError, "^n_positive must be at most"),
        (lambda: BY_PREVALENCE(0.3, True, 9), PUTypeError, "^n_positive must be an integer"),
        (
            lambda: pu_accessor.beta_from_label_frequency(2, 1, 9),
            PUValueError,
            "^label_frequency must lie in",
        ),
        (
            lambda: pu_accessor.beta_from_label_frequency(0.5, -1, 9),
            PUValueError,
            "^n_positive must not be negative",
        ),
        (
            lambda: pu_accessor.beta_from_label_frequency(0.5, 1, -9),
            PUValueError,
            "^n_unlabeled must not be negative",
        ),
        (lambda: pu_accessor.beta_from_labels(-1, 2, 9), PUValueError, "^n_positive must not"),
        (lambda: pu_accessor.beta_from_labels(1, -2, 9), PUValueError, "^n_labeled must not"),
        (lambda: pu_accessor.beta_from_labels(1, 2, -9), PUValueError, "^n_unlabeled must not"),
        (lambda: pu_accessor.beta_from_labels(1, 2, 9, level=2), PUValueError, "^level must lie"),
        (lambda: pu_accessor.labels_needed(2, 9), PUValueError, "^width must lie in"),
        (lambda: pu_accessor.labels_needed(0.1, -9), PUValueError, "^n_unlabeled must not"),
        (lambda: pu_accessor.labels_needed(0.1, 9, beta=2), PUValueError, "^beta must lie in"),
        (lambda: pu_accessor.labels_needed(0.1, 9, level=2), PUValueError, "^level must lie in"),
        (
            lambda: pu_accessor.labels_needed(0.1, 9, probability=2),
            PUValueError,
            "^probability must lie in",
        ),
        (
            lambda: pu_accessor.labels_needed(0.1, 9, probability=0),
            PUValueError,
            r"^probability must lie in \(0, 1\)",
        ),
        (lambda: pu_accessor.labels_needed(0.1, 0), PUValueError, "must not be 0, but 0.1 and 0"),
        (lambda: pu_accessor.labels_needed(0, 9), PUValueError, "must not be 0"),
        (lambda: pu_accessor.labels_needed(0.1, 9, probability=1), PUValueError, "probability"),
        (lambda: pu_accessor.beta_from_labels(1, 2, 9, prior=(2, 2)), PUValueError, "prior must"),
        *(
            (
                lambda ends=ends: pu_accessor.beta_from_labels(1, 2, 9, method="hpd", prior=ends),
                PUValueError,
                "above 0",
            )
            for ends in ((0, 2), (2, 0), (math.inf, 2), (2, math.inf))
        ),
        (
            lambda: pu_accessor.beta_from_labels(1, 2, 9, method="hpd", prior=2),  # type: ignore[arg-type]
            PUTypeError,
            "a pair",
        ),
        (lambda: pu_accessor.beta_from_labels(1, 2, 2, rest=True), PUValueError, "all 2 were"),
        (
            lambda: pu_accessor.beta_from_labels(1, 2, 9, rest="no"),  # type: ignore[arg-type]
            PUTypeError,
            "^rest must be True or False",
        ),
    ],
)
def test_units_that_are_confused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
