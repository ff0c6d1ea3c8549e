import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest

from analyzer.redaction import Redactor
from site_builder import assets, publish, published_texts, secret_scan
from site_builder.cli import _server
from site_builder.errors import SiteError
from site_builder.payload import data_block, script_chunk
from site_builder.publish import check
from site_builder.secret_scan import refuse_secrets, scanner
from tests.command_line import run
from tests.known_game_files import graded_files, refund_files
from tests.made_game_files import write_all

KEY = "sk-proj-Q7" + "xJ2mVtR9wLc4ZpB8" * 2
# No shape of ours: only detect-secrets knows it.
SENDGRID = "SG." + "ngeVfQFYQlKU0ufo8x5d1A" + "." + "TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr0p"


def known_files():
    return [*refund_files("a", {"replayed": 1, "fresh": 4}), *graded_files()]


@pytest.fixture
def games(tmp_path):
    return write_all(known_files(), tmp_path / "games")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a site and a report, which tests copy."""
    folder = tmp_path_factory.mktemp("made")
    games = write_all(known_files(), folder / "games")
    run("build", games, "--out", folder / "site")
    run("report", games, "--out", folder / "report.html")
    return folder


@pytest.fixture
def site(made, tmp_path):
    return shutil.copytree(made / "site", tmp_path / "site")


@pytest.fixture
def report(made, tmp_path):
    return shutil.copyfile(made / "report.html", tmp_path / "report.html")


def tree(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()}


def found_in(site):
    """Check a site in which something is wrong; returns what is printed about secrets."""
    before = tree(site) if site.is_dir() else site.read_bytes()
    result = run("publish", site, "--check", code=10)
    assert KEY not in result.output
    assert (tree(site) if site.is_dir() else site.read_bytes()) == before
    return result.output.split("\nSecrets\n")[1]


def with_text(file, text):
    """Return a game file with a text in an output of its first case."""
    case = file.cases[0]
    output = replace(case.steps[0].outputs[0], text=text)
    step = replace(case.steps[0], outputs=(output, *case.steps[0].outputs[1:]))
    return replace(file, cases=(replace(case, steps=(step, *case.steps[1:])), *file.cases[1:]))


def test_a_site_without_secrets_passes_and_is_listed(site):
    result = run("publish", site, "--check")
    for said in (
        f"{len(tree(site))} files: ",
        "Graded answers: 2 failing cases; 2 inputs, and in all ",
        "Refund policy, mechanism A: 1 failing case; 1 input, and in all ",
        "GitHub Pages and the like are public",
        "largest: ",
        "none found",
    ):
        assert said in result.output


def test_redactions_come_first_and_say_how_often(games, tmp_path):
    files = [replace(one, header=replace(one.header, redacted=("bearer token: 3",))) for one in known_files()]
    write_all(files, games)
    run("build", games, "--out", tmp_path / "site")
    lines = run("publish", tmp_path / "site", "--check").output.splitlines()
    assert lines[0] == "What was redacted when the cases were analysed"
    assert lines[1] == "  Graded answers: replayed: bearer token: 3"
    assert lines[2] == "  Refund policy, mechanism A: fresh: bearer token: 3; replayed: bearer token: 3"


def test_a_report_is_checked_too(report):
    result = run("publish", report, "--check")
    assert "1 file: 1 page" in result.output
    assert "Graded answers: 2 failing cases" in result.output


def test_a_secret_in_packed_data_is_found_and_not_shown(site):
    chunk = site / "data" / "graded-answers" / "rising.js"
    assert chunk.is_file()
    chunk.write_bytes(script_chunk("graded-answers/rising", {"texts": [f"uses {KEY} twice"], "modes": {}}))
    said = found_in(site)
    assert "data/graded-answers/rising.js: OpenAI key: uses [OpenAI key, 42 characters] twice" in said
    assert "1 found in 1 file." in said


def test_a_secret_in_packed_data_of_a_report_is_found(report):
    block = str(data_block("extra/case", {"modes": {}, "texts": [], "note": {"password": "swordfish"}}))
    report.write_text(report.read_text("utf-8").replace("</body>", f"{block}</body>"), "utf-8")
    assert "report.html: password assignment: password: [password assignment, 9 characters]" in found_in(report)


def test_a_secret_on_a_page_is_found_also_where_it_is_escaped(site, monkeypatch):
    monkeypatch.setenv("DESK_PASSWORD", "a\"b<c>&d'e")
    page = site / "index.html"
    page.write_text(page.read_text("utf-8") + "<!-- a&#34;b&lt;c&gt;&amp;d&#39;e -->", "utf-8")
    assert "<!-- [value of DESK_PASSWORD, 10 characters] -->" in found_in(site)


def test_a_secret_in_a_file_of_somebody_else_is_found(site):
    (site / "notes").mkdir()
    (site / "notes" / "my notes.txt").write_text(f"key {KEY}", "utf-8")
    assert "notes/my notes.txt: OpenAI key: key [OpenAI key, 42 characters]" in found_in(site)


def test_a_secret_in_the_name_of_a_file_is_found_and_not_shown(site):
    (site / f"{KEY}.txt").write_text("nothing", "utf-8")
    assert "a file whose name holds a secret: OpenAI key: [OpenAI key, 42 characters].txt" in found_in(site)


def test_what_detect_secrets_knows_is_found(site):
    (site / "notes.txt").write_text(f"mail goes out with {SENDGRID} today\n", "utf-8")
    said = found_in(site)
    assert "notes.txt: SendGrid API Key (detect-secrets): mail goes out with [SendGrid" in said
    assert SENDGRID not in said
    assert "what detect-secrets " in said


def test_without_detect_secrets_the_check_says_so_and_uses_our_own(site, monkeypatch):
    monkeypatch.setitem(sys.modules, "detect_secrets", None)
    monkeypatch.setitem(sys.modules, "detect_secrets.core.plugins.util", None)
    (site / "notes.txt").write_text(f"{SENDGRID} {KEY}", "utf-8")
    said = found_in(site)
    assert "detect-secrets is not installed" in said
    assert "1 found in 1 file." in said


@pytest.mark.parametrize(
    "text",
    [
        "api_key = 'the_name_of_the_key'; password == other.password",
        '{"password": "[redacted: password assignment]"}',
        "https://user:[redacted: password in a URL]@host/",
        "d41d8cd98f00b204e9800998ecf8427e 550e8400-e29b-41d4-a716-446655440000 8.8.8.8",
    ],
)
def test_neither_scanner_takes_what_is_no_secret_for_one(text):
    assert scanner(Redactor()).find(text) == []


def test_a_long_text_is_searched_to_its_end():
    text = "word " * 20_000 + SENDGRID
    (found,) = scanner(Redactor()).find(text)
    assert (found.start, found.end) == (100_000, len(text))


def test_a_secret_that_lies_across_two_pieces_is_found_once():
    for before in range(8_100, 8_250, 7):
        (found,) = scanner(Redactor()).find("." * before + " " + SENDGRID + " " + "." * 9_000)
        assert found.start == before + 1


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("data/a.js", b'AgentBlame.receive("a", "H4sIAA!!");\n', '"a": packed data are damaged'),
        ("data/a.js", b'AgentBlame.receive("a", "bm8gZ3ppcA==");\n', '"a": packed data are damaged'),
        (
            "data/a.js",
            b'AgentBlame.receive("a", "%s");' % base64.b64encode(gzip.compress(b"{}" * 999, mtime=0)[:-9]),
            '"a": packed data are cut short',
        ),
        (
            "data/a.js",
            b'AgentBlame.receive("a", "%s");' % base64.b64encode(gzip.compress(b"{not json", mtime=0)),
            '"a": packed data are no JSON text',
        ),
    ],
)
def test_packed_data_that_are_damaged_are_named(site, name, content, said):
    (site / name).write_bytes(content)
    assert f"not looked into: {name}: {said}" in found_in(site)


def test_packed_data_that_are_too_large_are_named(site, monkeypatch):
    monkeypatch.setattr(published_texts, "MOST_READ", 1 << 20)
    bomb = base64.b64encode(gzip.compress(json.dumps(["x" * (1 << 21)]).encode()))
    (site / "data" / "bomb.js").write_bytes(b'AgentBlame.receive("bomb", "%s");' % bomb)
    assert 'data/bomb.js: "bomb": packed data have over 1 MiB' in found_in(site)


def test_a_file_that_is_too_large_is_named(site, monkeypatch):
    monkeypatch.setattr(published_texts, "MOST_READ", 1 << 20)
    with (site / "huge.bin").open("wb") as stream:
        stream.truncate((1 << 20) + 1)
    assert "not looked into: huge.bin: has over 1 MiB" in found_in(site)


def test_links_and_what_is_no_file_are_named_and_not_followed(site, tmp_path):
    (tmp_path / "private.txt").write_text(KEY, "utf-8")
    (site / "out.txt").symlink_to(tmp_path / "private.txt")
    (site / "folder").symlink_to(tmp_path)
    (site / "gone").symlink_to(tmp_path / "gone")
    os.mkfifo(site / "pipe")
    said = found_in(site)
    assert "not looked into: out.txt: is a link that leads out of the site" in said
    assert "not looked into: folder: is a link that leads out of the site" in said
    assert "not looked into: gone: is a link that leads out of the site" in said
    assert "not looked into: pipe: is no ordinary file" in said
    assert "OpenAI" not in said


def test_a_file_that_cannot_be_read_is_named(site, monkeypatch):
    def refuse(file):
        if file.path == "robots.txt":
            raise PermissionError(13, "Permission denied", str(file.place))
        return published_texts.contents(file)

    monkeypatch.setattr(publish, "contents", refuse)
    assert "not looked into: robots.txt: cannot be read: Permission denied" in found_in(site)


ESCAPED = "sk\\u002dproj\\x2dQ7" + KEY.removeprefix("sk-proj-Q7")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("notes.json", json.dumps({"note": KEY}).replace("sk-", "\\u0073\\u006B-")),
        ("games.jsonl", "{}\n" + json.dumps({"note": json.dumps({"note": KEY}).replace("sk-", "\\u0073k-")}) + "\n"),
        ("notes.js", f"const one = 'a\\nb';\nconst key = '{ESCAPED}';\n"),
        ("notes.js", f"const key = '{ESCAPED.replace('u002d', 'u{2d}')}';"),
        ("notes.html", f"<script>const key = '{ESCAPED}';</script>"),
        ("notes.svg", "<svg><desc>" + KEY.replace("sk-", "&#115;k-") + "</desc></svg>"),
    ],
)
def test_a_secret_that_is_escaped_is_found(site, name, text):
    assert KEY not in text
    (site / name).write_text(text, "utf-8")
    said = found_in(site)
    assert f"{name}: OpenAI key: " in said
    assert "[OpenAI key, 42 characters]" in said


@pytest.mark.parametrize("name", ["notes.html", "notes.txt", "notes.js", "notes"])
@pytest.mark.parametrize("packed", [script_chunk, lambda *data: str(data_block(*data)).encode()])
def test_packed_data_are_looked_into_whatever_the_file_is_called(site, name, packed):
    (site / name).write_bytes(packed("extra/case", {"texts": [f"uses {KEY} twice"]}))
    assert f"{name}: OpenAI key: uses [OpenAI key, 42 characters] twice" in found_in(site)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.gz", gzip.compress(KEY.encode(), mtime=0)),
        ("notes.txt", KEY.encode("utf-16")),
        ("notes.txt", KEY.encode("utf-16-le")),
        ("notes.png", b"\x89PNG\r\n\x1a\n" + gzip.compress(KEY.encode(), mtime=0)),
        ("static/icon.png", gzip.compress(KEY.encode(), mtime=0)),
        ("index.html", b"<!DOCTYPE html>\xff"),
    ],
)
def test_what_is_no_text_is_named(site, name, content):
    (site / name).write_bytes(content)
    assert f"not looked into: {name}: is no text, so it was not looked into" in found_in(site)


def test_a_picture_that_is_the_logo_of_the_site_is_none_of_these(games, tmp_path):
    icon = (assets.folder("static") / assets.ICON).read_bytes()
    (tmp_path / "logo.png").write_bytes(icon)
    (tmp_path / "agentblame.toml").write_text('[site]\nlogo = "logo.png"\n', "utf-8")
    run("build", games, "--out", tmp_path / "site", "--config", tmp_path / "agentblame.toml")
    assert (tmp_path / "site" / "static" / "logo.png").read_bytes() == icon
    run("publish", tmp_path / "site", "--check")


def others_in(site):
    return run("publish", site, "--check").output.split("\nNot written by Agent Blame\n")[1].split("\nSizes\n")[0]


def test_what_no_build_wrote_is_listed_and_a_folder_of_it_as_one(site, report):
    assert others_in(site) == others_in(report) == "  nothing"
    (site / "CNAME").write_text("blame.example", "utf-8")
    (site / "data" / "more.js").write_text("", "utf-8")
    (site / "drafts" / "old").mkdir(parents=True)
    (site / "drafts" / "old" / "one.txt").write_text("", "utf-8")
    (site / "drafts" / "two.txt").write_text("", "utf-8")
    assert others_in(site).split("\n") == ["  CNAME", "  data/more.js", "  drafts/: 2 files"]


def test_a_site_that_is_not_whole_is_told(site, tmp_path):
    (site / "robots.txt").unlink()
    assert others_in(site) == "  1 file of the site missing, such as robots.txt"
    (site / "agentblame-site.json").write_text("{", "utf-8")
    unknown = "so it is unknown which files Agent Blame wrote"
    assert others_in(site).startswith(f"  agentblame-site.json is damaged, {unknown}\n")
    (site / "agentblame-site.json").unlink()
    assert others_in(site).startswith(f"  agentblame-site.json is missing, {unknown}\n")
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    assert others_in(tmp_path / "notes.txt").startswith("  notes.txt is no report that Agent Blame wrote\n")


def pasted(site, *starts):
    """Run the commands told that start like this."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": "Somebody", f"GIT_{who}_EMAIL": "somebody@example.org"}
    told = [line.strip() for line in run("publish", site).output.splitlines()]
    commands = [line for line in told if line.startswith(starts)]
    assert len(commands) == len(starts)
    for command in commands:
        subprocess.run(command, shell=True, check=True, capture_output=True, env=environment, timeout=60)


