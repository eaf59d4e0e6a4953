"""Turns of a SQLite store of before turns were filed by their classes, or by their measures, filed."""

import json
import sqlite3
from dataclasses import astuple, fields
from datetime import datetime

from quaestor.store.turn_classes import classes_of
from quaestor.store.turn_measures import TurnMeasures, measure_parts


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
