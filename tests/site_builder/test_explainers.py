import html
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from analyzer.rules import number_text, shapley
from site_builder import plan_report, plan_site
from site_builder.article_site import SiteFigures
from site_builder.errors import SiteError
from site_builder.explainers import articles
from site_builder.links import Links
from site_builder.over_all import over_all
from site_builder.scenario_games import group
from tests.known_game_files import (
    all_files,
    graded_files,
    holes_files,
    hostile_files,
    odd_files,
    refund_files,
    sampled_files,
    triage_files,
    verdict_files,
    wide_files,
)
from tests.made_game_files import case_game, fix, game_file, scenario, step

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted(path.stem for path in (ROOT / "site_builder" / "explainers").glob("*.md"))

FOLDER = Links("../")
FRONT = """+++
title = "Title"
summary = "Summary"
place = {}
{}
+++
"""


def everything(files):
    return [over_all(one) for one in group(files)]


def nothing_failed():
    return [replace(file, cases=()) for file in refund_files("a", {"replayed": 1})]


def one_fix():
    steps = (step("only", title="Only", fix=fix("a fix")),)
    case = case_game(steps, "one", [0, 1], 1, lambda name, mask: f"{name} {mask}")
    return [game_file(scenario("one-fix", "One fix", "A pipeline of one step."), steps, "replayed", 1, [case])]


SITES = {
    "one case": lambda: refund_files("a", {"replayed": 1}),
    "one fix": one_fix,
    "no fix": lambda: odd_files()[1:],
    "no failing case": nothing_failed,
    "many cases": lambda: triage_files({"replayed": 1, "fresh": 8}),
    "graded scores": graded_files,
    "withheld values": holes_files,
    "sampled games": sampled_files,
    "many fixes": wide_files,
    "counts of worlds": verdict_files,
    "hostile text": hostile_files,
    "everything": all_files,
}


class Page(HTMLParser):
    """Elements with their attributes, and the text of elements of some class."""

    def __init__(self, content):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.feed(content if isinstance(content, str) else content.decode("utf-8"))
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def all(self, name):
        return [given[name] for _, given in self.found if name in given]


@pytest.fixture
def write(tmp_path):
    """Return a function that renders one article with the body given, over some games."""

    def render(body, front="", files=None, links=FOLDER):
        (tmp_path / "an-article.md").write_text(FRONT.format(1, front) + body, "utf-8")
        found = everything(files if files is not None else refund_files("a", {"replayed": 1}))
        return articles(found, links, tmp_path)[0]

    return render


@pytest.mark.parametrize("name", SITES)
def test_every_article_is_built_whatever_games_a_site_holds(name):
    found = everything(SITES[name]())
    for links in (FOLDER, Links("", inline=True)):
        made = articles(found, links)
        assert sorted(article.slug for article in made) == SHIPPED
        for article in made:
            assert "\ue000" not in article.html
            assert "{{" not in article.html
            assert "{%" not in article.html


@pytest.mark.parametrize("name", ["one case", "no failing case", "hostile text"])
def test_whole_site_is_built_with_its_pages_of_text(name):
    plan = plan_site(SITES[name]())
    for path in ("explainers.html", "methods.html", *(f"explainers/{slug}.html" for slug in SHIPPED)):
        assert plan[path].startswith(b"<!DOCTYPE html>")


def test_articles_come_in_the_order_of_their_places(tmp_path):
    for place, slug in ((3, "a"), (1, "b"), (2, "c")):
        (tmp_path / f"{slug}.md").write_text(FRONT.format(place, "") + "Text", "utf-8")
    assert [one.slug for one in articles(everything(one_fix()), FOLDER, tmp_path)] == ["b", "c", "a"]


def test_no_two_articles_have_the_same_place():
    fronts = [(ROOT / "site_builder" / "explainers" / f"{slug}.md").read_text("utf-8") for slug in SHIPPED]
    places = [re.search(r"^place = (\d+)$", front, re.MULTILINE)[1] for front in fronts]
    assert len(set(places)) == len(places)


