import random
import re

import numpy as np
import pytest

from analyzer.rules import shapley
from tests.analyzer.rules.javascript import SCRIPTS, found_shells, open_page, rule_scripts, run_in_page, run_in_shell
from tests.browser.chromium import offline_context, running_chromium
from tests.vectors.doubles import all_to_hex
from tests.vectors.regenerate import FILES

# Rules that share a script; every other one has a script of its own name.
SCRIPTS_SHARED = {"betting_interval": "betting", "capital": "betting"}

# One wrong step per rule that a careless edit could make: (text in the shipped script, what to put there).
PERTURBATIONS = {
    "shapley": ("total += weights[size] * sums[size]", "total += weights[Math.max(0, size - 1)] * sums[size]"),
    "fix_alone": ("alone, alone.map(() => 0)", "alone, alone.map(() => table.length - 1)"),
    "leave_one_out": ("grand - bit", "grand - 1"),
    "banzhaf": ("2 ** Math.max(0, players - 1)", "2 ** players"),
    "harsanyi_dividends": ("mask < start + bit", "mask < start + 1"),
    "shapley_interaction": ("sizeWeights(players - 1)", "sizeWeights(players)"),
    "minimal_repairs": ("repairs[mask] || partRepairs[mask]", "repairs[mask]"),
    "necessity": ("Math.min(upper[player], given)", "upper[player]"),
    "sufficiency": ("whole - passes[0]", "whole"),
    "mean_and_deviation": ("/ (cases - 1)", "/ cases"),
    "betting_interval": ("owned >= threshold) {", "owned > threshold) {"),
    "capital": ("(total / BETS.length) * unit", "total / BETS.length"),
    "separation": ("owned >= threshold", "owned > threshold"),
    "share_of_repair": ("value < 0", "value <= 0"),
    "best_fix_sets": ("count > best[size].repaired", "count >= best[size].repaired"),
    "last_touch": ("row[0] !== row[width - 1]", "row[0] !== row[width / 2]"),
    "set_outcome": ("nearest / denominator === value", "nearest / denominator <= value"),
    "rank": ("|| a - b", "|| b - a"),
    "number_text": ("size < 0.0005", "size < 0.001"),
    "isolated": ("name.replace(ISOLATES, \"\")", "name"),
    "repair_level": ("denominator > 1", "denominator > 2"),
    "verdict": ("outcomes[0] >= level", "outcomes[0] > level"),
}  # fmt: skip

# Slips that only rounding or signed zeros show, in the arithmetic all rules share.
SUBTLE_PERTURBATIONS = {
    "last-division-becomes-a-product": (
        "shapley.js", "shapley", "(numerator) => numerator / divisor", "(numerator) => numerator * (1 / divisor)"
    ),
    "weights-become-fractions": ("shapley.js", "shapley", "unit / orderings", "1 / orderings"),
    "sums-run-backwards": ("shapley.js", "shapley", "let size = 0; size < players; size++) {\n        total",
                           "let size = players - 1; size >= 0; size--) {\n        total"),
    "coalitions-are-added-backwards": ("banzhaf.js", "banzhaf", "mask = start; mask < start + bit; mask++",
                                       "mask = start + bit - 1; mask >= start; mask--"),
    "last-player-is-folded-first": ("harsanyi_dividends.js", "harsanyi_dividends",
                                    "bit = 1; bit < length; bit *= 2", "bit = length / 2; bit >= 1; bit /= 2"),
    "players-of-a-pair-change-places": (
        "shapley_interaction.js", "shapley_interaction",
        "table[mask + i] - (table[mask + j]", "table[mask + j] - (table[mask + i]"
    ),
    "products-are-compared": ("minimal_repairs.js", "minimal_repairs",
                              "outcome / (rational ? denominator : 1) >= level",
                              "outcome >= level * (rational ? denominator : 1)"),
    "signed-zero-of-a-probability": ("necessity.js", "sufficiency", "given) / given + 0", "given) / given"),
    "cases-are-added-backwards": ("mean_and_deviation.js", "mean_and_deviation",
                                  "index = 0; index < values.length; index++",
                                  "index = values.length - 1; index >= 0; index--"),
    "factor-is-taken-apart": ("betting.js", "capital", "kept1 + bet1 * ratio;", "1 + bet1 * (ratio - 1);"),
    "values-are-bet-on-backwards": ("betting.js", "capital", "= held[index]", "= held[start + stop - 1 - index]"),
    "powers-are-taken-from-the-lowest-digit": (
        "betting.js", "capital", "let digit = 31 - Math.clz32(largest); digit >= 0; digit--",
        "let digit = 0; digit <= 31 - Math.clz32(largest); digit++"
    ),
    "smaller-capitals-are-left-out": ("betting.js", "capital", "total += mantissas[index] / SCALE / unit",
                                      "total += 0"),
    "equal-values-are-one": ("tally.js", "capital", "counts[distinct - 1] += 1", "counts[distinct - 1] = 1"),
    "signed-zero-of-a-share": ("share_of_repair.js", "share_of_repair", "(value + 0) / total", "value / total"),
    "signed-zero-comes-out": ("worth.js", "fix_alone", "table[less[index]] + 0", "table[less[index]]"),
    "limit-of-exactness-is-off": ("worth.js", "shapley", "2 * scale * largest >= EXACT", "scale * largest >= EXACT"),
    "halves-go-to-even": ("number_text.js", "number_text", "size.toFixed(3)",
                          "(Math.round(size * 1000 - 1e-9) / 1000).toFixed(3)"),
}  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def page(browser):
    offline = offline_context(browser)
    yield offline.new_page()
    offline.context.close()
    assert offline.complaints == []


