import asyncio
import datetime
import email.message
import email.utils
import random
import time
import types
import urllib.error

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.workers.halt import Halted
from analyzer.workers.retries import attempt, attempt_async, is_passing, seconds_asked


def named(name, *bases, **attributes):
    """An error of a class of that name, as a vendor's package would define it."""
    error = type(name, bases or (Exception,), {})("the server said so")
    vars(error).update(attributes)
    return error


def response(status=None, headers=None):
    return types.SimpleNamespace(status_code=status, headers=headers or {})


def url_error(status, **headers):
    message = email.message.Message()
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    return urllib.error.HTTPError("http://127.0.0.1/", status, "no", message, None)


class Flaky:
    """Raises the given errors, one at each attempt, and then returns; counts attempts."""

    def __init__(self, *errors):
        self.errors, self.attempts = list(errors), 0

    def __call__(self):
        self.attempts += 1
        if self.errors:
            raise self.errors.pop(0)
        return "an answer"


def busy():
    return named("RateLimitError", status_code=429)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
@pytest.mark.parametrize("where", ["status_code", "status", "code"])
def test_passing_status_is_worth_another_attempt_wherever_it_stands(status, where):
    assert is_passing(named("APIStatusError", **{where: status}))
    assert is_passing(named("HTTPStatusError", response=response(status)))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
def test_status_that_stays_is_not_tried_again_whatever_the_error_is_called(status):
    assert not is_passing(named("RateLimitError", status_code=status))
    assert not is_passing(named("HTTPError", OSError, response=response(status)))


@pytest.mark.parametrize(("status", "passing"), [(503, True), (404, False)])
def test_error_of_urllib_is_known_by_its_code(status, passing):
    with url_error(status) as error:
        assert is_passing(error) is passing


@pytest.mark.parametrize("reason", [TimeoutError("slow"), ConnectionRefusedError("closed")])
def test_reason_within_an_error_of_urllib_counts(reason):
    assert is_passing(urllib.error.URLError(reason))
    assert not is_passing(urllib.error.URLError("unknown url type: foo"))


@pytest.mark.parametrize("error", [TimeoutError(), ConnectionResetError(), BrokenPipeError()])
def test_time_outs_and_lost_connections_are_worth_another_attempt(error):
    assert is_passing(error)


@pytest.mark.parametrize("name", ["APIConnectionError", "APITimeoutError", "ReadTimeout", "ServiceUnavailableError"])
def test_error_named_as_vendors_do_is_worth_another_attempt_and_so_is_one_derived_from_it(name):
    error = named(name)
    assert is_passing(error)
    assert is_passing(named("OurOwnError", type(error)))


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        KeyError("code"),
        SystemExit(503),
        KeyboardInterrupt(),
        named("VendorError", code=1302),
        named("VendorError", code="rate_limited"),
        named("VendorError", status=True),
    ],
)
def test_other_errors_are_not_tried_again(error):
    assert not is_passing(error)


def test_whatever_says_when_to_come_again_is_worth_another_attempt():
    assert is_passing(named("OddError", retry_after=3))
    assert is_passing(named("OddError", status_code=403, response=response(403, {"Retry-After": "3"})))
    assert not is_passing(named("OddError", retry_after=None))


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (named("E", retry_after=7), 7.0),
        (named("E", retry_after="7.5"), 7.5),
        (named("E", retry_after=datetime.timedelta(minutes=2)), 120.0),
        (named("E", retry_after=-1), 0.0),
        (named("E", retry_after=float("nan")), None),
        (named("E", retry_after="soon"), None),
        (named("E", retry_after=[1]), None),
        (named("E", response=response(429, {"retry-after": "4"})), 4.0),
        (named("E", response=response(429, {"Retry-After-Ms": "250", "Retry-After": "4"})), 0.25),
        (named("E", headers={"Retry-After": "4"}), 4.0),
        (named("E", headers=None, response=None), None),
        (named("E", headers={"Retry-After": "Mon, 01 Jan 2001 00:00:00 GMT"}), 0.0),
        (ValueError("no"), None),
    ],
)
def test_wait_that_is_asked_for_is_read_from_where_services_write_it(error, seconds):
    assert seconds_asked(error) == seconds


