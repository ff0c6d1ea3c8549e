"""Turns the name of a template or static file into its bytes, from a checkout or from the installed wheel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from site_builder.errors import SiteError

_PACKAGE = Path(__file__).resolve().parent

#: The page's scripts after the rules, in the order a page loads them. A folder knows only of those before it: data,
#: what a game is, words for it, drawings, all of one case, all of many, what a reader chose, copies, views.
_VIEWS = (
    "dom.js",
    "data/base64.js",
    "data/load.js",
    "game/coalitions.js",
    "game/game_key.js",
    "game/hypothetical.js",
    "words/wording.js",
    "words/batch_words.js",
    "drawings/drawing.js",
    "drawings/figures.js",
    "drawings/strips.js",
    "drawings/lattice_outcomes.js",
    "drawings/lattice_layers.js",
    "drawings/lattice_grid.js",
    "drawings/lattice_picture.js",
    "drawings/waterfall.js",
    "case/step_outputs.js",
    "case/gist.js",
    "case/word_diff.js",
    "case/interplay.js",
    "case/comparison.js",
    "case/shown_case.js",
    "batch/batch_rows.js",
    "batch/batch_case.js",
    "batch/batch_tally.js",
    "batch/batch_column.js",
    "batch/batch_totals.js",
    "batch/batch_games.js",
    "state/case_list.js",
    "state/case_search.js",
    "state/address.js",
    "state/edit_book.js",
    "state/view_state.js",
    "share/csv.js",
    "share/markdown.js",
    "share/pictures.js",
    "share/share_words.js",
    "share/share_text.js",
    "share/share_prompt.js",
    "share/share_files.js",
    "views/changed_text.js",
    "views/verdict_view.js",
    "views/ranking_view.js",
    "views/lattice_view.js",
    "views/waterfall_view.js",
    "views/interplay_view.js",
    "views/pipeline_graph_view.js",
    "views/steps_view.js",
    "views/outcomes_view.js",
    "views/case_field.js",
    "views/compare_view.js",
    "views/strip_picker.js",
    "views/batch_view.js",
    "views/filters_view.js",
    "views/search_view.js",
    "views/cases_view.js",
    "views/over_all_view.js",
    "views/share_view.js",
    "views/chooser_view.js",
    "keys.js",
    "actions.js",
    "scenario.js",
    "page.js",
    "freeze.js",
)

#: What others made, as they publish it; see static/vendor/README.md.
_VENDORED = ("vendor/jsdiff/diff.min.js",)

#: The terms it comes under, which go along with it.
LICENCES = ("vendor/jsdiff/LICENSE",)

#: Runs in the head, before anything is painted.
FIRST_SCRIPT = "js/scripted.js"

STYLES = (
    "css/tokens.css",
    "css/page.css",
    "css/nav.css",
    "css/scenario.css",
    "css/places.css",
    "css/interplay.css",
    "css/pictures.css",
    "css/compare.css",
    "css/batch.css",
    "css/share.css",
    "css/print.css",
)

#: Of pages that are read: articles, their list, methods.
READING_STYLES = (
    "css/tokens.css",
    "css/page.css",
    "css/nav.css",
    "css/article.css",
    "css/widgets.css",
    "css/print.css",
)

#: What joins all scripts, and all styles, of a kind of page.
SCENARIO_SCRIPT, SCENARIO_STYLE, READING_STYLE = "scenario.js", "scenario.css", "reading.css"

#: What widgets build on, and what starts them.
_WIDGETS_NEED = (
    "dom.js",
    "game/coalitions.js",
    "words/wording.js",
    "drawings/figures.js",
    "widgets/seeded.js",
    "widgets/frame.js",
)
_START_WIDGETS = "js/widgets.js"

ICON = "icon.png"


def scripts() -> tuple[str, ...]:
    """Return the static files a page loads as scripts, in order; every rule there is comes first, in any order."""
    rules = sorted(path.name for path in (folder("static") / "js" / "rules").glob("*.js"))
    return ("js/namespace.js", *_VENDORED, *(f"js/rules/{name}" for name in rules), *(f"js/{name}" for name in _VIEWS))


def article_scripts(widgets: Sequence[str]) -> tuple[str, ...]:
    """Return the static files that a page with some widgets loads as scripts, in order; none for a page without any."""
    if not widgets:
        return ()
    first, *rest = scripts()
    rules = [name for name in rest if name.startswith("js/rules/")]
    needed = [f"js/{name}" for name in _WIDGETS_NEED]
    return (first, *rules, *needed, *map(widget_script, widgets), _START_WIDGETS, rest[-1])


def report_scripts(widgets: Sequence[str]) -> tuple[str, ...]:
    """Return the static files that a report with some widgets holds as scripts, in order."""
    everything = scripts()
    more = [name for name in article_scripts(widgets)[:-1] if name not in everything]
    return (*everything[:-1], *more, everything[-1])


def joined() -> dict[str, bytes]:
    """Return the files that hold all scripts, or all styles, of a kind of page of a folder.

    One request takes the place of a hundred, and they are a third smaller compressed together. Each part is as it is in
    the package, under its name.
    """
    parts = {SCENARIO_SCRIPT: scripts(), SCENARIO_STYLE: STYLES, READING_STYLE: READING_STYLES}
    return {
        path: b"\n".join(f"/* {name} */\n".encode() + static(name) for name in names) for path, names in parts.items()
    }


def widget_script(name: str) -> str:
    """Return the static file that makes a widget.

    Raises
    ------
    SiteError
        If there is none.
    """
    path = f"js/widgets/{name.replace('-', '_')}.js"
    if not re.fullmatch("[a-z]+(-[a-z]+)*", name) or not (folder("static") / path).is_file():
        raise SiteError(f"the widget {name!r} is not there: static/{path} would make it")
    return path


def styles() -> tuple[str, ...]:
    """Return all style sheets, each once; what is meant for paper comes last."""
    found = dict.fromkeys((*STYLES, *READING_STYLES))
    return (*(name for name in found if name != STYLES[-1]), STYLES[-1])


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


def sources() -> list[Path]:
    """Return the files that a site of any game files is built from: templates, static files and articles."""
    folders = [folder("templates"), folder("static"), _PACKAGE / "explainers"]
    return sorted(path for one in folders for path in one.rglob("*.*") if path.is_file())
