import collections
import dataclasses
import datetime
import decimal
import enum
import importlib
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


class Marked(str):
    """A text that carries something more."""


class Private(pydantic.BaseModel):
    _secret: int = pydantic.PrivateAttr(default=1)


@dataclasses.dataclass
class Named(dict):
    name: str = ""


def marked(text, **attributes):
    value = Marked(text)
    value.__dict__.update(attributes)
    return value


def private(secret):
    value = Private()
    value._secret = secret
    return value


def named(name, **items):
    value = Named(name)
    value.update(items)
    return value


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (marked("x", by=1), marked("x", by=2)),
        (private(1), private(2)),
        (named("n", a=1), named("n", a=2)),
        (b"x", bytearray(b"x")),
        (pathlib.PurePosixPath("a"), pathlib.PureWindowsPath("a")),
        (np.zeros(1, dtype=[("a", "i4")]), np.zeros(1, dtype=[("b", "i4")])),
        ({float("nan"): 1, float("-nan"): 2}, {float("nan"): 1}),
    ],
)
def test_whatever_a_step_could_tell_apart_has_another_fingerprint(one, other):
    assert fingerprint(one) != fingerprint(other)


@given(JSON_LIKE, JSON_LIKE)
def test_fingerprints_agree_exactly_when_the_written_values_do(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (typed(one) == typed(other))


def typed(value):
    if isinstance(value, dict):
        return ("dict", [(key, typed(item)) for key, item in value.items()])
    if isinstance(value, list):
        return ("list", [typed(item) for item in value])
    return (type(value).__name__, repr(value))


def test_memory_layout_does_not_matter():
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


class Zone(datetime.tzinfo):
    pass


@pytest.mark.parametrize(
    "value",
    [
        Opaque(),
        [Opaque()],
        {"a": Opaque()},
        object(),
        lambda: 1,
        iter([]),
        np.array([Opaque()]),
        np.ma.array([1], mask=[1]),
        datetime.datetime(2026, 1, 1, tzinfo=Zone()),
        np.zeros(1, dtype=[("a", object)]),
    ],
)
def test_a_value_known_only_by_its_address_is_an_error(value):
    with pytest.raises(UnstableValueError, match="no stable fingerprint"):
        fingerprint(value)


def test_a_value_that_contains_itself_is_an_error():
    value: list = []
    value.append(value)
    with pytest.raises(UnstableValueError, match="contains itself"):
        fingerprint(value)


def test_the_code_of_ones_own_class_is_part_of_its_values(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    marks = []
    for number, text in enumerate(("short", "long", "short")):
        lines = ["import dataclasses", "@dataclasses.dataclass", "class Doc:", "    text: str"]
        code = "\n".join([*lines, "    def render(self):", f"        return '{text}'", ""])
        (tmp_path / f"docs{number}.py").write_text(code)
        module = importlib.import_module(f"docs{number}")
        monkeypatch.setattr(module.Doc, "__module__", "docs")
        monkeypatch.setitem(sys.modules, "docs", module)
        marks.append(fingerprint(module.Doc("same")))
    assert marks[0] == marks[2] != marks[1]
