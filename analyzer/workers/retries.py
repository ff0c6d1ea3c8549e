"""Turns an error of a service into a decision: whether another attempt is worth it, and after how long.

Errors are known by their shape (a status, a name, a Retry-After), so that no vendor's package need be installed.
"""

from __future__ import annotations

import datetime
import email.utils
import math
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeVar

import tenacity

from analyzer.workers.halt import Halted

T = TypeVar("T")

#: Seconds before the second attempt; each further wait is twice the one before.
FIRST_WAIT = 1.0
#: The longest wait, in seconds, where the service says nothing of how long.
LONGEST_WAIT = 60.0
#: The longest wait, in seconds, that a service's Retry-After is heeded for; after it the call is tried all the same.
LONGEST_ASKED = 300.0
# Up to this many seconds more, at random: callers that were refused together do not come back together.
_SPREAD = 1.0

# Request time-out, conflict, too early, too many requests, trouble of the server or a proxy, overloaded.
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
# Of openai, anthropic, httpx, requests, aiohttp, google.api_core and botocore, where no status goes with the error.
_PASSING_NAMES = frozenset(
    {
        "APIConnectionError", "APITimeoutError", "ChunkedEncodingError", "ClientConnectionError", "ConnectError",
        "ConnectTimeout", "ConnectTimeoutError", "ConnectionError", "DeadlineExceeded", "EndpointConnectionError",
        "InternalServerError", "NetworkError", "OverloadedError", "RateLimitError", "ReadTimeout", "ReadTimeoutError",
        "RemoteProtocolError", "ResourceExhausted", "ServiceUnavailable", "ServiceUnavailableError",
        "ThrottlingException", "Timeout", "TimeoutException", "TooManyRequests",
    }
)  # fmt: skip


def is_passing(error: BaseException) -> bool:
    """Return whether an error may be gone at the next attempt.

    Parameters
    ----------
    error : BaseException
        What a step raised. A status (``status_code``, ``status``, ``code``, or the response's) decides, where there is
        one: 408, 409, 425, 429, 500, 502, 503, 504 and 529 pass. So do `TimeoutError`, `ConnectionError`, errors named
        as vendors name theirs (``APIConnectionError``, ``RateLimitError``, ``ReadTimeout`` …), and whatever says when
        to come again.
    """
    if not isinstance(error, Exception):
        return False
    if seconds_asked(error) is not None:
        return True
    status = _status(error)
    if status is not None:
        return status in _PASSING
    # urllib wraps what happened in an error of its own.
    reason = getattr(error, "reason", None)
    if isinstance(reason, TimeoutError | ConnectionError) or isinstance(error, TimeoutError | ConnectionError):
        return True
    return any(kind.__name__ in _PASSING_NAMES for kind in type(error).__mro__)


def seconds_asked(error: BaseException) -> float | None:
    """Return how long the service asked to wait, in seconds from 0 up; None where it did not.

    Parameters
    ----------
    error : BaseException
        With a ``retry_after`` (seconds, or a timedelta), or with ``headers``, its own or its response's:
        ``retry-after-ms``, or ``Retry-After`` in seconds or as an HTTP date.
    """
    asked = _seconds(getattr(error, "retry_after", None))
    if asked is not None:
        return asked
    for holder in (error, getattr(error, "response", None)):
        headers = _lower(getattr(holder, "headers", None))
        milliseconds = _seconds(headers.get("retry-after-ms"))
        asked = _seconds(headers.get("retry-after")) if milliseconds is None else milliseconds / 1000
        if asked is not None:
            return asked
    return None


def _status(error: Exception) -> int | None:
    response = getattr(error, "response", None)
    found = [getattr(error, name, None) for name in ("status_code", "status", "code")]
    found += [getattr(response, name, None) for name in ("status_code", "status")]
    # Codes of a vendor's own numbering are no statuses.
    return next((int(code) for code in found if isinstance(code, int) and 400 <= code < 600), None)


def _lower(headers: Any) -> Mapping[str, Any]:
    """Return headers by their names in lower case: the kinds of mapping differ in what they find."""
    try:
        return {str(name).lower(): value for name, value in headers.items()}
    except (AttributeError, TypeError, ValueError):
        return {}


def _seconds(asked: Any) -> float | None:
    """Read a number of seconds or an HTTP date; None for what is neither."""
    if isinstance(asked, datetime.timedelta):
        asked = asked.total_seconds()
    if not isinstance(asked, str | int | float) or isinstance(asked, bool):
        return None
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(str(asked)).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def attempt(run: Callable[[], T], retries: int, pause: Callable[[float], None]) -> T:
    """Run something, and again after an error that may pass, up to `retries` times more.

    Before the second attempt it waits 1 s, then 2 s, 4 s and so on up to 60 s, or as long as the service asked, up to
    300 s; and always up to a second more, at random.

    Parameters
    ----------
    run : callable
    retries : int
        From 0, for none, up.
    pause : callable
        Waits so many seconds. Raises `Halted` to end the attempts: the last error is then the outcome.

    Raises
    ------
    BaseException
        What the last attempt raised.
    """
    if retries == 0:
        return run()
    errors: list[BaseException] = []
    try:
        return tenacity.Retrying(sleep=pause, **_manners(retries, errors))(run)
    except Halted:
        raise errors[-1] from None


async def attempt_async(run: Callable[[], Awaitable[T]], retries: int, pause: Callable[[float], Awaitable[None]]) -> T:
    """Await something, and again after an error that may pass, as `attempt` does."""
    if retries == 0:
        return await run()
    errors: list[BaseException] = []
    try:
        return await tenacity.AsyncRetrying(sleep=pause, **_manners(retries, errors))(run)
    except Halted:
        raise errors[-1] from None


def _manners(retries: int, errors: list[BaseException]) -> dict[str, Any]:
    """Return what tenacity is to do; `errors` takes what each attempt before a wait raised."""
    return {
        "stop": tenacity.stop_after_attempt(retries + 1),
        "retry": tenacity.retry_if_exception(is_passing),
        "wait": _wait,
        "before_sleep": lambda state: errors.extend(_raised(state)),
        "reraise": True,
    }


def _wait(state: tenacity.RetryCallState) -> float:
    asked = next(map(seconds_asked, _raised(state)), None)
    doubled = FIRST_WAIT * 2.0 ** min(state.attempt_number - 1, 30)
    wait = min(LONGEST_WAIT, doubled) if asked is None else min(LONGEST_ASKED, asked)
    return wait + random.uniform(0.0, _SPREAD)


def _raised(state: tenacity.RetryCallState) -> Iterator[BaseException]:
    error = None if state.outcome is None else state.outcome.exception()
    if error is not None:
        yield error