def test_a_site_that_was_published_as_told_still_passes(site):
    pasted(site, "git init", f"git -C {site} add")
    run("publish", site, "--check")
    assert others_in(site) == "  .git"


def test_a_repository_in_a_site_is_named_with_what_moves_it_out(site):
    subprocess.run(["git", "init", "-q", "-b", "gh-pages", str(site)], check=True, timeout=60)
    subprocess.run(["git", "-C", str(site), "add", "-A"], check=True, timeout=60)
    said = found_in(site)
    (command,) = re.findall(r"not looked into: \.git: \d+ files of a repository; `(.*)` moves it out of the site", said)
    subprocess.run(command, shell=True, check=True, capture_output=True, timeout=60)
    run("publish", site, "--check")


def test_sizes_above_what_hosts_take_are_told(site, monkeypatch):
    monkeypatch.setattr(publish, "LARGEST_FILE", 1 << 10)
    monkeypatch.setattr(publish, "LARGEST_SITE", 10**3)
    said = run("publish", site, "--check").output
    assert "MB in all: more than" in said
    assert "index.html: " in said


@pytest.mark.parametrize("named", ["nowhere", "games"])
def test_what_is_no_site_is_bad_input(games, named):
    result = run("publish", games.parent / named, "--check", code=2)
    assert "agentblame build" in result.stderr


