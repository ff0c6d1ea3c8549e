"""Turns what an analysis may execute, and what it has, into the cap that it reaches."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.durations import for_people

_ROUNDING = 1e-9


class BudgetReached(Exception):
    """No more calls may run. The message names the cap."""


@dataclass(frozen=True)
class Budget:
    """How much may be executed in all; None is no cap.

    Attributes
    ----------
    calls : int or None
        Calls.
    cost : float or None
        In the pipeline's cost unit.
    seconds : float or None
        From the start of the first analysis; calls under way then are let finish.
    """

    calls: int | None = None
    cost: float | None = None
    seconds: float | None = None

    def reached(self, calls: int, cost: float, seconds: float = 0.0) -> str:
        """Return which cap so many calls, such a cost or so many seconds would be above; empty for none."""
        if self.calls is not None and calls > self.calls:
            return f"the cap of {self.calls} calls"
        # What rounding adds up to is no money.
        if self.cost is not None and cost > self.cost * (1 + _ROUNDING):
            return f"the cap of {self.cost:g} on the cost"
        if self.seconds is not None and seconds > self.seconds:
            return f"the cap of {for_people(self.seconds)} on the time"
        return ""


UNLIMITED = Budget()
