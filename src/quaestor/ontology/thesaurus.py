"""The thesaurus: what filings print, and what people type instead.

Unlike the lexicon it names no concepts: its pairs are of words, and hold in labels and sentences alike.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from quaestor.core.terms import SMALL, term

Phrase = tuple[str, ...]
"""The terms of an expression."""


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression in a text that others may stand for.

    Attributes:
        start: Its first term.
        end: The term after its last one.
        others: The expressions that mean the same.
    """

    start: int
    end: int
    others: tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Thesaurus:
    """Expressions that mean the same, both ways: printed for typed, and typed for printed."""

    _others: Mapping[Phrase, Sequence[Phrase]] = field(repr=False)
    _longest: int = field(repr=False)

    def find(self, text: Sequence[str]) -> tuple[Expression, ...]:
        """Return the expressions in a text, given as terms, that others may stand for; they may overlap."""
        return tuple(
            Expression(start, start + length, tuple(dict.fromkeys(others)))
            for start in range(len(text))
            for length in range(1, min(self._longest, len(text) - start) + 1)
            if (others := self._others.get(tuple(text[start : start + length])))
        )


@lru_cache(maxsize=1024)
def find_expressions(text: tuple[str, ...]) -> tuple[Expression, ...]:
    """Return what `Thesaurus.find` does of the package's thesaurus; a question is asked about many times."""
    return read_thesaurus().find(text)


@lru_cache(maxsize=1)
def read_thesaurus() -> Thesaurus:
    """Return the thesaurus that the package has."""
    written = (files("quaestor.ontology") / "thesaurus.tsv").read_text(encoding="utf-8")
    lines = [line.replace("\t", "; ").split("; ") for line in written.splitlines()]
    # Words are separated by single spaces, which is several times as fast as finding terms in any text.
    split = {
        phrase: tuple([term(word) for word in phrase.split(" ") if word not in SMALL])
        for phrase in {phrase for line in lines for phrase in line}
    }
    others: dict[Phrase, list[Phrase]] = defaultdict(list)
    for printed, *typed in lines:
        of = split[printed]
        for phrase in typed:
            other = split[phrase]
            others[of].append(other)
            others[other].append(of)
    return Thesaurus(others, max(map(len, others)))
