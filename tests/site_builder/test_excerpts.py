import ast
from pathlib import Path

import pytest

from site_builder import assets, excerpts
from site_builder.errors import SiteError
from site_builder.excerpts import excerpt

ROOT = Path(__file__).resolve().parents[2]


def text_of(found):
    return "\n".join(text for _, text in found.lines)


def assert_as_in_the_file(found):
    lines = (ROOT / found.path).read_text("utf-8").splitlines()
    for number, text in found.lines:
        assert number is None or lines[number - 1].strip() == text.strip()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("analyzer/game.py", "landmarks"),
        ("analyzer/game.py", "Game"),
        ("analyzer/game.py", "RULES"),
        ("site_builder/links.py", "Links.article"),
        ("static/js/dom.js", "pager"),
        ("static/js/rules/shapley.js", "shapley"),
    ],
)
def test_lines_are_those_of_the_file(path, name):
    found = excerpt(path, name)
    assert found.lines
    assert_as_in_the_file(found)
    assert found.caption == f"{path}, lines {found.first} to {found.last}"


def test_every_function_of_the_rules_can_be_shown():
    for path in sorted((ROOT / "analyzer" / "rules").glob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                found = excerpt(f"analyzer/rules/{path.name}", node.name)
                assert found.last == node.end_lineno
                assert_as_in_the_file(found)


def test_method_is_shown_without_the_indentation_of_its_class():
    found = excerpt("analyzer/game.py", "Game.alone")
    assert found.lines[0][1].startswith("def alone(")
    assert found.lines[-1][1].startswith("    return ")


def test_property_is_shown_with_its_decorator():
    assert text_of(excerpt("analyzer/game.py", "Game.withheld")).startswith("@property\ndef withheld")


def test_long_docstring_is_left_away_and_the_gap_is_marked():
    found = excerpt("analyzer/rules/fix_alone.py", "fix_alone")
    assert '"""' not in text_of(found)
    assert found.lines[1] == (None, "    …")


def test_short_docstring_stays():
    assert '"""Return v without any fix' in text_of(excerpt("analyzer/game.py", "Game.alone"))


def test_comment_above_a_constant_is_shown_with_it():
    assert text_of(excerpt("analyzer/game.py", "RULES")).startswith("#: The rules")


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Return a function that shows `name` of a script with the text given."""
    monkeypatch.setattr(assets, "folder", lambda name: tmp_path / name)

    def show(text, name="f"):
        path = tmp_path / "static" / "js" / "x.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return excerpts.excerpt("static/js/x.js", name)

    return show


@pytest.mark.parametrize(
    "inside",
    [
        'const a = "}";',
        "const a = '\\'}';",
        "const a = `}${ 1 }`;",
        "// }",
        "/* } */",
        "const a = b.replace(/[}/]/g, 1);",
        "return /\\}/.test(a);",
        "if (a) { b(); }",
        "const { c, d } = a;",
    ],
)
def test_function_of_a_script_ends_at_its_own_bracket(script, inside):
    found = script(f"function f(a) {{\n  {inside}\n}}\nfunction g() {{\n}}\n")
    assert (found.first, found.last) == (1, 3)


def test_brackets_in_parameters_do_not_end_a_function(script):
    assert script("  function f({ a, b } = {}, c) {\n    return a;\n  }\n").last == 3


@pytest.mark.parametrize("name", ["g", "ff", "f.a"])
def test_function_that_is_not_in_a_script_is_refused(script, name):
    with pytest.raises(SiteError, match=r"static/js/x\.js: defines no"):
        script("function f() {\n}\n", name)


def test_function_that_is_there_twice_is_refused(script):
    with pytest.raises(SiteError, match="defines 'f' 2 times"):
        script("function f() {\n}\nfunction f() {\n}\n")


def test_function_without_an_end_is_refused(script):
    with pytest.raises(SiteError, match="no end"):
        script("function f() {\n")


@pytest.mark.parametrize("name", ["nothing", "Game.nothing", "landmarks.grand", "Game.alone.player"])
def test_name_that_a_module_does_not_define_is_refused(name):
    with pytest.raises(SiteError, match=r"analyzer/game\.py: defines no"):
        excerpt("analyzer/game.py", name)


def test_file_that_is_not_there_is_refused():
    with pytest.raises(SiteError, match=r"analyzer/nowhere\.py: is not there"):
        excerpt("analyzer/nowhere.py", "x")


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "analyzer/../pyproject.toml", "tests/conftest.py", "analyzer/py.typed"]
)
def test_only_sources_that_ship_can_be_shown(path):
    with pytest.raises(SiteError, match="is no source that can be shown"):
        excerpt(path, "x")
