import pytest

from site_builder.figures import Bar, Scale, Whiskers, bar, bar_svg, scale, whiskers


def test_scale_holds_zero_and_the_unit():
    assert scale([0.25], 1.0) == Scale(0.0, 1.0)


def test_scale_reaches_below_zero_for_a_fix_that_makes_things_worse():
    assert scale([0.5, -0.25], 0.0) == Scale(-0.25, 0.5)


def test_scale_of_zeros_is_not_empty():
    assert scale([0.0, 0.0], 0.0) == Scale(0.0, 1.0)


def test_positive_bar_starts_at_zero():
    assert bar(5 / 12, Scale(0.0, 1.0)) == Bar(zero=0, x=0, width=417, negative=False)


def test_negative_bar_ends_at_zero():
    assert bar(-0.25, Scale(-0.25, 0.75)) == Bar(zero=250, x=0, width=250, negative=True)


@pytest.mark.parametrize("number", [1.7e308, -1.7e308, 5e-324])
def test_bar_of_an_extreme_number_stays_within_the_drawing(number):
    drawn = bar(number, scale([1.7e308, -1.7e308], 0.0))
    assert 0 <= drawn.x <= drawn.x + drawn.width <= 1000


def test_whiskers_end_where_bars_of_their_ends_would():
    span = Scale(-0.5, 1.5)
    assert whiskers(-0.25, 0.75, span) == Whiskers(low=125, high=625)
    assert bar(0.75, span) == Bar(zero=250, x=250, width=375, negative=False)


@pytest.mark.parametrize("number", [1.7e308, 5e-324])
def test_whiskers_of_extreme_ends_stay_within_the_drawing(number):
    drawn = whiskers(-number, number, scale([1.7e308, -1.7e308], 0.0))
    assert 0 <= drawn.low <= drawn.high <= 1000


def test_bar_is_drawn_with_whiskers_only_where_there_is_an_interval():
    drawn = bar(0.5, Scale(0.0, 1.0))
    assert "bar-whiskers" not in bar_svg(drawn)
    assert 'd="M400 4V16M400 10H600M600 4V16"' in bar_svg(drawn, whiskers(0.4, 0.6, Scale(0.0, 1.0)))
