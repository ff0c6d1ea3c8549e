import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.shown import shown_text, well_formed


@dataclasses.dataclass
class Point:
    x: int


def test_text_is_shown_as_it_is():
    assert shown_text("<b>é\n") == "<b>é\n"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"b": 1, "a": [True, None]}, {"b": 1, "a": [True, None]}),
        (Point(1), {"x": 1}),
        (np.array([[1, 2]]), [[1, 2]]),
        ({1: (2, 3)}, {"1": [2, 3]}),
        (float("nan"), "nan"),
        (b"\x00\x01", "2 bytes: 00 01"),
        ({"b", "a"}, ["a", "b"]),
        (np.longdouble(1.5), "1.5"),
    ],
)
def test_data_is_shown_as_json(value, shown):
    assert json.loads(shown_text(value)) == shown


def test_surrogate_pairs_are_joined_and_lone_ones_replaced():
    assert well_formed("\ud83d\ude00 \ud800 \udfff") == "\U0001f600 \ufffd \ufffd"


def test_what_is_nested_too_deeply_says_so():
    deep: list = []
    for _ in range(5_000):
        deep = [deep]
    assert shown_text(deep) == "a list nested too deeply to be shown"


@given(st.text(st.characters()))
def test_shown_text_always_fits_utf8(text):
    well_formed(text).encode("utf-8")
    shown_text([text]).encode("utf-8")
