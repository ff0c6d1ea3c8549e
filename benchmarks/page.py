"""Measures the page on a scenario of 10,000 cases of 8 fixes, in the browser, and how long sites take to build.

    python benchmarks/page.py [--cases 10000] [--keep FOLDER]

It needs Chromium. Two scenarios are made up: one of outcomes that pass or fail, one of graded scores, no two of which
are equal. Each is opened from disk with the network off. A flip is a click on an outcome of a case; its time is what
the browser works until every number and picture is up to date, style and layout included, and, below it, how long it
takes from the click until the frame that shows it is done. All are medians. On a machine that does other things, too,
these say little; the time on the page's main thread, a mean of all that happens until the frame and with the address
written after it, says more. It is taken with reduced motion: what moves is drawn in frames that follow. With --keep
sites are built into a folder, and those that are there from an earlier run are measured as they are.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Browser, CDPSession, Page

from analyzer.game_file import GameFile, ScoreInfo, write
from site_builder import plan_site, write_site
from tests.browser.chromium import offline_context, running_chromium
from tests.made_game_files import PASS_FAIL, case_game, fix, game_file, scenario, step

ROOT = Path(__file__).parents[1]
FIXES = 8
BUILT_CASES = 1000
BUILDS = 3
MODES = (("replayed", 1), ("abducted", 8), ("fresh", 8))
OPENED = 3
REPEATS = 41
WARM = 6
GRADED = ScoreInfo("share of the rubric", True, 0.0, 1.0, 0.5)
TAGS = ("long", "short", "table", "code", "follow-up")
FAILURES = ("wrong number", "no citation", "off topic")

STEPS = [
    step(f"step-{number}", (f"step-{number - 1}",) if number else (), fix=fix(f"better prompt {number}"))
    for number in range(FIXES)
]

#: What a page is asked, each a function of the part of a page named first. All wait for the page to have settled.
PRELUDE = """
window.settle = async () => {
  let last = null;
  while (last !== AgentBlame.page.settled()) { last = AgentBlame.page.settled(); await last; }
};
window.after = () => new Promise((done) => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = done;
  channel.port2.postMessage(null);
}));
window.idle = () => new Promise((done) => setTimeout(done, 40));
window.timed = async (act) => {
  await settle();
  await idle();
  const start = performance.now();
  act();
  let last = null;
  while (last !== AgentBlame.page.drawn()) { last = AgentBlame.page.drawn(); await last; }
  document.body.getBoundingClientRect();
  const worked = performance.now() - start;
  await after();
  return [worked, performance.now() - start];
};
window.section = () => document.querySelector("[data-scenario]:not([hidden])");
window.frames = async (scroller, count) => {
  const found = [];
  if (scroller !== document.scrollingElement) scroller.scrollIntoView();
  await idle();
  let last = performance.now();
  for (let k = 0; k < count; k += 1) {
    scroller.scrollTop = (k % 2 === 0 ? k : count - k) * 97;
    await after();
    found.push(performance.now() - last);
    last = performance.now();
  }
  return found;
};
null;
"""


def worths(luck: random.Random, worlds: int) -> list[int]:
    """Return outcomes of a case: in each world the same few sets of fixes repair it, now and then by luck."""
    repairs = [
        sum(1 << k for k in luck.sample(range(FIXES), luck.choice((1, 2, 2, 3)))) for _ in range(luck.randint(1, 3))
    ]
    lucky = [luck.random() < 0.02 for _ in range(worlds)]
    broken = [luck.random() < 0.1 for _ in range(worlds)]
    found = []
    for mask in range(2**FIXES):
        repaired = any(mask & repair == repair for repair in repairs)
        found.append(sum((repaired and not broken[world]) or lucky[world] for world in range(worlds)))
    return found


def scores(luck: random.Random) -> list[float]:
    """Return graded outcomes of a case: what the fixes add, and what pairs of them do."""
    gains = [luck.random() ** 3 for _ in range(FIXES)]
    one, other = luck.sample(range(FIXES), 2)
    whole = sum(gains) + 1
    found = []
    for mask in range(2**FIXES):
        together = mask >> one & mask >> other & 1
        found.append((sum(gain for k, gain in enumerate(gains) if mask >> k & 1) + together * luck.random()) / whole)
    return found


def made(name: str, mode: str, worlds: int, cases: int, *, graded: bool = False) -> GameFile:
    """Return a scenario of made-up games in one mode."""
    luck = random.Random(name + mode)
    about = scenario(name, name.replace("-", " "), "Made up.", GRADED if graded else PASS_FAIL)
    found = [
        case_game(
            STEPS,
            f"case-{number:05}",
            scores(luck) if graded else worths(luck, worlds),
            None if graded else worlds,
            lambda id, mask: "fixed" if mask >> int(id.removeprefix("step-")) & 1 else "as it was",
            tags=luck.sample(TAGS, luck.randint(0, 2)),
            failure=luck.choice(FAILURES),
        )
        for number in range(cases)
    ]
    return game_file(about, STEPS, mode, worlds, found)


def middle(numbers: Sequence[float]) -> str:
    """Return a median of milliseconds as text."""
    return f"{statistics.median(numbers):.1f} ms"


def opened(browser: Browser, address: str) -> tuple[Page, dict[str, float]]:
    """Open an address in a context of its own; return the page and what its start took."""
    page = offline_context(browser, viewport={"width": 1280, "height": 800}).new_page()
    page.add_init_script(
        "window.longest = 0; new PerformanceObserver((list) => list.getEntries().forEach((entry) => {"
        " window.longest = Math.max(window.longest, entry.duration); })).observe({ type: 'longtask', buffered: true });"
    )
    page.goto(address)
    page.evaluate(PRELUDE)
    took = page.evaluate("""async () => {
        await settle();
        await after();
        const ready = performance.now();
        await new Promise((done) => setTimeout(done, 200));
        const paint = performance.getEntriesByName("first-contentful-paint")[0];
        return { paint: paint.startTime, ready, longest: window.longest };
    }""")
    return page, took


def starts(browser: Browser, address: str) -> dict[str, list[float]]:
    """Return what several starts took, by name."""
    found: dict[str, list[float]] = {}
    for _ in range(OPENED):
        page, took = opened(browser, address)
        for name, number in took.items():
            found.setdefault(name, []).append(number)
        page.context.close()
    return found


def timed(page: Page, act: str, times: int = REPEATS) -> dict[str, str]:
    """Do something so many times, after a few that do not count; return what it took, by name."""
    repeat = f"""async (times) => {{
        const found = [];
        for (let k = 0; k < times; k += 1) found.push(await timed(() => {{ {act} }}));
        return found;
    }}"""
    page.evaluate(repeat, WARM)
    found = page.evaluate(repeat, times)
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(repeat, WARM)
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = main_thread(client)
    page.evaluate(repeat, times)
    busy = (main_thread(client) - before) / times
    page.emulate_media(reduced_motion="no-preference")
    work, frame = ([one[k] for one in found] for k in (0, 1))
    return {"work": middle(work), "until its frame": middle(frame), "on the main thread": f"{1000 * busy:.1f} ms"}


def main_thread(client: CDPSession) -> float:
    """Return the seconds a page's main thread has been at work."""
    metrics = client.send("Performance.getMetrics")["metrics"]
    return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


