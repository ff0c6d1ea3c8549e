"""The widgets of the articles work by mouse and keyboard, and say what Python computes."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from itertools import permutations

import jinja2
import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from analyzer.rules import (
    betting_interval,
    fix_alone,
    last_touch,
    mean_and_deviation,
    number_text,
    separation,
    shapley,
    verdict,
)
from analyzer.rules.betting import BETS
from site_builder import assets

NAMES = (
    "addressed-draws",
    "client-dice",
    "flip-outcome",
    "gumbel-race",
    "lucky-control",
    "planted-failure",
    "read-verdict",
    "reshuffle-order",
    "stopping-rule",
    "watch-sampling",
)
#: What the other widgets are made with.
PARTS = ("frame", "seeded")
STYLES = ("css/tokens.css", "css/page.css", "css/widgets.css", "css/print.css")
POLICY = "default-src 'none'; script-src file:; style-src file:"


def html(names: tuple[str, ...]) -> str:
    """Return a page that holds some widgets and nothing else."""
    static = assets.folder("static")
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(assets.folder("templates")), autoescape=True)
    boxes = "".join(f'<div class="widget needs-script" data-widget="{name}"></div>' for name in names)
    scripts = "".join(f'<script src="{(static / name).as_uri()}"></script>' for name in assets.article_scripts(names))
    styles = "".join(f'<link rel="stylesheet" href="{(static / name).as_uri()}">' for name in STYLES)
    return (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Widgets</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<script src="{(static / assets.FIRST_SCRIPT).as_uri()}"></script>{styles}'
        f'{templates.get_template("parts.html.j2").module.sprite()}<main class="page">{boxes}</main>{scripts}</html>'
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("widgets") / "widgets.html"
    path.write_text(html(NAMES), "utf-8")
    return path.as_uri()


@pytest.fixture
def widgets(page, address) -> Page:
    """Open the page with all widgets."""
    page.goto(address)
    return page


def box(page: Page, name: str) -> Locator:
    return page.locator(f"[data-widget={name}]")


def press(widget: Locator, name: str) -> None:
    widget.get_by_role("button", name=name, exact=True).press("Enter")


def choose(widget: Locator, name: str) -> None:
    widget.get_by_role("radio", name=name, exact=True).press("Space")


def said(widget: Locator) -> str:
    return widget.locator("[data-part=result]").inner_text()


def table(widget: Locator) -> dict[str, list[str]]:
    """Return the texts of a table by row: what stands under the title, then the cells after the bar."""
    rows = widget.locator(".widget-bars tbody tr").evaluate_all(
        """(rows) => rows.filter((row) => row.checkVisibility()).map((row) => [row.cells[0].firstChild.data,
            row.querySelector(".widget-note").textContent,
            ...Array.from(row.cells).slice(2).map((cell) => cell.textContent)])"""
    )
    return {title: rest for title, *rest in rows}


def number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def texts(values: object) -> list[str]:
    return [number_text(value) for value in np.asarray(values).tolist()]


def column(widget: Locator, place: int) -> list[str]:
    return [row[place] for row in table(widget).values()]


#: Something that changes what a widget shows, by keyboard.
CHANGES = {
    "addressed-draws": lambda widget: press(widget, "Swap step 2"),
    "client-dice": lambda widget: press(widget, "New luck"),
    "flip-outcome": lambda widget: press(widget, "rank: fails. Make it pass"),
    "gumbel-race": lambda widget: widget.get_by_label("Logit of decline").press("End"),
    "lucky-control": lambda widget: widget.get_by_role("slider").first.press("End"),
    "planted-failure": lambda widget: choose(widget, "writer"),
    "read-verdict": lambda widget: choose(widget, "Three tie"),
    "reshuffle-order": lambda widget: press(widget, "Move rank earlier"),
    "stopping-rule": lambda widget: press(widget, "10 more"),
    "watch-sampling": lambda widget: press(widget, "Draw 10"),
}


def test_every_widget_there_is_is_tested():
    files = {path.stem for path in (assets.folder("static") / "js" / "widgets").glob("*.js")}
    assert files == {name.replace("-", "_") for name in (*NAMES, *PARTS)}


@pytest.mark.parametrize("name", NAMES)
def test_widget_says_in_words_what_it_shows(widgets, name):
    widget = box(widgets, name)
    expect(widget).to_have_role("group")
    assert widget.get_attribute("aria-label")
    assert widget.locator(".widget-caption").inner_text().endswith(".")
    expect(widget.locator("[data-part=result]")).to_have_attribute("aria-live", "polite")
    assert re.fullmatch(r"[A-Z].{20,}\.", said(widget), re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_start_over_gives_the_first_view_back(widgets, name):
    widget = box(widgets, name)
    before = widget.inner_text()
    CHANGES[name](widget)
    assert widget.inner_text() != before
    press(widget, "Start over")
    assert widget.inner_text() == before


@pytest.mark.parametrize("name", NAMES)
def test_widget_shows_the_same_in_every_visit(offline, address, name):
    shown = []
    for _ in range(2):
        page = offline().new_page()
        page.goto(address)
        CHANGES[name](box(page, name))
        shown.append(box(page, name).inner_text())
    assert shown[0] == shown[1]


@pytest.mark.parametrize("name", NAMES)
def test_everything_that_works_by_mouse_works_by_keyboard_and_has_a_name(widgets, name):
    unnamed = (
        box(widgets, name)
        .locator("button, input")
        .evaluate_all(
            """(controls) => controls.filter((control) => control.tabIndex < 0 ||
            !(control.ariaLabel || control.textContent || control.labels[0].textContent).trim())
            .map((control) => control.outerHTML)"""
        )
    )
    assert unnamed == []


@pytest.mark.parametrize("width", [320, 720])
def test_no_widget_is_wider_than_its_page(offline, address, width):
    page = offline(viewport={"width": width, "height": 800}).new_page()
    page.goto(address)
    for name, change in CHANGES.items():
        change(box(page, name))
        press(box(page, name), "Start over")
        change(box(page, name))
    inside = "(boxes) => boxes.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.dataset.widget)"
    assert page.locator("[data-widget]").evaluate_all(inside) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_box_is_started_once(widgets):
    before = box(widgets, "flip-outcome").inner_text()
    CHANGES["flip-outcome"](box(widgets, "flip-outcome"))
    changed = box(widgets, "flip-outcome").inner_text()
    script = (assets.folder("static") / "js" / "widgets.js").as_uri()
    widgets.add_script_tag(url=script)
    assert box(widgets, "flip-outcome").inner_text() == changed != before


def test_nothing_moves_on_its_own(widgets):
    before = widgets.locator("main").inner_html()
    widgets.wait_for_timeout(500)
    assert widgets.locator("main").inner_html() == before


@pytest.mark.parametrize("name", NAMES)
def test_on_paper_a_widget_keeps_what_it_says_and_loses_its_controls(widgets, name):
    widgets.emulate_media(media="print")
    expect(box(widgets, name).locator("[data-part=result]")).to_be_visible()
    expect(box(widgets, name).get_by_role("button", name="Start over")).to_be_hidden()
    expect(box(widgets, name).locator(".widget-controls")).to_be_hidden()


# The seeded numbers


def stream(text: str) -> Iterator[float]:
    """Yield what the widgets' generator yields: mulberry32, seeded with FNV-1a."""
    state = 0x811C9DC5
    for byte in text.encode("ascii"):
        state = (state ^ byte) * 0x01000193 % 2**32
    while True:
        state = (state + 0x6D2B79F5) % 2**32
        mixed = (state ^ state >> 15) * (1 | state) % 2**32
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (61 | mixed)) % 2**32
        yield ((mixed ^ mixed >> 14) + 0.5) / 2**32


