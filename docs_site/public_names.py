"""Pages of the public names, grouped as in the docstring of the package."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import quaestor
from quaestor.options import option_field
from quaestor.settings import SETTING_NAMES

INDEX = "reference/python/index.md"
PUBLIC = frozenset({*quaestor.__all__, "open"} - {"__version__"})
"""`open` is public but not part of `import *`."""

_NAME = re.compile(r"`(\w+)`")


@dataclass(frozen=True, slots=True)
class Group:
    """A group of related names.

    Attributes:
        title: The first words of the paragraph.
        page: The path of the page on the site.
        text: The paragraph, with its example.
        names: In the order of the paragraph.
    """

    title: str
    page: str
    text: str
    names: tuple[str, ...]


def groups() -> tuple[Group, ...]:
    """Return the groups; each name belongs to the first paragraph that contains it."""
    left = set(PUBLIC)
    found: list[Group] = []
    for text in (quaestor.__doc__ or "").split("\n\n")[2:]:
        if text.startswith(">>>") and found:
            last = found.pop()
            found.append(Group(last.title, last.page, f"{last.text}\n\n```python\n{text.rstrip()}\n```", last.names))
            continue
        names = tuple(name for name in dict.fromkeys(_NAME.findall(text)) if name in left)
        if names:
            left -= set(names)
            title = re.split(r"[:;,(]", " ".join(text.split()), maxsplit=1)[0].strip()
            words = re.sub(r"\W+", "_", title.lower())
            found.append(Group(title, f"reference/python/{words}.md", text, names))
    assert not left, f"the docstring of quaestor does not mention {sorted(left)}"
    return tuple(found)


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path and text of each page: one per group, and an index."""
    found = groups()
    lines = (
        f"- [{group.title}]({group.page.rpartition('/')[2]}): "
        + ", ".join(f"[`{n}`][quaestor.{n}]" for n in group.names)
        for group in found
    )
    first, second = (quaestor.__doc__ or "").split("\n\n")[:2]
    yield INDEX, "\n".join(["# Python", "", first, "", second, "", *lines, ""])
    for group in found:
        objects = "\n\n".join(f"::: quaestor.{name}" for name in group.names)
        told, *example = group.text.split("\n\n")
        text = "\n\n".join([_NAME.sub(_linked, told), *example])
        settings = f"\n{settings_list()}" if "Settings" in group.names else ""
        yield group.page, f"# {group.title}\n\n{text}\n\n{objects}\n{settings}"


def settings_list() -> str:
    """Return the settings with their defaults and what they decide, as their model has them."""
    described = (option_field(quaestor.Settings, name) for name in SETTING_NAMES)
    lines = [f"- `{item.name}` ({item.default!r}): {item.metadata['help']}" for item in described]
    return "\n".join(["## Settings by name", "", *lines, ""])


def _linked(name: re.Match[str]) -> str:
    return f"[{name.group()}][quaestor.{name[1]}]" if name[1] in PUBLIC else name.group()
