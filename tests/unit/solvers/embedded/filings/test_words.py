"""Sentences that answer a question are found, and quoted as they are printed."""

from collections.abc import Sequence

import numpy as np
import pytest

from quaestor.core.answer_value import Text, YesNo
from quaestor.documents.assembly import HeadingPart, ParagraphPart, assemble
from quaestor.facts.table import build_facts
from quaestor.learning.filing_words import grade_sentences
from quaestor.plan.execute import execute
from quaestor.questions.understanding import INTENTS, read_filing_question
from quaestor.solvers.embedded.filings.composing import intents_by_name
from quaestor.solvers.embedded.filings.evidence import (
    continue_quote,
    propose_verdicts,
    propose_words,
    quote,
    rank_sentences,
)
from quaestor.solvers.embedded.filings.words import WordQuery, find_sentences, find_subject, weigh_best_window

TABLE = build_facts(
    assemble(
        "10-K",
        [
            HeadingPart("Results of operations", 1),
            ParagraphPart(
                (
                    "Net sales increased primarily due to higher volumes.",
                    "The increase was partly offset by currency.",
                )
            ),
            ParagraphPart(("We sell in forty countries.",)),
            ParagraphPart(("Interest expense decreased due to lower debt.",)),
            HeadingPart("Segments", 1),
            ParagraphPart(("We have the following segments:",)),
            ParagraphPart(("Tools.",)),
            ParagraphPart(("Paints.",)),
            HeadingPart("Other", 1),
            ParagraphPart(("We had 1,200 employees.",)),
        ],
    )
)


class _BySubject:
    """A ranker that uses one feature."""

    def scores_of(self, names: Sequence[str], rows: np.ndarray) -> np.ndarray:
        return 5 * rows[:, names.index("subject")]


def ask(text: str, intent: str) -> WordQuery:
    return WordQuery(read_filing_question(text), intents=tuple(float(name == intent) for name in INTENTS))


def test_feature_marks_the_sentence_with_the_asked_subject() -> None:
    answer = ask("why did interest expense fall?", "why")
    candidates = find_sentences(answer, TABLE)
    subject = candidates.features[:, candidates.names.index("subject")]
    assert TABLE.sentences.sentences[candidates.places[subject.argmax()]].text.startswith("Interest expense")


def test_feature_marks_sentences_with_the_asked_kind_of_answer() -> None:
    candidates = find_sentences(ask("how big is the headcount?", "text_fact"), TABLE)
    fits = candidates.features[:, candidates.names.index("kind_fits")]
    assert [TABLE.sentences.sentences[at].text for at in candidates.places[fits > 0]] == ["We had 1,200 employees."]


def likeliest(question: str, feature: str, *paragraphs: tuple[str, ...]) -> list[str]:
    """Return the sentences of the given paragraphs with the highest value of a feature."""
    table = build_facts(assemble("10-K", [HeadingPart("Notes", 1), *map(ParagraphPart, paragraphs)]))
    candidates = find_sentences(ask(question, "text_fact"), table)
    values = candidates.features[:, candidates.names.index(feature)]
    best = candidates.places[values == values.max()] if values.any() else ()
    return sorted(table.sentences.sentences[at].text for at in best)


def test_subject_of_the_previous_sentence_is_kept() -> None:
    found = likeliest(
        "when is the trial against Wayne?",
        "head_named",
        ("We sued the firm Wayne in May.", "A trial is set for June 2026."),
        ("We sued the firm Stark in May.", "A trial is set for July 2026."),
    )
    assert found == ["A trial is set for June 2026."]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how many stores do they own?", "We own 20 stores."),
        ("how much was paid for the stores?", "The stores cost us $30 million."),
        ("what percent of the stores are leased?", "Of the stores 40% are leased."),
        ("how long are leases of stores?", "Stores are leased for 10 years."),
    ],
)
def test_feature_marks_numbers_of_the_asked_kind(question: str, answer: str) -> None:
    stated = (
        "We own 20 stores.",
        "The stores cost us $30 million.",
        "Of the stores 40% are leased.",
        "Stores are leased for 10 years.",
        "We sell tools.",
    )
    assert likeliest(question, "number_fits", stated) == [answer]


def test_a_date_that_the_question_does_not_name_answers_when() -> None:
    stated = ("In May 2020 we sued.", "The bonds are due in 2031.")
    assert likeliest("when are the bonds of May 2020 due?", "date_fits", stated) == [stated[1]]
    assert likeliest("why are the bonds due?", "date_fits", stated) == []


def test_feature_marks_another_name_in_the_subject() -> None:
    stated = ("Our unit Acme Ground hired people.", "Acme Ground employed 10 people.", "We employed 30 people.")
    assert likeliest("how many people are employed?", "subject_strange", stated) == sorted(stated[:2])


