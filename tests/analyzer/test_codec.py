import collections
import dataclasses
import datetime
import enum
import fractions
import json
import pathlib
import zoneinfo

import numpy as np
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from analyzer.abduction import abduct
from analyzer.codec import (
    NotStorableError,
    decode,
    decode_draws,
    encode,
    encode_draws,
    mark_by,
    mark_of_given,
    plain_form,
    restored,
)
from analyzer.fingerprint import UnstableValueError, fingerprint
from analyzer.noise import Draws, World
from analyzer.steps import Codec

# Halves of characters often, as they are where JSON and Python differ.
TEXTS = st.text() | st.text(st.sampled_from("a\ud83d\ude00\U0001f600é~"), max_size=5)
ZONES = st.none() | st.sampled_from(
    [
        datetime.UTC,
        datetime.timezone(datetime.timedelta(hours=-3, seconds=7)),
        datetime.timezone(datetime.timedelta(0), "UTC"),
        datetime.timezone(datetime.timedelta(hours=1), "home \ud83d\ude00"),
        zoneinfo.ZoneInfo("UTC"),
    ]
)


@st.composite
def moments(draw):
    """Draw a datetime or a time in any of the zones, either time around that a clock shows it."""
    moment = draw(st.datetimes() | st.times())
    return moment.replace(tzinfo=draw(ZONES), fold=draw(st.integers(0, 1)))


FRACTIONS = st.builds(fractions.Fraction, st.integers(), st.integers(1))
HASHABLE_ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | TEXTS
    | st.binary()
    | st.complex_numbers()
    | st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 3))
    | st.decimals(allow_nan=False)
    | FRACTIONS
    | st.uuids()
    | st.dates()
    | st.timedeltas()
    | moments()
    | st.builds(pathlib.PurePosixPath, st.text(st.sampled_from("a/.é\udcff"), max_size=6))
    | st.builds(pathlib.PureWindowsPath, st.sampled_from(["", "c:/a", r"\\host\share\x", "a/b"]))
    | st.builds(pathlib.Path, st.sampled_from(["", "a", "/a/b", ".."]))
)
DTYPES = (
    arrays.scalar_dtypes()
    | arrays.array_dtypes(arrays.scalar_dtypes(), max_size=3)
    | arrays.nested_dtypes(max_leaves=3)
    | st.sampled_from([np.dtype("q"), np.dtype("Q"), np.dtype({"names": ["a"], "formats": ["i1"]})])
)


@st.composite
def laid_out_arrays(draw, dtypes=DTYPES):
    """Draw an array of any layout: its axes in any order, some of its rows skipped, some read backwards."""
    array = draw(arrays.arrays(draw(dtypes), arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)))
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    return array[:: draw(st.sampled_from([1, 2, -1]))] if array.ndim else array


SCALARS = (
    laid_out_arrays(arrays.scalar_dtypes() | st.just(np.dtype("q")))
    .filter(lambda array: array.size)
    .map(lambda array: array.ravel()[0])
)


def array_of_objects(items):
    array = np.empty(len(items), dtype=object)
    for index, item in enumerate(items):
        array[index] = item
    return array


HASHABLE = st.recursive(
    HASHABLE_ATOMS,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)
PLAIN = st.recursive(
    HASHABLE_ATOMS | st.binary().map(bytearray) | st.decimals() | SCALARS | laid_out_arrays(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.sets(HASHABLE, max_size=3)
        | st.dictionaries(TEXTS, inner, max_size=3)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.dictionaries(st.sampled_from(["~tuple", "~dict", "~", "~codec"]), inner, min_size=1, max_size=1)
        | st.lists(inner, max_size=3).map(array_of_objects)
    ),
    max_leaves=8,
)


def types(value):
    """Return the types of a value and of all that it holds."""
    if isinstance(value, dict):
        return (type(value), [(types(key), types(item)) for key, item in value.items()])
    if isinstance(value, list | tuple):
        return (type(value), list(map(types, value)))
    if isinstance(value, set | frozenset):
        return (type(value), sorted(str(types(item)) for item in value))
    if isinstance(value, np.ndarray):
        return (type(value), str(value.dtype), value.dtype.char, list(map(types, value.ravel().tolist())))
    return type(value)


