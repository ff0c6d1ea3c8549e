import pytest

from analyzer.settings import FILE_NAME, Settings, SettingsError, read_settings

FIELDS = {"title": str, "quiet": bool, "env": list, "patterns": dict}


def written(folder, text):
    (folder / FILE_NAME).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return read_settings()


def refused(folder, text):
    with pytest.raises(SettingsError) as raised:
        written(folder, text).table("site", FIELDS)
    return str(raised.value)


def test_without_a_file_every_table_is_empty(folder):
    assert read_settings() == Settings()
    assert read_settings().table("site", FIELDS) == {}


def test_file_is_found_in_the_working_folder(folder):
    settings = written(folder, '[site]\ntitle = "Blåme"\nquiet = true\nenv = ["A"]\npatterns = { a = "b" }\n')
    table = settings.table("site", FIELDS)
    assert table == {"title": "Blåme", "quiet": True, "env": ["A"], "patterns": {"a": "b"}}
    assert settings.table("redact", FIELDS) == {}


def test_named_file_is_read_instead(folder):
    written(folder, '[site]\ntitle = "here"\n')
    (folder / "other.toml").write_text('[site]\ntitle = "there"\n')
    assert read_settings(folder / "other.toml").table("site", FIELDS) == {"title": "there"}


def test_named_file_that_is_missing_is_refused(folder):
    with pytest.raises(SettingsError, match=r"mine\.toml: there is no such file"):
        read_settings(folder / "mine.toml")


def test_files_a_field_names_are_looked_up_beside_the_settings(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "other.toml").write_text("")
    assert read_settings(folder / "sub" / "other.toml").place("logo.svg") == folder / "sub" / "logo.svg"


def test_mark_at_the_start_of_the_file_is_no_part_of_it(folder):
    assert written(folder, b'\xef\xbb\xbf[site]\ntitle = "a"\n').table("site", FIELDS) == {"title": "a"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[sites]\ntitle = "a"',
            "agentblame.toml: table [sites]: is unknown; did you mean [site]? (known: [redact], [site]).",
        ),
        ("[zzz]", "agentblame.toml: table [zzz]: is unknown (known: [redact], [site])."),
        ('title = "a"', "agentblame.toml: field title: is unknown (known: [redact], [site])."),
        ('site = "a"', "agentblame.toml: site: is not a table. Write [site] in a line of its own."),
        (
            '[site]\ntitel = "a"',
            "agentblame.toml: table [site], field titel: is unknown; did you mean title? "
            "(known: env, patterns, quiet, title).",
        ),
        ("[site]\ntitle = 3", "agentblame.toml: table [site], field title: is not a text."),
        ('[site]\nquiet = "yes"', "agentblame.toml: table [site], field quiet: is not true or false."),
        ('[site]\nenv = "A"', "agentblame.toml: table [site], field env: is not a list of texts."),
        ("[site]\nenv = [1]", "agentblame.toml: table [site], field env: is not a list of texts."),
        ("[site]\npatterns = { a = 1 }", "agentblame.toml: table [site], field patterns: is not a table of texts."),
    ],
)
def test_what_cannot_be_used_is_named_with_what_is_known(folder, text, message):
    assert refused(folder, text) == message


def test_text_that_is_not_toml_is_refused_with_its_line(folder):
    assert "is not TOML" in (said := refused(folder, '[site]\ntitle = "open\n'))
    assert "line 2" in said


def test_bytes_that_are_no_text_are_refused(folder):
    assert refused(folder, b"[site]\n\xff") == "agentblame.toml: is not UTF-8 text (byte 7)."


def test_nesting_without_end_is_refused(folder):
    assert "nested too deeply" in refused(folder, "site = " + "[" * 100_000)


def test_folder_in_place_of_the_file_is_refused(folder):
    (folder / FILE_NAME).mkdir()
    with pytest.raises(SettingsError, match=r"agentblame\.toml: cannot be read"):
        read_settings()