@pytest.fixture(scope="module")
def plan():
    return plan_site(triage_files({"replayed": 1}))


def read(plan):
    return {path: content for path, content in plan.items() if path.startswith("explainers")}


def test_code_in_every_article_is_the_code_of_its_file_now(plan):
    shown = 0
    for content in read(plan).values():
        figures = re.findall(
            r"<figcaption><code>.*?</code> in (\S+), lines? .*?</figcaption>(.*?)</figure>", content.decode(), re.DOTALL
        )
        for path, code in figures:
            lines = (ROOT / path).read_text("utf-8").splitlines()
            for number, text in re.findall(r'aria-hidden="true">(\d+)</span>(.*?)\n</span>', code):
                assert lines[int(number) - 1].strip() == html.unescape(text).strip()
                shown += 1
    assert shown > 100


def test_links_of_pages_of_text_lead_to_planned_files_and_to_parts_that_exist(plan):
    for path, content in {**read(plan), "methods.html": plan["methods.html"]}.items():
        for link in Page(content).all("href"):
            file, _, part = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            assert target in plan
            assert not part or part in Page(plan[target]).all("id")


def test_links_in_a_report_lead_to_its_sections():
    page = Page(plan_report(triage_files({"replayed": 1})))
    ids = page.all("id")
    links = [link for link in page.all("href") if link.startswith("#p=")]
    assert len(links) > len(SHIPPED)
    assert {link[1:] for link in links} <= set(ids)


def test_no_id_is_there_twice_in_a_report():
    ids = Page(plan_report(all_files())).all("id")
    assert len(ids) == len(set(ids))


def test_each_article_leads_to_the_one_before_and_the_one_after(plan):
    made = [one.slug for one in articles(everything(triage_files({"replayed": 1})), FOLDER)]
    for before, after in pairwise(made):
        turns = [given for tag, given in Page(plan[f"explainers/{before}.html"]).found if tag == "a" and "rel" in given]
        assert f"../explainers/{after}.html" in [given["href"] for given in turns if given["rel"] == "next"]
        turns = [given for tag, given in Page(plan[f"explainers/{after}.html"]).found if tag == "a" and "rel" in given]
        assert f"../explainers/{before}.html" in [given["href"] for given in turns if given["rel"] == "prev"]


def test_article_loads_no_script_of_a_scenario_page(plan):
    for slug in SHIPPED:
        scripts = Page(plan[f"explainers/{slug}.html"]).all("src")
        assert "../static/js/rules/shapley.js" in scripts
        assert not [path for path in scripts if path.endswith(("page.js", "scenario.js", "load.js"))]
        assert scripts[-1].endswith("freeze.js")


def test_article_loads_the_widgets_in_it_and_no_other(write):
    assert write('{{ widget("flip-outcome") }}\n\n{{ widget("flip-outcome") }}').widgets == ("flip-outcome",)
    assert write("No widget.").widgets == ()


def test_site_holds_every_script_and_style_its_pages_load(plan):
    for path, content in read(plan).items():
        page = Page(content)
        for link in page.all("src") + [given["href"] for tag, given in page.found if tag == "link"]:
            assert os.path.normpath(os.path.join(os.path.dirname(path), link)) in plan


