import base64
import contextlib
import json
import logging
import re
import sys
import threading
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.batch import analyze
from analyzer.game_file import check_arithmetic, dumps, read_folder
from analyzer.game_file_checks import check_structure
from analyzer.pipeline import Case, Fix, Pipeline, Score, Step
from analyzer.plan import Plan
from analyzer.redacted_games import Redaction, texts_of
from analyzer.redacted_output import guarded_output
from analyzer.redaction import Redactor, excerpt, redactor_of
from analyzer.secret_kinds import KINDS
from analyzer.settings import Settings, SettingsError, read_settings
from tests.command_line import run

KEY = "sk-proj-Q7" + "xJ2mVtR9wLc4ZpB8" * 2
VALUE = "correct horse/battery+staple"
REDACTOR = redactor_of(Settings(), {"VAULT_PASSWORD": VALUE})

PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7Qx2vF8m\n" * 3 + "q1w2==\n-----END RSA PRIVATE KEY-----"

# A text, and what is left of it.
SECRETS = {
    "Authorization: Bearer mF_9.B5f-4.1JqM": "Authorization: Bearer [redacted: bearer token]",
    "curl -H 'Authorization: Basic dXNlcjpwYXNz' x": "curl -H 'Authorization: Basic [redacted: bearer token]' x",
    '{"authorization": "Token 9944b09199c62bcf"}': '{"authorization": "Token [redacted: bearer token]"}',
    "send bearer%20abcdef0123456789 now": "send bearer%20[redacted: bearer token] now",
    f"key {KEY}.": "key [redacted: OpenAI key].",
    "sk-abcdefghijklmnopqrstuvwx": "[redacted: OpenAI key]",
    "_sk-ant-api03-aB3dE6gH9jK2mN5p_": "_[redacted: Anthropic key]",
    "x=AIzaSyA1234567890abcdefghijklmnopqrstuv": "x=[redacted: Google key]",
    "AKIAIOSFODNN7EXAMPLE": "[redacted: AWS key]",
    "ASIAIOSFODNN7EXAMPLE,": "[redacted: AWS key],",
    "AWS secret access key: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY":
        "AWS secret access key: [redacted: AWS key]",
    "ghp_0123456789abcdefghijABCDEFGHIJ012345": "[redacted: GitHub token]",
    "github_pat_11ABCDEFG0123456789_abcdefghijk": "[redacted: GitHub token]",
    "glpat-abcDEF123456ghiJKL78": "[redacted: GitLab token]",
    "xoxb-123456789012-abcdefGHIJ": "[redacted: Slack token]",
    "hooks.slack.com/services/T0123456/B0123456/abcdefgh12": "hooks.slack.com/services/[redacted: Slack token]",
    "hf_abcdefghijklmnopqrstuvwx": "[redacted: Hugging Face token]",
    "sk_live_abcdefghijklmnop": "[redacted: Stripe key]",
    "gsk_abcdefghijklmnopqrst1234": "[redacted: provider key]",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl": "[redacted: JWT]",
    f"a\n{PEM}\nb": "a\n[redacted: private key]\nb",
    json.dumps(PEM): '"[redacted: private key]"',
    " ".join(PEM.split()): "[redacted: private key]",
    PEM[:70]: "[redacted: private key]",
    "postgres://user:p4ss@host/db": "postgres://user:[redacted: password in a URL]@host/db",
    "PASSWORD=swordfish\nA=1": "PASSWORD=[redacted: password assignment]\nA=1",
    "?user=a&password=swordfish&x=1": "?user=a&password=[redacted: password assignment]&x=1",
    '{"password": "correct horse"}': '{"password": "[redacted: password assignment]"}',
    r'{\"db_password\": \"swordfish\"}': r'{\"db_password\": \"[redacted: password assignment]\"}',
    "mysql --password hunter2 db": "mysql --password [redacted: password assignment] db",
    "api_key: 'ab12cd34ef'": "api_key: '[redacted: secret assignment]'",
    "X-Api-Key: ab12cd34ef": "X-Api-Key: [redacted: secret assignment]",
    "config['client_secret'] = \"ab12cd34ef\"": "config['client_secret'] = \"[redacted: secret assignment]\"",
    r"first\nsk-abcdefghijklmnopqrstuvwx": r"first\n[redacted: OpenAI key]",
}  # fmt: skip