def test_data_of_somebody_else_are_counted_for_nothing(site):
    for number, content in enumerate(([], {"cases": 3, "redacted": [1], "title": 5}, {"texts": "no", "modes": [1]})):
        (site / "data" / f"odd{number}.js").write_bytes(script_chunk(f"odd{number}/x" if number else "odd", content))
    run("publish", site, "--check")


def test_nothing_a_terminal_would_obey_is_printed(site):
    (site / "data" / "odd.js").write_bytes(script_chunk("odd", {"title": "\x1b[31mred\nline", "cases": []}))
    said = run("publish", site, "--check").output
    assert "\x1b" not in said
    assert "\ufffd[31mred\ufffdline: 0 failing cases" in said


def test_the_commands_to_publish_can_be_pasted(site):
    assert f"agentblame publish '{site} one' --check" in run("publish", f"{site} one").output


def test_without_check_it_publishes_nothing_and_says_how(site):
    before = tree(site)
    result = run("publish", site)
    assert f"agentblame publish {site} --check" in result.output
    assert "gh-pages" in result.output
    assert "public" in result.output
    assert tree(site) == before


@pytest.mark.parametrize(("command", "out"), [("build", "site"), ("report", "report.html")])
def test_a_secret_in_a_game_file_is_refused_before_anything_is_written(games, tmp_path, command, out):
    write_all([with_text(known_files()[0], f"uses {KEY} here")], games)
    result = run(command, games, "--out", tmp_path / out, code=2)
    assert KEY not in result.output
    where = "scenario 'refund-policy-a', replayed, case 'march-headphones': field steps.planner.outputs.0.text"
    assert f"{where}: OpenAI key: uses [OpenAI key, 42 characters] here" in result.stderr
    assert "agentblame analyze" in result.stderr
    assert "[redact]" in result.stderr
    assert not (tmp_path / out).exists()


