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
from analyzer.fingerprint import fingerprint
from analyzer.scenarios import stochastic_rag
from analyzer.versions import source
from analyzer.versions.own_modules import is_own
from analyzer.versions.source import files_opened_by, source_text
from tests.conftest import forget_modules

FOLDERS = itertools.count()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write the files of a project into a folder of its own and return the text of a function of it."""

    def text(files, run="bot:answer", of=source_text):
        folder = tmp_path / str(next(FOLDERS))
        write(folder, files)
        forget_modules(tmp_path)
        roots = [str(folder), *(str(path) for path in folder.rglob("site-packages"))]
        monkeypatch.setattr(sys, "path", [*roots, *ORIGINAL])
        importlib.invalidate_caches()
        module, _, name = run.partition(":")
        return of(eval(name, vars(importlib.import_module(module))))

    yield text
    forget_modules(tmp_path)


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
    "what a function of a module finds for names that it lacks": (
        {
            "bot.py": "import prompts\ndef answer(case): return prompts.ANSWER",
            "prompts.py": "TEXTS = {'ANSWER': 'a'}\ndef __getattr__(name):\n    return TEXTS[name]",
        },
        {"prompts.py": "TEXTS = {'ANSWER': 'b'}\ndef __getattr__(name):\n    return TEXTS[name]"},
    ),
    "what a dict makes of keys that it lacks": (
        {
            "bot.py": "from texts import TEXTS\ndef answer(case): return TEXTS[case]",
            "texts.py": "from collections import defaultdict\nTEXTS = defaultdict(lambda: 'a')",
        },
        {"texts.py": "from collections import defaultdict\nTEXTS = defaultdict(lambda: 'b')"},
    ),
    "a method of a list of functions": (
        {
            "bot.py": "from tools import TOOLS\ndef answer(case): return TOOLS.run(case)",
            "tools.py": "class Tools(list):\n    def run(self, case): return 1\nTOOLS = Tools([lambda: 1])",
        },
        {"tools.py": "class Tools(list):\n    def run(self, case): return 2\nTOOLS = Tools([lambda: 1])"},
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


# Each an object of another package that holds 'a'.
HOLDING = [
    "string.Template('a')",
    "types.SimpleNamespace(model='a')",
    "argparse.Namespace(model='a')",
    "collections.UserString('a')",
    "operator.itemgetter('a')",
    "operator.methodcaller('replace', 'x', 'a')",
    "operator.methodcaller('replace', x='a')",
    "array.array('u', 'a')",
    "itertools.cycle(['a'])",
    "contextvars.ContextVar('model', default='a')",
    "jinja2.Template('{{ case }}' 'a')",
    "jinja2.Environment(loader=jinja2.DictLoader({'answer': 'a'}))",
    "weakref.proxy(NAMED)",
    "weakref.ref(NAMED)",
    "configured('[bot]\\nmodel = ' 'a')",
    "kit.Client(headers={'x-model': 'a'})",
    "kit.Client(inner=kit.Client(model='a'))",
    "kit.Client(hook=lambda: 'a')",
    "kit.Client(model='a').send",
    "kit.Slotted('a')",
    "kit.Client(_model='a')",
    "typing.Literal['a']",
    "typing.Annotated[str, 'a']",
]
KIT = """
    class Client:
        def __init__(self, **told): vars(self).update(told)
        def send(self, case): return case
    class Slotted:
        __slots__ = ("__model",)
        def __init__(self, model): self.__model = model