def test_best_window_ignores_distant_terms() -> None:
    weights = {"memori": 1.0, "sale": 1.0}
    far = ("memori", *map(str, range(40)), "sale")
    assert weigh_best_window(("sale", "memori"), weights) == 2.0
    assert weigh_best_window(far, weights) == 1.0


def test_reason_is_quoted_with_its_continuation() -> None:
    question = "why did net sales rise?"
    answer = ask(question, "why")
    ranked = rank_sentences(find_sentences(answer, TABLE), _BySubject())  # type: ignore[arg-type]
    proposals = propose_words(question, ranked, TABLE, intents_by_name(answer.intents))
    texts = [step.text for step in proposals[0].plan.extracts]
    assert texts == [
        "Net sales increased primarily due to higher volumes.",
        "The increase was partly offset by currency.",
    ]
    assert proposals[0].score >= proposals[1].score


def test_no_words_are_proposed_if_a_number_is_asked_for() -> None:
    question = "what were net sales?"
    answer = ask(question, "growth")
    ranked = rank_sentences(find_sentences(answer, TABLE), _BySubject())  # type: ignore[arg-type]
    assert propose_words(question, ranked, TABLE, intents_by_name(answer.intents)) == []


def test_sentence_that_opens_a_list_is_continued_within_its_section() -> None:
    assert tuple(continue_quote(4, TABLE.sentences, reasons=False)) == (4, 5, 6)
    assert tuple(continue_quote(2, TABLE.sentences, reasons=True)) == (2,)


def test_a_quote_is_the_sentence_as_printed() -> None:
    result = execute(quote((7,), TABLE, "how many employees"), ()).result
    assert result.value == Text("We had 1,200 employees.")


def test_a_subject_ends_before_the_verb() -> None:
    assert find_subject(("interest", "expens", "decreas", "due", "lower", "debt")) == {"interest", "expens"}


def test_sentences_are_graded_by_words_and_numbers() -> None:
    index = TABLE.sentences
    assert set(grade_sentences({"text": "higher volumes"}, index)) == {0}
    assert set(grade_sentences({"value": 1200}, index)) == {7}
    assert grade_sentences({"text": "lawsuits"}, index) == {}


@pytest.mark.parametrize(
    ("question", "stated", "affirmed"),
    [
        ("did they buy back stock?", "We repurchased 3 million shares of stock.", True),
        ("did they buy back stock?", "No stock was repurchased.", False),
        ("was there no repurchase of stock?", "No stock was repurchased.", True),
    ],
)
def test_sentence_affirms_or_denies_the_question(question: str, stated: str, affirmed: bool) -> None:
    table = build_facts(assemble("10-K", [HeadingPart("Stock", 1), ParagraphPart((stated,))]))
    intents = intents_by_name([float(name == "yesno") for name in INTENTS])
    ranked = rank_sentences(find_sentences(ask(question, "yesno"), table), _BySubject())  # type: ignore[arg-type]
    first = propose_verdicts(question, ranked, table, intents)[0]
    result = execute(first.plan, ()).result
    assert result.value == YesNo(affirmed)
    assert result.sources == (first.plan.extracts[0].source,)


def test_question_that_is_not_yes_no_has_no_verdict() -> None:
    intents = intents_by_name([float(name == "yesno") for name in INTENTS])
    ranked = rank_sentences(find_sentences(ask("why did interest expense fall?", "yesno"), TABLE), _BySubject())  # type: ignore[arg-type]
    assert not propose_verdicts("why did interest expense fall?", ranked, TABLE, intents)


@pytest.mark.parametrize(
    ("question", "intent", "opening"),
    [
        ("what is a blue box?", "description", "A blue box is"),
        ("in one sentence, what does the company do?", "description", "We design crates"),
        ("why did service revenue fall?", "why", "Service revenue decreased"),
    ],
)
def test_features_mark_explanations_and_causes(question: str, intent: str, opening: str) -> None:
    paragraphs = (
        "We design crates for farms in two countries.",
        "Blue box returns rose in every market that we serve.",
        "A blue box is a crate that customers return.",
        "Product revenue decreased because of lower service revenue.",
        "Service revenue decreased due to fewer repairs.",
    )
    table = build_facts(assemble("10-K", [ParagraphPart((text,)) for text in paragraphs]))
    found = find_sentences(ask(question, intent), table)
    features = dict(zip(found.names, found.features.T, strict=True))
    best = found.places[(features["explained"] + features["caused"]).argmax()]
    assert table.sentences.sentences[best].text.startswith(opening)