def test_a_secret_in_a_game_file_is_not_served(games):
    write_all([with_text(known_files()[0], f"uses {KEY} here")], games)
    with pytest.raises(SiteError, match=r"OpenAI key: uses \[OpenAI key, 42 characters\] here"):
        _server(games, 0, None).server_close()


@pytest.mark.parametrize(("command", "out"), [("build", "site"), ("report", "report.html")])
@pytest.mark.parametrize("place", ["title", "intro", "footer", "logo", "layout.html.j2"])
def test_a_secret_in_what_settings_add_is_refused_before_anything_is_written(games, tmp_path, command, out, place):
    written = '[site]\ntitle = "Reviews"\n'
    if place == "logo":
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><desc>{KEY}</desc></svg>'
        (tmp_path / "logo.svg").write_text(svg, "utf-8")
        written += 'logo = "logo.svg"\n'
    elif place == "layout.html.j2":
        (tmp_path / "own").mkdir()
        block = f"{{% block banner %}}<p>{KEY}</p>{{% endblock %}}"
        (tmp_path / "own" / place).write_text('{% extends "agentblame/layout.html.j2" %}' + block, "utf-8")
        written += 'templates = "own"\n'
    else:
        written = f'[site]\n{place} = "ours, {KEY}"\n'
    (tmp_path / "agentblame.toml").write_text(written, "utf-8")
    result = run(command, games, "--out", tmp_path / out, "--config", tmp_path / "agentblame.toml", code=2)
    assert KEY not in result.output
    assert f"{place}: OpenAI key: " in result.stderr
    assert "[OpenAI key, 42 characters]" in result.stderr
    assert not (tmp_path / out).exists()


