import contextlib
import dataclasses
import json
import os
import random
import re
import stat

import pytest

from analyzer.batch import analyze
from analyzer.game_file import GameFileError, check_arithmetic, dumps, file_name, read, read_folder, schema, write
from analyzer.pipeline import Case, Fix, Pipeline, Score, Step
from analyzer.plan import Plan


def graded(score):
    return Score(score, graded=True)


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
    file = a_file(score=graded(lambda b: b / 3 - 0.1))
    assert read(write(file, tmp_path)) == file


def test_bytes_are_canonical(path):
    text = path.read_text("utf-8")
    for line in text.split("\n")[:-1]:
        assert line == json.dumps(json.loads(line), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert text == dumps(a_file())


def test_file_name_holds_only_safe_characters(path):
    assert re.fullmatch(r"tiny-one-[0-9a-f]{8}\.replayed\.jsonl", path.name)


def test_schema_is_a_valid_draft_and_refuses_a_stranger():
    assert schema()["$defs"]["header"]["properties"]["schema_version"] == {"const": 2}


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
        lambda text: text.replace('"schema_version":2', '"schema_version":1'),
        "field schema_version: this release reads version 2, the file has 1",
    ),
    (lambda text: text.replace("agentblame/game", "something/else"), "field schema: 'agentblame/game' was expected"),
    (lambda text: text.replace('"worth":[0,', '"worth":[NaN,'), "line 2: NaN is not a number JSON has"),
    (lambda text: text.replace('"worth":[0,', '"worth":["0",'), r"line 2: field worth.0"),
    (lambda text: text.replace('"worth":[0,', '"worth":['), "field worth: 4 entries were expected"),
    (lambda text: text.replace('"worth":[0,', '"worth":[0.5,'), "coalition 0 must be a whole number of 1/1"),
    (
        lambda text: text.replace('"worth":[0,', '"worth":[null,'),
        "field withheld: says why exactly when a coalition is missing",
    ),
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


def test_steps_are_in_order_where_nothing_is_said_of_it(path):
    assert "ordered" not in json.loads(path.read_text("utf-8").split("\n")[0])
    assert read(path).header.ordered


def test_steps_without_an_order_have_no_last_touch(path):
    edit(path, 0, lambda content: content.update(ordered=False))
    with pytest.raises(GameFileError, match=r"values\.last_touch: is null exactly when .* an order of steps"):
        read(path)
    edit(path, 1, lambda content: content["values"].update(last_touch=None))
    file = read(path)
    assert check_arithmetic(file) == []
    assert dumps(file).count('"ordered":false') == 1


def test_steps_in_order_have_a_last_touch(path):
    edit(path, 1, lambda content: content["values"].update(last_touch=None))
    with pytest.raises(GameFileError, match=r"values\.last_touch"):
        read(path)


def test_calls_of_a_case_read_back_equal(path):
    edit(path, 1, lambda content: content.update(called=["1/search[1]", "search[2]"]))
    file = read(path)
    assert file.cases[0].called == ("1/search[1]", "search[2]")
    assert read(write(file, path.parent)) == file


def test_arithmetic_holds_as_written(path):
    assert check_arithmetic(read(path)) == []


@pytest.mark.parametrize("rule", ["shapley", "banzhaf", "fix_alone", "leave_one_out", "last_touch"])
def test_a_value_off_by_one_bit_is_found(path, rule):
    def nudge(content):
        content["values"][rule][0] += 2.0**-52

    edit(path, 1, nudge)
    assert f"values.{rule}" in check_arithmetic(read(path))[0]


def test_a_reason_for_withholding_that_the_table_does_not_give_is_found(tmp_path):
    path = write(a_file(score=lambda b: 0 if b == 1 else 1 / 0), tmp_path)
    edit(path, 1, lambda content: content.update(withheld="because"))
    assert "field 'withheld' says 'because'" in check_arithmetic(read(path))[0]