def test_seeded_numbers_are_those_of_the_algorithm_named(widgets):
    shown = widgets.evaluate(
        """() => { const next = AgentBlame.seeded.stream("equal 1"); return Array.from({ length: 1000 }, next); }"""
    )
    expected = stream("equal 1")
    assert shown == [next(expected) for _ in shown]
    assert 0 < min(shown) < max(shown) < 1


def test_number_at_an_address_does_not_depend_on_what_was_drawn_before(widgets):
    first, second = widgets.evaluate(
        """() => {
            const { stream, unit } = AgentBlame.seeded;
            const first = unit("world", "step", 1);
            stream("world")();
            unit("world", "another step", 1);
            return [first, unit("world", "step", 1)];
        }"""
    )
    assert first == second == next(stream("world/step/1"))


def test_logarithm_is_right_to_the_last_digits(widgets):
    numbers = [2.0**power * part for power in range(-40, 5) for part in (1.0, 1.1, 1.49, 1.51, 1.9)]
    shown = widgets.evaluate("(numbers) => numbers.map(AgentBlame.seeded.logarithm)", numbers)
    assert shown == pytest.approx([math.log(one) for one in numbers], rel=1e-13, abs=1e-15)


def test_shuffled_orders_are_all_orders_about_equally_often(widgets):
    shown = widgets.evaluate(
        """() => {
            const next = AgentBlame.seeded.stream("orders");
            return Array.from({ length: 6000 }, () => AgentBlame.seeded.shuffled(next, 3));
        }"""
    )
    counts = [sum(tuple(order) == one for order in shown) for one in permutations(range(3))]
    four_errors = 4 * math.sqrt(6000 * (1 / 6) * (5 / 6))
    assert all(abs(count - 1000) < four_errors for count in counts)


