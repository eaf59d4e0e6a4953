"""The lines of financial statements that the hand-written core knows, from the files in `statement_lines`.

Each line is a property with the captions by which statements print it; each kind of line is one that a caption's head
tells. Both belong to the core, the first of the three frozen levels: no document adds to them, and an ontology does not
repeat them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from importlib.resources import files

from quaestor.core.words import caption_words
from quaestor.ontology.captions import caption_key
from quaestor.ontology.terms import read_plainly


@dataclass(frozen=True, slots=True)
class StatementLine:
    """A line that statements of many companies print.

    Attributes:
        name: Its property, `kg:cost_of_sales`.
        captions: All of them, the preferred one first, the others sorted.
        not_on: The classes of table where the caption is something else.
    """

    name: str
    label: str
    captions: tuple[str, ...]
    not_on: frozenset[str]


@dataclass(frozen=True, slots=True)
class LineKind:
    """What a line is by the head of its caption.

    Attributes:
        name: Its property, `kg:expense_of_a_kind`.
        endings: Words, in the singular, at which a caption of the kind ends.
        beginnings: Words at which one begins.
        without: Words that a caption of the kind does not have.
        classes: The classes of table that it is limited to; none if it stands anywhere.
        not_on: The classes of table on which the caption is something else.
        starts_at: The number with which every line of the kind begins, or None.
    """

    name: str
    label: str
    endings: tuple[tuple[str, ...], ...]
    beginnings: tuple[tuple[str, ...], ...]
    without: frozenset[str]
    classes: frozenset[str]
    not_on: frozenset[str]
    starts_at: Decimal | None


@dataclass(frozen=True)
class CoreLines:
    """What the files say."""

    lines: Mapping[str, StatementLine]
    kinds: Mapping[str, LineKind]

    @cached_property
    def keys(self) -> Mapping[str, tuple[StatementLine, str]]:
        """By the key of each caption the first line that has it, and the key of that line's preferred caption."""
        found: dict[str, tuple[StatementLine, str]] = {}
        for line in self.lines.values():
            preferred = caption_key(line.label)
            for caption in line.captions:
                found.setdefault(caption_key(caption), (line, preferred))
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the captions, in letters alone."""
        captions = (caption for line in self.lines.values() for caption in line.captions)
        return frozenset(word for caption in captions for word in caption_words(caption) if word.isalpha())


@lru_cache(maxsize=1)
def read_core_lines() -> CoreLines:
    """Return the lines and the kinds of lines of the core; read once a process, where a label is first looked up."""
    nodes: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    kinds: dict[str, str] = {}
    folder = files(__package__).joinpath("statement_lines")
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        for s, p, o in read_plainly(file.read_text(encoding="utf-8"), f"the core's {file.name}"):
            nodes[s][p].append(o)
            if p == "rdf:type":
                kinds[s] = o
    return CoreLines(
        {name: _line(name, nodes[name]) for name in sorted(nodes) if kinds[name] == "kg:StatementLine"},
        {name: _kind(name, nodes[name]) for name in sorted(nodes) if kinds[name] == "kg:LineKind"},
    )


def _line(name: str, node: Mapping[str, Sequence[str]]) -> StatementLine:
    label = node["rdfs:label"][0]
    captions = (label, *sorted(node.get("skos:altLabel", ())))
    return StatementLine(name, label, captions, frozenset(node.get("kg:notOn", ())))


def _kind(name: str, node: Mapping[str, Sequence[str]]) -> LineKind:
    starts = node.get("kg:startsAt", ())
    return LineKind(
        name,
        node["rdfs:label"][0],
        tuple(tuple(words.split()) for words in sorted(node.get("kg:ending", ()))),
        tuple(tuple(words.split()) for words in sorted(node.get("kg:beginning", ()))),
        frozenset(node.get("kg:without", ())),
        frozenset(node.get("kg:seenOn", ())),
        frozenset(node.get("kg:notOn", ())),
        Decimal(starts[0]) if starts else None,
    )
