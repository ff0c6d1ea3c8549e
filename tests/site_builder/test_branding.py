import os
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.settings import Settings, SettingsError, read_settings
from site_builder import Branding, SiteError, plan_report, plan_site, read_branding
from site_builder.assets import folder
from site_builder.branding import branding_sources
from site_builder.contrast import READABLE, contrast, mixed, nearest_shade
from tests.known_game_files import refund_files

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><circle cx="2" cy="2" r="2"/></svg>'


def inside(markup):
    return SVG.replace(b"</svg>", markup + b"</svg>")


COLOURS = st.integers(0, 0xFFFFFF).map("#{:06x}".format)

#: Those that can be read on a dark ground.
LIGHT = st.tuples(*[st.integers(0xB0, 0xFF)] * 3).map(lambda parts: "#{:02x}{:02x}{:02x}".format(*parts))


def chunk(kind, content):
    return len(content).to_bytes(4) + kind + content + zlib.crc32(kind + content).to_bytes(4)


PNG = b"\x89PNG\r\n\x1a\n" + b"".join(
    [
        chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
        chunk(b"IDAT", zlib.compress(b"\0\0")),
        chunk(b"IEND", b""),
    ]
)


def settings(folder, **fields):
    return Settings(folder / "agentblame.toml", {"site": fields})


def refused(folder, **fields):
    with pytest.raises(SettingsError) as raised:
        read_branding(settings(folder, **fields))
    assert str(raised.value).startswith(f"{folder / 'agentblame.toml'}: table [site], field ")
    return str(raised.value)


@pytest.fixture(scope="module")
def games():
    return refund_files("a", {"replayed": 1})


@pytest.fixture(scope="module")
def plain(games):
    return plan_site(games)


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page.decode("utf-8"))

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def of(self, wanted):
        return [attributes for tag, attributes in self.found if tag == wanted]


def policy(page):
    return next(one["content"] for one in Elements(page).of("meta") if "http-equiv" in one)


def test_without_settings_nothing_is_branded():
    assert read_branding(Settings()) == Branding()
    assert Branding().files == {}


def test_same_settings_give_the_same_bytes(games, tmp_path):
    (tmp_path / "logo.svg").write_bytes(SVG)
    plans = [
        plan_site(games, read_branding(settings(tmp_path, title="Ours", accent="#264a8f", logo="logo.svg")))
        for _ in range(2)
    ]
    assert plans[0] == plans[1]


# Words


def test_title_and_texts_stand_where_ours_stood(games, tmp_path):
    brand = read_branding(settings(tmp_path, title="Desk & Co", intro="What went <wrong>.", footer="Ask \n us."))
    page = plan_site(games, brand)["index.html"].decode("utf-8")
    assert "<title>Desk &amp; Co</title>" in page
    assert '<p class="lede"><bdi>What went &lt;wrong&gt;.</bdi></p>' in page
    assert "Ask \n us." in page
    assert "Each failing case below" not in page


def test_title_is_one_line(tmp_path):
    assert read_branding(settings(tmp_path, title=" Two\n lines ")).title == "Two lines"


@pytest.mark.parametrize("field", ["title", "intro", "footer", "logo", "accent", "accent_dark", "templates"])
def test_blank_text_is_refused(tmp_path, field):
    assert f"field {field}: is blank" in refused(tmp_path, **{field: " \n"})


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x7f", "\u200f", "\u202e", "\u2067"])
def test_title_with_what_cannot_be_seen_is_refused(tmp_path, character):
    assert f"field title: holds U+{ord(character):04X}" in refused(tmp_path, title=f"De{character}sk")


def test_title_that_does_not_fit_is_refused_with_how_much_does(tmp_path):
    assert read_branding(settings(tmp_path, title=" é" * 40)).title == " ".join(["é"] * 40)
    assert read_branding(settings(tmp_path, title="שלום " + "é" * 75)).title == "שלום " + "é" * 75
    assert "field title: has 81 characters, and at most 80 fit" in refused(tmp_path, title="é" * 81)


def test_unknown_field_is_refused_with_the_one_meant(tmp_path):
    assert "did you mean accent?" in refused(tmp_path, acent="#264a8f")