def memory(page: Page) -> float:
    """Return the bytes of the page's own objects and arrays of numbers, after what is no longer used was let go."""
    client = page.context.new_cdp_session(page)
    client.send("HeapProfiler.collectGarbage")
    usage = client.send("Runtime.getHeapUsage")
    return float(usage["usedSize"]) + float(usage["backingStorageSize"])


FLIP = 'section().querySelectorAll("[data-mask] [data-part=flip]")[1 + k % 7].click();'


def measured(browser: Browser, site: Path, scenario: str, cases: int) -> dict[str, str]:
    """Return one column of the table: what was measured of a scenario."""
    all_cases = (site / "scenarios" / f"{scenario}.html").as_uri()
    one_case = f"{all_cases}#s={scenario}&case=case-{cases // 2:05}&mode=replayed"
    found: dict[str, str] = {}
    begun = starts(browser, all_cases)
    found["first paint"] = middle(begun["paint"])
    found["all cases computed and shown"] = middle(begun["ready"])
    found["longest task until then"] = middle(begun["longest"])

    page, _ = opened(browser, one_case)
    for what, took in timed(page, FLIP).items():
        found[f"flip in a case: {what}"] = took
    page.context.close()

    page, _ = opened(browser, all_cases)
    for what, scroller in (
        ("scrolling the list, a frame", 'section().querySelector("[data-part=cases-box]")'),
        ("scrolling the page, a frame", "document.scrollingElement"),
    ):
        found[what] = middle(page.evaluate(f"() => frames({scroller}, 60)"))
    header = "section().querySelector(`th[data-sort='${1 + k % 8}'] button`).click();"
    chip = "section().querySelector(`[data-filter=tags-${k >> 1 & 3}]`).click();"
    kind = "section().querySelector('[data-filter=kinds-no_single]').click();"
    for name, act in (("sort by a fix", header), ("filter by a tag", chip), ("filter by what it takes", kind)):
        figures = timed(page, act, 16)
        for what in ("work", "on the main thread"):
            found[f"{name}: {what}"] = figures[what]
    found["memory"] = f"{memory(page) / 2**20:.0f} MB"
    page.context.close()
    return found


