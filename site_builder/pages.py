"""Turns views into HTML pages: templates, the policy that keeps them off the network, and the files they load."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jinja2
from markupsafe import Markup

from site_builder import assets
from site_builder.cards import Card
from site_builder.errors import SiteError
from site_builder.figures import bar_svg
from site_builder.interplay import MOST_IN_TABLE
from site_builder.overview import Overview
from site_builder.payload import encode, json_block, visible
from site_builder.scenario_games import ScenarioGames
from site_builder.strips import strip_svg
from site_builder.views import CASE_ROWS, Branding, ScenarioView


@dataclass(frozen=True)
class Frame:
    """What surrounds a page: where its files are, or the files themselves in a single-file page."""

    root: str
    policy: str
    icon: str
    styles: tuple[str, ...]
    first: str
    scripts: tuple[str, ...]
    inline: bool
    home: str
    blocks: tuple[Markup, ...] = ()


def index_page(cards: Sequence[Card], scenarios: Sequence[ScenarioGames], branding: Branding) -> bytes:
    """Return the index of a folder."""
    frame = _linked("", scripts=())
    return _render("index.html.j2", frame, branding, scenarios, title=branding.title, cards=cards)


def scenario_page(
    view: ScenarioView, overview: Overview, scenarios: Sequence[ScenarioGames], branding: Branding
) -> bytes:
    """Return the page of one scenario."""
    own = [one for one in scenarios if one.slug == view.slug]
    title = f"{view.title} · {branding.title}"
    frame = _linked("../", assets.scripts())
    return _render("scenario.html.j2", frame, branding, own, title=title, scenario=view, overview=overview)


def report_page(
    cards: Sequence[Card],
    views: Sequence[tuple[ScenarioView, Overview]],
    blocks: Sequence[tuple[str, dict[str, Any]]],
    scenarios: Sequence[ScenarioGames],
    branding: Branding,
) -> bytes:
    """Return all pages as one self-contained file."""
    frame = _inlined([json_block(key, content) for key, content in blocks])
    title = f"{views[0][0].title} · {branding.title}" if len(views) == 1 else f"{branding.title}: report"
    return _render("report.html.j2", frame, branding, scenarios, title=title, cards=cards, views=views)


def _linked(root: str, scripts: Sequence[str]) -> Frame:
    return Frame(
        root=root,
        policy=_policy("script-src 'self'", "style-src 'self'"),
        icon=f"{root}static/{assets.ICON}",
        styles=tuple(f"{root}static/{name}" for name in assets.STYLES),
        first=f"{root}static/{assets.FIRST_SCRIPT}",
        scripts=tuple(f"{root}static/{name}" for name in scripts),
        inline=False,
        home=f"{root}index.html",
    )


def _inlined(blocks: Sequence[Markup]) -> Frame:
    styles = tuple(_inline(name, "</style") for name in assets.STYLES)
    scripts = tuple(_inline(name, "</script") for name in (assets.FIRST_SCRIPT, *assets.scripts()))
    icon = base64.b64encode(assets.static(assets.ICON)).decode("ascii")
    return Frame(
        root="",
        policy=_policy(f"script-src {_hashes(scripts)}", f"style-src {_hashes(styles)}"),
        icon=f"data:image/png;base64,{icon}",
        styles=styles,
        first=scripts[0],
        scripts=scripts[1:],
        inline=True,
        home="#index",
        blocks=tuple(blocks),
    )


def _inline(name: str, end: str) -> str:
    text = assets.static(name).decode("utf-8")
    if end in text.lower() or "<!--" in text:
        raise SiteError(f"{assets.folder('static') / name}: holds {end!r} or '<!--' and cannot stand inside a page.")
    return text


def _policy(scripts: str, styles: str) -> str:
    rest = "img-src 'self' data:; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; {scripts}; {styles}; {rest}"


def _hashes(contents: Sequence[str]) -> str:
    digests = (hashlib.sha256(content.encode("utf-8")).digest() for content in contents)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode('ascii')}'" for digest in digests)


@functools.cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(assets.folder("templates"), encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.globals.update(case_rows=CASE_ROWS, most_in_table=MOST_IN_TABLE, bar_svg=bar_svg, strip_svg=strip_svg)
    return environment


def _render(
    name: str, frame: Frame, branding: Branding, scenarios: Sequence[ScenarioGames], *, title: str, **content: Any
) -> bytes:
    fingerprints = [(one.header.scenario.title, one.header.fingerprint) for one in scenarios]
    makers = sorted({f"{header.package} {header.version}" for one in scenarios for header in one.headers.values()})
    text = (
        _templates()
        .get_template(name)
        .render(frame=frame, branding=branding, title=title, fingerprints=fingerprints, makers=makers, **content)
    )
    return encode(text)