ORDINARY = [
    "550e8400-e29b-41d4-a716-446655440000",
    "d41d8cd98f00b204e9800998ecf8427e e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit 6eaed98c3d1f0a2b4c5d6e7f8091a2b3c4d5e6f7",
    "The bearer of this letter; Bearer authentication is required. Authorization: required",
    "The password must be at least 8 characters long. Password: must hold a digit",
    "token: the smallest unit of text; max_tokens=100, tokens: 512, next token = tokens[1]",
    '{"token": " the", "logprob": -0.1}',
    '{"password": "string", "api_key": null, "token": "<TOKEN>", "secret": "${SECRET}"}',
    "def login(user: str, password: str, token: SecretStr): connect(password=password, token=self.token)",
    "api_key = os.environ['API_KEY']; password = get_password(2); secret = config_v2.secret; api_key=OPENAI_API_KEY",
    "class sk-fading-circle-large-and-slow; a risk-averse, task-oriented desk-research-2024-programme",
    "see https://example.org:8080/a@b and mailto:someone@example.org at 12:30@noon",
    "PWD=/home/somebody/project OLDPWD: '/home/somebody'",
    "getpass(prompt='Password: ', stream=None); password = '********'",
    "-----BEGIN PRIVATE KEY----- is how such a file begins",
    "Basic pay, basic authorization, Slack xoxo, eyJ, hf_ and AKIA are words",
    "",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_is_replaced_and_what_stands_around_it_stays(text):
    assert Redactor().clean(text) == SECRETS[text]


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_no_secret_stays(text):
    assert Redactor().clean(text) == text


def test_every_kind_has_a_secret_that_it_names():
    named = Counter[str]()
    for text in SECRETS:
        Redactor().clean(text, named)
    assert set(named) == {kind.words for kind in KINDS}


def test_a_kind_is_found_without_the_others():
    for text in SECRETS:
        for found in Redactor().find(text):
            (kind,) = (kind for kind in KINDS if kind.words == found.kind)
            assert Redactor((kind,)).find(text) == [found], text


words = st.sampled_from(
    [*SECRETS, *ORDINARY, KEY, VALUE, "\n", " ", '"', "\\", "password=", "Bearer ", "://u:", "…", "é"]
)
texts = st.lists(words | st.text(max_size=12), max_size=6).map("".join)


@given(texts)
def test_cleaning_twice_changes_nothing_more(text):
    once = REDACTOR.clean(text)
    assert REDACTOR.clean(once) == once


@given(texts)
def test_what_is_found_lies_in_the_text_in_order_and_apart(text):
    found = REDACTOR.find(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(texts)
def test_replacements_are_counted(text):
    counts = Counter[str]()
    REDACTOR.clean(text, counts)
    assert counts == Counter(one.kind for one in REDACTOR.find(text))


def in_base64(before):
    return lambda value: base64.b64encode((before + value).encode()).decode()


@pytest.mark.parametrize(
    "form",
    [
        str,
        json.dumps,
        lambda value: json.dumps(value, ensure_ascii=False),
        lambda value: json.dumps(json.dumps(value)),
        repr,
        quote,
        lambda value: quote(value, safe=""),
        lambda value: quote(value, safe="").lower(),
        in_base64(""),
        in_base64("u:"),
        in_base64("user"),
        lambda value: base64.urlsafe_b64encode(value.encode()).decode(),
        lambda value: value.encode().hex(),
        lambda value: " ".join(value.split()),
    ],
)
@pytest.mark.parametrize("value", ["plain-value-1", 'quo"te\\d and\nnew line', "größe/öl?+ñandú=~~", "ab\tcd ef'gh"])
def test_a_value_of_the_environment_is_found_in_every_form(form, value):
    redactor = redactor_of(Settings(), {"SERVICE_TOKEN": value})
    cleaned = redactor.clean(f"before {form(value)} after")
    assert "[redacted: value of SERVICE_TOKEN]" in cleaned
    assert value not in cleaned
    # In base64 a few digits stand for what is beside it.
    assert len(cleaned) <= len("before [redacted: value of SERVICE_TOKEN] after") + 12


@given(st.text(min_size=8, max_size=40).filter(lambda value: len(value.strip()) >= 8 and "\x00" not in value), texts)
def test_no_value_of_the_environment_is_left_in_a_text(value, text):
    try:
        redactor = redactor_of(Settings(), {"SERVICE_KEY": value.encode("utf-8", "surrogateescape").decode()})
    except UnicodeEncodeError:
        return
    assert (
        value.strip() not in redactor.clean(text + value + text) or value.strip() in "[redacted: value of SERVICE_KEY]"
    )


def test_a_value_that_was_cut_off_is_found():
    assert REDACTOR.clean(f"says {VALUE[:15]}…") == "says [redacted: value of VAULT_PASSWORD]…"


def test_a_secret_in_bytes_shown_as_digits_is_found():
    shown = f"40 bytes: {f'xx {KEY}'.encode().hex(' ')} …"
    assert REDACTOR.clean(shown) == "40 bytes: [redacted: OpenAI key] …"


def test_which_variables_count_is_known_by_their_names_and_lengths():
    environment = {"A_KEY": "long enough", "B_SECRET": "short", "C_PATH": "long enough too", "d_token": "lower case"}
    assert [name for name, _ in redactor_of(Settings(), environment).values] == ["A_KEY", "d_token"]


def test_an_excerpt_shows_no_secret():
    text = f"{KEY} then {KEY}{KEY[:3]}, password=hunter2 end"
    found = REDACTOR.find(text)
    shown = [excerpt(text, found, number) for number in range(len(found))]
    assert shown[0] == "[OpenAI key, 42 characters] then"
    assert all("hunter2" not in one and KEY[:12] not in one for one in shown)


def settings_of(tmp_path, text):
    (tmp_path / "agentblame.toml").write_text(text, "utf-8")
    return read_settings(tmp_path / "agentblame.toml")


def test_settings_add_variables_and_patterns_and_leave_kinds_away(tmp_path):
    found = settings_of(
        tmp_path,
        '[redact]\nenv = ["PLAIN"]\noff = ["jwt", "SORT_KEY"]\npatterns = { "ticket number" = "TICKET-[0-9]+" }\n',
    )
    redactor = redactor_of(found, {"PLAIN": "word5", "SORT_KEY": "timestamp", "OTHER": "nothing"})
    text = "word5 timestamp TICKET-77 eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl"
    assert redactor.clean(text) == text.replace("word5", "[redacted: value of PLAIN]").replace(
        "TICKET-77", "[redacted: ticket number]"
    )


def test_the_settings_in_the_readme_can_be_used(tmp_path):
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    (block,) = (each.split("```")[0] for each in readme.split("```toml\n") if each.startswith("[redact]"))
    redactor = redactor_of(settings_of(tmp_path, block), {"DATABASE_URL": "db.example.org", "SORT_KEY": "timestamp"})
    text = "db.example.org TICKET-12 timestamp"
    assert redactor.clean(text) == "[redacted: value of DATABASE_URL] [redacted: ticket number] timestamp"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('patterns = { a = "(" }', "field patterns.a: is no regular expression"),
        ('patterns = { a = "x*" }', "field patterns.a: matches the empty text"),
        ('patterns = { a = "[a-z]+" }', "field patterns.a: matches what stands in place of a secret"),
        ('off = ["jwd"]', "field off: 'jwd' is no kind of secret"),
        ('env = ["TINY"]', "the value of TINY has fewer than 4 characters"),
        ('envs = ["A"]', "did you mean env"),
        ("env = 3", "is not a list of texts"),
    ],
)
def test_settings_that_cannot_be_used_name_file_and_field(tmp_path, text, message):
    with pytest.raises(SettingsError, match=f"agentblame.toml: table .redact., .*{message}"):
        redactor_of(settings_of(tmp_path, f"[redact]\n{text}\n"), {"TINY": "ab"})


