"""The fenced blocks of the project's texts: their language, their remarks and the commands in them.

The first word after the fence is the language, what follows are remarks:

- `needs=model`: what a machine must have before the block can be run. It is read all the same, and not run.
  `needs=minutes`: what it does is tested with less to do.
- `file=NAME`: the block is a file, and is saved where the lines below it are typed.
- `served=FILE`: the lines are typed into a shell on a machine where `quaestor serve FILE` runs.
- `recipe=NAME`: the block is a step of a recipe, which a test of its own follows.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(?P<language>\w*)(?P<remarks>[^\n]*)\n(?P<text>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)


def texts() -> list[Path]:
    """README, CONTRIBUTING, SECURITY and the pages of docs/."""
    named = (ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"))
    return [*named, *sorted((ROOT / "docs").rglob("*.md"))]


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
    """The blocks of all texts in one of these languages, in order; of all languages where none is named."""
    for path in texts():
        text = path.read_text(encoding="utf-8")
        for found in _FENCE.finditer(text):
            if found["language"] in languages or not languages:
                remarks = dict(word.partition("=")[::2] for word in found["remarks"].split())
                line = text.count("\n", 0, found.start()) + 2
                yield Block(path.relative_to(ROOT).as_posix(), line, found["language"], remarks, found["text"])


def joined(block: Block) -> str:
    """The text of a block with its continued lines joined."""
    return re.sub(r" *\\\n *", " ", block.text)


def typed(block: Block) -> list[str]:
    """The commands of a block, continued lines joined; of a `console` block the lines after `$ `."""
    lines = joined(block).splitlines()
    if block.language == "console":
        return [line[2:] for line in lines if line.startswith("$ ")]
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def words(line: str) -> list[str]:
    """The words of a line, as a shell splits them; a remark begins with a `#` after a space, and is left out."""
    return shlex.split(re.sub(r"\s#.*", "", line))