@given(PLAIN)
def test_what_comes_back_has_the_same_fingerprint_and_the_same_types(value):
    back = decode(encode(value))
    assert fingerprint(back) == fingerprint(value)
    assert types(back) == types(value)


@given(PLAIN)
def test_text_is_canonical_ascii_json(value):
    text = encode(value)
    assert text.isascii()
    assert json.dumps(json.loads(text), separators=(",", ":")) == text
    assert encode(decode(text)) == text


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, min_size=2, max_size=4),
    max_leaves=12,
)


@given(JSON_LIKE)
def test_what_json_holds_is_written_as_itself(value):
    assert encode(value) == json.dumps(value, separators=(",", ":"))


def test_only_what_needs_a_tag_has_one():
    assert encode({"answers": ["a", (1, b"\x00")], "n": 1.5}) == (
        '{"answers":["a",{"~tuple":[1,{"~bytes":"AA=="}]}],"n":1.5}'
    )


def test_the_order_of_a_set_does_not_show_and_that_of_a_dict_does():
    one, other = {8, 0, 16}, {16, 8, 0}
    assert encode(one) == encode(other) == '{"~set":[0,16,8]}'
    assert encode({"a": 1, "b": 2}) != encode({"b": 2, "a": 1})


def test_two_halves_of_a_character_stay_two():
    assert encode("\U0001f600") != encode("\ud83d\ude00")
    assert list(decode(encode({"\ud83d\ude00": 1}))) == ["\ud83d\ude00"]


def test_a_number_of_more_digits_than_python_reads_comes_back():
    assert decode(encode([7**9_000, -(7**9_000)])) == [7**9_000, -(7**9_000)]


def test_the_layout_of_an_array_comes_back():
    value = np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)
    assert decode(encode(value)).strides == value.strides
    assert decode(encode(np.asfortranarray(np.ones((2, 3))))).flags.f_contiguous


def test_an_array_that_comes_back_can_be_written_to():
    back = decode(encode(np.zeros(3)))
    back[0] = 1.0
    assert back.tolist() == [1.0, 0.0, 0.0]


def test_not_a_number_in_an_array_keeps_its_bits():
    bits = np.array([0x7FF8000000000001, 0xFFF0000000000123], dtype=np.uint64)
    assert decode(encode(bits.view(np.float64))).view(np.uint64).tolist() == bits.tolist()


@pytest.mark.parametrize(
    "value",
    [
        np.void(b"abc"),
        np.array([b"abc"], dtype="V3"),
        np.str_("a\0"),
        np.bytes_(b"a\0"),
        np.str_(""),
        np.array(["", "a"]),
    ],
)
def test_raw_bytes_and_texts_of_numpy_keep_their_zeros(value):
    back = decode(encode(value))
    assert fingerprint(back) == fingerprint(value)
    assert types(back) == types(value)


@dataclasses.dataclass(frozen=True)
class Passage:
    title: str


class Model(pydantic.BaseModel):
    x: int = 1


class Colour(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Marked(str):
    pass


class Numbers(np.ndarray):
    pass


class Precise(np.float64):
    pass


class Opaque:
    pass


Pair = collections.namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    "value",
    [
        Passage("a"),
        Model(),
        Colour.RED,
        Level.LOW,
        Marked("a"),
        Pair(1, 2),
        collections.OrderedDict(a=1),
        np.zeros(2).view(Numbers),
        Precise(1.0),
        np.ma.array([1], mask=[1]),
        np.rec.array([(1,)], dtype=[("a", "i4")])[0],
        np.zeros(1, dtype=[("a", object)]),
        Opaque(),
        len,
    ],
)
def test_a_value_of_another_kind_is_refused_wherever_it_stands(value):
    for holder in (value, [value], {"a": value}, {1: (value,)}, array_of_objects([value])):
        with pytest.raises(NotStorableError, match=r"cannot be stored.*codec|cannot be stored.*numpy"):
            encode(holder)


def test_the_refusal_names_the_type_and_the_remedy():
    with pytest.raises(NotStorableError, match=r"a .*test_codec\.Passage cannot be stored as it is; declare codec="):
        encode({"found": [Passage("a")]})


def test_a_value_that_contains_itself_is_refused():
    value: list = []
    value.append(value)
    with pytest.raises(NotStorableError, match="contains itself"):
        encode(value)