def perturbed(name, old, new):
    source = (SCRIPTS / "rules" / name).read_text("utf-8")
    assert source.count(old) == 1, f"{old!r} must stand once in {name}"
    return {name: source.replace(old, new)}


@pytest.mark.parametrize("rule", FILES)
def test_page_rule_gives_the_expected_bits_in_chromium(rule, page, tmp_path):
    open_page(page, tmp_path, [rule])
    report = run_in_page(page)
    assert report["differing"] == []
    assert report["compared"] > 10


@pytest.mark.parametrize("shell", found_shells())
def test_page_rules_give_the_expected_bits_in_another_engine(shell, tmp_path):
    report = run_in_shell(shell, tmp_path)
    assert report["differing"] == []
    assert report["compared"] > 500


@pytest.mark.parametrize("rule", FILES)
def test_perturbed_rule_is_caught(rule, page, tmp_path):
    old, new = PERTURBATIONS[rule]
    open_page(page, tmp_path, [rule], perturbed(f"{SCRIPTS_SHARED.get(rule, rule)}.js", old, new))
    report = run_in_page(page)
    assert {difference["rule"] for difference in report["differing"]} == {rule}
    assert not any("crashed" in difference["got"] for difference in report["differing"])


@pytest.mark.parametrize("slip", SUBTLE_PERTURBATIONS)
def test_slip_in_the_last_bit_is_caught(slip, page, tmp_path):
    name, rule, old, new = SUBTLE_PERTURBATIONS[slip]
    open_page(page, tmp_path, [rule], perturbed(name, old, new))
    assert run_in_page(page)["differing"] != []


def test_batch_of_real_games_equals_the_page_loop_to_the_last_bit(page, tmp_path):
    rng = random.Random(8)
    games = [[rng.uniform(-1, 1) * 2.0 ** rng.randrange(-30, 30) for _ in range(256)] for _ in range(300)]
    open_page(page, tmp_path, [])
    in_page = page.evaluate("(games) => games.map((game) => AgentBlame.rules.shapley(game, null))", games)
    in_one_call = shapley(np.array(games), None)
    assert [all_to_hex(values) for values in in_page] == [all_to_hex(values) for values in in_one_call.tolist()]


#: Of many tallies: the bounds found from nothing, those found from other places, and the grid points tried by halves.
SEARCHED = """(cases) => {
  const { rules } = AgentBlame;
  const places = 2 ** 32;
  const halves = (values, threshold) => {
    let [reached, missed] = [0, 1];
    for (let step = 0; step < 32; step++) {
      const middle = (reached + missed) / 2;
      if (rules.capital(values, 0, 1, middle) >= threshold) { reached = middle; } else { missed = middle; }
    }
    return reached * places;
  };
  return cases.map(({ values, threshold, nears }) => {
    const search = (near) => rules.intervalOfTally(rules.tally(values), NaN, 0, 1, threshold, near).near;
    const mirrored = values.map((value) => 1 - value);
    return {
      found: [search(undefined), ...nears.map((near) => search([near, near]))],
      halves: [halves(values, threshold), halves(mirrored, threshold)],
    };
  });
}"""


