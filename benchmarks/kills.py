"""Kills writing commands at random moments: python -m benchmarks.kills --kills 200.

Prints the number of kills of each command, and each kill after which anything was lost, duplicated, damaged, left
running or different from an undisturbed run. The moments are drawn from a seed, but also depend on the machine's speed.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from killing import Kill, killed, undisturbed
from killing_scenarios import SCENARIOS

SHARES = {"run": 8, "run inline": 4, "run of a model": 5, "eval": 4, "ask": 4, "kg build": 3, "ontology build": 3,
          "runs import": 3, "export": 3, "train": 1}  # fmt: skip
IN_A_CHAIN = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(SCENARIOS), action="append")
    options = parser.parse_args()
    draw, made = random.Random(options.seed), list[Kill]()
    names = options.only or list(SHARES)
    whole = sum(SHARES[name] for name in names)
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            wanted, seconds = undisturbed(SCENARIOS[name], Path(temporary) / name / "undisturbed")
            share, done = max(1, round(options.kills * SHARES[name] / whole)), 0
            chain = 0
            while done < share:
                chain += 1
                folder, most = Path(temporary) / name / str(chain), min(IN_A_CHAIN, share - done)
                for kill in killed(SCENARIOS[name], folder, draw, most, wanted, seconds):
                    done += 1
                    made.append(kill)
                    for line in kill.wrong:
                        print(f"{name}: {kill.how} after {kill.after:.2f} s: {line}", flush=True)
            mine = [kill for kill in made if kill.scenario == name]
            codes = ", ".join(f"{code}: {times}" for code, times in sorted(Counter(kill.code for kill in mine).items()))
            slowest = max(kill.gone for kill in mine)
            wrong = sum(bool(kill.wrong) for kill in mine)
            print(
                f"{name:15} {len(mine):4} kills in {chain} chains ({seconds:.1f} s undisturbed), "
                f"{wrong} not as promised; gone within {slowest:.1f} s; exit codes {codes}",
                flush=True,
            )
    wrong = sum(bool(kill.wrong) for kill in made)
    print(f"{len(made)} kills, {wrong} after which something was not as promised")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
