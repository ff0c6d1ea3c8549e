from analyzer.batch import analyze
from analyzer.scenarios import bundle

PIPELINE = bundle("quickstart").pipelines[0]
BATCH = analyze(PIPELINE, bundle("quickstart").cases)


def test_thirty_cases_fail():
    assert BATCH.files[0].header.counts.failed == 30


def test_every_ticket_has_a_solution_in_the_handbook():
    from analyzer.scenarios.quickstart import HANDBOOK

    lines = {line for topics in HANDBOOK.values() for line in topics.values()}
    assert all(case.inputs["solution"] in lines for case in bundle("quickstart").cases)


def test_no_run_is_missing():
    assert BATCH.missing == 0
    assert BATCH.errored == ()


def test_classify_and_answer_carry_more_of_the_repair_than_check():
    for file in BATCH.files:
        totals = [sum(case.values["shapley"][player] for case in file.cases) for player in range(3)]
        assert totals[2] < min(totals[:2])