# Games


def small(secret):
    """Return a pipeline and cases with a secret in every text there is."""

    def ask(case):
        print("asking with", secret)
        print("asking with", secret, file=sys.stderr)
        logging.getLogger("desk").warning("asking with %s", secret)
        return {"answer": case["q"], "seen": [secret, {secret: case["q"]}], "raw": secret.encode()}

    def better(case):
        return f"better {secret} {case['q']}"

    better.__doc__ = f"Uses {secret}."

    def judge(ask):
        if "boom" in str(ask) and "better" in str(ask):
            raise RuntimeError(f"refused: {secret}")
        return f"judged {ask}"

    steps = [
        Step(
            f"ask {secret}",
            ask,
            title=f"Ask {secret}",
            fix=[
                Fix(f"better {secret}", better, description=f"Says {secret}", diff=f"-old {secret}\n+new {secret}"),
                Fix(f"worse {secret}", lambda case: secret),
            ],
        ),
        Step(
            "judge",
            lambda **read: judge(*read.values()),
            parents=[f"ask {secret}"],
            fix=Fix("same", lambda **read: "no"),
        ),
        Step("other", lambda case: f"{secret} Z" if case["q"] == "two" else secret),
    ]
    score = Score(lambda judge: "right" in judge, meaning=f"Right: {secret}", failure=lambda judge: f"kind {secret}")
    pipeline = Pipeline(
        f"desk {secret}", steps, score, title=f"Desk {secret}", summary=f"Sums {secret}", cost_unit=f"calls {secret}"
    )
    cases = [
        Case(f"{name} {secret}", {"q": name, f"input {secret}": secret, "tags": [f"tag {secret}", "x " * 95 + secret]})
        for name in ("one", "two", "boom")
    ]
    return pipeline, cases