def test_a_value_of_the_environment_in_a_game_file_is_refused(games, tmp_path, monkeypatch):
    monkeypatch.setenv("DESK_TOKEN", "superseded a year ago")
    result = run("build", games, "--out", tmp_path / "site", code=2)
    assert "header: field scenario.summary: value of DESK_TOKEN: " in result.stderr


def test_settings_say_what_a_build_refuses(games, tmp_path):
    write_all([with_text(known_files()[0], f"uses {KEY} here")], games)
    (tmp_path / "off.toml").write_text('[redact]\noff = ["openai"]\n', "utf-8")
    run("build", games, "--out", tmp_path / "site", "--config", tmp_path / "off.toml")
    (tmp_path / "more.toml").write_text('[redact]\npatterns = { "shop word" = "^Refund" }\n', "utf-8")
    result = run("build", games, "--out", tmp_path / "other", "--config", tmp_path / "more.toml", code=2)
    assert "shop word: [shop word, 6 characters]" in result.stderr


def test_many_secrets_are_told_briefly():
    case = with_text(known_files()[0], " ".join([KEY] * 30))
    with pytest.raises(SiteError) as told:
        refuse_secrets([case], Redactor())
    assert str(told.value).count("OpenAI key, 42") <= 2 * secret_scan.LISTED
    assert "and 25 more" in str(told.value)


def test_a_check_finds_what_a_build_let_through(site):
    found = check(site, scanner(Redactor()))
    assert found.clean
    assert {one.title for one in found.scenarios.values()} == {"Refund policy, mechanism A", "Graded answers"}
