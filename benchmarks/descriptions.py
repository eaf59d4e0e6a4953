"""Checks that descriptions distinguish the answers of a conversation: `python -m benchmarks.descriptions [--read N]`.

The answers are those of the reference programs, on the pages of the shared conversations. With `--read N` also prints
N descriptions with their questions for review, the same ones each time.
"""

import argparse
import random
import sys
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from quaestor.conversation.turn import Memory
from quaestor.learning.examples import read_examples

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from gold_memories import gold_conversations

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FILES = ("convfinqa_tune.json", "convfinqa_train50.json", "convfinqa_train100.json")


def find_equal_descriptions(memory: Memory) -> list[tuple[int, int]]:
    """Return pairs of turns with different answers but the same description."""
    answers = [(turn, a) for turn, a in enumerate(memory.answers) if a.value is not None]
    return [
        (one, other)
        for place, (one, first) in enumerate(answers)
        for other, second in answers[place + 1 :]
        if first.description == second.description and (first.value, first.scale) != (second.value, second.scale)
    ]


def unnamed(memories: Iterable[Memory]) -> int:
    """Return the number of variables with a meaningless name."""
    return sum(v.name.startswith("number") for m in memories for answer in m.answers for v in answer.variables)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.descriptions", description=__doc__)
    parser.add_argument("--read", type=int, metavar="N", default=0, help="print N descriptions to be read by eye")
    options = parser.parse_args()
    console = Console(highlight=False, soft_wrap=True)
    memories = [one.memory for one in gold_conversations(read_examples([DATA / name for name in FILES]))]
    alike = [memory for memory in memories if find_equal_descriptions(memory)]
    console.print(f"{len(alike)} of {len(memories)} conversations have two different answers with one description")
    console.print(f"{unnamed(memories)} variables are called a number and no more")
    turns = [turn for memory in memories for turn in memory.turns]
    for turn in random.Random(4).sample(turns, options.read):
        console.print(f"{turn.question}\n    {turn.answer.description}", markup=False)


if __name__ == "__main__":
    main()
