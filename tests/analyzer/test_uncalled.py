from analyzer.uncalled import uncalled


def test_a_call_that_is_made_elsewhere_is_told_with_the_addresses_of_its_step():
    assert uncalled(["search[1]"], {"2/search[1]", "1/search[1]", "plan[1]"}) == (
        "search[1] was called in no run of a failing case; calls of its step are 1/search[1], 2/search[1]",
    )


def test_what_was_called_is_not_told():
    assert uncalled(["search[1]", "plan", "plan[2]"], {"search[1]", "3/plan[1]", "plan[2]"}) == ()


def test_a_step_that_was_never_called_is_told():
    assert uncalled(["idle", "search"], {"search[1]"}) == ("idle was called in no run of a failing case",)


def test_of_many_calls_the_first_are_named_in_the_order_of_their_numbers():
    (said,) = uncalled(["a[99]"], {f"a[{number}]" for number in range(1, 21)})
    assert said.endswith("calls of its step are a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8] and 12 more")
