"""What solvers keep of a conversation between its turns.

A solver object is shared by conversations that are played side by side, and holds nothing of any of them.
"""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Session:
    """One conversation's. A solver that keeps nothing need not know of it.

    >>> session, solver = Session(), object()
    >>> session.kept(solver, list).append("read")
    >>> session.kept(solver, list)
    ['read']
    """

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._kept: dict[int, tuple[object, Any]] = {}
        self._lock = threading.Lock()

    def kept(self, owner: object, begin: Callable[[], T]) -> T:
        """Return what an owner keeps of the conversation.

        The turns of a conversation follow each other, so what is kept needs no lock of its own.

        Args:
            owner: Who keeps it, mostly a solver: two solvers of one conversation do not meet.
            begin: Makes what is kept, the first time that the owner asks; always of one type for one owner.
        """
        with self._lock:
            if id(owner) not in self._kept:
                self._kept[id(owner)] = owner, begin()  # with the owner, so that no other one gets its id
            found: T = self._kept[id(owner)][1]
            return found
