"""An invoice desk reads a letter, converts the sum and books it; every kind of fix and a graded score.

    cd examples/invoice_desk
    agentblame analyze invoice_desk.py:pipeline --cases cases.jsonl --out games/

`read` samples one of the numbers in the letter, `convert` knows an old exchange rate, `book` picks an account. The
fixes: another function (`read`), the right output taken from the case, an oracle (`convert`), and the same step once
more with fresh luck (`book`). The score is graded: half for the amount, half for the account.
"""

import re

from analyzer import Fix, Pipeline, Score, Step

ACCOUNTS = {
    "travel": ("taxi", "train", "hotel"),
    "office": ("paper", "chairs", "toner"),
    "software": ("licence", "cloud"),
}


def numbers(letter):
    return [int(text.replace(",", "")) for text in re.findall(r"\d[\d,]*", letter)]


def read(case, draw):
    """Take one of the numbers in the letter, the larger the likelier."""
    found = numbers(case["letter"])
    return draw.categorical("sum", {number: number / max(found) for number in found})


def read_after_total(case):
    """Take the number that follows the word “total”."""
    return int(re.search(r"total\D*(\d[\d,]*)", case["letter"].lower()).group(1).replace(",", ""))


def convert(case, read):
    """Convert to euros at the rate of last year."""
    return round(read * {"EUR": 1.0, "USD": 0.80}[case["currency"]], 2)


def book(case, draw):
    """Pick the account whose words occur in the letter."""
    letter = case["letter"].lower()
    return draw.categorical(
        "account", {name: 1.5 * any(word in letter for word in words) for name, words in ACCOUNTS.items()}
    )


def how_right(case, convert, book):
    return 0.5 * (convert == case["euros"]) + 0.5 * (book == case["account"])


pipeline = Pipeline(
    "invoice-desk",
    title="Invoice desk",
    summary="An invoice desk reads the sum from a letter, converts it to euros and books it to an account.",
    steps=[
        Step("read", read, title="Read", role="producer", fix=Fix("Look for the total", read_after_total)),
        Step(
            "convert",
            convert,
            title="Convert",
            role="producer",
            fix=Fix.constant("Use the right amount", field="euros"),
        ),
        Step("book", book, title="Book", role="producer", fix=Fix.resample("Book once more")),
    ],
    score=Score(how_right, graded=True, meaning="Half for the right amount, half for the right account"),
    cost_unit="model calls",
)