def test_report_holds_the_script_of_every_widget_in_it():
    report = plan_report(one_fix()).decode()
    for name in set(re.findall(r'data-widget="([^"]+)"', report)):
        assert f'AgentBlame.widgets["{name}"] = ' in report


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{{ code("analyzer/game.py", "gone") }}', r"analyzer/game\.py: defines no 'gone'"),
        ('{{ code("analyzer/gone.py", "x") }}', r"analyzer/gone\.py: is not there"),
        ('{{ code("static/js/dom.js", "gone") }}', r"static/js/dom\.js: defines no 'gone'"),
        ('{{ widget("gone") }}', r"the widget 'gone' is not there: static/js/widgets/gone\.js"),
        ('{{ widget("../dom") }}', "is not there"),
        ("[x](article:gone)", "the link 'article:gone' leads nowhere"),
        ("[x](page:gone)", "leads nowhere"),
        ('{{ games["gone"].verdict }}', "'gone'"),
        ('{{ games["g"].shapley["gone"] }}', "'gone'"),
        ('{{ games["g"].outcome["gone + search"] }}', r"'gone \+ search'"),
        ("{{ site.gone }}", "'gone'"),
        ("{{ site.largest.leader }}", "None cannot be shown"),
    ],
)
def test_what_an_article_names_and_is_not_there_fails_the_build_at_its_line(write, body, message):
    game = '[games.g]\nplayers = ["search"]\nworth = [0, 1]'
    with pytest.raises(SiteError, match=rf"explainers/an-article\.md, line 10: .*{message}"):
        write(f"One\n{body}", game)


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("unknown = 1", "knows no 'unknown'"),
        ("games = 1", "games: is no table"),
        ("[games.g]\nplayers = []\nworth = [0]", r"games\.g: has 1 to 6 players"),
        ('[games.g]\nplayers = ["a", "a"]\nworth = [0, 0, 0, 0]', "no two alike"),
        ('[games.g]\nplayers = ["a"]\nworth = [0, 1, 1]', "a list of 2 numbers"),
        ('[games.g]\nplayers = ["a"]\nworth = [0, true]', "a list of 2 numbers"),
        ('[games.g]\nplayers = ["a"]\nworth = [0, 1.0]\ndenominator = 2', "no denominator"),
        ('[games.g]\nplayers = ["a"]\nworth = [0, inf]', r"games\.g: "),
        ('[games.g]\nplayers = ["a + b"]\nworth = [0, 1]', "without ' + '"),
        ('[games.g]\nplayers = ["a"]\nworth = [0, 1]\ndenominator = 0', r"games\.g: "),
        ('[games.g]\nplayers = ["a"]\nworth = [0, 1]\nlevels = 1', "players and worth"),
    ],
)
def test_front_matter_that_is_no_game_fails_the_build(write, front, message):
    with pytest.raises(SiteError, match=message.replace("+", r"\+")):
        write("Text", front)


@pytest.mark.parametrize("lacking", ["title", "summary", "place"])
def test_article_without_a_needed_field_fails_the_build(tmp_path, lacking):
    text = "\n".join(line for line in FRONT.format(1, "").split("\n") if not line.startswith(lacking))
    (tmp_path / "a.md").write_text(text + "Text", "utf-8")
    with pytest.raises(SiteError, match=f"no {lacking}"):
        articles(everything(one_fix()), FOLDER, tmp_path)


@pytest.mark.parametrize("name", ["Upper", "with space", "methods", "explainers", "a.b"])
def test_file_name_that_is_no_address_fails_the_build(tmp_path, name):
    (tmp_path / f"{name}.md").write_text(FRONT.format(1, "") + "Text", "utf-8")
    with pytest.raises(SiteError, match="is no name of a page"):
        articles(everything(one_fix()), FOLDER, tmp_path)


GLOVES = """[games.gloves]
players = ["left", "right", "other"]
worth = [0, 0, 0, 1, 0, 1, 0, 1]
"""


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        ('shapley["left"]', "0.667"),
        ('shapley["other"]', "0.167"),
        ('banzhaf["left"]', "0.750"),
        ('fix_alone["left"]', "0"),
        ('leave_one_out["left"]', "1"),
        ('outcome["No fix"]', "0"),
        ('outcome["left + right"]', "1"),
        ('outcome["All fixes"]', "1"),
        ('interaction["right + other"]', "−0.500"),
        ('needed["left"]', "1"),
        ('enough["left"]', "0"),
        ("repairs | first", "left + right"),
        ("repairs | length", "2"),
        ("verdict", "Fixing left carries most of the repair (0.667)."),
        ("remarks | first", "No single fix repairs it; it takes a combination."),
    ],
)
def test_figures_of_a_glove_game_are_those_of_the_textbook(write, figure, text):
    made = write(f'{{{{ games["gloves"].{figure} }}}}', GLOVES).html
    assert re.sub("<[^>]+>", "", made) == text


