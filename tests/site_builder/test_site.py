import os
import re
import subprocess
import sys
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from site_builder import plan_report, plan_site
from site_builder import site as site_module
from site_builder.errors import SiteError
from site_builder.site import Plan, report_warnings, warnings
from tests.known_game_files import HOSTILE, all_files, hostile_files, odd_files, refund_files, triage_files
from tests.made_game_files import write_all

ROOT = Path(__file__).resolve().parents[2]

PLANNED = """
import hashlib, pathlib, sys
from analyzer.game_file import read_folder
from site_builder import plan_report, plan_site
files = read_folder(pathlib.Path(sys.argv[1]))
for path, content in plan_site(files).items():
    print(path, hashlib.sha256(content).hexdigest())
print("report", hashlib.sha256(plan_report(files)).hexdigest())
"""


@pytest.fixture(scope="module")
def plan():
    return plan_site(all_files())


@pytest.fixture(scope="module")
def report():
    return plan_report(all_files())


def pages(plan):
    return {path: content.decode("utf-8") for path, content in plan.items() if path.endswith(".html")}


class Tags(HTMLParser):
    """Collects elements and attributes; what is text to a browser never gets here."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def planned_elsewhere(games, folder, zone, seed):
    environment = {**os.environ, "TZ": zone, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PLANNED, str(games)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True, text=True).stdout


def test_same_game_files_give_the_same_bytes_in_any_zone_hash_seed_and_folder(tmp_path):
    listings = []
    for name, zone, seed in (("one", "UTC", "0"), ("two", "Asia/Kathmandu", "4711")):
        games = write_all(all_files(), tmp_path / name / "games")
        listings.append(planned_elsewhere(games, tmp_path / name, zone, seed))
    assert listings[0] == listings[1]


def test_every_case_of_every_scenario_has_its_data(plan):
    chunks = [path for path in plan if re.fullmatch(r"data/[^/]+/[^/.]+\.js", path)]
    cases = {(file.header.scenario.id, case.id) for file in all_files() for case in file.cases}
    assert len(chunks) == len(cases)


def test_paths_suit_every_system_and_host(plan):
    for path in plan:
        assert re.fullmatch(r"(\.nojekyll|[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9][A-Za-z0-9_.-]*)*)", path)
        for name in path.split("/"):
            assert not name.endswith(".")
            assert len(name) < 100
            assert not re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name, re.IGNORECASE)


def test_hosts_find_their_control_files(plan):
    assert plan[".nojekyll"] == b""
    assert plan["robots.txt"].startswith(b"User-agent")


FORBIDDEN = ("fetch(", "XMLHttpRequest", "import(", 'type="module"', "http://", "https://", "eval(", "innerHTML")


def test_built_files_hold_nothing_that_a_page_from_disk_may_not_do():
    files = [*refund_files("a", {"replayed": 1}), *triage_files({"fresh": 8})]
    built = {**plan_site(files), "report.html": plan_report(files)}
    assert [(path, word) for path, content in built.items() for word in FORBIDDEN if word.encode() in content] == []


def test_no_address_starts_at_the_root_of_a_host_or_has_a_backslash(plan, report):
    for text in (*pages(plan).values(), report.decode("utf-8")):
        for _, attributes in Tags(text).found:
            for name in attributes.keys() & {"src", "href", "data-root"}:
                assert not (attributes[name] or "").startswith("/")
                assert "\\" not in (attributes[name] or "")


def test_every_local_file_a_page_names_is_planned(plan):
    for path, text in pages(plan).items():
        for tag, attributes in Tags(text).found:
            link = attributes.get("src") or (attributes.get("href") if tag in ("a", "link") else None)
            if link and not link.startswith("#"):
                file = link.partition("#")[0]
                assert os.path.normpath(os.path.join(os.path.dirname(path), file)) in plan


def test_report_names_no_other_file(report):
    for tag, attributes in Tags(report.decode("utf-8")).found:
        assert "src" not in attributes
        if tag in ("a", "use"):
            assert attributes["href"].startswith("#")


def test_markup_carries_no_styles_and_no_handlers(plan, report):
    for text in (*pages(plan).values(), report.decode("utf-8")):
        for _, attributes in Tags(text).found:
            assert not [name for name in attributes if name == "style" or name.startswith("on")]


def hostile_everywhere():
    """Every hostile text in every field that holds text, in a scenario each."""
    return [file for shift in range(len(HOSTILE)) for file in hostile_files(shift=shift)]


def test_hostile_text_adds_no_element_to_a_page():
    nasty = hostile_everywhere()
    names = {"img", "iframe", "object", "embed", "base", "form"}
    for text in (*pages(plan_site(nasty)).values(), plan_report(nasty).decode("utf-8")):
        found = Tags(text).found
        assert not [tag for tag, _ in found if tag in names]
        assert not [attributes for tag, attributes in found if tag == "svg" and "onload" in attributes]
        for tag, attributes in found:
            for name in attributes.keys() & {"href", "src", "xlink:href", "action", "formaction", "srcset", "data"}:
                assert not re.match(r"(javascript|data:(?!image/png)|https?|//)", attributes[name] or ""), (tag, name)


def test_hostile_text_adds_no_script_to_a_report():
    calm, nasty = plan_report(refund_files("a", {"replayed": 1})), plan_report(hostile_everywhere())
    counts = [
        len([tag for tag, given in Tags(text.decode()).found if tag == "script" and "type" not in given])
        for text in (calm, nasty)
    ]
    assert counts[0] == counts[1]


def test_policy_allows_own_files_only(plan):
    for text in pages(plan).values():
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
        assert policy.replace("&#39;", "'").startswith("default-src 'none'; script-src 'self'; style-src 'self';")


def test_policy_of_a_report_allows_its_own_scripts_by_hash_only(report):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', report.decode("utf-8"))[1].replace("&#39;", "'")
    assert re.fullmatch(
        r"default-src 'none'; script-src( 'sha256-[^']+')+; style-src( 'sha256-[^']+')+; "
        r"img-src 'self' data:; base-uri 'none'; form-action 'none'",
        policy,
    )


def test_two_files_of_one_mode_are_refused():
    file = refund_files("a", {"replayed": 1})[0]
    with pytest.raises(SiteError, match="is there twice"):
        plan_site([file, file])


def test_modes_that_describe_other_steps_are_refused():
    one, two = refund_files("a", {"replayed": 1, "fresh": 8})
    changed = replace(two.header, steps=(replace(two.header.steps[0], title="Another"), *two.header.steps[1:]))
    with pytest.raises(SiteError, match="describes other steps"):
        plan_site([one, replace(two, header=changed)])


def test_scenario_in_which_nothing_failed_is_named_without_a_page():
    file = refund_files("a", {"replayed": 1})[0]
    plan = plan_site([replace(file, cases=())])
    assert "No case failed" in plan["index.html"].decode("utf-8")
    assert not [path for path in plan if path.startswith("scenarios/")]


def test_path_planned_twice_is_an_error_also_where_case_does_not_count():
    plan = Plan()
    plan.add("data/a.js", b"")
    with pytest.raises(SiteError, match="planned twice"):
        plan.add("data/A.js", b"")


def test_file_over_the_hosting_limit_is_warned_of(monkeypatch):
    monkeypatch.setattr(site_module, "LARGEST_FILE", 10)
    assert "data/x.js" in warnings({"data/x.js": b"x" * 11, "y": b"y"})[0]


def test_limits_are_those_of_hosts_to_the_byte():
    largest = bytes(100 * 2**20)
    assert warnings({"data/x.js": largest}) == []
    (told,) = warnings({"data/x.js": largest + b"x"})
    for said in ("data/x.js", "100 MiB", "GitHub Pages", "Analyse fewer cases"):
        assert said in told
    most = {f"data/{number}.js": largest for number in range(9)}
    rest = 10**9 - 9 * len(largest)
    assert warnings({**most, "last": bytes(rest)}) == []
    (told,) = warnings({**most, "last": bytes(rest + 1)})
    for said in ("1.0 GB", "over 1 GB", "GitHub Pages", "Split the game files"):
        assert said in told


def test_site_over_the_hosting_limit_is_warned_of(monkeypatch):
    monkeypatch.setattr(site_module, "LARGEST_SITE", 10)
    assert "GitHub Pages" in warnings({"x": b"x" * 6, "y": b"y" * 6})[0]


def test_small_site_is_not_warned_of(plan):
    assert warnings(plan) == []


def test_large_report_is_warned_of(monkeypatch):
    monkeypatch.setattr(site_module, "LARGEST_REPORT", 10)
    assert "agentblame build" in report_warnings(b"x" * 11)[0]


def test_page_without_data_is_small_as_a_host_sends_it():
    plan = plan_site(refund_files("a", {"replayed": 1}))
    for path, text in pages(plan).items():
        named = [given.get("src") or given["href"] for tag, given in Tags(text).found if tag in ("script", "link")]
        files = [plan[os.path.normpath(os.path.join(os.path.dirname(path), name))] for name in named]
        sizes = [len(zlib.compress(content)) for content in (plan[path], *files)]
        assert sum(sizes) < 150_000, path


def test_ids_stand_on_the_page_unchanged(plan):
    text = "".join(pages(plan_site(odd_files())).values())
    for name in ("a#1", "50%", "a/b", "a?b", "x[1]", "two words", "c:d"):
        assert f">{name}</bdi></a>" in text


def test_index_says_in_how_many_cases_no_fix_helps():
    index = plan_site(triage_files({"replayed": 1}))["index.html"].decode("utf-8")
    games = [case for file in triage_files({"replayed": 1}) for case in file.cases]
    idle = sum(max(case.values["shapley"]) <= 0 for case in games)
    assert 0 < idle < 30
    assert f"In {idle} of 30, no fix helps on balance." in index


def test_claims_of_the_index_under_new_luck_have_their_control():
    index = plan_site(triage_files({"fresh": 8}))["index.html"].decode("utf-8")
    assert re.search(r"Without any fix, \d+ of 30 pass under new luck\.", index)
