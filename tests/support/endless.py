"""A solver in its own package that never finishes if the question says so, for tests with separate processes.

A question with `endless` loops forever in Python; one with `stuck` loops in C without releasing the GIL. Any other
question is answered by the embedded solver.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from plugin_package import install

NAME = "endless"
ENDLESS, STUCK = "endless: what were net sales in 2023?", "stuck: what were net sales in 2023?"
ASKED = "what were net sales in 2023?"

CODE = "from quaestor.cli import main; raise SystemExit(main())"

FILING = """# Tern Ltd: annual report 2023

| Years ended (in millions) | 2023 | 2022 |
|---|---|---|
| Net sales | $ 120.5 | $ 110.0 |
| Cost of sales | 60.0 | 58.0 |
| Net income | 12.5 | 9.0 |
"""

_SOURCE = """
import itertools
import os
from pathlib import Path

from quaestor.core.computing import compute
from quaestor.solvers.registry import make_solver
from quaestor.solvers.spec import SolverSpec


def _wait(question):
    if "endless" in question:
        Path(os.environ["QUAESTOR_STORE"]).with_name("begun").touch()
    while "endless" in question:
        pass
    if "stuck" in question:
        all(itertools.repeat(True))


class Endless:
    name = "endless"

    def __init__(self, options):
        self._embedded = make_solver("embedded", {"decline": True, "answers": "all"})

    async def solve(self, question, context):
        await compute(_wait, question)
        return await self._embedded.solve(question, context)


SPEC = SolverSpec("endless", "never ends if the question says so", Endless)
"""


def endless_installed(folder: Path) -> dict[str, str]:
    """Install the solver and a filing, `tern.md`, in a folder, and return an environment that uses them."""
    packages = folder / "packages"
    install(packages, "endless_package", _SOURCE, {"quaestor.solvers": {NAME: "endless_package:SPEC"}})
    (folder / "tern.md").write_text(FILING)
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("QUAESTOR_")},
        "PYTHONPATH": str(packages),
        "QUAESTOR_STORE": str(folder / "runs.db"),
        "QUAESTOR_SOLVER": NAME,
    }


@contextmanager
def started(folder: Path, environment: Mapping[str, str], *arguments: str) -> "Iterator[subprocess.Popen[str]]":
    """Yield a process of the command line that handles Ctrl-C, and kill it at the end."""
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    process = subprocess.Popen(
        [sys.executable, "-uc", begin + CODE, *arguments],
        cwd=folder,
        env={**environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def serving(
    folder: Path, environment: Mapping[str, str], *arguments: str
) -> "Iterator[tuple[str, subprocess.Popen[str]]]":
    """Yield the address of a server of the filing, and its process."""
    with started(folder, environment, "serve", "tern.md", "--port", "0", *arguments) as process:
        assert process.stdout is not None
        line = next(line for line in process.stdout if "http://" in line)
        yield line[line.index("http://") :].split()[0].rstrip("/"), process


def processes_of(process: int) -> set[int]:
    """Return the ids of all descendants of a process."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    found = {process}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {process}


def are_gone(processes: set[int], seconds: float = 20) -> bool:
    """Return whether all processes end within a number of seconds."""
    until = monotonic() + seconds
    while monotonic() < until:
        if not any(Path(f"/proc/{one}").exists() and not _is_dead(one) for one in processes):
            return True
        sleep(0.05)
    return False


def _is_dead(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def interrupt(process: "subprocess.Popen[str]") -> None:
    """Send one SIGINT, as Ctrl-C does."""
    process.send_signal(signal.SIGINT)
