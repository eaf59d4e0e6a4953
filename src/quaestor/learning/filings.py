"""Trains the classifiers and rankers for questions about filings.

A label gives the right number and, in words, its place (`where`): an operand of the question means the series that
print such a number in a line with such a label.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor.core.quantity import Scale
from quaestor.core.terms import terms
from quaestor.facts.table import FactTable, Series
from quaestor.learning.filing_words import WORD_INTENTS, fit_word_ranker, grade_sentences
from quaestor.learning.intents import QuestionSample, fit_classifier, generate_samples
from quaestor.learning.translation import AskedLine, fit_translation
from quaestor.learning.trees import FittedTrees, fitted_trees
from quaestor.questions.answer_units import KINDS, kind_of_number
from quaestor.questions.intents import QuestionClassifier
from quaestor.questions.question_parts import split_filing_question
from quaestor.questions.understanding import QuestionOperand
from quaestor.solvers.embedded.filings.binding import (
    QuestionProbabilities,
    SeriesCandidates,
    TurnState,
    resolve_moments,
)
from quaestor.solvers.embedded.filings.evidence import rank_sentences
from quaestor.solvers.embedded.filings.series import list_identifying_terms
from quaestor.solvers.embedded.filings.translation import Translation, list_asked
from quaestor.solvers.embedded.filings.turns import (
    FilingWeights,
    complete_turn,
    find_operand_series,
    read_question_for_filing,
    read_turn_state,
    with_sentences,
)
from quaestor.solvers.embedded.filings.words import SentenceCandidates, WordQuery, find_sentences
from quaestor.solvers.embedded.trees import Trees

_NUMBER = re.compile(r"\d[\d,]*\.?\d*")
_DISTINCT = 1000
"""Least number that is unlikely to occur twice by coincidence."""
_SMALL = 100
_SURE = 3.0
"""Minimum grade of a line whose words are those that the question means."""
_WORDS = frozenset({"why", "description", "two_part", "unanswerable", "ambiguous"})
"""Intents whose answer is not a number of one series."""

_LABELS = 20
"""Number of lines per filing for generated questions that use the label of a line."""
_NAMED = 2
_LABEL_WEIGHT = 0.5

_ROUNDS = 600
_PARAMETERS = {
    "objective": "rank:ndcg", "max_depth": 5, "eta": 0.08, "subsample": 0.8, "colsample_bytree": 0.5,
    "lambdarank_num_pair_per_sample": 20, "seed": 7, "base_score": 0.0, "nthread": 1,
}  # fmt: skip
_CURRENCIES = frozenset({"USD", "EUR"})
_SCALES = {"": Scale.ONE, "thousand": Scale.THOUSAND, "million": Scale.MILLION, "billion": Scale.BILLION}
_NAMES_OF_SCALES = {scale: name for name, scale in _SCALES.items()}
_KIND_OF_INTENT = {
    "change": "money", "sum": "money", "average": "money", "growth": "percent", "cagr": "percent", "share": "percent",
    "why": "words", "description": "words",
}  # fmt: skip
"""Kind of answer for the intent of a generated question."""
_LABEL_FORMS = (
    "what was {label} in {year}?", "what were {label} in {year}?", "{label} {year}", "how much was {label} in {year}?",
    "What is the value of {label} in {year}?",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """Question about a filing with its label.

    Attributes:
        turn: Index in the conversation.
        numbers: Numbers of the answer, without signs.
        where: Numbers in the label's description of the place.
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


def label_parts(one: LabelledQuestion) -> list[LabelledQuestion]:
    """Return the parts of a compound question with their labels; empty if it is single or has one label."""
    texts, labels = split_filing_question(one.text), one.answer.get("parts", ())
    if len(texts) < 2 or len(texts) != len(labels):
        return []
    return [
        replace(one, text=text, intent=_intent_of(label), numbers=frozenset(_numbers_of(label)), answer=label)
        for text, label in zip(texts, labels, strict=True)
    ]