PASSAGES = Codec("passages", lambda found: [one.title for one in found], lambda titles: list(map(Passage, titles)))


def test_a_codec_keeps_what_is_no_plain_data_and_the_text_names_it():
    text = encode([Passage("a"), Passage("b")], PASSAGES)
    assert text == '{"~codec":["passages",["a","b"]]}'
    assert decode(text, {"passages": PASSAGES}) == [Passage("a"), Passage("b")]


def test_plain_data_needs_no_codec_although_there_is_one():
    assert encode(None, PASSAGES) == "null"


def test_a_dict_that_looks_like_a_codec_is_none():
    value = {"~codec": ["passages", ["a"]]}
    assert decode(encode(value), {"passages": PASSAGES}) == value


def fail(value):
    raise RuntimeError("no such thing")


@pytest.mark.parametrize(
    ("codec", "message"),
    [
        (Codec("c", fail, list), "codec 'c': a builtins.list cannot be encoded: RuntimeError: no such thing"),
        (Codec("c", lambda found: found, list), "codec 'c': what encode returns .* is no plain data: .*Passage"),
        (Codec("c", lambda found: [], fail), "codec 'c': a stored value cannot be decoded: RuntimeError"),
        (Codec("c", lambda found: [], list), "codec 'c': decode does not give back the builtins.list"),
        (Codec("c", len, lambda plain: Opaque()), "codec 'c': what decode returns cannot be compared"),
        (
            Codec("c", lambda found: [], lambda plain: Opaque()),
            "codec 'c': decode does not give back the builtins.list",
        ),
    ],
)
def test_a_codec_that_does_not_keep_its_word_is_found_out_while_encoding(codec, message):
    with pytest.raises(NotStorableError, match=message):
        encode([Passage("a")], codec)


def test_a_codec_that_changes_what_it_is_given_is_found_out():
    def encode_and_empty(found):
        titles = [one.title for one in found]
        found.clear()
        return titles[1:]

    codec = Codec("c", encode_and_empty, lambda titles: list(map(Passage, titles)))
    with pytest.raises(NotStorableError, match="does not give back"):
        encode([Passage("a")], codec)


class Page:
    """A plain object, which nothing but its codec tells from another."""

    def __init__(self, title):
        self.title = title


PAGE = Codec("page", lambda page: page.title, Page)
PAGES = Codec("pages", lambda pages: [page.title for page in pages], lambda titles: list(map(Page, titles)))


@given(TEXTS, TEXTS)
def test_objects_of_a_codec_have_one_fingerprint_exactly_when_they_are_encoded_alike(one, other):
    assert (mark_by(Page(one), PAGE) == mark_by(Page(other), PAGE)) == (one == other)


@given(st.lists(TEXTS, max_size=3))
def test_objects_of_a_codec_come_back_with_the_fingerprint_they_had(titles):
    pages = list(map(Page, titles))
    mark = mark_by(pages, PAGES)
    back = restored(encode(pages, PAGES), mark, {"page": PAGE, "pages": PAGES})
    assert types(back) == types(pages)
    assert [page.title for page in back] == titles
    assert mark_by(back, PAGES) == mark


def test_what_has_a_fingerprint_of_its_own_keeps_it_although_there_is_a_codec():
    assert mark_by([Passage("a")], PASSAGES) == fingerprint([Passage("a")])
    assert mark_by("a", PAGE) == fingerprint("a")


def test_an_object_is_told_from_what_it_is_encoded_as_and_from_that_of_another_codec():
    other = dataclasses.replace(PAGE, name="other")
    plain = ["a", ["page", "a"], ("page", "a"), encode(Page("a"), PAGE), json.loads(encode(Page("a"), PAGE))]
    marks = [mark_by(Page("a"), PAGE), mark_by(Page("a"), other), *map(fingerprint, plain)]
    assert len(set(marks)) == len(marks)


@pytest.mark.parametrize(
    ("value", "codec", "message"),
    [
        (Page("a"), None, "a .*Page has no stable fingerprint"),
        (Page("a"), Codec("c", fail, Page), "codec 'c': a .*Page cannot be encoded: RuntimeError: no such thing"),
        (Page(len), Codec("c", vars, Page), "codec 'c': what encode returns for a .*Page is no plain data"),
        ({"page": Page("a")}, PAGE, "codec 'page': a builtins.dict cannot be encoded: AttributeError"),
    ],
)
def test_what_no_codec_can_tell_from_others_has_no_fingerprint(value, codec, message):
    with pytest.raises(UnstableValueError, match=message):
        mark_by(value, codec)


