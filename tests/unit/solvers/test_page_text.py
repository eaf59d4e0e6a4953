"""Selection of the sentences of a page that a model is shown."""

from pathlib import Path

import pytest
from gold_plans import GoldPlans
from pages import page

from quaestor.conversation.turn import Memory
from quaestor.core.provenance import SentenceRef
from quaestor.datasets.formats import read_dataset
from quaestor.documents.assembly import ParagraphPart, assemble
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.sample import sample_path
from quaestor.scoring.gold import read_gold
from quaestor.solvers.page_text import MOST_TEXT, select_text, sentences_with_numbers

TOPICS = ("rent", "goodwill", "dividends", "interest", "wages")


def long_text(count: int = 300) -> Document:
    """Return a document with sentences about five topics in turn, each followed by a sentence without numbers."""
    lines = [f"the {TOPICS[n % 5]} of plant {n} came to $ {n + 11} million in the year ." for n in range(count)]
    paragraphs = [ParagraphPart((line, "this is explained elsewhere .")) for line in lines]
    return assemble("ACME/2009/10-K", paragraphs)


def test_long_text_is_cut_to_the_sentences_about_the_question_in_order() -> None:
    document = long_text()
    shown = select_text(document, "what were the wages?", Memory(), most=4_000)
    assert sum(len(sentence.text) for sentence in shown.sentences) <= 4_000
    about = [sentence for sentence in shown.sentences if "wages" in sentence.text]
    assert len(about) == 60
    assert list(shown.sentences) == [sentence for sentence in document.sentences if sentence in shown.sentences]
    assert shown.left_out == 300 - len(shown.sentences) > 0


def shown_operands(path: Path) -> tuple[int, int]:
    """Return how many turns take a number from a sentence, and for how many of them all such sentences are shown."""
    golds, turns, whole = read_gold(path), 0, 0
    for conversation in read_dataset(path).conversations:
        graph = GraphProvider.of([conversation.document]).graph(conversation.document)
        plans = GoldPlans(graph)
        for question, gold in zip(conversation.questions, golds[conversation.id], strict=True):
            taken = [step.source for step in plans.add(question, gold.program).extracts]
            wanted = {(s.section, s.sentence) for s in taken if isinstance(s, SentenceRef)}
            shown = select_text(conversation.document, question, Memory(), MOST_TEXT)
            turns += bool(wanted)
            whole += bool(wanted) and wanted <= {(s.section, s.index) for s in shown.sentences}
    return turns, whole


@pytest.mark.slow
def test_every_number_that_the_sample_asks_for_is_shown() -> None:
    turns, whole = shown_operands(sample_path())
    assert turns == whole > 10


@pytest.mark.very_slow
@pytest.mark.parametrize("name", ["convfinqa_tune.json", "convfinqa_train50.json"])
def test_every_number_that_public_pages_are_asked_for_is_shown(name: str, shared_data: Path) -> None:
    turns, whole = shown_operands(shared_data / name)
    assert turns > 10
    assert whole >= 0.99 * turns


def test_sentence_before_a_number_is_shown_with_it() -> None:
    sentences = ["the company has two segments .", "asia is the larger .", "its sales rose by 26 % ."]
    assert [
        sentence.text for sentence in sentences_with_numbers(page([["", "2012"], ["sales", "7"]], sentences))
    ] == sentences[1:]
