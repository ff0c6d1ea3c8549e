import collections
import dataclasses
import datetime
import decimal
import enum
import pathlib
import subprocess
import sys

import numpy as np
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.fingerprint import UnstableValueError, fingerprint

JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Model(pydantic.BaseModel):
    x: int
    tags: list[str] = []


class Colour(enum.Enum):
    RED = 1


Pair = collections.namedtuple("Pair", "x y")

DIFFERENT = [
    None,
    True,
    1,
    1.0,
    "1",
    b"1",
    [1],
    (1,),
    {1},
    frozenset({1}),
    {"1": 1},
    {1: "1"},
    [],
    (),
    {},
    "",
    b"",
    0.0,
    -0.0,
    float("nan"),
    float("inf"),
    [[1], 2],
    [1, [2]],
    Point(1, 2),
    Point(2, 1),
    Pair(1, 2),
    Model(x=1),
    Model(x=1, tags=["a"]),
    Colour.RED,
    np.array([1, 2]),
    np.array([1.0, 2.0]),
    np.array([[1], [2]]),
    np.array([[1, 2]]),
    np.int64(1),
    np.float64(1),
    np.array(["a", None], dtype=object),
    decimal.Decimal("1"),
    decimal.Decimal("1.0"),
    datetime.date(2026, 1, 1),
    datetime.datetime(2026, 1, 1),
    datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    pathlib.PurePosixPath("a"),
    1 + 0j,
    range(3),
    "\ud800",
    "\udfff",
    collections.OrderedDict(a=1),
    {"a": 1},
]


def test_different_values_and_types_have_different_fingerprints():
    marks = [fingerprint(value) for value in DIFFERENT]
    assert len(set(marks)) == len(DIFFERENT)


@given(JSON_LIKE, JSON_LIKE)
def test_fingerprints_agree_exactly_when_the_written_values_do(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (typed(one) == typed(other))


def typed(value):
    if isinstance(value, dict):
        return ("dict", {key: typed(item) for key, item in value.items()})
    if isinstance(value, list):
        return ("list", [typed(item) for item in value])
    return (type(value).__name__, repr(value))


def test_order_of_keys_and_memory_layout_do_not_matter():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    square = np.arange(6).reshape(2, 3)
    assert fingerprint(square.T) == fingerprint(np.ascontiguousarray(square.T))


def test_fingerprint_is_the_same_in_another_process():
    code = "from analyzer.fingerprint import fingerprint; print(fingerprint([{'a', 'b', 'c'}, {'x': 1.5}, 'é']))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            cwd=".",
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert printed == {fingerprint([{"a", "b", "c"}, {"x": 1.5}, "é"])}


class Opaque:
    pass


@pytest.mark.parametrize(
    "value", [Opaque(), [Opaque()], {"a": Opaque()}, object(), lambda: 1, iter([]), np.array([Opaque()])]
)
def test_a_value_known_only_by_its_address_is_an_error(value):
    with pytest.raises(UnstableValueError, match="no stable fingerprint"):
        fingerprint(value)


def test_a_value_that_contains_itself_is_an_error():
    value: list = []
    value.append(value)
    with pytest.raises(UnstableValueError, match="contains itself"):
        fingerprint(value)