"""


def holder(expression):
    return {
        "bot.py": "from settings import HELD\ndef answer(case): return HELD",
        "settings.py": f"""
            import argparse, array, collections, configparser, contextvars, io, itertools, operator, os, random
            import string, threading, time, types, typing, weakref
            import jinja2, numpy
            import kit
            NAMED = kit.Client(model='a')
            def configured(text):
                parser = configparser.ConfigParser()
                parser.read_string(text)
                return parser
            HELD = {expression}
        """,
        "lib/site-packages/kit.py": KIT,
    }


@pytest.mark.filterwarnings("ignore:Pickle, copy, and deepcopy support:DeprecationWarning")
@pytest.mark.parametrize("expression", HOLDING)
def test_what_an_object_of_another_package_holds_counts(project, expression):
    before = project(holder(expression))
    assert project(holder(expression)) == before
    changed = {name: text.replace("'a'", "'b'") for name, text in holder(expression).items()}
    assert project(changed) != before


@pytest.mark.parametrize(
    "expression",
    [
        "random.Random()",
        "numpy.random.default_rng()",
        "io.BytesIO(os.urandom(8))",
        "threading.Event()",
        "object()",
        "kit.Client(_sent=time.time_ns(), _at=time.time())",
        "kit.Client(_cache={'now': time.time_ns()}, lookup_cache=[time.time_ns()])",
        "kit.Client(api_key=str(time.time_ns()))",
        "kit.Client(one=random.Random(), two=[threading.Lock(), kit.Client(_sent=time.time_ns())])",
    ],
)
def test_what_differs_in_every_process_does_not_count(project, expression):
    assert project(holder(expression)) == project(holder(expression))


def test_an_object_of_another_package_is_looked_at_some_levels_deep(project):
    def nested(depth, model):
        return holder("kit.Client(inner=" * depth + f"'{model}'" + ")" * depth)

    assert project(nested(4, "a")) != project(nested(4, "b"))
    assert project(nested(40, "a")) == project(nested(40, "b"))


def test_an_object_of_another_package_is_not_asked_to_pickle_itself(project, capsys):
    kit = "class Shy:\n    __slots__ = ()\n    def __reduce__(self):\n        print('asked')"
    project({"bot.py": "import kit\nSHY = kit.Shy()\ndef answer(case): return SHY", "lib/site-packages/kit.py": kit})
    assert capsys.readouterr().out == ""


# Each the code around a module settings that holds what decides, and is itself a value.
HANDED_ON = {
    "to a function": "import settings\ndef ask(texts): return texts.A\ndef answer(case): return ask(settings)",
    "to a function, after a local": "import settings\ndef answer(case):\n    ask = case\n    return ask(ask, settings)",
    "to vars": "import settings\ndef answer(case): return vars(settings)['A']",
    "to getattr, of a package": "import kinds\ndef answer(case): return getattr(kinds.settings, case)",
    "to an object": "import settings\nclass Bot:\n    def __init__(self, texts): self.texts = texts\n"
    "    def answer(self, case): return self.texts.A\nanswer = Bot(settings).answer",
    "to a dict": "import settings\nALL = {'a': settings}\ndef answer(case): return ALL['a'].A",
    "as a default": "import settings\ndef answer(case, texts=settings): return texts.A",
    "inside a function": "def answer(case):\n    import settings\n    return getattr(settings, case)",
}


@pytest.mark.parametrize("way", HANDED_ON)
def test_a_module_handed_on_counts_with_all_that_it_holds(project, way):
    files = {"bot.py": HANDED_ON[way], "kinds.py": "import settings", "settings.py": "A = 'a'\ndef other(): return 1"}
    before = project(files)
    assert project(files) == before
    assert project(files | {"settings.py": "A = 'b'\ndef other(): return 1"}) != before
    assert project(files | {"settings.py": "A = 'a'\ndef other(): return 2"}) != before


def test_modules_that_a_module_handed_on_imports_are_not_followed(project):
    files = {
        "bot.py": "import settings\ndef answer(case): return vars(settings)",
        "settings.py": "import other",
        "other.py": "A = 'a'",
    }
    assert project(files) == project(files | {"other.py": "A = 'b'"})


# Each a module whose class reads settings.A, or is declared with it.
DECLARED = {
    "the default of a dataclass with slots": "import dataclasses, settings\n@dataclasses.dataclass(slots=True)\n"
    "class Kind:\n    text: str = settings.A",
    "what makes a default of a dataclass": "import dataclasses, settings\ndef make(): return settings.A\n"
    "@dataclasses.dataclass\nclass Kind:\n    text: str = dataclasses.field(default_factory=make)",
    "what a field of a dataclass carries": "import dataclasses, settings\n@dataclasses.dataclass\n"
    "class Kind:\n    text: str = dataclasses.field(metadata={'prompt': settings.A})",
    "the default of a pydantic model": "import pydantic, settings\nclass Kind(pydantic.BaseModel):\n"
    "    text: str = settings.A",
    "what makes a default of a pydantic model": "import pydantic, settings\ndef make(): return settings.A\n"
    "class Kind(pydantic.BaseModel):\n    text: str = pydantic.Field(default_factory=make)",
    "the description of a field of a pydantic model": "import pydantic, settings\nclass Kind(pydantic.BaseModel):\n"
    "    text: str = pydantic.Field(description=settings.A)",
    "a model nested in a pydantic model": "import pydantic, settings\nclass Inner(pydantic.BaseModel):\n"
    "    text: str = settings.A\nclass Kind(pydantic.BaseModel):\n    inner: list[Inner] | None",
    "the default of a named tuple": "import typing, settings\n"
    "class Kind(typing.NamedTuple):\n    text: str = settings.A",
    "a value of an enum": "import enum, settings\nclass Kind(enum.Enum):\n    ONE = [settings.A]",
    "a class named in an annotation": "import settings\nclass Inner:\n    text = settings.A\n"
    "class Kind:\n    inner: Inner",
    "a class named in an annotation that is a text": "from __future__ import annotations\nimport settings\n"
    "class Inner:\n    text = settings.A\nclass Kind:\n    inner: dict[str, Inner]",
    "an alias of an alternative": "import typing, settings\nLabel = typing.Literal['no', settings.A]\n"
    "class Kind(typing.TypedDict):\n    label: Label",
    "a kind of a typed dict": "import typing, settings\nclass Inner(typing.TypedDict):\n"
    "    label: typing.Annotated[str, settings.A]\nclass Kind(typing.TypedDict):\n    inner: 'Inner'",
    "the type of a parameter of a function": "import typing, settings\nLabel = typing.Literal[settings.A]\n"
    "def Kind(label: Label): return label",
    "a class named for a parameter of a function in a text": "import settings\nclass Inner:\n    text = settings.A\n"
    "def Kind(inner: 'Inner | None'): return inner",
}


@pytest.mark.parametrize("way", DECLARED)
def test_what_a_class_or_function_declares_counts(project, way):
    files = {"bot.py": "from kinds import Kind\ndef answer(case): return Kind", "kinds.py": DECLARED[way]}
    before = project(files | {"settings.py": "A = 'a'"})
    assert project(files | {"settings.py": "A = 'a'"}) == before
    assert project(files | {"settings.py": "A = 'b'"}) != before


# Each a way to read the variable BOT_MODEL.
READING = [
    "import os\ndef answer(case): return os.environ['BOT_MODEL']",
    "import os\ndef answer(case): return os.environ.get('BOT_MODEL', 'small')",
    "import os\ndef answer(case): return os.getenv('BOT_MODEL')",
    "import os\ndef answer(case): return [os.getenv('BOT_MODEL') for _ in case]",
    "import os\ndef answer(case): return 'BOT_MODEL' in os.environ",
    "import os\nNAME = 'BOT_MODEL'\ndef answer(case): return os.environ[NAME]",
    "from os import environ\ndef answer(case): return environ['BOT_MODEL']",
    "from os import getenv\ndef answer(case): return getenv('BOT_MODEL')",
    "def answer(case):\n    from os import environ\n    return environ.get('BOT_MODEL')",
    "import os\nclass Bot:\n    def ask(self): return os.environ['BOT_MODEL']\ndef answer(case): return Bot().ask()",
]


@pytest.mark.parametrize("code", READING)
def test_an_environment_variable_that_code_names_counts(project, code, monkeypatch):
    texts = []
    for value in (None, "small", "large"):
        if value is not None:
            monkeypatch.setenv("BOT_MODEL", value)
        texts.append(project({"bot.py": code}))
    assert len(set(texts)) == 3
    assert "large" not in texts[-1]
    monkeypatch.setenv("BOT_OTHER", "1")
    assert project({"bot.py": code}) == texts[-1]


@pytest.mark.parametrize("name", ["BOT_KEY", "BOT_TOKEN", "BOT_SECRET", "BOT_PASSWORD"])
@pytest.mark.parametrize(
    "held",
    [
        "None",
        "os.environ['NAME']",
        "{'model': 'small', 'key': os.environ['NAME']}",
        "{'Authorization': 'Bearer ' + os.environ['NAME']}",
        "types.SimpleNamespace(key=os.environ['NAME'])",
        "kit.Client(headers={'Authorization': 'Bearer ' + os.environ['NAME']})",
    ],
)
def test_a_secret_of_the_environment_does_not_count(project, name, held, monkeypatch):
    files = holder(held.replace("NAME", name))
    files["bot.py"] = f"import os\nfrom settings import HELD\ndef answer(case): return HELD, os.environ['{name}']"
    texts = []
    for secret in ("first-of-several", "second-of-several"):
        monkeypatch.setenv(name, secret)
        texts.append(project(files))
    assert texts[0] == texts[1]


def test_what_stands_beside_a_secret_counts(project, monkeypatch):
    monkeypatch.setenv("BOT_KEY", "first-of-several")
    files = [holder(f"{{'model': '{model}', 'key': os.environ['BOT_KEY']}}") for model in ("small", "large")]
    assert project(files[0]) != project(files[1])


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


CORPUS = """
    from search import search
    class Document:
        def __init__(self, text, index): self.text, self.index = text, index
    INDEX = []
    INDEX += [Document(str(at), OF) for at in range(6000)]
    def answer(case): return INDEX, search(case)