# Logo


def test_logo_of_a_folder_is_a_file_that_pages_show_as_an_image(games, plain, tmp_path):
    (tmp_path / "logo.svg").write_bytes(SVG)
    plan = plan_site(games, read_branding(settings(tmp_path, logo="logo.svg")))
    assert plan["static/logo.svg"] == SVG
    assert Elements(plan["index.html"]).of("img") == [{"class": "brand-logo", "src": "static/logo.svg", "alt": ""}]
    (page,) = (path for path in plan if path.startswith("scenarios/"))
    assert Elements(plan[page]).of("img")[0]["src"] == "../static/logo.svg"
    assert policy(plan["index.html"]) == policy(plain["index.html"])


def test_logo_of_a_report_is_in_it_as_an_image_not_as_markup(games, tmp_path):
    (tmp_path / "logo.png").write_bytes(PNG)
    report = plan_report(games, read_branding(settings(tmp_path, logo="logo.png")))
    (image,) = Elements(report).of("img")
    assert image["src"].startswith("data:image/png;base64,iVBORw0KGgo")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"GIF89a", "neither a PNG nor a well-formed SVG"),
        (b"", "neither a PNG nor a well-formed SVG"),
        (SVG.replace(b"</svg>", b""), "neither a PNG nor a well-formed SVG image .*line 1"),
        (b"<html/>", "neither a PNG nor an SVG image"),
        (SVG.replace(b' xmlns="http://www.w3.org/2000/svg"', b""), "SVG image with its namespace"),
        (SVG.replace(b"</svg>", b"<script>alert(1)</script></svg>"), "holds <script>"),
        (SVG.replace(b"</svg>", b"<foreignObject/></svg>"), "holds <foreignObject>"),
        (SVG.replace(b"<circle", b'<circle onload="alert(1)"'), "holds onload="),
        (SVG.replace(b"</svg>", b'<image href="http://example.org/a.png"/></svg>'), "refers to 'http://example.org"),
        (SVG.replace(b"</svg>", b'<a href=" JavaScript:alert(1)"/></svg>'), "refers to ' JavaScript"),
        (inside(b'<x:iframe xmlns:x="http://www.w3.org/1999/xhtml" src="javascript:alert(1)"/>'), "holds <iframe> of"),
        (inside(b'<x:p xmlns:x="http://www.w3.org/1999/xhtml"/>'), "holds <p> of http://www.w3.org/1999/xhtml;"),
        (inside(b'<p xmlns=""/>'), "holds <p> of no namespace"),
        (inside(b"<handler/>"), "holds <handler>;"),
        (inside(b'<a href="#b"><set attributeName="href" to="javascript:alert(1)"/></a>'), "animates 'href'"),
        (inside(b'<a><animate attributeName=" xlink:HREF" values="javascript:a()"/></a>'), "animates ' xlink:HREF'"),
        (inside(b'<set attributeName="onclick" to="alert(1)"/>'), "animates 'onclick'"),
        (inside(b'<set attributeName="fill" to="url(//example.org/a)"/>'), "refers to '//example.org/a'"),
        (b'<?xml-stylesheet href="http://example.org/a.css"?>' + SVG, r"holds <\?xml-stylesheet\?>"),
        (b'<!DOCTYPE svg SYSTEM "http://example.org/a.dtd">' + SVG, "holds <!DOCTYPE>"),
        (inside(b"<style>@import 'http://example.org/a.css';</style>"), "holds '@import'"),
        (inside(b"<style>@im<!-- -->port 'http://example.org/a.css';</style>"), "holds '@import'"),
        (inside(b"<style><![CDATA[@\\69 mport 'http://example.org/a.css';]]></style>"), "holds '@import'"),
        (inside(b"<style>@im<g/>port 'http://example.org/a.css';</style>"), "holds <g>"),
        (inside(b"<style>svg { background: image-set('http://example.org/a' 1x) }</style>"), "holds 'image-set"),
        (inside(b"<style>g { fill: url( 'http://example.org/a#b' ) }</style>"), "refers to .http://example.org/a#b"),
        (inside(b'<g style="fill:URL(http://example.org/a#b)"/>'), "refers to 'http://example.org/a#b'"),
        (inside(b'<g style="fill:\\75 rl(http://example.org/a#b)"/>'), "refers to 'http://example.org/a#b'"),
        (inside(b'<g filter="url(http://example.org/a#b)"/>'), "refers to 'http://example.org/a#b'"),
        (inside(b'<g filter="url(data:text/html,a)"/>'), "refers to 'data:text/html,a'"),
        (inside(b'<image src="a.png"/>'), "holds src="),
        (inside(b'<image srcdoc="a"/>'), "holds srcdoc="),
        (inside(b'<g data="a"/>'), "holds data="),
        (inside(b'<g xml:base="http://example.org/"><use href="#a"/></g>'), "holds base="),
        (inside(b'<use href="data:image/svg+xml,a#b"/>'), "refers to 'data:image/svg"),
        (SVG.replace(b"</svg>", b" " * 200_000 + b"</svg>"), "has more than 200 kB"),
    ],
)
def test_file_that_could_not_be_looked_at_or_could_do_more_is_no_logo(tmp_path, content, why):
    (tmp_path / "logo.svg").write_bytes(content)
    assert re.search(why, refused(tmp_path, logo="logo.svg"))


