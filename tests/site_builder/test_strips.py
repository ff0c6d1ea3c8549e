from hypothesis import given
from hypothesis import strategies as st

from site_builder.figures import WIDTH
from site_builder.strips import HEIGHT, bin_of, bin_text, ruler, strip, strip_svg

VALUES = st.lists(st.floats(-1, 1), min_size=1, max_size=80)


@given(VALUES, VALUES)
def test_every_value_is_in_one_bin_and_every_bin_in_the_picture(first, second):
    on = ruler([[value] for value in [*first, *second]], 1.0)
    for values in (first, second):
        found = strip(values, on)
        assert sum(one.cases for one in found.bins) == len(values)
        assert all(0 <= one.x < one.x + one.width <= WIDTH and 0 < one.height <= HEIGHT for one in found.bins)


@given(VALUES)
def test_bins_do_not_overlap_and_zero_is_in_the_middle_of_its_own(values):
    found = strip([*values, 0.0], ruler([[value] for value in values], 1.0))
    for left, right in zip(found.bins, found.bins[1:], strict=False):
        assert left.number < right.number
        assert left.x + left.width <= right.x
    middle = next(one for one in found.bins if one.number == 0)
    assert abs(2 * found.zero - (2 * middle.x + middle.width)) <= 2


def test_fullest_bin_of_all_fixes_is_the_highest():
    on = ruler([[0.0, 0.0], [0.0, 0.5], [0.0, 1.0]], 1.0)
    assert [one.height for one in strip([0.0, 0.0, 0.0], on).bins] == [HEIGHT]
    assert [one.height for one in strip([0.0, 0.5, 1.0], on).bins] == [33, 33, 33]


def test_single_case_among_many_can_be_seen():
    on = ruler([[0.0]] * 10_000 + [[1.0]], 1.0)
    assert strip([1.0], on).bins[0].height > 0


def test_fixes_share_one_scale():
    on = ruler([[-0.5, 1.0]], 1.0)
    left, right = strip([-0.5], on), strip([1.0], on)
    assert left.zero == right.zero
    assert left.bins[0].x == 0
    assert right.bins[0].x + right.bins[0].width == WIDTH


def test_scale_without_bounds_is_that_of_the_largest_value():
    assert ruler([[-40.0], [20.0]], None).step == 4.0
    assert ruler([[0.0]], None).step == 0.1


def test_bin_begins_in_the_middle_between_two_steps():
    assert [bin_of(value, 0.1) for value in (-0.05, 0.049, 0.05, 0.25, 1.0)] == [0, 0, 1, 3, 10]
    assert bin_text(3, 0.1) == "0.250 to 0.350"


def test_outermost_range_ends_where_values_do():
    assert bin_text(10, 0.1) == "0.950 to 1"
    assert bin_text(-10, 0.1) == "−1 to −0.950"


def test_strip_says_what_it_shows():
    on = ruler([[0.0], [0.5]], 1.0)
    assert strip([0.0, 0.5], on).text == "from 0 to 0.500"
    assert strip([0.5, 0.5], on).text == "all at 0.500"
    assert strip([], on).text == "no values"


def test_sign_is_told_by_more_than_colour():
    drawn = strip_svg(strip([-0.5, 0.5], ruler([[-0.5], [0.5]], 1.0)))
    assert drawn.count('class="strip-bin is-negative"') == 1
    assert 'class="strip-zero"' in drawn
