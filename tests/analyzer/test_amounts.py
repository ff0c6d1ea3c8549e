import math

import pytest

from analyzer.amounts import calls_text, cost_text


@pytest.mark.parametrize(("calls", "text"), [(0, "0 calls"), (1, "1 call"), (4560, "4,560 calls")])
def test_calls_are_counted_with_their_noun(calls, text):
    assert calls_text(calls) == text


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (0.0, "0 USD"), (3.4, "3.40 USD"), (3.0, "3 USD"), (1234.5, "1,234.50 USD"), (0.6, "0.60 USD"),
        (0.031, "0.031 USD"), (0.00004, "4e-05 USD"),
    ],
)  # fmt: skip
def test_a_cost_keeps_the_digits_that_tell_it_from_nothing(cost, text):
    assert cost_text(cost, "USD", 7) == text


def test_an_unknown_price_is_not_nothing():
    assert cost_text(math.nan, "USD", 7) == "cost unknown"
    assert cost_text(math.nan, "calls", 7) == "cost unknown"


def test_a_cost_that_is_the_calls_once_more_is_left_away():
    assert cost_text(7.0, "calls", 7) == cost_text(7.0, "model calls", 7) == ""
    assert cost_text(9.0, "calls", 7) == "9 calls"
    assert cost_text(7.0, "USD", 7) == "7 USD"


def test_a_unit_stays_on_the_line():
    assert cost_text(2.0, "US\n dollars", 7) == "2 US dollars"
