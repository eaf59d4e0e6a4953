"""`make oracle SOLVER=agent FILE=...`: every turn of a file with a perfect model; prints each that fails, and why.

Without a file it is the public one if that lies beside the checkout, else the bundled sample. Of a file whose
answers are stated (TAT-QA) it is every question but those of arithmetic, by exact match with scale.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from oracle import SCRIPTS, oracle_of, run_with_oracle
from stated_oracle import run_stated

from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.registry import make_solver

PUBLIC = Path(__file__).resolve().parents[3] / "shared" / "data" / "convfinqa_tune.json"


def main() -> None:
    parser = argparse.ArgumentParser(prog="oracle", description=(__doc__ or "").partition(chr(10))[0])
    parser.add_argument("solver", choices=sorted(SCRIPTS))
    parser.add_argument("file", nargs="?", type=Path, default=PUBLIC if PUBLIC.exists() else sample_path())
    options = parser.parse_args()
    if not options.file.exists():
        sys.exit(f"there is no {options.file}: give a labelled file (make oracle FILE=...), or none for the sample")
    conversations = read_dataset(options.file).conversations
    solver, golds = make_solver(options.solver, {}), read_gold(options.file)
    if any(gold.stated for conversation in conversations for gold in golds[conversation.id]):
        print(*asyncio.run(run_stated(conversations, golds, solver)).lines(), sep="\n")
        return
    oracle = oracle_of(options.solver)
    result = asyncio.run(run_with_oracle(conversations, golds, solver, oracle))
    outcomes = result.outcomes
    for outcome in outcomes:
        if not outcome.right:
            print(f"{outcome.conversation}, turn {outcome.turn + 1}: {outcome.cause}")
    right, count = sum(outcome.right for outcome in outcomes), len(outcomes)
    remarks = [outcome for outcome in outcomes if outcome.remark]
    for outcome in remarks:
        print(f"remark on {outcome.conversation}, turn {outcome.turn + 1}: {outcome.remark}")
    print(f"remarks on {len(remarks)} of {count} turns, {100 * len(remarks) / count:.1f} %")
    print(f"used: {result.usage.words}")
    print(f"{options.solver}: {right} of {count} turns, {100 * right / count:.1f} % official execution accuracy")


if __name__ == "__main__":
    main()