def forms_of(secret):
    raw = secret.encode()
    return [secret, quote(secret, safe=""), raw.hex(), raw.hex(" "), json.dumps(secret)[1:-1], secret[:12]]


secrets = st.sampled_from([KEY, "AKIAIOSFODNN7EXAMPLE", "hf_abcdefghijklmnopqrstuvwx", VALUE])


@settings(max_examples=8, deadline=None)
@given(secrets)
def test_a_secret_in_every_field_is_in_no_game_and_no_error(secret):
    pipeline, cases = small(secret)
    batch = analyze(pipeline, cases, Plan(worlds=2), redaction=Redaction(REDACTOR))
    assert len(batch.files) == 3
    for file in batch.files:
        text = dumps(file)
        assert not [form for form in forms_of(secret) if form in text]
        assert list(check_structure(file)) == []
        assert check_arithmetic(file) == []
    assert not [form for form in forms_of(secret) if form in str(batch.errored)]


def test_every_text_field_of_a_record_goes_through_the_door():
    pipeline, cases = small("word")
    for file in analyze(pipeline, cases, Plan(worlds=2), redaction=Redaction(Redactor(()))).files:
        planted = Redaction(Redactor((), values=(("ANY_KEY", ("word",)),))).file(file)
        changed = {place for place, text in texts_of(file) if "word" in text}
        assert len(changed) > 40
        assert not [place for place, text in texts_of(planted) if "word" in text]
        assert "word" not in dumps(planted)


def test_without_secrets_a_file_keeps_its_bytes():
    pipeline, cases = small("plain words")
    for file in analyze(pipeline, cases, Plan(worlds=2)).files:
        assert file.header.redacted == ()
        assert dumps(Redaction(REDACTOR).file(file)) == dumps(file)


