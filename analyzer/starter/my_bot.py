"""A pipeline to start from: run it with `agentblame analyze my_bot.py:pipeline --cases cases.jsonl --out games/`."""

from analyzer import Fix, Pipeline, Score, Step

CAPITALS = {"france": "Paris", "kenya": "Nairobi", "peru": "Lima"}


def understand(case, draw):
    """Pick the country a question is about; a vague prompt is easily confused."""
    return draw.categorical("country", {name: 1.0 * (name in case["question"].lower()) for name in CAPITALS})


def understand_carefully(case, draw):
    """Name the countries to choose from in the prompt."""
    return draw.categorical("country", {name: 5.0 * (name in case["question"].lower()) for name in CAPITALS})


def look_up(understand, draw):
    """Answer from memory, which fails one time in three."""
    return draw.categorical("answer", {CAPITALS[understand]: 0.7, "I am not sure": 0.0})


def is_right(case, look_up):
    return look_up == case["answer"]


pipeline = Pipeline(
    "my-bot",
    title="My bot",
    steps=[
        Step("understand", understand, fix=Fix("Name the countries", understand_carefully)),
        Step("look_up", look_up, fix=Fix("Use the table", lambda understand: CAPITALS[understand])),
    ],
    score=Score(is_right, meaning="The answer is the capital"),
    cost_unit="model calls",
)