def test_encoding_for_a_fingerprint_changes_nothing():
    pages = [Page("a"), Page("b")]
    mark_by(pages, Codec("c", lambda found: [found.pop().title for _ in range(len(found))], list))
    assert [page.title for page in pages] == ["a", "b"]


@pytest.mark.parametrize(
    "now",
    [
        dataclasses.replace(PAGE, encode=lambda page: page.title.upper()),
        dataclasses.replace(PAGE, decode=lambda title: Page("another")),
        dataclasses.replace(PAGE, encode=fail),
        dataclasses.replace(PAGE, decode=fail),
    ],
)
def test_what_a_changed_codec_makes_another_value_is_not_restored(now):
    text, mark = encode(Page("a"), PAGE), mark_by(Page("a"), PAGE)
    with pytest.raises(NotStorableError):
        restored(text, mark, {"page": now})
    assert restored(text, mark, {"page": PAGE}).title == "a"


def test_what_a_program_hands_over_is_compared_by_the_codecs_of_its_steps_wherever_it_stands():
    whole, parts = [Page("a"), Page("b")], {"found": [Page("a"), 1], "by": ("x", Page("b"))}
    assert mark_of_given(Page("a"), [PAGES, PAGE]) == mark_by(Page("a"), PAGE)
    assert mark_of_given(whole, [PAGES, PAGE]) == mark_by(whole, PAGES)
    assert mark_of_given(parts, [PAGES, PAGE]) == mark_of_given(
        {"found": [Page("a"), 1], "by": ("x", Page("b"))}, [PAGES, PAGE]
    )
    others = [{"found": [Page("c"), 1], "by": ("x", Page("b"))}, {"found": [Page("a"), 1], "by": ["x", Page("b")]}, "a"]
    assert len({mark_of_given(value, [PAGES, PAGE]) for value in [parts, *others]}) == 4


def test_a_codec_is_not_taken_for_what_it_does_not_give_back():
    class Sheet(Page):
        pass

    for value in (Sheet("a"), [Sheet("a")], {"a": Sheet("a")}):
        with pytest.raises(UnstableValueError, match="Sheet has no stable fingerprint"):
            mark_of_given(value, [PAGES, PAGE])
    assert mark_of_given([Sheet("a")], [PAGES, Codec("sheet", vars, lambda fields: Sheet(**fields))])
    with pytest.raises(UnstableValueError, match="Page has no stable fingerprint"):
        mark_of_given(Page("a"), [])


def test_the_plain_form_shows_what_codecs_make_of_objects_and_leaves_the_rest():
    held = {"found": [Page("a"), Passage("b")], "n": 1}
    assert plain_form(held, [PAGE]) == {"found": ["a", Passage("b")], "n": 1}
    assert plain_form([Page("a"), Page("b")], [PAGES, PAGE]) == ["a", "b"]
    assert plain_form(Page("a"), [PAGE]) == "a"
    lone = Opaque()
    assert plain_form(lone, [PAGE]) is lone


def test_a_text_whose_codec_is_not_known_is_refused():
    with pytest.raises(NotStorableError, match="needs the codec 'passages'"):
        decode(encode([Passage("a")], PASSAGES), {"others": PASSAGES})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1,",
        "NaN",
        '{"a":Infinity,"~b":1}',
        '{"~unknown":1}',
        '{"~codec":1}',
        '{"~bytes":"?"}',
        '{"~fraction":[1,0]}',
        '{"~decimal":"one"}',
        '{"~datetime":["2026-01-01T00:00:00",0,"No/Where"]}',
        '{"~set":[[1]]}',
        '{"~array":{"shape":[2],"dtype":"<f8","data":"AAAA"}}',
        '{"~array":{"shape":[1],"dtype":"|O","data":"AAAAAAAAAAA="}}',
        '{"~scalar":{"dtype":"|O","data":"AAAAAAAAAAA="}}',
        '{"~array":{"shape":[1],"dtype":[{"~tuple":["a","|O"]}],"data":"AAAAAAAAAAA="}}',
        "[" * 100_000,
    ],
)
def test_a_text_that_makes_no_sense_is_refused(text):
    with pytest.raises(NotStorableError):
        decode(text)


