"""The tables of the SQLite store, and how an older file comes to have them.

A step, once released, is never changed: the next change is another step.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import lru_cache

from quaestor.store.sqlite_migrations import file_turns, measure_turns, pack_contents

APPLICATION_ID = 0x51554145  # "QUAE": tells our files from other SQLite databases

_RUNS = (
    """CREATE TABLE runs (
        id TEXT PRIMARY KEY, spec JSON NOT NULL, spec_digest TEXT NOT NULL, dataset TEXT NOT NULL,
        dataset_digest TEXT NOT NULL, conversations INTEGER NOT NULL, started TEXT NOT NULL, status TEXT NOT NULL,
        finished TEXT)""",
    """CREATE TABLE examples (
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, document TEXT NOT NULL,
        status TEXT NOT NULL, turns INTEGER NOT NULL, started TEXT, finished TEXT, error TEXT,
        PRIMARY KEY (run, conversation))""",
    """CREATE TABLE turns (
        run TEXT NOT NULL, conversation TEXT NOT NULL, "index" INTEGER NOT NULL, question TEXT NOT NULL,
        answer JSON NOT NULL, program TEXT, number TEXT, verified INTEGER NOT NULL, started TEXT NOT NULL,
        finished TEXT NOT NULL, error TEXT, sources JSON NOT NULL, understanding TEXT, tool_calls JSON NOT NULL,
        usage JSON NOT NULL, PRIMARY KEY (run, conversation, "index"),
        FOREIGN KEY (run, conversation) REFERENCES examples (run, conversation))""",
)
# A triple stands once, below the number of its set: run and conversation with each would be most of the file.
_KNOWLEDGE = (
    "ALTER TABLE examples ADD COLUMN kg_stats JSON NOT NULL DEFAULT '{}'",
    "CREATE TABLE ontologies (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, created TEXT NOT NULL)",
    """CREATE TABLE ontology (
        ontology INTEGER NOT NULL REFERENCES ontologies (id), s TEXT NOT NULL, p TEXT NOT NULL, o TEXT NOT NULL,
        PRIMARY KEY (ontology, s, p, o)) WITHOUT ROWID""",
    """CREATE TABLE graphs (
        id INTEGER PRIMARY KEY, run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL,
        created TEXT NOT NULL, UNIQUE (run, conversation))""",
    """CREATE TABLE instances (
        graph INTEGER NOT NULL REFERENCES graphs (id), s TEXT NOT NULL, p TEXT NOT NULL, o TEXT NOT NULL,
        PRIMARY KEY (graph, s, p, o)) WITHOUT ROWID""",
    """CREATE TABLE prompt_logs (
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, turn INTEGER NOT NULL,
        number INTEGER NOT NULL, phase TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL, response TEXT,
        started TEXT NOT NULL, finished TEXT NOT NULL, usage JSON NOT NULL, error TEXT,
        PRIMARY KEY (run, conversation, turn, number))""",
)
_USAGE = ("ALTER TABLE examples ADD COLUMN usage JSON NOT NULL DEFAULT '{}'",)
_REFERENCES = ("""ALTER TABLE turns ADD COLUMN "references" JSON NOT NULL DEFAULT '{}'""",)
# What a turn's trace was as text is one note, word for word.
_EVENTS = (
    "ALTER TABLE turns ADD COLUMN events JSON NOT NULL DEFAULT '[]'",
    """UPDATE turns SET events = json_array(json_object('text', understanding, 'kind', 'note'))
        WHERE understanding IS NOT NULL AND understanding != ''""",
    "ALTER TABLE turns DROP COLUMN understanding",
)
# Verdicts and figures. They go with their run; no operation of a run store names them.
_SCORES = (
    """CREATE TABLE scores (
        id TEXT PRIMARY KEY, run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, dataset TEXT NOT NULL,
        dataset_digest TEXT NOT NULL, scored TEXT NOT NULL, version TEXT NOT NULL, metrics JSON NOT NULL,
        conversations INTEGER NOT NULL, turns INTEGER NOT NULL, correct_answers INTEGER NOT NULL,
        accuracy REAL NOT NULL, unanswered INTEGER NOT NULL, mean_turns REAL NOT NULL,
        mean_tool_calls REAL NOT NULL)""",
    "CREATE INDEX scores_by_run ON scores (run, scored)",
    """CREATE TABLE scored_examples (
        score TEXT NOT NULL, run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, conversation TEXT NOT NULL,
        turns INTEGER NOT NULL, correct_answers INTEGER NOT NULL, accuracy REAL NOT NULL, failed_turns JSON NOT NULL,
        mean_tool_calls REAL NOT NULL, PRIMARY KEY (run, conversation))""",
    "CREATE INDEX failed_examples ON scored_examples (run, accuracy)",
    """CREATE TABLE scored_turns (
        score TEXT NOT NULL, run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, conversation TEXT NOT NULL,
        "index" INTEGER NOT NULL, correct INTEGER NOT NULL, program_correct INTEGER,
        PRIMARY KEY (run, conversation, "index"))""",
    "CREATE INDEX failed_turns ON scored_turns (run, correct)",
)
# A conversation that is played again keeps what its earlier attempts left: the attempt is in the keys, and SQLite has
# no other way to change one than to write the table anew. A turn is there before it has ended.
_ATTEMPTS = (
    "ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'run'",
    "ALTER TABLE examples ADD COLUMN attempt INTEGER NOT NULL DEFAULT 1",
    """CREATE TABLE turns_of_attempts (
        run TEXT NOT NULL, conversation TEXT NOT NULL, attempt INTEGER NOT NULL, "index" INTEGER NOT NULL,
        status TEXT NOT NULL, question TEXT NOT NULL, history JSON NOT NULL, answer JSON NOT NULL, program TEXT,
        number TEXT, verified INTEGER NOT NULL, registers JSON NOT NULL, started TEXT NOT NULL, finished TEXT,
        error TEXT, sources JSON NOT NULL, tool_calls JSON NOT NULL, usage JSON NOT NULL, "references" JSON NOT NULL,
        events JSON NOT NULL, PRIMARY KEY (run, conversation, attempt, "index"),
        FOREIGN KEY (run, conversation) REFERENCES examples (run, conversation))""",
    """INSERT INTO turns_of_attempts
        SELECT run, conversation, 1, "index", 'complete', question, '[]', answer, program, number, verified, '[]',
        started, finished, error, sources, tool_calls, usage, "references", events FROM turns""",
    "DROP TABLE turns",
    "ALTER TABLE turns_of_attempts RENAME TO turns",
    """CREATE TABLE prompts_of_attempts (
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, attempt INTEGER NOT NULL,
        turn INTEGER NOT NULL, number INTEGER NOT NULL, phase TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL,
        response TEXT, started TEXT NOT NULL, finished TEXT NOT NULL, usage JSON NOT NULL, error TEXT,
        PRIMARY KEY (run, conversation, attempt, turn, number))""",
    """INSERT INTO prompts_of_attempts
        SELECT run, conversation, 1, turn, number, phase, model, prompt, response, started, finished, usage, error
        FROM prompt_logs""",
    "DROP TABLE prompt_logs",
    "ALTER TABLE prompts_of_attempts RENAME TO prompt_logs",
)
# Why a turn is wrong; verdicts of before know no cause until the run is scored again.
_CAUSES = ("ALTER TABLE scored_turns ADD COLUMN cause TEXT",)
_FROZEN_GRAPHS = (
    """CREATE TABLE frozen_graphs (
        id INTEGER PRIMARY KEY, document TEXT NOT NULL, digest TEXT NOT NULL, ontology TEXT NOT NULL,
        version TEXT NOT NULL, created TEXT NOT NULL, UNIQUE (document, digest, ontology, version))""",
    """CREATE TABLE frozen_instances (
        graph INTEGER NOT NULL REFERENCES frozen_graphs (id), s TEXT NOT NULL, p TEXT NOT NULL, o TEXT NOT NULL,
        PRIMARY KEY (graph, s, p, o)) WITHOUT ROWID""",
)
# What a person corrected. Rows are added, and never changed.
_CORRECTIONS = (
    """CREATE TABLE corrections (
        run TEXT NOT NULL, conversation TEXT NOT NULL, attempt INTEGER NOT NULL, number INTEGER NOT NULL,
        act JSON NOT NULL, turns INTEGER NOT NULL, author TEXT NOT NULL, made TEXT NOT NULL, reason TEXT NOT NULL,
        changes JSON NOT NULL, PRIMARY KEY (run, conversation, attempt, number),
        FOREIGN KEY (run, conversation) REFERENCES examples (run, conversation))""",
)
# What turns are listed by; turns of before are filed too. The index has all that filters and counts ask.
_LISTS = (
    "ALTER TABLE turns ADD COLUMN kind TEXT NOT NULL DEFAULT 'none'",
    "ALTER TABLE turns ADD COLUMN operation TEXT",
    "ALTER TABLE turns ADD COLUMN origin TEXT",
    "ALTER TABLE turns ADD COLUMN confidence REAL",
    file_turns,
    """CREATE INDEX turns_listed ON turns (
        run, conversation, attempt, "index", kind, operation, origin, confidence, number)""",
)
# What is large stands once, packed, and is referred to by its number: prompts, replies, graphs, ontologies.
_CONTENTS: tuple[str | Callable[[sqlite3.Connection], None], ...] = (
    """CREATE TABLE contents (
        id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, size INTEGER NOT NULL,
        base INTEGER REFERENCES contents (id), depth INTEGER NOT NULL, data BLOB NOT NULL)""",
    """CREATE TABLE packed_prompts (
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, attempt INTEGER NOT NULL,
        turn INTEGER NOT NULL, number INTEGER NOT NULL, phase TEXT NOT NULL, model TEXT NOT NULL,
        prompt INTEGER NOT NULL REFERENCES contents (id), response INTEGER REFERENCES contents (id),
        started TEXT NOT NULL, finished TEXT NOT NULL, usage JSON NOT NULL, error TEXT,
        PRIMARY KEY (run, conversation, attempt, turn, number)) WITHOUT ROWID""",
    """CREATE TABLE packed_graphs (
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, created TEXT NOT NULL,
        content INTEGER NOT NULL REFERENCES contents (id), PRIMARY KEY (run, conversation)) WITHOUT ROWID""",
    """CREATE TABLE packed_frozen_graphs (
        document TEXT NOT NULL, digest TEXT NOT NULL, ontology TEXT NOT NULL, version TEXT NOT NULL,
        created TEXT NOT NULL, content INTEGER NOT NULL REFERENCES contents (id),
        PRIMARY KEY (document, digest, ontology, version)) WITHOUT ROWID""",
    """CREATE TABLE packed_ontologies (
        id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, created TEXT NOT NULL, triples INTEGER NOT NULL,
        content INTEGER NOT NULL REFERENCES contents (id))""",
    pack_contents,
    *(f"DROP TABLE {table}" for table in ("instances", "graphs", "frozen_instances", "frozen_graphs", "ontology")),
    *(f"DROP TABLE {table}" for table in ("ontologies", "prompt_logs")),
    "ALTER TABLE packed_prompts RENAME TO prompt_logs",
    "ALTER TABLE packed_graphs RENAME TO graphs",
    "ALTER TABLE packed_frozen_graphs RENAME TO frozen_graphs",
    "ALTER TABLE packed_ontologies RENAME TO ontologies",
    # What is freed is looked up by each of them.
    "CREATE INDEX prompts_by_prompt ON prompt_logs (prompt)",
    "CREATE INDEX prompts_by_response ON prompt_logs (response)",
    "CREATE INDEX graphs_by_content ON graphs (content)",
    "CREATE INDEX frozen_graphs_by_content ON frozen_graphs (content)",
    "CREATE INDEX ontologies_by_content ON ontologies (content)",
    "CREATE INDEX contents_by_base ON contents (base)",
)
# Who plays a conversation, if several may, and until when: seconds by the machine's clock.
_CLAIMS = (
    "ALTER TABLE examples ADD COLUMN claim_owner TEXT",
    "ALTER TABLE examples ADD COLUMN claim_until REAL",
)
# What the figures of a run are made of. The index has all that is filed of a turn, and whether it has ended.
_MEASURES: tuple[str | Callable[[sqlite3.Connection], None], ...] = (
    "ALTER TABLE turns ADD COLUMN milliseconds INTEGER",
    *(
        f"ALTER TABLE turns ADD COLUMN {name} INTEGER NOT NULL DEFAULT 0"
        for name in ("requests", "tokens", "cached_tokens", "called", "refusals", "no_answer", "stages")
    ),
    measure_turns,
    "DROP INDEX turns_listed",
    """CREATE INDEX turns_listed ON turns (
        run, conversation, attempt, "index", kind, operation, origin, confidence, number, status, verified,
        milliseconds, requests, tokens, cached_tokens, called, refusals, no_answer, stages)""",
)
# The verdicts of the latest scoring with what was answered, a packed column each; and of what references they are.
_COLUMNS = (
    """CREATE TABLE scored_columns (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, name TEXT NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (run, name))""",
    "ALTER TABLE scores ADD COLUMN references_digest TEXT",
)
STEPS: tuple[tuple[str | Callable[[sqlite3.Connection], None], ...], ...] = (
    _RUNS, _KNOWLEDGE, _USAGE, _REFERENCES, _EVENTS, _SCORES, _ATTEMPTS, _CAUSES, _FROZEN_GRAPHS, _CORRECTIONS,
    _LISTS, _CONTENTS, _CLAIMS, _MEASURES, _COLUMNS,
)  # fmt: skip
"""Step n brings a file of version n to version n + 1; a new file has what all of them leave."""

SCHEMA_VERSION = len(STEPS)


def bring_up_to_date(db: sqlite3.Connection, version: int) -> None:
    """Give a database of a version the tables of SCHEMA_VERSION, with what the older ones hold; 0 is an empty one."""
    if version == 0:
        for statement in _newest():
            db.execute(statement)
    else:
        _take_steps(db, version)


def _take_steps(db: sqlite3.Connection, version: int) -> None:
    for step in STEPS[version:]:
        for change in step:
            if callable(change):
                change(db)
            else:
                db.execute(change)


@lru_cache(maxsize=1)
def _newest() -> tuple[str, ...]:
    """The statements that make what all steps leave. Most steps change tables, each by reading the whole schema."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        _take_steps(db, 0)
        # Those without a statement are indexes that come with their table.
        return tuple(row[0] for row in db.execute("SELECT sql FROM sqlite_master WHERE sql NOTNULL ORDER BY rowid"))
