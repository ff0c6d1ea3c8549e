from analyzer.game import RULES, Game, values, worth_table


def test_pass_fail_scores_make_a_rational_table():
    assert worth_table([(0.0, 1.0), (1.0, 1.0), (0.0, 1.0)], graded=False) == ((1, 3), 3)


def test_graded_scores_make_a_real_table_of_means_also_where_all_are_zero_or_one():
    assert worth_table([(0.0, 0.5), (1.0, 1.0)], graded=True) == ((0.5, 0.75), None)
    assert worth_table([(0.0, 1.0)], graded=True) == ((0.0, 1.0), None)


def test_a_failure_in_any_world_leaves_a_hole():
    assert worth_table([(0.0, None), (1.0, 1.0)], graded=False) == ((1, None), 2)
    assert worth_table([(0.25, None), (1.0, 1.0)], graded=True) == ((0.625, None), None)


def test_means_are_added_in_world_order():
    scores = [(0.1,), (0.2,), (0.3,)]
    assert worth_table(scores, graded=True)[0][0] == ((0.1 + 0.2) + 0.3) / 3


def test_values_of_a_game_with_a_hole_are_withheld_with_the_reason():
    game = Game(("a",), (0, None), 1, ((0, None),), {1: "a: RuntimeError: no"})
    assert values(game) == dict.fromkeys(RULES)
    assert game.withheld == "1 of 2 coalitions are missing; coalition 1: a: RuntimeError: no"


def test_values_hold_one_number_per_player_for_every_rule():
    game = Game(("a", "b"), (0, 1, 0, 1), 1, ((0, 1, 0, 1), (0, 1, 2, 3)))
    assert values(game) == {
        "shapley": (1.0, 0.0),
        "banzhaf": (1.0, 0.0),
        "fix_alone": (1.0, 0.0),
        "leave_one_out": (1.0, 0.0),
        "last_touch": (0.0, 1.0),
    }


def test_no_step_is_the_last_where_they_have_no_order():
    found = values(Game(("a", "b"), (0, 1, 0, 1), 1, None))
    assert found["last_touch"] is None
    assert found["shapley"] == (1.0, 0.0)


def test_a_game_without_players_has_no_values():
    assert values(Game((), (0,), 1, ())) == dict.fromkeys(RULES, ())
