"""Turns the name of a template or static file into its bytes, from a checkout or from the installed wheel."""

from __future__ import annotations

from pathlib import Path

from site_builder.errors import SiteError

_PACKAGE = Path(__file__).resolve().parent

#: Static files in the order a page loads them: the rules first, then what they serve, the freeze last.
SCRIPTS = (
    "js/namespace.js",
    "js/rules/worth.js",
    "js/rules/shapley.js",
    "js/rules/fix_alone.js",
    "js/rules/leave_one_out.js",
    "js/rules/last_touch.js",
    "js/rules/set_outcome.js",
    "js/rules/rank.js",
    "js/rules/number_text.js",
    "js/rules/verdict.js",
    "js/data.js",
    "js/address.js",
    "js/hypothetical.js",
    "js/wording.js",
    "js/figures.js",
    "js/dom.js",
    "js/verdict_view.js",
    "js/ranking_view.js",
    "js/steps_view.js",
    "js/outcomes_view.js",
    "js/cases_view.js",
    "js/chooser_view.js",
    "js/keys.js",
    "js/page.js",
    "js/freeze.js",
)

#: Runs in the head, before anything is painted.
FIRST_SCRIPT = "js/scripted.js"

STYLES = ("css/tokens.css", "css/page.css", "css/scenario.css", "css/print.css")

ICON = "icon.png"


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
