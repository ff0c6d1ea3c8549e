from site_builder.figures import Scale
from site_builder.ranking import place, ranking_rows, spread
from tests.known_game_files import holes_files, refund_files
from tests.known_sampled_files import sampled_files


def rows(name):
    file = sampled_files()[0]
    (case,) = (one for one in file.cases if one.id == name)
    return ranking_rows(case, file.header)


def test_rows_come_by_rank_and_have_every_rule():
    file = refund_files("a", {"replayed": 1})[0]
    found = ranking_rows(file.cases[0], file.header)
    assert [row.place for row in found] == ["=1", "=1", "=3", "=3"]
    assert found[0].cells["banzhaf"].text == "0.375"


def test_fixes_that_tie_share_a_place():
    assert [place(player, (0.5, 0.5, 0.25)) for player in range(3)] == ["=1", "=1", "3"]


def test_values_of_a_game_with_a_hole_are_withheld():
    file = holes_files()[0]
    found = ranking_rows(file.cases[0], file.header)
    assert {cell.text for row in found for cell in row.cells.values()} == {"withheld"}


def test_sampled_value_has_its_interval():
    assert rows("leader")[0].cells["shapley"].interval == "0.670 to 0.830"
    assert "bar-whiskers" in rows("leader")[0].cells["shapley"].bar


def test_only_the_leader_of_a_sampled_game_has_a_place():
    assert [row.title for row in rows("leader") if row.place != "–"] == ["Match customers"]
    assert [row.title for row in rows("two alike") if row.place != "–"] == []


def test_rule_that_needs_every_combination_has_no_number_in_a_sampled_game():
    assert {row.cells["banzhaf"].text for row in rows("leader")} == {"–"}


def test_exact_values_beside_sampled_ones_have_no_interval():
    assert {row.cells["fix_alone"].interval for row in rows("leader")} == {""}


def test_scale_holds_the_ends_of_the_intervals():
    found = {"shapley": (0.5,), "banzhaf": None, "fix_alone": (1.0,), "leave_one_out": (0.0,), "last_touch": (1.0,)}
    assert spread(found, 1, (-0.25, 1.5))["fix_alone"] == Scale(-0.25, 1.5)
    assert spread(found, 1, (-0.25, 1.5))["last_touch"] == Scale(0.0, 1.0)
