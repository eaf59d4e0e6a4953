"""The page as shown to the expert and the critics, and the rows and sentences that the question is likely about.

Likely parts are only marked; nothing is left out because of them.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import fsum, sqrt
from textwrap import shorten
from typing import TypeVar

from quaestor.conversation.turn import Memory
from quaestor.core.parsing import clean_label
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.documents.document import Document, Section, Sentence
from quaestor.documents.table import Table
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.steps import CellGroup, Compute, Plan, RowRef
from quaestor.questions.stems import stems
from quaestor.solvers.base import TurnContext
from quaestor.solvers.briefing import heading, page_name
from quaestor.solvers.page_text import sentences_with_numbers
from quaestor.solvers.reflection.numbers import sentence_code, years_named_in

_MOST_ROWS = 5
_MOST_SENTENCES = 3
_FEW_WORDS = 2
_LONGEST_LABEL = 80
_YEAR_COUNTS = 0.5
_BEFORE_COUNTS = 0.5
"""Weight of a word from the previous question relative to this one."""
_AS_LIKELY = 0.3
"""Minimum score for a mark, as a share of the best score."""

Row = tuple[int, int]
"""Index of a table and of a row."""

Place = tuple[str, int]
"""Section of a sentence and its index in that section."""

Key = TypeVar("Key", Row, Place)


def find_likely_places(
    question: str, memory: Memory, document: Document, graph: KnowledgeGraph
) -> tuple[Sequence[Row], Sequence[Place]]:
    """Return the rows and the sentences that a question is likely about, most likely first.

    The previous question and the entity in focus get a lower weight, for "and in 2007?" or "what was the total?".
    """
    own, years = stems(question), years_named_in(question)
    wanted = dict.fromkeys(own, 1.0)
    if memory.turns:
        before = (*stems(memory.questions[-1]), *stems(memory.entity_in_focus or ""))
        share = 1.0 if len(wanted) <= _FEW_WORDS else _BEFORE_COUNTS
        wanted = {**dict.fromkeys(before, share), **wanted}
    rows = {(n.source.table, n.source.row): " ".join((*n.row.levels, n.row.label)) for n in graph.observations}
    sentences = {(s.section, s.index): s.text for s in document.sentences if s.mentions}
    return (
        _best(rows, wanted, years, _MOST_ROWS, whole=True),
        _best(sentences, wanted, years, _MOST_SENTENCES, whole=False),
    )


def _best(
    texts: Mapping[Key, str], wanted: Mapping[str, float], years: frozenset[int], most: int, *, whole: bool
) -> list[Key]:
    """Return the most likely places; with `whole`, a text is a name and should match as a whole."""
    words = {key: set(stems(text)) for key, text in texts.items()}
    spread = Counter(word for own in words.values() for word in own)

    def score(key: Key) -> float:
        rarity = {word: 1 / sqrt(spread[word]) for word in words[key]}
        shared = fsum(wanted[word] * rare for word, rare in rarity.items() if word in wanted)
        named = sqrt(shared / fsum(rarity.values())) if whole and shared else 1.0
        return shared * named + _YEAR_COUNTS * bool(years & years_named_in(texts[key]))

    scores = {key: score(key) for key in texts}
    least = max(scores.values(), default=0.0) * _AS_LIKELY
    found = [key for key in scores if scores[key] > 0 and scores[key] >= least]
    return sorted(found, key=lambda key: -scores[key])[:most]


def likely_lines(question: str, context: TurnContext) -> Sequence[str]:
    """Return the lines that a question is likely about, most likely first: `T0R2 (net sales)`, `POST1`."""
    rows, sentences = find_likely_places(question, context.memory, context.document, context.graph)
    of = context.document.table
    labels = [shorten(of(table).rows[row].label, _LONGEST_LABEL, placeholder=" ...") for table, row in rows]
    lines = [f"T{table}R{row} ({label})" for (table, row), label in zip(rows, labels, strict=True)]
    return [*lines, *(sentence_code(section, index) for section, index in sentences)]


def page_for_prompt(document: Document, *, all_sentences: bool = False) -> Mapping[str, object]:
    """Return the page for prompts, each line with its place; it does not depend on the question, to allow caching.

    Sentences that neither print a number nor lead to a table are left out: no step can take a number from them.

    Args:
        all_sentences: Whether to include them, for answers that may be text.
    """
    if all_sentences:
        return _shown(document, "", lambda _: True, lambda _: True)
    places = {(sentence.section, sentence.index) for sentence in sentences_with_numbers(document)}
    return _shown(
        document,
        "without the sentences that print no number and lead to no table",
        lambda _: True,
        lambda sentence: (sentence.section, sentence.index) in places,
    )


def sources_for_prompt(document: Document, plan: Plan) -> Mapping[str, object]:
    """Return the parts of the page that a plan uses, as in `page_for_prompt`, with the header rows of its tables."""
    rows, sentences = _places_used(plan)
    tables = {table for table, _ in rows}
    heads = {table: document.table(table).header_rows for table in tables}
    return _shown(
        document,
        "what the draft takes of it",
        lambda row: row in rows or (row[0] in tables and row[1] < heads[row[0]]),
        lambda sentence: (sentence.section, sentence.index) in sentences,
    )


def _shown(
    document: Document, part: str, of_rows: Callable[[Row], bool], of_sentences: Callable[[Sentence], bool]
) -> Mapping[str, object]:
    tables = [_table(table, document.section_of(table), of_rows) for table in document.tables]
    text = [
        {
            "heading": heading(section),
            "sentences": [{"code": sentence_code(s.section, s.index), "text": s.text} for s in found],
        }
        for section, sentences in document.text
        if (found := list(filter(of_sentences, sentences)))
    ]
    return {"name": page_name(document), "part": part, "tables": [t for t in tables if t["rows"]], "sections": text}


def _places_used(plan: Plan) -> tuple[set[Row], set[Place]]:
    sources = [step.source for step in plan.extracts]
    for step in plan.steps:
        if isinstance(step, Compute):
            groups = (operand for operand in step.operands if isinstance(operand, RowRef | CellGroup))
            sources += [source for group in groups for source in group.sources]
    rows = {(source.table, source.row) for source in sources if isinstance(source, CellRef)}
    return rows, {(source.section, source.sentence) for source in sources if isinstance(source, SentenceRef)}


def _table(table: Table, section: Section, of_rows: Callable[[Row], bool]) -> Mapping[str, object]:
    return {
        "index": table.index,
        "section": heading(section),
        "caption": "" if table.caption == clean_label(table.cells[0][0].text) else table.caption,
        "columns": [f"C{column}" for column in range(len(table.columns))],
        "rows": [
            {"index": index, "cells": [cell.text if cell.repair is None else "" for cell in row]}
            for index, row in enumerate(table.cells)
            if of_rows((table.index, index)) and any(cell.text for cell in row)
        ],
    }
