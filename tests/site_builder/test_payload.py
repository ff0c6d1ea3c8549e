import json
import math
import re

import pytest

from site_builder.payload import encode, json_block, script_chunk, visible
from tests.known_game_files import HOSTILE

KEY = "scenario/case"


def spoken(chunk: bytes) -> tuple[str, str]:
    """Read the two strings a script chunk hands over."""
    match = re.fullmatch(r"AgentBlame\.receive\((\".*?\"), (\".*\")\);\n", chunk.decode("utf-8"), re.DOTALL)
    assert match is not None
    return json.loads(match[1]), json.loads(match[2])


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_comes_back_from_a_script_chunk(text):
    key, inner = spoken(script_chunk(KEY, {"text": text, text: 1}))
    expected = text.replace("\ud800", "\ufffd")
    assert key == KEY
    assert json.loads(inner) == {"text": expected, expected: 1}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_comes_back_from_a_json_block(text):
    block = encode(str(json_block(KEY, {"text": text}))).decode("utf-8")
    inner = block[block.index(">") + 1 : block.rindex("<")]
    assert json.loads(inner) == {"text": text.replace("\ud800", "\ufffd")}


@pytest.mark.parametrize("text", HOSTILE)
def test_data_never_ends_its_script(text):
    content = {"text": text}
    block = str(json_block(KEY, content))[len("<script") : -len("</script>")]
    written = script_chunk(KEY, content).decode("utf-8") + block
    assert "<" not in written.replace("<script", "", 1)
    assert "\u2028" not in written


@pytest.mark.parametrize("number", [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 0.1 + 0.2, 2.0**53 - 1])
def test_doubles_come_back_bit_for_bit(number):
    _, inner = spoken(script_chunk(KEY, {"number": number}))
    assert json.loads(inner)["number"].hex() == number.hex()


def test_number_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        script_chunk(KEY, {"number": math.nan})


def test_lone_surrogate_and_control_characters_are_shown_as_replacement():
    assert visible("a\ud800b\x00c\nd\te") == "a\ufffdb\ufffdc\nd\te"
