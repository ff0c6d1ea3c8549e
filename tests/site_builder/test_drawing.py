import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.drawing import Drawing, mark, room, shortened, svg
from tests.known_game_files import HOSTILE


def test_marks_are_written_from_back_to_front():
    drawn = svg(Drawing(20, 10, (mark("rect", "a", x=1), mark("line", "b", x1=2))), class_="picture")
    assert drawn == (
        '<svg class="picture" viewBox="0 0 20 10" width="20" height="10">'
        '<rect class="a" x="1"></rect><line class="b" x1="2"></line></svg>'
    )


def test_group_holds_its_marks():
    inner = (mark("title", "", "what"), mark("text", "t", "word", text_anchor="end"))
    drawn = svg(Drawing(1, 1, (mark("g", "", inner, data_key=3),)))
    assert '<g data-key="3"><title>what</title><text class="t" text-anchor="end">word</text></g>' in drawn


@pytest.mark.parametrize("hostile", HOSTILE)
def test_text_is_never_markup(hostile):
    drawn = svg(Drawing(1, 1, (mark("text", "", hostile), mark("rect", "", aria_label=hostile))))
    assert drawn.count("<") == 6
    assert 'onerror="' not in drawn
    assert "\x00" not in drawn


@pytest.mark.parametrize("number", [0.5, 1.0, True])
def test_number_that_is_not_whole_is_refused(number):
    with pytest.raises(ValueError, match="whole units: x"):
        mark("rect", "", x=number)


@pytest.mark.parametrize("tag", ["script", "foreignObject", "a", "image", "use"])
def test_tag_that_could_do_something_is_refused(tag):
    with pytest.raises(ValueError, match="has no"):
        mark(tag, "")


def test_text_that_fits_is_not_cut():
    assert shortened("exactly ten"[:10], 10) == "exactly te"


def test_wide_characters_take_the_room_of_two():
    assert shortened("\u65e5\u672c\u8a9e\u65e5\u672c", 7) == "\u65e5\u672c\u8a9e\u2026"


@given(st.text(max_size=40), st.integers(1, 30))
def test_shortened_text_fits_and_begins_as_the_whole(text, most):
    short = shortened(text, most)
    assert room(short) <= most
    assert text.startswith(short.removesuffix("\u2026"))
