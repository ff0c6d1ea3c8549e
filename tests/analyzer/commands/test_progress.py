import io
import math
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from analyzer.commands.progress import Progress, is_terminal
from analyzer.redacted_output import guarded_output


class Clock:
    """A clock that goes when it is told to."""

    now = 1000.0

    def __call__(self):
        return self.now


class Screen(io.StringIO):
    """What a terminal shows: text written over text."""

    def shown(self):
        rows, place = [[]], 0
        for character in self.getvalue():
            if character == "\n":
                rows.append([])
                place = 0
            elif character == "\r":
                place = 0
            else:
                rows[-1][place : place + 1] = [character]
                place += 1
        return ["".join(row).rstrip() for row in rows]


class Tty(io.StringIO):
    def isatty(self):
        return True


def made(total=200, unit="USD", *, terminal, width=80):
    clock, screen = Clock(), Screen()
    return Progress(total, unit, screen, terminal=terminal, clock=clock, width=lambda: width), clock, screen


def watched(**options):
    return made(**options, terminal=True)


def unwatched(**options):
    return made(**options, terminal=False)


def run(progress, clock, cases, *, seconds=1.0, calls=8, cost=0.125):
    """Run cases of so many calls each, one after another."""
    for case in range(cases):
        for call in range(calls):
            clock.now += seconds / calls
            done = case * calls + call + 1
            progress.call_done(done, done * cost)
        progress.case_done("failed" if case % 4 == 0 else "passed", case + 1)


def test_a_terminal_shows_one_line_that_says_everything():
    progress, clock, screen = watched()
    run(progress, clock, 12)
    assert screen.shown() == ["12/200 cases, 3 failed · 96 calls, 8.0/s · 12 USD · about 3 min left"]


def test_a_rewritten_line_is_complete_with_each_return():
    progress, clock, screen = watched()
    run(progress, clock, 12)
    assert "\n" not in screen.getvalue()
    assert screen.getvalue().endswith("\r")


def test_a_shorter_line_leaves_nothing_of_a_longer_one():
    progress, clock, screen = watched()
    run(progress, clock, 12)
    progress.stage(3, "failing cases")
    clock.now += 1
    progress.call_done(97, 12.125)
    assert screen.shown() == ["0/3 failing cases · 97 calls, 7.5/s · 12.12 USD"]


def test_the_line_is_rewritten_ten_times_a_second_at_most():
    progress, clock, screen = watched()
    run(progress, clock, 1000, seconds=0.01)
    assert 50 <= screen.getvalue().count("\r") <= 100


def test_a_case_is_seen_to_be_done_although_its_last_call_was_just_drawn():
    progress, clock, screen = watched()
    clock.now += 10
    progress.call_done(1, 1.0)
    progress.case_done("passed", 1)
    assert screen.shown()[0].startswith("1/200 cases")


@pytest.mark.parametrize("width", [10, 40, 50])
@pytest.mark.parametrize("unit", ["USD", "人民币人民币人民币人民币人民币人民币"])
def test_the_line_is_cut_to_the_width_of_the_terminal(width, unit):
    progress, clock, screen = watched(width=width, unit=unit)
    run(progress, clock, 12)
    line = screen.getvalue().split("\r")[-2].rstrip()
    assert width - 2 <= len(line) + len(re.findall("[人民币]", line)) <= width - 1


def test_the_line_goes_when_the_run_is_over():
    progress, clock, screen = watched()
    run(progress, clock, 12)
    progress.close()
    progress.call_done(500, 50.0)
    progress.close()
    assert screen.shown() == [""]


def test_a_message_stands_above_the_line():
    progress, clock, screen = watched()
    run(progress, clock, 1)
    progress.say("a short one")
    assert screen.shown() == ["a short one", "1/200 cases, 1 failed · 8 calls · 1 USD"]
    progress.close()
    progress.say("the last one")
    assert screen.shown() == ["a short one", "the last one", ""]


