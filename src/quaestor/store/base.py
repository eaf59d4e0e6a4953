"""What a run store can do, by name, and how one is opened.

The protocol has named operations, not queries: an implementation is free in how it keeps the records, and a reader
of the package sees every way in which they are touched. `tests/contract` holds all implementations to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, cast, runtime_checkable

from quaestor.core.triples import Triple
from quaestor.errors import StoreError
from quaestor.extras import require_extra
from quaestor.plugins import Registry
from quaestor.store.listing import (
    ConversationCounts,
    ListPage,
    ListPart,
    RunChoices,
    RunFilter,
    TurnClass,
    TurnCounts,
    TurnFilter,
    TurnListing,
)
from quaestor.store.records import (
    Claim,
    ConversationRecord,
    CorrectionRecord,
    ExampleStatus,
    GraphKey,
    OntologyRecord,
    PromptRecord,
    RunRecord,
    RunStatus,
    TurnRecord,
    now,
)
from quaestor.store.turn_measures import RunMeasures


@runtime_checkable
class RunStore(Protocol):
    """Keeps runs with their examples, turns, prompts, corrections and graphs; ontologies, and frozen graphs of pages.

    Every operation is atomic, and safe beside other processes. Triples are sets: repeats are kept once.

    Every operation may raise StoreError (unreachable, damaged, read-only), and UnknownRunError where the run that it
    names does not exist.
    """

    async def create_run(self, run: RunRecord) -> None:
        """Add a run. Raises DuplicateRecordError where its id is taken."""
        ...

    async def resume_run(self, run: str) -> None:
        """Set a run back to `running`."""
        ...

    async def finish_run(self, run: str, status: RunStatus, finished: datetime) -> None:
        """Set how a run came to its end."""
        ...

    async def delete_run(self, run: str) -> None:
        """Take a run away for good, with its conversations, turns, prompts, corrections, graphs and scores.

        Ontologies stay. A process that still plays the run finds it gone and stops with UnknownRunError.
        """
        ...

    async def runs(self) -> tuple[RunRecord, ...]:
        """Return all runs, the latest first."""
        ...

    async def list_runs(self, wanted: RunFilter, part: ListPart) -> ListPage[RunRecord]:
        """Return runs, the latest first."""
        ...

    async def run_choices(self) -> RunChoices:
        """Return what there is to filter runs over datasets by: all that some run has."""
        ...

    async def run(self, run: str) -> RunRecord:
        """Return one run. The UnknownRunError names the nearest or latest ids."""
        ...

    async def begin_example(self, example: ConversationRecord, claim: Claim | None = None) -> int:
        """Note that a conversation is being played, as another attempt, and return the number of the attempt.

        From then on the new attempt counts; turns and prompts of earlier ones stay, and are read by their number.

        Args:
            claim: Claims it for a runner, until it comes to its end, the time is over, or the claim is given back.
                Without one nobody else is expected, and claims are not minded.

        Raises:
            ClaimedError: Another runner has claimed it, or played it since.
            DuplicateRecordError: The conversation is complete already.
        """
        ...

    async def pending(self, run: str) -> Mapping[str, str | None]:
        """Return the conversations of a run that were begun and have not ended, each with who holds a claim on it."""
        ...

    async def renew_claims(self, run: str, owner: str, seconds: float) -> None:
        """Hold the claims of a runner on conversations that it plays.

        Args:
            seconds: For how long from now on; 0 gives them back.
        """
        ...

    async def save_turn(self, turn: TurnRecord) -> None:
        """Keep a turn as far as it is, instead of what was kept of it before in the same attempt.

        Raises:
            StoreError: Its conversation was never begun.
        """
        ...

    async def complete_example(self, example: ConversationRecord, turns: Sequence[TurnRecord]) -> None:
        """Keep a conversation's end, with the turns given, or nothing. The attempt that it names counts.

        Args:
            example: How it ended, with the number of its attempt.
            turns: Those of its turns that are not kept yet; one that is, is replaced.

        Raises:
            DuplicateRecordError: The conversation is complete already, or two turns have one index.
        """
        ...

    async def examples(self, run: str, *, incomplete: bool = False) -> tuple[ConversationRecord, ...]:
        """Return a run's conversations as far as they were begun, by id: all, or those that are not complete."""
        ...

    async def count_examples(self, run: str) -> ConversationCounts:
        """Return a run's conversations as far as they were begun, counted."""
        ...

    async def progress(self, run: str) -> Mapping[ExampleStatus, int]:
        """Return how many of a run's conversations have each status; those never begun are in none."""
        ...

    async def turns(
        self, run: str, conversation: str | None = None, attempt: int | None = None
    ) -> tuple[TurnRecord, ...]:
        """Return the turns of a run or of one of its conversations, by conversation and index, as far as they are.

        Args:
            conversation: The conversation's id; None is all of them.
            attempt: Which attempt at it, from 1; None is the one that counts.
        """
        ...

    async def list_turns(self, run: str, wanted: TurnFilter, part: ListPart) -> ListPage[TurnListing]:
        """Return turns of a run as a list shows them, those of the attempts that count.

        Args:
            wanted: Which turns, and in which order.
        """
        ...

    async def count_turns(self, run: str, by: TurnClass) -> TurnCounts:
        """Return how many turns of a run have each class, of the attempts that count.

        Args:
            by: What they are counted by; turns that have no such class are counted under None.
        """
        ...

    async def measure_turns(self, run: str) -> RunMeasures:
        """Return what the turns of a run took, of the attempts that count; no turn is read for it."""
        ...

    async def turn(self, run: str, conversation: str, index: int, attempt: int | None = None) -> TurnRecord:
        """Return one turn.

        Args:
            index: The turn's place in the conversation, from 0.
            attempt: Which attempt at it, from 1; None is the one that counts.

        Raises:
            StoreError: The run has no such turn.
        """
        ...

    async def log_prompt(self, prompt: PromptRecord) -> None:
        """Keep a request to a model and its reply. Raises DuplicateRecordError where its key is taken."""
        ...

    async def prompts(
        self, run: str, conversation: str, turn: int | None = None, attempt: int | None = None
    ) -> tuple[PromptRecord, ...]:
        """Return the prompts of a conversation or of one of its turns, in the order of turns and numbers.

        Args:
            turn: The turn's place in the conversation, from 0; None is all turns.
            attempt: Which attempt at the conversation, from 1; None is the one that counts.
        """
        ...

    async def add_correction(self, correction: CorrectionRecord) -> None:
        """Keep what a person corrected, beside the turns, which stay as they are.

        Raises:
            StoreError: Its conversation was never begun.
            DuplicateRecordError: Its key is taken.
        """
        ...

    async def corrections(
        self, run: str, conversation: str | None = None, attempt: int | None = None
    ) -> tuple[CorrectionRecord, ...]:
        """Return the corrections of a run or of one of its conversations, by conversation and number.

        Args:
            conversation: The conversation's id; None is all of them.
            attempt: Which attempt at it, from 1; None is the one that counts.
        """
        ...

    async def save_ontology(self, digest: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep a frozen ontology under the digest of its content; one that is there already stays."""
        ...

    async def load_ontology(self, digest: str) -> tuple[Triple, ...]:
        """Return an ontology's triples, sorted. Raises StoreError if it is not there; the latest are named."""
        ...

    async def ontologies(self) -> tuple[OntologyRecord, ...]:
        """Return what ontologies are kept, the latest first."""
        ...

    async def freeze_graph(self, key: GraphKey, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep the graph of a page for all runs, instead of one that may be there.

        Args:
            triples: Subject, predicate and object of each, in any order.
        """
        ...

    async def frozen_graph(self, key: GraphKey) -> tuple[Triple, ...]:
        """Return a frozen graph's triples, sorted. Raises StoreError where none is kept."""
        ...

    async def frozen_graphs(self, ontology: str | None = None) -> tuple[GraphKey, ...]:
        """Return what graphs are frozen: all, or those that were built with one ontology, by document."""
        ...

    async def save_graph(self, run: str, conversation: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep the graph of a conversation's document, instead of one that may be there.

        Args:
            triples: Subject, predicate and object of each, in any order.
        """
        ...

    async def load_graph(self, run: str, conversation: str) -> tuple[Triple, ...]:
        """Return a graph's triples, sorted. Raises StoreError where none is kept."""
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


async def time_of_new_run(store: RunStore) -> datetime:
    """Return when a run is created: after all others of a store, though the clock was put back since.

    Runs are in the order of these times: the latest is the one that was created last.
    """
    latest = (await store.list_runs(RunFilter(), ListPart(limit=1))).items
    return max([now(), *(run.started + timedelta(milliseconds=1) for run in latest)])


def open_store(uri: str, *, create: bool = True) -> RunStore:
    """Open the store that `uri` names.

    `sqlite:///runs.db` and `runs.db` are the same file in the current directory, `sqlite:////data/runs.db` and
    `/data/runs.db` the same elsewhere (the slashes count as in SQLAlchemy); `sqlite://` lives in memory only.
    `mongodb://host/database` and `mongodb+srv://...` are a database of a MongoDB server, asked from the first
    operation on. Other packages add other schemes.

    Args:
        uri: A URI or a bare path.
        create: Whether a missing store is made; False for commands that only read.

    Raises:
        StoreError: An unknown scheme, or a store that cannot be opened.
        SettingsError: A MongoDB server is named, and the extra `mongo` is not installed.
    """
    scheme, separator, _ = uri.partition("://")
    if not uri or "\0" in uri:
        raise StoreError(f"{uri!r} is not a run store; give sqlite:///PATH, a path or mongodb://HOST/DATABASE")
    if not separator:
        from quaestor.store.sqlite import SqliteStore

        return SqliteStore(Path(uri), create=create)
    opener = STORES.find(scheme)
    if opener is None:
        # The rest is not shown: it may hold a password.
        written = {"sqlite": "sqlite:///PATH, a bare path", "mongodb": "mongodb://HOST/DATABASE", "mongodb+srv": ""}
        *known, last = filter(None, (written.get(name, f"{name}://") for name in STORES.names()))
        raise StoreError(f"unknown run store scheme {scheme!r}; choose from {', '.join(known)} and {last}")
    return opener(uri, create=create)


class StoreOpener(Protocol):
    """Opens the stores of a scheme.

    Another package adds one by an entry point `quaestor.stores`, named as the scheme.
    """

    def __call__(self, uri: str, /, *, create: bool) -> RunStore:
        """Return the store of a URI, not asked yet.

        Args:
            uri: As a person gave it, with its scheme.
            create: Whether a missing store is made.

        Raises:
            StoreError: It cannot be opened.
        """
        ...


def _opener(scheme: str, found: object) -> StoreOpener:
    if not callable(found):
        raise TypeError(f"it is {type(found).__name__} and cannot be called with the URI of a {scheme} store")
    return cast("StoreOpener", found)


def _open_sqlite(uri: str, *, create: bool) -> RunStore:
    from quaestor.store.sqlite import SqliteStore

    rest = uri.partition("://")[2]
    if rest and not rest.startswith("/"):
        raise StoreError(f"{uri!r} contains a host, but a SQLite store is a local file; write sqlite:///PATH")
    return SqliteStore(Path(rest[1:]) if rest.strip("/") else None, create=create)


def _open_mongo(uri: str, *, create: bool) -> RunStore:
    require_extra("mongo", "a store on MongoDB")
    from quaestor.store.mongo import MongoStore

    return MongoStore(uri, create=create)


STORES: Registry[StoreOpener] = Registry(
    "quaestor.stores",
    "run store",
    {
        "sqlite": f"{__name__}:_open_sqlite",
        "mongodb": f"{__name__}:_open_mongo",
        "mongodb+srv": f"{__name__}:_open_mongo",
    },
    _opener,
)
"""What opens a store, by the scheme of its URI."""


def shown_uri(uri: str) -> str:
    """Return a store's URI for people: without user, password and options.

    >>> shown_uri("mongodb://ada:secret@localhost/quaestor?authSource=admin")
    'mongodb://localhost/quaestor'
    """
    scheme, separator, rest = uri.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}" if separator else uri
