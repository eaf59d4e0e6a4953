"""A SQLite store looked through, and made as small as it can be."""

import sqlite3
from pathlib import Path

from quaestor.errors import StoreError
from quaestor.store.contents import content_digest
from quaestor.store.sqlite_contents import ContentTable
from quaestor.store.sqlite_file import in_order, in_order_read
from quaestor.store.sqlite_listing import SqliteLists
from quaestor.store.upkeep import Checked, VacuumResult

_SOME = 200
_FEW = 20
"""How many problems of one kind are named."""


class SqliteUpkeep(SqliteLists):
    """The StoreUpkeep of one SQLite file."""

    def _prepare(self) -> None:
        super()._prepare()
        self._contents = ContentTable(self._db)

    @in_order_read
    def check(self) -> Checked:
        """Read all that can be broken, and return what is."""
        problems: list[str] = []
        with self._reporting("read"), self._transaction("DEFERRED"):
            found = [str(row[0]) for row in self._db.execute(f"PRAGMA integrity_check({_FEW})")]
            problems += [f"the file is damaged: {line}" for line in found if line != "ok"]
            if problems:  # no more of it can be trusted
                return Checked(tuple(problems), 0, 0)
            lost: dict[tuple[str, str], int] = {}
            for table, _, parent, _ in self._db.execute("PRAGMA foreign_key_check"):
                lost[table, parent] = lost.get((table, parent), 0) + 1
            problems += [
                f"{count} rows of {table} refer to missing {parent}" for (table, parent), count in lost.items()
            ]
            short = """SELECT run, conversation, turns, (SELECT count(*) FROM turns t WHERE t.run = e.run
                AND t.conversation = e.conversation AND t.attempt = e.attempt) AS kept FROM examples e
                WHERE status = 'complete' AND kept < turns LIMIT ?"""
            for run, conversation, turns, kept in self._db.execute(short, (_FEW,)):
                problems.append(f"conversation {conversation!r} of run {run!r} has {kept} of its {turns} turns")
            count, damaged = self._damaged()
            return Checked((*problems, *damaged), count, self._contents.unused())

    def _damaged(self) -> tuple[int, list[str]]:
        problems, count, last = list[str](), 0, -1
        some = "SELECT id, digest FROM contents WHERE id > ? ORDER BY id LIMIT ?"
        while rows := self._db.execute(some, (last, _SOME)).fetchall():
            for number, digest in rows:
                try:
                    if content_digest(self._contents.text(number).encode()) != digest:
                        problems.append(f"content {digest.hex()[:12]} does not match its digest")
                except (StoreError, UnicodeDecodeError) as error:
                    problems.append(f"content {digest.hex()[:12]} cannot be read: {error}")
            count, last = count + len(rows), rows[-1][0]
        return count, problems

    @in_order
    def vacuum(self) -> VacuumResult:
        """Take away what nothing refers to, and makes the file as small as it can be."""
        with self._reporting("write to"):
            before = self._bytes()
            with self._transaction():
                gone = self._contents.sweep()
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return VacuumResult(gone, 0, before, self._bytes())

    def _bytes(self) -> int | None:
        file = self._db.execute("PRAGMA database_list").fetchone()["file"]
        try:
            return (
                sum(path.stat().st_size for path in (Path(file), Path(f"{file}-wal")) if path.exists())
                if file
                else None
            )
        except sqlite3.Error:
            return None
