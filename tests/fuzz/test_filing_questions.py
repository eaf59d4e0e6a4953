"""Any question about a whole filing is answered, declined or refused; none hangs or crashes the program."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from examples import share
from fuzzing.all_targets import TARGETS
from fuzzing.target import Reads
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

ALARM = 20.0
"""Seconds of processor time after which a conversation counts as endless; most take a fifth of a second."""


@contextmanager
def alarm() -> Iterator[None]:
    """Fail if a block takes more than `ALARM` seconds of processor time, regardless of other processes."""

    def give_up(*_: object) -> None:
        pytest.fail(f"not done after {ALARM:.0f} s of the processor", pytrace=False)

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, ALARM)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Reads:
    read: Reads = TARGETS["filing"].opened(tmp_path_factory.mktemp("filing"))
    return read


@pytest.mark.slow
@settings(
    max_examples=share(100),
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # shrinking an endless conversation would take one alarm per attempt
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(choices=st.binary(min_size=20, max_size=200))
@example(choices=b"")
def test_random_conversations_finish(ask: Reads, choices: bytes) -> None:
    with alarm():
        ask(b"\x01" + choices)
