"""Time and memory to compare and report two runs of many turns: python -m benchmarks.large_runs.

The runs are generated in the store: turns like those of the embedded solver with random verdicts, saved as scores. No
labelled file is read, so the figures cover the store, the pairing, the resampling and the page.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.engines import InlineEngine
from quaestor.evaluation.run import run_dataset
from quaestor.evaluation.spec import RunSpec
from quaestor.sample import sample_path
from quaestor.scores.base import open_scores
from quaestor.scores.records import ConversationScoreRecord, ScoreRecord, ScoreRecords, Verdict
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord, now

TURNS = 100_000
IN_ONE = 4
PAGES = 12_000
COMPANIES = 397
CAUSES = ("operation", "wrong line", "wrong period", "no answer", "sign")

_MEASURED = """
import json, resource, sys, time
from quaestor.cli.app import make_app
started = time.perf_counter()
make_app(sys.argv[1:])(sys.argv[1:], standalone_mode=False)
seconds = time.perf_counter() - started
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([seconds, time.process_time(), most]), file=sys.stderr)
"""


async def templates() -> list[TurnRecord]:
    """Return the turns of a conversation as the embedded solver stores them."""
    pages = read_dataset(sample_path(), 1)
    async with open_store("sqlite://") as store:
        run = await run_dataset(pages, RunSpec.of(pages, "embedded", limit=1), store, InlineEngine())
        return list(await store.turns(run.id))[:IN_ONE]


async def make_run(
    store: RunStore, name: str, share: float, turns: Sequence[TurnRecord], conversations: int
) -> ScoreRecords:
    """Store a generated run, and return the records of its score."""
    draw, started = random.Random(name), now()
    run = RunRecord(name, {"solver": name}, name, "made-up.json", "0" * 64, conversations, started)
    await store.create_run(run)
    verdicts = dict[tuple[str, int], Verdict]()
    judged = list[ConversationScoreRecord]()
    for number in range(conversations):
        page = number * PAGES // conversations
        id = f"Single_C{page % COMPANIES}/2009/page_{page}.pdf-{number}"
        example = ConversationRecord(name, id, f"C{page % COMPANIES}/2009/page_{page}.pdf", started=started)
        attempt = await store.begin_example(example)
        made = [
            replace(turn, run=name, conversation=id, attempt=attempt, number=str(draw.randrange(50)), history=[])
            for turn in turns
        ]
        await store.complete_example(replace(example, status="complete", turns=len(made), finished=started), made)
        right = [draw.random() < share for _ in made]
        for place, good in enumerate(right):
            verdicts[id, place] = Verdict(good, good, None if good else draw.choice(CAUSES))
        failed: list[JsonValue] = [place for place, good in enumerate(right) if not good]
        judged.append(
            ConversationScoreRecord("s" + name, name, id, len(right), sum(right), sum(right) / len(right), failed)
        )
    await store.finish_run(name, "complete", now())
    correct = sum(verdict.correct for verdict in verdicts.values())
    figure: dict[str, JsonValue] = {
        "correct": correct, "total": len(verdicts), "low": 0.5, "high": 0.7, "pages": PAGES,
        "value": correct / len(verdicts),
    }  # fmt: skip
    score = ScoreRecord(
        "s" + name, name, "made-up.json", "0" * 64, now(), "made up", {"execution": figure, "program": figure},
        conversations, len(verdicts), correct, correct / len(verdicts), 0, IN_ONE, 0.0,
    )  # fmt: skip
    return ScoreRecords(score, tuple(judged), verdicts)


async def fill(uri: str, conversations: int) -> None:
    """Store two runs with their scores."""
    turns = await templates()
    for name, share in (("first", 0.66), ("second", 0.64)):
        async with open_store(uri) as store:
            kept = await make_run(store, name, share, turns, conversations)
        scores = open_scores(uri)
        assert scores is not None
        async with scores:
            await scores.add_score(kept)


def measured(folder: Path, *command: str) -> tuple[float, float, float]:
    """Return wall seconds, CPU seconds and MiB of a command in a separate process."""
    outcome = subprocess.run(
        [sys.executable, "-c", _MEASURED, *command], capture_output=True, text=True, cwd=folder, check=True
    )
    seconds, computing, size = json.loads(outcome.stderr.strip().splitlines()[-1])
    return float(seconds), float(computing), float(size)


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    turns = parser.parse_args().turns
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asyncio.run(fill(str(folder / "runs.db"), turns // IN_ONE))
        size = (folder / "runs.db").stat().st_size
        print(f"two runs of {turns:,} turns on {PAGES:,} pages: {size / 1e6:,.0f} MB in the store")
        for command in (
            ("compare", "first", "second", "--json", "--store", "runs.db"),
            ("report", "first", "second", "--output", "report.html", "--store", "runs.db"),
        ):
            seconds, computing, most = measured(folder, *command)
            print(f"{command[0]}: {seconds:.1f} s ({computing:.1f} s of a core), {most:,.0f} MiB at most")
        print(f"the report: {(folder / 'report.html').stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
