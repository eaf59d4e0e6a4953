"""Variables of prompts: the outline of the page, the conversation so far, the rules of calculation.

The numbers in tables are not included: the model has to look them up.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Context, Decimal
from textwrap import shorten

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_number
from quaestor.conversation.references.expressions import reading_line
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import amount_words
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Scale
from quaestor.core.words import FUNCTION_WORDS, search_words
from quaestor.documents.document import Document, Paragraph, Section, Sentence
from quaestor.documents.roles import statements_named
from quaestor.documents.table import Table
from quaestor.graph.facts import SentenceFact
from quaestor.ontology.core import CoreRule, RuleKind, read_core
from quaestor.plan.operations import LARGEST_EXPONENT
from quaestor.plan.scales import shift_decimal
from quaestor.questions.instructions import read_instructions
from quaestor.questions.question import Question
from quaestor.questions.question_parts import asks_several
from quaestor.questions.stems import shapes
from quaestor.questions.words_asked import words_asked
from quaestor.solvers.base import TurnContext
from quaestor.solvers.page_text import leans_on_the_last
from quaestor.solvers.signs import asks_size_of_fall
from quaestor.solvers.tools.page import GraphPage, local_name

_MOST_LISTED = 60
_WORDS_SHARED, _MOST_SENTENCES, _MOST_TEXT = 2, 2, 500
"""For a sentence to be shown: the words it must share with the question; the limits of sentences and characters."""
_FALL = "The fall asked for is a size, without a sign: percentage of (earlier - later) in the earlier value."
_DIGITS = 12
_LONGEST_REASON = 300
_NUMBERED = re.compile(r"(?:note|item)\b|\d+\. ", re.IGNORECASE)
"""Headings that are clear without the one above."""
_LONGEST_HEADING = 40
"""Limit in characters for the parent heading."""


def rules(question: str, context: TurnContext, *kinds: RuleKind) -> Sequence[CoreRule]:
    """Return the core rules that a question needs, by its wording or by the metric types it may ask for."""
    parsed_question, turns = context.read(question), context.memory.turns
    last = turns[-1].answer.metric_type if turns else "value"
    called = {pattern.rule for pattern in parsed_question.patterns}
    types = {metric.metric_type for metric in parsed_question.metric_types(last)}
    if types == {"value"}:  # as for "and the other plan?"
        types.add(last)
    return tuple(
        rule
        for rule in read_core().rules
        if (not kinds or rule.kind in kinds)
        and (rule.name in called or not types.isdisjoint(rule.about) or _is_named(rule, parsed_question))
    )


def _is_named(rule: CoreRule, question: Question) -> bool:
    """Return whether a question contains one of the rule's wordings, in any inflection."""
    question_shapes = f" {' '.join(question.shapes)} "
    return any(f" {' '.join(shapes(wording))} " in question_shapes for wording in rule.wordings)


def page_name(document: Document) -> str:
    """Return the name of a document in prompts, which marks an excerpt as such."""
    return document.id if document.whole is None else f"{document.id} (the parts that the question is likely about)"


def outline(context: TurnContext) -> Mapping[str, object]:
    """Describe the page: its types with their properties and instances, whether all are listed, and its text."""
    page = GraphPage(context.graph, context.ontology)
    named = {
        type_: (
            [local_name(name) for name in page.properties(page.of_type(type_))],
            [instance.short for instance in page.of_type(type_)],
        )
        for type_ in page.types
    }
    return {
        "document": page_name(context.document),
        "types": [
            {
                "name": local_name(type_),
                "caption": captions(type_, context),
                "properties": list_names(properties),
                "instances": list_names(instances),
                "left_out": sum(
                    context.document.rows_left_out(table.index) for table in context.graph.tables if table.name == type_
                ),
            }
            for type_, (properties, instances) in named.items()
        ],
        "whole": all(len(names) <= _MOST_LISTED for both in named.values() for names in both),
        "sentences": len(context.graph.sentences),
        "mentions": len(context.graph.mentions),
    }


