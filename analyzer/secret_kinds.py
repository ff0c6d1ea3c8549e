"""Turns what is known of the shapes of secrets into kinds, each of which finds its own in a text.

What stands in a text as a matter of course is no secret: hashes, ids, prose, and code that passes a secret on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# Where a word begins: also after an escape (\n, %20) and inside the marks of emphasis. Never inside a run of what words
# are made of, or a long run would be read once for each place in it.
_START = (
    r"(?:(?<![A-Za-z0-9_-])|(?<=[^A-Za-z0-9_-][_-])|(?<=\A[_-])"
    r"|(?<=\\[nrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))"
)
_QUOTE = r"\\{0,3}[\"'`]"


@dataclass(frozen=True)
class Shape:
    """One shape of a secret.

    Parameters
    ----------
    anchors : tuple of str
        Literals, one of which is in it, in lower case where case does not matter.
    pattern : re.Pattern
        Matches from where an anchor is; the secret is its group ``secret``, or all of it.
    back : int
        Characters of the match before the anchor.
    any_case : bool
    judge : callable, optional
        Says whether a match is a secret.
    """

    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    back: int = 0
    any_case: bool = False
    judge: Callable[[re.Match[str]], bool] | None = None

    def find(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets of this shape start and end."""
        searched, group = lowered if self.any_case else text, "secret" if "secret" in self.pattern.groupindex else 0
        for anchor in self.anchors:
            place = searched.find(anchor)
            while place >= 0:
                match = self.pattern.match(text, max(0, place - self.back))
                after = place + len(anchor)
                if match is not None and match.end() > place and (self.judge is None or self.judge(match)):
                    yield match.span(group)
                    after = match.end()
                place = searched.find(anchor, after)


