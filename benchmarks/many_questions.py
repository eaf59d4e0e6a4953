"""Fuzzes the solver with many questions: `python -m benchmarks.many_questions FILE ... [--questions N] [--seed S]`.

They are generated from the words of each filing and distorted (`tests/support/fuzzing/questions.py`), and asked through
the Python API: some alone, most in conversations. Each worker process asks about one filing at a time. A question that
takes more than `--alarm` CPU seconds counts as endless: the stacks of its process are printed, and another process
continues with the next question. Exits with 1 if a question was endless or raised an error other than `QuaestorError`.
"""

import argparse
import faulthandler
import os
import random
import signal
import statistics
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from fuzzing.questions import Vocabulary, draw_conversation

import quaestor
from quaestor.errors import QuaestorError
from quaestor.library.answered import Answers

_SLOW = 2.0
"""Questions that take longer than this many seconds are printed."""
_PATIENCE = 600
"""Seconds without output after which a process counts as stuck; reading a large filing takes shorter."""
_EVERY = 1_000


@dataclass
class OutcomeCounts:
    """The outcomes of questions, and the CPU seconds of each."""

    outcomes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")

    def add(self, outcome: str, seconds: float, questions: Sequence[str]) -> None:
        """Count a question."""
        self.outcomes[outcome] += 1
        self.seconds.append(seconds)
        self.slowest = max(self.slowest, (seconds, repr(questions)[:300]))

    @property
    def failed(self) -> bool:
        """Whether a question was endless or raised an unexpected error."""
        return any(outcome.startswith(("unnamed", "never")) for outcome in self.outcomes)


def main() -> None:
    """Ask the questions, and print the outcomes for all filings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=60_000, help="of all files together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alarm", type=float, default=20.0, help="seconds of the processor that a question may take")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    wanted = parser.parse_args()
    counts, lock = OutcomeCounts(), Lock()
    each = -(-wanted.questions // wanted.workers)

    def work(worker: int) -> None:
        for number, file in enumerate(wanted.files):
            share = each // len(wanted.files) + (number < each % len(wanted.files))
            _ask_in_processes(file, share, f"{wanted.seed}/{worker}/{number}", wanted.alarm, counts, lock)

    with ThreadPoolExecutor(wanted.workers) as pool:
        list(pool.map(work, range(wanted.workers)))
    _print(counts)
    sys.exit(1 if counts.failed else 0)


def _print(counts: OutcomeCounts) -> None:
    print(f"{len(counts.seconds):,} questions")
    for outcome, count in counts.outcomes.most_common():
        print(f"{count:>10,} {outcome}")
    seconds, asked = counts.slowest
    print(f"median {1000 * statistics.median(counts.seconds):.0f} ms, slowest {seconds:.2f} s: {asked}", flush=True)


def _ask_in_processes(file: Path, count: int, seed: str, alarm: float, counts: OutcomeCounts, lock: Lock) -> None:
    """Ask a number of questions about a file, in a new process after each endless one."""
    done = 0
    while done < count:
        parent, child = get_context("spawn").Pipe()
        process = get_context("spawn").Process(
            target=_ask, args=(child, file.resolve(), count, seed, done, alarm), daemon=True
        )
        process.start()
        child.close()
        before = done
        for outcome, seconds, questions in _receive_outcomes(parent):
            done += 1
            with lock:
                counts.add(outcome, seconds, questions)
                if seconds > _SLOW or outcome.startswith(("unnamed", "never")):
                    print(f"{outcome}, {seconds:.1f} s, {file.name}: {questions!r}", flush=True)
                if len(counts.seconds) % _EVERY == 0:
                    _print(counts)
        process.kill()
        process.join()
        if done == before:
            raise SystemExit(f"{file}: a process ended before its first answer")


def _receive_outcomes(parent: Connection) -> Iterator[tuple[str, float, list[str]]]:
    """Yield the messages of a process about each question, until it ends or is silent for too long."""
    try:
        while parent.poll(_PATIENCE):
            yield parent.recv()
    except EOFError:
        pass


def _ask(child: Connection, file: Path, count: int, seed: str, done: int, alarm: float) -> None:
    """Ask the questions of a seed, skipping those already done, and send the outcome of each."""
    os.chdir(tempfile.mkdtemp())  # a folder without settings or a store
    settings = quaestor.Settings(question_seconds=_PATIENCE)  # the alarm is the only limit
    document = quaestor.open(file, settings=settings)
    words = Vocabulary.of(document.document)
    questions, begun = list[str](), 0.0

    def never_ended(*_: object) -> None:
        print(f"never ended: {questions!r}", file=sys.stderr)
        faulthandler.dump_traceback()
        child.send(("never ended", process_time() - begun, questions))
        os._exit(1)

    signal.signal(signal.SIGVTALRM, never_ended)
    document.ask("what is it?")  # loads what is loaded once per process
    conversation = document.conversation()
    for number, questions in enumerate(_questions(seed, words, count)):
        if number < done:
            continue
        if len(questions) == 1:
            conversation = document.conversation()
        alone = len(questions) == 1 and number % 2 == 0
        begun = process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, alarm)
        outcome = _outcome(document.ask if alone else conversation.ask, questions[-1])
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        child.send((outcome, process_time() - begun, questions))
    child.close()


def _outcome(ask: Callable[[list[str]], Answers], question: str) -> str:
    try:
        turns = [answered.turn for answered in ask([question])]
    except QuaestorError as error:
        return f"refused: {type(error).__name__}"
    except Exception as error:  # noqa: BLE001  # any error is a finding
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return f"unnamed error: {type(error).__name__} ({Path(frame.filename).name}:{frame.lineno})"
    if failed := next((turn.error for turn in turns if turn.error), None):
        return f"answered with {failed.partition(':')[0]}"
    return "answered" if any(turn.answer.value is not None for turn in turns) else "declined"


def _questions(seed: str, words: Vocabulary, count: int) -> Iterator[list[str]]:
    """Yield questions, each preceded by the ones that it follows up."""
    draw = random.Random(seed)
    while count > 0:
        questions = draw_conversation(draw, words)
        for last in range(1, min(len(questions), count) + 1):
            yield questions[:last]
        count -= len(questions)


if __name__ == "__main__":
    main()