def searched_case(number):
    """Return values whose mirror image is exact, a threshold, and places to begin at: near, far and at the ends."""
    rng = random.Random(number)
    kind = number % 5
    count = rng.choice((0, 1, 2, 7, 60, 400))
    draws = [
        lambda: rng.randrange(2**20 + 1) / 2**20,
        lambda: float(rng.random() < 0.003),
        lambda: rng.choice((0.0, 1.0)),
        lambda: rng.choice((0.25, 0.25 + 2**-30)),
        lambda: rng.choice((0.0, 2**-20, 1 - 2**-20, 1.0)),
    ]
    values = [draws[kind]() for _ in range(count)]
    threshold = rng.choice((1 + 2**-52, 1.01, 40.0, 320.0, 2.0**400, 2.0**1000))
    nears = [0, 1, 2**32 - 1, 2**32, rng.randrange(2**32), rng.randrange(2**10), 2**31 + rng.randrange(-9, 9)]
    return {"values": values, "threshold": threshold, "nears": nears}


def test_bounds_do_not_depend_on_where_the_search_for_them_begins(page, tmp_path):
    open_page(page, tmp_path, [])
    cases = [searched_case(number) for number in range(150)]
    for case, answer in zip(cases, page.evaluate(SEARCHED, cases), strict=True):
        assert all(found == answer["halves"] for found in answer["found"]), case


def test_page_cannot_change_a_rule(page, tmp_path):
    open_page(page, tmp_path, [])
    attempt = """() => {
      const before = AgentBlame.rules.shapley;
      try { AgentBlame.rules.shapley = () => [1]; } catch (error) { /* strict code throws */ }
      try { AgentBlame.rules.worth.EXACT = 1; } catch (error) { /* strict code throws */ }
      try { globalThis.AgentBlame = {}; } catch (error) { /* strict code throws */ }
      return AgentBlame.rules.shapley === before && AgentBlame.rules.worth.EXACT === 2 ** 53;
    }"""
    assert page.evaluate(attempt) is True


def test_missing_worth_names_the_masks_in_the_page(page, tmp_path):
    open_page(page, tmp_path, [])
    call = """() => { try { AgentBlame.rules.shapley([0, null, 1, undefined], 1); } catch (error) {
      return { name: error.name, masks: error.masks, isError: error instanceof Error }; } }"""
    assert page.evaluate(call) == {"name": "MissingWorth", "masks": [1, 3], "isError": True}


def test_refused_table_leaves_no_trace_in_the_next_game(page, tmp_path):
    open_page(page, tmp_path, [])
    call = """() => {
      const { shapley } = AgentBlame.rules;
      const first = shapley([0, 1, 1, 1], 1);
      try { shapley([5, 6, 7, null], 1); } catch (error) { /* as it should */ }
      const kept = first.slice();
      return [kept, shapley([0, 0, 0, 1], null), first, shapley([0, 1, 1, 1], 1)];
    }"""
    assert page.evaluate(call) == [[0.5, 0.5]] * 4


def test_page_rules_take_typed_arrays(page, tmp_path):
    open_page(page, tmp_path, [])
    call = "() => AgentBlame.rules.shapley(new Float64Array([0, 0, 0, 1]), null)"
    assert page.evaluate(call) == [0.5, 0.5]


def test_every_rule_has_a_script_and_every_script_a_rule():
    stems = {path.stem for path in rule_scripts()}
    assert stems == {*(SCRIPTS_SHARED.get(rule, rule) for rule in FILES), "worth", "tally", "namespace", "freeze"}


@pytest.mark.parametrize("path", rule_scripts(), ids=lambda path: path.name)
def test_script_uses_only_arithmetic_that_engines_agree_on(path):
    source = path.read_text("utf-8")
    allowed = {"abs", "max", "min", "floor", "clz32", "sqrt"}
    assert set(re.findall(r"Math\.(\w+)", source)) <= allowed
    # powers of two of integers are exact; ** of anything else is not
    assert set(re.findall(r"(\w+) \*\* ", source)) <= {"2"}


@pytest.mark.parametrize("path", rule_scripts(), ids=lambda path: path.name)
def test_script_is_ascii_and_knows_no_page(path):
    source = path.read_text("ascii")
    assert not re.search(r"\b(document|window|fetch|XMLHttpRequest|import)\b", source)
