import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import isolated

#: Directional classes of the bidirectional algorithm that are strong from right to left, or set a direction.
TURNING = {"R", "AL", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
HEBREW = "\u05e9\u05dc\u05d5\u05dd"


def bidirectional(character):
    return unicodedata.bidirectional(character)


def test_every_character_that_turns_a_text_is_isolated_and_none_that_runs_left_to_right():
    turned = {chr(code) for code in range(sys.maxunicode + 1) if isolated(chr(code)) != chr(code)}
    expected = {chr(code) for code in range(sys.maxunicode + 1) if bidirectional(chr(code)) in TURNING}
    assert expected <= turned
    assert "L" not in {bidirectional(character) for character in turned - expected}


@given(st.text())
def test_whatever_a_name_holds_its_isolate_begins_and_ends_once(name):
    found = isolated(name)
    marks = [character for character in found if "\u2066" <= character <= "\u2069"]
    assert marks in ([], ["\u2068", "\u2069"])
    assert found == name or (found[0], found[-1]) == ("\u2068", "\u2069")


@given(st.text())
def test_name_that_is_isolated_stays_as_it_is(name):
    assert isolated(isolated(name)) == isolated(name)


@pytest.mark.parametrize(
    "name", ["Writer", "\u00c9crivain", "\u65e5\u672c\u8a9e", "\u0928\u092e", "a#1 (50%)", "\U0001f600", ""]
)
def test_name_that_runs_from_left_to_right_is_left_alone(name):
    assert isolated(name) == name


def test_name_that_would_end_its_isolate_cannot():
    assert isolated(f"{HEBREW}\u2069 + a") == f"\u2068{HEBREW} + a\u2069"