def test_wait_that_is_asked_for_may_be_a_date_in_the_headers_of_urllib():
    date = email.utils.format_datetime(datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1), usegmt=True)
    before = time.time()
    with url_error(429, Retry_After=date) as error:
        asked = seconds_asked(error)
    # The date has whole seconds, and the clock went on meanwhile.
    assert 3600 - 1 - (time.time() - before) <= asked <= 3600


@given(st.text() | st.integers() | st.floats() | st.none() | st.binary() | st.lists(st.integers()))
def test_nothing_that_headers_hold_makes_reading_them_fail(content):
    asked = seconds_asked(named("E", headers={"Retry-After": content}, retry_after=content))
    assert asked is None or asked >= 0


def test_attempts_go_on_until_one_succeeds():
    run = Flaky(busy(), busy())
    assert attempt(run, 5, lambda seconds: None) == "an answer"
    assert run.attempts == 3


def test_last_error_is_raised_when_there_are_no_more_attempts():
    errors = [busy() for _ in range(4)]
    run = Flaky(*errors)
    with pytest.raises(type(errors[2])) as raised:
        attempt(run, 2, lambda seconds: None)
    assert raised.value is errors[2]
    assert run.attempts == 3


def test_no_retries_mean_one_attempt():
    run = Flaky(busy())
    with pytest.raises(Exception, match="the server said so"):
        attempt(run, 0, pytest.fail)
    assert run.attempts == 1


def test_error_that_stays_is_raised_at_once():
    run = Flaky(busy(), ValueError("bad prompt"))
    with pytest.raises(ValueError, match="bad prompt"):
        attempt(run, 5, lambda seconds: None)
    assert run.attempts == 2


def test_interrupt_is_never_tried_again():
    run = Flaky(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        attempt(run, 5, lambda seconds: None)
    assert run.attempts == 1


def test_waits_double_from_a_second_to_a_minute_with_up_to_a_second_more():
    waits = []
    attempt(Flaky(*(busy() for _ in range(9))), 9, waits.append)
    for wait, least in zip(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60], strict=True):
        assert least <= wait <= least + 1


def test_waits_of_those_refused_together_differ():
    waits = []
    random.seed(1)
    for _ in range(20):
        attempt(Flaky(named("E", retry_after=10)), 1, waits.append)
    assert len(set(waits)) == 20


@pytest.mark.parametrize(("asked", "heeded"), [(10, 10), (0, 0), (299, 299), (86_400, 300)])
def test_wait_is_as_long_as_asked_up_to_five_minutes(asked, heeded):
    waits = []
    attempt(Flaky(named("E", retry_after=asked)), 1, waits.append)
    assert heeded <= waits[0] <= heeded + 1


def test_order_to_stop_during_a_wait_ends_the_attempts_with_the_error():
    def pause(seconds):
        raise Halted

    error = busy()
    run = Flaky(error)
    with pytest.raises(type(error)) as raised:
        attempt(run, 5, pause)
    assert raised.value is error
    assert run.attempts == 1


def test_async_attempts_go_on_and_stop_as_plain_ones_do():
    async def outcome(run, retries, pause):
        async def once():
            return run()

        return await attempt_async(once, retries, pause)

    waits = []

    async def pause(seconds):
        waits.append(seconds)

    async def stop(seconds):
        raise Halted

    assert asyncio.run(outcome(Flaky(busy(), busy()), 2, pause)) == "an answer"
    assert [int(wait) for wait in waits] in ([1, 2], [1, 3], [2, 2], [2, 3])
    for run, retries, pausing in (
        (Flaky(busy()), 0, pause),
        (Flaky(busy(), busy()), 1, pause),
        (Flaky(busy()), 5, stop),
    ):
        with pytest.raises(Exception, match="the server said so"):
            asyncio.run(outcome(run, retries, pausing))
