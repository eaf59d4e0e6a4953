"""Commands that write, killed at moments drawn by chance, taken up again, and held against undisturbed ones.

    for kill in killed(SCENARIOS["run"], folder, draw, 3, wanted, seconds): ...

A chain begins a command in a folder of its own, kills it or one of its workers, looks at what it left, and takes it up
again, until it has come to its end; then what there is is compared with what the same command leaves undisturbed.
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
"""Seconds after a signal to the parent in which all of its processes have to be gone."""
STORE = "runs.db"
_ENDS_WITHIN = 240.0
_APART = ("id", "run", "started", "finished", "attempt", "created", "owner", "until", "seconds")
"""Fields that differ between two runs that come to the same."""

Result = Any


@dataclass(frozen=True)
class Scenario:
    """A command that writes.

    Attributes:
        arguments: What is typed, in a folder in which `prepared` has run; the second time with what resumes it.
        result: What it has come to, without times and ids.
        kept: What it has acknowledged so far: keys, each with a digest of what belongs to it.
        prepared: Puts into the folder what the command reads.
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
    """One kill, and what came of it.

    Attributes:
        after: Seconds after the start.
        gone: Seconds from the signal until no process of it was left.
        wrong: What was not as it is promised, a line each.
    """

    scenario: str
    how: str
    after: float
    code: int = 0
    gone: float = 0.0
    wrong: list[str] = field(default_factory=list)


def processes_of(session: int) -> list[int]:
    """The processes of a session that are still there; who has ended and was not waited for is not."""
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
    """The command in a session of its own, so that every process of it can be found."""
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
    """The exit code; None if it had to be ended."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def undisturbed(scenario: Scenario, folder: Path) -> tuple[Result, float]:
    """What the command comes to, and how many seconds it takes."""
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
    """Yield the kills of one chain, at most so many; the last also says whether all came to what it should.

    Args:
        kills: At most.
        wanted: What the command comes to undisturbed.
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
        strangers = store.execute("PRAGMA foreign_key_check").fetchall()
        try:
            twice = store.execute(
                'SELECT conversation, attempt, "index" FROM turns GROUP BY run, conversation, attempt, "index" '
                "HAVING count(*) > 1"
            ).fetchall()
        except sqlite3.OperationalError:  # it was killed before there were tables
            twice = []
    wrong = [] if found == ["ok"] else [f"integrity_check: {found[:3]}"]
    wrong += [f"foreign_key_check: {strangers[:3]}"] if strangers else []
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
    """The conversations that the store says are complete, each with a digest of its turns."""
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
    """The replies of a model and the turns that the store says it has, of whatever attempt."""
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
    """The conversations of runs that are whole: an import is kept all or not at all."""
    whole = {row[0] for row in rows(folder, "SELECT id FROM runs WHERE status = 'complete'")}
    return {key: turns for key, turns in complete_conversations(folder).items() if key.partition(" ")[0] in whole}


def frozen(folder: Path) -> dict[str, str]:
    """The graphs and ontologies that the store says it has."""
    graphs = rows(folder, "SELECT document, ontology FROM frozen_graphs")
    digests = rows(folder, "SELECT digest FROM ontologies")
    return {f"{page} {ontology}": "" for page, ontology in graphs} | {row[0]: "" for row in digests}


def runs_come_to(folder: Path) -> Result:
    """All that is kept of the runs but ids and times, whatever the order in which it was written."""

    async def read() -> list[Any]:
        async with open_store(str(folder / STORE), create=False) as store:
            return [
                [serial.dump(run), serial.dump(await store.examples(run.id)), serial.dump(await store.turns(run.id))]
                for run in await store.runs()
                if run.status == "complete"
            ]

    return sorted(json.dumps(_bare(run), sort_keys=True) for run in asyncio.run(read()))


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if key not in _APART}
    return [_bare(item) for item in value] if isinstance(value, list | tuple) else value


def files_come_to(*names: str) -> Callable[[Path], Result]:
    """The bytes of the files that were asked for; no others are there but hidden ones of a command that was killed."""

    def read(folder: Path) -> Result:
        return {
            file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for name in names
            for file in sorted([folder / name] if (folder / name).is_file() else (folder / name).glob("*"))
        }

    return read
