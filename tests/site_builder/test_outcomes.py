from dataclasses import replace

from site_builder.outcomes import OUTCOME_ROWS, outcome_rows, passing, places
from tests.known_game_files import refund_files, wide_files
from tests.known_sampled_files import sampled_files


def night(name):
    file = sampled_files()[0]
    (case,) = (one for one in file.cases if one.id == name)
    return case, file.header


def test_whole_table_is_shown_in_its_own_order():
    file = refund_files("a", {"replayed": 1})[0]
    assert [row.mask for row in outcome_rows(file.cases[0], file.header)] == list(range(16))


def test_first_rows_of_a_long_table_are_shown():
    file = wide_files()[1]
    assert len(outcome_rows(file.cases[0], file.header)) == OUTCOME_ROWS


def test_listed_coalitions_go_from_none_to_all_and_name_what_is_left_away():
    names = [row.name for row in outcome_rows(*night("leader"))]
    assert names[:2] == ["No fix", "Read orders"]
    assert names[41:43] == ["All but Read orders", "All but Clean orders"]
    assert names[-1] == "All fixes"


def test_every_listed_coalition_is_shown_once():
    case, header = night("leader")
    assert sorted(places(case, len(header.players))) == list(range(82))


def test_order_does_not_depend_on_other_coalitions_that_are_listed():
    case, _ = night("leader")
    fewer = replace(case, coalitions=case.coalitions[:1] + case.coalitions[2:], worth=case.worth[:1] + case.worth[2:])
    wanted = [case.coalitions[place] for place in places(case, 40) if place != 1]
    assert [fewer.coalitions[place] for place in places(fewer, 40)] == wanted


def test_outcome_that_is_missing_has_its_error_beside_it():
    (row,) = (row for row in outcome_rows(*night("torn")) if row.error)
    assert (row.name, row.outcome.state) == ("All but Clean orders", "missing")
    assert row.error == "post invoices: TimeoutError: no answer within 30 s"


def test_switches_of_many_fixes_are_not_drawn():
    assert {row.on for row in outcome_rows(*night("leader"))} == {()}


def test_number_of_repairing_combinations_speaks_of_those_listed():
    file = refund_files("a", {"replayed": 1})[0]
    assert passing(file.cases[0], file.header) == "13 of 16"
    assert passing(*night("leader")) == "42 of 82 listed"
