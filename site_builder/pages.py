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
from site_builder.article import Article
from site_builder.branding import STYLESHEET, Branding
from site_builder.cards import Card
from site_builder.errors import SiteError
from site_builder.figures import bar_svg
from site_builder.interplay import MOST_IN_TABLE
from site_builder.links import Links
from site_builder.markdown import Part
from site_builder.methods import Methods
from site_builder.overrides import Override, loader, rendered
from site_builder.overview import Overview
from site_builder.payload import data_block, encode, visible
from site_builder.scenario_games import ScenarioGames
from site_builder.strips import strip_svg
from site_builder.views import CASE_ROWS, ScenarioView


@dataclass(frozen=True)
class Frame:
    """What surrounds a page: where its files are, or the files themselves in a single-file page."""

    root: str
    policy: str
    icon: str
    logo: str
    styles: tuple[str, ...]
    first: str
    scripts: tuple[str, ...]
    inline: bool
    home: str
    links: Links
    blocks: tuple[Markup, ...] = ()


def index_page(cards: Sequence[Card], scenarios: Sequence[ScenarioGames], branding: Branding) -> bytes:
    """Return the index of a folder."""
    frame = _linked("", (), branding)
    return _render("index.html.j2", frame, branding, scenarios, title=branding.title, cards=cards)


def scenario_page(
    view: ScenarioView, overview: Overview, scenarios: Sequence[ScenarioGames], branding: Branding
) -> bytes:
    """Return the page of one scenario."""
    own = [one for one in scenarios if one.slug == view.slug]
    title = f"{view.title} · {branding.title}"
    frame = _linked("../", (assets.SCENARIO_SCRIPT,), branding)
    return _render("scenario.html.j2", frame, branding, own, title=title, scenario=view, overview=overview)


def explainers_page(articles: Sequence[Article], scenarios: Sequence[ScenarioGames], branding: Branding) -> bytes:
    """Return the list of articles of a folder."""
    frame, title = _linked("", (), branding, assets.READING_STYLE), f"How it works · {branding.title}"
    return _render("explainers.html.j2", frame, branding, scenarios, title=title, articles=articles)


def article_page(
    place: int, articles: Sequence[Article], scenarios: Sequence[ScenarioGames], branding: Branding
) -> bytes:
    """Return the page of the article at some place among all."""
    article = articles[place]
    frame = _linked("../", assets.article_scripts(article.widgets), branding, assets.READING_STYLE)
    title = f"{article.title} · {branding.title}"
    return _render("article.html.j2", frame, branding, scenarios, title=title, articles=articles, place=place)


def methods_page(methods: Methods, scenarios: Sequence[ScenarioGames], branding: Branding) -> bytes:
    """Return the page on methods and provenance of a folder."""
    frame, title = _linked("", (), branding, assets.READING_STYLE), f"Methods and provenance · {branding.title}"
    return _render("methods.html.j2", frame, branding, scenarios, title=title, methods=methods)


def report_page(
    cards: Sequence[Card],
    views: Sequence[tuple[ScenarioView, Overview]],
    articles: Sequence[Article],
    methods: Methods,
    blocks: Sequence[tuple[str, dict[str, Any]]],
    scenarios: Sequence[ScenarioGames],
    branding: Branding,
) -> bytes:
    """Return all pages as one self-contained file."""
    widgets = dict.fromkeys(widget for article in articles for widget in article.widgets)
    frame = _inlined([data_block(key, content) for key, content in blocks], branding, tuple(widgets))
    title = f"{views[0][0].title} · {branding.title}" if len(views) == 1 else f"{branding.title}: report"
    content = {"cards": cards, "views": views, "articles": articles, "methods": methods}
    return _render("report.html.j2", frame, branding, scenarios, title=title, **content)


def article_part(part: Part, overrides: tuple[Override, ...]) -> Markup:
    """Return a part of an article, which is put together elsewhere."""

    def render() -> str:
        return _templates(overrides).get_template("article_insert.html.j2").render(part=part)

    return Markup(rendered(render, overrides))


def _linked(root: str, scripts: Sequence[str], branding: Branding, style: str = assets.SCENARIO_STYLE) -> Frame:
    styles = (style, STYLESHEET) if branding.stylesheet else (style,)
    return Frame(
        root=root,
        policy=_policy("script-src 'self'", "style-src 'self'"),
        icon=f"{root}static/{assets.ICON}",
        logo="" if branding.logo is None else f"{root}static/{branding.logo.path}",
        styles=tuple(f"{root}static/{name}" for name in styles),
        first=f"{root}static/{assets.FIRST_SCRIPT}",
        scripts=tuple(f"{root}static/{name}" for name in scripts),
        inline=False,
        home=f"{root}index.html",
        links=Links(root),
    )


def _inlined(blocks: Sequence[Markup], branding: Branding, widgets: Sequence[str]) -> Frame:
    styles = tuple(_inline(name, "</style") for name in assets.styles())
    if branding.stylesheet:
        styles += (branding.stylesheet,)
    scripts = tuple(_inline(name, "</script") for name in (assets.FIRST_SCRIPT, *assets.report_scripts(widgets)))
    icon = base64.b64encode(assets.static(assets.ICON)).decode("ascii")
    return Frame(
        root="",
        policy=_policy(f"script-src {_hashes(scripts)}", f"style-src {_hashes(styles)}"),
        icon=f"data:image/png;base64,{icon}",
        logo="" if branding.logo is None else branding.logo.data,
        styles=styles,
        first=scripts[0],
        scripts=scripts[1:],
        inline=True,
        home="#index",
        links=Links("", inline=True),
        blocks=(*blocks, *map(_licence, assets.LICENCES)),
    )


def _licence(name: str) -> Markup:
    """Return the terms of what a report holds of others, as a block that nothing shows or runs."""
    return Markup(f'<script type="text/plain" data-licence="{name}">{_inline(name, "</script")}</script>')


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


@functools.lru_cache(maxsize=2)
def _templates(overrides: tuple[Override, ...]) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=loader(overrides),
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
    given = {"frame": frame, "branding": branding, "title": title, "fingerprints": fingerprints, "makers": makers}

    def render() -> str:
        return _templates(branding.overrides).get_template(name).render(**given, **content)

    return encode(rendered(render, branding.overrides))
