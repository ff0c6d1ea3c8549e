"""All commands, one after the other, on two machines that have little in common: what they write is the same."""

import base64
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.game_file import read_folder

ROOT = Path(__file__).resolve().parents[2]

# The second case fails, too, and its output holds half a character.
DESK = """
from pathlib import Path
from analyzer import Fix, Pipeline, Step

def answer(case):
    with Path("calls.txt").open("a", encoding="ascii") as stream:
        stream.write("answer\\n")
    return case["said"] + " \U0001f643"

def check(answer):
    with Path("calls.txt").open("a", encoding="ascii") as stream:
        stream.write("check\\n")
    return answer + " \ud800 ?"

desk = Pipeline(
    "desk",
    title="Desk \U0001f4e6 \u2713",
    steps=[
        Step("answer", answer, fix=Fix("say \U0001f44d", lambda case: "right")),
        Step("check", check, fix=Fix("look \u65e5\u672c", lambda answer: answer)),
    ],
    score=lambda check: check == "right",
)
""".replace("\ud800", "\\ud800")
CASES = [{"id": "caf\u00e9 \U0001f600", "said": "tea"}, {"id": "two \u0645\u0631\u062d\u0628\u0627", "said": "wrong"}]

GAMES, SITE, REPORT = "games \u2713", "site \U0001f4e6", "report \u65e5.html"
ANALYZE = ["analyze", "desk.py:desk", "--cases", "cases.jsonl", "--worlds", "2", "--out", GAMES]
# Nothing of these may run a step.
FROM_FILES = [
    ["validate", GAMES],
    ["show", GAMES, "--cases"],
    ["show", GAMES, "--json"],
    ["build", GAMES, "--out", SITE],
    ["report", GAMES, "--out", REPORT],
    ["publish", SITE],
    ["publish", SITE, "--check"],
    ["publish", REPORT, "--check"],
]

RUN = """
import json, sys, time
real, later = time.time, float(sys.argv[1])
time.time = lambda: real() + later
from site_builder.cli import main
codes = []
for arguments in json.loads(sys.argv[2]):
    try:
        main(arguments, prog_name="agentblame")
    except SystemExit as end:
        codes.append(end.code)
json.dump(codes, open(sys.argv[3], "w", encoding="ascii"))
"""

# A machine of today, and one whose console and disk know ASCII or Windows' letters only.
MACHINES = {
    "one": ({"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0"}, 0),
    "cp1252": (
        {
            "LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "4711", "PYTHONIOENCODING": "cp1252",
            "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        },
        400 * 24 * 3600,
    ),
    "ascii": (
        {
            "LC_ALL": "C", "TZ": "America/St_Johns", "PYTHONHASHSEED": "17", "PYTHONIOENCODING": "ascii",
            "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
        },
        -7200,
    ),
}  # fmt: skip


class Machine:
    """A working folder in which commands were run, and what they printed."""

    def __init__(self, folder: Path, variables: dict[str, str], later: int) -> None:
        self.folder, self.variables, self.later = folder, variables, later
        folder.mkdir(parents=True)
        (folder / "desk.py").write_text(DESK, "utf-8")
        lines = [json.dumps(case, ensure_ascii=False) for case in CASES]
        (folder / "cases.jsonl").write_text("\n".join(lines) + "\n", "utf-8")

    def run(self, commands: list[list[str]]) -> tuple[bytes, bytes]:
        """Run commands in one process, all of which must succeed; returns both outputs."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
        environment |= {"PYTHONPATH": str(ROOT), **self.variables}
        codes = self.folder / "codes.json"
        done = subprocess.run(
            [sys.executable, "-c", RUN, str(self.later), json.dumps(commands, ensure_ascii=False), str(codes)],
            cwd=self.folder, env=environment, capture_output=True, check=False, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert json.loads(codes.read_text("ascii")) == [0] * len(commands), done.stderr
        codes.unlink()
        return done.stdout, done.stderr

    def tree(self) -> dict[str, bytes]:
        """Return every file of what was written, by path."""
        found = [path for place in (GAMES, SITE) for path in (self.folder / place).rglob("*") if path.is_file()]
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in [*found, self.folder / REPORT]}


@pytest.fixture(scope="module")
def machines(tmp_path_factory) -> dict[str, tuple[Machine, bytes, bytes]]:
    """Run everything on each machine, each in a folder of its own."""
    found = {}
    for name, (variables, later) in MACHINES.items():
        machine = Machine(tmp_path_factory.mktemp(name) / "deep" / name, variables, later)
        found[name] = (machine, *machine.run([ANALYZE, *FROM_FILES]))
    return found


def test_game_files_site_and_report_are_the_same_to_the_byte(machines):
    trees = {name: machine.tree() for name, (machine, _, _) in machines.items()}
    assert len(trees["one"]) > 40
    for name in ("cp1252", "ascii"):
        assert list(trees[name]) == list(trees["one"])
        assert [path for path in trees["one"] if trees[name][path] != trees["one"][path]] == []


def test_files_are_utf_8_with_every_emoji_whatever_the_console_knows(machines):
    machine = machines["cp1252"][0]
    for path, content in machine.tree().items():
        if not path.endswith((".png", ".gz")):
            content.decode("utf-8")
    page = (machine.folder / SITE / "scenarios" / "desk.html").read_text("utf-8")
    for text in ("Desk \U0001f4e6 \u2713", "caf\u00e9 \U0001f600", "say \U0001f44d", "tea \U0001f643"):
        assert text in page


@pytest.mark.parametrize(("name", "kept"), [("cp1252", "caf\u00e9 ?"), ("ascii", "caf? ?")])
def test_console_shows_a_question_mark_for_what_it_cannot_show(machines, name, kept):
    _, out, err = machines[name]
    shown = out.decode(name)
    assert "Desk ? ?" in shown
    assert f"case {kept}" in shown
    assert b"Traceback" not in out + err


def test_half_a_character_ends_no_run_and_is_shown_as_a_replacement(machines):
    machine = machines["one"][0]
    outputs = [
        output.text
        for file in read_folder(machine.folder / GAMES)
        for case in file.cases
        for step in case.steps
        for output in step.outputs
    ]
    assert "tea \U0001f643 \ufffd ?" in outputs
    assert not re.search("[\ud800-\udfff]", "".join(outputs))
    texts = []
    for chunk in (machine.folder / SITE / "data" / "desk").glob("caf*.js"):
        packed = re.search(r'", "([^"]+)"\);', chunk.read_text("ascii"))[1]
        texts += json.loads(gzip.decompress(base64.b64decode(packed)))["texts"]
    assert "tea \U0001f643 \ufffd ?" in texts


def test_everything_after_the_analysis_runs_no_step_and_needs_no_pipeline(tmp_path):
    variables, later = MACHINES["one"]
    machine = Machine(tmp_path / "desk", variables, later)
    machine.run([ANALYZE])
    calls = machine.folder / "calls.txt"
    assert calls.read_text("ascii").count("\n") > 4
    for name in ("desk.py", "cases.jsonl", "calls.txt"):
        (machine.folder / name).unlink()
    machine.run(FROM_FILES)
    assert not calls.exists()
    assert (machine.folder / SITE / "index.html").is_file()
