"""The scores in the SQLite file of the runs.

Owns the statements; the tables are in `quaestor.store.sqlite_schema`. What belongs to a run goes with it, by the
foreign keys of the tables.
"""

from quaestor.scores.records import ConversationScoreRecord, KeptScore, ScoreRecord, VerdictRecord
from quaestor.store.sqlite_file import SqliteFile, in_order


class SqliteScores(SqliteFile):
    """A ScoreStore in one SQLite file."""

    @in_order
    def add_score(self, kept: KeptScore) -> None:
        """Adds a scoring of a run; its verdicts stand in place of those of an earlier one."""
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

    @in_order
    def scores(self, run: str | None = None) -> tuple[ScoreRecord, ...]:
        """Returns the figures of every scoring of a run, or of all runs, the latest first."""
        where, values = ("", ()) if run is None else ("WHERE run = ? ", (run,))
        return self._select(ScoreRecord, f"scores {where}ORDER BY scored DESC, id DESC", *values)

    @in_order
    def conversation_scores(self, run: str, *, failed: bool = False) -> tuple[ConversationScoreRecord, ...]:
        """Returns how the conversations of a run did in its latest scoring, by id."""
        only = "AND accuracy < 1 " if failed else ""
        where = f"scored_examples WHERE run = ? {only}ORDER BY conversation"
        return self._select(ConversationScoreRecord, where, run)

    @in_order
    def verdicts(
        self, run: str, conversation: str | None = None, *, correct: bool | None = None
    ) -> tuple[VerdictRecord, ...]:
        """Returns the verdicts of a run's latest scoring, by conversation and index."""
        where, values = ["run = ?"], [run]
        if conversation is not None:
            where.append("conversation = ?")
            values.append(conversation)
        if correct is not None:
            where.append(f"correct = {int(correct)}")
        rest = f'scored_turns WHERE {" AND ".join(where)} ORDER BY conversation, "index"'
        return self._select(VerdictRecord, rest, *values)
