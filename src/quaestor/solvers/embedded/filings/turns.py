"""Reading a question about a filing after earlier turns: binds it to series and composes plans."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from math import nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms
from quaestor.documents.table import TableRole
from quaestor.facts.lines import ADJUSTED_TERMS, Moment
from quaestor.facts.table import FactTable, Series
from quaestor.ontology.lexicon import read_lexicon
from quaestor.plan.steps import Compute, Plan
from quaestor.questions.answer_units import KINDS
from quaestor.questions.corrections import complete_correction, read_correction
from quaestor.questions.developments import asks_for_percent_change, asks_how_far, without_change
from quaestor.questions.intents import QuestionClassifier
from quaestor.questions.listing import asks_for_its_amount
from quaestor.questions.question_parts import split_filing_question
from quaestor.questions.quoted_names import mark_quoted_names, restore_names
from quaestor.questions.understanding import (
    INTENTS,
    ParsedQuestion,
    QuestionOperand,
    read_filing_question,
    read_operand,
)
from quaestor.questions.word_patterns import spell_offices
from quaestor.retrieval.company_name import without_company
from quaestor.retrieval.question_texts import respelled
from quaestor.solvers.embedded.filings.binding import (
    OperandQuery,
    QuestionProbabilities,
    SeriesCandidates,
    TurnState,
    read_other_times,
    resolve_moments,
)
from quaestor.solvers.embedded.filings.composing import (
    BoundOperand,
    BoundQuestion,
    Proposal,
    compose,
    intents_by_name,
    list_intents,
    softmax,
)
from quaestor.solvers.embedded.filings.composing.changes import asks_for_fall
from quaestor.solvers.embedded.filings.composing.comparisons import compares_numbers
from quaestor.solvers.embedded.filings.composing.finding import names_balance
from quaestor.solvers.embedded.filings.evidence import LikelySentence, propose_verdicts, propose_words, rank_sentences
from quaestor.solvers.embedded.filings.past import (
    PastAnswer,
    mix_with_repetition,
    read_past_answer,
    read_past_parts,
    read_quoted_number,
)
from quaestor.solvers.embedded.filings.results import classify_plan, list_sentences
from quaestor.solvers.embedded.filings.series import (
    find_adjusted,
    find_candidates,
    find_excluded,
    find_otherwise_named,
    find_outside,
    find_renamed_otherwise,
    find_unasked_members,
)
from quaestor.solvers.embedded.filings.translation import Translation
from quaestor.solvers.embedded.filings.words import WordQuery, find_sentences
from quaestor.solvers.embedded.trees import Trees

if TYPE_CHECKING:
    from quaestor.solvers.embedded.filings.deciding import ConfidenceModel

_PERCENT = lazy_regex(r"%|\bpercent|\bpct\b|\brate\b|\bmargin\b|\byield\b")
_COUNT = lazy_regex(r"\bhow many\b|\bnumber of\b|\bheadcount\b|\bcount\b")
_FEW = 2
_OF_TWO_TIMES = frozenset({"growth", "change"})
_OF_MEMBER = 2.0
"""Penalty on the score of a series below the heading of a member, if the operand only names a concept."""
_OUTSIDE = 4.0
"""Penalty on the score of a series outside the note or table that a question names, with another name than it quotes,
or with a name that it excludes.
"""
_IN_WORDS = 0.5
"""Probability of an answer in words above which times are not reinterpreted."""
_NO_CHANGE = ("lookup", "text_fact", "list", "two_part", "comparison", "sum")
"""Intents that a question how far an amount moved hardly has."""
_PRINTED = 0.1
"""Probability of these intents that such a question keeps, because the filing may print the change."""
_COMPARES = 0.3
"""Minimum probability that a question asks for a growth or a change."""
_REMEMBERED = 4
_MOST = 12


@dataclass(frozen=True)
class FilingWeights:
    """Models trained on questions about filings.

    Attributes:
        kinds: The classifier of the kinds of answers.
        words: The ranker of sentences.
        ranker: The ranker of series.
        translation: The words of questions for the words of lines.
        confidence: The model of which results are right; None until it is trained.
    """

    intents: QuestionClassifier
    kinds: QuestionClassifier
    words: Trees = field(repr=False)
    ranker: Trees = field(repr=False)
    translation: Translation = field(default_factory=Translation, repr=False)
    confidence: "ConfidenceModel | None" = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class PastTurn:
    """Earlier turn of the conversation.

    Attributes:
        plan: The plan of the answer, or None.
        right: The probability that the answer is right; nan if unknown.
    """

    text: str
    plan: Plan | None
    right: float = nan


@dataclass(frozen=True)
class UnderstoodQuestion:
    """Question with the plans that may answer it.

    Attributes:
        likely: The probabilities of what it asks for.
        proposals: The plans, likeliest first.
        state: The state of the conversation before it.
    """

    question: BoundQuestion
    likely: QuestionProbabilities
    proposals: tuple[Proposal, ...]
    state: TurnState


def read_turn_state(
    state: TurnState,
    reading: ParsedQuestion,
    question_moments: tuple[Moment, ...],
    found: Sequence[tuple[Series, Moment | None]],
    table: FactTable,
    answer: PastAnswer | None = None,
    sentences: tuple[tuple[str, int], ...] = (),
) -> TurnState:
    """Return the state after a turn.

    Args:
        state: The state before the turn.
        found: The series and times from which its answer was read.
    """
    moments = tuple(dict.fromkeys(moment for _, moment in found if moment is not None))
    own = frozenset(reading.terms) - table.company
    return TurnState(
        (answer.anchor if answer else None)
        or (max(question_moments) if question_moments else max(moments) if moments else state.base),
        tuple({series.place: series for series, _ in found}.values()) or state.series,
        moments or question_moments or state.moments,
        own | (state.terms if len(own) < _FEW else frozenset()),
        state.turns + 1,
        (answer, *state.before)[:_REMEMBERED] if answer else state.before,
        asks_for_fall(reading.operation_text),
        sentences=sentences or state.sentences,
    )


def with_sentences(
    likely: QuestionProbabilities, ranked: Sequence[LikelySentence], table: FactTable
) -> QuestionProbabilities:
    """Add the probabilities of the ranked sentences."""
    sentences = table.sentences.sentences
    places = ((sentences[one.place], one.share) for one in ranked)
    return replace(likely, sentences={(sentence.section, sentence.index): share for sentence, share in places})


def read_question_for_filing(text: str, table: FactTable) -> ParsedQuestion:
    """Parse a question by the facts of a filing: its company becomes "the company", its spelling that of the filing.

    Names of lines that the question quotes are hidden from the parser.
    """
    named = spell_offices(without_company(text, table.document, one_company=True), table.mentions)
    spelled = respelled(named, table.document, lambda word: any(map(table.mentions, terms(word))))
    outline, names = mark_quoted_names(spelled, table.line_names)
    reading = _read_balance(read_filing_question(outline), table)
    if not names:
        return reading
    operands = tuple(_restore_operand(operand, names) for operand in reading.operands)
    whole = _restore_operand(reading.whole, names)
    text = restore_names(reading.text, names)
    return replace(reading, text=text, outline=reading.text, quoted=tuple(names), operands=operands, whole=whole)


def _restore_operand(operand: QuestionOperand, names: Sequence[str]) -> QuestionOperand:
    """Restore the quoted names of an operand, without a requested change."""
    return read_operand(restore_names(without_change(operand.text), names))


def _read_balance(reading: ParsedQuestion, table: FactTable) -> ParsedQuestion:
    """Parse a question for the change of a balance as one for the balance, unless it names the cash flow statement."""
    operand, *others = reading.operands
    changed = read_operand(without_change(operand.text))
    if others or reading.role is TableRole.CASH_FLOWS or changed == operand or not names_balance(changed, table):
        return reading
    return replace(reading, operands=(changed,), whole=changed, of_balance=True)


def _find_quoted_names(operand: QuestionOperand, reading: ParsedQuestion) -> frozenset[tuple[str, ...]]:
    """Return the quoted labels, as terms, that an operand consists of, apart from terms of the other operands."""
    names = (tuple(terms(name)) for name in reading.quoted if name in operand.text)
    others = {term for other in reading.operands if other.text != operand.text for term in other.terms}
    return frozenset(name for name in names if others.union(name).issuperset(operand.terms))


def find_operand_series(
    reading: ParsedQuestion,
    place: int,
    moments: tuple[Moment, ...],
    state: TurnState,
    table: FactTable,
    likely: QuestionProbabilities,
    translation: Translation,
    operand: QuestionOperand | None = None,
) -> SeriesCandidates:
    """Return the series that an operand of a question may mean.

    Args:
        moments: The times that the question names.
        operand: An operand to use instead.
    """
    lowered, operand = reading.operation_text, operand or reading.operands[place]
    if not operand.terms and not state.turns:
        # "What was the total?": a filler names a line if there is nothing else that it may refer to.
        operand = replace(operand, terms=tuple(term for term in operand.phrase if term in table.postings))
    query = OperandQuery(
        operand, reading, moments, state, likely, place, bool(_PERCENT.search(lowered)), bool(_COUNT.search(lowered)),
        table.company, _find_quoted_names(operand, reading), translation,
    )  # fmt: skip
    return find_candidates(query, table)


def read_past(past: Iterable[PastTurn], table: FactTable, weights: FilingWeights) -> TurnState:
    """Return the state of the conversation after some turns."""
    return reduce(lambda state, turn: advance_state(state, turn, table, weights), past, TurnState())


def complete_turn(text: str, state: TurnState) -> tuple[str, TurnState]:
    """Return a correction of the previous question as a whole question, with the state before the corrected one.

    Any other question is returned as it is.
    """
    correction = read_correction(text) if state.previous is not None else None
    if correction is None:
        return text, state
    before = [state]
    while (earlier := before[-1].previous) is not None and earlier.question and len(before) < _REMEMBERED:
        before.append(earlier)
    year = state.base.year if state.base is not None else None
    completed, replaced = complete_correction(correction, [one.question for one in before], year)
    return completed, (before[replaced - 1].previous or state) if replaced else state


def advance_state(state: TurnState, turn: PastTurn, table: FactTable, weights: FilingWeights) -> TurnState:
    """Return the state of the conversation after one more turn."""
    text, state = complete_turn(turn.text, state)
    turn = replace(turn, text=text)
    reading = read_question_for_filing(turn.text, table)
    moments = resolve_moments(reading, table, state.base, state.trail)
    quoted = tuple(list_sentences(turn.plan)) if turn.plan is not None else ()
    answer = _read_answer(turn.plan, reading, quoted, state, table, weights)
    leaves = [leaf for node in answer.measured for leaf in node.leaves()] if answer else []
    found = [(leaf.series, leaf.moment) for leaf in leaves if leaf.series is not None]
    known = read_turn_state(state, reading, moments, found, table, answer, quoted)
    before = known.before
    if answer is None:
        intent, kind = INTENTS[int(np.argmax(weights.intents.classify(reading, before=state.intent)))], "words"
    else:
        intent = list_intents(answer.form)[0]
        kind = classify_plan(answer.form, [series for series, _ in found])
        compound = answer.form == "members" and len(split_filing_question(turn.text)) > 1
        if compound and turn.plan and (parts := read_past_parts(turn.plan, table)):
            intent, before = "two_part", (*before[:1], *parts, *state.before)[:_REMEMBERED]
    return replace(
        known,
        before=before,
        intent=intent,
        kind=kind or "money",  # most numbers of unknown kind in tables are money
        rights=(*state.rights, turn.right),
        question=turn.text,
        previous=state,
    )


def _read_answer(
    plan: Plan | None,
    reading: ParsedQuestion,
    quoted: Sequence[tuple[str, int]],
    state: TurnState,
    table: FactTable,
    weights: FilingWeights,
) -> PastAnswer | None:
    """Return what the plan of an answer measured, or the number that it quotes; None if it has neither."""
    if plan is None:
        return None
    answer = read_past_answer(plan, table)
    if answer is None and not _is_verdict(plan):
        kinds = dict(zip(KINDS, map(float, weights.kinds.classify(reading, before=state.kind)), strict=True))
        answer = read_quoted_number(quoted, reading.terms, kinds, table)
    if answer is not None and answer.measured[0].kind == "divide" and _names_ratio(reading, state):
        return replace(answer, is_measure=True)
    return answer


def _names_ratio(reading: ParsedQuestion, state: TurnState) -> bool:
    """Return whether a question names a ratio, or names nothing after an answer that was one."""
    if not reading.terms:
        return bool(state.before) and state.before[0].is_measure
    measures = read_lexicon().measures
    formulas = [measures[name].formula for operand in reading.operands for name in operand.measures]
    return any(formula is not None and formula.kind == "/" for formula in formulas)


def _is_verdict(plan: Plan) -> bool:
    last = plan.steps[-1]
    return isinstance(last, Compute) and last.operation in ("affirms", "denies")


def _lists_numbers(before: Sequence[PastAnswer]) -> bool:
    """Return whether the last answer, or the last two together, list several numbers that may be added."""
    if before and len(before[0].measured) > 1 and before[0].form in ("list", "members"):
        return True
    values = [past for past in before[:2] if past.form == "value"]
    return len(values) == 2 and values[0].anchor == values[1].anchor and values[0].series != values[1].series


def _compose_after(question: BoundQuestion, state: TurnState, weights: FilingWeights) -> list[Proposal]:
    """Compose the plans for a question; one that names only times is also read as the previous question at them."""
    composed = compose(question)
    if state.previous is None or not question.moments or question.own:
        return composed
    has_change = any(one.form in _OF_TWO_TIMES for one in composed)
    asks_for_change = question.intents["change"] + question.intents["growth"] >= _COMPARES
    if composed and (has_change or not asks_for_change):
        return composed
    earlier = understand_turn(state.question, state.previous, question.table, weights).question
    if asks_for_change:
        composed += _compare_other_meanings(question, earlier)
    if composed:
        return composed
    # The line of the last answer has no number at the new time: ask the last question again for it.
    timed = replace(earlier.reading, moments=question.reading.moments)
    return _keep_timed(compose(replace(earlier, reading=timed, moments=question.moments)), question)


def _compare_other_meanings(question: BoundQuestion, earlier: BoundQuestion) -> list[Proposal]:
    """Return changes between two times of other meanings of the previous question.

    They are needed if the line of the last answer has only one time.
    """
    reading = replace(
        earlier.reading,
        text=question.reading.text,
        outline=question.reading.outline,
        moments=question.reading.moments,
        relation="",
    )
    again = replace(earlier, reading=reading, moments=question.moments, base=question.base, intents=question.intents)
    return [one for one in _keep_timed(compose(again), question) if one.form in _OF_TWO_TIMES]


def _keep_timed(proposals: Sequence[Proposal], question: BoundQuestion) -> list[Proposal]:
    """Return the plans that use one of the times that a question names."""
    return [one for one in proposals if set(question.moments).intersection(one.moments)]


def _estimate_probabilities(
    reading: ParsedQuestion, moments: Sequence[Moment], state: TurnState, weights: FilingWeights
) -> QuestionProbabilities:
    """Estimate what a question asks for from its words, and from the previous question if it repeats that."""
    alone = weights.intents.classify(reading, before=state.intent)
    listed = _lists_numbers(state.before)
    intents = mix_with_repetition(alone, reading, state.intent, times=len(moments), listed=listed)
    kinds = weights.kinds.classify(reading, before=state.kind)
    if state.intent == "ranking" and asks_for_its_amount(reading.text):
        kinds[KINDS.index("words")] = 0.0  # the amount of the winner
    return QuestionProbabilities(_prefer_change(intents, reading), kinds)


def _prefer_change(shares: NDArray[np.float64], reading: ParsedQuestion) -> NDArray[np.float64]:
    """Move probability to changes if a question is about the change of a balance, or says how far an amount moved.

    If it asks for a percentage change, move that of changes to growth.
    """
    if asks_for_percent_change(reading.operation_text):
        moved = shares.copy()
        moved[INTENTS.index("growth")] += shares[INTENTS.index("change")]
        moved[INTENTS.index("change")] = 0.0
        return moved
    if not (reading.of_balance or asks_how_far(reading.operation_text)):
        return shares
    others = [INTENTS.index(intent) for intent in (("lookup",) if reading.of_balance else _NO_CHANGE)]
    share = 0.0 if reading.of_balance else _PRINTED
    moved = shares.copy()
    moved[INTENTS.index("change")] += (1 - share) * shares[others].sum()
    moved[others] *= share
    return moved


@dataclass(frozen=True)
class _Binder:
    """Binds the operands of a question to series, which a model ranks."""

    reading: ParsedQuestion
    state: TurnState
    table: FactTable
    likely: QuestionProbabilities
    weights: FilingWeights

    def bind_question(self, moments: tuple[Moment, ...]) -> BoundQuestion:
        """Bind all operands at some times."""
        reading, state = self.reading, self.state
        return BoundQuestion(
            reading, self.table, intents_by_name(self.likely.intents),
            tuple(self._bind(moments, place) for place in range(len(reading.operands))),
            moments, state.base or self.table.latest, state.before, state.falls,
            lru_cache(lambda operand: self._bind(moments, 0, operand)),
        )  # fmt: skip

    def choose_moments(self, moments: tuple[Moment, ...]) -> tuple[Moment, ...]:
        """Return the alternative meaning of the times if a series fits the first operand better then."""
        in_words = self.likely.kinds[KINDS.index("words")] > _IN_WORDS
        others = () if in_words else read_other_times(self.reading, self.table)
        if not others:
            return moments
        best, best_at_others = (self._score(times, 0)[1].max(initial=-np.inf) for times in (moments, others))
        return others if best_at_others > best else moments

    def _bind(
        self, moments: tuple[Moment, ...], place: int, operand: QuestionOperand | None = None
    ) -> tuple[BoundOperand, ...]:
        found, scores = self._score(moments, place, operand)
        order = np.argsort(-scores, kind="stable")[:_MOST]
        shares = softmax([float(scores[index]) for index in order])
        return tuple(
            BoundOperand(
                found.series[index], share, dict(zip(found.names, found.features[index].tolist(), strict=True))
            )
            for index, share in zip(order, shares, strict=True)
        )

    def _score(
        self, moments: tuple[Moment, ...], place: int, operand: QuestionOperand | None = None
    ) -> tuple[SeriesCandidates, NDArray[np.float32]]:
        """Return the series that an operand, or another one in its place, may mean, and their scores."""
        translation = self.weights.translation
        found = find_operand_series(
            self.reading, place, moments, self.state, self.table, self.likely, translation, operand
        )
        if not found.series:
            return found, np.zeros(0, np.float32)
        scores = self.weights.ranker.scores_of(found.names, found.features)
        named, first = operand or self.reading.operands[place], place == 0 and operand in (None, self.reading.whole)
        return found, self._penalize(scores, found.series, named, first=first)

    def _penalize(
        self, scores: NDArray[np.float32], series: Sequence[Series], operand: QuestionOperand, *, first: bool
    ) -> NDArray[np.float32]:
        """Lower the scores of series that are elsewhere or named otherwise than the question says.

        Args:
            first: Whether the operand is the first one, to which the exclusions of the question apply.
        """
        reading = self.reading
        if operand.is_concept:
            requested = {*reading.terms, *self.state.terms}
            scores = scores - _OF_MEMBER * find_unasked_members(series, requested, self.table)
        if quoted := _find_quoted_names(operand, reading):
            scores = scores - _OUTSIDE * find_otherwise_named(series, quoted)
        role = reading.role if len(reading.operands) == 1 else None
        if reading.source or role:
            scores = scores - _OUTSIDE * find_outside(series, frozenset(reading.source), role)
        if self.table.is_small and ADJUSTED_TERMS.isdisjoint((*reading.terms, *self.state.terms)):
            scores = scores - _OUTSIDE * find_adjusted(series)
        if self.table.is_small and reading.goes_on and operand.terms and len(self.state.series) == 1:
            scores = scores - _OUTSIDE * find_renamed_otherwise(series, set(operand.terms), self.state.series[0])
        if first and reading.excluded:
            scores = scores - _OUTSIDE * find_excluded(series, reading.excluded)
        return scores


def understand_turn(text: str, state: TurnState, table: FactTable, weights: FilingWeights) -> UnderstoodQuestion:
    """Read a question in a state of the conversation, and compose the plans that may answer it."""
    text, state = complete_turn(text, state)
    reading = read_question_for_filing(text, table)
    moments = resolve_moments(reading, table, state.base, state.trail)
    likely = _estimate_probabilities(reading, moments, state, weights)
    words = find_sentences(WordQuery(reading, moments, tuple(map(float, likely.intents)), state), table)
    ranked = rank_sentences(words, weights.words)
    likely = with_sentences(likely, ranked, table)
    binder = _Binder(reading, state, table, likely, weights)
    question = binder.bind_question(binder.choose_moments(moments))
    proposals = _compose_after(question, state, weights) + propose_words(reading.text, ranked, table, question.intents)
    if not compares_numbers(question):
        proposals += propose_verdicts(reading.text, ranked, table, question.intents)
    proposals.sort(key=lambda proposal: -proposal.score)
    return UnderstoodQuestion(question, likely, tuple(proposals), state)
