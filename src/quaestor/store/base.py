"""What a run store can do, by name, and how one is opened.

The protocol has named operations, not queries: an implementation is free in how it keeps the records, and a reader
of the package sees every way in which they are touched. `tests/contract` holds all implementations to it.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from quaestor.errors import StoreError
from quaestor.store.records import ExampleRecord, ExampleStatus, RunRecord, RunStatus, TurnRecord


@runtime_checkable
class RunStore(Protocol):
    """Keeps runs, their examples and their turns. Every operation is atomic, and safe beside other processes.

    Every operation may raise StoreError (unreachable, damaged, read-only), and UnknownRunError where the run that it
    names does not exist.
    """

    async def create_run(self, run: RunRecord) -> None:
        """Adds a run. Raises DuplicateRecordError where its id is taken."""
        ...

    async def resume_run(self, run: str) -> None:
        """Sets a run back to `running`."""
        ...

    async def finish_run(self, run: str, status: RunStatus, finished: datetime) -> None:
        """Sets how a run came to its end."""
        ...

    async def runs(self) -> tuple[RunRecord, ...]:
        """Returns all runs, the latest first."""
        ...

    async def run(self, run: str) -> RunRecord:
        """Returns one run. The UnknownRunError names the nearest or latest ids."""
        ...

    async def begin_example(self, example: ExampleRecord) -> None:
        """Notes that a conversation is being played. Raises DuplicateRecordError where it is complete already."""
        ...

    async def complete_example(self, example: ExampleRecord, turns: Sequence[TurnRecord]) -> None:
        """Keeps a conversation's end and all its turns, or nothing.

        An earlier attempt that failed is replaced.

        Raises:
            DuplicateRecordError: The conversation is complete already.
        """
        ...

    async def examples(self, run: str) -> tuple[ExampleRecord, ...]:
        """Returns a run's conversations as far as they were begun, by id."""
        ...

    async def progress(self, run: str) -> Mapping[ExampleStatus, int]:
        """Returns how many of a run's conversations have each status; those never begun are in none."""
        ...

    async def turns(self, run: str, conversation: str | None = None) -> tuple[TurnRecord, ...]:
        """Returns the turns of a run or of one of its conversations, by conversation and index."""
        ...

    async def turn(self, run: str, conversation: str, index: int) -> TurnRecord:
        """Returns one turn. Raises StoreError where the run has no such turn."""
        ...

    async def close(self) -> None:
        """Lets go of files and connections. A second call does nothing."""
        ...

    async def __aenter__(self) -> Self:
        """Returns the store; leaving the block closes it."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the store."""
        ...


def open_store(uri: str, *, create: bool = True) -> RunStore:
    """Opens the store that `uri` names.

    `sqlite:///runs.db` and `runs.db` are the same file in the current directory, `sqlite:////data/runs.db` and
    `/data/runs.db` the same elsewhere (the slashes count as in SQLAlchemy); `sqlite://` lives in memory only.

    Args:
        uri: A URI or a bare path.
        create: Whether a missing store is made; False for commands that only read.

    Raises:
        StoreError: An unknown scheme, or a store that cannot be opened.
    """
    from quaestor.store.sqlite import SqliteStore

    scheme, separator, rest = uri.partition("://")
    if not uri or "\0" in uri:
        raise StoreError(f"{uri!r} names no run store: give sqlite:///PATH or a path")
    if not separator:
        return SqliteStore(Path(uri), create=create)
    if scheme != "sqlite":
        # The rest is not shown: it may hold a password.
        raise StoreError(f"unknown run store scheme {scheme!r}: known are sqlite:///PATH and a bare path")
    if rest and not rest.startswith("/"):
        raise StoreError(f"{uri!r} names a host, and a SQLite store has none: write sqlite:///PATH")
    return SqliteStore(Path(rest[1:]) if rest.strip("/") else None, create=create)
