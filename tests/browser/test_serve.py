"""Pages of a site that is served load themselves again once it was built again, and say so when it could not be."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from analyzer.game_file import read_folder
from site_builder import plan_site
from site_builder.serve import Server
from site_builder.served import LiveSite
from tests.browser.conftest import settle
from tests.made_game_files import case_game, fix, game_file, scenario, step, write_all


class Desk:
    """A served site of one scenario, with what its pages complained about."""

    def __init__(self, games: Path) -> None:
        self.games = games
        self.complaints: list[str] = []
        self.write(0, 1, 0, 1)
        self.start(0)

    def start(self, port: int) -> None:
        """Serve what is in the game files, and follow them."""
        site = LiveSite(lambda: plan_site(read_folder(self.games)), lambda: sorted(self.games.glob("*.jsonl")), print)
        self.server = Server(site, port)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        threading.Thread(target=site.follow, args=(self.server.ended,), daemon=True).start()

    def stop(self) -> None:
        """End the server, with the streams that pages keep open."""
        self.server.shutdown()
        self.server.server_close()

    def write(self, *worth: int) -> None:
        """Write the one game file anew: a case of two fixes with these outcomes."""
        steps = [step("search", fix=fix("Search twice")), step("answer", ["search"], fix=fix("Cite"))]
        case = case_game(steps, "late-parcel", worth, 1, lambda name, mask: f"{name} {mask}")
        write_all([game_file(scenario("desk", "Desk", "Answers."), steps, "replayed", 1, [case])], self.games)

    def address(self, path: str) -> str:
        """Return where a file of the site is served."""
        return f"http://127.0.0.1:{self.port}/{path}"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(tmp_path / "games")
    yield found
    found.stop()


@pytest.fixture
def page(browser: Browser, desk: Desk) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.on("console", lambda message: desk.complaints.append(message.text))
    page.on("pageerror", lambda error: desk.complaints.append(str(error)))
    yield page
    context.close()
    assert desk.complaints == []


VALUES = "[data-part=ranking] [data-player='0'] [data-rule=shapley]"
WAIT = 20_000


def test_page_shows_the_new_number_without_being_asked(page, desk):
    page.goto(desk.address("scenarios/desk.html"))
    expect(page.locator(VALUES)).to_have_text("1")
    desk.write(0, 0, 0, 1)
    expect(page.locator(VALUES)).to_have_text("0.500", timeout=WAIT)


def test_reload_keeps_the_view(page, desk):
    view = "s=desk&case=late-parcel&mode=replayed&on=1"
    page.goto(desk.address("scenarios/desk.html#" + view))
    settle(page)
    before = page.evaluate("() => [location.hash, AgentBlame.page.state().on]")
    desk.write(0, 0, 0, 1)
    expect(page.locator(VALUES)).to_have_text("0.500", timeout=WAIT)
    page.wait_for_function("() => globalThis.AgentBlame?.page !== undefined")
    settle(page)
    assert page.evaluate("() => [location.hash, AgentBlame.page.state().on]") == before


def test_file_that_breaks_is_told_in_the_page_which_stays_until_it_is_mended(page, desk):
    page.goto(desk.address("scenarios/desk.html"))
    path = next(desk.games.glob("*.jsonl"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    banner = page.locator(".reload-problem")
    expect(banner).to_be_visible(timeout=WAIT)
    expect(banner).to_have_text(
        f"This is the last site that could be built. {path}: the last line is cut short. "
        "Copy the file again, or run `agentblame analyze` again."
    )
    expect(page.locator(VALUES)).to_have_text("1")
    page.goto(desk.address("index.html"))
    expect(banner).to_be_visible()
    expect(page.locator("h2").first).to_have_text("Desk")
    path.write_bytes(whole)
    expect(banner).to_be_hidden(timeout=WAIT)


HIDDEN = """() => {
    window.seen = "hidden";
    Object.defineProperty(document, "visibilityState", { get: () => window.seen });
}"""


def test_pages_that_nobody_sees_leave_the_server_free_and_follow_once_they_are_seen(page, desk):
    # More than a browser keeps connections to one server.
    others = [page.context.new_page() for _ in range(8)]
    for one in others:
        one.add_init_script(f"({HIDDEN})()")
        one.goto(desk.address("scenarios/desk.html"))
    page.goto(desk.address("scenarios/desk.html"))
    desk.write(0, 0, 0, 1)
    expect(page.locator(VALUES)).to_have_text("0.500", timeout=WAIT)
    expect(others[0].locator(VALUES)).to_have_text("1")
    others[0].evaluate("() => { window.seen = 'visible'; document.dispatchEvent(new Event('visibilitychange')); }")
    expect(others[0].locator(VALUES)).to_have_text("0.500", timeout=WAIT)


def test_page_follows_a_server_that_was_started_again(browser, desk):
    context = browser.new_context()
    page = context.new_page()
    page.goto(desk.address("scenarios/desk.html"))
    expect(page.locator(VALUES)).to_have_text("1")
    desk.stop()
    desk.write(0, 0, 0, 1)
    desk.start(desk.port)
    expect(page.locator(VALUES)).to_have_text("0.500", timeout=WAIT)
    context.close()