@pytest.mark.parametrize("name", ["missing.svg", ".", "a\0b"])
def test_logo_that_is_no_file_is_refused(tmp_path, name):
    assert "field logo: " in refused(tmp_path, logo=name)


def test_logo_may_refer_to_parts_of_itself(tmp_path):
    content = SVG.replace(b"</svg>", b'<use href="#a"/><image href="data:image/png;base64,AAAA"/></svg>')
    (tmp_path / "logo.svg").write_bytes(content)
    assert read_branding(settings(tmp_path, logo="logo.svg")).logo.content == content


@pytest.mark.parametrize(
    "markup",
    [
        b"<title>Desk</title><metadata/><defs><linearGradient id='a'><stop offset='0'/></linearGradient></defs>",
        b"<style>@media (prefers-color-scheme: dark) { circle { fill: url(#a) } } .a\\:b { stroke: red }</style>",
        b'<g style="fill: url( &quot;#a&quot; )" filter="url(#b)"><animate attributeName="opacity" values="0;1"/></g>',
        b"<style>@font-face { font-family: Own; src: url(data:font/woff2;base64,AAAA) }</style><text>Desk</text>",
        b'<a href="#a"><path d="M0 0h4" fill="#264a8f" aria-label="online data (base)"/></a>',
    ],
)
def test_logo_that_only_draws_is_taken_as_it_is(tmp_path, markup):
    content = b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- drawn -->' + inside(markup)
    (tmp_path / "logo.svg").write_bytes(content)
    assert read_branding(settings(tmp_path, logo="logo.svg")).logo.content == content


def test_logo_that_never_ends_is_refused_without_being_opened(tmp_path):
    os.mkfifo(tmp_path / "logo.svg")
    assert "logo.svg cannot be read: it is no ordinary file" in refused(tmp_path, logo="logo.svg")


# Colour


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.005)


@given(COLOURS, COLOURS)
def test_contrast_is_symmetric_and_between_1_and_21(one, other):
    assert contrast(one, other) == contrast(other, one)
    assert 1 <= contrast(one, other) <= 21


@given(COLOURS)
def test_nearest_shade_is_the_first_that_suits(colour):
    def suits(shade):
        return contrast(shade, "#ffffff") >= READABLE

    shade = nearest_shade(colour, "#000000", suits)
    before = [mixed(colour, "#000000", parts) for parts in range(256)]
    assert suits(shade)
    assert not any(suits(one) for one in before[: before.index(shade)])


def rules(plan):
    """Return what the stylesheet says the accent and its tint are: on light, on dark, on paper."""
    return re.findall(r"--accent: (#\w+); --accent-soft: (#\w+);", plan["static/brand.css"].decode("utf-8"))


