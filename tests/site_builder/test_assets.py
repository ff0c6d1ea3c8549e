"""Each script of a page finds what it uses ready, and a folder of scripts knows only of those before it."""

from __future__ import annotations

import re
from itertools import groupby

import pytest

from site_builder.assets import article_scripts, folder, report_scripts, scripts, static, widget_script

COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
DEFINED = re.compile(r"\bAgentBlame\.([A-Za-z0-9]+) =[^=]")
#: At the top of a script, where it runs as the script is loaded; within a function, it runs when all are.
TAKEN_APART = re.compile(r"^  const \{([^}]*)\} = AgentBlame;", re.MULTILINE)
TAKEN_FROM = re.compile(r"^  (?:const .* = )?AgentBlame\.([A-Za-z0-9]+)(?:;|\.)", re.MULTILINE)
ANYWHERE = re.compile(r"\bAgentBlame\.([A-Za-z0-9]+)")
#: What the first script makes.
FROM_THE_START = {"rules", "widgets"}

#: The other scripts of their folder are what widgets build on.
WIDGETS = tuple(
    sorted(
        path.stem.replace("_", "-")
        for path in (folder("static") / "js" / "widgets").glob("*.js")
        if "AgentBlame.widgets[" in path.read_text("utf-8")
    )
)


def text(path: str) -> str:
    return COMMENT.sub("", static(path).decode())


def taken_apart(source: str) -> set[str]:
    names = (name.split(":")[0].strip() for found in TAKEN_APART.findall(source) for name in found.split(","))
    return {name for name in names if name}


def used_while_loading(source: str) -> set[str]:
    return taken_apart(source) | set(TAKEN_FROM.findall(source))


def used(source: str) -> set[str]:
    return taken_apart(source) | set(ANYWHERE.findall(source))


def own(paths: tuple[str, ...]) -> list[str]:
    """Return the scripts that are the page's own, and no rule: rules are apart, and are loaded in any order."""
    return [path for path in paths if not path.startswith(("vendor/", "js/rules/"))]


def folders(paths: list[str]) -> list[str]:
    """Return the folder of each script, in turn; empty for one beside the folders."""
    return [path.removeprefix("js/").rpartition("/")[0] for path in paths]


@pytest.mark.parametrize("paths", [scripts(), article_scripts(WIDGETS[:1]), report_scripts(WIDGETS)])
def test_script_uses_while_it_is_loaded_only_what_scripts_before_it_define(paths):
    ready, asked, missing = set(FROM_THE_START), 0, []
    for path in own(paths):
        source = text(path)
        wanted = used_while_loading(source)
        missing += [(path, name) for name in sorted(wanted - ready)]
        asked += len(wanted)
        ready |= set(DEFINED.findall(source))
    assert missing == []
    assert asked > 3


def test_scripts_of_a_folder_are_loaded_one_after_another():
    runs = [name for name, _ in groupby(folders(own(scripts())))]
    within = [name for name in runs if name]
    assert len(within) == len(set(within)) > 5
    # Beside the folders lie what comes before all of them and what comes after.
    assert runs[0] == runs[-1] == ""
    assert runs.count("") == 2


def test_script_uses_only_its_own_folder_and_those_before_it():
    """A name of a later folder would be there when a function runs, yet what comes first is to do without it."""
    paths = own(scripts())
    places = zip(folders(paths), paths, strict=True)
    runs = [[path for _, path in run] for _, run in groupby(places, lambda place: place[0])]
    turns = {path: turn for turn, run in enumerate(runs) for path in run}
    defined = {name: turns[path] for path in paths for name in DEFINED.findall(text(path))}
    known = {path: used(text(path)) & defined.keys() for path in paths}
    assert sum(map(len, known.values())) > 100
    later = [(path, name) for path, names in known.items() for name in sorted(names) if defined[name] > turns[path]]
    assert later == []


def test_every_name_that_a_script_uses_is_defined_by_one():
    paths = own(report_scripts(WIDGETS))
    defined = FROM_THE_START.union(*(DEFINED.findall(text(path)) for path in paths))
    assert {name for path in paths for name in used(text(path))} - defined == set()


def test_every_script_of_the_folder_is_loaded():
    static_files = folder("static")
    there = {path.relative_to(static_files).as_posix() for path in (static_files / "js").rglob("*.js")}
    assert there - set(report_scripts(WIDGETS)) == {"js/scripted.js"}
    assert set(map(widget_script, WIDGETS)) - there == set()
