from dataclasses import replace

from analyzer.game_file import CoalitionError
from site_builder.batch_data import batch_data
from site_builder.case_list import MOST_OFFERED, VALUE_COLUMNS, case_list, offered_failures, offered_tags
from site_builder.over_all import over_all
from site_builder.overview import batch_summary, case_marks
from site_builder.scenario_games import group
from tests.known_game_files import letters, plain_text
from tests.known_sampled_files import sampled_files
from tests.made_game_files import case_game, game_file, scenario

STEPS = letters(2)
BROKEN = CoalitionError("router", "broke off")


def games(*cases, mode="replayed", worlds=1, steps=STEPS):
    return game_file(scenario("list", "List", ""), steps, mode, worlds, cases)


def one(name, worth, tags=(), failure="", denominator=1):
    return case_game(STEPS, name, worth, denominator, plain_text, tags=tags, failure=failure)


def listed(*files, most=200):
    over = over_all(group(files)[0])
    sentences = [f"about {case.id}" for case in over.scenario.cases]
    return case_list(over, sentences, most)


def test_line_says_what_a_case_takes_and_its_values():
    found = listed(games(one("a", [0, 1, 0, 1]), one("b", [0, 0, 0, 1]), one("c", [0, 0, 0, 0]))).lines
    assert [line.kind for line in found] == ["repairable", "no_single", "all_fail"]
    assert [line.values for line in found] == [("1", "0"), ("0.500", "0.500"), ("0", "0")]
    assert found[0].sentence == "about a"


def test_case_of_another_mode_only_is_listed_as_not_analysed():
    found = listed(games(one("a", [0, 1, 0, 1])), games(one("b", [0, 8, 0, 8], denominator=8), mode="fresh", worlds=8))
    assert [(line.id, line.kind, line.values) for line in found.lines] == [
        ("a", "repairable", ("1", "0")), ("b", "unknown", ("–", "–")),
    ]  # fmt: skip


def test_case_without_values_has_dashes():
    torn = case_game(STEPS, "torn", [0, None, 0, 1], 1, plain_text, errors={1: BROKEN})
    assert [(line.kind, line.values) for line in listed(games(torn)).lines] == [("withheld", ("–", "–"))]


def test_only_the_first_lines_are_pre_rendered():
    found = listed(games(*(one(f"c{number}", [0, 1, 0, 1]) for number in range(5))), most=3)
    assert (len(found.lines), found.total) == (3, 5)


def test_many_fixes_have_one_column_for_the_first_of_them():
    steps = letters(VALUE_COLUMNS + 1)
    second = [int(mask >> 1 & 1) for mask in range(2 ** len(steps))]
    cases = [case_game(steps, name, second, 1, plain_text) for name in "ab"]
    found = listed(games(*cases, steps=steps))
    assert found.columns == (1,)
    assert found.lines[0].values == ("1",)


def test_marks_are_the_failure_and_each_tag_once():
    found = listed(games(one("a", [0, 1, 0, 1], tags=("x", "y", "x"), failure="late")))
    assert found.lines[0].marks == ("late", "x", "y")


def test_filters_are_offered_by_how_many_cases_they_leave():
    file = games(
        one("a", [0, 1, 0, 1], tags=("rare", "often"), failure="late"), one("b", [0, 1, 0, 1], tags=("often",)),
        one("c", [0, 1, 0, 1], tags=("also",), failure="wrong"), one("d", [0, 1, 0, 1], failure="wrong"),
    )  # fmt: skip
    found = group([file])[0]
    assert offered_tags(found) == ("often", "also", "rare")
    assert offered_failures(found) == ("wrong", "late")
    assert case_marks(found) == [
        {"tags": [2, 0], "failure": 1}, {"tags": [0], "failure": None}, {"tags": [1], "failure": 0},
        {"tags": [], "failure": 0},
    ]  # fmt: skip


def test_tag_of_every_case_its_own_does_not_fill_the_page():
    found = group([games(*(one(f"c{k}", [0, 1, 0, 1], tags=(f"tag {k}",)) for k in range(MOST_OFFERED + 5)))])[0]
    assert len(batch_summary(found)["tags"]) == MOST_OFFERED
    assert case_marks(found)[-1]["tags"] == []


def test_chunk_holds_small_tables_as_digits_and_holes_as_dashes():
    torn = case_game(STEPS, "torn", [0, None, 10, 12], 12, plain_text, errors={1: BROKEN})
    whole = one("whole", [0, 3, 10, 12], denominator=12)
    found = batch_data(over_all(group([games(torn, whole, mode="fresh", worlds=12)])[0]))
    assert (found["worth"], found["denominator"], found["cases"]) == (["0-ac", "03ac"], 12, [0, 1])


def test_chunk_names_the_step_that_last_step_blame_names_also_where_a_table_has_a_hole():
    torn = case_game(STEPS, "torn", [0, None, 0, 1], 1, plain_text, errors={1: BROKEN})
    unfixed = case_game(STEPS, "unfixed", [None, 0, 0, 1], 1, plain_text, errors={0: BROKEN})
    still = case_game(STEPS, "still", [0, 0, 0, 1], 1, lambda name, mask: "same")
    assert batch_data(over_all(group([games(torn, unfixed, still)])[0]))["touched"] == [1, None, None]


def test_chunk_of_larger_counts_and_of_graded_scores_holds_numbers():
    many = one("many", [0, 40, 7, 64], denominator=64)
    assert batch_data(over_all(group([games(many, mode="fresh", worlds=64)])[0]))["worth"] == [[0, 40, 7, 64]]


def test_chunk_of_sampled_games_holds_the_ends_and_each_fix_alone():
    file = sampled_files()[0]
    found = batch_data(over_all(group([file])[0]))
    complete = [case for case in file.cases if case.withheld is None]
    places = [number for number, case in enumerate(file.cases) if case.withheld is None]
    assert [found["sampled"][place] for place in places] == [list(case.sampled.values) for case in complete]
    assert len(found["worth"][places[0]]) == 2 + len(file.header.players)
    assert found["worth"][places[0]][2 + 7] == 1


def test_same_cases_in_two_modes_have_a_chunk_each():
    files = [games(one("a", [0, 1, 0, 1])), games(one("a", [0, 8, 0, 8], denominator=8), mode="abducted", worlds=8)]
    assert [batch_data(over_all(group(files)[0], mode))["worth"] for mode in ("replayed", "abducted")] == [
        ["0101"], ["0808"],
    ]  # fmt: skip


def test_error_probability_is_that_of_each_mode():
    one_mode = games(one("a", [0, 1, 0, 1]))
    other = games(one("a", [0, 8, 0, 8], denominator=8), mode="fresh", worlds=8)
    other = replace(other, header=replace(other.header, delta=0.2))
    found = batch_summary(group([one_mode, other])[0])["batch"]
    assert {mode: basis["confidence"] for mode, basis in found.items()} == {"replayed": "95 %", "fresh": "80 %"}
