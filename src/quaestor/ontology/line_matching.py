"""A caption looked up among the lines that an ontology has learned and those that the core knows.

Joins no labels: what the ladder of `labels` finds is asked before.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from quaestor.core.stop_words import SMALL_WORDS
from quaestor.core.words import singular
from quaestor.ontology.captions import caption_key, head_words, readings, undated
from quaestor.ontology.core_lines import CoreLines, LineKind, read_core_lines
from quaestor.ontology.matching import PropertyMatch

_SCORES = {
    "statement line": 0.78,
    "shorter caption": 0.75,
    "lost spaces": 0.74,
    "kind of table": 0.7,
    "kind of line": 0.6,
}
_REASONS = {
    "statement line": "a caption that statements print for the line",
    "shorter caption": "the same, without brackets, dates, amounts and clauses around the name",
    "lost spaces": "the same, with lost spaces restored",
    "kind of table": "every line of such a table is of this kind",
    "kind of line": "the head of the caption gives the kind of the line",
}
LINE_RULES = _REASONS
"""What each rule of this lookup forgives, by its name."""

_RELATIONS = frozenset(
    "of per from to on in at by for with under through before after excluding except without versus vs which that not "
    "held % percent percentage".split()
)
"""Words after which the end of a caption is not its head: costs of sales are no sales."""

_SHORTEST_PIECE = 3
_SMALL_PIECES = SMALL_WORDS - {"a"} | {"as", "may", "per", "yet"}


@dataclass(frozen=True, slots=True)
class LineContext:
    """What a table tells of one of its lines.

    Attributes:
        table_class: The best class of the table.
        first: The first number of the line, or None.
    """

    table_class: str
    first: Decimal | None


class LineIndex:
    """The captions of learned labels and of the core's lines, by their key."""

    def __init__(self, labels: Mapping[str, str], core: CoreLines) -> None:
        """Take the property of each learned label, in the order of preference, and the core's lines."""
        self._core = core
        learned: dict[str, tuple[str, str]] = {}
        for label, name in labels.items():
            learned.setdefault(caption_key(label), (name, label))
        learned.pop("", None)
        self._keys = dict(learned)
        for key, (line, preferred) in core.keys.items():
            # What documents call the line is its property, where they call it by the preferred caption.
            self._keys.setdefault(key, learned.get(preferred, (line.name, line.label)))

    def find(self, caption: str, context: LineContext | None = None) -> PropertyMatch | None:
        """Return the line that a caption names; None if it names none."""
        return self.find_named(caption, context) or self._by_table(context) or self._by_head(caption, context)

    def find_named(self, caption: str, context: LineContext | None = None) -> PropertyMatch | None:
        """Return the line whose name a caption is or has; no kind of line, which the head of a caption tells."""
        for number, text in enumerate(readings(caption)):
            if met := self._met(text, context):
                rule = "shorter caption" if number else "statement line"
                return _match(rule, *met, shared=number > 0 and undated(caption))
        for text in readings(self._respaced(caption)):
            if met := self._met(text, context):
                return _match("lost spaces", *met)
        return None

    def _met(self, text: str, context: LineContext | None) -> tuple[str, str] | None:
        """Return the property whose caption a text is, and that caption."""
        met = self._keys.get(caption_key(text))
        line = self._core.lines.get(met[0]) if met else None
        return None if line and context and context.table_class in line.not_on else met

    def _by_table(self, context: LineContext | None) -> PropertyMatch | None:
        if context is None or context.first is None:
            return None
        for kind in self._core.kinds.values():
            if kind.starts_at == context.first and context.table_class in kind.classes:
                return _match("kind of table", kind.name, kind.label, shared=True)
        return None

    def _by_head(self, caption: str, context: LineContext | None) -> PropertyMatch | None:
        words = head_words(self._respaced(caption))
        fitting = (kind for kind in self._core.kinds.values() if kind.starts_at is None and _stands_on(kind, context))
        found = [(-length, kind.name, kind.label) for kind in fitting if (length := _head_length(words, kind))]
        if not found:
            return None
        _, name, label = min(found)
        return _match("kind of line", name, label, shared=True)

    def _respaced(self, caption: str) -> str:
        """Return a caption with a space in each word that is several of the known ones without any between."""
        return re.sub(r"[a-z]{6,}", lambda found: " ".join(self._pieces(found[0]) or (found[0],)), caption.casefold())

    def _pieces(self, word: str) -> tuple[str, ...] | None:
        """Return the fewest known words that make up a word; None if it is one or is made up of none."""
        if word in self._core.words or singular(word) in self._core.words:
            return None
        best: list[tuple[str, ...] | None] = [()] + [None] * len(word)
        for end in range(1, len(word) + 1):
            for start in range(end):
                before, piece = best[start], word[start:end]
                if before is None or not self._is_piece(piece):
                    continue
                here = best[end]
                if here is None or len(before) + 1 < len(here):
                    best[end] = (*before, piece)
        return best[-1]

    def _is_piece(self, piece: str) -> bool:
        return piece in _SMALL_PIECES or (len(piece) > _SHORTEST_PIECE and piece in self._core.words)


@lru_cache(maxsize=1)
def core_line_index() -> LineIndex:
    """Return the captions of the core's lines alone; built once a process."""
    return LineIndex({}, read_core_lines())


def _match(rule: str, name: str, label: str, *, shared: bool = False) -> PropertyMatch:
    return PropertyMatch(name, label, rule, _SCORES[rule], _REASONS[rule], shared)


def _stands_on(kind: LineKind, context: LineContext | None) -> bool:
    """Whether tables of a class have lines of a kind."""
    table_class = context.table_class if context is not None else None
    return table_class not in kind.not_on and (not kind.classes or table_class in kind.classes)


def _head_length(words: tuple[str, ...], kind: LineKind) -> int:
    """Return how many words at the beginning or the end of a caption make it one of a kind; 0 if none do."""
    if not kind.without.isdisjoint(words):
        return 0
    named = sum(word.isalpha() for word in words)
    return max((len(head) for head in _heads(words, kind) if len(head) < named), default=0)


def _heads(words: tuple[str, ...], kind: LineKind) -> Iterator[tuple[str, ...]]:
    yield from (head for head in kind.beginnings if words[: len(head)] == head)
    for head in kind.endings:
        before = words[: -len(head)]
        if words[-len(head) :] == head and _RELATIONS.isdisjoint(before):
            yield head