def test_accent_is_in_a_stylesheet_after_all_others(games, plain, tmp_path):
    plan = plan_site(games, read_branding(settings(tmp_path, accent="#0B7A75", accent_dark="#8bd3cf")))
    sheets = [one["href"] for one in Elements(plan["index.html"]).of("link") if one["rel"] == "stylesheet"]
    assert sheets[-1] == "static/brand.css"
    assert [accent for accent, _ in rules(plan)] == ["#0b7a75", "#8bd3cf", "#0b7a75"]
    assert policy(plan["index.html"]) == policy(plain["index.html"])
    assert b"--pass" not in plan["static/brand.css"]


def test_accent_of_a_report_is_in_it_and_its_policy_knows_that(games, tmp_path):
    brand = read_branding(settings(tmp_path, accent="#0b7a75"))
    plain, report = plan_report(games), plan_report(games, brand)
    assert brand.stylesheet.encode("utf-8") in report
    hashes = [re.search("style-src ([^;]*);", policy(page))[1].split() for page in (plain, report)]
    assert hashes[1][:-1] == hashes[0]
    assert hashes[1][-1].startswith("'sha256-")


def test_without_an_accent_there_is_no_stylesheet_for_it(plain):
    assert "static/brand.css" not in plain


@pytest.mark.parametrize("colour", ["red", "#123", "#12345g", "rgb(1, 2, 3)", "#264a8f; } *"])
def test_what_is_no_colour_is_refused(tmp_path, colour):
    assert "is not a colour written as #rrggbb" in refused(tmp_path, accent=colour)


def test_accent_that_cannot_be_read_is_refused_with_its_contrast_and_a_shade_that_can(tmp_path):
    said = refused(tmp_path, accent="#f0c040")
    ratio, ground = re.search(r"#f0c040 has a contrast of (\S+) : 1 against (#\w{6}) of the light theme", said).groups()
    assert ratio == f"{int(contrast('#f0c040', ground) * 100) / 100:.2f}"
    shade = re.search(r"nearest darker shade that has it is (#\w{6})\.$", said)[1]
    assert read_branding(settings(tmp_path, accent=shade)).accent == shade
    assert re.search("nearest lighter shade", refused(tmp_path, accent_dark="#264a8f"))


@given(COLOURS)
def test_every_colour_or_the_shade_told_can_be_read_in_both_themes(tmp_path_factory, colour):
    folder = tmp_path_factory.getbasetemp()
    try:
        brand = read_branding(settings(folder, accent=colour))
    except SettingsError as error:
        brand = read_branding(settings(folder, accent=str(error).removesuffix(".")[-7:]))
    light, dark, paper = re.findall(r"--accent: (#\w+); --accent-soft: (#\w+);", brand.stylesheet)
    text = {"light": ("#1d1c1a", "#5d5a53"), "dark": ("#eceae5", "#aaa79f")}
    for (accent, tint), ground, words in ((light, "#faf9f6", text["light"]), (dark, "#141519", text["dark"])):
        assert contrast(accent, ground) >= READABLE
        assert all(contrast(word, tint) >= READABLE for word in (accent, *words))
    assert contrast(paper[0], "#ffffff") >= READABLE


@given(LIGHT)
def test_a_dark_accent_alone_leaves_the_light_one_as_it_is(tmp_path_factory, colour):
    brand = read_branding(settings(tmp_path_factory.getbasetemp(), accent_dark=colour))
    assert brand.accent is None
    assert brand.stylesheet.startswith("@media (prefers-color-scheme: dark)")


# Templates