# One after another


def test_a_running_stream_gives_the_answer_step_other_luck_after_the_swap(widgets):
    widget = box(widgets, "addressed-draws")
    before = table(widget)
    press(widget, "Swap step 2")
    after = table(widget)
    assert after["search, draw 2"][1] == before["answer, draw 1"][1]
    assert [after[f"answer, draw {k}"][1] for k in (1, 2)] != [before[f"answer, draw {k}"][1] for k in (1, 2)]
    assert [after[f"answer, draw {k}"][2] for k in (1, 2)] == [before[f"answer, draw {k}"][1] for k in (1, 2)]
    assert "the answer step's luck has changed" in said(widget)


def test_addresses_leave_the_answer_step_its_luck_after_the_swap(widgets):
    widget = box(widgets, "addressed-draws")
    choose(widget, "An address for every draw")
    before = table(widget)
    press(widget, "Swap step 2")
    after = table(widget)
    assert "search, draw 2" not in before
    assert after["search, draw 2"][2] == "not drawn"
    assert {title: row[1] for title, row in after.items() if title in before} == {
        title: row[1] for title, row in before.items()
    }
    assert after["answer, draw 1"][1] == number_text(next(stream("one luck/answer/1")))
    assert "the answer step's luck is the same as before" in said(widget)


def race(widget: Locator) -> dict[str, tuple[float, float, float]]:
    """Return logit, luck and sum of each option."""
    found = {}
    for option, (note, total, _) in table(widget).items():
        logit, luck = re.fullmatch("logit (.+), luck (.+)", note).groups()
        found[option] = (number(logit), number(luck), number(total))
    return found


def winner(widget: Locator, mark: str) -> str:
    (name,) = [title for title, row in table(widget).items() if row[2] == mark]
    return name


def test_largest_sum_of_logit_and_luck_wins_the_race(widgets):
    widget = box(widgets, "gumbel-race")
    winners = set()
    for _ in range(12):
        press(widget, "New luck")
        shown = race(widget)
        for logit, luck, total in shown.values():
            assert total == pytest.approx(logit + luck, abs=0.0011)
        winners.add(winner(widget, "✓ wins"))
        assert winner(widget, "✓ wins") == max(shown, key=lambda option: shown[option][2])
    assert len(winners) > 1


def test_luck_of_the_race_is_gumbel_noise_of_its_address(widgets):
    for option, (_, luck, _) in race(box(widgets, "gumbel-race")).items():
        noise = -math.log(-math.log(next(stream(f"world 1/{option}"))))
        assert luck == pytest.approx(noise, abs=0.00051)


