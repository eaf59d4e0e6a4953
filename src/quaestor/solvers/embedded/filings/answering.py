"""Answers to questions about whole filings, from their facts.

A question that asks for an explanation is answered by whole sentences, without headings and marks before them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import nan
from textwrap import shorten

from quaestor.conversation.answer import Answer, OtherReading
from quaestor.conversation.display import show_number
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import AnswerKinds, Number, YesNo
from quaestor.core.caching import BoundedCache
from quaestor.core.explanation import MOST_SENTENCES
from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import SentenceRef
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms
from quaestor.errors import PlanError
from quaestor.facts.sentences import SentenceIndex
from quaestor.facts.table import FactTable, build_company_facts
from quaestor.plan.execute import execute
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.answer_arithmetic import read_conversion
from quaestor.questions.question import Question
from quaestor.retrieval.causes import find_causes, read_cause_question
from quaestor.solvers.answering import answer_without_value, build_answer
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.filings.deciding import Decision, decide_question, decide_without_ranges
from quaestor.solvers.embedded.filings.evidence import asks_who, extract_sentence, names_somebody, quote
from quaestor.solvers.embedded.filings.results import PlanResult, list_sentences
from quaestor.solvers.embedded.filings.turns import FilingWeights, PastTurn

_BEFORE = lazy_regex(
    r"(?P<heading>(?:[A-Z][\w&,'\u2019-]* ){1,6})(?=(?i:(?P=heading)))"  # Gross Margin Gross margin rose
    r"|[\u2022\u25aa\u25e6\u25cf\u00b7*\u2020\u2021]\s*|\(?[1-9]\)?\s(?=(?:The|This|These|In|Includes|For|On|We|Our|As)\s)"
)
"""Headings, bullets and footnote marks that are parsed as the beginning of a sentence."""
_ELSEWHERE = lazy_regex(r"\W*(?:(?:please )?(?:refer|see)\b|for (?:more|additional|further) )", re.IGNORECASE)
"""Sentences that only refer to another place."""
_ENDS = lazy_regex(r"[.!?:;][\"\u201d\u2019')\]]*\s*$")
_GOES_ON = lazy_regex(
    r"(?:In addition|Additionally|Also|Further|Furthermore|Moreover|However|These|This|Such|The (?:increase|decrease|"
    r"change|decline|growth|remaining|remainder)|Partially|Offsetting|Excluding|Both)\b"
)
"""Beginnings of sentences that continue the reasons of the previous one."""


def quotes_prose(plan: Plan) -> bool:
    """Return whether a plan quotes several sentences, none of which introduces a list."""
    texts = [step.text or "" for step in plan.extracts]
    return len(texts) > 1 and not any(text.rstrip().endswith(":") for text in texts)


def explain_by_quoting(plan: Plan, table: FactTable, label: str) -> Plan:
    """Return a plan that explains with the whole sentences that another plan quotes, and their continuation.

    Args:
        plan: A plan that only quotes sentences of the filing.
        label: The topic of the sentences.
    """
    index = table.sentences
    sources = (step.source for step in plan.extracts if isinstance(step.source, SentenceRef))
    quoted = [index.places[source.section, source.sentence] for source in sources]
    chosen = [place for place in quoted if not _ELSEWHERE.match(index.sentences[place].text)] or quoted
    if list(_find_continuation(chosen[0], index))[: len(chosen) - 1] == chosen[1:]:
        chosen = [chosen[0], *_find_continuation(chosen[0], index)]
    wholes = list(dict.fromkeys(tuple(_find_pieces(place, index)) for place in chosen))[:MOST_SENTENCES]
    steps: list[Extract] = []
    templates = []
    for whole in wholes:
        extracts = [_extract_sentence(len(steps) + at, place, table, label) for at, place in enumerate(whole, 1)]
        steps += extracts
        templates.append(" ".join(f"{{#{step.id}}}" for step in extracts))
    explained = Compute(len(steps) + 1, "explain", tuple(Ref(step.id) for step in steps))
    return Plan((*steps, explained), plan.thought, tuple(templates))


def _find_pieces(place: int, index: SentenceIndex) -> Sequence[int]:
    """Return a sentence with the parts that a page break or a list has cut off."""
    first = last = place
    while first > 0 and place - first < 2 and _is_cut(first - 1, index):
        first -= 1
    while last - place < 2 and _is_cut(last, index):
        last += 1
    return range(first, last + 1)


def _is_cut(place: int, index: SentenceIndex) -> bool:
    """Return whether a sentence is cut off and continues in the next one."""
    if place + 1 >= len(index.sentences) or index.section[place] != index.section[place + 1]:
        return False
    return not _ENDS.search(index.sentences[place].text) and index.sentences[place + 1].text.lstrip()[:1].islower()


def _find_continuation(place: int, index: SentenceIndex) -> Iterator[int]:
    """Yield the sentences of a paragraph that continue one."""
    for after in range(place + 1, len(index.sentences)):
        text = index.sentences[after].text
        if index.paragraph[after] != index.paragraph[place]:
            return
        if _GOES_ON.match(text):
            yield after
        elif not _ELSEWHERE.match(text):
            return


def _extract_sentence(id: int, place: int, table: FactTable, label: str) -> Extract:
    """Return the step that quotes a sentence without a heading or mark before it."""
    text = table.sentences.sentences[place].text
    begin = len(text) - len(text.lstrip())
    before = _BEFORE.match(text, begin)
    start = before.end() if before is not None and before.end() < len(text.rstrip()) else begin
    return extract_sentence(id, place, table, label, start)


_LINES = 40_000
_NUMBER = lazy_regex(r"\s*(?:(?:number|option|reading)\s+)?(?P<place>[1-9])[.)]?\s*", re.IGNORECASE)
_LONGEST = 120
"""Maximum length, in characters, of a reading in the line that offers it."""
_LABEL = 60
_NO_LINE = "the document has no line or sentence for what is asked, at that time"
_READINGS = 3
"""Number of readings to offer if none is likely enough."""

_tables = BoundedCache[str, tuple[FactTable, ...]](_LINES, lambda tables: sum(len(table.lines) for table in tables))


class FilingAnswerer:
    """Answers questions about one document that is longer than a page."""

    def __init__(
        self,
        weights: FilingWeights,
        abstain_below: float = 0.0,
        *,
        decline: bool,
        answers: AnswerKinds = "all",
    ) -> None:
        """Initialize the answerer.

        Args:
            abstain_below: The confidence below which an answer is withheld.
            decline: Whether to offer likely readings instead of an answer that is not likely enough.
            answers: `numbers` to allow only numbers and yes or no, or `all`.
        """
        self._weights, self._abstain_below, self._decline = weights, abstain_below, decline
        self._numbers_only = answers == "numbers"

    def answer(self, question: str, context: TurnContext) -> Answer:
        """Answer a question; the answer has no value if no line or sentence fits."""
        found = self._choose_answer(question, context)
        if found.value is None or (found.confidence or 0.0) >= self._abstain_below:
            return found
        from quaestor.solvers.embedded.grounds import withhold_value

        return withhold_value(found, self._abstain_below)

    def answers(self, question: str, context: TurnContext) -> Iterator[Answer]:
        """Yield distinct answers, best first; for several companies, the answers of each in turn."""
        if (direct := self._answer_directly(question, context)) is not None:
            yield direct
            return
        for table in _choose_companies(question, facts_of(context), context):
            yield from _list_answers(self._decide(question, context, table), question, context, table)

    def _choose_answer(self, question: str, context: TurnContext) -> Answer:
        """Return the likeliest answer, or one without a value that says what is lacking or asks what is meant."""
        if (direct := self._answer_directly(question, context)) is not None:
            return direct
        if (lack := self._describe_certain_lack(question, context)) is not None:
            return replace(answer_without_value(context, "not_on_page", lack), answerable=0.0)
        tables = _choose_companies(question, facts_of(context), context)
        decided = [(table, self._decide(question, context, table)) for table in tables]
        answers = [
            answer
            for table, decision in decided
            for answer in islice(_list_answers(decision, question, context, table), _READINGS)
        ]
        lack = decided[0][1].lack if len(decided) == 1 and self._decline else ""
        if not answers or lack:
            return replace(answer_without_value(context, "not_on_page", lack or _NO_LINE), answerable=0.0)
        if len(tables) > 1:
            first = [next(_list_answers(decision, question, context, table), None) for table, decision in decided]
            return _ask_back(context, [answer for answer in first if answer is not None], "name one company")
        ((_, decision),) = decided
        if self._decline and decision.declines:
            none = _ask_back(context, answers, "none of them is clearly meant")
            return replace(none, confidence=decision.right, answerable=decision.answerable)
        first_answer, *others = answers
        readings = tuple(map(_other_reading, others))
        return replace(first_answer, confidence=decision.right, answerable=decision.answerable, other_readings=readings)

    def _describe_certain_lack(self, question: str, context: TurnContext) -> str | None:
        """Describe what a question asks for if the document certainly lacks it; None for long documents."""
        if not self._decline or context.is_long:
            return None
        from quaestor.solvers.embedded.abstention import describe_certain_lack

        return describe_certain_lack(context.read(question), context)

    def _answer_directly(self, question: str, context: TurnContext) -> Answer | None:
        """Answer the number of an offered reading, or a conversion, which need no decision; else return None."""
        return _answer_chosen_reading(question, context) or self._convert(question, context)

    def _convert(self, question: str, context: TurnContext) -> Answer | None:
        """Return the last answer converted to the scale that a question asks for, or None."""
        conversion, answers = read_conversion(context.read(question).lowered), context.memory.answers
        if conversion is None or not answers or (conversion.to is Scale.PERCENT and not answers[-1].fraction):
            return None
        from quaestor.solvers.embedded.direct_answers import answer_conversion

        return answer_conversion(question, context, decline=self._decline)

    def _decide(self, question: str, context: TurnContext, table: FactTable) -> Decision:
        turns = context.memory.turns
        if len(facts_of(context)) > 1:  # turns about another company are irrelevant here
            turns = tuple(turn for turn in turns if any(source in table.at for source in turn.answer.sources))
        past = list(_past_turns(turns))
        if self._numbers_only:
            decision = decide_without_ranges(question, past, table, self._weights)
            return replace(decision, results=tuple(r for r in decision.results if isinstance(r.value, Number | YesNo)))
        decision = decide_question(question, past, table, self._weights)
        if not self._decline or context.is_long:
            return decision
        return replace(
            decision, results=tuple(_check_quotations(decision.results, context.read(question), context, table))
        )


def facts_of(context: TurnContext) -> tuple[FactTable, ...]:
    """Return the facts of each company in the document of a turn, cached for the latest documents."""
    whole = context.document.whole or context.document
    return _tables.get(whole.digest, lambda: build_company_facts(whole, context.cache))


def _answer_chosen_reading(question: str, context: TurnContext) -> Answer | None:
    """Return the answer for an offered reading if the question is the number of that reading, else None."""
    number = _NUMBER.fullmatch(question)
    last = context.memory.turns[-1].answer if context.memory.turns else None
    if number is None or last is None or last.value is not None:
        return None
    place = int(number["place"])
    if not 1 <= place <= len(last.other_readings):
        return None
    return _answer_from_plan(last.other_readings[place - 1].plan, context.memory.turns[-1].question, context)


def _choose_companies(question: str, tables: Sequence[FactTable], context: TurnContext) -> Sequence[FactTable]:
    """Return the facts of the companies that a question names, else of the company of the last answer, else all."""
    if len(tables) == 1:
        return tables
    question_terms = set(terms(question))
    named = [table for table in tables if table.company & question_terms]
    if named:
        return named
    for turn in reversed(context.memory.turns):
        last = [table for table in tables if any(source in table.at for source in turn.answer.sources)]
        if last:
            return last
    return tables


def _past_turns(turns: Sequence[Turn]) -> Iterator[PastTurn]:
    for turn in turns:
        answer = turn.answer
        # A follow-up of an unanswered question builds on the likeliest reading.
        offered = answer.other_readings[0].plan if answer.value is None and answer.other_readings else None
        right = nan if answer.confidence is None else answer.confidence
        yield PastTurn(turn.question, answer.plan or offered, right)


def _list_answers(decision: Decision, question: str, context: TurnContext, table: FactTable) -> Iterator[Answer]:
    """Yield the answers that the results of a decision give, likeliest first."""
    for result in decision.results:
        try:
            yield _write_answer(result, question, context, table)
        except PlanError:
            continue


def _check_quotations(
    results: Sequence[PlanResult], question: Question, context: TurnContext, table: FactTable
) -> Iterator[PlanResult]:
    """Yield the results without quotations that give no name to "who", or no reason for the change to "why"."""
    change = read_cause_question(question, context.memory.parsed_questions)
    if change is None:
        who = asks_who(question.text)
        for result in results:
            if not (who and result.proposal.form == "words") or names_somebody(str(result.value)):
                yield result
        return
    reasons = {
        (one.section, one.index)
        for cause in find_causes(change, context.document)
        for one in (cause.stated.sentence, *(item for item, _ in cause.stated.listed))
    }
    for result in results:
        fitting = [at for at in list_sentences(result.proposal.plan) if at in reasons]
        if result.proposal.form == "words" and fitting:
            places = tuple(table.sentences.places[at] for at in fitting)
            plan = quote(places, table, question.text.strip().rstrip("?")[:_LABEL])
            yield replace(result, proposals=(replace(result.proposal, plan=plan), *result.proposals[1:]))


def _write_answer(result: PlanResult, question: str, context: TurnContext, table: FactTable) -> Answer:
    plan = result.proposal.plan
    if result.proposal.form == "words":
        from quaestor.solvers.explaining import asks_to_explain

        if asks_to_explain(context.read(question)) or quotes_prose(plan):
            plan = explain_by_quoting(plan, table, question.strip().rstrip("?")[:_LABEL])
    elif result.proposal.form == "verdict":
        plan = replace(plan, explanation=("{#1}",))
    answer = _answer_from_plan(plan, question, context, confidence=result.right)
    if _compares_shares(plan, answer):
        answer = replace(answer, metric_type="percentage")
    lines = dict.fromkeys(series.line.label for series in result.proposal.series)
    return replace(answer, grounds="; ".join(f'line "{label}"' for label in lines if label) or None)


def _compares_shares(plan: Plan, answer: Answer) -> bool:
    """Return whether an answer is the difference between two ratios of amounts, each shown as a percentage."""
    *_, last = plan.steps
    if isinstance(last, Compute) and last.operation == "absolute" and isinstance(last.operands[0], Ref):
        last = plan.steps[last.operands[0].step - 1]
    if not isinstance(last, Compute) or last.operation != "subtract" or answer.unit or answer.scale is not Scale.ONE:
        return False
    results = execute(plan, ()).registers
    sides = [operand.step for operand in last.operands if isinstance(operand, Ref) and operand.step > 0]
    return len(sides) == 2 and all(
        isinstance(step := plan.steps[side - 1], Compute)
        and step.operation == "divide"
        and (number := results[side - 1].number) is not None
        and abs(number) <= 1
        for side in sides
    )


def _answer_from_plan(plan: Plan, question: str, context: TurnContext, confidence: float | None = None) -> Answer:
    whole = context.document.whole or context.document
    return build_answer(plan, context.memory, whole, context.read(question), confidence=confidence)


def _other_reading(answer: Answer) -> OtherReading:
    assert answer.plan is not None
    return OtherReading(answer.plan, show_number(answer), answer.description, answer.confidence)


def _ask_back(context: TurnContext, answers: Sequence[Answer], why: str) -> Answer:
    """Return an answer without a value that lists the likeliest readings to choose from."""
    offered = tuple(map(_other_reading, answers[:_READINGS]))
    listed = "; ".join(
        f"{place}. {shorten(reading.description or '', _LONGEST, placeholder='...')}: "
        + shorten(reading.shown, _LABEL, placeholder="...")
        for place, reading in enumerate(offered, 1)
    )
    none = answer_without_value(context, "ambiguous", f"{why}. Did you mean: {listed}?")
    return replace(none, other_readings=offered)
