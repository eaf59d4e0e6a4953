"""Models as expert and critics: the page as shown to them, their prompts and replies.

The rows and sentences that the question is likely about are only marked; nothing is left out because of them. The turn
decides which model serves a role.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import fsum, sqrt
from textwrap import shorten
from typing import TypeVar

from quaestor.conversation.events import NoAnswerGiven, Note
from quaestor.conversation.turn import Memory
from quaestor.core.computing import compute
from quaestor.core.parsing import clean_label
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.documents.document import Document, Section, Sentence
from quaestor.documents.table import Table
from quaestor.errors import ModelReplyError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.structured.request import TypedRequest
from quaestor.ontology.core import RuleKind
from quaestor.plan.steps import CellGroup, Plan, RowRef
from quaestor.prompts import render
from quaestor.questions.stems import stems
from quaestor.solvers import briefing
from quaestor.solvers.answering import no_answer_reason, remarks_with
from quaestor.solvers.base import TurnContext
from quaestor.solvers.briefing import heading, page_name
from quaestor.solvers.explaining import NOTHING_BOUND, AnswerKinds, Explainer
from quaestor.solvers.page_text import sentences_with_numbers
from quaestor.solvers.reflection.drafts import (
    Draft,
    NumberDraft,
    ParsedDraft,
    draft_words,
    examine_draft,
    parse_draft,
    without_grouped,
)
from quaestor.solvers.reflection.numbers import NumberIndex, sentence_code, years_named_in
from quaestor.solvers.reflection.solver import DraftProposal, Duty, Verdict, plan_steps, result_words

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
    groups = (operand for operand in plan.operands if isinstance(operand, RowRef | CellGroup))
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


class ModelExpert:
    """A model that writes drafts. All drafts of a turn belong to one conversation with the model."""

    revises = True

    def __init__(self, question: str, context: TurnContext, attempts: int, *, always_answer: bool = False) -> None:
        self._question, self._context, self._attempts = question, context, attempts
        self._always_answer = always_answer
        self._numbers = NumberIndex(context.graph)
        self._explainer = Explainer(context, name=lambda _, one: sentence_code(one.section, one.index))
        self._kinds = AnswerKinds.of(context.read(question), context)
        self._talk = self._new_talk()
        self._parsed: ParsedDraft | None = None

    def _new_talk(self) -> TypedRequest[Draft]:
        return TypedRequest(
            self._context.model_for("expert"),
            Draft,
            "write_draft",
            "Steps and answer, for critics to judge.",
            attempts=self._attempts,
            on_rejected=self._context.note_rejected,
            check=self._check,
            doubt=self._doubt,
            shown=None if self._kinds.all else NumberDraft,
        )

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | NoAnswerGiven | None:
        """Return the model's next draft, or the reason for no answer."""
        draft = await self._ask(number, objections)
        if self._kinds.widen(draft.no_answer):
            self._talk = self._new_talk()
            draft = await self._ask(number, objections)
        if draft.no_answer is not None:
            return NoAnswerGiven(no_answer_reason(draft.no_answer), draft.reasoning)
        proposal = await compute(self._proposal, draft)
        return proposal if proposal.plan.steps else NoAnswerGiven("not_on_page", NOTHING_BOUND)

    async def _ask(self, number: int, objections: Sequence[str]) -> Draft:
        kinds = {"all_kinds": self._kinds.all, "explains": self._kinds.explained}
        system = render("reflection/expert_system", **kinds, always_answer=self._always_answer)
        return await self._talk.ask(await compute(self._prompt, objections), f"EXPERT_{number}", system)

    def _prompt(self, objections: Sequence[str]) -> str:
        context = self._context
        if self._talk.has_reply:
            return render("reflection/expert_again", objections=objections)
        return render(
            "reflection/expert",
            **briefing.prompt_variables(self._question, context),
            page=page_for_prompt(context.document, all_sentences=self._kinds.all),
            likely=likely_lines(self._question, context),
        )

    def _check(self, draft: Draft) -> Sequence[str]:
        if faults := self._kinds.faults(draft.no_answer):
            return faults
        turns = len(self._context.memory.turns)
        self._parsed = parse_draft(draft, self._question, self._numbers, self._context.document, turns)
        return self._parsed.faults

    def _doubt(self, draft: Draft) -> Sequence[str]:
        assert self._parsed is not None
        sentences = None if draft.no_answer is not None else draft.explanation
        return self._explainer.bind(sentences, self._parsed.plan.steps)

    def _proposal(self, draft: Draft) -> DraftProposal:
        context, understood = self._context, self._parsed
        assert understood is not None
        self._explainer.bind(draft.explanation, understood.plan.steps)
        plan, answer = self._explainer.settle(without_grouped(understood.plan), draft.verdict), understood.answer
        findings = understood.findings  # an explanation alone has no last operation to compare with the question
        if understood.plan.steps and not plan.explains_alone:
            findings = examine_draft(understood, self._question, context.memory, self._numbers)
        result, stated = result_words(plan, self._question, context), None if answer is None else answer.words
        remark = remarks_with(draft.assumption, self._explainer.remarks(plan))
        return DraftProposal(plan, draft_words(draft), plan_steps(plan), result, findings, remark, stated)


