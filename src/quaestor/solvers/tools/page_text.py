"""The text of a page as `find_in_text` looks at it: where each number is, and what is before and above it.

Compares nothing with what is asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from quaestor.core.periods import Period
from quaestor.core.provenance import SentenceRef
from quaestor.graph.facts import HeaderNumber, MentionFact, SentenceFact
from quaestor.graph.knowledge_graph import KnowledgeGraph

InText = MentionFact | HeaderNumber
"""A number outside the bodies of the tables."""

_LOOKED_BACK = 2
_LONGEST_BEFORE = 200
"""Characters of the sentence before that are shown, its last ones."""


def sentence_of(item: InText) -> str:
    """Return the whole sentence or label that a number is in."""
    return item.sentence if isinstance(item, MentionFact) else item.label


@dataclass(frozen=True)
class PageText:
    """The sentences of a graph by their places."""

    graph: KnowledgeGraph

    @cached_property
    def without_numbers(self) -> tuple[SentenceFact, ...]:
        """The sentences that have no number."""
        numbered = {mention.place for mention in self.graph.mentions}
        return tuple(sentence for sentence in self.graph.sentences if sentence.place not in numbered)

    def place(self, item: InText) -> str | tuple[str, int]:
        """Return what tells the sentence or the label of a number from others."""
        source = item.source
        return (source.section, source.sentence) if isinstance(source, SentenceRef) else f"{source} {item.label}"

    def searched(self, item: InText | SentenceFact) -> str:
        """Return the text that words are looked for in: the sentence, with the headings that it is under."""
        text = item.text if isinstance(item, SentenceFact) else sentence_of(item)
        return " ".join((*self._path(item), text))

    def heading(self, item: InText | SentenceFact) -> str | None:
        """Return the headings that a sentence is under, the outermost first; None if it has none."""
        return " > ".join(self._path(item)) or None

    def before(self, item: InText) -> str | None:
        """Return the end of the sentence before a number's, in the same section; None without one."""
        found = self._earlier(item)
        return found[-1].text[-_LONGEST_BEFORE:] if found else None

    def period_before(self, item: InText) -> tuple[Period, ...]:
        """Return the periods of the nearest of the two sentences before that names any.

        None if the number has a period of its own, or its sentence names one.
        """
        if not isinstance(item, MentionFact) or item.period or self._periods.get((item.source.section, item.place)):
            return ()
        for sentence in reversed(self._earlier(item)):
            if named := self._periods.get((sentence.section, sentence.place)):
                return tuple(named)
        return ()

    def _path(self, item: InText | SentenceFact) -> tuple[str, ...]:
        if isinstance(item, SentenceFact):
            return self.graph.path_of(item.section)
        return self.graph.path_of(item.source.section) if isinstance(item.source, SentenceRef) else ()

    def _earlier(self, item: InText) -> list[SentenceFact]:
        if not isinstance(item, MentionFact):
            return []
        earlier = self.graph.sentences[max(0, item.place - _LOOKED_BACK) : item.place]
        return [sentence for sentence in earlier if sentence.section == item.source.section]

    @cached_property
    def _periods(self) -> Mapping[tuple[str, int], dict[Period, None]]:
        """The periods that each sentence names, by section and place on the page."""
        places = {(sentence.section, sentence.index): sentence.place for sentence in self.graph.sentences}
        found: dict[tuple[str, int], dict[Period, None]] = {}
        for named in self.graph.labels:
            source = named.source
            if isinstance(source, SentenceRef) and named.period is not None:
                place = places[source.section, source.sentence]
                found.setdefault((source.section, place), {})[named.period] = None
        return found
