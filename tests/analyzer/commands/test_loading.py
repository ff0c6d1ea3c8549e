import json
import sys

import pytest

from analyzer.commands.loading import LoadingError, load_cases, load_pipeline

GOOD = """
from analyzer import Pipeline, Step
bot = Pipeline("bot", [Step("a", lambda case: 1)], score=lambda a: a)
other = 3
"""


def test_a_file_and_a_module_are_found_from_the_working_folder(folder):
    (folder / "good_bot.py").write_text(GOOD)
    assert load_pipeline("good_bot.py:bot").id == "bot"
    assert load_pipeline("good_bot:bot").id == "bot"


def test_a_file_finds_its_neighbours(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "neighbour_of_bot.py").write_text("VALUE = 1")
    (folder / "sub" / "bot_with_neighbour.py").write_text("import neighbour_of_bot" + GOOD)
    assert load_pipeline("sub/bot_with_neighbour.py:bot").id == "bot"


def test_a_file_named_like_a_loaded_module_is_still_the_file(folder):
    (folder / "json.py").write_text(GOOD)
    assert load_pipeline("json.py:bot").id == "bot"
    assert sys.modules["json"] is json


@pytest.mark.parametrize(
    ("target", "source", "message"),
    [
        ("none.py:bot", None, r"none.py: there is no such file"),
        ("no_such_module:bot", None, "no_such_module: there is no such module"),
        ("mine.py:nothing", GOOD, r"mine.py: has no attribute 'nothing'. It defines bot"),
        ("mine.py:other", GOOD, "is a int, neither a Pipeline nor a Program"),
        (
            "mine.py:bot",
            "\n\nraise RuntimeError('not today')",
            r"mine.py: fails while it is imported: RuntimeError: not today \(line 3\)",
        ),
        ("mine.py:bot", "import surely_not_installed", "No module named 'surely_not_installed'"),
        ("mine:bot", "import surely_not_installed", "mine: fails while it is imported"),
        ("mine.py:bot", "def (:", r"fails while it is imported: SyntaxError"),
        ("mine.py:bot", "raise SystemExit(4)", "fails while it is imported: SystemExit"),
        (
            "mine.py:bot",
            "from analyzer import *\nbot = Pipeline('p', [Step('a', lambda case: 1, fix=Fix('better'))], lambda a: a)",
            r"fix 'better' names no variant.*\(line 2\)",
        ),
        ("refund", None, "is no bundled scenario and names no pipeline"),
        ("mine.py:", GOOD, "names no pipeline"),
    ],
)
def test_what_cannot_be_loaded_says_what_and_why(folder, target, source, message):
    if source is not None:
        (folder / "mine.py").write_text(source)
    with pytest.raises(LoadingError, match=message):
        load_pipeline(target)


def cases_file(folder, text, encoding="utf-8"):
    path = folder / "cases.jsonl"
    path.write_bytes(text.encode(encoding))
    return path


def test_cases_are_read_with_their_ids_and_inputs(folder):
    path = cases_file(folder, '\ufeff{"id": "a#1", "q": "x\u2028y"}\r\n\n{"id": 7}\n{"q": 2}')
    cases = load_cases(path)
    assert [(case.id, dict(case.inputs)) for case in cases] == [
        ("a#1", {"q": "x\u2028y"}),
        ("7", {}),
        ("line-4", {"q": 2}),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{'id': 1}", "line 1: not JSON"),
        ('{"id": "a"}\n{"id": ', "line 2: not JSON"),
        ("[1]", "line 1: a JSON object was expected"),
        ('{"id": "a"}\n\n{"id": "a"}', "line 3: the id 'a' was used in line 1"),
        ('{"id": "7"}\n{"id": 7}', "line 2: the id '7' was used in line 1"),
        ('{"id": ""}', "line 1: field id"),
        ('{"id": [1]}', "line 1: field id"),
        ('{"id": true}', "line 1: field id"),
        ('{"x": NaN}', "line 1: NaN is not a number JSON has"),
        ("\n\n", "holds no cases"),
        ("[" * 100_000, "line 1: nested too deeply"),
    ],
)
def test_cases_that_cannot_be_read_say_the_line_and_why(folder, text, message):
    with pytest.raises(LoadingError, match=message):
        load_cases(cases_file(folder, text))


def test_a_file_of_another_encoding_or_none_is_an_error(folder):
    with pytest.raises(LoadingError, match="is not UTF-8 text"):
        load_cases(cases_file(folder, '{"q": "é"}', "latin-1"))
    with pytest.raises(LoadingError, match="cannot be read: No such file"):
        load_cases(folder / "none.jsonl")
