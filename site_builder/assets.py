"""Turns the name of a template or static file into its bytes, from a checkout or from the installed wheel."""

from __future__ import annotations

from pathlib import Path

from site_builder.errors import SiteError

_PACKAGE = Path(__file__).resolve().parent

#: The page's scripts after the rules, in the order a page loads them: what views use, the views, the freeze last.
_VIEWS = (
    "data.js",
    "coalitions.js",
    "address.js",
    "hypothetical.js",
    "wording.js",
    "figures.js",
    "batch_table.js",
    "strips.js",
    "batch_words.js",
    "batch_rows.js",
    "batch_games.js",
    "case_list.js",
    "interplay.js",
    "dom.js",
    "verdict_view.js",
    "ranking_view.js",
    "interplay_view.js",
    "steps_view.js",
    "outcomes_view.js",
    "strip_picker.js",
    "batch_view.js",
    "filters_view.js",
    "cases_view.js",
    "over_all_view.js",
    "chooser_view.js",
    "keys.js",
    "scenario.js",
    "page.js",
    "freeze.js",
)

#: Runs in the head, before anything is painted.
FIRST_SCRIPT = "js/scripted.js"

STYLES = ("css/tokens.css", "css/page.css", "css/scenario.css", "css/interplay.css", "css/batch.css", "css/print.css")

ICON = "icon.png"


def scripts() -> tuple[str, ...]:
    """Return the static files a page loads as scripts, in order; every rule there is comes first, in any order."""
    rules = sorted(path.name for path in (folder("static") / "js" / "rules").glob("*.js"))
    return ("js/namespace.js", *(f"js/rules/{name}" for name in rules), *(f"js/{name}" for name in _VIEWS))


def folder(name: str) -> Path:
    """Return the folder `name` (``templates`` or ``static``).

    In a checkout it lies beside the package, in a wheel inside it.
    """
    for parent in (_PACKAGE, _PACKAGE.parent):
        if (parent / name).is_dir():
            return parent / name
    raise SiteError(f"{_PACKAGE / name}: is missing. Install the package again.")


def static(name: str) -> bytes:
    """Return the bytes of a static file."""
    try:
        return (folder("static") / name).read_bytes()
    except OSError as error:
        path = folder("static") / name
        raise SiteError(f"{path}: cannot be read: {error.strerror}. Install the package again.") from error
