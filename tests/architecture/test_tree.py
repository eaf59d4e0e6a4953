"""The tree that docs/architecture.md draws is the tree that is there."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "quaestor"
DOCUMENT = ROOT / "docs" / "architecture.md"
NAMED = re.compile(r"(?<![\w./])[\w-]+(?:\.(?:py|ttl|json|typed)|/)(?=[\s,;]|$)")
"""A file or a folder as the tree names it. What it says of it stands two spaces further on."""


def drawn() -> Iterator[PurePosixPath]:
    """The files and folders (with a trailing slash in the text) of the tree, as paths below the package."""
    text = DOCUMENT.read_text(encoding="utf-8")
    block = next(part for part in re.findall(r"```\n(.*?)```", text, re.DOTALL) if part.startswith("src/quaestor/\n"))
    above: list[tuple[int, str]] = []
    for line in block.splitlines()[1:]:
        indent = len(line) - len(line.lstrip())
        names = NAMED.findall(re.split(r"(?<=\S)\s{2,}", line.strip(), maxsplit=1)[0])
        if not names:
            continue  # the words of the line above go on
        above = [(depth, name) for depth, name in above if depth < indent]
        folder = PurePosixPath(*(name for _, name in above))
        for name in names:
            yield folder / name
        if names[0].endswith("/"):
            above.append((indent, names[0]))


def packages() -> set[str]:
    return {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("__init__.py")} - {"."}


def test_whatever_is_drawn_is_there() -> None:
    missing = [path.as_posix() for path in drawn() if not (PACKAGE / path).exists()]
    assert missing == []


def test_every_package_is_drawn() -> None:
    assert packages() - {path.as_posix() for path in drawn()} == set()


def test_every_module_is_drawn_where_any_of_its_package_is() -> None:
    files = {path.as_posix() for path in drawn() if path.suffix == ".py"}
    told = {PurePosixPath(name).parent for name in files}
    present = {
        path.relative_to(PACKAGE)
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py" and PurePosixPath(path.relative_to(PACKAGE).parent) in told
    }
    assert {path.as_posix() for path in present} - files == set()
