import pytest

from analyzer.rules import BadTable, repair_level


def test_threshold_is_for_single_runs_and_half_for_several_worlds():
    assert [repair_level(0.7, denominator) for denominator in (None, 1, 2, 8)] == [0.7, 0.7, 0.5, 0.5]


@pytest.mark.parametrize("denominator", [0, -1, 2.5])
def test_what_is_no_denominator_is_refused(denominator):
    with pytest.raises(BadTable):
        repair_level(0.7, denominator)
