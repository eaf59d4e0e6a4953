"""The scores in the SQLite file of the runs.

What belongs to a run goes with it, by the foreign keys of the tables.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from quaestor.scores.columns import JudgedColumns, pack_columns, unpack_columns
from quaestor.scores.listing import (
    JudgedTurn,
    Outcome,
    PairCounts,
    PairFilter,
    Tally,
    TurnPair,
    VerdictFilter,
    VerdictOnAnswer,
)
from quaestor.scores.records import ConversationScoreRecord, KeptScore, ScoreRecord, VerdictRecord
from quaestor.scoring.sameness import says_the_same
from quaestor.store.listing import ListPage, ListPart, TurnClass, TurnFilter, TurnListing
from quaestor.store.sqlite_file import SqliteFile, in_order, in_order_read
from quaestor.store.sqlite_listing import COUNTED, Value, listed, listing_of, turns_order, turns_where

_VERDICT = tuple(item.name for item in fields(VerdictRecord))
_LISTED = len(fields(TurnListing))
_OUTCOMES: Mapping[tuple[int | None, int | None], Outcome] = {
    (1, 1): "both",
    (1, 0): "first",
    (0, 1): "second",
    (0, 0): "neither",
}


_MANY = 2_000
"""So many turns of a list are not sorted for a part of it."""

_SAME = "(a.number IS b.number OR says_the_same(a.number, b.number))"
"""Whether the answers of a pair say the same; most are told without the rule."""


class SqliteScores(SqliteFile):
    """A ScoreStore in one SQLite file."""

    def _prepare(self) -> None:
        super()._prepare()
        self._db.create_function("says_the_same", 2, says_the_same, deterministic=True)

    @in_order
    def add_score(self, kept: KeptScore) -> None:
        """Add a scoring of a run; its verdicts are in place of those of an earlier one."""
        with self._reporting("write to"), self._transaction():
            self._require(kept.score.run)
            self._insert("scores", kept.score)
            latest = "SELECT id FROM scores WHERE run = ? ORDER BY scored DESC, id DESC LIMIT 1"
            if self._db.execute(latest, (kept.score.run,)).fetchone()["id"] != kept.score.id:
                return  # another process has added a later one meanwhile
            for table, records in (("scored_examples", kept.conversations), ("scored_turns", kept.verdicts)):
                self._db.execute(f"DELETE FROM {table} WHERE run = ?", (kept.score.run,))
                for record in records:
                    self._insert(table, record)
            self._db.execute("DELETE FROM scored_columns WHERE run = ?", (kept.score.run,))
            columns = pack_columns(self._verdicts_on_answers(kept.score.run)).items()
            added = "INSERT INTO scored_columns (run, name, data) VALUES (?, ?, ?)"
            self._db.executemany(added, [(kept.score.run, name, data) for name, data in columns])

    @in_order_read
    def scores(self, run: str | None = None) -> tuple[ScoreRecord, ...]:
        """Return the figures of every scoring of a run, or of all runs, the latest first."""
        where, values = ("", ()) if run is None else ("WHERE run = ? ", (run,))
        return self._select(ScoreRecord, f"scores {where}ORDER BY scored DESC, id DESC", *values)

    @in_order_read
    def conversation_scores(self, run: str, *, failed: bool = False) -> tuple[ConversationScoreRecord, ...]:
        """Return how the conversations of a run did in its latest scoring, by id."""
        only = "AND accuracy < 1 " if failed else ""
        where = f"scored_examples WHERE run = ? {only}ORDER BY conversation"
        return self._select(ConversationScoreRecord, where, run)

    @in_order_read
    def verdicts(
        self, run: str, conversation: str | None = None, *, correct: bool | None = None
    ) -> tuple[VerdictRecord, ...]:
        """Return the verdicts of a run's latest scoring, by conversation and index."""
        where, values = ["run = ?"], [run]
        if conversation is not None:
            where.append("conversation = ?")
            values.append(conversation)
        if correct is not None:
            where.append(f"correct = {int(correct)}")
        rest = f'scored_turns WHERE {" AND ".join(where)} ORDER BY conversation, "index"'
        return self._select(VerdictRecord, rest, *values)

    @in_order_read
    def judged_columns(self, run: str) -> JudgedColumns:
        """Return the verdicts of a run's latest scoring with what was answered when it was added."""
        with self._reporting("read"):
            packed = dict(self._db.execute("SELECT name, data FROM scored_columns WHERE run = ?", (run,)).fetchall())
            # Of a score of before columns were kept they are made each time.
            return unpack_columns(packed or pack_columns(self._verdicts_on_answers(run)))

    def _verdicts_on_answers(self, run: str) -> Iterator[VerdictOnAnswer]:
        columns = 'v.conversation, v."index", e.document, v.correct, v.program_correct, v.cause, t.number, t.confidence'
        turn = 't.run = v.run AND t.conversation = v.conversation AND t.attempt = e.attempt AND t."index" = v."index"'
        joined = f"examples e USING (run, conversation) LEFT JOIN turns t ON {turn}"
        rest = f'scored_turns v JOIN {joined} WHERE v.run = ? ORDER BY v.conversation, v."index"'
        for name, at, page, right, program, *others in self._db.execute(f"SELECT {columns} FROM {rest}", (run,)):
            yield VerdictOnAnswer(name, at, page, bool(right), None if program is None else bool(program), *others)

    @in_order_read
    def latest_scores(self, runs: Sequence[str]) -> Mapping[str, ScoreRecord]:
        """Return the figures of the latest scoring of some runs, by run."""
        latest = "scores WHERE run = ? ORDER BY scored DESC, id DESC LIMIT 1"
        return {score.run: score for run in runs for score in self._select(ScoreRecord, latest, run)}

    @in_order_read
    def list_turns(self, run: str, wanted: TurnFilter, verdicts: VerdictFilter, part: ListPart) -> ListPage[JudgedTurn]:
        """Return turns of a run with the verdicts of its latest scoring."""
        where, values = turns_where(run, wanted)
        of_verdict = {"vt.correct": verdicts.correct, "vt.cause": verdicts.cause}
        given = {column: value for column, value in of_verdict.items() if value is not None}
        values += given.values()
        rest = f"FROM {_judged('t')} WHERE {' AND '.join([where, *(f'{column} = ?' for column in given)])}"
        with self._reporting("read"):
            total = self._db.execute(f"SELECT count(*) {rest}", values).fetchone()[0]
            columns = f"{listed('t')}, {_verdict('t')}"
            if total > _MANY:
                # In the order of the turns until there are enough, not by their verdicts: all would have to be sorted.
                rest = f"FROM {_judged('t')} WHERE {' AND '.join([where, *(f'+{column} = ?' for column in given)])}"
            some = f"SELECT {columns} {rest} ORDER BY {turns_order(wanted)} LIMIT ? OFFSET ?"
            rows = self._db.execute(some, (*values, part.limit, part.offset)).fetchall()
        return ListPage(tuple(map(_judged_turn, rows)), total, part)

    @in_order_read
    def tally(self, run: str, by: TurnClass) -> Mapping[str | int | None, Tally]:
        """Return how many turns of each class are right in a run's latest scoring."""
        counts = f't."{by}", coalesce(sum(vt.correct), 0), count(vt.correct), count(*)'
        with self._reporting("read"):
            rows = self._db.execute(f"SELECT {counts} FROM {_judged('t')} WHERE t.run = ? GROUP BY 1", (run,))
            return {name: Tally(*counted) for name, *counted in rows.fetchall()}

    @in_order_read
    def causes(self, run: str) -> Mapping[str, int]:
        """Return for how many turns each cause is kept in a run's latest scoring, the most frequent first."""
        wrong = "run = ? AND correct = 0 AND cause IS NOT NULL"
        counted = f"SELECT cause, count(*) FROM scored_turns WHERE {wrong} GROUP BY 1"
        with self._reporting("read"):
            return dict(self._db.execute(f"{counted} ORDER BY 2 DESC, 1", (run,)).fetchall())

    @in_order_read
    def compare(self, first: str, second: str, wanted: PairFilter, part: ListPart) -> ListPage[TurnPair]:
        """Return turns of two runs side by side."""
        where, values = turns_where(first, TurnFilter(wanted.text), "a")
        rest = f"FROM {_PAIRS} WHERE {where} AND {_pairs_where(wanted)}"
        with self._reporting("read"):
            total = self._db.execute(f"SELECT count(*) {rest}", (second, *values)).fetchone()[0]
            columns = ", ".join((listed("a"), _verdict("a"), listed("b"), _verdict("b")))
            some = f'SELECT {columns} {rest} ORDER BY a.conversation, a."index" LIMIT ? OFFSET ?'
            rows = self._db.execute(some, (second, *values, part.limit, part.offset)).fetchall()
        half = _LISTED + len(_VERDICT)
        return ListPage(tuple(TurnPair(_judged_turn(row), _judged_turn(row, half)) for row in rows), total, part)

    @in_order_read
    def compared(self, first: str, second: str) -> PairCounts:
        """Return how two runs compare over the turns that both have."""
        counted = f"SELECT va.correct, vb.correct, count(*), sum(NOT {_SAME})"
        with self._reporting("read"):
            rows = self._db.execute(
                f"{counted} FROM {_PAIRS} WHERE a.run = ? GROUP BY 1, 2", (second, first)
            ).fetchall()
        outcomes: dict[Outcome, int] = {}
        for one, other, count, _ in rows:
            outcome = _OUTCOMES.get((one, other), "unjudged")
            outcomes[outcome] = outcomes.get(outcome, 0) + count
        return PairCounts(outcomes, sum(row[3] for row in rows), sum(row[2] for row in rows))