def test_choice_comes_back_when_the_logits_do(widgets):
    widget = box(widgets, "gumbel-race")
    recorded = winner(widget, "✓ wins")
    luck = [lucky for _, lucky, _ in race(widget).values()]
    slider = widget.get_by_label("Logit of decline")
    slider.press("End")
    assert winner(widget, "✓ wins") == "decline" != recorded
    assert [lucky for _, lucky, _ in race(widget).values()] == luck
    for _ in range(22):
        slider.press("ArrowLeft")
    expect(slider).to_have_value("0.8")
    assert winner(widget, "✓ wins") == recorded
    assert "that very choice comes back" in said(widget)


def test_logits_can_be_dragged(widgets):
    widget = box(widgets, "gumbel-race")
    slider = widget.get_by_label("Logit of refund")
    slider.scroll_into_view_if_needed()
    area = slider.bounding_box()
    middle = area["y"] + area["height"] / 2
    widgets.mouse.move(area["x"] + area["width"] / 2, middle)
    widgets.mouse.down()
    widgets.mouse.move(area["x"] + area["width"] - 1, middle, steps=4)
    widgets.mouse.up()
    assert race(widget)["refund"][0] == 3
    assert said(widget).endswith("it would have chosen refund.")


FOUR = [int(bool(mask & 1 and mask & 6)) for mask in range(16)]


def order_of(widget: Locator) -> list[str]:
    return widget.locator(".widget-order .widget-title").all_inner_texts()


def added_along(order: list[str]) -> list[str]:
    """Return what each fix adds, in an order of the fixes search, rank, answer and check."""
    mask, shown = 0, []
    for fix in order:
        after = mask | 1 << ("search", "rank", "answer", "check").index(fix)
        shown.append(f"adds {FOUR[after] - FOUR[mask]}")
        mask = after
    return shown


def test_arrows_move_a_fix_and_its_credit(widgets):
    widget = box(widgets, "reshuffle-order")
    press(widget, "Move answer earlier")
    assert order_of(widget) == ["search", "answer", "rank", "check"]
    assert "answer gets the credit" in said(widget)
    press(widget, "Move answer earlier")
    assert order_of(widget) == ["answer", "search", "rank", "check"]
    assert "search gets the credit" in said(widget)
    assert "3 of 24 orders seen" in said(widget)
    expect(widget.get_by_role("button", name="Move answer later")).to_be_focused()


def test_a_fix_can_be_dragged(widgets):
    widget = box(widgets, "reshuffle-order")
    grip = widget.locator("[data-fix='0'] [data-part=grip]")
    grip.scroll_into_view_if_needed()
    area, below = grip.bounding_box(), widget.locator("[data-fix='2']").bounding_box()
    widgets.mouse.move(area["x"] + area["width"] / 2, area["y"] + area["height"] / 2)
    widgets.mouse.down()
    widgets.mouse.move(area["x"] + area["width"] / 2, below["y"] + below["height"] - 4, steps=12)
    widgets.mouse.up()
    assert order_of(widget) == ["rank", "answer", "search", "check"]
    assert widget.locator(".widget-order .number").all_inner_texts() == added_along(order_of(widget))
    assert "2 of 24 orders seen" in said(widget)
    expect(grip).to_have_css("touch-action", "none")


def test_mean_over_the_orders_seen_is_what_python_counts(widgets):
    widget = box(widgets, "reshuffle-order")
    fixes = ["search", "rank", "answer", "check"]
    seen = [order_of(widget)]
    for _ in range(9):
        press(widget, "An order not seen yet")
        seen.append(order_of(widget))
        assert widget.locator(".widget-order .number").all_inner_texts() == added_along(seen[-1])
    assert len({tuple(order) for order in seen}) == 10
    means = [sum(added_along(order)[order.index(fix)] == "adds 1" for order in seen) / 10 for fix in fixes]
    assert column(widget, 1) == texts(means)


def test_mean_over_all_orders_is_the_shapley_value(widgets):
    widget = box(widgets, "reshuffle-order")
    press(widget, "All orders")
    assert column(widget, 1) == column(widget, 2) == texts(shapley(FOUR, 1))
    assert said(widget).endswith("24 of 24 orders seen: their mean is the Shapley value.")
    expect(widget.get_by_role("button", name="All orders")).to_be_disabled()


