"""What older SQLite stores hold, rewritten: contents packed, turns filed by their classes and their measures.

The functions are steps of `sqlite_schema`.
"""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, fields
from datetime import datetime
from typing import Any

from quaestor.store.contents import triples_to_text
from quaestor.store.sqlite_contents import ContentTable
from quaestor.store.turn_classes import classes_of
from quaestor.store.turn_measures import TurnMeasures, measure_parts

_PROMPTS = "run, conversation, attempt, turn, number, phase, model, started, finished, usage, error, prompt, response"
_SETS = (
    ("graphs", "instances", "graph", ("run", "conversation", "created")),
    ("frozen_graphs", "frozen_instances", "graph", ("document", "digest", "ontology", "version", "created")),
    ("ontologies", "ontology", "ontology", ("id", "digest", "created")),
)
"""Of each kind of triple sets: its table, that of its triples, how these name it, and what is kept of it."""


def pack_contents(db: sqlite3.Connection) -> None:
    """Fill the tables `packed_...` from those that they are in for, row by row."""
    contents = ContentTable(db)
    for table, triples, owner, columns in _SETS:
        for key, *values in _rows(db, f"SELECT id, {', '.join(columns)} FROM {table} ORDER BY id"):
            found = db.execute(f"SELECT s, p, o FROM {triples} WHERE {owner} = ?", (key,)).fetchall()
            names = [*columns, "content", *(["triples"] if table == "ontologies" else [])]
            row = [*values, contents.put(triples_to_text(map(tuple, found))), len(found)][: len(names)]
            _insert(db, f"packed_{table}", names, row)
    for *values, prompt, response in _rows(db, f"SELECT {_PROMPTS} FROM prompt_logs ORDER BY rowid"):
        numbers = [None if text is None else contents.put(text) for text in (prompt, response)]
        _insert(db, "packed_prompts", _PROMPTS.split(", "), [*values, *numbers])


def _rows(db: sqlite3.Connection, statement: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows of a table that is not written to meanwhile."""
    cursor = db.cursor()
    cursor.row_factory = None
    yield from cursor.execute(statement)


def _insert(db: sqlite3.Connection, table: str, names: list[str], values: list[Any]) -> None:
    marks = ", ".join("?" * len(values))
    db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", values)


def file_turns(db: sqlite3.Connection) -> None:
    """Files all turns, some at a time."""
    some = "SELECT rowid, answer FROM turns WHERE rowid > ? ORDER BY rowid LIMIT 1000"
    filed = "UPDATE turns SET kind = ?, operation = ?, origin = ?, confidence = ? WHERE rowid = ?"
    last = -1
    while rows := db.execute(some, (last,)).fetchall():
        found = [(classes_of(json.loads(answer)), place) for place, answer in rows]
        db.executemany(filed, [(c.kind, c.operation, c.origin, c.confidence, place) for c, place in found])
        last = rows[-1][0]


def measure_turns(db: sqlite3.Connection) -> None:
    """Files the measures of all turns, some at a time."""
    columns = "rowid, started, finished, usage, tool_calls, events"
    some = f"SELECT {columns} FROM turns WHERE rowid > ? ORDER BY rowid LIMIT 1000"
    names = ", ".join(f"{item.name} = ?" for item in fields(TurnMeasures))
    last = -1
    while rows := db.execute(some, (last,)).fetchall():
        db.executemany(f"UPDATE turns SET {names} WHERE rowid = ?", [(*_measures(*row[1:]), row[0]) for row in rows])
        last = rows[-1][0]


def _measures(started: str, finished: str | None, *written: str) -> tuple[int | None, ...]:
    usage, tool_calls, events = map(json.loads, written)
    ended = None if finished is None else datetime.fromisoformat(finished)
    return astuple(measure_parts(datetime.fromisoformat(started), ended, usage, tool_calls, events))
