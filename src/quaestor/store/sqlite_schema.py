"""Schema of SQLite stores, and migration of older files.

An older file is migrated in one transaction: its tables are renamed, the current tables are created, and the rows are
copied column by column. A change of the schema needs only a new version number and an entry in `_OLDER_VALUES`.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from quaestor.store.contents import Contents, WrittenGraph
from quaestor.store.tables import Tables
from quaestor.store.turn_summary import summarise_turns

APPLICATION_ID = 0x51554145  # "QUAE": distinguishes our files from other SQLite databases
SCHEMA_VERSION = 17
SAME_TABLES = 15
"""First version with the current tables; later ones changed stored values, or dropped a table."""

TABLES: Mapping[str, str] = {
    "runs": """
        id TEXT PRIMARY KEY, spec JSON NOT NULL, spec_digest TEXT NOT NULL, dataset TEXT NOT NULL,
        dataset_digest TEXT NOT NULL, conversations INTEGER NOT NULL, started TEXT NOT NULL, status TEXT NOT NULL,
        finished TEXT, kind TEXT NOT NULL DEFAULT 'run'""",
    # claim_owner and claim_until: the runner of the conversation, and the end of its claim, in seconds since the epoch.
    "examples": """
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, document TEXT NOT NULL,
        status TEXT NOT NULL, turns INTEGER NOT NULL, started TEXT, finished TEXT, error TEXT,
        kg_stats JSON NOT NULL DEFAULT '{}', usage JSON NOT NULL DEFAULT '{}', attempt INTEGER NOT NULL DEFAULT 1,
        claim_owner TEXT, claim_until REAL, PRIMARY KEY (run, conversation)""",
    "turns": """
        run TEXT NOT NULL, conversation TEXT NOT NULL, attempt INTEGER NOT NULL, "index" INTEGER NOT NULL,
        status TEXT NOT NULL, question TEXT NOT NULL, history JSON NOT NULL, answer JSON NOT NULL, program TEXT,
        number TEXT, verified INTEGER NOT NULL, registers JSON NOT NULL, started TEXT NOT NULL, finished TEXT,
        error TEXT, sources JSON NOT NULL, tool_calls JSON NOT NULL, usage JSON NOT NULL, "references" JSON NOT NULL,
        events JSON NOT NULL, kind TEXT NOT NULL DEFAULT 'none', operation TEXT, origin TEXT, confidence REAL,
        milliseconds INTEGER, requests INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,
        cached_tokens INTEGER NOT NULL DEFAULT 0, called INTEGER NOT NULL DEFAULT 0,
        refusals INTEGER NOT NULL DEFAULT 0, no_answer INTEGER NOT NULL DEFAULT 0, stages INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (run, conversation, attempt, "index"),
        FOREIGN KEY (run, conversation) REFERENCES examples (run, conversation)""",
    "corrections": """
        run TEXT NOT NULL, conversation TEXT NOT NULL, attempt INTEGER NOT NULL, number INTEGER NOT NULL,
        act JSON NOT NULL, turns INTEGER NOT NULL, author TEXT NOT NULL, made TEXT NOT NULL, reason TEXT NOT NULL,
        changes JSON NOT NULL, PRIMARY KEY (run, conversation, attempt, number),
        FOREIGN KEY (run, conversation) REFERENCES examples (run, conversation)""",
    "contents": """
        id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, size INTEGER NOT NULL,
        base INTEGER REFERENCES contents (id), depth INTEGER NOT NULL, data BLOB NOT NULL""",
    "prompt_logs": """
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, attempt INTEGER NOT NULL,
        turn INTEGER NOT NULL, number INTEGER NOT NULL, phase TEXT NOT NULL, model TEXT NOT NULL,
        prompt INTEGER NOT NULL REFERENCES contents (id), response INTEGER REFERENCES contents (id),
        started TEXT NOT NULL, finished TEXT NOT NULL, usage JSON NOT NULL, error TEXT,
        PRIMARY KEY (run, conversation, attempt, turn, number)""",
    "graphs": """
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, created TEXT NOT NULL,
        content INTEGER NOT NULL REFERENCES contents (id), PRIMARY KEY (run, conversation)""",
    "frozen_graphs": """
        document TEXT NOT NULL, digest TEXT NOT NULL, ontology TEXT NOT NULL, version TEXT NOT NULL,
        created TEXT NOT NULL, content INTEGER NOT NULL REFERENCES contents (id),
        PRIMARY KEY (document, digest, ontology, version)""",
    "ontologies": """
        id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, created TEXT NOT NULL, triples INTEGER NOT NULL,
        content INTEGER NOT NULL REFERENCES contents (id)""",
    # Verdicts and figures. They are deleted with their run; the run store does not access them.
    "scores": """
        id TEXT PRIMARY KEY, run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, dataset TEXT NOT NULL,
        dataset_digest TEXT NOT NULL, scored TEXT NOT NULL, version TEXT NOT NULL, metrics JSON NOT NULL,
        conversations INTEGER NOT NULL, turns INTEGER NOT NULL, correct_answers INTEGER NOT NULL,
        accuracy REAL NOT NULL, unanswered INTEGER NOT NULL, mean_turns REAL NOT NULL,
        mean_tool_calls REAL NOT NULL, references_digest TEXT""",
    "scored_examples": """
        score TEXT NOT NULL, run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, conversation TEXT NOT NULL,
        turns INTEGER NOT NULL, correct_answers INTEGER NOT NULL, accuracy REAL NOT NULL, failed_turns JSON NOT NULL,
        mean_tool_calls REAL NOT NULL, PRIMARY KEY (run, conversation)""",
    "scored_turns": """
        score TEXT NOT NULL, run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, conversation TEXT NOT NULL,
        "index" INTEGER NOT NULL, correct INTEGER NOT NULL, program_correct INTEGER, cause TEXT,
        PRIMARY KEY (run, conversation, "index")""",
}
_WITHOUT_ROWID = frozenset({"prompt_logs", "graphs", "frozen_graphs"})

_INDEXES: Mapping[str, str] = {
    # Covers all columns of turns that lists, filters, counts and figures need.
    "turns_listed": """turns (
        run, conversation, attempt, "index", kind, operation, origin, confidence, number, status, verified,
        milliseconds, requests, tokens, cached_tokens, called, refusals, no_answer, stages)""",
    # Freeing contents queries each of these columns.
    "prompts_by_prompt": "prompt_logs (prompt)",
    "prompts_by_response": "prompt_logs (response)",
    "graphs_by_content": "graphs (content)",
    "frozen_graphs_by_content": "frozen_graphs (content)",
    "ontologies_by_content": "ontologies (content)",
    "contents_by_base": "contents (base)",
    "scores_by_run": "scores (run, scored)",
    "failed_examples": "scored_examples (run, accuracy)",
    "failed_turns": "scored_turns (run, correct)",
}

_OLDER_VALUES: Mapping[str, str] = {
    "attempt": "1", "status": "'complete'", "history": "'[]'", "registers": "'[]'", "references": "'{}'",
    # An older turn's trace, which was text, becomes a single note.
    "events": "CASE WHEN understanding != '' THEN json_array(json_object('text', understanding, 'kind', 'note')) "
    "ELSE '[]' END",
}  # fmt: skip
"""Values of columns without a default, for rows older than the column."""

_SETS = (
    ("graphs", "instances", "graph"),
    ("frozen_graphs", "frozen_instances", "graph"),
    ("ontologies", "ontology", "ontology"),
)
"""Formats older than contents: for each kind of triple set, the table of its triples and their foreign key."""

Columns = Mapping[str, frozenset[str]]
"""Tables of an older file with their columns."""


def create_tables(db: sqlite3.Connection) -> None:
    """Create the tables and indexes of SCHEMA_VERSION."""
    for name, columns in TABLES.items():
        db.execute(f"CREATE TABLE {name} ({columns}){' WITHOUT ROWID' * (name in _WITHOUT_ROWID)}")
    for name, columns in _INDEXES.items():
        db.execute(f"CREATE INDEX {name} ON {columns}")


def set_aside(db: sqlite3.Connection) -> Columns:
    """Rename the tables of an older file to `older_...` and return their columns."""
    query = "SELECT type, name FROM sqlite_master WHERE sql NOTNULL AND name NOT LIKE 'sqlite_%'"
    objects = db.execute(query).fetchall()
    for kind, name in objects:
        db.execute(f"DROP INDEX {name}" if kind == "index" else f"ALTER TABLE {name} RENAME TO older_{name}")
    return {name: _columns(db, f"older_{name}") for kind, name in objects if kind == "table"}


async def copy_older(db: sqlite3.Connection, tables: Tables, older: Columns) -> None:
    """Copy the rows of the renamed tables, and drop these tables."""
    packed = set(TABLES) if "contents" in older else set(TABLES) - {"prompt_logs", *(name for name, _, _ in _SETS)}
    for table in packed & older.keys():
        names = [name for name in _columns(db, table) if name in older[table] or name in _OLDER_VALUES]
        values = [f'"{name}"' if name in older[table] else _OLDER_VALUES[name] for name in names]
        written = ", ".join(f'"{name}"' for name in names)
        db.execute(f"INSERT INTO {table} ({written}) SELECT {', '.join(values)} FROM older_{table}")
    if "contents" not in older:
        await _pack_contents(db, tables, older)
    if "stages" not in older.get("turns", {"stages"}):
        await summarise_turns(tables)
    for name in older:
        db.execute(f"DROP TABLE older_{name}")


async def _pack_contents(db: sqlite3.Connection, tables: Tables, older: Columns) -> None:
    contents = Contents(tables)
    for table, triples, owner in _SETS:
        for row in _rows(db, table) if table in older else ():
            found = db.execute(f"SELECT s, p, o FROM older_{triples} WHERE {owner} = ?", (row["id"],))
            written = WrittenGraph.of(found)
            new_row = {name: value for name, value in row.items() if name != "id" or table == "ontologies"}
            new_row |= {"content": written.text, "triples": written.size}
            await tables.insert(table, [await contents.put_columns(new_row, "content")])
    for row in _rows(db, "prompt_logs") if "prompt_logs" in older else ():
        new_row = {"attempt": 1, **row, "usage": json.loads(row["usage"])}
        await tables.insert("prompt_logs", [await contents.put_columns(new_row, "prompt", "response")])


def _columns(db: sqlite3.Connection, table: str) -> frozenset[str]:
    return frozenset(row[1] for row in db.execute(f"PRAGMA table_info({table})"))


def _rows(db: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    return map(dict, db.execute(f"SELECT * FROM older_{table} ORDER BY rowid"))
