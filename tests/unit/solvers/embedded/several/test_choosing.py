"""Choice of one number for each part of a question."""

import numpy as np
from pages import page

from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.several import choose_numbers

PAGE = page(
    [["( in millions )", "2016", "2015"], ["sales", "12", "11"], ["costs", "7", "6"]],
    ["sales rose in 2016 ."],
)


def leaves() -> NumberMatrix:
    return build_number_matrix(build_graph(PAGE, build_ontology([PAGE])))


def test_numbers_of_one_line_are_preferred_to_a_likelier_number() -> None:
    numbers = leaves()
    at = {leaf.quantity.text: place for place, leaf in enumerate(numbers.leaves)}
    later, earlier = np.full(len(numbers), 0.01), np.full(len(numbers), 0.01)
    later[at["12"]], earlier[at["11"]], earlier[at["6"]] = 0.9, 0.4, 0.5
    chosen = choose_numbers([later, earlier], [2016, 2015], numbers, "line")
    assert chosen is not None
    assert chosen.leaves == (at["12"], at["11"])
    assert chosen.alike
    assert chosen.share == (0.9, 0.4)


def test_a_number_of_another_year_is_not_chosen() -> None:
    numbers = leaves()
    at = {leaf.quantity.text: place for place, leaf in enumerate(numbers.leaves)}
    shares = np.full(len(numbers), 0.1)
    shares[at["12"]] = 0.6
    chosen = choose_numbers([shares, shares], [2015, 2016], numbers, "line")
    assert chosen is not None
    assert chosen.leaves == (at["11"], at["12"])


def test_no_list_if_there_are_more_parts_than_numbers() -> None:
    numbers = leaves()
    parts = len(numbers) + 1
    assert choose_numbers([np.full(len(numbers), 0.1)] * parts, [0] * parts, numbers, "line") is None
