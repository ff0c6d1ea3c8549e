import http.client
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click
import pytest

from analyzer.game_file import SCHEMA_VERSION, ScoreInfo
from site_builder import cli
from site_builder import site as site_module
from site_builder.cli import main
from tests.command_line import invoke, run
from tests.known_game_files import graded_files, hostile_files, letters, plain_text, refund_files
from tests.made_game_files import case_game, game_file, scenario, write_all

ROOT = Path(__file__).resolve().parents[2]
RUN = "import sys; from site_builder.cli import main; main(sys.argv[1:], prog_name='agentblame')"


@pytest.fixture
def games(tmp_path):
    return write_all([*refund_files("a", {"replayed": 1}), *graded_files()], tmp_path / "games")


def process(*arguments, **environment):
    command = [sys.executable, "-c", RUN, *(str(argument) for argument in arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_build_writes_a_site_and_says_where(games, tmp_path):
    done = run("build", games, "--out", tmp_path / "site")
    assert done.stdout == f"{tmp_path / 'site' / 'index.html'}\n"
    assert (tmp_path / "site" / "scenarios" / "refund-policy-a.html").is_file()


def test_build_warns_of_what_hosts_refuse_and_builds_all_the_same(games, tmp_path, monkeypatch):
    monkeypatch.setattr(site_module, "LARGEST_FILE", 10)
    done = run("build", games, "--out", tmp_path / "site")
    assert "Warning: data/graded-answers.js has " in done.stderr
    assert "GitHub Pages refuse files over 100 MiB" in done.stderr
    assert (tmp_path / "site" / "index.html").is_file()


def test_build_takes_a_single_game_file(games, tmp_path):
    run("build", next(games.glob("*.jsonl")), "--out", tmp_path / "site")


def test_report_writes_one_file_and_says_where(games, tmp_path):
    done = run("report", games, "--out", tmp_path / "out" / "report.html")
    assert done.stdout == f"{tmp_path / 'out' / 'report.html'}\n"
    assert os.listdir(tmp_path / "out") == ["report.html"]


def test_version_is_that_of_the_package():
    from analyzer import __version__

    assert run("--version").stdout == f"agentblame, version {__version__}\n"


def refused(*arguments, message):
    done = run(*arguments, code=2)
    assert message in done.stderr
    assert "Traceback" not in done.output


def test_missing_game_folder_is_bad_input(tmp_path):
    refused("build", tmp_path / "nowhere", "--out", tmp_path / "site", message="nowhere: does not exist")


def test_folder_without_game_files_is_bad_input(tmp_path):
    refused("report", tmp_path, "--out", tmp_path / "r.html", message="holds no game files")


def test_damaged_game_file_is_bad_input(games, tmp_path):
    path = next(games.glob("*.jsonl"))
    path.write_bytes(path.read_bytes()[:-20])
    refused("build", games, "--out", tmp_path / "site", message=f"{path}: the last line is cut short")


def test_game_file_of_another_version_is_bad_input(games, tmp_path):
    path = next(games.glob("*.jsonl"))
    written = f'"schema_version":{SCHEMA_VERSION}'
    path.write_text(path.read_text("utf-8").replace(written, '"schema_version":99'), "utf-8")
    refused("build", games, "--out", tmp_path / "site", message="field schema_version")


def test_scores_too_large_to_compute_with_are_bad_input(tmp_path):
    file = refund_files("a", {"fresh": 8})[0]
    case = replace(file.cases[0], worth=(0, *[2**52] * 15))
    write_all([replace(file, cases=(case,))], tmp_path / "games")
    refused("build", tmp_path / "games", "--out", tmp_path / "site", message="case 'march-headphones'")


def large_scores(score):
    """Return three cases on the widest scale there may be, one of them with a score of its own."""
    about = scenario("profit", "Profit", "", ScoreInfo("profit", True, -1e100, 1e100, 0.0))
    worths = ([-12.5, 3.25, -0.75, 41.0], [-1.0, 2.0, 5.0, 1.0], [-1e100, 1e100 / 3, -1e100, score])
    cases = [case_game(letters(2), f"order-{k}", worth, None, plain_text) for k, worth in enumerate(worths)]
    return [game_file(about, letters(2), "replayed", 1, cases)]


def test_largest_scores_a_file_may_hold_are_computed(tmp_path):
    done = run("build", write_all(large_scores(1e100), tmp_path / "games"), "--out", tmp_path / "site")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "e+99" in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_score_beyond_its_scale_is_refused_with_its_case_and_field(tmp_path):
    games = write_all(large_scores(1e100), tmp_path / "games")
    (file,) = games.iterdir()
    text = file.read_text("utf-8")
    file.write_text(text.replace("1e+100]", "1e+150]"), "utf-8")
    assert file.read_text("utf-8") != text
    done = run("build", games, "--out", tmp_path / "site", code=2)
    assert "line 4: case 'order-2': field worth: that of coalition 3 lies outside -1e+100 to 1e+100" in done.stderr


def test_folder_that_is_not_ours_is_bad_input(games, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    refused("build", games, "--out", tmp_path / "mine", message="was not written by Agent Blame")


def test_file_that_is_no_report_is_bad_input(games, tmp_path):
    (tmp_path / "notes.html").write_text("mine")
    refused("report", games, "--out", tmp_path / "notes.html", message="is not a report")


def test_missing_option_is_a_usage_error(games):
    refused("build", games, message="Missing option '--out'")


def test_unknown_command_is_a_usage_error():
    refused("frobnicate", message="No such command")


def test_serving_a_folder_without_a_site_is_bad_input(tmp_path):
    refused("serve", tmp_path, message="holds no index.html")


def test_serving_on_a_taken_port_is_bad_input(games, tmp_path):
    run("build", games, "--out", tmp_path / "site")
    with cli.server(tmp_path / "site", 0) as running:
        refused("serve", tmp_path / "site", "--port", running.server_address[1], message="cannot be used")


@pytest.fixture
def failing_command():
    names = []

    def add(error):
        def fail():
            raise error

        names.append("fail")
        main.add_command(click.Command("fail", callback=fail))

    yield add
    for name in names:
        main.commands.pop(name)


def test_internal_error_is_one_line_with_the_way_to_more(failing_command, monkeypatch):
    monkeypatch.delenv("AGENTBLAME_DEBUG", raising=False)
    failing_command(RuntimeError("several\nlines"))
    done = run("fail", code=1)
    assert done.stderr == "Internal error: RuntimeError: several lines (set AGENTBLAME_DEBUG=1 for the traceback)\n"


def test_internal_error_shows_its_traceback_when_asked(failing_command, monkeypatch):
    monkeypatch.setenv("AGENTBLAME_DEBUG", "1")
    failing_command(RuntimeError("why"))
    done = invoke("fail")
    assert done.exit_code == 1
    assert "Traceback" in done.stderr


def test_interrupt_has_its_own_exit_code(failing_command):
    failing_command(KeyboardInterrupt())
    done = run("fail", code=130)
    assert done.stderr.endswith("Interrupted.\n")


def test_partial_result_has_its_own_exit_code(failing_command):
    failing_command(click.exceptions.Exit(3))
    run("fail", code=3)


def test_console_that_cannot_show_a_character_ends_no_run(tmp_path):
    games = write_all(hostile_files(), tmp_path / "games-\u65e5\u672c")
    for encoding in ("ascii", "cp1252"):
        running = process("build", games, "--out", tmp_path / "s\u2713", PYTHONIOENCODING=encoding)
        out, err = running.communicate(timeout=60)
        assert (running.returncode, err) == (0, b"")
        assert b"index.html" in out


def test_reader_that_goes_away_is_no_error(games):
    with process("show", games, "--json") as running:
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no disk that is always full")
def test_standard_output_that_is_full_is_told_in_one_line(games):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-c", RUN, "show", str(games)]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"Error: cannot write to standard output: No space left on device.\n"


def test_site_at_the_root_of_a_disk_is_bad_input(games):
    refused("build", games, "--out", "/", message="is the root of a disk")


BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name in ("analyzer.lattice", "analyzer.memory", "analyzer.batch", "analyzer.engines", "analyzer.abduction"):
            raise AssertionError(f"{name} was imported")
sys.meta_path.insert(0, Blocked())
from pathlib import Path
from analyzer.game_file import read_folder
from analyzer.pipeline import Pipeline
from site_builder import plan_report, plan_site, write_report, write_site
def never(*arguments, **named):
    raise AssertionError("a pipeline was made")
Pipeline.__init__ = never
games, out = map(Path, sys.argv[1:])
files = read_folder(games)
write_site(plan_site(files), out / "site")
write_report(plan_report(files), out / "report.html")
"""


def test_site_is_built_from_game_files_without_anything_that_runs_a_pipeline(games, tmp_path):
    command = [sys.executable, "-c", BLOCKED, str(games), str(tmp_path / "out")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out" / "site" / "index.html").is_file()


@contextmanager
def served(folder):
    with cli.server(folder, 0) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running.server_address[1]
        running.shutdown()


def answered(port, path, host="127.0.0.1"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={"Host": host})
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.fixture
def site(games, tmp_path):
    run("build", games, "--out", tmp_path / "site")
    return tmp_path / "site"


@pytest.mark.parametrize("path", ["/index.html%00", "/%00", "/data/", "/../games/", "/%2e%2e/secret.txt"])
def test_address_that_is_no_file_of_the_site_is_not_found(site, path):
    (site.parent / "secret.txt").write_text("secret")
    with served(site) as port:
        assert answered(port, path)[0] == 404


def test_link_that_leads_out_of_the_site_is_not_followed(site):
    (site.parent / "secret.txt").write_text("secret")
    (site / "out.txt").symlink_to("../secret.txt")
    (site / "in.txt").symlink_to("robots.txt")
    with served(site) as port:
        assert answered(port, "/out.txt")[0] == 404
        assert answered(port, "/in.txt")[0] == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:8000", 200), ("LOCALHOST", 200), ("[::1]:80", 200), ("evil.example:8000", 421), ("", 421)],
)
def test_only_names_of_this_machine_are_answered(site, host, status):
    with served(site) as port:
        assert answered(port, "/index.html", host)[0] == status


def test_served_site_is_the_one_built_last(games, site, monkeypatch):
    monkeypatch.chdir(site)
    with served(Path(".")) as port:
        monkeypatch.chdir(site.parent)
        before = answered(port, "/index.html")
        write_all(hostile_files(), games)
        run("build", games, "--out", site)
        after = answered(port, "/index.html")
    assert before[0] == after[0] == 200
    assert before[1] != after[1]


def test_serve_shows_the_site_until_interrupted(games, tmp_path):
    run("build", games, "--out", tmp_path / "site")
    running = process("serve", tmp_path / "site", "--port", "0", PYTHONUNBUFFERED="1")
    assert running.stdout is not None
    address = running.stdout.readline().split()[0].decode()
    assert address.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(address + "scenarios/refund-policy-a.html") as answer:
        assert b"Refund policy" in answer.read()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(address + "data/")
    time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=30)
    assert running.returncode == 0
