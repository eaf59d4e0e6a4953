"""A line of statements that a question names and the page does not have, though it has one that sounds like it.

"Net income" and "operating income" share a word and are two lines. Owns how that is told: by the captions that the core
knows, only where a question names nothing else, and where nothing on the page, in its tables or its text, is called by
any caption of the line.
"""

from collections.abc import Mapping
from functools import lru_cache

from quaestor.core.provenance import CellRef
from quaestor.core.stop_words import JOINING_WORDS, STOP_WORDS
from quaestor.core.words import search_words
from quaestor.documents.document import Document
from quaestor.ontology.core_lines import read_core_lines
from quaestor.ontology.line_matching import core_line_index
from quaestor.plan.steps import Compute, Extract, Plan
from quaestor.questions.question import Question
from quaestor.solvers.embedded.decode.labels import income_or_loss
from quaestor.solvers.embedded.decode.off_question import asks_for_change

_SAME = {"sale": "revenue", "sales": "revenue", "revenues": "revenue"}
_NO_PART = STOP_WORDS - JOINING_WORDS
"""Words of questions that no caption differs by from another."""

_PLAIN = frozenset({"kg:PatternValue", "kg:PatternSignKept"})
"""What a question asks for that asks for no calculation."""
_TOTALS = frozenset({"total", "totals", "grand total"})
_LEAST = 2
"""A caption of one word ("sales", "income") is part of many names."""


def other_line_asked(question: Question, plan: Plan | None, document: Document) -> str | None:
    """Return the line that a question names, where the page lacks it and the answer is of another line; else None.

    Args:
        plan: How it is answered; of anything but the look-up of one cell, or a calculation with earlier answers alone,
            nothing is said.
    """
    answered, earlier = _row_taken(plan, document), _is_of_answers(plan) and question.pattern_names <= _PLAIN
    if asks_for_change(question):
        # "The increase in inventories" is a line of cash flows, and to most people what inventories changed by.
        return None
    said = search_words(question.lowered)
    # What takes longest comes last: most answers are of a row with all that is asked for, most questions name no line.
    telling = " ".join(word for word in said if word not in _NO_PART and not word.isdigit())
    if not (answered or earlier) or not question.stands_alone or _says(answered, telling):
        return None
    named = _named_in(said)
    if named is None or not question.names <= set(named[0].split()) or _says(answered, named[0]):
        return None
    given = _line_of(answered)
    other = earlier or (given is not None and named[1] != given)
    return named[0] if other and not _is_on(document, *named) else None


def _is_of_answers(plan: Plan | None) -> bool:
    """Whether a plan calculates with earlier answers alone, which no question for the value of a line asks for."""
    steps = plan.steps if plan is not None else ()
    made = {step.operation if isinstance(step, Compute) else "" for step in steps}
    return bool(made) and made.isdisjoint({"", "identity"})


def _row_taken(plan: Plan | None, document: Document) -> str:
    steps = plan.steps if plan is not None else ()
    if len(steps) != 1 or not isinstance(steps[0], Extract) or not isinstance(steps[0].source, CellRef):
        return ""
    table = document.table(steps[0].source.table)
    label = table.rows[steps[0].source.row].label
    if label.casefold() not in _TOTALS:
        return label
    # "Total" in a table of revenue is total revenue.
    return " ".join((label, table.title, table.columns[0].label, *document.section_of(table).path[-1:]))


@lru_cache(maxsize=1)
def _captions() -> Mapping[tuple[str, ...], str]:
    """The captions of several words, by their words, with the line of each."""
    found = {
        tuple(search_words(caption)): income_or_loss(line.name)
        for line in read_core_lines().lines.values()
        for caption in line.captions
    }
    return {words: line for words, line in found.items() if len(words) >= _LEAST}


@lru_cache(maxsize=8192)
def _line_of(label: str) -> str | None:
    """Return the core's line that a label names; None if it names none."""
    found = core_line_index().find_named(label)
    return None if found is None else income_or_loss(found.property)


def _named_in(said: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the longest caption that words have in one piece, and its line."""
    captions = _captions()
    for size in range(len(said), _LEAST - 1, -1):
        for start in range(len(said) - size + 1):
            if line := captions.get(said[start : start + size]):
                return " ".join(said[start : start + size]), line
    return None


def _is_on(document: Document, caption: str, line: str) -> bool:
    """Whether anything on a page is called by a caption of a line: a row, a column, a table, or words of a sentence."""
    for table in document.tables:
        heads = (*table.rows, *table.columns)
        # "Revenue" over "Service" is service revenue.
        labels = [label for head in heads for label in (head.label, " ".join((*head.levels, head.label))) if label]
        labels += [table.title, table.caption]
        if any(_line_of(label) == line or _says(label, caption) for label in dict.fromkeys(labels)):
            return True
    captions = [f" {' '.join(words)} " for words, name in _captions().items() if name == line]
    texts = (f" {' '.join(search_words(sentence.text.lower()))} " for sentence in document.sentences)
    return any(said in text for text in texts for said in captions)


def _says(label: str, caption: str) -> bool:
    """Whether a label has all words of a caption; sales are revenue."""
    said, wanted = (
        {_SAME.get(word, word) for word in words} for words in (search_words(label.lower()), caption.split())
    )
    return wanted <= said
