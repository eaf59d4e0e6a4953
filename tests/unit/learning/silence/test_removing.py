"""Pages without some of their lines."""

import pytest
from pages import page, sample_pages

from quaestor.documents.document import Document
from quaestor.graph.builder import build_graph
from quaestor.learning.silence.removing import lines_with, without_lines
from quaestor.ontology.builder import build_ontology
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix


def numbers(document: Document) -> NumberMatrix:
    return build_number_matrix(build_graph(document, build_ontology(()), "extend"))


@pytest.mark.parametrize("document", sample_pages(), ids=lambda document: document.id)
def test_a_page_of_which_nothing_is_removed_is_the_same(document: Document) -> None:
    again = without_lines(document, frozenset())
    assert (again.digest, again.tables, again.sentences) == (document.digest, document.tables, document.sentences)


def test_rows_and_sentences_go_with_their_numbers() -> None:
    document = page(
        [["", "2008", "2007"], ["rent", "5", "4"], ["fuel", "7", "6"]], ("rent was $ 5 .", "we own 12 towers .")
    )
    leaves = numbers(document)
    gone = lines_with((n for n, leaf in enumerate(leaves.leaves) if leaf.quantity.value == 5), leaves)
    left = without_lines(document, gone)
    assert [[cell.text for cell in row] for row in left.tables[0].cells] == [["", "2008", "2007"], ["fuel", "7", "6"]]
    assert [sentence.text for sentence in left.sentences] == ["we own 12 towers ."]


def test_of_a_table_that_is_turned_a_column_goes() -> None:
    document = page([["", "rent", "fuel"], ["2008", "5", "7"], ["2007", "4", "6"]])
    leaves = numbers(document)
    gone = lines_with((n for n, leaf in enumerate(leaves.leaves) if leaf.quantity.value == 5), leaves)
    left = without_lines(document, gone)
    assert [[cell.text for cell in row] for row in left.tables[0].cells] == [["", "fuel"], ["2008", "7"], ["2007", "6"]]
