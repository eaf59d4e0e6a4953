"""The page as the expert reads it, with the rows and sentences marked that the question is likely about.

Owns the likelihood: rare words that a question shares with a row's label or a sentence, and the years that it names.
It marks and never leaves out: what is not marked can be read all the same.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TypeVar

from quaestor.conversation.memory import Memory
from quaestor.documents.document import Document, Section, Sentence, Table
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.questions.stems import stems
from quaestor.solvers.reflection.numbers import sentence_code, years_named_in

_MOST_ROWS = 5
_MOST_SENTENCES = 3
_FEW_WORDS = 2
_YEAR_COUNTS = 0.5
_AS_LIKELY = 0.4
"""What is less likely than this share of the likeliest is not marked."""

Row = tuple[int, int]
"""A table's index and a row's."""

Place = tuple[str, int]
"""A sentence's section and its place in it."""

Key = TypeVar("Key", Row, Place)


@dataclass(frozen=True, slots=True)
class Likely:
    """What a question is likely about, the likeliest first.

    Attributes:
        rows: Rows of tables.
        sentences: Sentences with a number.
    """

    rows: tuple[Row, ...]
    sentences: tuple[Place, ...]


def likely(question: str, memory: Memory, document: Document, graph: KnowledgeGraph) -> Likely:
    """Returns the rows and the sentences that a question is likely about.

    A question of few words of its own, such as "and in 2007?", is read with the one before it and the entity in focus.

    Args:
        question: As asked.
        memory: The conversation before.
        document: The page.
        graph: Its numbers, with the labels of their rows.
    """
    wanted, years = set(stems(question)), years_named_in(question)
    if len(wanted) <= _FEW_WORDS and memory.turns:
        wanted |= set(stems(memory.questions[-1])) | set(stems(memory.entity_in_focus or ""))
    rows: dict[Row, str] = {}
    for number in graph.observations:
        labels = " ".join((*number.row.levels, number.row.label))
        rows[number.source.table, number.source.row] = labels
    sentences = {(s.section, s.index): s.text for s in document.sentences if s.mentions}
    return Likely(
        tuple(_best(rows, wanted, years, _MOST_ROWS)), tuple(_best(sentences, wanted, years, _MOST_SENTENCES))
    )


def _best(texts: Mapping[Key, str], wanted: set[str], years: frozenset[int], most: int) -> list[Key]:
    words = {key: set(stems(text)) for key, text in texts.items()}
    spread = Counter(word for own in words.values() for word in own)
    scores = {
        key: fsum(1 / spread[word] for word in own & wanted) + _YEAR_COUNTS * bool(years & years_named_in(texts[key]))
        for key, own in words.items()
    }
    least = max(scores.values(), default=0.0) * _AS_LIKELY
    return sorted((key for key in scores if scores[key] > 0 and scores[key] >= least), key=lambda key: -scores[key])[
        :most
    ]


def shown_page(document: Document, marked: Likely) -> Mapping[str, object]:
    """Returns the page for prompts: each line with its place, marked where it is likely to matter."""
    return {
        "name": document.id,
        "tables": [_table(table, document.section_of(table), marked.rows) for table in document.tables],
        "sections": [
            {"heading": " > ".join(section.path), "sentences": [_sentence(s, marked.sentences) for s in sentences]}
            for section, sentences in document.text
        ],
    }


def _table(table: Table, section: Section, marked: Sequence[Row]) -> Mapping[str, object]:
    return {
        "index": table.index,
        "section": " > ".join(section.path),
        "caption": table.caption,
        "columns": [f"C{column}" for column in range(len(table.columns))],
        "rows": [
            {
                "index": index,
                "cells": [cell.text if cell.repair is None else "" for cell in row],
                "likely": (table.index, index) in marked,
            }
            for index, row in enumerate(table.cells)
        ],
    }


def _sentence(sentence: Sentence, marked: Sequence[Place]) -> Mapping[str, object]:
    code = sentence_code(sentence.section, sentence.index)
    return {"code": code, "text": sentence.text, "likely": (sentence.section, sentence.index) in marked}