SAMPLED = ("plan", "search", "rank", "answer", "check")


def sampled_game() -> list[int]:
    worth = []
    for mask in range(32):
        plan, search, rank, answer, check = (mask >> player & 1 for player in range(5))
        with_search = search and (plan or rank or answer or check)
        worth.append(int(bool(with_search or (rank and answer and (plan or check)))))
    return worth


def test_sampling_shows_pythons_means_intervals_and_claim(widgets):
    widget = box(widgets, "watch-sampling")
    worth = sampled_game()
    assert column(widget, 2) == texts(shapley(worth, 1))
    rows: list[list[int]] = []
    claims = []
    while not claims or claims[-1] is None:
        press(widget, "Draw one order")
        order = [SAMPLED.index(fix) for fix in re.search("Last order: (.*)\\.", said(widget))[1].split(", ")]
        row, mask = [0] * 5, 0
        for player in order:
            row[player] = worth[mask | 1 << player] - worth[mask]
            mask |= 1 << player
        rows.append(row)
        claims.append(separation(rows, 2, 5 / 0.05))
    lows, highs = betting_interval(rows, -1, 1, 2 * 5 / 0.05)
    assert column(widget, 0) == [f"{low} to {high}" for low, high in zip(texts(lows), texts(highs), strict=True)]
    assert column(widget, 1) == texts(mean_and_deviation(rows)[0])
    assert said(widget).startswith(f"After {len(rows)} orders search is separated from all others")
    expect(widget.get_by_role("button", name="Draw one order")).to_be_disabled()


def test_sampling_to_the_end_stops_where_one_order_at_a_time_does(widgets):
    widget = box(widgets, "watch-sampling")
    press(widget, "To the end")
    at_once = widget.inner_text()
    press(widget, "Start over")
    while widget.get_by_role("button", name="Draw 10").is_enabled():
        press(widget, "Draw 10")
    assert widget.inner_text() == at_once


def leads_of(truth: str, number: int) -> list[int]:
    first, second = {"equal": (0.4, 0.4), "clear": (0.6, 0.25)}[truth]
    draws = stream(f"{truth} {number}")
    return [(next(draws) < first) - (next(draws) < second) for _ in range(100)]


def usual_interval(leads: list[int]) -> tuple[float, float]:
    mean, deviation = np.mean(leads), np.std(leads, ddof=1)
    radius = 1.96 * deviation / math.sqrt(len(leads))
    return mean - radius, mean + radius


@pytest.mark.parametrize(("presses", "count"), [(["10 more", "10 more", "Next case"], 21), (["To case 100"], 100)])
def test_intervals_over_arriving_cases_are_pythons(widgets, presses, count):
    widget = box(widgets, "stopping-rule")
    choose(widget, "A clearly better")
    for name in presses:
        press(widget, name)
    leads = leads_of("clear", 1)[:count]
    valid, usual = column(widget, 0)
    assert valid == " to ".join(texts(betting_interval(leads, -1, 1, 2 / 0.05)))
    assert usual == " to ".join(map(number_text, usual_interval(leads)))
    assert said(widget).startswith(f"Stream 1, after {count} cases: ")


def test_a_clear_difference_is_claimed_by_both_and_first_by_the_usual_interval(widgets):
    widget = box(widgets, "stopping-rule")
    choose(widget, "A clearly better")
    press(widget, "To case 100")
    valid, usual = (int(text.removeprefix("case ")) for text in column(widget, 1))
    leads = leads_of("clear", 1)
    lows = [betting_interval(leads[:count], -1, 1, 2 / 0.05)[0] for count in range(1, 101)]
    assert valid == next(count for count, low in enumerate(lows, 1) if low >= 0)
    assert usual == next(count for count in range(10, 101) if usual_interval(leads[:count])[0] > 0)
    assert usual < valid


