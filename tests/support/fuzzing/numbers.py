"""Targets for the texts of pages and questions: cells, sentences, labels and questions."""

from contextlib import suppress
from pathlib import Path

from fuzzing.drawing import text_or_words
from fuzzing.target import Reads, Target
from quaestor.core import serial
from quaestor.core.parsing import clean_label, find_quantities, parse_cell, parse_quantity
from quaestor.core.periods import find_periods, find_relative_periods, parse_period
from quaestor.core.quantity import Quantity
from quaestor.documents.alignment import aligned_periods
from quaestor.documents.sentences import read_sentences, rejoin_sentences, split_sentences
from quaestor.errors import QuaestorError
from quaestor.ontology.labels import spellings
from quaestor.questions.question import read_question
from quaestor.questions.splitting import split_question

CELLS = (
    "1", "2,", "345", ".", "6", "-", "(", ")", "$", " ", "%", "million", "bn", "thousand", "\u2014", "\u2212",
    "\u20ac", "x", "1/2", "\u00bd", "(a)", "n/a", "e", "+", "[1]", "*", "bps", "\u00a0", "\u0662", "usd", "nil",
)  # fmt: skip
SENTENCES = (
    "in ", "2006", ", ", "2005 ", "and ", "2004", "$ ", "24.1 ", "million ", "mbpd", "respectively", " . ", "u.s",
    " .", "from ", "to ", "the year ended december 31 , ", "first quarter of ", "fiscal ", "19", "99-", "( ", " )",
    "13 % ", "compared with ", "the prior year ", "decreased ", "by ", "-", "\n", "q3 ", "11/30/",
)  # fmt: skip
QUESTIONS = (
    "what ", "was ", "the ", "net sales ", "in ", "2008", "?", " and ", "in 2009 ", "percent ", "change ", "that ",
    "highest ", "which ", "years ", "more than ", "5 ", "%", "how many ", "respectively", "of the ", "three ",
    "that year ", "in millions", "did it ", "increase ", "average ", "them ", "list ", "why ", "difference between ",
    "from ", "to ",
)  # fmt: skip


def _cells(_: Path) -> Reads:
    def read(data: bytes) -> None:
        text = text_or_words(data, CELLS)
        for quantity in parse_cell(text):
            assert serial.load(Quantity, serial.dump(quantity)) == quantity
        with suppress(QuaestorError):
            parse_quantity(text)

    return read


def _sentences(_: Path) -> Reads:
    def read(data: bytes) -> None:
        text = text_or_words(data, SENTENCES)
        for span in find_quantities(text):
            assert 0 <= span.start < span.end <= len(text)
        sentences = read_sentences("doc", "pre_text", rejoin_sentences(split_sentences(text)))
        for number, sentence in enumerate(sentences):
            assert len(aligned_periods(sentence, sentences[:number])) == len(sentence.mentions)

    return read


def _labels(_: Path) -> Reads:
    def read(data: bytes) -> None:
        text = text_or_words(data, SENTENCES + CELLS)
        clean_label(text)
        spellings(text)
        find_periods(text)
        find_relative_periods(text)
        parse_period(text)
        parse_period(text, 2008)

    return read


def _questions(_: Path) -> Reads:
    def read(data: bytes) -> None:
        text = text_or_words(data, QUESTIONS)
        for part in split_question(text):
            read_question(part)

    return read


TARGETS = (
    Target("cells", _cells, 190, CELLS),
    Target("sentences", _sentences, 80, SENTENCES),
    Target("labels", _labels, 80, SENTENCES),
    Target("questions", _questions, 60, QUESTIONS),
)