def built(games: Sequence[Callable[[], GameFile]], folder: Path) -> str:
    """Build a site unless it is there; return how long that took, without making the games up."""
    if folder.exists():
        return "built before"
    files = [make() for make in games]
    start = time.perf_counter()
    write_site(plan_site(files), folder)
    return f"{time.perf_counter() - start:.1f} s"


def built_from_files(games: Sequence[Callable[[], GameFile]], folder: Path) -> str:
    """Run `agentblame build` on game files; return the median time it takes, and that of the processor, as text."""
    for make in games:
        write(make(), folder / "games")
    command = (sys.executable, "-m", "site_builder", "build", str(folder / "games"), "--out", str(folder / "built"))
    clock, processor = list[float](), list[float]()
    for _ in range(BUILDS):
        start, before = time.perf_counter(), os.times()
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
        clock.append(time.perf_counter() - start)
        after = os.times()
        processor.append(after.children_user - before.children_user + after.children_system - before.children_system)
    return f"{statistics.median(clock):.1f} s ({statistics.median(processor):.1f} s of the processor)"


def print_table(columns: dict[str, dict[str, Any]]) -> None:
    """Print one column for each scenario."""
    print(f"| | {' | '.join(columns)} |")
    print(f"|---|{'---:|' * len(columns)}")
    for row in next(iter(columns.values())):
        print(f"| {row} | {' | '.join(column[row] for column in columns.values())} |")


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--cases", type=int, default=10_000)
    arguments.add_argument("--keep", type=Path)
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch, running_chromium() as browser:
        folder = chosen.keep or Path(scratch)
        columns = {}
        for name, graded in (("pass-fail", False), ("graded", True)):
            took = built([partial(made, name, "replayed", 1, chosen.cases, graded=graded)], folder / name)
            columns[name] = {"build": took, **measured(browser, folder / name, name, chosen.cases)}
        print(f"{chosen.cases:,} cases of {FIXES} fixes, Chromium {browser.version}\n")
        print_table(columns)
        three = [partial(made, "three-modes", mode, worlds, BUILT_CASES) for mode, worlds in MODES]
        took = built_from_files(three, Path(scratch))
        print(f"\n`agentblame build` of {BUILT_CASES:,} cases in 3 modes, from game files: {took}.")


if __name__ == "__main__":
    main()