LABELS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS | st.binary() | st.dates(),
    lambda inner: st.lists(inner, max_size=2).map(tuple),
    max_leaves=3,
)
NAMES = st.sampled_from(["turn", "token", "~", "\ud83d"])
NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def drawn(draw):
    """Draw the records of a step call that made draws of every kind."""
    draws = Draws(World(draw(TEXTS)).of_step("s"))
    for _ in range(draw(st.integers(0, 4))):
        name = draw(NAMES)
        kind = draw(st.sampled_from(["categorical", "vocabulary", "uniform", "normal", "integer", "shuffle"]))
        if kind == "categorical":
            options = draw(st.dictionaries(LABELS, NUMBERS, min_size=1, max_size=4))
            draws.categorical(name, options | {"never": -float("inf")})
        elif kind == "vocabulary":
            draws.vocabulary(name, draw(st.lists(NUMBERS, min_size=1, max_size=5)))
        elif kind == "integer":
            low = draw(st.integers(-(2**70), 2**70))
            draws.integer(name, low, low + draw(st.integers(1, 2**40)))
        elif kind == "shuffle":
            draws.shuffle(name, draw(st.lists(LABELS | st.lists(LABELS, max_size=2), max_size=4)))
        else:
            getattr(draws, kind)(name, draw(NUMBERS), draw(NUMBERS))
    return draws.records


def as_plain(draws):
    return [dataclasses.astuple(draw) for draw in draws]


@given(drawn())
def test_draws_come_back_as_they_were(draws):
    back = decode_draws(encode_draws(draws), "s")
    assert fingerprint(as_plain(back)) == fingerprint(as_plain(draws))
    assert types(as_plain(back)) == types(as_plain(draws))


@given(drawn())
def test_draws_that_came_back_are_explained_by_the_same_world(draws):
    assert abduct(decode_draws(encode_draws(draws), "s"), "w").id == abduct(draws, "w").id


@given(drawn())
def test_memory_tells_draws_that_came_back_from_no_others(draws):
    for back, draw in zip(decode_draws(encode_draws(draws), "s"), draws, strict=True):
        assert back.address == draw.address
        assert type(back.address) is type(draw.address)
        assert list(back.noise) == list(draw.noise)


def made(draw_it):
    draws = Draws(World("w").of_step("s"))
    draw_it(draws)
    return draws.records


def test_numpy_labels_and_bounds_come_back():
    draws = made(lambda draw: draw.categorical("a", {np.int64(3): 0.0, np.str_("x"): np.float32(0.5)}))
    draws += made(lambda draw: draw.uniform("u", np.float64(1), 2))
    back = decode_draws(encode_draws(draws), "s")
    assert fingerprint(as_plain(back)) == fingerprint(as_plain(draws))


def test_a_choice_among_objects_comes_back_as_its_label():
    passages = [Passage("a"), Passage("b"), Passage("c")]
    draws = made(lambda draw: (draw.shuffle("order", passages), draw.categorical("one", dict.fromkeys(passages, 0.0))))
    back = decode_draws(encode_draws(draws), "s")
    assert [record.picked for record in back] == [record.picked for record in draws]
    assert back[0].choice == [fingerprint(passage) for passage in draws[0].choice]
    assert back[1].choice == fingerprint(draws[1].choice)
    assert abduct(back, "w").id == abduct(draws, "w").id


def test_a_large_vocabulary_takes_eleven_bytes_a_number():
    draws = made(lambda draw: draw.vocabulary("token", np.linspace(-9, 0, 50_000)))
    assert len(encode_draws(draws)) < 2 * 50_000 * 11


def test_a_bound_of_an_unknown_kind_is_refused():
    draws = made(lambda draw: draw.integer("n", 0, 3))
    with pytest.raises(NotStorableError, match="Opaque cannot be stored"):
        encode_draws([dataclasses.replace(draws[0], bounds=(Opaque(), 3))])


@pytest.mark.parametrize("text", ["[", "[1]", "[[1,2]]", '{"a":1}', "3", "[[0,0,0,[],[],[],[],[5],[]]]"])
def test_a_text_without_draws_is_refused(text):
    with pytest.raises(NotStorableError):
        decode_draws(text, "s")