@dataclass(frozen=True)
class Kind:
    """A kind of secret: the name settings know it by, what it is called, and its shapes."""

    id: str
    words: str
    shapes: tuple[Shape, ...]

    def find(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        """Yield where secrets of this kind start and end; `lowered` is the text in lower case."""
        for shape in self.shapes:
            yield from shape.find(text, lowered)


def _token(pattern: str, *anchors: str, back: int = 0) -> Shape:
    return Shape(anchors, re.compile(_START + pattern), back)


# Above, a value is a secret whatever it looks like: what is told apart at length would be read again and again.
_LONG = 256
_DIGIT = re.compile("[0-9]")
_LETTER = re.compile("[A-Za-z]")
_UNLIKE_WORDS = re.compile(r"[0-9!@#$^*+~=]")
_UNLIKE_NAMES = re.compile("[0-9]|[a-z][A-Z]")
# Names that code passes on: a.b.c, the_api_key, API_KEY_2, SecretStr.
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_SNAKE = re.compile(r"[A-Za-z]+[0-9]{0,2}(?:_[A-Za-z]+[0-9]{0,2})+")
_CAMEL = re.compile(r"[A-Z][a-z]+[A-Z][A-Za-z]*")
# What stands for a value: marks, gaps to fill in, variables, places; and what comes after an empty value.
_STAND_IN = re.compile(r"\[redacted|[<{(,): ]|\$\{|\$[a-z_]+$|%[sd({]|your|https?:|(?:/[\w.-]+){2}|\W+$|(.)\1*$")
_WORDS = re.compile(
    "none|null|true|false|undefined|string|str|text|bytes|bool|int|integer|number|optional|required|redacted|hidden|"
    "password|passwd|secret|token|key|example|changeme|placeholder|empty|default|missing|invalid|wrong|incorrect|"
    "authentication|authorization"
)


def _is_stand_in(value: str) -> bool:
    """Whether a value stands for one that is not there."""
    return len(value) < 4 or bool(_WORDS.fullmatch(value.lower()) or _STAND_IN.match(value.lower()))


def _is_name(value: str) -> bool:
    """Whether a value is a name that code passes on."""
    if _DOTTED.fullmatch(value):
        return len(_DIGIT.findall(value)) <= 5 * (value.count(".") + 1)
    return _SNAKE.fullmatch(value) is not None


def is_ordinary(value: str) -> bool:
    """Whether what a name that sounds secret is given is none: a stand-in, or a name that code passes on."""
    return _is_stand_in(value) or _is_name(value)


def _is_credential(match: re.Match[str]) -> bool:
    """Whether what follows the name of an authorization scheme is no word."""
    value = match["secret"]
    if len(value) > _LONG:
        return True
    if is_ordinary(value):
        return False
    return len(value) >= 20 or _UNLIKE_NAMES.search(value) is not None


def _value(match: re.Match[str]) -> str | None:
    """Return the value assigned; None if it is no literal."""
    value = match["secret"]
    if len(value) > _LONG:
        return value
    called = match["quote"] is None and match.string[match.end("secret") : match.end("secret") + 1] in ("(", "[")
    return None if called or is_ordinary(value) else value


def _is_option(match: re.Match[str]) -> bool:
    """Whether the name is a command's option, after which a value needs no other sign."""
    return re.search(r"--[A-Za-z-]{0,24}$", match.string[max(0, match.start() - 26) : match.start()]) is not None


def _is_password(match: re.Match[str]) -> bool:
    value = _value(match)
    if value is None:
        return False
    if match["sign"].isspace() or not match["sign"]:
        return _is_option(match) and _UNLIKE_WORDS.search(value) is not None
    if len(value) > _LONG and not re.search(r"\s", value):
        return True
    if match["quote"] is not None:
        return len(value.split()) <= 4
    if _UNLIKE_WORDS.search(value):
        return True
    text, start, end = match.string, match.start(), match.end("secret")
    if text[max(0, start - 1) : start] in ("?", "&", ";"):
        return True
    # A word alone on its line, such as in a file of settings.
    line = text[text.rfind("\n", max(0, start - 40), start) + 1 : start] if start else ""
    alone = re.fullmatch(r"(?:export )?[A-Za-z_ -]{0,30}", line) is not None and text[end : end + 1] in ("", "\n", "\r")
    return alone and _CAMEL.fullmatch(value) is None


def _is_key(match: re.Match[str]) -> bool:
    value = _value(match)
    if value is None:
        return False
    if match["sign"].isspace() or not match["sign"]:
        return _is_option(match) and len(value) >= 8
    if len(value) < 8 or re.search(r"\s", value):
        return False
    if len(value) > _LONG:
        return True
    if _DIGIT.search(value):
        return _LETTER.search(value) is not None
    if not value.isalpha():
        return False
    return len(value) >= (16 if match["quote"] is not None else 20) and value.lower() != value


def _assigned(names: str) -> re.Pattern[str]:
    """Return what matches a name, a sign of assignment and a value, in any of the ways of configuration and code."""
    sign = r"(?P<sign>[ \t]{0,5}(?::=|=>|%3[ad]|[:=](?!=))[ \t]{0,5}|[ \t]{1,3})"
    # Within quotes up to the end of them, a backslash that escapes none of them included.
    quoted = r"(?:[^\"'`\n\\]|\\(?!\\{0,2}[\"'`nrt]))+"
    # Case counts here: the long s, which is no ASCII, would take the s with it.
    bare = r"(?-i:[^\s\"'`,;&<>(){}\[\]\\\x80-\U0010ffff]+)"
    value = rf"(?P<quote>{_QUOTE})?(?P<secret>(?(quote){quoted}|{bare}))"
    return re.compile(rf"(?:{names})(?:{_QUOTE})?\]?{sign}{value}", re.IGNORECASE)


_TOKEN_68 = r"[A-Za-z0-9._~+/=-]"
_BEARER = (
    Shape(
        ("authorization",),
        re.compile(
            rf"authorization(?:{_QUOTE})?\]?[ \t]{{0,5}}[:=][ \t]{{0,5}}(?:{_QUOTE})?"
            r"(?:(?:basic|bearer|token|apikey|api-key|digest|negotiate|key)[ \t]{1,5})?"
            rf"(?P<secret>{_TOKEN_68}{{4,}})",
            re.IGNORECASE,
        ),
        any_case=True,
        judge=_is_credential,
    ),
    Shape(
        ("bearer",),
        re.compile(rf"bearer(?:[ \t]{{1,5}}|%20|\+)(?P<secret>{_TOKEN_68}{{8,}})", re.IGNORECASE),
        any_case=True,
        judge=_is_credential,
    ),
)

# Lines of a key may be lines, or escapes in another text, or words where a text was put on one line.
_BREAK = r"(?:\s|\\{1,3}[rn])"
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_BREAK}+[A-Z][A-Za-z-]{{1,30}}: [^\n\\]{{0,200}}){{0,5}}"
    rf"(?:{_BREAK}+[A-Za-z0-9+/]{{16,}}={{0,2}})+(?:{_BREAK}+[A-Za-z0-9+/]{{1,80}}={{0,2}}(?![^\s\\\"'-]))?"
    rf"(?:{_BREAK}+=[A-Za-z0-9+/]{{4}})?"
    rf"(?:{_BREAK}*-----END [A-Z0-9 ]{{1,60}}-----)?"
)

