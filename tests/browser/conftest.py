"""A site and a report of known games, built once, and offline pages that show them."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from analyzer.batch import analyze
from analyzer.game_file import GameFile, read_folder, write
from analyzer.plan import Plan
from analyzer.scenarios import bundle, names
from site_builder import plan_report, plan_site, write_report, write_site
from tests.browser.chromium import Offline, offline_context, running_chromium
from tests.known_game_files import all_files

#: A folder and a single file opened from disk, and the folder served under a path of its own.
OPENINGS = ("folder", "report", "sub-path")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@functools.cache
def served(folder: Path) -> str:
    """Serve a folder on this machine for as long as the tests run, and return its address."""
    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=running.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{running.server_address[1]}"


@dataclass(frozen=True)
class Built:
    """Where a folder build and a single-file report of the same games are."""

    site: Path
    report: Path

    def address(self, opening: str, scenario: str, view: str = "") -> str:
        """Return a scenario's address under one of the OPENINGS; `view` is the rest of the hash."""
        rest = f"&{view}" if view else ""
        if opening == "report":
            return f"{self.report.as_uri()}#s={scenario}{rest}"
        page = f"{self.root(opening)}/scenarios/{scenario}.html"
        return f"{page}#s={scenario}{rest}" if view else page

    def root(self, opening: str) -> str:
        """Return the address of the folder build, from disk or served two folders deep."""
        if opening == "folder":
            return self.site.as_uri()
        return f"{served(self.site.parent.parent)}/{self.site.parent.name}/{self.site.name}"


@pytest.fixture(scope="session")
def exported_games() -> list[GameFile]:
    """Every game the site under test shows."""
    return all_files()


def build(games: list[GameFile], folder: Path) -> Built:
    """Build the folder and the report, and take note of where they are."""
    found = Built(folder / "site", folder / "report.html")
    write_site(plan_site(games), found.site)
    write_report(plan_report(games), found.report)
    return found


@pytest.fixture(scope="session")
def built(exported_games: list[GameFile], tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build what the known games show."""
    return build(exported_games, tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="session")
def bundled_games(tmp_path_factory: pytest.TempPathFactory) -> list[GameFile]:
    """Every game that the bundled scenarios export, by way of the game files that `agentblame analyze` writes."""
    folder = tmp_path_factory.mktemp("games")
    for name in names():
        found = bundle(name)
        for pipeline in found.pipelines:
            for file in analyze(pipeline, found.cases, Plan(max_failures=found.failures)).files:
                write(file, folder)
    return read_folder(folder)


@pytest.fixture(scope="session")
def bundled(bundled_games: list[GameFile], tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build what the bundled scenarios show."""
    return build(bundled_games, tmp_path_factory.mktemp("bundled"))


@pytest.fixture(scope="module", params=["known", "bundled"])
def exported(request: pytest.FixtureRequest) -> tuple[Built, list[GameFile]]:
    """Return a build and every game in it: the known games, then those of the bundled scenarios."""
    names = {"known": ("built", "exported_games"), "bundled": ("bundled", "bundled_games")}[request.param]
    build, games = map(request.getfixturevalue, names)
    return build, games


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start one Chromium per module of tests."""
    with running_chromium() as running:
        yield running


@pytest.fixture
def offline(browser: Browser) -> Iterator[Callable[..., Offline]]:
    """Open contexts without network; a page in them that complained fails the test."""
    opened: list[Offline] = []

    def open_one(**options: object) -> Offline:
        opened.append(offline_context(browser, **options))
        opened[-1].context.set_default_timeout(10_000)
        return opened[-1]

    yield open_one
    complaints = [complaint for one in opened for complaint in one.complaints]
    for one in opened:
        one.context.close()
    assert complaints == []


@pytest.fixture
def page(offline: Callable[..., Offline]) -> Page:
    """Open one page without network."""
    return offline().new_page()


SETTLED = """async () => {
    let last = null;
    while (last !== AgentBlame.page.settled()) {
        last = AgentBlame.page.settled();
        await last;
    }
}"""


def settle(page: Page) -> None:
    """Wait until what was last asked for is on the page."""
    page.evaluate(SETTLED)


def show(page: Page, address: str) -> None:
    """Open an address, or go to another view of the page that is open, and wait until it is shown."""
    page.goto(address)
    settle(page)


def act(page: Page, what: Callable[[], object]) -> None:
    """Do what a reader does, and wait until what follows is on the page."""
    what()
    settle(page)


def part(page: Page, name: str) -> Locator:
    """Return the part of the scenario on the page that has a name."""
    return page.locator(f"[data-scenario]:not([hidden]) [data-part={name}]")


def add_to_script(site: Path, name: str, change: str) -> None:
    """Add code at the end of one of the scripts that a scenario page loads."""
    path = site / "static" / "scenario.js"
    text = path.read_text("utf-8")
    start = text.index(f"/* {name} */\n")
    end = text.index("\n/* js/", start)
    path.write_text(f"{text[:end]}\n{change}{text[end:]}", "utf-8")
