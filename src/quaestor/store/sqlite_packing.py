"""Prompts, graphs and ontologies of a SQLite store of before there were contents, packed."""

import sqlite3
from collections.abc import Iterator
from typing import Any

from quaestor.store.contents import triples_to_text
from quaestor.store.sqlite_contents import ContentTable

_PROMPTS = "run, conversation, attempt, turn, number, phase, model, started, finished, usage, error, prompt, response"
_SETS = (
    ("graphs", "instances", "graph", ("run", "conversation", "created")),
    ("frozen_graphs", "frozen_instances", "graph", ("document", "digest", "ontology", "version", "created")),
    ("ontologies", "ontology", "ontology", ("id", "digest", "created")),
)
"""Of each kind of triple sets: its table, that of its triples, how these name it, and what is kept of it."""


def pack_contents(db: sqlite3.Connection) -> None:
    """Fills the tables `packed_...` from those that they stand in for, row by row."""
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
    """Yields rows of a table that is not written to meanwhile."""
    cursor = db.cursor()
    cursor.row_factory = None
    yield from cursor.execute(statement)


def _insert(db: sqlite3.Connection, table: str, names: list[str], values: list[Any]) -> None:
    marks = ", ".join("?" * len(values))
    db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", values)