def _intent_of(label: Mapping[str, Any]) -> str:
    return "lookup" if "value" in label else "yesno" if "yes" in label else "text_fact"


def fit_filing_intents(questions: Sequence[LabelledQuestion], tables: Mapping[str, FactTable]) -> QuestionClassifier:
    """Return the classifier of intents, fitted to labelled questions about filings and generated ones."""
    samples: list[QuestionSample] = []
    before = ""
    for one in questions:
        before = before if one.turn else ""
        samples.append(QuestionSample(read_question_for_filing(one.text, tables[one.filing]), before, one.intent))
        before = one.intent
    filings = sorted({one.filing for one in questions})
    by_label = (one for filing in filings for one in label_questions(filing, tables[filing]))
    samples += [
        QuestionSample(read_question_for_filing(one.text, tables[one.filing]), "", one.intent, _LABEL_WEIGHT)
        for one in by_label
    ]
    return fit_classifier([*samples, *generate_samples()])


def kind_of_label(answer: Mapping[str, Any]) -> str:
    """Return the kind of a right answer, one of `KINDS`; "" for yes or no and without an answer."""
    several = (*answer.get("any_of", ()), *answer.get("values", ()), *answer.get("parts", ()))
    if several:
        return next((kind for one in several if (kind := kind_of_label(one))), "")
    value, unit = answer.get("value"), answer.get("unit")
    if not isinstance(value, int | float):
        return "" if "none" in answer or "yes" in answer else "words"
    if unit == "ratio":
        return "ratio"
    scale = Scale.PERCENT if unit == "percent" else _SCALES[answer.get("scale") or ""]
    return kind_of_number(value, scale, unit if unit in _CURRENCIES else None)


