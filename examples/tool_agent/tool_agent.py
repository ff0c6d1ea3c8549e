"""A travel desk that decides as it goes: a hand-off, two agents at a time, a tool loop, and a tool that may fail.

    cd examples/tool_agent
    agentblame analyze tool_agent.py:program --cases cases.jsonl --out games/
    agentblame analyze tool_agent.py:program --cases cases.jsonl --players calls --max-failures 1 --out calls/
    agentblame analyze tool_agent.py:one_call --cases cases.jsonl --out one-call/
    agentblame commitment tool_agent.py:program --cases cases.jsonl --case trip-07

`route` hands a request to the clerk for rules, who answers it, or to two agents at a time, one for the flight and one
for the hotel. Each of them decides, again and again, to look at the next page of offers or to take one. The fixes:
another prompt (`route`), another policy from the second decision on (`decide`), a tool's results without what is sold
out (`search`), and more to read (`answer`).
"""

import asyncio

from analyzer import Fix, Program, Score, Step, StepError

# By city, pages of offers: name, price in euros, whether there is room.
FLIGHTS = {
    "Lisbon": [[("TP 581", 240, True), ("LH 1166", 310, True)], [("FR 1141", 95, True)]],
    "Oslo": [[("SK 2604", 330, False), ("DY 1107", 150, True)], [("LH 862", 280, True)]],
    "Rome": [[("AZ 421", 120, False)], [("LH 232", 180, True), ("FR 9688", 60, False)]],
}
HOTELS = {
    "Lisbon": [[("Hotel Tejo", 210, True)], [("Casa Alfama", 120, True), ("Hostel Baixa", 60, False)]],
    "Oslo": [[("Grand Hotel", 390, True), ("Fjord Inn", 170, False)], [("Citybox", 130, True)]],
    "Rome": [[("Hotel Roma", 140, False), ("Palazzo", 360, True)], [("Casa Lia", 150, True)]],
}
HANDBOOK = {"business class": "only above six hours", "taxi": "only after 22 o'clock", "breakfast": "always"}


async def desk(case, step):
    """Hand the request on, and put together what comes back."""
    if await step("route", case["request"]) == "rules":
        return {"rule": await step("answer", case["request"])}
    flight, hotel = await asyncio.gather(
        agent("flight", case, step),
        agent("hotel", case, step),
    )
    return {"flight": flight, "hotel": hotel}


async def agent(kind, case, step):
    """Look at offers until one is good enough."""
    seen, page = [], 0
    while True:
        action = await step("decide", kind, case["budget"], seen, page)
        if action != "next page":
            return action
        try:
            seen += await step("search", kind, case["city"], page)
        except StepError:
            # There is no such page: it has seen everything.
            page = -1
        else:
            page += 1


def route(request, draw):
    """Look for the word “may”."""
    return draw.categorical("desk", {"rules": 2.0 * ("May" in request), "trip": 1.5})


def route_by_example(request, draw):
    """The prompt shows two requests for each desk."""
    return draw.categorical("desk", {"rules": 4.0 * ("May" in request), "trip": 2.0})


def answer(request, draw, handbook=None):
    """Answer from memory, or from the handbook if there is one."""
    for word, rule in (handbook or {}).items():
        if word in request:
            return rule
    return draw.categorical("rule", {"always": 0.5, "never": 0.5, "only after 22 o'clock": 0.0})


def decide(kind, budget, seen, page, draw):
    """Take one of the cheaper offers, or have a look at the next page."""
    options = {offer: -offer[1] / 100 for offer in map(tuple, seen)}
    if page >= 0:
        options["next page"] = -1.0 if seen else 5.0
    return draw.categorical("action", options or {"nothing": 0.0})


def decide_by_price(kind, budget, seen, page, draw):
    """Look at every page, then take the cheapest offer."""
    if page >= 0:
        return "next page"
    return min(map(tuple, seen), key=lambda offer: offer[1], default="nothing")


def search(kind, city, page):
    """A page of offers; raises an error for one that is not there."""
    return (FLIGHTS if kind == "flight" else HOTELS)[city][page]


def is_right(output, case):
    return not what_is_wrong(output, case)


def what_is_wrong(output, case):
    if ("rule" in output) != ("rule" in case):
        return "wrong desk"
    if "rule" in case:
        return "" if output["rule"] == case["rule"] else "wrong rule"
    if "nothing" in output.values():
        return "nothing found"
    if not all(free for _, _, free in output.values()):
        return "sold out"
    return "" if sum(price for _, price, _ in output.values()) <= case["budget"] else "over budget"


steps = [
    Step("route", route, title="Route", fix=Fix("Show examples", route_by_example)),
    Step(
        "answer",
        answer,
        title="Answer",
        fix=Fix.context("Give it the handbook", lambda it: it | {"handbook": HANDBOOK}),
    ),
    Step(
        "decide",
        decide,
        title="Decide",
        fix=Fix.policy("Compare prices once there are offers", decide_by_price, since=2),
    ),
    Step(
        "search",
        search,
        title="Search",
        fix=Fix.observation("Leave out what is sold out", edit=lambda offers: [offer for offer in offers if offer[2]]),
    ),
]
score = Score(is_right, meaning="The right rule, or a trip that can be had within the budget", failure=what_is_wrong)
about = {
    "summary": "A travel desk hands a request to the clerk for rules, or to two agents that look for flight and hotel.",
    "cost_unit": "model calls",
}

program = Program("travel-desk", desk, steps, score, title="Travel desk", **about)

# What if one single decision had been right: the second one of the agent for the hotel, the desk's second task?
one_call = Program(
    "travel-desk-one-call",
    desk,
    steps,
    score,
    fixes={"2/decide[2]": Fix.action("Take the right hotel", field="hotel"), "route": Fix.resample("Route once more")},
    title="Travel desk, one decision",
    **about,
)
