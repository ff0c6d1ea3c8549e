import json
import math
import re

import pytest

from site_builder.payload import data_block, pack, script_chunk, unpack, visible
from tests.known_game_files import HOSTILE

KEY = "scenario/case"


def spoken(chunk: bytes) -> tuple[str, str]:
    """Read what a script chunk hands over: its key, and the JSON it packed."""
    match = re.fullmatch(r"AgentBlame\.receive\((\".*?\"), (\".*\")\);\n", chunk.decode("utf-8"))
    assert match is not None
    return json.loads(match[1]), unpack(json.loads(match[2]))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_comes_back_from_a_script_chunk(text):
    key, inner = spoken(script_chunk(KEY, {"text": text, text: 1}))
    expected = text.replace("\ud800", "\ufffd")
    assert key == KEY
    assert json.loads(inner) == {"text": expected, expected: 1}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_comes_back_from_a_block_of_a_page(text):
    block = str(data_block(KEY, {"text": text}))
    inner = block[block.index(">") + 1 : block.rindex("<")]
    assert json.loads(unpack(inner)) == {"text": text.replace("\ud800", "\ufffd")}


@pytest.mark.parametrize("text", HOSTILE)
def test_data_hold_nothing_that_could_end_a_script_or_be_markup(text):
    content = {"text": text}
    block = str(data_block(KEY, content))[len("<script") : -len("</script>")]
    assert re.fullmatch(
        r"AgentBlame\.receive\(\"[a-z/]+\", \"[A-Za-z0-9+/=]+\"\);\n", script_chunk(KEY, content).decode()
    )
    assert re.fullmatch(r" type=\"text/plain\" data-key=\"[a-z/]+\">[A-Za-z0-9+/=]+", block)


def test_long_texts_are_compressed():
    assert len(script_chunk(KEY, {"text": "the same line again\n" * 10_000})) < 2_000


def test_equal_content_is_packed_alike_whenever():
    assert pack({"b": 1, "a": [0.1]}) == pack({"a": [0.1], "b": 1})


@pytest.mark.parametrize("damaged", ["AAAA", "not base64", pack({"a": 1})[:-8]])
def test_damaged_data_are_an_error_with_a_name(damaged):
    with pytest.raises(ValueError, match=r"damaged|base64|padding|[Nn]on-base64|Only base64"):
        unpack(damaged)


@pytest.mark.parametrize("number", [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 0.1 + 0.2, 2.0**53 - 1])
def test_doubles_come_back_bit_for_bit(number):
    _, inner = spoken(script_chunk(KEY, {"number": number}))
    assert json.loads(inner)["number"].hex() == number.hex()


def test_number_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        script_chunk(KEY, {"number": math.nan})


def test_lone_surrogate_and_control_characters_are_shown_as_replacement():
    assert visible("a\ud800b\x00c\nd\te") == "a\ufffdb\ufffdc\nd\te"
