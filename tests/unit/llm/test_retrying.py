import pytest

from quaestor.llm.models import RetryPolicy


def test_pauses_double_up_to_the_longest() -> None:
    retries = RetryPolicy(attempts=9, first=1, longest=8, draw=lambda: 1.0)
    assert [retries.pause(attempt) for attempt in range(1, 9)] == [1, 2, 4, 8, 8, 8, 8, 8]


def test_pauses_differ_by_up_to_a_half() -> None:
    assert RetryPolicy(first=2, draw=lambda: 0.0).pause(1) == 1
    assert RetryPolicy(first=2, draw=lambda: 1.0).pause(1) == 2


def test_the_last_attempt_is_the_last() -> None:
    assert RetryPolicy(attempts=3).pause(3) is None
    assert RetryPolicy(attempts=1).pause(1) is None


@pytest.mark.parametrize("asked", [0.0, 7.0, 120.0])
def test_a_server_is_given_the_time_it_asks_for(asked: float) -> None:
    pause = RetryPolicy(first=0.5).pause(1, asked)
    assert pause is not None
    assert asked <= pause <= asked + 0.05


def test_a_server_that_asks_for_too_long_is_not_waited_for() -> None:
    assert RetryPolicy(patience=60).pause(1, 61) is None
