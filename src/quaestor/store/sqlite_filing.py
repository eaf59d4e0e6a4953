"""Turns of a SQLite store of before turns were filed by their classes, filed."""

import json
import sqlite3

from quaestor.store.turn_classes import classes_of


def file_turns(db: sqlite3.Connection) -> None:
    """Files all turns, some at a time."""
    some = "SELECT rowid, answer FROM turns WHERE rowid > ? ORDER BY rowid LIMIT 1000"
    filed = "UPDATE turns SET kind = ?, operation = ?, origin = ?, confidence = ? WHERE rowid = ?"
    last = -1
    while rows := db.execute(some, (last,)).fetchall():
        found = [(classes_of(json.loads(answer)), place) for place, answer in rows]
        db.executemany(filed, [(c.kind, c.operation, c.origin, c.confidence, place) for c, place in found])
        last = rows[-1][0]
