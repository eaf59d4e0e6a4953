"""Fuzz everything that takes input, with millions of inputs, and report: `python tests/support/run_fuzz.py`.

    python tests/support/run_fuzz.py --inputs 1000000
    python tests/support/run_fuzz.py --inputs 20000 cells csv --keep

An input is a crash if it raises an unintended exception, hangs or needs too much memory. Crashes are listed below the
table with the bytes that caused them; the command then exits with 1.
"""

import argparse
import os
import sys

from fuzzing.all_targets import TARGETS
from fuzzing.child import MEGABYTES
from fuzzing.run import Outcome, fuzz

SECONDS = 5.0
"""Maximum seconds of the slowest input."""


def main() -> None:
    """Run targets and print their results."""
    parser = argparse.ArgumentParser(description="Fuzzes whatever reads what others wrote.")
    parser.add_argument("targets", nargs="*", help=f"which: {', '.join(TARGETS)}; all by default")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="in all, shared out among the targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="targets at once")
    parser.add_argument("--keep", action="store_true", help="keep short inputs that reach new branches as seeds")
    options = parser.parse_args()
    if unknown := [name for name in options.targets if name not in TARGETS]:
        parser.error(f"no target {unknown[0]!r}: there are {', '.join(TARGETS)}")
    chosen = [TARGETS[name] for name in options.targets or TARGETS]
    print(f"{'target':<12}{'inputs':>10}{'crashes':>9}{'longest, s':>12}{'memory, MB':>12}{'seconds':>9}")
    outcomes = fuzz(chosen, options.inputs, options.seed, workers=options.workers, keep=options.keep, report=_row)
    figures = [outcome.figures for outcome in outcomes]
    print(
        f"{'all':<12}{sum(found.inputs for found in figures):>10,}{sum(len(found.crashes) for found in figures):>9}"
        f"{max(found.longest for found in figures):>12.2f}{max(found.memory for found in figures):>12.0f}"
        f"{sum(outcome.seconds for outcome in outcomes):>9.0f}"
    )
    for outcome in outcomes:
        for crash in outcome.figures.crashes.values():
            print(f"\n{outcome.target.name}: {crash.error} ({crash.where}, {crash.times} times)")
            print(f"  {crash.input.encode('latin-1')!r}")
        if outcome.figures.longest > SECONDS:
            print(f"\n{outcome.target.name}: {outcome.figures.longest:.1f} s for")
            print(f"  {outcome.figures.slowest.encode('latin-1')!r}")
    over = any(found.longest > SECONDS or found.memory > MEGABYTES or found.crashes for found in figures)
    sys.exit(1 if over else 0)


def _row(outcome: Outcome) -> None:
    found = outcome.figures
    print(
        f"{outcome.target.name:<12}{found.inputs:>10,}{len(found.crashes):>9}{found.longest:>12.2f}"
        f"{found.memory:>12.0f}{outcome.seconds:>9.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
