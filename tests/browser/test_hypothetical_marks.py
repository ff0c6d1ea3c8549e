"""What follows edits says that it is hypothetical beside it, on the screen too; what was run as it stands does not."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Built, settle, show

#: Of each heading of what is shown that has a number under it, up to the next: its text, and whether it or something
#: under it says that it is hypothetical. Steps are one part: what they put out was run, and one outcome is above all.
UNDER_HEADINGS = """() => {
    const view = document.querySelector("[data-scenario]:not([hidden])");
    const place = view.dataset.view === "all" ? "all-view" : "case-view";
    const found = [];
    const says = (one) => /hypothetical|edited/i.test(one);
    const walker = document.createTreeWalker(view.querySelector(`[data-part=${place}]`), NodeFilter.SHOW_ALL);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
        if (!element.checkVisibility() || element.closest(".rivals, .legend, .help, .block-text") !== null) continue;
        const inSteps = element.closest("[data-part=steps]") !== null;
        if (node.matches?.(inSteps ? "h2" : "h2, h3")) {
            found.push({ text: node.innerText, marked: says(getComputedStyle(node, "::after").content), numbers: 0 });
        } else if (node.nodeType === Node.TEXT_NODE && found.length > 0 && !element.matches("h2, h2 *")) {
            const last = found[found.length - 1];
            if (/[0-9]/.test(node.data)) last.numbers += 1;
            last.marked = last.marked || says(node.data);
        }
    }
    return found.filter((one) => one.numbers > 0).map((one) => [one.text, one.marked]);
}"""


def under_headings(page: Page) -> list[list]:
    """Open everything; return of each heading with a number under it its text and whether it is marked."""
    page.evaluate("() => document.querySelectorAll('.scenario details').forEach((one) => { one.open = true; })")
    settle(page)
    return page.evaluate(UNDER_HEADINGS)


#: A view, edits of it, how many headings have numbers under them at least, and of these what edits do not reach.
EDITED = [
    ("refund-policy-a", "case=march-headphones&mode=replayed", "&edits=0_1", 7, []),
    ("triage", "case=ticket-02&mode=fresh&with=ticket-03.replayed", "&edits=0_1", 10, [
        "B ticket-03 Recorded luck", "What each step put out with fixes on: No fix",
    ]),
    ("triage", "mode=replayed", "&edits.ticket-02.replayed=1_0.5", 5, []),
]  # fmt: skip


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize(("name", "view", "edits", "least", "as_run"), EDITED)
def test_every_number_that_follows_edits_is_under_a_mark(page, built: Built, media, name, view, edits, least, as_run):
    page.emulate_media(media=media)
    show(page, built.address("folder", name, view + edits))
    found = under_headings(page)
    assert len(found) >= least
    assert [heading for heading, marked in found if not marked] == as_run


@pytest.mark.parametrize(("name", "view"), [one[:2] for one in EDITED])
def test_without_edits_nothing_is_called_hypothetical(page, built, name, view):
    show(page, built.address("folder", name, view))
    found = under_headings(page)
    assert len(found) >= 5
    assert not any(marked for _, marked in found)


def test_what_is_as_run_is_not_called_hypothetical(page, built):
    show(page, built.address("folder", "triage", "case=ticket-02&mode=fresh&edits.ticket-03.fresh=0_1"))
    assert not any(marked for _, marked in under_headings(page))
    show(page, built.address("folder", "triage", "case=ticket-02&mode=fresh&on=1&edits=0_1"))
    assert ["Try the fixes", False] in under_headings(page)