@pytest.fixture
def overriding(games, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()

    def plan(**templates):
        for name, text in templates.items():
            (folder / f"{name}.html.j2").write_text(text, "utf-8")
        return plan_site(games, read_branding(settings(tmp_path, templates="mine")))

    return plan


BLOCK = '{% extends "agentblame/layout.html.j2" %}{% block banner %}<p>Internal, ähem: {{ title }}</p>{% endblock %}'


def test_block_of_the_layout_is_overridden_on_every_page(overriding, plain):
    plan = overriding(layout=BLOCK)
    pages = [path for path in plan if path.endswith(".html")]
    assert len(pages) >= 2
    for path in pages:
        assert "<p>Internal, ähem: " in plan[path].decode("utf-8")
    assert len(plan["index.html"]) > len(plain["index.html"])


@pytest.mark.parametrize("block", ["title", "head", "brand", "banner", "footer"])
def test_layout_has_a_block_for_each_part(overriding, block):
    text = f'{{% extends "agentblame/layout.html.j2" %}}{{% block {block} %}}own {block}{{% endblock %}}'
    assert f"own {block}".encode() in overriding(layout=text)["index.html"]


def article_parts(old, new):
    """Return the template of what articles are made of, with a change."""
    text = (folder("templates") / "article_part.html.j2").read_text("utf-8")
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize("macro", ["code(found)", "widget(name)", "outcomes(lines)", "values(names, lines)"])
def test_what_articles_insert_is_overridden(overriding, plain, macro):
    opening = f"{{% macro {macro} %}}"
    plan = overriding(article_part=article_parts(opening, f"{opening}<p>Own</p>"))
    assert not any(b"<p>Own</p>" in content for content in plain.values())
    assert any(b"<p>Own</p>" in plan[path] for path in plan if path.startswith("explainers/"))


def test_what_articles_insert_is_overridden_in_a_report(overriding, games, tmp_path):
    overriding(article_part=article_parts("{% macro code(found) %}", "{% macro code(found) %}<p>Own</p>"))
    assert b"<p>Own</p>" in plan_report(games, read_branding(settings(tmp_path, templates="mine")))


def test_override_that_fails_in_an_article_is_named_with_its_line(overriding, tmp_path):
    text = article_parts("{% macro code(found) %}", "{% macro code(found) %}\n{{ found.missing }}")
    line = text.split("\n").index("{{ found.missing }}") + 1
    with pytest.raises(SiteError) as raised:
        overriding(article_part=text)
    assert str(raised.value).startswith(f"{tmp_path / 'mine' / 'article_part.html.j2'}: line {line}: UndefinedError")


def test_override_that_lacks_what_articles_insert_is_told_with_the_place_that_needs_it(overriding):
    with pytest.raises(SiteError, match=r"templates/article_insert\.html\.j2: line \d+: UndefinedError: .*widget"):
        overriding(article_part=article_parts("{% macro widget(name) %}", "{% macro gadget(name) %}"))


def test_override_may_use_templates_of_its_own(overriding):
    plan = overriding(layout=BLOCK.replace("Internal", '{% include "note.html.j2" %}'), note="A note")
    assert b"<p>A note" in plan["index.html"]


def test_what_an_override_shows_is_escaped(overriding):
    plan = overriding(layout=BLOCK.replace("{{ title }}", "{{ '<b>' }}"))
    assert b"&lt;b&gt;" in plan["index.html"]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("\n{% block", 2, "TemplateSyntaxError"),
        (BLOCK.replace("{{ title", "\n\n{{ nothing"), 3, "'nothing' is undefined"),
        (BLOCK.replace("{{ title", "{{ 1 / 0"), 1, "ZeroDivisionError"),
        ('{% extends "missing.html.j2" %}', 1, "TemplateNotFound"),
        ('{% extends "layout.html.j2" %}', 1, "RecursionError"),
        (BLOCK.replace("{{ title }}", "\n{% include 'note.html.j2' %}"), 2, "TemplateNotFound"),
    ],
)
def test_override_that_fails_is_named_with_its_line(overriding, tmp_path, text, line, what):
    with pytest.raises(SiteError) as raised:
        overriding(layout=text)
    assert str(raised.value).startswith(f"{tmp_path / 'mine' / 'layout.html.j2'}: line {line}: ")
    assert what in str(raised.value)


def test_override_that_lacks_what_ours_needs_is_told_with_the_place_that_needs_it(overriding):
    with pytest.raises(SiteError, match=r"templates/layout\.html\.j2: line \d+: UndefinedError: .*sprite"):
        overriding(parts="")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("other.html.j2", b"", "holds no template of ours (.*layout.html.j2"),
        ("layot.html.j2", b"", "overrides no template; did you mean layout.html.j2"),
        ("layout.html.j2", b"\xff", "is not UTF-8 text"),
    ],
)
def test_folder_that_overrides_nothing_is_refused(tmp_path, name, content, why):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_bytes(content)
    assert re.search(why.replace("(", r"\("), refused(tmp_path, templates="mine"))


