"""Kill writing commands at random moments, resume them, and compare their results with those of uninterrupted commands.

    for kill in killed(SCENARIOS["run"], folder, draw, 3, wanted, seconds): ...

A chain starts a command in its own folder, kills it or one of its workers, checks what it left, and resumes it, until
it is complete. The result is then compared with that of the same command without interruption.
"""

import asyncio
import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quaestor.core import serial
from quaestor.store.base import open_store

PROGRAM = """
import signal
# A shell that starts programs in the background has them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
from quaestor.cli import main
main()
"""
GONE_WITHIN = 10.0
"""Seconds within which all processes have to end after a signal to the parent."""
STORE = "runs.db"
_ENDS_WITHIN = 240.0
_VOLATILE = ("id", "run", "started", "finished", "attempt", "created", "owner", "until", "seconds")
"""Fields that differ between equal runs."""

Result = Any


@dataclass(frozen=True)
class Scenario:
    """A command that writes.

    Attributes:
        arguments: The arguments of the command, given its folder; after a kill, those that resume it.
        result: The result of the complete command, without times and ids.
        kept: What the command has acknowledged so far, as a digest by key.
        prepared: Write the input of the command to the folder.
        workers: Whether it has worker processes.
    """

    name: str
    arguments: Callable[[Path], Sequence[str]]
    result: Callable[[Path], Result]
    kept: Callable[[Path], dict[str, str]] = lambda folder: {}
    prepared: Callable[[Path], None] = lambda folder: None
    workers: bool = False


@dataclass
class Kill:
    """One kill and its consequences.

    Attributes:
        after: Seconds from the start of the command to the kill.
        gone: Seconds from the signal until all processes have ended.
        wrong: Broken guarantees, one line each.
    """

    scenario: str
    how: str
    after: float
    code: int = 0
    gone: float = 0.0
    wrong: list[str] = field(default_factory=list)


def processes_of(session: int) -> list[int]:
    """Return the running processes of a session; zombies do not count."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                rest = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(rest[3]) == session and rest[0] != "Z":
                found.append(int(entry.name))
    return found


def started(arguments: Sequence[str], folder: Path) -> "subprocess.Popen[str]":
    """Start the command in its own session, so that all its processes can be found."""
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=folder,
            stdout=out,
            stderr=err,
            text=True,
            start_new_session=True,
            env={**os.environ, "OPENAI_API_KEY": "of a test"},
        )


def ended(process: "subprocess.Popen[str]", seconds: float = _ENDS_WITHIN) -> int | None:
    """Return the exit code, or None if the process had to be killed."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def undisturbed(scenario: Scenario, folder: Path) -> tuple[Result, float]:
    """Run the command without interruption and return its result and the seconds that it takes."""
    folder.mkdir(parents=True)
    scenario.prepared(folder)
    begun = time.monotonic()
    process = started(scenario.arguments(folder), folder)
    code = ended(process)
    took = time.monotonic() - begun
    if code != 0:
        raise RuntimeError(f"{scenario.name} ended with {code}: {(folder / 'err').read_text()[-500:]}")
    return scenario.result(folder), took


def killed(
    scenario: Scenario, folder: Path, draw: random.Random, kills: int, wanted: Result, seconds: float
) -> Iterator[Kill]:
    """Yield the kills of one chain; the last one also reports whether the result is wrong.

    Args:
        kills: Maximum number of kills.
        wanted: The result of the command without interruption.
    """
    folder.mkdir(parents=True)
    scenario.prepared(folder)
    done: list[Kill] = []
    for _ in range(kills):
        kill, over = _one_kill(scenario, folder, draw, seconds)
        done.append(kill)
        if over:
            break
    process = started(scenario.arguments(folder), folder)
    if (code := ended(process)) not in (0, 2) or (code == 2 and "there already" not in (folder / "err").read_text()):
        done[-1].wrong.append(f"taken up again it ended with {code}: {(folder / 'err').read_text()[-300:]}")
    elif scenario.result(folder) != wanted:
        done[-1].wrong.append("taken up again it came to something else")
    done[-1].wrong += _store_is_whole(folder)
    yield from done


def _one_kill(scenario: Scenario, folder: Path, draw: random.Random, seconds: float) -> tuple[Kill, bool]:
    number, whom = draw.choice(_WAYS if scenario.workers else _WAYS_ALONE)
    kill = Kill(scenario.name, f"{number.name} to {whom}", draw.random() * seconds * 1.1)
    process = started(scenario.arguments(folder), folder)
    try:
        process.wait(kill.after)
        over = True
    except subprocess.TimeoutExpired:
        over = False
    before = scenario.kept(folder)
    sent = time.monotonic()
    if not over:
        _send(process, number, whom, draw)
        if whom == "a worker":
            process.wait(_ENDS_WITHIN)
            sent = time.monotonic()
    while (left := processes_of(process.pid)) and time.monotonic() - sent < 3 * GONE_WITHIN:
        process.poll()
        time.sleep(0.05)
    kill.gone = time.monotonic() - sent
    if kill.gone > GONE_WITHIN:
        kill.wrong.append(f"{len(left) or 'no'} processes were left after {kill.gone:.0f} seconds")
        if left:
            os.killpg(process.pid, signal.SIGKILL)
    kill.code = process.wait()
    error = (folder / "err").read_text(errors="replace")
    if "leaked" in error:
        kill.wrong.append("leaked semaphores are reported")
    if "internal error" in error:
        kill.wrong.append(error[error.index("internal error") :][:200])
    after = scenario.kept(folder)
    if lost := [key for key in before if after.get(key) != before[key]]:
        kill.wrong.append(f"{len(lost)} acknowledged were lost or changed: {lost[:2]}")
    kill.wrong += _store_is_whole(folder)
    return kill, over