_WORD = "[A-Za-z0-9_-]"
_END = "(?![A-Za-z0-9])"

#: Every kind that is looked for unless settings say otherwise; the first that matches names a secret.
KINDS: tuple[Kind, ...] = (
    Kind("bearer", "bearer token", _BEARER),
    Kind("private-key", "private key", (Shape(("-----BEGIN ",), _PRIVATE_KEY),)),
    Kind("anthropic", "Anthropic key", (_token(f"sk-ant-{_WORD}{{16,}}", "sk-ant-"),)),
    Kind(
        "openai",
        "OpenAI key",
        (
            _token(
                "sk-(?!ant-)(?:(?:proj|svcacct|admin|or-v1|live|test|None)-)?"
                rf"(?:[A-Za-z0-9]{{20,}}{_WORD}*|(?=[A-Za-z_-]{{0,80}}[0-9]){_WORD}{{20,}})",
                "sk-",
            ),
        ),
    ),
    Kind(
        "google",
        "Google key",
        (
            _token(f"AIza{_WORD}{{30,}}", "AIza"),
            _token(rf"ya29\.{_WORD}{{20,}}", "ya29."),
            _token(f"GOCSPX-{_WORD}{{20,}}", "GOCSPX-"),
        ),
    ),
    Kind(
        "aws",
        "AWS key",
        (
            _token(f"A[KS]IA[A-Z0-9]{{16}}{_END}", "AKIA", "ASIA"),
            Shape(
                ("secret",),
                re.compile(
                    r"secret[ _-]?(?:access[ _-]?)?key[\"'\]\\]{0,5}[ \t]{0,5}(?:is|[:=])?[ \t]{0,5}[\"'\\]{0,3}"
                    r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
                    re.IGNORECASE,
                ),
                any_case=True,
            ),
        ),
    ),
    Kind(
        "github",
        "GitHub token",
        (
            _token("gh[opsur]_[A-Za-z0-9]{20,}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
            _token("github_pat_[A-Za-z0-9_]{20,}", "github_pat_"),
        ),
    ),
    Kind("gitlab", "GitLab token", (_token(f"glpat-{_WORD}{{16,}}", "glpat-"),)),
    Kind(
        "slack",
        "Slack token",
        (
            _token(r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}", "xox", "xapp-"),
            Shape(
                ("hooks.slack.com/",),
                re.compile(r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[A-Za-z0-9/]{20,})"),
            ),
        ),
    ),
    Kind("huggingface", "Hugging Face token", (_token("hf_[A-Za-z0-9]{20,}", "hf_"),)),
    Kind(
        "stripe",
        "Stripe key",
        (
            _token("[sr]k_(?:live|test)_[A-Za-z0-9]{10,}", "k_live_", "k_test_", back=1),
            _token("whsec_[A-Za-z0-9+/=]{20,}", "whsec_"),
        ),
    ),
    Kind(
        "provider",
        "provider key",
        (
            _token("(?:gsk_|xai-|pplx-)[A-Za-z0-9]{20,}", "gsk_", "xai-", "pplx-"),
            _token("r8_[A-Za-z0-9]{30,}", "r8_"),
        ),
    ),
    Kind("jwt", "JWT", (_token(rf"eyJ{_WORD}{{8,}}(?:\.{_WORD}{{8,}}){{2,4}}", "eyJ"),)),
    Kind(
        "url",
        "password in a URL",
        (
            Shape(
                ("://",),
                re.compile(r"://[^\s/:@\"'<>]{0,256}:(?P<secret>[^\s/@\"'<>]{1,256})@"),
                judge=lambda match: not _STAND_IN.match(match["secret"].lower()),
            ),
        ),
    ),
    Kind(
        "password",
        "password assignment",
        (
            Shape(
                ("passw", "passphrase", "pwd"),
                _assigned("passw(?:or)?d|passphrase|pwd"),
                any_case=True,
                judge=_is_password,
            ),
        ),
    ),
    Kind(
        "secret",
        "secret assignment",
        (
            Shape(
                ("secret", "api_key", "api-key", "apikey", "access_key", "access-key", "accesskey", "private_key",
                 "privatekey", "token", "credential"),
                _assigned(
                    "secret(?:[_-]?(?:access[_-]?)?key)?|api[_-]?key|access[_-]?key|private_?key|token|credentials?"
                ),
                any_case=True,
                judge=_is_key,
            ),
        ),
    ),
)  # fmt: skip
