"""Learn to answer questions about filings from labelled ones: intents, and the ranker of series.

A label says which number is right and, in words, where it is printed (`where`): the series that print such a number,
in a line that is called so, are meant by an operand of the question.
"""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor.core.terms import terms
from quaestor.facts.table import FactTable, Series
from quaestor.learning.filing_words import WORD_INTENTS, fit_word_ranker, grade_sentences
from quaestor.learning.intents import IntentSample, fit_intents, generate_samples
from quaestor.learning.trees import FittedTrees, fitted_trees
from quaestor.questions.intents import IntentWeights
from quaestor.questions.understanding import read_filing_question
from quaestor.solvers.embedded.filings.binding import Candidates
from quaestor.solvers.embedded.filings.times import resolve_moments
from quaestor.solvers.embedded.filings.turns import (
    FilingWeights,
    TurnState,
    ask_for,
    ask_for_words,
    read_question,
    read_turn_state,
)
from quaestor.solvers.embedded.filings.words import WordCandidates, find_sentences

_NUMBER = re.compile(r"\d[\d,]*\.?\d*")
_DISTINCT = 1000
"""Numbers of this size hardly meet by chance."""
_SMALL = 100
_WORDS = frozenset({"why", "description", "two_part", "unanswerable", "ambiguous"})
"""Intents that are not answered with a number of one series."""

_LABELS = 20
"""Lines of a filing that are asked for by their own labels: people do so too."""
_NAMED = 2