def fit_answer_kinds(questions: Sequence[LabelledQuestion], tables: Mapping[str, FactTable]) -> QuestionClassifier:
    """Return the classifier of the kinds of answers, fitted to labelled and generated questions."""
    samples: list[QuestionSample] = []
    before = ""
    for one in questions:
        before = before if one.turn else ""
        for labelled in (one, *label_parts(one)):
            if kind := kind_of_label(labelled.answer):
                samples.append(
                    QuestionSample(read_question_for_filing(labelled.text, tables[one.filing]), before, kind)
                )
        before = kind_of_label(one.answer) or before
    for made in generate_samples():
        if made.label in _KIND_OF_INTENT:
            before = _KIND_OF_INTENT.get(made.before, "money") if made.before else ""
            samples.append(replace(made, before=before, label=_KIND_OF_INTENT[made.label]))
    return fit_classifier(samples, KINDS, by_terms=True)


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """Labelled question after the earlier turns according to their labels.

    Attributes:
        operands: Candidates of each operand with their grades.
        lines: The terms of each operand, and those of the line that it means.
        words: Sentences that may answer it with their grades.
    """

    question: LabelledQuestion
    operands: tuple[tuple[SeriesCandidates, NDArray[np.float32]], ...]
    lines: tuple[AskedLine, ...]
    words: tuple[SentenceCandidates, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class TurnReaders:
    """Models that read the questions while the rankers are trained, themselves trained on other filings.

    Attributes:
        kinds: Classifier of the kinds of answers.
        words: Ranker of sentences; None while it is trained itself.
        translation: The words of questions for the words of lines.
    """

    intents: QuestionClassifier
    kinds: QuestionClassifier
    words: Trees | None = None
    translation: Translation = field(default_factory=Translation)


def read_turns(questions: Sequence[LabelledQuestion], table: FactTable, readers: TurnReaders) -> Iterator[LabelledTurn]:
    """Yield the questions about one filing, and the parts of compound ones, with their graded candidates."""
    state = TurnState()
    for one in questions:
        if one.turn == 0:
            state = TurnState()
        within = state
        for part in label_parts(one):
            turn, within = _read_turn(part, within, table, readers)
            yield turn
        turn, state = _read_turn(one, state, table, readers)
        yield turn


def _read_turn(
    one: LabelledQuestion, state: TurnState, table: FactTable, readers: TurnReaders
) -> tuple[LabelledTurn, TurnState]:
    """A question with its graded candidates, and the state for the next one."""
    index = table.sentences
    text, state = complete_turn(one.text, state)
    reading = read_question_for_filing(text, table)
    shares = readers.intents.classify(reading, before=state.intent)
    moments = resolve_moments(reading, table, state.base, state.trail)
    likely = QuestionProbabilities(shares, readers.kinds.classify(reading, before=state.kind))
    words = find_sentences(WordQuery(reading, moments, tuple(map(float, shares)), state), table)
    if readers.words is not None:
        likely = with_sentences(likely, rank_sentences(words, readers.words), table)
    best_series: list[Series] = []
    operands, lines = [], []
    for place, operand in enumerate((*reading.operands, *((reading.whole,) if reading.relation else ()))):
        candidates = find_operand_series(
            reading, min(place, len(reading.operands) - 1), moments, state, table, likely, readers.translation, operand
        )
        if not candidates.series:
            continue
        grades = np.array([_grade(series, one, operand.terms) for series in candidates.series], np.float32)
        operands.append((candidates, grades))
        if grades.max() >= _SURE:
            lines.append(_name_line(one, operand, candidates.series[int(grades.argmax())], table))
        if grades.max() > 0:
            best_series += [s for s, grade in zip(candidates.series, grades, strict=True) if grade == grades.max()][:2]
    graded = grade_sentences(one.answer, index)
    fits = np.array([graded.get(int(place), 0.0) for place in words.places], np.float32)
    answering = [index.sentences[max(graded, key=lambda place: graded[place])]] if graded else []
    quoted = tuple((sentence.section, sentence.index) for sentence in answering)
    found = [(series, None) for series in best_series[:3]]
    after = read_turn_state(state, reading, moments, found, table, sentences=quoted)
    kind = kind_of_label(one.answer) or state.kind
    after = replace(after, intent=one.intent, kind=kind, question=text, previous=state)
    return LabelledTurn(one, tuple(operands), tuple(lines), (words, fits)), after


def _name_line(one: LabelledQuestion, operand: QuestionOperand, series: Series, table: FactTable) -> AskedLine:
    """Return the terms of an operand, and those of a line, without the company's name."""
    named = {*series.line.label_terms, *series.column, *list_identifying_terms(series.members)}
    return AskedLine(one.filing, list_asked(operand, table.company), tuple(sorted(named - table.company)))


def rank_samples(turns: Iterable[LabelledTurn]) -> list[tuple[SeriesCandidates, NDArray[np.float32]]]:
    """Return the candidates of operands, with grades, if any candidate is right."""
    return [
        (candidates, grades)
        for turn in turns
        if turn.question.intent not in _WORDS
        for candidates, grades in turn.operands
        if grades.max() > 0
    ]


def label_questions(filing: str, table: FactTable) -> list[LabelledQuestion]:
    """Return questions that use the labels of a filing's lines, each for the latest time of its line.

    Analysts' questions have few of this form, and the model must not confuse them with those of the same form that were
    made up to have no answer.
    """
    called = Counter(line.label_terms for line in table.lines)
    lines = [
        line
        for line in table.lines
        if len(line.label_terms) >= _NAMED
        and line.moments
        and (line.role.is_statement or called[line.label_terms] == 1)
    ]
    chosen = random.Random(len(lines)).sample(lines, min(_LABELS, len(lines)))
    found = []
    for place, line in enumerate(chosen):
        series = table.series_of_line[line.place][0]
        moment = max((one for one in series.cells if one is not None), default=None)
        if moment is None:
            continue
        text = _LABEL_FORMS[place % len(_LABEL_FORMS)].format(label=line.label.lower(), year=moment.year)
        cell = series.cells[moment]
        amount = float(cell.quantity.value)
        unit = "percent" if cell.scale is Scale.PERCENT else cell.unit
        counted = {"scale": _NAMES_OF_SCALES.get(cell.scale, ""), "unit": unit}
        answer = {"any_of": [{"value": value} | counted for value in (amount, -amount)]}
        numbers = frozenset({abs(amount)})
        found.append(
            LabelledQuestion(
                filing, f"label {place}", 0, text, "lookup", numbers, numbers, frozenset(line.label_terms), answer
            )
        )
    return found


def label_samples(
    questions: Sequence[LabelledQuestion], table: FactTable, readers: TurnReaders
) -> Iterator[tuple[SeriesCandidates, NDArray[np.float32]]]:
    """Yield the candidates for questions that use the label of a line, graded by whether they are that line."""
    for turn in read_turns(questions, table, readers):
        if len(turn.operands) == 1:
            candidates, _ = turn.operands[0]
            label, numbers = turn.question.where_terms, turn.question.numbers
            grades = [
                4.0 * (frozenset(series.line.label_terms) == label and _prints(series, numbers))
                for series in candidates.series
            ]
            if max(grades, default=0.0) > 0:
                yield candidates, np.array(grades, np.float32)


def _prints(series: Series, numbers: frozenset[float]) -> bool:
    return any(abs(float(cell.quantity.value)) in numbers for cell in series.cells.values())


def word_samples(turns: Iterable[LabelledTurn]) -> list[tuple[SentenceCandidates, NDArray[np.float32]]]:
    """Return the graded sentences for questions that sentences answer."""
    return [turn.words for turn in turns if turn.question.intent in WORD_INTENTS and turn.words[1].max(initial=0.0) > 0]


def fit_series_ranker(samples: Sequence[tuple[SeriesCandidates, NDArray[np.float32]]]) -> FittedTrees:
    """Return trees that rank the candidates of an operand."""
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
    """Return weights trained on labelled questions.

    Args:
        folds: Groups of filings that are held out together for the probabilities that a ranker uses.
    """
    by_filing = {filing: [one for one in questions if one.filing == filing] for filing in sorted(tables)}
    parts = [sorted(fold & set(tables)) for fold in folds or [frozenset(tables)]]
    readers = []
    words: list[list[tuple[SentenceCandidates, NDArray[np.float32]]]] = []
    lines: list[list[AskedLine]] = []
    for part in parts:
        rest = [one for one in questions if one.filing not in part] if folds else list(questions)
        readers.append(TurnReaders(fit_filing_intents(rest, tables), fit_answer_kinds(rest, tables)))
        turns = [turn for name in part for turn in read_turns(by_filing[name], tables[name], readers[-1])]
        words.append(word_samples(turns))
        lines.append([line for turn in turns if turn.question.intent not in _WORDS for line in turn.lines])
    samples: list[tuple[SeriesCandidates, NDArray[np.float32]]] = []
    for place, part in enumerate(parts):
        others = [other for other in range(len(parts)) if other != place or not folds]
        ranker = fit_word_ranker([sample for other in others for sample in words[other]])
        translation = fit_translation(line for other in others for line in lines[other])
        reader = replace(readers[place], words=ranker, translation=translation)
        for name in part:
            samples += rank_samples(read_turns(by_filing[name], tables[name], reader))
            samples += label_samples(label_questions(name, tables[name]), tables[name], reader)
    return FilingWeights(
        fit_filing_intents(questions, tables),
        fit_answer_kinds(questions, tables),
        fit_word_ranker([sample for several in words for sample in several]),
        fit_series_ranker(samples),
        fit_translation(line for several in lines for line in several),
    )


def _grade(series: Series, one: LabelledQuestion, asked: Sequence[str]) -> float:
    """0 if a series prints no number of the label, else 1 to 4 by how well its words fit the place."""
    printed = {abs(float(cell.quantity.value)) for cell in series.cells.values()}
    hits = [
        value for value in printed
        if value in one.numbers or (value in one.where and (value >= _SMALL or value != int(value)))
    ]  # fmt: skip
    if series.line.sentence:
        headings = {*series.line.path_terms, *series.line.title_terms}
        quoted = len(one.where_terms & headings) * 2 >= len(one.where_terms)
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
