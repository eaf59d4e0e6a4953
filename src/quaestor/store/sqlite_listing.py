"""Lists of runs and of turns out of the SQLite file, part by part.

What turns are filed by (`turn_classes`) is kept beside each, in columns that an index holds together with its key: a
list never reads the large columns of turns that it does not show.
"""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import fields

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
from quaestor.store.records import RunRecord
from quaestor.store.sqlite_file import SqliteFile, in_order_read
from quaestor.store.turn_measures import COUNTED as COUNTED_MEASURES
from quaestor.store.turn_measures import RunMeasures, gathered

Value = str | int | float | None

COUNTED = "turns {0} JOIN examples e{0} USING (run, conversation, attempt)"
"""The turns of those attempts that count, under a name of one's own."""

_OF_RUN = "examples e CROSS JOIN turns t USING (run, conversation, attempt) WHERE e.run = ?"
"""Those of a run, from its conversations on: of each all turns are side by side in the index."""

_MODEL = "json_extract(spec, '$.model.provider') || ':' || json_extract(spec, '$.model.model')"
_SOLVER = "json_extract(spec, '$.solver')"
_RUN_FIELDS = {"solver": _SOLVER, "model": _MODEL, "status": "status"}
_ORDERS = {
    "conversation": '{0}.conversation, {0}."index"',
    "confidence": '{0}.confidence IS NULL, {0}.confidence, {0}.conversation, {0}."index"',
}


class SqliteLists(SqliteFile):
    """The operations of a RunStore that give a list part by part."""

    @in_order_read
    def list_runs(self, wanted: RunFilter, part: ListPart) -> ListPage[RunRecord]:
        """Return runs, the latest first."""
        found = {f"{column} = ?": getattr(wanted, name) for name, column in _RUN_FIELDS.items()}
        for column, several in {"kind": wanted.kinds, "dataset": wanted.datasets}.items():
            if several is not None:
                found[f"{column} IN (SELECT value FROM json_each(?))"] = json.dumps(several)
        given = {condition: value for condition, value in found.items() if value is not None}
        where, values = " AND ".join(["1", *given]), given.values()
        total = self._count(f"runs WHERE {where}", *values)
        rest = f"runs WHERE {where} ORDER BY started DESC, id DESC LIMIT ? OFFSET ?"
        return ListPage(self._select(RunRecord, rest, *values, part.limit, part.offset), total, part)

    @in_order_read
    def run_choices(self) -> RunChoices:
        """Return what there is to filter runs by."""
        with self._reporting("read"):
            rows = self._db.execute(f"SELECT DISTINCT dataset, {_SOLVER}, {_MODEL} FROM runs WHERE kind != 'ask'")
            columns = [sorted({value for value in column if value is not None}) for column in zip(*rows, strict=True)]
        return RunChoices(*map(tuple, columns)) if columns else RunChoices((), (), ())

    @in_order_read
    def list_turns(self, run: str, wanted: TurnFilter, part: ListPart) -> ListPage[TurnListing]:
        """Return turns of a run."""
        self._check_run(run)
        where, values = turns_where(run, wanted)
        total = self._count(f"{COUNTED.format('t')} WHERE {where}", *values)
        rest = f"FROM {COUNTED.format('t')} WHERE {where} ORDER BY {turns_order(wanted)} LIMIT ? OFFSET ?"
        with self._reporting("read"):
            rows = self._db.execute(f"SELECT {listed('t')} {rest}", (*values, part.limit, part.offset)).fetchall()
        return ListPage(tuple(map(listing_of, rows)), total, part)

    @in_order_read
    def count_turns(self, run: str, by: TurnClass) -> TurnCounts:
        """Return how many turns of a run have each class."""
        self._check_run(run)
        grouped = f'SELECT t."{by}", count(*) FROM {_OF_RUN} GROUP BY 1'
        with self._reporting("read"):
            return dict(self._db.execute(grouped, (run,)).fetchall())

    @in_order_read
    def count_examples(self, run: str) -> ConversationCounts:
        """Return a run's conversations as far as they were begun, counted."""
        self._check_run(run)
        frozen = "sum(json_extract(kg_stats, '$.frozen') IS NOT NULL)"
        counts = f"status, count(*), sum(turns), sum(kg_stats != '{{}}'), {frozen}"
        with self._reporting("read"):
            rows = self._db.execute(f"SELECT {counts} FROM examples WHERE run = ? GROUP BY 1", (run,)).fetchall()
            used = "examples e, json_each(e.usage) j WHERE run = ? AND e.usage != '{}' GROUP BY 1"
            usage = dict(self._db.execute(f"SELECT j.key, sum(j.value) FROM {used}", (run,)).fetchall())
        turns, graphs, taken = (sum(row[place] for row in rows) for place in (2, 3, 4))
        return ConversationCounts({row[0]: row[1] for row in rows}, turns, graphs, taken, usage)

    @in_order_read
    def measure_turns(self, run: str) -> RunMeasures:
        """Return what the turns of a run took."""
        self._check_run(run)
        fate = ("refusals", "no_answer", "number IS NOT NULL", "verified", "t.status = 'complete'", "stages")
        columns = ", ".join((*COUNTED_MEASURES, *fate))
        alike = ", ".join(map(str, range(1, len(COUNTED_MEASURES) + len(fate) + 1)))
        with self._reporting("read"):
            cursor = self._db.cursor()
            cursor.row_factory = None
            rows = cursor.execute(f"SELECT {columns}, count(*) FROM {_OF_RUN} GROUP BY {alike}", (run,)).fetchall()
            if not all(value is None or isinstance(value, int) for row in rows for value in row):
                raise ValueError("a measure of a turn is not a number")
        return gathered(rows)

    def _count(self, rest: str, *values: Value) -> int:
        with self._reporting("read"):
            return int(self._db.execute(f"SELECT count(*) FROM {rest}", values).fetchone()[0])


def turns_where(run: str, wanted: TurnFilter, name: str = "t") -> tuple[str, list[Value]]:
    """Return the condition that a filter is, with its values.

    Args:
        name: That of the table of turns in the statement.
    """
    conditions, values = [f"{name}.run = ?"], list[Value]([run])
    same = {"conversation": wanted.conversation, '"index"': wanted.index, "kind": wanted.kind}
    same |= {"operation": wanted.operation, "origin": wanted.origin}
    limits: dict[str, float | None] = {"confidence >= ?": wanted.low, "confidence <= ?": wanted.high}
    found: dict[str, Value] = {**{f"{column} = ?": value for column, value in same.items()}, **limits}
    for condition, value in found.items():
        if value is not None:
            conditions.append(f"{name}.{condition}")
            values.append(value)
    if wanted.text:
        conditions.append(f"instr(lower({name}.question), lower(?))")
        values.append(wanted.text)
    return " AND ".join(conditions), values


def turns_order(wanted: TurnFilter, name: str = "t") -> str:
    """Return the order of a filter."""
    return _ORDERS[wanted.order].format(name)


_LISTED = tuple(item.name for item in fields(TurnListing))


def listed(name: str) -> str:
    """Return the columns of which `listing_of` makes a listing, of the table of turns with that name."""
    return ", ".join(f'{name}."{column}"' for column in _LISTED)


def listing_of(row: sqlite3.Row | Sequence[Value], at: int = 0) -> TurnListing:
    """Return what a row lists of a turn, from the column `at`."""
    values = dict(zip(_LISTED, tuple(row)[at : at + len(_LISTED)], strict=True))
    return TurnListing(**{**values, "answer": json.loads(str(values["answer"]))})
