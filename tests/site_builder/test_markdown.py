from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from site_builder.errors import SiteError
from site_builder.markdown import Part, parse, render

FRONT = '+++\ntitle = "T"\n+++\n'
TABLE = Part("table", (1, 2))
#: What `table` makes of it.
MADE = "<table><tr><td>1</td><td>2</td></tr></table>"


def made(body, **names):
    return str(render(parse("a.md", "a", FRONT + body), names, {"article:b": "b.html"}.get, table))


def table(part):
    cells = [f"<td>{value}</td>" for value in part.given]
    return Markup(f"<{part.macro}><tr>{''.join(cells)}</tr></{part.macro}>")


class Seen(HTMLParser):
    """What a browser would make of HTML: its elements, and its text without the line ends between them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


@given(st.text())
def test_inserted_text_is_text_whatever_it_holds(value):
    found = Seen(made("Before [{{ value }}] after.", value=value))
    assert [tag for tag, _ in found.tags if tag != "bdi"] == ["p"]
    shown = found.text.removeprefix("Before [").removesuffix("] after.")
    assert len(shown) == len(value)
    # Only what a page cannot hold, and what marks a place for text, is shown as U+FFFD.
    assert all(a == b or b == "\ufffd" for a, b in zip(value, shown, strict=True))


@pytest.mark.parametrize(
    "value", ["*bold* `code`", "# heading", "[x](article:b)", "<img src=x>", "{{ 7 * 7 }}", "&amp;"]
)
def test_markup_of_any_kind_in_a_value_is_shown_as_it_is(value):
    assert Seen(made("{{ value }}", value=value)).text == value


def test_value_cannot_put_another_value_in_its_place():
    assert "secret" not in made(
        "{{ value }}{% if false %}{{ hidden }}{% endif %}", value="\ue0000\ue001", hidden="secret"
    )
    assert made("{{ a }} {{ b }}", a="one", b="\ue0000\ue001").count("one") == 1


def test_numbers_stand_in_the_direction_of_their_sentence():
    assert made("{{ n }} and {{ text }}", n="−0.250", text="0.250 to 1") == "<p>−0.250 and <bdi>0.250 to 1</bdi></p>"


def test_tags_an_author_writes_are_text():
    assert Seen(made('<script>x</script>\n\n<p onclick="x">y</p>')).tags == [("p", {}), ("p", {})]


def test_block_is_freed_of_its_paragraph():
    assert made("Above\n{{ table }}\nbelow", table=TABLE) == f"<p>Above</p>\n{MADE}\n<p>below</p>"


def test_block_in_a_sentence_is_refused():
    with pytest.raises(SiteError, match=r"a\.md.*line of its own"):
        made("See {{ table }} here.", table=TABLE)


def test_link_is_resolved():
    assert made("[next](article:b)") == '<p><a href="b.html">next</a></p>'


@pytest.mark.parametrize(
    "body", ["[x](article:c)", "[x](c.html)", "[x](javascript:alert)", "<a@b.example>", "[x][1]\n\n[1]: elsewhere"]
)
def test_link_that_leads_nowhere_is_refused(body):
    with pytest.raises(SiteError, match=r"a\.md.*leads nowhere"):
        made(body)


def test_refusal_of_a_link_names_its_line():
    with pytest.raises(SiteError, match=r"a\.md, line 6: the link 'article:c'"):
        made("One\n\n[x](article:c)")


def test_value_in_the_title_of_a_link_is_refused():
    with pytest.raises(SiteError, match="no part of a link"):
        made('[x](article:b "{{ value }}")', value='" onclick="x')


def test_value_as_an_address_is_refused():
    with pytest.raises(SiteError, match="no part of a link"):
        made("[x]({{ value }})", value="javascript:alert")


def test_image_is_refused():
    with pytest.raises(SiteError, match="no images"):
        made("![x](y.png)")


@pytest.mark.parametrize("text", ["see https://x.example", "[x](http://x.example)", "`https://x`"])
def test_article_refers_to_no_network(text):
    with pytest.raises(SiteError, match=r"a\.md, line 5: no page refers to the network"):
        made(f"One\n{text}")


def test_undefined_name_is_an_error_at_its_line():
    with pytest.raises(SiteError, match=r"a\.md, line 6: 'figure' is undefined"):
        made("One\n\n{{ figure }}")


def test_undefined_entry_is_an_error_at_its_line():
    with pytest.raises(SiteError, match=r"a\.md, line 5: .*no attribute 'rank'"):
        made("One\n{{ values['rank'] }}", values={"search": "1"})


def test_undefined_name_in_a_condition_is_an_error():
    with pytest.raises(SiteError, match="'figure' is undefined"):
        made("{% if figure %}x{% endif %}")


def test_syntax_error_is_named_with_its_line():
    with pytest.raises(SiteError, match=r"a\.md, line 6"):
        made("One\n\n{% if %}")


def test_error_of_a_function_is_named_with_the_line_that_calls_it():
    def code(path):
        raise SiteError(f"{path}: is not there")

    with pytest.raises(SiteError, match=r"a\.md, line 5: x\.py: is not there"):
        made("One\n{{ code('x.py') }}", code=code)


@pytest.mark.parametrize("value", [None, True, [1], {}])
def test_what_is_no_text_and_no_number_is_refused(value):
    with pytest.raises(SiteError, match=r"a\.md, line 4: .* cannot be shown"):
        made("{{ value }}", value=value)


def test_heading_has_an_id_of_its_article():
    assert Seen(made("## Two words\n\n## Two words")).tags == [
        ("h2", {"id": "p=a.two-words"}),
        ("h2", {"id": "p=a.two-words_1"}),
    ]


def test_code_and_tables_can_be_reached_and_scrolled_by_keyboard():
    found = Seen(made("| a |\n|---|\n| b |\n\n```python\nx = 1 < 2\n```"))
    reachable = [tag for tag, given in found.tags if given.get("tabindex") == "0"]
    assert reachable == ["div", "pre"]
    assert "x = 1 < 2" in found.text


@pytest.mark.parametrize("text", ["", "Text", "+++\ntitle = 'x'\n", '\n+++\ntitle = "x"\n+++\n'])
def test_article_without_front_matter_is_refused(text):
    with pytest.raises(SiteError, match=r"a\.md: begins with no front matter"):
        parse("a.md", "a", text)


def test_front_matter_that_is_no_toml_is_refused_with_its_line():
    with pytest.raises(SiteError, match=r"a\.md: .* line 3"):
        parse("a.md", "a", '+++\ntitle = "x"\nsummary 1\n+++\n')