def test_count_over_200_streams_is_pythons_and_the_valid_interval_errs_in_few(widgets):
    widget = box(widgets, "stopping-rule")
    press(widget, "Count over 200 streams")
    counted = widget.locator("[data-part=total]").inner_text()
    naive, valid = map(int, re.search(r"a difference in (\d+), the one for every look in (\d+)", counted).groups())
    leads = np.array([leads_of("equal", number) for number in range(1, 201)])
    sides = np.stack([leads, -leads])[..., None]
    capitals = np.cumprod(1 + BETS * sides, axis=2).mean(axis=3)
    assert valid == (capitals >= 2 / 0.05).any(axis=(0, 2)).sum()
    wrong = [any(low > 0 or high < 0 for low, high in map(usual_interval, prefixes(row))) for row in leads.tolist()]
    assert naive == sum(wrong)
    assert valid <= 0.05 * 200 < naive


def prefixes(row: list[int]) -> list[list[int]]:
    return [row[:count] for count in range(10, 101)]


def test_client_dice_give_the_same_token_for_the_same_prompt(widgets):
    widget = box(widgets, "client-dice")
    first = winner(widget, "✓ picked")
    for _ in range(5):
        press(widget, "Call again")
        assert winner(widget, "✓ picked") == first
    choose(widget, "Changed")
    assert winner(widget, "✓ picked") != first
    assert said(widget).endswith("Other prompt, same dice.")
    choose(widget, "As it was")
    assert winner(widget, "✓ picked") == first


def test_client_picks_the_largest_sum_of_log_probability_and_noise(widgets):
    widget = box(widgets, "client-dice")
    for token, probability in zip(table(widget), (0.25, 0.2, 0.3, 0.15, 0.1), strict=True):
        noise = -math.log(-math.log(next(stream(f"keyed 1/{token}"))))
        assert number(table(widget)[token][1]) == pytest.approx(math.log(probability) + noise, abs=0.00051)
    sums = {token: number(row[1]) for token, row in table(widget).items()}
    assert winner(widget, "✓ picked") == max(sums, key=sums.__getitem__)


def test_server_picks_other_tokens_for_the_same_prompt_and_shows_no_noise(widgets):
    widget = box(widgets, "client-dice")
    choose(widget, "The server, unseen")
    picked = set()
    for _ in range(6):
        press(widget, "Call again")
        picked.add(winner(widget, "✓ picked"))
        assert column(widget, 1) == ["unseen"] * 5
    assert len(picked) > 1
    expect(widget.get_by_role("button", name="New luck")).to_be_disabled()


THREE = ("No fix", "search", "rank", "search + rank", "answer", "search + answer", "rank + answer", "All fixes")


def bits(value: float) -> str:
    return struct.pack(">d", value).hex()


def test_flipped_outcomes_give_pythons_bits(widgets):
    widget = box(widgets, "flip-outcome")
    worth = [0, 0, 0, 1, 0, 1, 0, 1]
    for mask in (0, 7, 1, 6, 3, 4, 2, 5, 7, 1):
        now, then = ("passes", "fail") if worth[mask] else ("fails", "pass")
        press(widget, f"{THREE[mask]}: {now}. Make it {then}")
        worth[mask] = 1 - worth[mask]
        shares = shapley(worth, 1)
        assert column(widget, 0) == [bits(share) for share in shares.tolist()]
        assert column(widget, 1) == texts(shares)
        assert f"They add up to {number_text(worth[7] - worth[0])}: " in said(widget)


def test_flipping_keeps_the_focus_and_works_by_mouse(widgets):
    widget = box(widgets, "flip-outcome")
    widget.get_by_role("button", name="rank + answer: fails").click()
    expect(widget.get_by_role("button", name="rank + answer: passes. Make it fail")).to_be_focused()


def test_combinations_stand_in_layers_by_size(widgets):
    places = (
        box(widgets, "flip-outcome")
        .locator(".widget-node")
        .evaluate_all("(nodes) => nodes.map((node) => [node.firstChild.textContent, node.getBoundingClientRect().top])")
    )
    tops = dict(places)
    sizes = [bin(mask).count("1") for mask in range(8)]
    layers = [{round(tops[THREE[mask]]) for mask in range(8) if sizes[mask] == size} for size in range(4)]
    assert [len(layer) for layer in layers] == [1, 1, 1, 1]
    assert [layer.pop() for layer in layers] == sorted(map(round, set(tops.values())), reverse=True)


