from decimal import ROUND_DOWN, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import NotFinite, number_text

finite = st.floats(allow_nan=False, allow_infinity=False)


def shown(text):
    return Fraction(text.replace("\N{MINUS SIGN}", "-"))


@given(finite)
def test_sign_is_the_only_difference_between_a_number_and_its_negative(number):
    positive, negative = number_text(abs(number)), number_text(-abs(number))
    assert negative.lstrip(">\N{MINUS SIGN}") == positive.lstrip("<")
    assert ("\N{MINUS SIGN}" in negative) == (number != 0)


@given(st.floats(min_value=0.0005, max_value=1e9))
def test_text_is_within_half_a_thousandth(number):
    assert abs(shown(number_text(number)) - Fraction(number)) <= Fraction(1, 2000)


@given(st.floats(min_value=1e9, allow_infinity=False))
def test_text_of_a_large_number_is_within_half_of_its_last_digit(number):
    text = number_text(number)
    digit = Fraction(10) ** (int(text.split("e+")[1]) - 3)
    assert abs(shown(text) - Fraction(number)) <= digit / 2


@given(st.integers(-999_999_999, 999_999_999))
def test_integers_have_no_decimals(number):
    assert number_text(number) == str(number).replace("-", "\N{MINUS SIGN}")


@given(st.integers(0, 10**6))
def test_exact_halves_go_away_from_zero(sixteenths):
    number = (2 * sixteenths + 1) / 16
    thousandths = (Fraction(number) * 1000 + Fraction(1, 2)) // 1
    assert shown(number_text(number)) == Fraction(thousandths, 1000)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_is_not_finite_has_no_text(number):
    with pytest.raises(NotFinite):
        number_text(number)


def test_decimal_settings_of_the_caller_do_not_matter():
    with localcontext() as context:
        context.prec = 2
        context.rounding = ROUND_DOWN
        assert number_text(0.4166666666666667) == "0.417"
        assert number_text(1234567890.0) == "1.235e+9"
