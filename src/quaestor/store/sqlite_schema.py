"""The tables of the SQLite store, and how an older file comes to have them.

Owns the schema and its version. A step, once released, is never changed: the next change is another step.
"""

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
STEPS = (_RUNS, _KNOWLEDGE, _USAGE, _REFERENCES, _EVENTS)
"""Step n brings a file of version n to version n + 1; a new file takes all of them."""

SCHEMA_VERSION = len(STEPS)
