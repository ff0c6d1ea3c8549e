import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.durations import DurationError, about, for_people, seconds_of


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90), ("90s", 90), ("15m", 900), ("15min", 900), ("1h30m", 5400), ("2d", 172_800), ("0", 0),
        (" 1 h  20 min ", 4800), ("1d1h1m1s", 90_061), ("1.5h", 5400), ("0.25s", 0.25), ("90m", 5400),
    ],
)  # fmt: skip
def test_a_duration_is_the_sum_of_its_parts(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    "text", ["", " ", "m", "-5m", "1h30", "30m1h", "1h1h", "5 minutes", "1,5h", "inf", "nan", "1e3", "5M", "10ms"]
)
def test_what_is_no_duration_is_refused_with_how_one_is_written(text):
    with pytest.raises(DurationError) as raised:
        seconds_of(text)
    assert str(raised.value) == f"{text!r} is no duration; write it as 90s, 15m, 1h30m or 2d."


def test_a_duration_without_end_is_refused():
    with pytest.raises(DurationError, match="longer than can be counted"):
        seconds_of("9" * 400)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"), (0.25, "0.25 s"), (12, "12 s"), (59.9999, "1 min"), (90, "1 min 30 s"), (90.5, "1 min 30.5 s"),
        (240, "4 min"), (4800, "1 h 20 min"), (86_400, "1 d"), (90_061, "1 d 1 h 1 min 1 s"),
    ],
)  # fmt: skip
def test_a_duration_is_said_in_full(seconds, text):
    assert for_people(seconds) == text


@given(st.integers(0, 10**12))
def test_what_is_said_in_full_can_be_read_again(thousandths):
    assert round(1000 * seconds_of(for_people(thousandths / 1000))) == thousandths


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "less than 1 s"), (0.4, "less than 1 s"), (0.6, "about 1 s"), (12.4, "about 12 s"), (59.4, "about 59 s"),
        (59.6, "about 1 min"), (89, "about 1 min"), (91, "about 2 min"), (3590, "about 1 h"),
        (4790, "about 1 h 20 min"), (86_360, "about 23 h 59 min"), (86_390, "about 1 d"), (100_000, "about 1 d 4 h"),
    ],
)  # fmt: skip
def test_roughly_is_one_unit_or_two(seconds, text):
    assert about(seconds) == text


@given(st.floats(0.5, 1e9))
def test_roughly_is_off_by_half_the_smaller_unit_at_most(seconds):
    off = abs(seconds_of(about(seconds).removeprefix("about ")) - seconds)
    assert off <= (0.5 if seconds < 59.5 else 30 if seconds < 86_370 else 1800)


@pytest.mark.parametrize("seconds", [-1.0, float("inf"), float("nan")])
@pytest.mark.parametrize("say", [for_people, about])
def test_what_is_no_duration_is_not_said(say, seconds):
    with pytest.raises(ValueError, match="are no duration"):
        say(seconds)
