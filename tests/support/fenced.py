"""Fenced blocks of the documentation: their language, their remarks and their commands.

The first word after the fence is the language, followed by remarks:

- `needs=model`: the block needs more than a test machine provides; it is parsed and not run.
- `file=NAME`: the block is a file that later commands use.
- `served=FILE`: the commands run while `quaestor serve FILE` is running.
- `recipe=NAME`: the block is a step of a recipe (see `test_recipes`).
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(?P<language>\w*)(?P<remarks>[^\n]*)\n(?P<text>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)


def texts() -> list[Path]:
    """Return README, CONTRIBUTING, SECURITY and the pages of docs/."""
    named = (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"))
    return [*named, *sorted((ROOT / "docs").rglob("*.md"))]


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Attributes:
        file: Path relative to the root of the repository.
        line: Number of its first line, from 1.
        language: `sh`, `console`, `python`, ... or "".
        remarks: Values by name: `needs=model` is {"needs": "model"}.
    """

    file: str
    line: int
    language: str
    remarks: dict[str, str]
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def blocks(*languages: str) -> Iterator[Block]:
    """Yield the blocks of all texts in order, limited to `languages` if any are given."""
    for path in texts():
        text = path.read_text(encoding="utf-8")
        for found in _FENCE.finditer(text):
            if found["language"] in languages or not languages:
                remarks = dict(word.partition("=")[::2] for word in found["remarks"].split())
                line = text.count("\n", 0, found.start()) + 2
                yield Block(path.relative_to(ROOT).as_posix(), line, found["language"], remarks, found["text"])


def joined(block: Block) -> str:
    """Return the text of a block with continued lines joined."""
    return re.sub(r" *\\\n *", " ", block.text)


def typed(block: Block) -> list[str]:
    """Return the commands of a block, with continued lines joined."""
    lines = joined(block).splitlines()
    if block.language == "console":
        return [line[2:] for line in lines if line.startswith("$ ")]
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def words(line: str) -> list[str]:
    """Split a command as a shell does, without its comment."""
    return shlex.split(re.sub(r"\s#.*", "", line))