"""


@pytest.mark.parametrize("of", ["None", "INDEX"])
def test_many_objects_leave_room_for_the_code_behind_them(project, of):
    files = {
        "bot.py": CORPUS.replace("OF", of),
        "search.py": "import last\ndef search(case): return last.search(case)",
        "last.py": "def search(case): return 1",
    }
    assert project(files) != project(files | {"last.py": "def search(case): return 2"})


def test_the_last_of_many_plain_objects_counts(project):
    files = {"bot.py": CORPUS.replace("OF", "None"), "search.py": "def search(case): return 1"}
    assert project(files) != project(files | {"bot.py": files["bot.py"].replace("str(at)", "str(at % 5999)")})


TABLE = [[float(row), f"row {row}"] for row in range(5000)]


def first(case):
    return TABLE[0], second(case)


def second(case):
    return TABLE[1]


def test_a_large_table_is_written_out_once(monkeypatch):
    written = []

    def counting(value):
        written.append(value is TABLE)
        return fingerprint(value)

    monkeypatch.setattr("analyzer.versions.source.fingerprint", counting)
    monkeypatch.setattr("analyzer.versions.source._kept", type(source._kept)())
    for run in (first, second, first):
        source_text(run)
    assert sum(written) == 1


@pytest.mark.parametrize("other", [0, False, "0.0", -0.0, [0.0]])
def test_a_large_table_that_changed_is_seen_as_it_is_now(other):
    before = source_text(second)
    was, TABLE[0][0] = TABLE[0][0], other
    changed = source_text(second)
    TABLE[0][0] = was
    assert changed != before


def test_a_large_table_whose_rows_moved_is_seen_as_it_is_now():
    before = source_text(second)
    TABLE[0].append(TABLE[1].pop(0))
    changed = source_text(second)
    TABLE[1].insert(0, TABLE[0].pop())
    assert changed != before
    assert source_text(second) == before


def test_only_what_is_reached_is_imported(project):
    files = {
        "bot.py": "def answer(case):\n    import json\n    return case.prompts",
        "prompts.py": "raise RuntimeError",
    }
    assert "prompts" not in project(files).replace("case.prompts", "")


PORTABLE = {
    "bot.py": """
        import pathlib
        from rules import HELD, RULES, NAMES
        HERE = pathlib.Path(__file__).parent / "prompts"
        def answer(case):
            return HERE, __file__, HELD, RULES, NAMES
    """,
    "rules.py": """
        import random, types
        import jinja2
        class Rule:
            def __init__(self, name): self.name, self.own = name, self
        def one(case): return 1
        RULES = {Rule(name) for name in "abcdefgh"} | {one, len}
        NAMES = {"a", "b", "c"} | {Rule}
        HELD = jinja2.Environment(), types.SimpleNamespace(names={"a", "b"}, rules=RULES, random=random.Random())
    """,
    "show.py": "from analyzer.versions.source import source_text\nimport bot\nprint(source_text(bot.answer))",
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
        "from analyzer.scenarios.stochastic_rag import retrieve; from analyzer.versions.source import source_text; "
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


def test_files_that_code_opens_as_it_runs_are_told(project):
    files = {
        "bot.py": "from texts import prompt\nfrom prompts import TEXT\ndef answer(case): return prompt() + TEXT",
        "texts.py": "import functools, pathlib\n@functools.cache\ndef prompt(): return pathlib.Path('a').read_text()",
        "prompts.py": "import pathlib\nTEXT = pathlib.Path(__file__).read_bytes().decode()",
    }
    assert project(files, of=files_opened_by) == ("read_text",)
    assert project({**files, "texts.py": "def prompt(): return ''"}, of=files_opened_by) == ()
