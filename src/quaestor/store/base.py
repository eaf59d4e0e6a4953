"""The run store: all operations on runs, turns, prompts, corrections, graphs and ontologies.

Operations are methods with names, so that all access to the records is visible here. They are implemented once, over
the tables of a database. `quaestor.testing` has the tests for every database.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, astuple, replace
from datetime import datetime, timedelta
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, cast, get_args

from quaestor.core.serial import Triple
from quaestor.errors import ClaimedError, DuplicateRecordError, StoreError
from quaestor.extras import require_extra
from quaestor.plugins import Registry
from quaestor.store.contents import Contents, WrittenGraph, text_to_triples
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
    MOST_SECONDS,
    Claim,
    ConversationRecord,
    CorrectionRecord,
    ExampleStatus,
    GraphKey,
    OntologyRecord,
    PromptRecord,
    RunRecord,
    RunStatus,
    StoreCheck,
    TurnRecord,
    VacuumResult,
    now,
)
from quaestor.store.tables import (
    KEYS,
    LATEST_TURNS,
    OF_RUNS,
    Among,
    Between,
    Containing,
    Exactly,
    KeyTakenError,
    Other,
    Row,
    Tables,
    TableStore,
    columns_of,
    compute_for,
    operation,
    record_of,
    row_of,
)
from quaestor.store.turn_summary import COUNTED, RunMeasures, sum_measures, summary_row

_LATEST, _NEWEST = ("-started", "-id"), ("-created", "-id")
_CLAIM = ("attempt", "status", "claim_owner", "claim_until")
_TEXTS = ("prompt", "response")
_UNCLAIMED = {"claim_owner": None, "claim_until": None}
TURN_ORDERS = {"conversation": ("conversation", "index"), "confidence": ("confidence", "conversation", "index")}


class RunStore(TableStore):
    """Stores runs with their examples, turns, prompts, corrections and graphs; ontologies; and frozen graphs of pages.

    Every operation is atomic and safe with concurrent processes. Triples are sets: duplicates are stored once.

    Every operation may raise StoreError (unreachable, damaged, read-only), and UnknownRunError if its run does not
    exist. `attempt` selects the attempt at a conversation to read, from 1; None selects the current one.
    """

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables)
        self._contents = Contents(tables)

    @operation("write to")
    async def create_run(self, run: RunRecord) -> None:
        """Add a run. Raises DuplicateRecordError if its id exists."""
        await self._add("runs", row_of(run), f"a run {run.id!r}")

    @operation("write to")
    async def resume_run(self, run: str) -> None:
        """Set the status of a run back to `running`."""
        await self._set_status(run, "running", None)

    @operation("write to")
    async def finish_run(self, run: str, status: RunStatus, finished: datetime) -> None:
        """Set the final status of a run."""
        await self._set_status(run, status, finished)

    async def _set_status(self, run: str, status: RunStatus, finished: datetime | None) -> None:
        if not await self._tables.change("runs", {"id": run}, {"status": status, "finished": finished}):
            raise await self._unknown_run(run)

    @operation("write to")
    async def delete_run(self, run: str) -> None:
        """Delete a run permanently, with its conversations, turns, prompts, corrections, graphs and scores.

        Ontologies remain. A process that is still running it stops with UnknownRunError. The run's own row is deleted
        last, so that an interrupted deletion can be repeated.
        """
        if self._tables.done_before and not await self._tables.find("runs", ("id",), {"id": run}):
            return
        await self._require(run)
        prompts = await self._tables.find("prompt_logs", _TEXTS, {"run": run})
        graphs = await self._tables.find("graphs", ("content",), {"run": run})
        used = {text for row in (*prompts, *graphs) for text in row.values()}
        for table in OF_RUNS:
            await self._tables.delete(table, {"run": run})
        await self._tables.delete("runs", {"id": run})
        await self._contents.free(used)

    @operation("read")
    async def runs(self) -> tuple[RunRecord, ...]:
        """Return all runs, latest first."""
        return await self._records(RunRecord, "runs", {}, _LATEST)

    @operation("read")
    async def list_runs(self, wanted: RunFilter, part: ListPart) -> ListPage[RunRecord]:
        """Return matching runs, latest first."""
        provider, _, model = (wanted.model or "").partition(":")
        where = {
            "kind": None if wanted.kinds is None else Among(wanted.kinds),
            "dataset": None if wanted.datasets is None else Among(wanted.datasets),
            "spec.solver": wanted.solver,
            "spec.model.provider": provider or None,
            "spec.model.model": model or None,
            "status": wanted.status,
        }
        found = await self._records(RunRecord, "runs", where, _LATEST, part)
        return part.page(found, await self._total("runs", where))

    @operation("read")
    async def run_choices(self) -> RunChoices:
        """Return the values to filter runs over datasets by: all that occur in a run."""
        names = ("dataset", "spec.solver", "spec.model.provider", "spec.model.model")
        found = await self._tables.count("runs", names, {"kind": Other("ask")})
        models = {f"{provider}:{model}" for _, _, provider, model, _ in found if provider and model}
        datasets, solvers = ({row[place] for row in found} - {None} for place in (0, 1))
        return RunChoices(tuple(sorted(datasets)), tuple(sorted(solvers)), tuple(sorted(models)))

    @operation("read")
    async def run(self, run: str) -> RunRecord:
        """Return a run. If it is unknown, the UnknownRunError suggests similar or recent ids."""
        for found in await self._records(RunRecord, "runs", {"id": run}):
            return found
        raise await self._unknown_run(run)

    @operation("write to")
    async def begin_example(self, example: ConversationRecord, claim: Claim | None = None) -> int:
        """Begin another attempt at a conversation, and return the number of the attempt.

        From now on the new attempt is the current one; turns and prompts of earlier attempts remain readable by number.
        Without a claim, no other runner is expected, and claims are ignored.

        Raises:
            ClaimedError: Another runner has claimed it, or has run it since.
            DuplicateRecordError: The conversation is already complete.
        """
        while True:
            before = await self._find_unfinished(example)
            clock = await self._tables.clock() if claim else 0.0
            again = bool(claim and before and self._check_claim(example, claim, before, clock))
            attempt = before["attempt"] + (not again) if before else 1
            claimed = {"claim_owner": claim.owner, "claim_until": clock + claim.seconds} if claim else _UNCLAIMED
            row = row_of(replace(example, attempt=attempt)) | claimed
            # Written only if no other process has begun an attempt since the read.
            if again or await self._swap_example(row, before):
                await self._supersede(replace(example, attempt=attempt))
                return attempt

    async def _find_unfinished(self, example: ConversationRecord) -> Row | None:
        """Return the row of a conversation, or None; raise DuplicateRecordError if it is complete."""
        found = await self._tables.find("examples", _CLAIM, _place(example))
        if not found:
            await self._require(example.run)
        if found and found[0]["status"] == "complete":
            raise DuplicateRecordError(
                f"{_describe(example)} is already complete ({self._name}); is another process finishing this run?"
            )
        return found[0] if found else None

    async def _swap_example(self, row: Row, before: Row | None) -> bool:
        """Write a conversation if its row still equals `before` (None: does not exist)."""
        if before is None:
            try:
                await self._tables.insert("examples", [row])
            except KeyTakenError:
                return False
            return True
        seen = {name: Exactly(before.get(name)) for name in _CLAIM}
        place = {name: row[name] for name in KEYS["examples"]}
        return bool(await self._tables.change("examples", place | seen, row))

    async def _supersede(self, example: ConversationRecord) -> None:
        """Mark the turns of all other attempts as superseded, for stores that list turns by this flag."""
        others = _place(example) | {"attempt": Other(example.attempt)}
        await self._tables.change("turns", others, {"superseded": True})

    def _check_claim(self, example: ConversationRecord, claim: Claim, found: Row, now: float) -> bool:
        """Return whether this claim has already begun the conversation; raise ClaimedError if another one has."""
        owner = found.get("claim_owner")
        if found["status"] != "pending":
            if found["attempt"] > claim.seen:
                raise ClaimedError(f"{_describe(example)} has been run by another process ({self._name})", None)
            return False
        if owner == claim.owner:
            return True
        if owner not in (None, claim.over) and _is_active(found, now):
            raise ClaimedError(f"{_describe(example)} is being run by another process ({self._name})", owner)
        return False

    @operation("read")
    async def pending(self, run: str) -> Mapping[str, str | None]:
        """Return a run's conversations that were begun and have not ended, with the owners of active claims or None."""
        await self._require(run)
        where = {"run": run, "status": "pending"}
        found = await self._tables.find("examples", ("conversation", *_CLAIM), where, ("conversation",))
        clock = await self._tables.clock()
        return {row["conversation"]: row["claim_owner"] if _is_active(row, clock) else None for row in found}

    @operation("write to")
    async def renew_claims(self, run: str, owner: str, seconds: float) -> None:
        """Extend the claims of a runner on conversations by `seconds` from now; 0 releases them."""
        until = await self._tables.clock() + seconds
        await self._tables.change("examples", {"run": run, "claim_owner": owner}, {"claim_until": until})

    @operation("write to")
    async def save_turn(self, turn: TurnRecord) -> None:
        """Store a turn as far as it has got, replacing its earlier state in the same attempt."""
        await self._require_example(turn)
        await self._tables.replace("turns", [_turn_row(turn)])

    @operation("write to")
    async def complete_example(self, example: ConversationRecord, turns: Sequence[TurnRecord]) -> None:
        """Store the end of a conversation with its new or changed turns, all or nothing; its attempt becomes current.

        Raises:
            DuplicateRecordError: The conversation is already complete, or two turns have the same index.
        """
        if len({turn.index for turn in turns}) < len(turns):
            raise DuplicateRecordError(f"two turns of {_describe(example)} have the same index")
        if not (self._tables.done_before and await self._is_stored("examples", row_of(example), _place(example))):
            before = await self._find_unfinished(example)
            if not before and self._tables.transactional:  # turns refer to this row
                before = row_of(replace(example, status="pending")) | _UNCLAIMED
                await self._tables.insert("examples", [before])
            if turns:
                await self._tables.replace("turns", [_turn_row(turn) for turn in turns])
            # The example decides which attempt is current, so it is written last.
            while not await self._swap_example(row_of(example) | _UNCLAIMED, before):
                before = await self._find_unfinished(example)
        await self._supersede(example)

    @operation("read")
    async def examples(self, run: str, *, incomplete: bool = False) -> tuple[ConversationRecord, ...]:
        """Return the conversations of a run that were begun, by id: all, or only incomplete ones."""
        await self._require(run)
        others = Among([status for status in get_args(ExampleStatus) if status != "complete"])
        where = {"run": run, "status": others if incomplete else None}
        return await self._records(ConversationRecord, "examples", where, ("conversation",))

    @operation("read")
    async def count_examples(self, run: str) -> ConversationCounts:
        """Return counts of the conversations of a run that were begun."""
        await self._require(run)
        found = await self._tables.find("examples", ("status", "turns", "kg_stats", "usage"), {"run": run})
        graphs, used = [row["kg_stats"] for row in found if row.get("kg_stats")], Counter[str]()
        for row in found:
            used.update(row.get("usage") or {})
        return ConversationCounts(
            dict(Counter(row["status"] for row in found)),
            sum(row["turns"] for row in found),
            len(graphs),
            sum(graph.get("frozen") is not None for graph in graphs),
            dict(used),
        )

    @operation("read")
    async def progress(self, run: str) -> Mapping[ExampleStatus, int]:
        """Count the conversations of a run by status; those not begun are not counted."""
        await self._require(run)
        return dict(await self._tables.count("examples", ("status",), {"run": run}))

    @operation("read")
    async def turns(
        self, run: str, conversation: str | None = None, attempt: int | None = None
    ) -> tuple[TurnRecord, ...]:
        """Return the turns of a run or of one conversation, by conversation and index, including unfinished ones."""
        return await self._turns(run, conversation, attempt)

    async def _turns(
        self, run: str, conversation: str | None, attempt: int | None, index: int | None = None
    ) -> tuple[TurnRecord, ...]:
        await self._require(run)
        where = {"run": run, "conversation": conversation, "index": index, "attempt": attempt}
        table = LATEST_TURNS if attempt is None else "turns"
        return await self._records(TurnRecord, table, where, TURN_ORDERS["conversation"])

    @operation("read")
    async def list_turns(self, run: str, wanted: TurnFilter, part: ListPart) -> ListPage[TurnListing]:
        """Return list entries for the turns of a run, from the current attempts."""
        await self._require(run)
        order, where = filter_of(run, wanted)
        rows = await self._tables.find(LATEST_TURNS, columns_of(TurnListing), where, order, part)
        return part.page(map(listing_of, rows), await self._total(LATEST_TURNS, where))

    @operation("read")
    async def count_turns(self, run: str, by: TurnClass) -> TurnCounts:
        """Count the turns of a run in each class, from the current attempts; turns without a class are under None."""
        await self._require(run)
        return dict(await self._tables.count(LATEST_TURNS, (by,), {"run": run}))

    @operation("read")
    async def measure_turns(self, run: str) -> RunMeasures:
        """Return the measures of a run's turns, from the current attempts, without reading the turns themselves."""
        await self._require(run)
        outcomes = ("refusals", "no_answer", "number?", "verified", "status", "stages")
        rows = await self._tables.count(LATEST_TURNS, (*COUNTED, *outcomes), {"run": run})
        ended = len(COUNTED) + outcomes.index("status")
        return sum_measures((*row[:ended], row[ended] == "complete", *row[ended + 1 :]) for row in rows)

    @operation("read")
    async def turn(self, run: str, conversation: str, index: int, attempt: int | None = None) -> TurnRecord:
        """Return the turn at an index of a conversation, from 0. Raises StoreError if it does not exist."""
        found = await self._turns(run, conversation, attempt, index) or await self._turns(run, conversation, attempt)
        for turn in found:
            if turn.index == index:
                return turn
        count = f"it has {len(found)} turns, counted from 0" if found else "it has no turns"
        raise StoreError(f"turn {index} of conversation {conversation!r} does not exist in run {run!r}; {count}")

    @operation("write to")
    async def log_prompt(self, prompt: PromptRecord) -> None:
        """Store a model request and its reply. Raises DuplicateRecordError if its key exists."""
        await self._require(prompt.run)
        row = await self._contents.put_columns(row_of(prompt), *_TEXTS)
        what = f"prompt {prompt.number} of turn {prompt.turn} of {_describe(prompt)}"
        await self._add("prompt_logs", row, f"{what}; is another process running this conversation?")

    @operation("read")
    async def prompts(
        self, run: str, conversation: str, turn: int | None = None, attempt: int | None = None
    ) -> tuple[PromptRecord, ...]:
        """Return the prompts of a conversation or of one of its turns (from 0), by turn and number."""
        await self._require(run)
        if attempt is None:
            found = await self._tables.find("examples", ("attempt",), {"run": run, "conversation": conversation})
            attempt = found[0]["attempt"] if found else 1
        where = {"run": run, "conversation": conversation, "turn": turn, "attempt": attempt}
        rows = await self._tables.find("prompt_logs", columns_of(PromptRecord), where, ("turn", "number"))
        texts = await self._contents.texts(row[name] for row in rows for name in _TEXTS)
        return tuple(record_of(PromptRecord, row | {name: texts.get(row[name]) for name in _TEXTS}) for row in rows)

    @operation("write to")
    async def add_correction(self, correction: CorrectionRecord) -> None:
        """Store a person's correction; the turns remain unchanged."""
        await self._require_example(correction)
        what = f"correction {correction.number} of {_describe(correction)}; is another process correcting it?"
        await self._add("corrections", row_of(correction), what)

    @operation("read")
    async def corrections(
        self, run: str, conversation: str | None = None, attempt: int | None = None
    ) -> tuple[CorrectionRecord, ...]:
        """Return the corrections of a run or of one conversation, by conversation and number."""
        await self._require(run)
        where = {"run": run, "conversation": conversation}
        counting = await self._tables.find("examples", ("conversation", "attempt"), where)
        counts = {row["conversation"]: row["attempt"] for row in counting}
        found = await self._records(CorrectionRecord, "corrections", where, ("conversation", "number"))
        return tuple(one for one in found if one.attempt == (attempt or counts.get(one.conversation)))

    @operation("write to")
    async def save_ontology(self, digest: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Store a frozen ontology under the digest of its content, unless it is already stored."""
        if not await self._tables.find("ontologies", ("digest",), {"digest": digest}):
            common = {"digest": digest, "created": now()}
            if not self._tables.transactional:  # shown to people who query the server
                with suppress(KeyTakenError):  # another process may write it concurrently
                    shown = ({"s": s, "p": p, "o": o, **common} for s, p, o in triples)
                    await self._tables.insert("ontology", shown)
            written = await compute_for(self._tables, WrittenGraph.of, triples)
            row = {**common, "triples": written.size, "content": written.text}
            await self._tables.replace("ontologies", [await self._contents.put_columns(row, "content")])

    @operation("read")
    async def load_ontology(self, digest: str) -> tuple[Triple, ...]:
        """Return an ontology's triples, sorted. Raises StoreError if it is missing, and lists the latest digests."""
        found = await self._tables.find("ontologies", ("content",), {"digest": digest})
        if not found:
            latest = await self._records(OntologyRecord, "ontologies", {}, _NEWEST, ListPart(limit=3))
            known = ", ".join(one.digest for one in latest)
            hint = f"the latest are {known}" if known else "it contains no ontologies"
            raise StoreError(f"{self._name} does not contain ontology {digest!r}; {hint}")
        return await self._triples(found[0]["content"])

    @operation("read")
    async def ontologies(self) -> tuple[OntologyRecord, ...]:
        """Return the stored ontologies, latest first."""
        return await self._records(OntologyRecord, "ontologies", {}, _NEWEST)

    @operation("write to")
    async def freeze_graph(self, key: GraphKey, triples: Iterable[tuple[str, str, str]]) -> None:
        """Store the graph of a page for all runs, replacing an existing one; triples in any order."""
        await self._put_graph("frozen_graphs", asdict(key), triples)

    @operation("read")
    async def frozen_graph(self, key: GraphKey) -> tuple[Triple, ...]:
        """Return a frozen graph's triples, sorted. Raises StoreError if it is missing."""
        what = f"a frozen graph of {key.document} with ontology {key.ontology[:12]}"
        return await self._graph("frozen_graphs", asdict(key), what)

    @operation("read")
    async def frozen_graphs(self, ontology: str | None = None) -> tuple[GraphKey, ...]:
        """Return the keys of all frozen graphs, or of those built with one ontology, by document."""
        found = await self._records(GraphKey, "frozen_graphs", {"ontology": ontology})
        return tuple(sorted(found, key=astuple))

    @operation("write to")
    async def save_graph(self, run: str, conversation: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Store the graph of a conversation's document, replacing an existing one; triples in any order."""
        await self._require(run)
        await self._put_graph("graphs", {"run": run, "conversation": conversation}, triples)

    @operation("read")
    async def load_graph(self, run: str, conversation: str) -> tuple[Triple, ...]:
        """Return a graph's triples, sorted. Raises StoreError if it is missing."""
        await self._require(run)
        what = f"a graph of conversation {conversation!r} in run {run!r}"
        return await self._graph("graphs", {"run": run, "conversation": conversation}, what)

    async def _put_graph(self, table: str, key: Mapping[str, str], triples: Iterable[tuple[str, str, str]]) -> None:
        """Store a graph under its key, and free the content that it replaces unless something else uses it."""
        written = await compute_for(self._tables, WrittenGraph.of, triples)
        before = await self._tables.find(table, ("content",), key)
        row = {**key, "created": now(), "content": written.text, "triples": written.size}
        row = await self._contents.put_columns(row, "content")
        await self._tables.replace(table, [row])
        await self._contents.free({one["content"] for one in before} - {row["content"]})

    async def _graph(self, table: str, key: Mapping[str, str], what: str) -> tuple[Triple, ...]:
        found = await self._tables.find(table, ("content",), key)
        if not found:
            raise StoreError(f"{self._name} does not contain {what}")
        return await self._triples(found[0]["content"])

    async def _triples(self, content: Any) -> tuple[Triple, ...]:
        (text,) = (await self._contents.texts([content])).values()
        return await compute_for(self._tables, text_to_triples, text)

    @operation("read")
    async def check(self) -> StoreCheck:
        """Read the whole store and report damage."""
        if damage := await self._tables.find_damage():  # checks at a higher level would not be reliable
            return StoreCheck(tuple(damage), 0, 0)
        problems, contents, unused = await self._contents.check()
        for table, run in await self._deleted_runs():
            problems.append(f"{table} has records of run {run!r}, which does not exist")
        for row in await self._tables.find("runs", ("id",), {}):
            problems += await self._find_missing_turns(row["id"])
        return StoreCheck(tuple(problems), contents, unused)

    async def _find_missing_turns(self, run: str) -> list[str]:
        found = await self._tables.count("turns", ("conversation", "attempt"), {"run": run})
        turn_counts = {(conversation, attempt): count for conversation, attempt, count in found}
        columns = ("conversation", "attempt", "turns")
        ended = await self._tables.find("examples", columns, {"run": run, "status": "complete"}, ("conversation",))
        return [
            f"conversation {name!r} of run {run!r} has {stored} of its {turns} turns"
            for name, attempt, turns in map(itemgetter(*columns), ended)
            if (stored := turn_counts.get((name, attempt), 0)) < turns
        ]

    async def _deleted_runs(self) -> list[tuple[str, str]]:
        """Return the tables that have records of deleted runs, with the ids of these runs."""
        known = {row["id"] for row in await self._tables.find("runs", ("id",), {})}
        found = {table: await self._tables.count(table, ("run",), {}) for table in OF_RUNS}
        return [(table, run) for table, rows in found.items() for run, _ in rows if run not in known]

    async def vacuum(self) -> VacuumResult:
        """Delete unreferenced records and compact the database file."""
        contents, left = await self._sweep()
        before, after = await self._tables.compact() or (None, None)
        return VacuumResult(contents, left, before, after)

    @operation("write to")
    async def _sweep(self) -> tuple[int, int]:
        left = [await self._tables.delete(table, {"run": run}) for table, run in await self._deleted_runs()]
        return await self._contents.sweep(), sum(left)

    async def _require_example(self, record: TurnRecord | CorrectionRecord) -> None:
        if not await self._tables.find("examples", ("attempt",), _place(record)):
            await self._require(record.run)
            raise StoreError(f"{self._name} does not contain {_describe(record)}; begin it first")

    async def _add(self, table: str, row: Row, what: str) -> None:
        try:
            await self._tables.insert(table, [row])
        except KeyTakenError as error:
            # The operation may have succeeded before, with only the reply lost.
            if not (self._tables.done_before and await self._is_stored(table, row, row)):
                raise DuplicateRecordError(f"{self._name} already contains {what}") from error

    async def _is_stored(self, table: str, row: Row, place: Mapping[str, Any]) -> bool:
        key = {name: place[name] for name in KEYS[table]}
        return row in await self._tables.find(table, tuple(row), key)


def _place(record: ConversationRecord | TurnRecord | CorrectionRecord) -> dict[str, str]:
    return {"run": record.run, "conversation": record.conversation}


def _turn_row(turn: TurnRecord) -> Row:
    row = row_of(turn)
    return row | summary_row(row)


def _describe(record: ConversationRecord | TurnRecord | CorrectionRecord | PromptRecord) -> str:
    return f"conversation {record.conversation!r} of run {record.run!r}"


def _is_active(row: Row, now: float) -> bool:
    """Return whether a claim is active; one far in the future was made before the clock was set back."""
    return now < (row.get("claim_until") or 0.0) <= now + MOST_SECONDS


def filter_of(run: str, wanted: TurnFilter) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the order and the condition of a filter of turns."""
    where = {
        "run": run,
        "conversation": wanted.conversation,
        "index": wanted.index,
        "kind": wanted.kind,
        "operation": wanted.operation,
        "origin": wanted.origin,
        "confidence": None if wanted.low is None and wanted.high is None else Between(wanted.low, wanted.high),
        "question": Containing(wanted.text) if wanted.text else None,
    }
    return TURN_ORDERS[wanted.order], where


def listing_of(row: Row) -> TurnListing:
    """Return the list entry of a turn's row."""
    found: dict[str, Any] = {name: row.get(name) for name in columns_of(TurnListing)}
    return TurnListing(**found)


async def time_of_new_run(store: RunStore) -> datetime:
    """Return the creation time for a new run: later than all runs of the store, even if the clock was set back."""
    latest = (await store.list_runs(RunFilter(), ListPart(limit=1))).items
    return max([now(), *(run.started + timedelta(milliseconds=1) for run in latest)])


def open_store(uri: str, *, create: bool = True) -> RunStore:
    """Open the store at a URI.

    `sqlite:///runs.db` and `runs.db` are the same file in the current directory, `sqlite:////data/runs.db` and
    `/data/runs.db` the same absolute path (slashes count as in SQLAlchemy); `sqlite://` exists only in memory.
    `mongodb://host/database` and `mongodb+srv://...` are databases of a MongoDB server, which is contacted by the first
    operation. Other packages can add schemes.

    Raises:
        StoreError: Unknown scheme, or the store cannot be opened.
        SettingsError: The URI names a MongoDB server, and the extra `mongo` is not installed.
    """
    scheme, separator, _ = uri.partition("://")
    if not uri or "\0" in uri:
        raise StoreError(f"{uri!r} is not a run store; give sqlite:///PATH, a path or mongodb://HOST/DATABASE")
    if not separator:
        from quaestor.store.sqlite import SqliteStore

        return SqliteStore(Path(uri), create=create)
    opener = STORES.find(scheme)
    if opener is None:
        # The rest of the URI is not shown, as it may contain a password.
        written = {"sqlite": "sqlite:///PATH, a bare path", "mongodb": "mongodb://HOST/DATABASE", "mongodb+srv": ""}
        *known, last = filter(None, (written.get(name, f"{name}://") for name in STORES.names()))
        raise StoreError(f"unknown run store scheme {scheme!r}; choose from {', '.join(known)} and {last}")
    return opener(uri, create=create)


class StoreOpener(Protocol):
    """Opens the stores of a URI scheme.

    Other packages add schemes through the entry point group `quaestor.stores`, named after the scheme.
    """

    def __call__(self, uri: str, /, *, create: bool) -> RunStore:
        """Return the store at a URI, without contacting a server."""


def _check_opener(scheme: str, found: object) -> StoreOpener:
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
    _check_opener,
)
"""Store openers by URI scheme."""


def display_uri(uri: str) -> str:
    """Return a store's URI for display, without user, password and options.

    >>> display_uri("mongodb://ada:secret@localhost/quaestor?authSource=admin")
    'mongodb://localhost/quaestor'
    """
    scheme, separator, rest = uri.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}" if separator else uri
