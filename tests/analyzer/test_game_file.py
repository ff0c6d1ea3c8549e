import dataclasses
import json
import os
import stat

import pytest

from analyzer.batch import Plan, analyze
from analyzer.game_file import GameFileError, check_arithmetic, dumps, read, read_folder, schema, write
from analyzer.pipeline import Case, Fix, Pipeline, Step


def a_file(score=lambda b: b == 2, case=None, mode="replayed"):
    steps = [
        Step("a", lambda case: 1, fix=Fix("x", lambda case: 2)),
        Step("b", lambda a: a, fix=Fix("y", lambda a: a + 1)),
    ]
    pipeline = Pipeline("tiny/one", steps, score=score, title="Tiny")
    return analyze(pipeline, [case or Case("c#1", {"q": "a\u2028b"})], Plan(modes=(mode,), worlds=2)).files[0]


@pytest.fixture
def path(tmp_path):
    return write(a_file(), tmp_path / "games")


def edit(path, line, change):
    lines = path.read_text("utf-8").split("\n")
    content = json.loads(lines[line])
    change(content)
    lines[line] = json.dumps(content)
    path.write_text("\n".join(lines), "utf-8")


def test_what_is_written_reads_back_equal(path):
    assert read(path) == a_file()


def test_graded_scores_read_back_to_the_last_bit(tmp_path):
    file = a_file(score=lambda b: b / 3 - 0.1)
    assert read(write(file, tmp_path)) == file


def test_bytes_are_canonical(path):
    text = path.read_text("utf-8")
    for line in text.split("\n")[:-1]:
        assert line == json.dumps(json.loads(line), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert text == dumps(a_file())


def test_file_name_holds_only_safe_characters(path):
    assert path.name == "tiny-one.replayed.jsonl"


def test_schema_is_a_valid_draft_and_refuses_a_stranger():
    assert schema()["$defs"]["header"]["properties"]["schema_version"] == {"const": 1}


def test_rewriting_replaces_and_leaves_nothing_behind(path):
    write(a_file(), path.parent)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_game_file_is_readable_like_any_other_file(path):
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_a_stranger_in_the_way_is_not_overwritten(path):
    path.write_text("my notes\n")
    with pytest.raises(GameFileError, match="is not a game file"):
        write(a_file(), path.parent)
    assert path.read_text() == "my notes\n"


def test_a_folder_that_is_a_file_is_an_error(path):
    with pytest.raises(GameFileError, match="cannot be written"):
        write(a_file(), path)


DAMAGE = [
    (lambda text: text[:-20], "the last line is cut short"),
    (lambda text: "", "is empty"),
    (
        lambda text: text.replace('"schema_version":1', '"schema_version":2'),
        "field schema_version: this release reads version 1, the file has 2",
    ),
    (lambda text: text.replace("agentblame/game", "something/else"), "field schema: 'agentblame/game' was expected"),
    (lambda text: text.replace('"worth":[0,', '"worth":[NaN,'), "line 2: NaN is not a number JSON has"),
    (lambda text: text.replace('"worth":[0,', '"worth":["0",'), r"line 2: field worth.0"),
    (lambda text: text.replace('"worth":[0,', '"worth":['), "field worth: 4 entries were expected"),
    (lambda text: text.replace('"worth":[0,', '"worth":[0.5,'), "coalition 0 must be a whole number of 1/1"),
    (lambda text: text.replace('"worth":[0,', '"worth":[null,'), "coalition 0 is missing without a reason"),
    (lambda text: text.replace('"kind":"case"', '"kind":"cas"'), "line 2: field kind"),
    (lambda text: text.replace('"mode":"replayed"', '"mode":"other"'), "line 1: field mode"),
    (
        lambda text: text.replace('"analysed":1', '"analysed":2'),
        "field counts.analysed: says 2, the file holds 1 cases",
    ),
    (lambda text: text.replace('"players":["a","b"]', '"players":["a"]'), "field players"),
    (lambda text: text + text.split("\n")[1] + "\n", "counts.analysed|came before"),
    (lambda text: text.replace('"id":"c#1"', '"extra":1,"id":"c#1"'), "line 2: field"),
    (lambda text: text.replace('{"', "[", 1), "line 1: not JSON"),
    (lambda text: "[]\n", "line 1: a JSON object was expected"),
    (lambda text: "[" * 100_000 + "\n", "line 1: nested too deeply|line 1: not JSON"),
]


@pytest.mark.parametrize(("damage", "message"), DAMAGE)
def test_a_damaged_file_is_refused_naming_file_line_and_field(path, damage, message):
    before = path.read_text("utf-8")
    after = damage(before)
    assert after != before
    path.write_text(after, "utf-8")
    with pytest.raises(GameFileError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))


def test_bytes_that_are_not_text_are_refused(path):
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GameFileError, match="is not UTF-8 text"):
        read(path)


def test_a_missing_file_and_an_empty_folder_say_what_to_do(tmp_path):
    with pytest.raises(GameFileError, match="cannot be read"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(GameFileError, match="holds no game files"):
        read_folder(tmp_path)
    with pytest.raises(GameFileError, match="does not exist"):
        read_folder(tmp_path / "none")


def test_two_files_of_one_scenario_and_mode_are_refused(path):
    (path.parent / "copy.jsonl").write_bytes(path.read_bytes())
    with pytest.raises(GameFileError, match="Remove one of them"):
        read_folder(path.parent)


def test_arithmetic_holds_as_written(path):
    assert check_arithmetic(read(path)) == []


@pytest.mark.parametrize("rule", ["shapley", "fix_alone", "leave_one_out", "last_touch"])
def test_a_value_off_by_one_bit_is_found(path, rule):
    def nudge(content):
        content["values"][rule][0] += 2.0**-52

    edit(path, 1, nudge)
    assert f"values.{rule}" in check_arithmetic(read(path))[0]


def test_a_hole_with_values_is_found(path):
    def punch(content):
        content["worth"][1] = None
        content["errors"] = {"1": {"step": "a", "message": "no"}}

    edit(path, 1, punch)
    assert "withheld" in check_arithmetic(read(path))[0]


def test_missing_coalitions_survive_the_file(tmp_path):
    case = a_file(score=lambda b: 0 if b == 1 else 1 / 0).cases[0]
    assert case.worth == (0, None, None, None)
    assert case.values["shapley"] is None
    assert case.errors["1"].message == "ZeroDivisionError: division by zero"
    file = dataclasses.replace(a_file(), cases=(case,))
    assert read(write(file, tmp_path)).cases[0] == case