_ROUNDS = 200
_PARAMETERS = {
    "objective": "rank:ndcg", "max_depth": 5, "eta": 0.08, "subsample": 0.8, "colsample_bytree": 0.5,
    "lambdarank_num_pair_per_sample": 8, "seed": 7, "base_score": 0.0, "nthread": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question about a filing, and what is right.

    Attributes:
        filing: The name of the filing.
        conversation: The name of the conversation.
        turn: Its place in it, from 0.
        text: As asked.
        intent: A name in `INTENTS`.
        numbers: The numbers of the answer, without signs.
        where: The numbers of the place that the label names.
        where_terms: The terms of that place.
        answer: What is right, as the file says it.
    """

    filing: str
    conversation: str
    turn: int
    text: str
    intent: str
    numbers: frozenset[float]
    where: frozenset[float]
    where_terms: frozenset[str]
    answer: Mapping[str, Any] = field(default_factory=dict, repr=False)
    place: str = ""


def read_labelled(paths: Iterable[Path]) -> list[LabelledQuestion]:
    """Return the labelled questions of files in the format of `shared/data/questions`."""
    lines = (json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines())
    return [
        LabelledQuestion(
            line["file"],
            line["conversation"],
            line["turn"],
            line["question"],
            line["kind"],
            frozenset(_numbers_of(line["answer"])),
            frozenset(_printed(line["where"])),
            frozenset(terms(line["where"])),
            line["answer"],
        )
        for line in lines
    ]


def fit_filing_intents(questions: Sequence[LabelledQuestion], tables: Mapping[str, FactTable]) -> IntentWeights:
    """Return the classifier of intents that labelled questions about filings teach, and generated ones."""
    samples: list[IntentSample] = []
    before = ""
    for one in questions:
        before = before if one.turn else ""
        samples.append(IntentSample(read_question(one.text, tables[one.filing]), before, one.intent))
        before = one.intent
    return fit_intents([*samples, *generate_samples()])


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """A labelled question in its conversation, whose turns before are taken as their labels say.

    Attributes:
        question: The question.
        operands: The candidates of each operand, and how well each is what is meant.
        words: The sentences that may answer it, and how well each does.
    """

    question: LabelledQuestion
    operands: tuple[tuple[Candidates, NDArray[np.float32]], ...]
    words: tuple[WordCandidates, NDArray[np.float32]]


def read_turns(
    questions: Sequence[LabelledQuestion], table: FactTable, intents: IntentWeights
) -> Iterator[LabelledTurn]:
    """Yield the questions about one filing with what each may mean."""
    state = TurnState()
    index = table.sentences
    for one in questions:
        if one.turn == 0:
            state = TurnState()
        reading = read_question(one.text, table)
        shares = intents.classify(reading, before=state.intent)
        moments = resolve_moments(reading, table, state.base)
        meant: list[Series] = []
        operands = []
        for place, operand in enumerate((*reading.operands, *((reading.whole,) if reading.relation else ()))):
            candidates = ask_for(reading, min(place, len(reading.operands) - 1), moments, state, table, shares, operand)
            if not candidates.series:
                continue
            grades = np.array([_grade(series, one, operand.terms) for series in candidates.series], np.float32)
            operands.append((candidates, grades))
            if grades.max() > 0:
                meant += [s for s, grade in zip(candidates.series, grades, strict=True) if grade == grades.max()][:2]
        graded = grade_sentences(one.answer, one.place, index)
        words = find_sentences(ask_for_words(reading, moments, state, shares), table)
        fits = np.array([graded.get(int(place), 0.0) for place in words.places], np.float32)
        yield LabelledTurn(one, tuple(operands), (words, fits))
        said = [index.sentences[max(graded, key=lambda place: graded[place])]] if graded else []
        quoted = tuple((sentence.section, sentence.index) for sentence in said)
        state = read_turn_state(
            state, reading, moments, [(series, None) for series in meant[:3]], table, sentences=quoted
        )
        state = replace(state, intent=one.intent)


def rank_samples(turns: Iterable[LabelledTurn]) -> list[tuple[Candidates, NDArray[np.float32]]]:
    """Return the candidates of operands that have one that is meant, and how well each is."""
    return [
        (candidates, grades)
        for turn in turns
        if turn.question.intent not in _WORDS
        for candidates, grades in turn.operands
        if grades.max() > 0
    ]


def label_samples(table: FactTable, intents: IntentWeights) -> Iterator[tuple[Candidates, NDArray[np.float32]]]:
    """Yield samples of questions that call a line by its own label, at its latest time; some of each filing."""
    lines = [line for line in table.lines if len(line.label_terms) >= _NAMED and line.moments]
    chosen = random.Random(len(lines)).sample(lines, min(_LABELS, len(lines)))
    for line in chosen:
        series = table.series_of_line[line.place][0]
        moment = max((m for m in series.cells if m is not None), default=None)
        if moment is None:
            continue
        reading = read_filing_question(f"what was {line.label.lower()} in {moment.year}?")
        if len(reading.operands) != 1:
            continue
        moments = resolve_moments(reading, table, None)
        candidates = ask_for(reading, 0, moments, TurnState(), table, intents.classify(reading, before=""))
        amount = series.cells[moment].quantity.value
        grades = [
            4.0 * (other.line.label_terms == line.label_terms and _prints(other, amount)) for other in candidates.series
        ]
        if max(grades, default=0.0) > 0:
            yield candidates, np.array(grades, np.float32)


def _prints(series: Series, amount: Decimal) -> bool:
    return any(abs(cell.quantity.value) == abs(amount) for cell in series.cells.values())


def word_samples(turns: Iterable[LabelledTurn]) -> list[tuple[WordCandidates, NDArray[np.float32]]]:
    """Return the sentences of questions that words answer, and how well each does."""
    return [turn.words for turn in turns if turn.question.intent in WORD_INTENTS and turn.words[1].max(initial=0.0) > 0]


def fit_series_ranker(samples: Sequence[tuple[Candidates, NDArray[np.float32]]]) -> FittedTrees:
    """Return the trees that rank the candidates of an operand."""
    import xgboost

    names = samples[0][0].names
    data = xgboost.DMatrix(
        np.vstack([candidates.features for candidates, _ in samples]),
        label=np.concatenate([grades for _, grades in samples]),
        group=[len(grades) for _, grades in samples],
        feature_names=list(names),
    )
    booster = xgboost.train(_PARAMETERS, data, _ROUNDS)
    return fitted_trees(booster, names)


def fit_filing_weights(
    questions: Sequence[LabelledQuestion], tables: Mapping[str, FactTable], *, folds: Sequence[frozenset[str]] = ()
) -> FilingWeights:
    """Return the weights that labelled questions teach.

    Args:
        questions: The questions.
        tables: The facts of each filing.
        folds: Filings that are left out together when the intents are learned whose probabilities the ranker sees.
    """
    samples: list[tuple[Candidates, NDArray[np.float32]]] = []
    words: list[tuple[WordCandidates, NDArray[np.float32]]] = []
    for fold in folds or [frozenset(tables)]:
        rest = [one for one in questions if one.filing not in fold] if folds else list(questions)
        intents = fit_filing_intents(rest, tables)
        for filing in sorted(fold & set(tables)):
            turns = list(read_turns([one for one in questions if one.filing == filing], tables[filing], intents))
            samples += rank_samples(turns)
            samples += label_samples(tables[filing], intents)
            words += word_samples(turns)
    return FilingWeights(
        fit_filing_intents(questions, tables), fit_series_ranker(samples), words=fit_word_ranker(words)
    )


def _grade(series: Series, one: LabelledQuestion, asked: Sequence[str]) -> float:
    """Return 0 if a series prints no number of the label, else how well its words fit the place: 1 to 4."""
    printed = {abs(float(cell.quantity.value)) for cell in series.cells.values()}
    hits = [
        value for value in printed
        if value in one.numbers or (value in one.where and (value >= _SMALL or value != int(value)))
    ]  # fmt: skip
    if series.line.sentence:
        there = {*series.line.path_terms, *series.line.title_terms}
        quoted = len(one.where_terms & there) * 2 >= len(one.where_terms)
        return 4.0 * quoted if hits else 0.0
    label = set(series.line.label_terms)
    fits = bool(label) and len(label & one.where_terms) * 2 >= len(label)
    if not hits or not (fits or max(hits) >= _DISTINCT):
        return 0.0
    column = set(series.column)
    known = not column or len(column & (one.where_terms | set(asked))) * 2 >= len(column)
    return (1 + fits) * (1 + known)


def _numbers_of(answer: Any) -> Iterable[float]:
    if isinstance(answer, dict):
        for key, value in answer.items():
            if key == "value" and isinstance(value, int | float) and not isinstance(value, bool):
                yield abs(float(value))
            else:
                yield from _numbers_of(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from _numbers_of(value)


def _printed(text: str) -> Iterable[float]:
    return (float(found.replace(",", "")) for found in _NUMBER.findall(text))