def test_redaction_changes_no_number_and_no_fingerprint():
    pipeline, cases = small(KEY)
    plan = Plan(modes=("replayed",))
    (kept,) = analyze(pipeline, cases, plan, redaction=Redaction(Redactor(()))).files
    (cleaned,) = analyze(pipeline, cases, plan, redaction=Redaction(Redactor())).files
    assert kept.header.fingerprint == cleaned.header.fingerprint
    for one, other in zip(kept.cases, cleaned.cases, strict=True):
        assert (one.worth, one.values, one.evaluations) == (other.worth, other.values, other.evaluations)
        for seen, shown in zip(one.steps, other.steps, strict=True):
            assert seen.index == shown.index
            assert [output.fingerprint for output in seen.outputs] == [output.fingerprint for output in shown.outputs]


def test_outputs_that_differ_in_a_secret_only_stay_two():
    twin = KEY[:-1] + "Z"
    pipeline = Pipeline(
        "twins",
        [Step("say", lambda case: KEY, fix=Fix("say another", lambda case: twin))],
        Score(lambda say: False),
    )
    (file,) = analyze(pipeline, [Case("one", {})], Plan(modes=("replayed",))).files
    (seen,) = file.cases[0].steps
    assert [output.text for output in seen.outputs] == ["[redacted: OpenAI key]"] * 2
    assert seen.index == (0, 1)
    assert file.header.redacted == ("OpenAI key: 2",)


def test_cases_whose_ids_differ_in_a_secret_only_stay_two_and_are_alike_in_every_mode():
    pipeline = Pipeline("ids", [Step("say", lambda case: 1, fix=Fix("x", lambda case: 2))], Score(lambda say: False))
    ids = [KEY, KEY[:-1] + "Z", "[redacted: OpenAI key] (2)"]
    files = analyze(pipeline, [Case(id, {}) for id in ids], Plan(worlds=2)).files
    shown = [[case.id for case in file.cases] for file in files]
    assert shown[0] == ["[redacted: OpenAI key]", "[redacted: OpenAI key] (2)", "[redacted: OpenAI key] (2) (2)"]
    assert shown == [shown[0]] * 3
    for file in files:
        assert [case.seed for case in file.cases] == [f"0/{quote(case.id, safe='')}" for case in file.cases]
        assert file.header.redacted == ("OpenAI key: 2",)


def test_names_of_steps_are_the_same_wherever_they_stand():
    pipeline, cases = small(KEY)
    (file,) = analyze(pipeline, cases, Plan(modes=("replayed",))).files
    ids = [step.id for step in file.header.steps]
    assert ids == ["ask [redacted: OpenAI key]", "judge", "other"]
    assert file.header.players == ("ask [redacted: OpenAI key]", "judge")
    assert file.header.steps[1].parents == ("ask [redacted: OpenAI key]",)
    assert all([step.id for step in case.steps] == ids for case in file.cases)


def test_what_was_redacted_before_is_kept_in_the_account():
    pipeline, cases = small(KEY)
    (file,) = analyze(pipeline, cases, Plan(modes=("replayed",))).files
    again = Redaction(Redactor()).file(file)
    assert again == file
    more = replace(file, header=replace(file.header, stopped=KEY))
    assert Redaction(Redactor()).file(more).header.redacted == (*file.header.redacted, "OpenAI key: 1")


# What is printed


