import importlib
import itertools
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import analyzer
from analyzer.own_modules import is_own
from analyzer.scenarios import stochastic_rag
from analyzer.source import source_text

FOLDERS = itertools.count()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write the files of a project into a folder of its own and return the text of a function of it."""
    before = set(sys.modules)

    def forget():
        for name in set(sys.modules) - before:
            if str(tmp_path) in str(
                getattr(sys.modules[name], "__file__", None) or getattr(sys.modules[name], "__path__", "")
            ):
                del sys.modules[name]

    def text(files, run="bot:answer"):
        folder = tmp_path / str(next(FOLDERS))
        write(folder, files)
        forget()
        roots = [str(folder), *(str(path) for path in folder.rglob("site-packages"))]
        monkeypatch.setattr(sys, "path", [*roots, *ORIGINAL])
        importlib.invalidate_caches()
        module, _, name = run.partition(":")
        return source_text(eval(name, vars(importlib.import_module(module))))

    yield text
    forget()


ORIGINAL = list(sys.path)


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content))


# Each a project, and the same project with something changed that decides what bot.answer does.
CHANGES = {
    "a value of another module": (
        {"bot.py": "from prompts import ANSWER\ndef answer(case): return ANSWER", "prompts.py": "ANSWER = 'a'"},
        {"prompts.py": "ANSWER = 'b'"},
    ),
    "an attribute of another module": (
        {"bot.py": "import prompts\ndef answer(case): return prompts.ANSWER", "prompts.py": "ANSWER = 'a'"},
        {"prompts.py": "ANSWER = 'b'"},
    ),
    "an attribute of a module of a package": (
        {
            "bot.py": "import texts.prompts\ndef answer(case): return texts.prompts.ANSWER",
            "texts/__init__.py": "",
            "texts/prompts.py": "ANSWER = 'a'",
        },
        {"texts/prompts.py": "ANSWER = 'b'"},
    ),
    "a module of a package without a file of its own": (
        {
            "bot.py": "from texts import prompts\ndef answer(case): return prompts.ANSWER",
            "texts/prompts.py": "ANSWER = 'a'",
        },
        {"texts/prompts.py": "ANSWER = 'b'"},
    ),
    "a function that a function of another module calls": (
        {
            "bot.py": "from middle import ask\ndef answer(case): return ask(case)",
            "middle.py": "import last\ndef ask(case): return last.reply(case)",
            "last.py": "def reply(case): return 1",
        },
        {"last.py": "def reply(case): return 2"},
    ),
    "a value imported inside the function": (
        {
            "bot.py": "def answer(case):\n    from prompts import ANSWER\n    return ANSWER",
            "prompts.py": "ANSWER = 'a'",
        },
        {"prompts.py": "ANSWER = 'b'"},
    ),
    "a module imported inside the function": (
        {
            "bot.py": "def answer(case):\n    import prompts\n    return [prompts.ANSWER for _ in case]",
            "prompts.py": "ANSWER = 'a'",
        },
        {"prompts.py": "ANSWER = 'b'"},
    ),
    "a method of a class of another module": (
        {
            "bot.py": "from desk import Desk\ndef answer(case): return Desk().reply(case)",
            "desk.py": "class Desk:\n    def reply(self, case):\n        return 1",
        },
        {"desk.py": "class Desk:\n    def reply(self, case):\n        return 2"},
    ),
    "a method of a base class": (
        {
            "bot.py": "from desk import Desk\nclass Own(Desk): pass\ndef answer(case): return Own().reply(case)",
            "desk.py": "class Desk:\n    def reply(self, case):\n        return 1",
        },
        {"desk.py": "class Desk:\n    def reply(self, case):\n        return 2"},
    ),
    "what a property of a class reads": (
        {
            "bot.py": "import prompts\nclass Desk:\n    @property\n    def text(self): return prompts.ANSWER\n"
            "def answer(case): return Desk().text",
            "prompts.py": "ANSWER = 'a'",
        },
        {"prompts.py": "ANSWER = 'b'"},
    ),
    "what an attribute of a class was set to": (
        {
            "bot.py": "import prompts\nclass Desk:\n    text = prompts.ANSWER\ndef answer(case): return Desk.text",
            "prompts.py": "ANSWER = 'a'",
        },
        {"prompts.py": "ANSWER = 'b'"},
    ),
    "a method of a dataclass in a table": (
        {
            "bot.py": "from tables import TABLE\ndef answer(case): return TABLE[0].text",
            "tables.py": "from kinds import Row\nTABLE = [Row('a')]",
            "kinds.py": "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Row:\n    name: str\n"
            "    @property\n    def text(self):\n        return self.name",
        },
        {
            "kinds.py": "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Row:\n    name: str\n"
            "    @property\n    def text(self):\n        return self.name + '!'"
        },
    ),
    "the value of a member of an enum": (
        {
            "bot.py": "from modes import MODE\ndef answer(case): return MODE.value",
            "modes.py": "import enum\nclass Mode(enum.Enum):\n    FAST = 1\nMODE = Mode.FAST",
        },
        {"modes.py": "import enum\nclass Mode(enum.Enum):\n    FAST = 2\nMODE = Mode.FAST"},
    ),
    "the state of an object of another module": (
        {
            "bot.py": "from desk import DESK\ndef answer(case): return DESK.reply(case)",
            "desk.py": "import threading\nclass Desk:\n    def __init__(self, text):\n"
            "        self.text, self.lock = text, threading.Lock()\n    def reply(self, case): return self.text\n"
            "DESK = Desk('a')",
        },
        {
            "desk.py": "import threading\nclass Desk:\n    def __init__(self, text):\n"
            "        self.text, self.lock = text, threading.Lock()\n    def reply(self, case): return self.text\n"
            "DESK = Desk('b')"
        },
    ),
    "the body of a decorator": (
        {
            "bot.py": "from politeness import polite\n@polite\ndef answer(case): return 1",
            "politeness.py": "import functools\ndef polite(run):\n    @functools.wraps(run)\n"
            "    def wrapper(case):\n        return run(case) + 1\n    return wrapper",
        },
        {
            "politeness.py": "import functools\ndef polite(run):\n    @functools.wraps(run)\n"
            "    def wrapper(case):\n        return run(case) + 2\n    return wrapper"
        },
    ),
    "a function behind a cache": (
        {
            "bot.py": "from desk import look_up\ndef answer(case): return look_up(case)",
            "desk.py": "import functools\n@functools.cache\ndef look_up(case): return 1",
        },
        {"desk.py": "import functools\n@functools.cache\ndef look_up(case): return 2"},
    ),
    "a function in a set": (
        {
            "bot.py": "import rules\ndef answer(case): return [rule(case) for rule in rules.RULES]",
            "rules.py": "def one(case): return 1\ndef two(case): return 2\nRULES = {one, two}",
        },
        {"rules.py": "def one(case): return 1\ndef two(case): return 3\nRULES = {one, two}"},
    ),
    "the text of which a method is kept": (
        {
            "bot.py": "from prompts import fill\ndef answer(case): return fill(case)",
            "prompts.py": "fill = 'a{}'.format",
        },
        {"prompts.py": "fill = 'b{}'.format"},
    ),
    "the second line of a lambda": (
        {"bot.py": "answer = (lambda case: (case,\n    'a'))\n"},
        {"bot.py": "answer = (lambda case: (case,\n    'b'))\n"},
    ),
    "a constant of code without a file": (
        {"bot.py": "exec('def answer(case): return [(lambda: \"a\")()]')"},
        {"bot.py": "exec('def answer(case): return [(lambda: \"b\")()]')"},
    ),
    "the text that a function without code carries": (
        {"bot.py": "def answer(case):\n    '''Reply\n    briefly.'''"},
        {"bot.py": "def answer(case):\n    '''Reply\n    at length.'''"},
    ),
    "an attribute of a function": (
        {
            "bot.py": "import prompts\ndef answer(case): return answer.text\nanswer.text = prompts.A",
            "prompts.py": "A = 1",
        },
        {"prompts.py": "A = 2"},
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_text_changes_with(project, change):
    files, changed = CHANGES[change]
    before = project(files)
    assert project(files) == before
    assert project(files | changed) != before


def test_what_the_code_does_not_name_in_a_module_does_not_matter(project):
    files = {
        "bot.py": "import prompts\ndef answer(case): return prompts.ANSWER",
        "prompts.py": "ANSWER = 'a'\nOTHER = 'a'",
    }
    assert project(files) == project(files | {"prompts.py": "ANSWER = 'a'\nOTHER = 'b'"})


INSTALLED = {
    "bot.py": "import kit\nfrom kit import ask\ndef answer(case): return ask(case) + kit.ANSWER + kit.wrap(ask)(case)",
    "lib/site-packages/kit.py": "ANSWER = 'a'\ndef ask(case): return 1\ndef wrap(run): return run",
}


def test_what_a_dataclass_derives_from_its_text_is_no_part_of_it(project):
    row = "from dataclasses import dataclass\n@dataclass\nclass Row:\n    name: str\n"
    text = project({"bot.py": f"{row}def answer(case): return Row('a')"})
    assert "class Row" in text
    assert "__init__" not in text
    assert "__repr__" not in text


def test_a_function_of_somebody_elses_is_named_and_not_followed(project):
    changed = {"lib/site-packages/kit.py": "ANSWER = 'a'\ndef ask(case): return 2\ndef wrap(run): return ask"}
    before = project(INSTALLED)
    assert "ask: kit.ask" in before.split("\n")
    assert project(INSTALLED | changed) == before


def test_a_function_of_ones_own_is_followed_through_somebody_elses_decorator(project):
    files = {
        "bot.py": "from kit import again\nfrom prompts import A\n@again\ndef answer(case): return A",
        "lib/site-packages/kit.py": "import functools\ndef again(run):\n    @functools.wraps(run)\n"
        "    def wrapper(case):\n        return run(case)\n    return wrapper",
        "prompts.py": "A = 1",
    }
    before = project(files)
    assert "functools.wraps" not in before
    assert project(files | {"prompts.py": "A = 2"}) != before


def test_a_package_of_ones_own_is_followed_although_it_is_installed(project):
    files = {
        "lib/site-packages/bots/__init__.py": "",
        "lib/site-packages/bots/desk.py": "from bots.texts import prompts\ndef answer(case): return prompts.ANSWER",
        "lib/site-packages/bots/texts/prompts.py": "ANSWER = 'a'",
    }
    before = project(files, "bots.desk:answer")
    assert project(files | {"lib/site-packages/bots/texts/prompts.py": "ANSWER = 'b'"}, "bots.desk:answer") != before


@pytest.mark.parametrize(
    "body",
    [
        "from . import prompts\n    return prompts.ANSWER",
        "from .prompts import ANSWER\n    return ANSWER",
        "from .. import bots\n    from ..bots import prompts\n    return prompts.ANSWER",
        "from team.bots import prompts as texts\n    return texts.ANSWER",
    ],
)
def test_a_module_of_ones_own_package_imported_inside_a_function_is_followed(project, body):
    files = {
        "team/bots/__init__.py": "",
        "team/bots/desk.py": f"def answer(case):\n    {body}",
        "team/bots/prompts.py": "ANSWER = 'a'",
    }
    before = project(files, "team.bots.desk:answer")
    assert project(files | {"team/bots/prompts.py": "ANSWER = 'b'"}, "team.bots.desk:answer") != before


def test_a_module_that_fails_when_it_is_imported_inside_a_function_fails_nobody_here(project):
    files = {
        "bot.py": "def answer(case):\n    import broken, missing\n    from . import nothing\n    return 1",
        "broken.py": "raise SystemExit(1)",
    }
    assert "import broken" in project(files)


AWKWARD = """
    import functools, threading
    class Shy:
        def __getattribute__(self, name):
            raise RuntimeError("not now")
    class Liar:
        __class__ = property(lambda self: 1 / 0)
    class Slotted:
        __slots__ = ("one", "two")
    class Meta(type):
        __hash__ = None
    class Odd(metaclass=Meta):
        pass
    SHY, LIAR, SLOTTED, LOCK = Shy(), Liar(), Slotted(), threading.Lock()
    SLOTTED.one = SLOTTED
    CYCLE = [SLOTTED]
    CYCLE.append(CYCLE)
    SET = {len, functools.partial(print, CYCLE)}
    CHAIN = None
    for _ in range(3000):
        link = Slotted()
        link.one, CHAIN = CHAIN, link
    HUGE = 10 ** 5000
    def answer(case):
        return SHY, LIAR, SLOTTED, LOCK, CYCLE, SET, CHAIN, HUGE, Odd, answer, other
    def other(case):
        return answer
