import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import NotFinite, TableTooLarge, share_of_repair


def test_shares_are_parts_of_the_sum():
    assert share_of_repair([0.375, 0.125, 0.0]).tolist() == [0.75, 0.25, 0.0]


def test_player_alone_carries_the_whole():
    assert share_of_repair([0.3]).tolist() == [1.0]


@pytest.mark.parametrize("means", [[], [0.0, 0.0], [-0.0], [0.5, -5e-324], [1.0, -1.0]], ids=str)
def test_where_there_is_no_whole_there_are_no_shares(means):
    assert share_of_repair(means) is None


@given(st.lists(st.integers(0, 100), min_size=1, max_size=8).filter(any))
def test_shares_of_integers_are_correctly_rounded(means):
    assert share_of_repair(means).tolist() == [float(Fraction(mean, sum(means))) for mean in means]


@given(st.lists(st.floats(0, 1e100), min_size=1, max_size=8).filter(any))
def test_shares_lie_between_0_and_1_in_the_order_of_the_means(means):
    shares = share_of_repair(means).tolist()
    assert all(0 <= share <= 1 for share in shares)
    order = sorted(range(len(means)), key=means.__getitem__)
    assert [shares[player] for player in order] == sorted(shares)


@given(st.lists(st.floats(0, 1e6, width=32), min_size=1, max_size=8).filter(any), st.integers(-20, 20))
def test_unit_of_the_values_makes_no_difference(means, exponent):
    assert share_of_repair([mean * 2.0**exponent for mean in means]).tolist() == share_of_repair(means).tolist()


def test_mean_that_is_not_finite_is_refused():
    for wrong in (math.nan, math.inf, None):
        with pytest.raises(NotFinite):
            share_of_repair([0.5, wrong])


def test_infinite_whole_is_refused():
    with pytest.raises(TableTooLarge):
        share_of_repair([1.7e308, 1.7e308])