_WAYS_ALONE = [
    (signal.SIGKILL, "the parent"),
    (signal.SIGTERM, "the parent"),
    (signal.SIGTERM, "all"),
    (signal.SIGINT, "all"),
]
_WAYS = [*_WAYS_ALONE, (signal.SIGKILL, "all"), (signal.SIGKILL, "a worker")]


def _send(process: "subprocess.Popen[str]", number: signal.Signals, whom: str, draw: random.Random) -> None:
    try:
        if whom == "all":
            os.killpg(process.pid, number)
        elif whom == "the parent":
            process.send_signal(number)
        else:
            os.kill(
                draw.choice([one for one in processes_of(process.pid) if one != process.pid] or [process.pid]), number
            )
    except ProcessLookupError:
        return


def _store_is_whole(folder: Path) -> list[str]:
    if not (folder / STORE).exists():
        return []
    with closing(sqlite3.connect(folder / STORE)) as store:
        found = [row[0] for row in store.execute("PRAGMA integrity_check")]
        violations = store.execute("PRAGMA foreign_key_check").fetchall()
        try:
            twice = store.execute(
                'SELECT conversation, attempt, "index" FROM turns GROUP BY run, conversation, attempt, "index" '
                "HAVING count(*) > 1"
            ).fetchall()
        except sqlite3.OperationalError:  # killed before the tables were created
            twice = []
    wrong = [] if found == ["ok"] else [f"integrity_check: {found[:3]}"]
    wrong += [f"foreign_key_check: {violations[:3]}"] if violations else []
    return wrong + ([f"kept twice: {twice[:3]}"] if twice else [])


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    if not (folder / STORE).exists():
        return []
    with closing(sqlite3.connect(f"file:{folder / STORE}?mode=ro", uri=True, timeout=30)) as store:
        try:
            return store.execute(query).fetchall()
        except sqlite3.OperationalError as error:
            if "no such" in str(error) or "unable to open" in str(error):
                return []
            raise


def complete_conversations(folder: Path) -> dict[str, str]:
    """Return the complete conversations of the store, each with a digest of its turns."""
    found: dict[str, Any] = {}
    for run, conversation, index, question, answer, number in rows(
        folder,
        'SELECT t.run, t.conversation, t."index", t.question, t.answer, t.number FROM turns t JOIN examples e '
        "ON e.run = t.run AND e.conversation = t.conversation AND e.attempt = t.attempt AND e.status = 'complete' "
        'ORDER BY t.run, t.conversation, t."index"',
    ):
        found.setdefault(f"{run} {conversation}", hashlib.sha256()).update(
            repr((index, question, answer, number)).encode()
        )
    return {key: digest.hexdigest() for key, digest in found.items()}


def replies_and_turns(folder: Path) -> dict[str, str]:
    """Return the model replies and the complete turns in the store, of any attempt."""
    replies = rows(
        folder,
        "SELECT l.run, l.conversation, l.attempt, l.turn, l.number, c.digest FROM prompt_logs l JOIN contents c "
        "ON c.id = l.response",
    )
    turns = rows(
        folder, "SELECT run, conversation, attempt, \"index\", 'turn', answer FROM turns WHERE status = 'complete'"
    )
    return {" ".join(map(str, row[:5])): repr(row[5]) for row in [*replies, *turns]} | complete_conversations(folder)


def whole_imports(folder: Path) -> dict[str, str]:
    """Return the conversations of complete runs: an import is stored completely or not at all."""
    whole = {row[0] for row in rows(folder, "SELECT id FROM runs WHERE status = 'complete'")}
    return {key: turns for key, turns in complete_conversations(folder).items() if key.partition(" ")[0] in whole}


def frozen(folder: Path) -> dict[str, str]:
    """Return the keys of the graphs and ontologies in the store."""
    graphs = rows(folder, "SELECT document, ontology FROM frozen_graphs")
    digests = rows(folder, "SELECT digest FROM ontologies")
    return {f"{page} {ontology}": "" for page, ontology in graphs} | {row[0]: "" for row in digests}


def runs_come_to(folder: Path) -> Result:
    """Return the content of all complete runs without ids and times, in a fixed order."""

    async def read() -> list[Any]:
        async with open_store(str(folder / STORE), create=False) as store:
            return [
                [serial.dump(run), serial.dump(await store.examples(run.id)), serial.dump(await store.turns(run.id))]
                for run in await store.runs()
                if run.status == "complete"
            ]

    return sorted(json.dumps(_without_volatile(run), sort_keys=True) for run in asyncio.run(read()))


def _without_volatile(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_volatile(item) for key, item in value.items() if key not in _VOLATILE}
    return [_without_volatile(item) for item in value] if isinstance(value, list | tuple) else value


def files_come_to(*names: str) -> Callable[[Path], Result]:
    """Return a function that returns the digests of the named files or of the visible files in named folders."""

    def read(folder: Path) -> Result:
        return {
            file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for name in names
            for file in sorted([folder / name] if (folder / name).is_file() else (folder / name).glob("*"))
        }

    return read
