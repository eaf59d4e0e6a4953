"""The seeds from which fuzzing starts: one file per target, one JSON line per seed."""

import json
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "fuzz" / "corpora"
MOST = 40
"""Maximum number of seeds of a target."""
LONGEST = 300
"""Maximum bytes of a seed."""


def seeds_of(target: str) -> list[bytes]:
    """Return the seeds of a target; none if it has no file."""
    path = FOLDER / f"{target}.jsonl"
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return [json.loads(line).encode("latin-1") for line in lines]


def keep_seeds(target: str, seeds: Iterable[bytes]) -> None:
    """Store the shortest of some inputs as the seeds of a target."""
    chosen = sorted({seed for seed in seeds if seed and len(seed) <= LONGEST}, key=lambda seed: (len(seed), seed))[
        :MOST
    ]
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(seed.decode("latin-1")) + "\n" for seed in chosen)
    (FOLDER / f"{target}.jsonl").write_text(lines, encoding="ascii")