def test_the_line_passes_the_door_that_holds_lines_back(monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    with guarded_output():
        progress = Progress(200, "USD", sys.stderr, terminal=True, clock=Clock(), width=lambda: 80)
        progress.call_done(1, 0.5)
        assert screen.shown() == ["0/200 cases · 1 call · 0.50 USD"]


@pytest.mark.parametrize("total", [10, 19, 48, 200, 1001])
def test_elsewhere_ten_lines_are_said_over_the_cases(total):
    progress, clock, screen = unwatched(total=total)
    run(progress, clock, total, seconds=0.01)
    lines = screen.getvalue().splitlines()
    assert len(lines) == 10
    assert lines[-1].startswith(f"  {total:,}/{total:,} cases")
    assert "\r" not in screen.getvalue()


def test_elsewhere_lines_say_what_the_terminal_would():
    progress, clock, screen = unwatched()
    run(progress, clock, 20, cost=0.01)
    assert screen.getvalue() == "  20/200 cases, 5 failed · 160 calls, 8.0/s · 1.60 USD · about 3 min left\n"


def test_a_single_case_needs_no_count():
    progress, clock, screen = unwatched(total=1)
    run(progress, clock, 1)
    progress.close()
    assert screen.getvalue() == ""


def test_a_slow_case_is_not_silent():
    progress, clock, screen = unwatched(total=1)
    run(progress, clock, 1, seconds=100.0, calls=800)
    lines = screen.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("  0/1 cases · 240 calls, 8.0/s")


def test_a_run_of_unknown_length_is_not_silent():
    progress, clock, screen = unwatched(total=None)
    run(progress, clock, 70)
    assert screen.getvalue().splitlines() == [
        "  29 cases, 8 failed · 240 calls, 8.0/s · 30 USD",
        "  59 cases, 15 failed · 480 calls, 8.0/s · 60 USD",
    ]


def test_a_line_is_not_repeated_where_another_was_just_said():
    progress, clock, screen = unwatched(total=None)
    for call in range(70):
        clock.now += 1
        progress.call_done(call + 1, 0.0)
        if call % 20 == 0:
            progress.say("something else")
    assert set(screen.getvalue().splitlines()) == {"something else"}


def test_cases_that_errored_are_told_apart():
    progress, _, screen = watched(total=3)
    for number, outcome in enumerate(["errored", "failed", "passed"]):
        progress.case_done(outcome, number + 1)
    progress.say("")
    assert screen.shown()[-1] == "3/3 cases, 1 failed, 1 errored"


def test_an_unknown_price_is_said_and_is_not_nothing():
    progress, _, screen = watched()
    progress.call_done(3, math.nan)
    assert screen.shown() == ["0/200 cases · 3 calls · cost unknown"]


def test_a_cost_in_calls_is_not_said_twice():
    progress, _, screen = watched(unit="calls")
    progress.call_done(3, 3.0)
    assert screen.shown() == ["0/200 cases · 3 calls"]


def test_few_calls_are_counted_by_the_minute():
    progress, clock, screen = watched()
    clock.now += 10
    progress.call_done(3, 0.3)
    assert "3 calls, 18.0/min" in screen.shown()[0]


@pytest.mark.parametrize(("cases", "seconds"), [(4, 10.0), (15, 0.1)])
def test_nothing_is_said_of_the_time_left_before_it_means_something(cases, seconds):
    progress, clock, screen = watched()
    run(progress, clock, cases, seconds=seconds)
    progress.say("")
    assert f"{cases}/200 cases" in screen.shown()[-1]
    assert "left" not in screen.shown()[-1]


def test_cases_known_from_an_earlier_run_do_not_shorten_the_time_left():
    progress, clock, screen = watched()
    for case in range(150):
        clock.now += 0.001
        progress.case_done("passed", case + 1)
    for case in range(150, 160):
        clock.now += 6
        progress.call_done(case - 149, 0.0)
        progress.case_done("passed", case + 1)
    assert screen.shown()[0].endswith("about 4 min left")


def test_another_stage_does_not_forecast_by_the_cases_of_the_first():
    progress, clock, screen = watched()
    run(progress, clock, 200, seconds=0.1)
    progress.stage(40, "failing cases")
    for case in range(10):
        clock.now += 30
        progress.call_done(1601 + case, 0.0)
        progress.case_done("examined", case + 1)
    assert screen.shown()[0].startswith("10/40 failing cases · 1,610 calls")
    assert screen.shown()[0].endswith("about 15 min left")


def test_threads_may_tell_at_the_same_time():
    progress, clock, screen = made(total=1000, unit="calls", terminal=False)

    def tell(number):
        clock.now += 0.01
        progress.call_done(number, float(number))
        progress.case_done("passed", number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(tell, range(1, 1001)))
    lines = screen.getvalue().splitlines()
    assert all(re.match(r"  [\d,]+/1,000 cases · [\d,]+ calls", line) for line in lines)
    assert lines


def test_without_a_stream_nothing_is_said():
    progress = Progress(10, "calls", None, terminal=False, clock=Clock())
    progress.case_done("failed", 10)
    progress.say("a line")
    progress.close()


def test_only_a_terminal_that_somebody_watches_is_rewritten():
    assert is_terminal(Tty(), {"TERM": "xterm"})
    assert is_terminal(Tty(), {"CI": ""})
    for stream, environment in [(io.StringIO(), {}), (None, {}), (Tty(), {"CI": "true"}), (Tty(), {"TERM": "dumb"})]:
        assert not is_terminal(stream, environment)


def test_a_stream_that_does_not_say_how_wide_it_is_gets_the_usual_width():
    screen, clock = Screen(), Clock()
    progress = Progress(200, "a unit of quite some length, in words", screen, terminal=True, clock=clock)
    run(progress, clock, 12)
    assert len(screen.shown()[0]) == 79