NONSENSE = [
    (0, lambda header: header["scenario"]["score"].update(threshold=0.5), "one that is not graded goes from 0 to 1"),
    (0, lambda header: header["scenario"]["score"].update(graded=True, threshold=99), "threshold 99 lies outside"),
    (0, lambda header: header["scenario"]["score"].update(graded=True), "or null for a graded score"),
    (1, lambda case: case["shown_scores"].__setitem__(3, 1), "shown_scores: that of coalition 3 contradicts"),
    (1, lambda case: case["steps"][0]["outputs"].append(case["steps"][0]["outputs"][0]), "an output is listed twice"),
    (0, lambda header: header["counts"].update(failed=99), "must add up to seen"),
    (0, lambda header: header["steps"][1].update(parents=["nobody"]), "parent 'nobody', which is no earlier step"),
    (0, lambda header: header["steps"][0].update(parents=["b"]), "parent 'b', which is no earlier step"),
    (0, lambda header: header.update(worlds=3), "denominator: is the number of worlds"),
    (1, lambda case: case["worth"].__setitem__(1, 80), "worth: that of coalition 1 lies outside 0"),
    (1, lambda case: case["evaluations"].__setitem__(1, 99), "evaluations: coalition 1 was scored"),
    (1, lambda case: case["shown_scores"].__setitem__(1, 7), "shown_scores: that of coalition 1"),
    (1, lambda case: case["shown_scores"].__setitem__(1, None), "shown_scores: that of coalition 1 is missing"),
    (1, lambda case: case["errors"].update({"1": {"step": "a", "message": "x"}}), "exactly when it is missing"),
    (1, lambda case: case["errors"].update({"77": {"step": "a", "message": "x"}}), "there is no coalition 77"),
    (1, lambda case: case["values"].update(fix_alone=None), "values.fix_alone: is null exactly when"),
    (1, lambda case: case["steps"][0]["index"].__setitem__(1, None), "every step shows an output"),
    (1, lambda case: case["steps"][0]["index"].__setitem__(1, 9), "an index is beyond the outputs listed"),
]


@pytest.mark.parametrize(("line", "change", "message"), NONSENSE)
def test_what_the_schema_allows_and_sense_does_not_is_refused(path, line, change, message):
    edit(path, line, change)
    with pytest.raises(GameFileError, match=message):
        read(path)


def test_whole_numbers_written_as_reals_are_read_as_whole(path):
    whole = path.read_text("utf-8")
    path.write_text(whole.replace('"worth":[0,1,1,0]', '"worth":[0.0,1,1.0,0]'), "utf-8")
    assert path.read_text("utf-8") != whole
    assert read(path) == a_file()


@pytest.mark.parametrize(
    ("number", "message"),
    [("1e400", "the number 1e400 is too large"), ("9" * 401, "the whole number 99999.* is too large")],
)
def test_numbers_beyond_a_double_are_refused(path, number, message):
    path.write_text(path.read_text("utf-8").replace('"worth":[0,', f'"worth":[{number},'), "utf-8")
    with pytest.raises(GameFileError, match=message):
        read(path)


def test_a_key_written_twice_is_refused(path):
    path.write_text(path.read_text("utf-8").replace('"cost":', '"cost":1,"cost":'), "utf-8")
    with pytest.raises(GameFileError, match="has a key twice"):
        read(path)


def test_no_flip_of_a_byte_ends_in_anything_but_a_named_error(path):
    whole = path.read_bytes()
    rng = random.Random(1)
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(rng.choice((1, 1, 3))):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(bytes(damaged))
        with contextlib.suppress(GameFileError):
            check_arithmetic(read(path))


def test_scenarios_that_look_alike_have_files_of_their_own():
    ids = ["ask us", "ask/us", "日本", "中国", "Bot", "bot", "x" * 400, "con", "NUL", "a:b", "..", 'a"<>|?*', "end."]
    names = {file_name(id_, "fresh").lower() for id_ in ids}
    assert len(names) == len(ids)
    for name in names:
        assert len(name) < 100
        assert re.fullmatch(r"(?!(con|prn|aux|nul|com\d|lpt\d)\.)[a-z0-9-]+\.fresh\.jsonl", name)


def test_files_made_with_other_code_do_not_stand_side_by_side(path):
    other = a_file(mode="fresh")
    write(dataclasses.replace(other, header=dataclasses.replace(other.header, fingerprint="other")), path.parent)
    with pytest.raises(GameFileError, match="made with other code, another seed or another delta"):
        read_folder(path.parent)


@pytest.mark.parametrize("content", [b'{"note": "agentblame/game"}\n', b"[" * 9_999, b"\xff", b"[1]\n"])
def test_only_a_game_file_of_the_same_scenario_is_replaced(path, content):
    path.write_bytes(content)
    with pytest.raises(GameFileError, match="is in the way and is not a game file"):
        write(a_file(), path.parent)
    edit_other = dumps(a_file()).replace("tiny/one", "tiny/two")
    path.write_text(edit_other, "utf-8")
    with pytest.raises(GameFileError, match="holds another scenario"):
        write(a_file(), path.parent)


def test_a_pipe_in_the_way_is_refused_not_waited_for(path):
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(GameFileError, match="is in the way"):
        write(a_file(), path.parent)


def test_missing_coalitions_survive_the_file(tmp_path):
    case = a_file(score=lambda b: 0 if b == 1 else 1 / 0).cases[0]
    assert case.worth == (0, None, None, None)
    assert case.values["shapley"] is None
    assert case.errors["1"].message == "ZeroDivisionError: division by zero"
    file = dataclasses.replace(a_file(), cases=(case,))
    assert read(write(file, tmp_path)).cases[0] == case