_DUTIES: Mapping[Duty, str] = {
    "extraction": "whether the right numbers were taken from the page",
    "calculation": "whether the right calculation was made with the numbers taken",
}
_BOTH = ", and ".join(_DUTIES.values())


class CriticRoles:
    """The critics of one turn: two, or a single one with both duties if checks find no fault in the first draft."""

    def __init__(self, question: str, context: TurnContext, attempts: int) -> None:
        """Create the critics; `attempts` limits the replies to one request."""
        self._question, self._context = question, context
        self._once: bool | None = None
        self._talks = {
            duty: TypedRequest(
                context.model_for(f"{duty}_critic"),
                Verdict,
                "give_verdict",
                "Whether the draft is correct, and if not, what to change.",
                attempts=attempts,
                on_rejected=context.note_rejected,
                check=_unexplained,
            )
            for duty in _DUTIES
        }

    async def judge(self, proposal: DraftProposal, number: int) -> Mapping[Duty, Verdict | str]:
        """Ask the critics concurrently for verdicts on a draft; return a verdict or an error message for each.

        A draft without a calculation needs only the extraction critic.
        """
        if self._once is None:
            one_model = len({id(talk.connection) for talk in self._talks.values()}) == 1
            self._once = one_model and proposal.computes and not proposal.findings
        duties = [duty for duty in _DUTIES if duty == "extraction" or (proposal.computes and not self._once)]
        if not proposal.computes:
            note = f"draft {number} calculates nothing, so the calculation critic is skipped"
            self._context.trace.append(Note(note))
        prompts = [await compute(self._prompt, duty, proposal) for duty in duties]
        requests = [
            asyncio.create_task(self._verdict(duty, number, prompt))
            for duty, prompt in zip(duties, prompts, strict=True)
        ]
        try:
            verdicts = await asyncio.gather(*requests)
        finally:  # if one fails, cancel the other
            for task in requests:
                task.cancel()
            await asyncio.gather(*requests, return_exceptions=True)
        return dict(zip(duties, verdicts, strict=True))

    def _prompt(self, duty: Duty, proposal: DraftProposal) -> str:
        # The extraction critic needs the whole page; the calculation critic only what the draft uses.
        document, begun = self._context.document, self._talks[duty].has_reply
        own = {
            "draft": proposal.words,
            "result": proposal.result,
            "findings": proposal.findings,
            "checked": proposal.checked,
            "computes": proposal.computes,
        }
        if duty == "calculation":
            own["page"] = sources_for_prompt(document, proposal.plan)
        else:
            words = any(step.text is not None for step in proposal.plan.extracts)
            own["page"] = None if begun else page_for_prompt(document, all_sentences=words)
        if begun:
            return render("reflection/critic_again", **own)
        # The extraction critic needs no rules of calculation.
        kinds: Sequence[RuleKind] = ("calculation", "transformation", "scale")
        if duty == "extraction" and not self._once:
            kinds = ("scale",)
        return render("reflection/critic", **briefing.prompt_variables(self._question, self._context, *kinds), **own)

    async def _verdict(self, duty: Duty, number: int, prompt: str) -> Verdict | str:
        role, task = ("both", _BOTH) if self._once else (duty, _DUTIES[duty])
        system = render("reflection/critic_system", role=role, duty=task)
        try:
            return await self._talks[duty].ask(prompt, f"{duty.upper()}_CRITIC_{number}", system)
        except ModelReplyError as error:
            return str(error)


def _unexplained(verdict: Verdict) -> Sequence[str]:
    if verdict.is_correct or any(issue.strip() for issue in verdict.issues):
        return ()
    return ("a draft that is not correct needs at least one issue",)
