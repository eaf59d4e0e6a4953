"""A target in a process of its own, whose crash is one line of the report.

    python -m fuzzing.child MODULE TARGET INPUTS SEED FOLDER

Inputs are made by atheris (libFuzzer), which keeps those that reach branches that none reached before, and by
Hypothesis if it has no wheel. In the folder are the seeds (`seeds/`) and, at the end, what was kept (`kept/`), the
inputs at which the process ended (`crash-*`, `timeout-*`, `oom-*`) and the figures (`figures.json`).
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from fuzzing.target import Target

SECONDS = 60
"""After which an input counts as one that never ends."""
MEGABYTES = 1024
LONGEST = 1_000
"""Bytes of an input."""


def main() -> None:
    """Read inputs until there were as many as asked for."""
    module, name, inputs, seed, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5])
    by = _by_hypothesis if find_spec("atheris") is None else _by_atheris
    by(partial(_target, module, name), inputs, seed, folder)


def _target(module: str, name: str) -> Target:
    """A target of a module that nothing has imported yet: what it imports can be instrumented, and is no more."""
    targets: tuple[Target, ...] = import_module(module).TARGETS
    return next(target for target in targets if target.name == name)


def _by_atheris(found: Callable[[], Target], inputs: int, seed: int, folder: Path) -> None:
    import atheris

    with atheris.instrument_imports(include=["quaestor"]):
        target = found()
    from fuzzing.watched import CrashRecorder, Figures, write_figures

    def done(figures: Figures) -> None:
        write_figures(figures, folder / "figures.json")
        os._exit(0)  # the fuzzer never returns

    words = folder / "words.txt"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words if word), encoding="ascii")
    (folder / "kept").mkdir()
    watched = CrashRecorder(target.opened(folder), inputs, done)
    arguments = [
        str(folder / "kept"), str(folder / "seeds"), f"-seed={seed}", f"-max_len={LONGEST}", f"-timeout={SECONDS}",
        f"-rss_limit_mb={MEGABYTES}", f"-artifact_prefix={folder}/", "-verbosity=0",
        *([f"-dict={words}"] if target.words else []),  # an empty one is refused
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *arguments], watched)
    atheris.Fuzz()


def _by_hypothesis(found: Callable[[], Target], inputs: int, seed: int, folder: Path) -> None:
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis import strategies as st

    from fuzzing.watched import CrashRecorder, write_figures

    seeds = [path.read_bytes() for path in sorted((folder / "seeds").iterdir())] or [b""]
    watched = CrashRecorder(found().opened(folder), inputs, lambda figures: None)
    strategy = st.binary(max_size=LONGEST) | st.builds(bytes.__add__, st.sampled_from(seeds), st.binary(max_size=20))

    @seeded(seed)
    @settings(
        max_examples=inputs,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def read(data: bytes) -> None:
        watched(data)

    read()
    write_figures(watched.figures, folder / "figures.json")
    os._exit(0)  # as above: what was opened for the target ends with the process


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


if __name__ == "__main__":
    main()
