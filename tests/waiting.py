"""Waits for what is bound to come, here or in another process."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

#: Seconds longer than anything takes that is waited for, so that what never comes fails rather than hangs.
PATIENCE = 60.0


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def is_alive(pid: int) -> bool:
    # Also a process that ended and that nobody has asked about yet is no longer alive.
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