def test_counts_of_worlds_are_shown_as_counts(write):
    game = '[games.g]\nplayers = ["a"]\nworth = [2, 6]\ndenominator = 8'
    made = write(
        '{{ games["g"].outcome["a"] }} {{ games["g"].shapley["a"] }} {{ games["g"].outcome["All fixes"] }}', game
    )
    assert re.sub("<[^>]+>", "", made.html) == "6/8 0.500 6/8"


def test_scores_with_a_decimal_point_are_real(write):
    game = '[games.g]\nplayers = ["a"]\nworth = [0, 0.3]\nlevel = 0.25'
    made = write('{{ games["g"].outcome["a"] }} {{ games["g"].verdict }}', game)
    assert re.sub("<[^>]+>", "", made.html) == "0.300 Fixing a carries the whole repair (0.300)."


def test_table_of_a_game_lists_every_combination(write):
    made = write('{{ games["gloves"].table }}', GLOVES).html
    assert len(re.findall("<tr>", made)) == 1 + 8
    assert made.count(">Pass<") == 3


def test_values_of_a_game_stand_by_fix_and_rule(write):
    made = write('{{ games["gloves"].values }}', GLOVES).html
    assert len(re.findall("<tr>", made)) == 1 + 3
    assert "0.667" in made
    assert ">Banzhaf value<" in made


def test_figures_of_the_site_are_those_of_its_games():
    files = [*refund_files("a", {"replayed": 1}), *triage_files({"replayed": 1, "fresh": 8})]
    site = SiteFigures(everything(files), FOLDER)
    cases = triage_files({"replayed": 1})[0].cases
    assert (site.scenarios, site.cases) == (2, 1 + len(cases))
    assert site.largest.title == files[1].header.scenario.title
    assert site.largest.analysed == len(cases)
    assert site.largest.runs == sum(sum(case.evaluations) for case in cases)
    assert site.largest.step_calls == sum(case.calls for case in cases)
    assert site.example.id == cases[0].id
    values = shapley(cases[0].worth, cases[0].denominator)
    assert list(site.example.shapley.values()) == [number_text(value) for value in values]


def test_site_without_a_failing_case_has_no_largest_scenario():
    site = SiteFigures(everything(nothing_failed()), FOLDER)
    assert (site.scenarios, site.cases, site.largest, site.example) == (1, 0, None, None)


def test_leader_of_the_largest_scenario_is_named_only_where_it_is_claimed():
    steps = (step("a", title="A", fix=fix("x")), step("b", title="B", fix=fix("y")))

    def site(count):
        cases = [case_game(steps, str(k), [0, 1, 0, 1], 1, lambda name, mask: f"{name} {mask}") for k in range(count)]
        file = game_file(scenario("s", "S", ""), steps, "replayed", 1, cases)
        return SiteFigures(everything([file]), FOLDER)

    assert site(1).largest.leader is None
    assert site(2).largest.leader is None
    assert site(200).largest.leader == "A"


def test_title_of_a_scenario_leads_to_its_page_in_either_form(write):
    body = "{{ site.largest.link }}"
    assert 'href="../scenarios/refund-policy-a.html"' in write(body).html
    assert 'href="#s=refund-policy-a"' in write(body, links=Links("", inline=True)).html


def test_hostile_titles_reach_an_article_as_text(write):
    made = write("{{ site.largest.title }} {{ site.largest.link }} {{ site.example.id }}", files=hostile_files()).html
    assert {tag for tag, _ in Page(made).found} == {"p", "bdi", "a"}
