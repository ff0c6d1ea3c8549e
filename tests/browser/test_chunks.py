"""All games of a mode come in chunks: whatever their size and the browser's age, the page computes the same."""

from __future__ import annotations

import base64
import random
import shutil
import struct

import pytest
from playwright.sync_api import expect

from analyzer.game_file import ScoreInfo
from site_builder import batch_data
from tests.browser.conftest import OPENINGS, Built, build, show
from tests.browser.doubles import HEX, in_hex
from tests.known_game_files import letters, plain_text
from tests.made_game_files import case_game, game_file, scenario

STEPS = letters(3)
GRADED = ScoreInfo("share of the rubric", True, -1.0, 1.0, 0.5)
CASES = 23
#: Among them what is rounded, what has no sign or many digits, and a hole.
NUMBERS = [0.0, -0.0, 5e-324, -2.2250738585072014e-308, 1 / 3, -1.7976931348623157e308, 0.1 + 0.2, 2.0**53 + 1]
READ = (
    "({ text, old }) => {"
    + HEX
    + """
    const kept = Uint8Array.fromBase64;
    if (old) delete Uint8Array.fromBase64;
    const numbers = AgentBlame.base64.doublesOf(text);
    if (kept !== undefined) Uint8Array.fromBase64 = kept;
    return hex(numbers);
}"""
)


def rubric(cases: int):
    luck = random.Random("rubric")
    found = [
        case_game(STEPS, f"case-{k}", [luck.uniform(-1, 1) for _ in range(8)], None, plain_text) for k in range(cases)
    ]
    return game_file(scenario("rubric", "Rubric", "", GRADED), STEPS, "replayed", 1, found)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Built:
    return build([rubric(CASES)], tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def split(tmp_path_factory) -> Built:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_data, "LARGEST", 300)
        return build([rubric(CASES)], tmp_path_factory.mktemp("split"))


@pytest.mark.parametrize("old", [False, True])
def test_numbers_come_out_of_base64_bit_for_bit(page, whole, old):
    show(page, whole.address("folder", "rubric"))
    text = base64.b64encode(struct.pack(f"<{len(NUMBERS)}d", *NUMBERS)).decode("ascii")
    assert page.evaluate(READ, {"text": text, "old": old}) == in_hex(NUMBERS)


@pytest.mark.parametrize("opening", OPENINGS)
def test_many_chunks_give_the_table_of_one(page, whole, split, opening):
    names = sorted(path.name for path in (split.site / "data" / "rubric").glob("batch.*"))
    assert names == sorted(["batch.replayed.js", *(f"batch.replayed.{k}.js" for k in range(1, 8))])
    show(page, whole.address(opening, "rubric"))
    expected = page.evaluate("() => AgentBlame.page.batch()")
    show(page, split.address(opening, "rubric"))
    assert page.evaluate("() => AgentBlame.page.batch()") == expected
    assert expected["complete"] == CASES


def test_chunk_that_is_missing_in_the_middle_is_named(browser, split, tmp_path):
    shutil.copytree(split.site, tmp_path / "site")
    (tmp_path / "site" / "data" / "rubric" / "batch.replayed.3.js").unlink()
    # A file that is not there is a message in the console, which the pages of other tests may not have.
    context = browser.new_context(offline=True)
    page = context.new_page()
    show(page, Built(tmp_path / "site", split.report).address("folder", "rubric"))
    expect(page.locator("[data-scenario]:not([hidden]) [data-part=notice]")).to_contain_text("batch.replayed.3.js")
    context.close()
