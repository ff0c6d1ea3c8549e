"""Where pages may lie: at the root of a host, under a path, behind a policy of the host's, in any folder of a disk."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import Offline, offline_context
from tests.browser.conftest import OPENINGS, Built, build, part, settle, show
from tests.known_game_files import refund_files, triage_files

#: What some disk or some desk has in the name of a folder.
ODD_NAME = "50% off #1 (näme) ?a=b&c+d 'x' %41"


@dataclass
class Host:
    """A folder that is served, and every path that was asked for with its status."""

    address: str
    asked: list[tuple[str, int]] = field(default_factory=list)


@contextmanager
def hosted(folder: Path, policy: str | None = None) -> Iterator[Host]:
    """Serve a folder, with a policy of the host's own if there is one."""
    asked: list[tuple[str, int]] = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_request(self, code: object = "-", size: object = "-") -> None:
            asked.append((self.path, int(code)))

        def log_message(self, format: str, *args: object) -> None:
            pass

        def end_headers(self) -> None:
            if policy is not None:
                self.send_header("Content-Security-Policy", policy)
            super().end_headers()

    handler = functools.partial(Handler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield Host(f"http://127.0.0.1:{running.server_address[1]}", asked)
        running.shutdown()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build two scenarios, one of a single case."""
    modes = {"replayed": 1, "fresh": 8}
    return build([*refund_files("a", modes), *triage_files(modes)], tmp_path_factory.mktemp("small"))


def use(page: Page) -> None:
    """Do what makes the page of a scenario with several cases load everything it can."""
    page.keyboard.press("/")
    part(page, "search-text").fill("delivery")
    part(page, "search-text").press("Enter")
    settle(page)
    assert 0 < page.locator("[data-part=cases] tr:visible").count() < 30
    part(page, "search-text").press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("m")
    page.keyboard.press("Enter")
    settle(page)
    page.keyboard.press("j")
    settle(page)
    page.keyboard.press("1")
    settle(page)
    expect(part(page, "case-name")).to_have_text("ticket-02")
    assert page.evaluate("() => AgentBlame.page.state().mask") == 1
    part(page, "outcomes").locator("[data-part=set]").first.fill("0.5")
    settle(page)
    expect(part(page, "hypothetical")).to_be_visible()


@pytest.mark.parametrize("path", ["", "/a/b"])
def test_every_link_and_every_file_is_found_at_the_root_of_a_host_and_under_a_path(page, small, tmp_path, path):
    site = tmp_path / path.strip("/") if path else tmp_path / "site"
    shutil.copytree(small.site, site)
    with hosted(tmp_path if path else site) as host:
        waiting, seen = [f"{host.address}{path}/index.html"], set()
        while waiting:
            page.goto(waiting.pop())
            seen.add(page.url.partition("#")[0])
            links = page.evaluate("() => Array.from(document.querySelectorAll('a[href]'), (one) => one.href)")
            waiting = list({one.partition("#")[0] for one in [*waiting, *links]} - seen)
        page.goto(f"{host.address}{path}/")
        page.get_by_role("link", name="Support triage").first.click()
        page.wait_for_load_state()
        settle(page)
        use(page)
    pages = {one.relative_to(site).as_posix() for one in site.rglob("*.html")}
    assert seen == {f"{host.address}{path}/{one}" for one in pages}
    assert len(pages) > 12
    assert [one for one in host.asked if one[1] not in (200, 304) or not one[0].startswith(f"{path}/")] == []
    assert any("/data/triage/search.all.js" in asked for asked, _ in host.asked)


@pytest.mark.parametrize("opening", OPENINGS)
def test_page_asks_for_nothing_that_is_not_its_own(page, small, opening):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    show(page, small.address(opening, "triage"))
    use(page)
    assert len(asked) > 0
    if opening == "report":
        own = small.report.as_uri()
        assert {one.partition("#")[0] for one in asked if not one.startswith(("data:", "blob:"))} == {own}
    else:
        assert [one for one in asked if not one.startswith((f"{small.root(opening)}/", "data:", "blob:"))] == []


@pytest.mark.parametrize("opening", ["folder", "report"])
def test_pages_work_in_a_folder_of_any_name(offline: Callable[..., Offline], small, tmp_path, opening):
    folder = tmp_path / ODD_NAME
    moved = Built(shutil.copytree(small.site, folder / "the site"), folder / "report.html")
    shutil.copyfile(small.report, moved.report)
    page = offline().new_page()
    page.goto(moved.report.as_uri() if opening == "report" else (moved.site / "index.html").as_uri())
    page.get_by_role("navigation", name="Site").get_by_role("link", name="How it works").click()
    page.get_by_role("link", name="Limits and honest caveats").first.click()
    expect(page.locator("h1:visible")).to_have_text("Limits and honest caveats")
    page.get_by_role("navigation", name="Site").get_by_role("link", name="Scenarios").click()
    page.get_by_role("link", name="Support triage").first.click()
    page.wait_for_load_state()
    settle(page)
    use(page)
    # A link that was copied there leads there.
    fresh = offline().new_page()
    show(fresh, page.url)
    expect(part(fresh, "case-name")).to_have_text("ticket-02")
    expect(part(fresh, "hypothetical")).to_be_visible()
    assert part(fresh, "headline").inner_text() == part(page, "headline").inner_text()


#: Policies under which a browser runs scripts in general, but none of this page's, and one under which it runs none.
POLICIES = (
    "script-src 'none'",
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:",
    "sandbox",
)


@pytest.mark.parametrize("opening", ["site", "report"])
@pytest.mark.parametrize("policy", POLICIES)
def test_policy_of_a_host_that_lets_no_script_run_leaves_what_can_be_read(browser: Browser, small, policy, opening):
    context = browser.new_context()
    page = context.new_page()
    with hosted(small.site.parent, policy) as host:
        page.goto(f"{host.address}/{'report.html' if opening == 'report' else 'site/scenarios/refund-policy-a.html'}")
        section = page.locator("[data-scenario=refund-policy-a]")
        expect(section.locator("[data-part=unscripted]")).to_be_visible()
        expect(section.locator("[data-part=unscripted]")).to_contain_text("Scripts do not run here")
        expect(section.locator("[data-part=headline]").first).to_have_text(
            "Fixing Planner or Retriever carries the largest share of the repair (0.417 each)."
        )
        expect(section.locator("[data-part=headline]").first).to_be_visible()
        expect(section.locator("[data-player='0'] [data-rule=shapley]")).to_be_visible()
        assert section.locator("[data-mask]:visible").count() == 16
        assert page.locator("button:visible, input:visible, select:visible, [role=switch]:visible").count() == 0
        if opening == "site":
            page.goto(f"{host.address}/site/index.html")
            expect(page.get_by_role("link", name="Support triage").first).to_be_visible()
            page.goto(f"{host.address}/site/explainers/randomness-with-an-address.html")
            expect(page.locator("h1:visible")).to_have_count(1)
            assert page.locator("button:visible, input:visible, select:visible").count() == 0
    context.close()


# Each would call itself "owned" if it ran.
MARKUP = """<img src="x" onerror="document.title = 'owned'">
<svg onload="document.title = 'owned'"></svg>
<iframe srcdoc="<script>parent.document.title = 'owned'</script>"></iframe>
<a id="trap" href="javascript:document.title = 'owned'">trap</a>
<button id="press" onclick="document.title = 'owned'">press</button>"""

INTRUDE = """async (markup) => {
    document.body.insertAdjacentHTML("beforeend", markup);
    const inline = document.createElement("script");
    inline.textContent = "document.title = 'owned'";
    document.body.append(inline);
    const outside = document.createElement("script");
    outside.src = "data:text/javascript,document.title = 'owned'";
    document.body.append(outside);
    document.getElementById("trap").click();
    document.getElementById("press").click();
    const refused = [];
    for (const address of ["https://example.org/", location.href.split("#")[0]]) {
        await fetch(address).catch((error) => refused.push(error.name));
    }
    return refused;
}"""


@pytest.mark.parametrize("opening", OPENINGS)
def test_policy_of_a_page_stops_markup_that_got_in_and_every_way_out(browser: Browser, small, opening):
    opened = offline_context(browser)
    page = opened.new_page()
    show(page, small.address(opening, "refund-policy-a"))
    title = page.title()
    assert page.evaluate(INTRUDE, MARKUP) == ["TypeError", "TypeError"]
    page.wait_for_timeout(200)
    assert page.title() == title
    stopped = [one for one in opened.console if "Content Security Policy" in one]
    opened.context.close()
    assert len(stopped) >= 8