def test_a_fix_that_does_nothing_looks_good_in_a_before_and_after(widgets):
    widget = box(widgets, "lucky-control")
    widget.get_by_label("Of the rest, the fix repairs").press("Home")
    assert column(widget, 1) == texts([20 / 100, 20 / 100, 0])
    assert said(widget) == (
        "A before and after says the fix repairs 20 of 100. "
        "Without any fix 20 of 100 pass as well, so the fix adds 0, a share of 0."
    )


@pytest.mark.parametrize(("luck", "effect"), [(0, 35), (33, 50), (60, 100), (7, 1)])
def test_what_a_fix_adds_is_what_is_left_over_the_control(widgets, luck, effect):
    widget = box(widgets, "lucky-control")
    widget.get_by_label("Pass again by luck alone").fill(str(luck))
    widget.get_by_label("Of the rest, the fix repairs").fill(str(effect))
    fixed = math.floor((100 - luck) * effect / 100 + 0.5)
    (naive,) = fix_alone([0, luck + fixed], 100)
    (adds,) = fix_alone([luck, luck + fixed], 100)
    assert column(widget, 1) == texts([naive, luck / 100, adds])
    for kind, count in (("luck", luck), ("fix", fixed), ("fail", 100 - luck - fixed)):
        assert widget.locator(f".widget-cases .sign-{kind}").count() == count


PATTERNS = {
    "One fix repairs it": "repairable",
    "Either of two does": "repairable",
    "It takes two": "no_single",
    "Nothing repairs it": "all_fail",
    "A fix makes it worse": "repairable",
    "It passes anyway": "passes",
    "Three tie": "no_single",
    "Only the checker helps": "repairable",
}


def downstream(steps: int) -> np.ndarray:
    """Return outputs that change with a step's own fix and those before it."""
    return np.array([[mask % 2 ** (step + 1) for mask in range(2**steps)] for step in range(steps)])


@pytest.mark.parametrize("pattern", PATTERNS)
def test_verdict_on_a_pattern_is_pythons(widgets, pattern):
    widget = box(widgets, "read-verdict")
    choose(widget, pattern)
    worth = [int(text == "Pass") for text in widget.locator(".widget-outcomes .outcome").all_inner_texts()]
    touch = last_touch(downstream(3))
    found = verdict(["search", "answer", "check"], worth, 1, 1.0, 1, touch)
    assert found.kind == PATTERNS[pattern]
    assert said(widget) == " ".join(found.sentences)
    assert column(widget, 1) == texts(shapley(worth, 1))
    assert column(widget, 2) == texts(fix_alone(worth, 1))
    assert column(widget, 3) == texts(touch)


def test_patterns_can_be_walked_through_with_the_arrow_keys(widgets):
    widget = box(widgets, "read-verdict")
    verdicts = [said(widget)]
    radio = widget.get_by_role("radio", name="One fix repairs it")
    radio.focus()
    for _ in range(7):
        widgets.keyboard.press("ArrowRight")
        verdicts.append(said(widget))
    assert len(set(verdicts)) == 8


def test_values_of_a_planted_failure_are_hidden_until_one_guesses(widgets):
    widget = box(widgets, "planted-failure")
    expect(widget.locator(".widget-bars")).to_be_hidden()
    choose(widget, "reviewer")
    worth = [int(bool(mask & 2 or mask & 12 == 12)) for mask in range(16)]
    touch = last_touch(downstream(4))
    assert column(widget, 1) == texts(shapley(worth, 1))
    assert column(widget, 2) == texts(fix_alone(worth, 1))
    assert column(widget, 3) == texts(touch)


@pytest.mark.parametrize(
    ("guess", "answer"), [("researcher", "You said researcher: right."), ("reviewer", "You said reviewer. The error")]
)
def test_a_guess_is_answered(widgets, guess, answer):
    widget = box(widgets, "planted-failure")
    choose(widget, guess)
    assert said(widget).startswith(answer)
    assert "names the researcher; last-step blame names the reviewer" in said(widget)