def near_sentences(question: str, context: TurnContext) -> tuple[SentenceFact, ...]:
    """Return the few sentences that share the most words with a question, in document order.

    A sentence that refers back to the previous one comes with it.
    For a long document they include the sources of the last answer and, if the question asks for a cause, sentences
    after the table of that answer, which often discuss it.
    """
    question_words = {word for word in search_words(question) if word not in FUNCTION_WORDS and not word.isdigit()}
    scored = []
    before: tuple[SentenceFact, frozenset[str]] | None = None
    for sentence, words in zip(context.graph.sentences, context.graph.sentence_words, strict=True):
        group: tuple[SentenceFact, ...] = (sentence,)
        own = question_words & words
        if before is not None and before[0].section == sentence.section and leans_on_the_last(sentence.text):
            group, own = (before[0], sentence), own and question_words & (words | before[1])
        if len(own) >= _WORDS_SHARED:
            scored.append((-len(own), sum(len(one.text) for one in group), group))
        before = sentence, words
    chosen: list[SentenceFact] = []
    room = _MOST_TEXT
    for _, length, group in sorted(scored, key=lambda item: item[:2])[:_MOST_SENTENCES]:
        if length <= room:
            chosen += (one for one in group if one not in chosen)
            room -= length
    last = (*_last_sentences(context), *_sentences_after_last(context))
    chosen += (s for s in context.graph.sentences if (s.section, s.index) in last and s not in chosen)
    return tuple(sorted(chosen, key=lambda sentence: sentence.place))


def _last_sentences(context: TurnContext) -> Collection[tuple[str, int]]:
    """Locate the sentences of a long document that the last sourced answer comes from."""
    if context.document.whole is None:
        return ()
    last = next((answer.sources for answer in reversed(context.memory.answers) if answer.sources), ())
    return [(at.section, at.sentence) for at in last if isinstance(at, SentenceRef)][:_MOST_SENTENCES]


def _sentences_after_last(context: TurnContext) -> Collection[tuple[str, int]]:
    """Locate the sentences after the table of the last answer if a cause is asked for: they explain its changes."""
    if context.document.whole is None or words_asked(context.question.lowered) not in ("cause", "ground"):
        return ()
    last = next((answer for answer in reversed(context.memory.answers) if answer.sources), None)
    tables = {at.table for at in last.sources if isinstance(at, CellRef)} if last else set()
    named = {*search_words(context.question.text), *search_words(last.description if last else "")} - FUNCTION_WORDS
    behind: list[Sentence] = []
    section = ""
    for block in context.document.blocks:
        if isinstance(block.content, Table):
            section = block.section if block.content.index in tables else ""
        elif isinstance(block.content, Paragraph) and block.section == section:
            behind += block.content.sentences
    fitting = sorted(behind, key=lambda sentence: -len(named.intersection(search_words(sentence.text))))
    return [(sentence.section, sentence.index) for sentence in fitting[:_MOST_SENTENCES]]


def heading(section: Section) -> str:
    """Return the headings of a section for prompts, without those that add nothing.

    >>> heading(Section("s", ("Part II", "Item 7. Discussion", "Results", "Taxes")))
    'Results > Taxes'
    >>> heading(Section("s", ("Part II", "Item 8. Financial Statements", "Notes", "Note 5. Taxes")))
    'Note 5. Taxes'
    """
    own = section.path[-1] if section.path else ""
    if _NUMBERED.match(own) or statements_named(own):
        return own
    over = [shorten(outer, _LONGEST_HEADING, placeholder="...") for outer in section.path[-2:-1]]
    return " > ".join((*over, *section.path[-1:]))