class Kept:
    """A stream that keeps what goes out."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False

    def fileno(self):
        return 7


@contextlib.contextmanager
def printing():
    """Guard what is printed meanwhile; yields the streams that keep what goes out."""
    out, err = Kept(), Kept()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), guarded_output():
        yield out, err


def test_a_secret_printed_in_pieces_does_not_go_out():
    with printing() as (out, _):
        sys.stdout.write(KEY[:9])
        sys.stdout.flush()
        assert out.text == ""
        print(KEY[9:])
        assert out.text == "[redacted: OpenAI key]\n"


def test_a_line_without_an_end_goes_out_at_the_end():
    with printing() as (out, err):
        print("progress", end="")
        sys.stderr.buffer.write(b"half a l\xc3\xafne")
    assert (out.text, err.text) == ("progress", "half a l\u00efne")


def test_a_private_key_of_many_lines_does_not_go_out():
    with printing() as (out, _):
        for line in ["before", *PEM.split("\n"), "after"]:
            print(line)
    assert out.text == "before\n[redacted: private key]\nafter\n"


def test_what_begins_like_a_private_key_does_not_hold_everything_back():
    with printing() as (out, _):
        print("-----BEGIN PRIVATE KEY-----")
        for number in range(2000):
            print("line", number)
        assert "line 1000\n" in out.text


def test_a_logger_made_within_does_not_let_a_secret_out_later():
    with printing() as (_, err):
        handler = logging.StreamHandler()
    handler.emit(logging.LogRecord("a", 30, "f", 1, f"with {KEY}", None, None))
    assert err.text == "with [redacted: OpenAI key]\n"


def test_threads_that_print_at_once_lose_nothing():
    def work():
        for number in range(50):
            print(f"line {number}\n", end="")

    with printing() as (out, _):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert Counter(out.text.splitlines()) == Counter({f"line {number}": 4 for number in range(50)})


PLANTED = """
import logging
import sys
from tests.analyzer.test_redaction import small

SECRET = {secret!r}
print("loading", SECRET)
pipeline, _ = small(SECRET)
"""


def planted(folder, secret):
    (folder / "desk.py").write_text(PLANTED.format(secret=secret), "utf-8")
    lines = [
        json.dumps({"id": f"{name} {secret}", "q": name, "tags": [f"tag {secret}"], "note": secret})
        for name in ("one", "two", "boom")
    ]
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


@pytest.mark.parametrize("secret", [KEY, VALUE])
def test_a_secret_goes_into_no_file_and_no_output_of_a_command(folder, monkeypatch, secret):
    monkeypatch.setenv("VAULT_PASSWORD", VALUE)
    planted(folder, secret)
    result = run("analyze", "desk.py:pipeline", "--cases", "cases.jsonl", "--worlds", "2", "--out", "games", code=3)
    shown = [run("show", "games", "--cases"), run("show", "games", "--json"), run("validate", "games")]
    outputs = [each.output for each in (result, *shown)]
    names = [path.name for path in (folder / "games").iterdir()]
    files = [path.read_text("utf-8") for path in (folder / "games").iterdir()]
    assert len(files) == 3
    for text in [*outputs, *names, *files]:
        assert not [form for form in forms_of(secret) if form in text]
    assert "asking with [redacted: " in result.stderr
    kind = "OpenAI key" if secret == KEY else "value of VAULT_PASSWORD"
    assert re.search(rf"redacted(, replayed| in each file): {kind}: \d+\n", result.stderr)
    assert all(file.header.redacted[0].startswith(f"{kind}: ") for file in read_folder(folder / "games"))


def test_a_secret_in_an_error_is_not_shown(folder):
    (folder / "desk.py").write_text(f"raise RuntimeError('cannot use {KEY}')\n")
    (folder / "cases.jsonl").write_text('{"id": "one"}\n')
    result = run("analyze", "desk.py:pipeline", "--cases", "cases.jsonl", "--out", "games", code=2)
    assert "RuntimeError: cannot use [redacted: OpenAI key]" in result.stderr


def test_settings_beside_the_working_folder_say_what_is_redacted(folder):
    (folder / "agentblame.toml").write_text('[redact]\noff = ["openai"]\npatterns = { "word" = "right" }\n')
    planted(folder, KEY)
    run("analyze", "desk.py:pipeline", "--cases", "cases.jsonl", "--mode", "replayed", "--out", "games", code=3)
    (file,) = read_folder(folder / "games")
    assert KEY in file.header.scenario.title


def test_bad_redaction_settings_are_told_before_anything_runs(folder):
    (folder / "mine.toml").write_text('[redact]\npatterns = { word = "(" }\n')
    planted(folder, KEY)
    arguments = ["analyze", "desk.py:pipeline", "--cases", "cases.jsonl", "--out", "games", "--config", "mine.toml"]
    result = run(*arguments, code=2)
    assert "mine.toml: table [redact], field patterns.word: is no regular expression" in result.stderr
    assert "asking" not in result.output
