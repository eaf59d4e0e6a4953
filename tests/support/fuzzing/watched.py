"""Count inputs and crashes, and measure the time and the memory of reading."""

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
    """A distinct unintended exception, with the first input that raised it."""

    error: str
    where: str
    input: str
    times: int = 1


@dataclass
class Figures:
    """The results of a target.

    Attributes:
        inputs: Number of inputs read.
        slowest: The slowest input, one character per byte.
        memory: Peak memory of the process in megabytes.
    """

    inputs: int = 0
    crashes: dict[str, Crash] = field(default_factory=dict)
    longest: float = 0.0
    slowest: str = ""
    memory: float = 0.0


class CrashRecorder:
    """Read inputs, record figures, and continue after a crash to find further ones."""

    def __init__(self, read: Reads, most: int, done: Callable[[Figures], None]) -> None:
        self._read, self._most, self._done = read, most, done
        self.figures = Figures()

    def __call__(self, data: bytes) -> None:
        """Read one input."""
        figures, began = self.figures, perf_counter()
        try:
            self._read(data)
        except Exception as error:  # noqa: BLE001  # any exception is a crash
            self._crashed(error, data)
        took = perf_counter() - began
        if took > figures.longest:
            figures.longest, figures.slowest = took, data.decode("latin-1")
        figures.inputs += 1
        if figures.inputs == self._most:
            figures.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            self._done(figures)

    def _crashed(self, error: Exception, data: bytes) -> None:
        # Crashes with the same exception type and innermost frame count as one.
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
    """Write figures to a file for another process."""
    path.write_text(json.dumps(asdict(figures)), encoding="utf-8")


def read_figures(path: Path) -> Figures:
    """Read figures from a file."""
    record = json.loads(path.read_text(encoding="utf-8"))
    return Figures(**{**record, "crashes": {key: Crash(**crash) for key, crash in record["crashes"].items()}})
