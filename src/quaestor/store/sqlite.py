"""The embedded run store: one SQLite file, no server.

The write-ahead log and transactions that hold whole operations let it survive `kill -9` at any moment; several
processes may write at once. Operations run one after the other, in the order in which they were called, in a thread of
the store's own: neither a large graph nor a wait for another writer holds the event loop up.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from time import time

from quaestor.core.triples import Triple
from quaestor.store import errors as refusals
from quaestor.store.contents import WrittenGraph, text_to_triples
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
    TurnRecord,
    now,
)
from quaestor.store.sqlite_file import encode, in_group, in_order, in_order_read
from quaestor.store.sqlite_upkeep import SqliteUpkeep
from quaestor.store.turn_classes import classes_of
from quaestor.store.turn_measures import measure_turn

_COUNTS = "(SELECT attempt FROM examples e WHERE e.run = {0}.run AND e.conversation = {0}.conversation)"
"""The attempt at a conversation that counts, for a table that has its turns or prompts."""


class SqliteStore(SqliteUpkeep):
    """A RunStore in one SQLite file."""

    @in_order
    def create_run(self, run: RunRecord) -> None:
        """Add a run."""
        with self._reporting("write to"), self._transaction():
            try:
                self._insert("runs", run)
            except sqlite3.IntegrityError as error:
                raise refusals.run_taken(self._name, run.id) from error

    @in_order
    def resume_run(self, run: str) -> None:
        """Set a run back to `running`."""
        self._set_status(run, "running", None)

    @in_order
    def finish_run(self, run: str, status: RunStatus, finished: datetime) -> None:
        """Set how a run came to its end."""
        self._set_status(run, status, finished)

    @in_order
    def delete_run(self, run: str) -> None:
        """Take a run away with all that belongs to it. The file keeps its size; later runs use the room."""
        with self._reporting("write to"), self._transaction():
            self._require(run)
            large = (
                "SELECT prompt FROM prompt_logs WHERE run = ?1 UNION SELECT response FROM prompt_logs WHERE run = ?1"
            )
            used = self._db.execute(f"{large} UNION SELECT content FROM graphs WHERE run = ?1", (run,)).fetchall()
            # What refers to others goes before them.
            for table in ("graphs", "prompt_logs", "corrections", "turns", "examples"):
                self._db.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
            self._db.execute("DELETE FROM runs WHERE id = ?", (run,))
            self._contents.free(row[0] for row in used)

    def _set_status(self, run: str, status: RunStatus, finished: datetime | None) -> None:
        with self._reporting("write to"), self._transaction():
            self._require(run)
            values = (status, encode("finished", finished), run)
            self._db.execute("UPDATE runs SET status = ?, finished = ? WHERE id = ?", values)

    @in_order_read
    def runs(self) -> tuple[RunRecord, ...]:
        """Return all runs, the latest first."""
        return self._select(RunRecord, "runs ORDER BY started DESC, id DESC")

    @in_order_read
    def run(self, run: str) -> RunRecord:
        """Return one run."""
        self._check_run(run)
        return self._select(RunRecord, "runs WHERE id = ?", run)[0]

    @in_group
    def begin_example(self, example: ConversationRecord, claim: Claim | None = None) -> int:
        """Note that a conversation is being played, as another attempt; returns its number."""
        with self._reporting("write to"), self._transaction():
            # By the machine's clock: all who open the file share it.
            before, clock = self._unfinished(example), time()
            if before and claim and refusals.check_claim(self._name, example, claim, before, clock):
                return before.attempt
            attempt = before.attempt + 1 if before else 1
            self._replace_example(replace(example, attempt=attempt))
            if claim is not None:
                held = (claim.owner, clock + claim.seconds, example.run, example.conversation)
                self._db.execute(
                    "UPDATE examples SET claim_owner = ?, claim_until = ? WHERE run = ? AND conversation = ?", held
                )
            return attempt

    @in_order_read
    def pending(self, run: str) -> Mapping[str, str | None]:
        """Return the conversations that were begun and have not ended, each with who has claimed it by now."""
        self._check_run(run)
        clock = time()
        held = "CASE WHEN claim_until > ? AND claim_until <= ? THEN claim_owner END"
        with self._reporting("read"):
            found = (
                f"SELECT conversation, {held} FROM examples WHERE run = ? AND status = 'pending' ORDER BY conversation"
            )
            return dict(self._db.execute(found, (clock, clock + MOST_SECONDS, run)).fetchall())

    @in_group
    def renew_claims(self, run: str, owner: str, seconds: float) -> None:
        """Hold the claims of a runner on conversations of a run for some seconds more."""
        held = (time() + seconds, run, owner)
        with self._reporting("write to"), self._transaction():
            self._db.execute("UPDATE examples SET claim_until = ? WHERE run = ? AND claim_owner = ?", held)

    @in_group
    def save_turn(self, turn: TurnRecord) -> None:
        """Keep a turn as far as it is."""
        with self._reporting("write to"), self._transaction():
            self._require(turn.run)
            try:
                self._insert("turns", turn, classes_of(turn.answer), measure_turn(turn), verb="REPLACE")
            except sqlite3.IntegrityError as error:
                raise refusals.never_begun(self._name, turn) from error

    @in_group
    def complete_example(self, example: ConversationRecord, turns: Sequence[TurnRecord]) -> None:
        """Keep a conversation's end and all its turns, or nothing."""
        refusals.check_turns(example, turns)
        with self._reporting("write to"), self._transaction():
            self._unfinished(example)
            self._replace_example(example)
            for turn in turns:
                self._insert("turns", turn, classes_of(turn.answer), measure_turn(turn), verb="REPLACE")

    def _unfinished(self, example: ConversationRecord) -> refusals.ExistingConversation | None:
        """Return what there is of a conversation, or None; a complete one is refused."""
        self._require(example.run)
        key = (example.run, example.conversation)
        found = "SELECT attempt, status, claim_owner, claim_until FROM examples WHERE run = ? AND conversation = ?"
        row = self._db.execute(found, key).fetchone()
        if row and row["status"] == "complete":
            raise refusals.complete_already(self._name, example)
        return (
            refusals.ExistingConversation(row["attempt"], row["status"], row["claim_owner"], row["claim_until"] or 0)
            if row
            else None
        )

    def _replace_example(self, example: ConversationRecord) -> None:
        """Write a conversation, claimed by nobody. Its turns refer to it: it may not be taken away and put back."""
        names = ", ".join(item.name for item in fields(example))
        marks = ", ".join("?" * len(fields(example)))
        values = [encode(item.name, getattr(example, item.name)) for item in fields(example)]
        changes = ", ".join(f"{item.name} = excluded.{item.name}" for item in fields(example))
        changes += ", claim_owner = NULL, claim_until = NULL"
        self._db.execute(f"INSERT INTO examples ({names}) VALUES ({marks}) ON CONFLICT DO UPDATE SET {changes}", values)

    @in_order_read
    def examples(self, run: str, *, incomplete: bool = False) -> tuple[ConversationRecord, ...]:
        """Return a run's conversations as far as they were begun, by id."""
        self._check_run(run)
        only = "AND status != 'complete' " if incomplete else ""
        return self._select(ConversationRecord, f"examples WHERE run = ? {only}ORDER BY conversation", run)

    @in_order_read
    def progress(self, run: str) -> Mapping[ExampleStatus, int]:
        """Return how many of a run's conversations have each status."""
        self._check_run(run)
        with self._reporting("read"):
            rows = self._db.execute("SELECT status, count(*) FROM examples WHERE run = ? GROUP BY status", (run,))
            return dict(rows)

    @in_order_read
    def turns(self, run: str, conversation: str | None = None, attempt: int | None = None) -> tuple[TurnRecord, ...]:
        """Return the turns of a run or of one of its conversations, by conversation and index."""
        return self._turns(run, conversation, attempt)

    @in_order_read
    def turn(self, run: str, conversation: str, index: int, attempt: int | None = None) -> TurnRecord:
        """Return one turn."""
        found = self._turns(run, conversation, attempt, index) or self._turns(run, conversation, attempt)
        return refusals.pick_turn(found, run, conversation, index)

    def _turns(
        self, run: str, conversation: str | None, attempt: int | None, index: int | None = None
    ) -> tuple[TurnRecord, ...]:
        self._check_run(run)
        where = f"turns WHERE run = ? AND attempt = coalesce(?, {_COUNTS.format('turns')})"
        if conversation is None:
            return self._select(TurnRecord, f'{where} ORDER BY conversation, "index"', run, attempt)
        of_one = f'{where} AND conversation = ? AND "index" = coalesce(?, "index") ORDER BY "index"'
        return self._select(TurnRecord, of_one, run, attempt, conversation, index)

    @in_group
    def log_prompt(self, prompt: PromptRecord) -> None:
        """Keep a request to a model and its reply."""
        with self._reporting("write to"), self._transaction():
            self._require(prompt.run)
            response = None if prompt.response is None else self._contents.put(prompt.response)
            packed = {"prompt": self._contents.put(prompt.prompt), "response": response}
            try:
                self._insert("prompt_logs", prompt, instead=packed)
            except sqlite3.IntegrityError as error:
                raise refusals.prompt_taken(self._name, prompt) from error

    @in_order_read
    def prompts(
        self, run: str, conversation: str, turn: int | None = None, attempt: int | None = None
    ) -> tuple[PromptRecord, ...]:
        """Return the prompts of a conversation or of one of its turns, in the order of turns and numbers."""
        self._check_run(run)
        where = (
            "prompt_logs WHERE run = ? AND conversation = ? AND turn = coalesce(?, turn) "
            f"AND attempt = coalesce(?, {_COUNTS.format('prompt_logs')}, 1) ORDER BY turn, number"
        )
        # One look at both: what a deleted run leaves is freed.
        with self._reporting("read"), self._transaction("DEFERRED"):
            rows = self._values(PromptRecord, where, run, conversation, turn, attempt)
            texts = self._contents.texts(
                row[name] for row in rows for name in ("prompt", "response") if row[name] is not None
            )
        return tuple(
            PromptRecord(**{**row, "prompt": texts[row["prompt"]], "response": texts.get(row["response"])})
            for row in rows
        )

    @in_order
    def add_correction(self, correction: CorrectionRecord) -> None:
        """Keep what a person corrected."""
        with self._reporting("write to"), self._transaction():
            self._require(correction.run)
            try:
                self._insert("corrections", correction)
            except sqlite3.IntegrityError as error:
                if error.sqlite_errorname == "SQLITE_CONSTRAINT_FOREIGNKEY":
                    raise refusals.never_begun(self._name, correction) from error
                raise refusals.correction_taken(self._name, correction) from error

    @in_order_read
    def corrections(
        self, run: str, conversation: str | None = None, attempt: int | None = None
    ) -> tuple[CorrectionRecord, ...]:
        """Return the corrections of a run or of one of its conversations, by conversation and number."""
        self._check_run(run)
        where = (
            "corrections WHERE run = ? AND conversation = coalesce(?, conversation) "
            f"AND attempt = coalesce(?, {_COUNTS.format('corrections')}) ORDER BY conversation, number"
        )
        return self._select(CorrectionRecord, where, run, conversation, attempt)

    @in_order
    def save_ontology(self, digest: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep a frozen ontology under the digest of its content; one that is there already stays."""
        with self._reporting("write to"), self._transaction():
            if self._db.execute("SELECT 1 FROM ontologies WHERE digest = ?", (digest,)).fetchone() is None:
                content, count = self._contents.put_triples(triples)
                values = (digest, encode("created", now()), count, content)
                self._db.execute(
                    "INSERT INTO ontologies (digest, created, triples, content) VALUES (?, ?, ?, ?)", values
                )

    @in_order_read
    def load_ontology(self, digest: str) -> tuple[Triple, ...]:
        """Return an ontology's triples, sorted."""
        with self._reporting("read"), self._transaction("DEFERRED"):
            row = self._db.execute("SELECT content FROM ontologies WHERE digest = ?", (digest,)).fetchone()
            if row is None:
                latest = self._db.execute("SELECT digest FROM ontologies ORDER BY created DESC, id DESC LIMIT 3")
                raise refusals.no_ontology(self._name, digest, [row["digest"] for row in latest])
            return text_to_triples(self._contents.text(row["content"]))

    @in_order_read
    def ontologies(self) -> tuple[OntologyRecord, ...]:
        """Return what ontologies are kept, the latest first."""
        with self._reporting("read"):
            rows = self._db.execute("SELECT digest, created, triples FROM ontologies ORDER BY created DESC, id DESC")
            return tuple(OntologyRecord(row[0], datetime.fromisoformat(row[1]), row[2]) for row in rows.fetchall())

    @in_order
    def freeze_graph(self, key: GraphKey, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep the graph of a page for all runs, instead of one that may be there."""
        with self._reporting("write to"), self._transaction():
            self._put_graph("frozen_graphs", asdict(key), triples)

    @in_order_read
    def frozen_graph(self, key: GraphKey) -> tuple[Triple, ...]:
        """Return a frozen graph's triples, sorted."""
        with self._reporting("read"), self._transaction("DEFERRED"):
            number = self._graph("frozen_graphs", asdict(key))
            if number is None:
                raise refusals.no_frozen_graph(self._name, key)
            return text_to_triples(self._contents.text(number))

    @in_order_read
    def frozen_graphs(self, ontology: str | None = None) -> tuple[GraphKey, ...]:
        """Return what graphs are frozen: all, or those that were built with one ontology, by document."""
        where = "ontology = coalesce(?, ontology) ORDER BY document, digest, ontology, version"
        with self._reporting("read"):
            found = f"SELECT document, digest, ontology, version FROM frozen_graphs WHERE {where}"
            return tuple(GraphKey(*row) for row in self._db.execute(found, (ontology,)).fetchall())

    @in_order
    def save_graph(self, run: str, conversation: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep the graph of a conversation's document, instead of one that may be there."""
        with self._reporting("write to"), self._transaction():
            self._require(run)
            self._put_graph("graphs", {"run": run, "conversation": conversation}, triples)

    @in_order_read
    def load_graph(self, run: str, conversation: str) -> tuple[Triple, ...]:
        """Return a graph's triples, sorted."""
        self._check_run(run)
        with self._reporting("read"), self._transaction("DEFERRED"):
            number = self._graph("graphs", {"run": run, "conversation": conversation})
            if number is None:
                raise refusals.no_graph(self._name, run, conversation)
            return text_to_triples(self._contents.text(number))

    def _put_graph(self, table: str, key: Mapping[str, str], triples: Iterable[tuple[str, str, str]]) -> None:
        """Keep a graph under its key, and frees what was kept there if nothing else has it."""
        before, number = self._graph(table, key), self._contents.put(WrittenGraph.of(triples).text)
        names, values = ", ".join([*key, "created", "content"]), (*key.values(), encode("created", now()), number)
        marks = ", ".join("?" * len(values))
        self._db.execute(f"REPLACE INTO {table} ({names}) VALUES ({marks})", values)
        if before != number:
            self._contents.free([before])

    def _graph(self, table: str, key: Mapping[str, str]) -> int | None:
        """Return the number of the content that a graph is."""
        where = " AND ".join(f"{name} = ?" for name in key)
        row = self._db.execute(f"SELECT content FROM {table} WHERE {where}", (*key.values(),)).fetchone()
        return row["content"] if row else None
