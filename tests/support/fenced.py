"""The fenced blocks of the project's texts: what of them is typed, and what is shown.

The first word after the fence is the language, what follows are remarks: `needs=model` on a block says what a machine
must have before its lines can be run. Such lines are read by the command line all the same, and not run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(?P<language>\w*)(?P<remarks>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Attributes:
        file: Relative to the root of the repository.
        line: Of its first line, from 1.
        language: `sh`, `console`, `python`, ... or "".
        remarks: By name: `needs=model` is {"needs": "model"}.
        text: Without the fences.
    """

    file: str
    line: int
    language: str
    remarks: dict[str, str]
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def blocks(*languages: str) -> Iterator[Block]:
    """The blocks of README, CONTRIBUTING and docs/ in one of these languages, in order."""
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        for found in _FENCE.finditer(text):
            if found["language"] in languages:
                remarks = dict(word.partition("=")[::2] for word in found["remarks"].split())
                line = text.count("\n", 0, found.start()) + 2
                yield Block(path.relative_to(ROOT).as_posix(), line, found["language"], remarks, found["text"])


def typed(block: Block) -> list[str]:
    """The commands of a block, continued lines joined; of a `console` block the lines after `$ `."""
    lines = block.text.replace("\\\n", " ").splitlines()
    if block.language == "console":
        return [line[2:] for line in lines if line.startswith("$ ")]
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
