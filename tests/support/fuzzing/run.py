"""Run targets, each in its own process, and collect their results."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from fuzzing.corpora import keep_seeds, seeds_of
from fuzzing.target import Target
from fuzzing.watched import Crash, Figures, read_figures

_PATIENCE = 3_600
"""Maximum seconds of a target."""


@dataclass(frozen=True)
class Outcome:
    """The figures of a target, and the seconds that it took."""

    target: Target
    figures: Figures
    seconds: float


def distribute_inputs(targets: Sequence[Target], inputs: int) -> dict[str, int]:
    """Return the number of inputs of each target in proportion to its share; at least one."""
    whole = sum(target.share for target in targets)
    return {target.name: max(1, round(inputs * target.share / whole)) for target in targets}


def fuzz(
    targets: Sequence[Target], inputs: int, seed: int, *, workers: int, keep: bool, report: Callable[[Outcome], None]
) -> list[Outcome]:
    """Run targets.

    Args:
        workers: How many targets run at once.
        keep: Whether the shortest inputs that reached new branches become the seeds of the targets.
        report: Called with the outcome of each finished target.
    """
    each = distribute_inputs(targets, inputs)

    def one(target: Target) -> Outcome:
        outcome = _run(target, each[target.name], seed, keep=keep)
        report(outcome)
        return outcome

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(one, targets))


def _run(target: Target, inputs: int, seed: int, *, keep: bool) -> Outcome:
    began = perf_counter()
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "seeds").mkdir()
        for number, data in enumerate(seeds_of(target.name)):
            (folder / "seeds" / f"{number:03}").write_bytes(data)
        what = (target.opened.__module__, target.name, str(inputs), str(seed), str(folder))
        command = [sys.executable, "-m", "fuzzing.child", *what]
        try:
            ended = subprocess.run(
                command,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])},
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
            error = ended.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            error = f"not done after {_PATIENCE} s"
        figures = _figures(folder, error)
        if keep and (folder / "kept").is_dir():
            found = [path.read_bytes() for path in (folder / "kept").iterdir()]
            keep_seeds(target.name, [*seeds_of(target.name), *found])
    return Outcome(target, figures, perf_counter() - began)


def _figures(folder: Path, error: str) -> Figures:
    """Return the figures that a process wrote; if it wrote none, report it as a crash."""
    if (folder / "figures.json").exists():
        return read_figures(folder / "figures.json")
    last = next((path for kind in ("crash", "timeout", "oom") for path in sorted(folder.glob(f"{kind}-*"))), None)
    data = last.read_bytes().decode("latin-1") if last else ""
    why = last.name.partition("-")[0] if last else "ended"
    return Figures(crashes={why: Crash(f"the process ended: {error[-1500:]}", why, data)})