def captions(type_: str, context: TurnContext, only: int | None = None) -> str:
    """Return the caption of the tables of a type; for several tables also their indexes and headings."""
    tables, document = context.graph.tables, context.document
    if len(tables) < 2:
        return next((table.caption for table in tables if table.name == type_), "")
    sections = {table.index: document.section_of(document.table(table.index)) for table in tables}
    first = {section.path: index for index, section in reversed(sections.items())}
    entries = []
    for table in tables:
        if table.name == type_ and only in (None, table.index):
            over, begins = heading(sections[table.index]), first[sections[table.index].path]
            place = f' in "{over}"' if begins == table.index else f" in the section of table {begins}"
            entries.append(f"table {table.index}" + place * bool(over) + f" {table.caption}".rstrip())
    return "; ".join(entries)


def history(context: TurnContext) -> list[dict[str, str]]:
    """Return the questions so far with the solver's answers, oldest first."""
    return [
        {
            "question": turn.question,
            "answer": format_answer(turn.answer) if turn.answer.value is not None else _describe_missing_answer(turn),
            "description": turn.answer.description,
            "formula": turn.answer.formula if (plan := turn.answer.plan) is None or plan.computes else "",
        }
        for turn in context.memory.turns
    ]


def _describe_missing_answer(turn: Turn) -> str:
    """Describe a turn without an answer: the reason and the rejected readings."""
    nearly = ", ".join(f"{one.shown} ({one.description})" for one in turn.answer.other_readings)
    why = "; ".join(filter(None, (turn.answer.reason or turn.error, nearly and f"it may be {nearly}")))
    return shorten(": ".join(filter(None, ("no answer", why))), _LONGEST_REASON, placeholder="...")


def with_hints(question: str, document: Document) -> str:
    """Add hints about the form of the answer to a question: several parts, or scaling that the program does.

    Benchmarks keep the sign of a percentage fall; a person who asks how far something fell expects no minus.
    """
    parts = asks_several(question)
    form = read_instructions(question.lower()).form
    hints = [
        *(["It asks several things: the answer is one list (items), with an entry for each in their order."] * parts),
        *([_FALL] if asks_size_of_fall(question) and not document.is_page else []),
        *(["Rounding and the scale asked for are the program's: give the number as it comes."] * (form is not None)),
    ]
    return "\n".join((question, *hints))


def references(context: TurnContext, named: Callable[[int], str]) -> str:
    """Return a line about what the question refers back to; "" if that is uncertain or the question asks for text.

    The rules are measured on benchmark pages; for other documents they are wrong too often.

    Args:
        named: Returns the name of a turn's answer in the prompt, given the turn's index from 0.
    """
    calculated = context.document.is_page and context.question.wants.kind != "span"
    return reading_line(context.references, named) if calculated else ""


def prompt_variables(question: str, context: TurnContext, *kinds: RuleKind) -> dict[str, object]:
    """Return the variables common to all prompts: question, rules, history, references and feedback.

    Earlier answers are named as tools accept them: `#-1` for the last one.
    """
    turns = len(context.memory.turns)
    return {
        "question": with_hints(question, context.document),
        "rules": rules(question, context, *kinds),
        "history": history(context),
        "references": references(context, lambda turn: f"#{turn - turns}"),
        "feedback": context.feedback,
    }


def format_answer(answer: Answer) -> str:
    """Format an answer with scale and unit, rounded to digits that a model can use; fractions in percent."""
    value = answer.number
    if value is None:
        return show_number(answer)
    scale = answer.scale
    if answer.fraction:
        value, scale = shift_decimal(value, 2), Scale.PERCENT
    value = +value
    if len(value.as_tuple().digits) > _DIGITS:
        places = Decimal(1).scaleb(min(0, value.adjusted() - _DIGITS + 1))
        value = value.quantize(places, context=Context(prec=LARGEST_EXPONENT + _DIGITS))
    return amount_words(value, scale, answer.unit)


def list_names(names: Sequence[str]) -> list[str]:
    """Return the first names and the number of names left out."""
    more = len(names) - _MOST_LISTED
    return [*names[:_MOST_LISTED], f"and {more} more"] if more > 0 else list(names)
