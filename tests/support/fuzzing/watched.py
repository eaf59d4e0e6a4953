"""What is measured while inputs are read: how many, what crashed, what took longest, how much memory."""

import json
import resource
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter

from fuzzing.target import Reads


@dataclass
class Crash:
    """One way in which reading ended in what nobody meant: the first input that led there."""

    error: str
    where: str
    input: str
    times: int = 1


@dataclass
class Figures:
    """What a target came to.

    Attributes:
        inputs: How many were read.
        slowest: That input, a character for a byte.
        memory: The most megabytes of the process.
    """

    inputs: int = 0
    crashes: dict[str, Crash] = field(default_factory=dict)
    longest: float = 0.0
    slowest: str = ""
    memory: float = 0.0


class CrashRecorder:
    """Reads inputs, keeps the figures, and goes on after a crash: the next one may be another."""

    def __init__(self, read: Reads, most: int, done: Callable[[Figures], None]) -> None:
        """Take what reads, how many inputs there are to be, and what is called after the last."""
        self._read, self._most, self._done = read, most, done
        self.figures = Figures()

    def __call__(self, data: bytes) -> None:
        """Read one input."""
        figures, began = self.figures, perf_counter()
        try:
            self._read(data)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
            self._crashed(error, data)
        took = perf_counter() - began
        if took > figures.longest:
            figures.longest, figures.slowest = took, data.decode("latin-1")
        figures.inputs += 1
        if figures.inputs == self._most:
            figures.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            self._done(figures)

    def _crashed(self, error: Exception, data: bytes) -> None:
        # Where the program is left, and where it breaks: the same two are one defect.
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "quaestor" in frame.filename or "fuzzing" in frame.filename] or frames
        where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {ours[-1].name}"
        key = f"{type(error).__name__} {where}"
        if key in self.figures.crashes:
            self.figures.crashes[key].times += 1
        else:
            message = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            self.figures.crashes[key] = Crash(message, where, data.decode("latin-1"))


def write_figures(figures: Figures, path: Path) -> None:
    """Keep figures in a file, for another process."""
    path.write_text(json.dumps(asdict(figures)), encoding="utf-8")


def read_figures(path: Path) -> Figures:
    """Return figures from a file."""
    record = json.loads(path.read_text(encoding="utf-8"))
    return Figures(**{**record, "crashes": {key: Crash(**crash) for key, crash in record["crashes"].items()}})