def _judged(name: str) -> str:
    """The turns that count, under a name, and under `v` and the name their verdicts."""
    on = " AND ".join(f'v{name}."{column}" = {name}."{column}"' for column in ("run", "conversation", "index"))
    return f"{COUNTED.format(name)} LEFT JOIN scored_turns v{name} ON {on}"


_PAIRS = f"""{_judged("a")}
    JOIN turns b ON b.run = ? AND b.conversation = a.conversation AND b."index" = a."index"
    JOIN examples eb ON eb.run = b.run AND eb.conversation = b.conversation AND eb.attempt = b.attempt
    LEFT JOIN scored_turns vb ON vb.run = b.run AND vb.conversation = b.conversation AND vb."index" = b."index\""""
"""The turns of a run `a` beside those of a run `b`, which is the first value."""


def _pairs_where(wanted: PairFilter) -> str:
    conditions = ["1"]
    if wanted.outcome == "unjudged":
        conditions.append("(va.correct IS NULL OR vb.correct IS NULL)")
    elif wanted.outcome is not None:
        right = next(key for key, outcome in _OUTCOMES.items() if outcome == wanted.outcome)
        conditions.append(f"va.correct = {right[0]} AND vb.correct = {right[1]}")
    if wanted.differ is not None:
        conditions.append(f"NOT {_SAME}" if wanted.differ else _SAME)
    return " AND ".join(conditions)


def _verdict(name: str) -> str:
    return ", ".join(f'v{name}."{column}"' for column in _VERDICT)


def _judged_turn(row: sqlite3.Row, at: int = 0) -> JudgedTurn:
    values: dict[str, Value] = dict(zip(_VERDICT, tuple(row)[at + _LISTED :], strict=False))
    if values["score"] is None:
        return JudgedTurn(listing_of(row, at))
    program = values["program_correct"]
    flags = {"correct": bool(values["correct"]), "program_correct": None if program is None else bool(program)}
    return JudgedTurn(listing_of(row, at), VerdictRecord(**{**values, **flags}))  # type: ignore[arg-type]
