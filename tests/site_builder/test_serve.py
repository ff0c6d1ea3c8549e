import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from analyzer.game_file import read_folder
from site_builder import SiteError, plan_site, write_site
from site_builder.serve import Server, live, server
from site_builder.served import LiveSite
from tests.command_line import run
from tests.known_game_files import graded_files, refund_files
from tests.made_game_files import write_all

ROOT = Path(__file__).resolve().parents[2]
RUN = "import sys; from site_builder.cli import main; main(sys.argv[1:], prog_name='agentblame')"


@contextlib.contextmanager
def running(one):
    thread = threading.Thread(target=one.serve_forever, args=(0.02,), daemon=True)
    with one:
        thread.start()
        yield one.server_address[1]
        one.shutdown()


def asked(port, path, method="GET", host="127.0.0.1"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers={"Host": host})
    answer = connection.getresponse()
    return answer, answer.read()


class Stream:
    """The states a server tells, one after another."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        self.connection.request("GET", "/_live/events")
        self.answer = self.connection.getresponse()

    def next(self):
        while True:
            line = self.answer.readline().decode("utf-8")
            if line.startswith("data: "):
                return json.loads(line.removeprefix("data: "))
            if not line:
                return None


class Sources:
    """A site of one page made from one file, and what is said of it."""

    def __init__(self, path):
        self.path, self.said, self.built = path, [], 0
        self.write("first")

    def write(self, text):
        self.path.write_text(text)

    def build(self):
        self.built += 1
        text = self.path.read_text()
        if text.startswith("broken"):
            raise SiteError(f"{self.path}: is {text}.")
        if text.startswith("fault"):
            raise RuntimeError(text)
        return {"index.html": text.encode()}

    def live(self):
        return LiveSite(self.build, lambda: [self.path], self.said.append)


@pytest.fixture
def sources(tmp_path):
    return Sources(tmp_path / "source.txt")


@pytest.fixture
def followed(sources):
    """A server that follows the sources."""
    site = sources.live()
    one = Server(site, 0)
    follower = threading.Thread(target=site.follow, args=(one.ended,), daemon=True)
    follower.start()
    with running(one) as port:
        yield port
    follower.join(10)
    assert not follower.is_alive()


# Following the sources


def test_what_changed_is_built_again_and_told(sources, followed):
    stream = Stream(followed)
    before = stream.next()
    sources.write("second")
    after = stream.next()
    assert before["built"] != after["built"]
    assert after["problem"] == ""
    assert asked(followed, "/")[1] == b"second"
    assert sources.said == ["Built again."]


def test_failed_build_is_told_and_the_last_good_site_stays(sources, followed):
    stream = Stream(followed)
    good = stream.next()
    sources.write("broken")
    assert stream.next() == {"built": good["built"], "problem": f"{sources.path}: is broken."}
    assert asked(followed, "/")[1] == b"first"
    sources.write("first")
    assert stream.next() == good
    assert sources.said == [f"Error: {sources.path}: is broken.", "Built again."]


def test_fault_of_the_program_ends_no_server(sources, followed):
    stream = Stream(followed)
    stream.next()
    sources.write("fault in it")
    assert stream.next()["problem"] == "RuntimeError: fault in it"
    sources.write("mended")
    assert stream.next()["problem"] == ""


def test_file_that_goes_and_comes_is_followed(sources, followed):
    stream = Stream(followed)
    good = stream.next()
    sources.path.unlink()
    assert "FileNotFoundError" in stream.next()["problem"]
    sources.write("first")
    assert stream.next() == good


class Looks:
    """The end of a server that comes after some looks at its sources; something may be done before each."""

    def __init__(self, *before):
        self.before = list(before)

    def wait(self, seconds):
        if not self.before:
            return True
        do = self.before.pop(0)
        if do is not None:
            do()
        return False


def test_file_that_is_still_being_written_is_not_built(sources):
    site = sources.live()
    parts = [lambda text=text: sources.write(text) for text in ("broken", "broken o", "broken of", "whole")]
    site.follow(Looks(*parts, None))
    assert sources.said == ["Built again."]
    assert site.file("index.html")[0] == b"whole"


def test_change_during_a_build_is_built_next(sources):
    build = sources.build

    def slow():
        found = build()
        if sources.built == 2:
            sources.write("the third")
        return found

    sources.build = slow
    site = sources.live()
    sources.built = 1
    site.follow(Looks(lambda: sources.write("second"), None, None, None))
    assert site.file("index.html")[0] == b"the third"


def test_sources_that_stay_the_same_are_built_once(sources):
    site = sources.live()
    site.follow(Looks(None, None, None, None))
    assert sources.built == 1


def test_change_that_is_taken_back_is_not_built(sources):
    site = sources.live()
    found = sources.path.stat()

    def take_back():
        sources.write("first")
        os.utime(sources.path, ns=(found.st_atime_ns, found.st_mtime_ns))

    site.follow(Looks(lambda: sources.write("second"), take_back, None, None))
    assert sources.built == 1


def test_folder_that_is_moved_while_it_is_looked_at_ends_nothing(sources):
    listings = [[sources.path], OSError("moved"), [sources.path], SiteError("moved"), [sources.path], [sources.path]]

    def listed():
        found = listings.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    site = LiveSite(sources.build, listed, sources.said.append)
    site.follow(Looks(lambda: sources.write("second"), None, None, None, None))
    assert sources.said == ["Built again."]


def test_first_build_that_fails_is_the_callers(sources):
    sources.write("broken")
    with pytest.raises(SiteError, match="is broken"):
        sources.live()


# What is served


@pytest.fixture(scope="module")
def plan():
    return plan_site(refund_files("a", {"replayed": 1}))


@pytest.fixture
def built(plan, tmp_path):
    write_site(plan, tmp_path / "site")
    return tmp_path / "site"


def test_served_page_differs_from_the_built_one_only_by_what_reloads_it(built):
    content = (built / "index.html").read_bytes()
    page = live(content, "abc").decode("utf-8")
    assert page.count("connect-src &#39;self&#39;; ") == 1
    tags = (
        '\n<link rel="stylesheet" href="/_live/reload.css">'
        '\n<script src="/_live/reload.js" data-built="abc" defer></script>'
    )
    assert page.replace("connect-src &#39;self&#39;; ", "").replace(tags, "").encode("utf-8") == content


def test_page_that_is_not_ours_is_served_as_it_is():
    page = b"<!DOCTYPE html><title>Notes</title>"
    assert live(page, "abc") == page


def test_built_site_holds_nothing_of_it(built):
    for path in built.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert b"EventSource" not in content
            assert b"_live" not in content
            assert b"connect-src" not in content


def test_rebuilt_folder_is_told(built):
    with running(server(built, 0)) as port:
        stream = Stream(port)
        before = stream.next()
        write_site(plan_site(graded_files()), built)
        after = stream.next()
        assert before["built"] != after["built"]
        assert after["built"].encode() in asked(port, "/")[1]


def test_kinds_of_files_are_named_alike_on_every_system(built):
    with running(server(built, 0)) as port:
        for path, kind in (
            ("/", "text/html; charset=utf-8"),
            ("/static/js/namespace.js", "text/javascript; charset=utf-8"),
            ("/static/scenario.css", "text/css; charset=utf-8"),
            ("/static/icon.png", "image/png"),
            ("/.nojekyll", "application/octet-stream"),
            ("/_live/reload.js", "text/javascript; charset=utf-8"),
        ):
            answer, _ = asked(port, path)
            assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
            assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/index.html", "/_live/events"])
def test_head_has_no_body(built, path):
    with running(server(built, 0)) as port:
        answer, body = asked(port, path, "HEAD")
        assert (answer.status, body) == (200, b"")


@pytest.mark.parametrize("path", ["/index.html", "/_live/events", "/_live/reload.js"])
def test_other_hosts_are_told_nothing(built, path):
    with running(server(built, 0)) as port:
        assert asked(port, path, host="evil.example")[0].status == 421


@pytest.mark.parametrize("path", ["/_live/", "/_live/../index.htm", "/_live/..%2f..%2fassets.py", "/_live/other.js"])
def test_nothing_else_is_served_beside_the_site(built, path):
    with running(server(built, 0)) as port:
        assert asked(port, path)[0].status == 404


def test_what_is_no_address_is_not_found(built, capfd):
    with running(server(built, 0)) as port:
        assert asked(port, "http://[/")[0].status == 404
    assert capfd.readouterr() == ("", "")


def test_what_may_never_end_is_not_found(built):
    os.mkfifo(built / "pipe")
    with running(server(built, 0)) as port:
        assert asked(port, "/pipe")[0].status == 404


@pytest.mark.parametrize("path", ["/nowhere.html", "/..", "/%2e%2e/source.txt", "/index.html/", "/index.html%00"])
def test_address_that_is_not_planned_is_not_found(followed, path):
    assert asked(followed, path)[0].status == 404


def test_reader_that_goes_away_leaves_no_trace(followed, sources, capfd):
    stream = Stream(followed)
    stream.next()
    stream.answer.close()
    stream.connection.close()
    for text in ("second", "third"):
        sources.write(text)
        time.sleep(1)
    assert capfd.readouterr() == ("", "")


def test_end_of_the_server_ends_its_streams(built):
    with running(server(built, 0)) as port:
        stream = Stream(port)
        stream.next()
    assert stream.next() is None


# The command


@pytest.fixture
def games(tmp_path):
    return write_all(refund_files("a", {"replayed": 1}), tmp_path / "games")


@contextlib.contextmanager
def command(*arguments, folder):
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, "serve", "--port", "0", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        found = re.search(r":(\d+)/", process.stdout.readline())
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


def test_game_files_are_served_as_build_would_write_them(games, tmp_path):
    with command(games, folder=tmp_path) as (_, port):
        plan = plan_site(read_folder(games))
        built = Stream(port).next()["built"]
        for path, content in plan.items():
            assert asked(port, f"/{path}")[1] == (live(content, built) if path.endswith(".html") else content)


def test_settings_and_what_they_name_are_followed(games, tmp_path):
    with command(games, folder=tmp_path) as (_, port):
        stream = Stream(port)
        stream.next()
        (tmp_path / "agentblame.toml").write_text('[site]\ntitle = "Ours"\ntemplates = "mine"\n')
        assert "mine is not a folder" in stream.next()["problem"]
        (tmp_path / "mine").mkdir()
        layout = tmp_path / "mine" / "layout.html.j2"
        layout.write_text('{% extends "agentblame/layout.html.j2" %}')
        assert stream.next()["problem"] == ""
        layout.write_text('{% extends "agentblame/layout.html.j2" %}{% block banner %}Mine{% endblock %}')
        assert stream.next()["problem"] == ""
        page = asked(port, "/")[1].decode("utf-8")
        assert "<title>Ours</title>" in page
        assert "Mine" in page


def test_interrupt_ends_it_at_once_with_streams_open(games, tmp_path):
    with command(games, folder=tmp_path) as (process, port):
        streams = [Stream(port) for _ in range(3)]
        assert all(stream.next() for stream in streams)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        assert time.monotonic() - start < 5
        assert process.stdout.read() == "Stopped.\n"
        assert process.stderr.read() == ""


def refused(*arguments):
    return run("serve", *arguments, code=2).stderr


def test_game_file_that_cannot_be_read_is_bad_input(games):
    path = next(games.glob("*.jsonl"))
    path.write_bytes(path.read_bytes()[:-20])
    assert "the last line is cut short" in refused(games)


def test_settings_are_of_no_use_to_a_built_site(built, tmp_path):
    assert "which settings no longer change" in refused(built, "--config", tmp_path / "mine.toml")


def test_settings_that_were_named_must_be_there(games, tmp_path):
    assert "there is no such file" in refused(games, "--config", tmp_path / "mine.toml")


def test_folder_that_is_not_there_is_bad_input(tmp_path):
    assert "does not exist" in refused(tmp_path / "nowhere")