OURS = '{% extends "agentblame/layout.html.j2" %}\n'


@pytest.mark.parametrize(
    ("templates", "why"),
    [
        (
            {"layout": OURS + "{% block baner %}{% endblock %}"},
            "layout.html.j2, line 2: block baner shows nothing: no template that it extends has one of that name; did "
            "you mean banner?",
        ),
        (
            {"layout": OURS + "{% block advice %}{% endblock %}"},
            "block advice shows nothing: .* (known: banner, brand, ",
        ),
        ({"layout": OURS + "{% if 1 %}{% block baner %}{% endblock %}{% endif %}"}, "did you mean banner?"),
        (
            {"index": '{% extends "agentblame/index.html.j2" %}{% block foter %}{% endblock %}'},
            "index.html.j2, line 1: .*; did you mean footer?",
        ),
        (
            {"index": '{% extends "layout.html.j2" %}{% block notes %}{% endblock %}', "layout": OURS},
            "index.html.j2, line 1: block notes shows nothing",
        ),
        (
            {
                "layout": '{% extends "own.html.j2" %}{% block not %}{% endblock %}',
                "own": "{% block note %}{% endblock %}",
            },
            "did you mean note?",
        ),
        (
            {"layout": "{% block contnt %}{% endblock %}"},
            "line 1: block contnt shows nothing: ours has none of that name; did you mean content?",
        ),
    ],
)
def test_block_that_shows_nothing_is_refused_with_the_one_meant(tmp_path, templates, why):
    (tmp_path / "mine").mkdir()
    for name, text in templates.items():
        (tmp_path / "mine" / f"{name}.html.j2").write_text(text, "utf-8")
    said = refused(tmp_path, templates="mine")
    assert re.search(why.replace("(", r"\(").replace("?", r"\?"), said), said


def test_block_that_an_override_adds_is_shown(overriding):
    within = OURS + "{% block banner %}{% block mine %}one{% endblock %}{% endblock %}"
    assert b"one" in overriding(layout=within)["index.html"]
    own = OURS + "{% block banner %}{% block note %}{% endblock %}{% endblock %}"
    index = '{% extends "agentblame/index.html.j2" %}{% block note %}a note{% endblock %}'
    plan = overriding(layout=own, index=index)
    assert b"a note" in plan["index.html"]
    assert b"a note" not in plan["methods.html"]


def test_blocks_of_what_is_extended_only_when_it_is_rendered_are_not_judged(overriding):
    text = '{% extends "agentblame/" ~ "layout.html.j2" %}{% block baner %}{% endblock %}'
    assert "index.html" in overriding(layout=text)


def test_templates_that_are_no_folder_are_refused(tmp_path):
    assert "is not a folder" in refused(tmp_path, templates="nowhere")


def test_example_in_the_readme_builds(games, tmp_path):
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(\[site\].*?)```", readme, re.DOTALL)
    (layout,) = re.findall(r"```jinja\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "agentblame.toml").write_text(example, "utf-8")
    (tmp_path / "logo.svg").write_bytes(SVG)
    (tmp_path / "my-templates").mkdir()
    (tmp_path / "my-templates" / "layout.html.j2").write_text(layout, "utf-8")
    found = read_settings(tmp_path / "agentblame.toml")
    page = plan_site(games, read_branding(found))["index.html"].decode("utf-8")
    for field in ("title", "intro", "footer"):
        assert found.tables["site"][field] in page
    assert "Draft: figures may change." in page


def test_sources_are_the_logo_and_every_template(tmp_path):
    (tmp_path / "mine").mkdir()
    for name in ("layout.html.j2", "note.html.j2", "README.md"):
        (tmp_path / "mine" / name).write_text("")
    assert branding_sources(settings(tmp_path, logo="logo.svg", templates="mine")) == (
        tmp_path / "logo.svg",
        tmp_path / "mine" / "layout.html.j2",
        tmp_path / "mine" / "note.html.j2",
    )
