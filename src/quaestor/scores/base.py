"""What a store of scores can do, by name, and how one is opened.

It is an object of its own beside the run store, and is above everything that answers: whoever holds a run store
has no way to a verdict. `tests/contract` holds all implementations to it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, cast, runtime_checkable

from quaestor.plugins import Registry
from quaestor.scores.columns import JudgedColumns
from quaestor.scores.listing import JudgedTurn, PairCounts, PairFilter, Tally, TurnPair, VerdictFilter
from quaestor.scores.records import ConversationScoreRecord, KeptScore, ScoreRecord, VerdictRecord
from quaestor.store.listing import ListPage, ListPart, TurnClass, TurnFilter


@runtime_checkable
class ScoreStore(Protocol):
    """Keeps the scores of runs: every scoring's figures, and the verdicts of the latest.

    Every operation is safe beside other processes, and may raise StoreError (unreachable, damaged, read-only). With
    its run a score goes too.
    """

    async def add_score(self, kept: KeptScore) -> None:
        """Add a scoring of a run. Its verdicts are in place of those of an earlier one, whose figures stay.

        Raises:
            UnknownRunError: There is no such run.
        """
        ...

    async def scores(self, run: str | None = None) -> tuple[ScoreRecord, ...]:
        """Return the figures of every scoring of a run, or of all runs, the latest first."""
        ...

    async def conversation_scores(self, run: str, *, failed: bool = False) -> tuple[ConversationScoreRecord, ...]:
        """Return how the conversations of a run did in its latest scoring, by id.

        Args:
            failed: Only those that are not all right.
        """
        ...

    async def verdicts(
        self, run: str, conversation: str | None = None, *, correct: bool | None = None
    ) -> tuple[VerdictRecord, ...]:
        """Return the verdicts of a run's latest scoring, by conversation and index; none if there is no scoring.

        Args:
            correct: Only those that are right, or wrong.
        """
        ...

    async def judged_columns(self, run: str) -> JudgedColumns:
        """Return the verdicts of a run's latest scoring with what was answered when it was added."""
        ...

    async def latest_scores(self, runs: Sequence[str]) -> Mapping[str, ScoreRecord]:
        """Return the figures of the latest scoring of some runs, by run; of one without a scoring none."""
        ...

    async def list_turns(
        self, run: str, wanted: TurnFilter, verdicts: VerdictFilter, part: ListPart
    ) -> ListPage[JudgedTurn]:
        """Return turns of a run with the verdicts of its latest scoring.

        Args:
            run: The run's id; of one that is not there the list is empty.
        """
        ...

    async def tally(self, run: str, by: TurnClass) -> Mapping[str | int | None, Tally]:
        """Return how many turns of each class are right in a run's latest scoring.

        Args:
            by: What they are counted by; turns that have no such class are counted under None.
        """
        ...

    async def causes(self, run: str) -> Mapping[str, int]:
        """Return for how many turns each cause is kept in a run's latest scoring, the most frequent first."""
        ...

    async def compare(self, first: str, second: str, wanted: PairFilter, part: ListPart) -> ListPage[TurnPair]:
        """Return turns of two runs side by side, by conversation and index: those that both have."""
        ...

    async def compared(self, first: str, second: str) -> PairCounts:
        """Return how two runs compare over the turns that both have."""
        ...

    async def close(self) -> None:
        """Let go of files and connections. A second call does nothing."""
        ...

    async def __aenter__(self) -> Self:
        """Return the store; leaving the block closes it."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        ...


class ScoreStoreOpener(Protocol):
    """Opens the scores beside the runs of a scheme.

    Another package adds one by an entry point `quaestor.score_stores`, named as the scheme.
    """

    def __call__(self, uri: str, /) -> ScoreStore | None:
        """Return the scores of a store that is there.

        Raises:
            StoreError: It cannot be opened.
        """
        ...


def open_scores(uri: str) -> ScoreStore | None:
    """Open the scores beside the runs of a store.

    Returns:
        None if none are kept: in memory, and in a store of another package that keeps none.

    Raises:
        StoreError: The store cannot be opened.
    """
    scheme, separator, _ = uri.partition("://")
    opener = SCORE_STORES.find(scheme if separator else "sqlite")
    return opener(uri) if opener else None


def _opener(scheme: str, found: object) -> ScoreStoreOpener:
    if not callable(found):
        raise TypeError(f"{type(found).__name__} is not callable; it must open the scores of a {scheme} store")
    return cast("ScoreStoreOpener", found)


def _open_sqlite(uri: str) -> ScoreStore | None:
    from quaestor.scores.sqlite import SqliteScores

    _, separator, rest = uri.partition("://")
    if not separator:
        return SqliteScores(Path(uri), create=False)
    return SqliteScores(Path(rest[1:]), create=False) if rest.strip("/") else None


def _open_mongo(uri: str) -> ScoreStore:
    from quaestor.scores.mongo import MongoScores

    return MongoScores(uri)


SCORE_STORES: Registry[ScoreStoreOpener] = Registry(
    "quaestor.score_stores",
    "score store",
    {
        "sqlite": f"{__name__}:_open_sqlite",
        "mongodb": f"{__name__}:_open_mongo",
        "mongodb+srv": f"{__name__}:_open_mongo",
    },
    _opener,
)
"""What opens the scores of a store, by the scheme of its URI."""
