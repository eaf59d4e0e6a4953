"""The line in which operations on a SQLite file wait for its thread: in order, what writes little in groups.

Operations that wait at the same time share a transaction, and each is told that it is done when all of it is
committed. Where one fails nothing of it is kept, and each is made again alone: so it fails, or does not, as it would.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

_MOST = 64
"""Operations of one group: they hold other processes up no longer than a large one does."""


@dataclass(slots=True, eq=False)
class _Waiting:
    work: Callable[[], Any]
    little: bool
    ended: "Future[Any]" = field(default_factory=Future)


class OperationLine:
    """Operations that are made one after the other, in the order in which they came."""

    def __init__(self, thread: ThreadPoolExecutor, together: Callable[[], AbstractContextManager[None]]) -> None:
        """Take who makes them.

        Args:
            together: Opens what a group is made in, and commits it at the end.
        """
        self._thread, self._together = thread, together
        self._line: deque[_Waiting] = deque()
        self._lock, self._working = threading.Lock(), False

    def add(self, work: Callable[[], Any], *, little: bool) -> "Future[Any]":
        """Return the result of an operation; one that is cancelled before it begins is not made.

        Args:
            little: Whether it is a short one that writes, and may be made in a group: made again it does the same.
        """
        waiting = _Waiting(work, little)
        with self._lock:
            self._line.append(waiting)
            begin, self._working = not self._working, True
        if begin:
            self._thread.submit(self._work)
        return waiting.ended

    def _work(self) -> None:
        while group := self._next():
            begun = [one for one in group if one.ended.set_running_or_notify_cancel()]
            if len(begun) == 1 or not self._made_together(begun):
                for one in begun:
                    try:
                        one.ended.set_result(one.work())
                    except BaseException as error:  # noqa: BLE001 - it is raised where the operation was called
                        one.ended.set_exception(error)
            del group, begun

    def _next(self) -> list[_Waiting]:
        """Take what comes next: one operation, or little ones that stand one behind the other."""
        with self._lock:
            group: list[_Waiting] = []
            while self._line and len(group) < _MOST and (not group or (group[-1].little and self._line[0].little)):
                group.append(self._line.popleft())
            self._working = bool(group)
            return group

    def _made_together(self, group: list[_Waiting]) -> bool:
        """Make operations in one transaction; False if they have to be made again, one by one."""
        try:
            with self._together():
                results = [one.work() for one in group]
        except Exception:  # noqa: BLE001 - whatever it is, the operation that it is of raises it again
            return False
        for one, result in zip(group, results, strict=True):
            one.ended.set_result(result)
        return True