"""


def test_any_object_gets_a_text(project):
    text = project({"bot.py": AWKWARD})
    assert text == project({"bot.py": AWKWARD})
    assert "SHY: bot.Shy" in text.split("\n")
    assert "LIAR: bot.Liar" in text.split("\n")
    assert "return SHY, LIAR" in text
    assert " at 0x" not in text


def test_what_is_reached_beyond_some_thousand_objects_is_named(project):
    chains = [AWKWARD.replace("range(3000)", f"range({length})") for length in (30_000, 60_000)]
    nearer, farther = (project({"bot.py": chain}) for chain in chains)
    assert len(nearer) == len(farther)


def test_only_what_is_reached_is_imported(project):
    files = {
        "bot.py": "def answer(case):\n    import json\n    return case.prompts",
        "prompts.py": "raise RuntimeError",
    }
    assert "prompts" not in project(files).replace("case.prompts", "")


PORTABLE = {
    "bot.py": """
        import pathlib
        from rules import RULES, NAMES
        HERE = pathlib.Path(__file__).parent / "prompts"
        def answer(case):
            return HERE, __file__, RULES, NAMES
    """,
    "rules.py": """
        class Rule:
            def __init__(self, name): self.name, self.own = name, self
        def one(case): return 1
        RULES = {Rule(name) for name in "abcdefgh"} | {one, len}
        NAMES = {"a", "b", "c"} | {Rule}
    """,
    "show.py": "from analyzer.source import source_text\nimport bot\nprint(source_text(bot.answer))",
}


def test_text_is_the_same_in_every_process_and_in_every_folder(tmp_path):
    printed = set()
    for seed in "12":
        write(tmp_path / seed, PORTABLE)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()}
        command = [sys.executable, "show.py"]
        done = subprocess.run(
            command, cwd=tmp_path / seed, env=environment, capture_output=True, text=True, check=True, timeout=60
        )
        printed.add(done.stdout)
    assert len(printed) == 1
    assert str(tmp_path) not in printed.pop()


def test_a_bundled_pipeline_has_one_text_wherever_the_package_is_installed(tmp_path):
    installed = tmp_path / "site-packages"
    shutil.copytree(
        Path(analyzer.__file__).parent, installed / "analyzer", ignore=shutil.ignore_patterns("__pycache__")
    )
    show = (
        "from analyzer.scenarios.stochastic_rag import retrieve; from analyzer.source import source_text; "
        "import analyzer; print(analyzer.__file__); print(source_text(retrieve), end='')"
    )
    printed = subprocess.run(
        [sys.executable, "-c", show],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    place, _, text = printed.partition("\n")
    assert Path(place) == installed / "analyzer" / "__init__.py"
    assert text == source_text(stochastic_rag.retrieve)


def test_a_list_that_grew_is_seen_as_it_is_now():
    seen = []

    def run(case):
        seen.append(case)

    before = source_text(run)
    run("a")
    assert source_text(run) != before


@pytest.mark.parametrize(
    ("module", "root", "own"),
    [
        ("analyzer.noise", "bot", False),
        ("analyzer.scenarios.quickstart", "bot", False),
        ("analyzer.noise", "analyzer.scenarios.quickstart", False),
        ("analyzer.scenarios.stochastic_rag", "analyzer.scenarios.quickstart", True),
        ("analyzer.noise", "analyzer.noise", True),
        ("site_builder", "bot", False),
        ("json.decoder", "bot", False),
        ("builtins", "bot", False),
        ("itertools", "bot", False),
        ("numpy.random", "bot", False),
        ("__main__", "__main__", True),
    ],
)
def test_whose_a_module_is_follows_from_where_it_lies(module, root, own):
    assert is_own(module, root) is own


def test_a_bundled_pipeline_is_followed_into_its_corpus_and_not_into_the_analyzer():
    text = source_text(stochastic_rag.retrieve)
    assert "class Passage" in text
    assert "class Draws" not in text
