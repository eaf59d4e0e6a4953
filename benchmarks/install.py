"""Time and disk space of the first minute: `make demo` from a fresh clone with an empty pip cache.

`python -m benchmarks.install --base REV` clones this repository twice, at another revision and at HEAD, runs the demo
in each, one after the other, and prints seconds, CPU seconds and megabytes of `.venv` side by side.
It needs a package index configured for pip, so `make bench` runs it only if a revision is given (`make bench
BASE=REV`).
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class FirstMinute:
    """Resources of `make demo`.

    Units: seconds, megabytes of 2**20 bytes.

    Attributes:
        seconds: Wall time.
        megabytes: Disk space of the virtual environment.
        packages: Number of installed packages.
    """

    seconds: float
    cpu: float
    megabytes: float
    packages: int


def measure(revision: str) -> FirstMinute:
    """Measure the demo of a revision in temporary folders.

    Raises:
        subprocess.CalledProcessError: The revision does not exist, or its demo fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        clone, cache = Path(folder, "clone"), Path(folder, "cache")
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", _ROOT, clone], check=True)
        subprocess.run(["git", "-C", clone, "checkout", "--quiet", revision], check=True)
        environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "VIRTUAL_ENV")}
        environment |= {"PIP_CACHE_DIR": str(cache)}
        before, began = _cpu(), time.monotonic()
        subprocess.run(["make", "demo"], cwd=clone, env=environment, check=True, stdout=subprocess.DEVNULL)
        seconds, cpu = time.monotonic() - began, _cpu() - before
        installed = list((clone / ".venv").glob("lib/*/site-packages/*.dist-info"))
        return FirstMinute(seconds, cpu, _megabytes(clone / ".venv"), len(installed))


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _megabytes(folder: Path) -> float:
    """Return the disk space of a folder like `du`: in blocks, counting hard links once."""
    files = [path.lstat() for path in folder.rglob("*")]
    blocks = {(file.st_dev, file.st_ino): file.st_blocks for file in files}
    return sum(blocks.values()) * 512 / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.install", description=__doc__.partition("\n")[0])
    parser.add_argument("--base", required=True, metavar="REV", help="the revision to compare HEAD with")
    base = parser.parse_args().base
    found: dict[str, FirstMinute] = {}
    for name, revision in (("base", base), ("HEAD", "HEAD")):
        commit = ["git", "-C", str(_ROOT), "rev-parse", "--verify", f"{revision}^{{commit}}"]
        digest = subprocess.run(commit, check=True, capture_output=True, text=True).stdout.strip()
        print(f"{name}: make demo of {digest[:12]}", flush=True)
        found[name] = measure(digest)
    old, new = found["base"], found["HEAD"]
    print(f"{'':12}{'base':>8}{'HEAD':>8}{'HEAD / base':>14}")
    for what in ("seconds", "cpu", "megabytes", "packages"):
        before, after = getattr(old, what), getattr(new, what)
        print(f"{what:12}{before:8.0f}{after:8.0f}{after / before:14.2f}")


if __name__ == "__main__":
    main()
