import pytest

from quaestor.application.document_library import ConcurrencyLimiter
from quaestor.errors import BusyError


def test_who_finds_no_room_is_refused_until_somebody_leaves() -> None:
    room = ConcurrencyLimiter(2, "full: come again")
    with room.enter():
        with room.enter(), pytest.raises(BusyError, match="full"), room.enter():
            pass
        with room.enter():
            pass


def test_an_error_leaves_too() -> None:
    room = ConcurrencyLimiter(1, "full")
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"), room.enter():
            raise ValueError("broken")


def test_one_client_does_not_take_all_of_it() -> None:
    room = ConcurrencyLimiter(3, "full", 2)
    with room.enter("a"), room.enter("a"):
        with pytest.raises(BusyError), room.enter("a"):
            pass
        with room.enter("b"), pytest.raises(BusyError), room.enter("c"):
            pass
