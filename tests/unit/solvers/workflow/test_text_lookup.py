"""Look-up of numbers in the text by the words around them."""

import pytest
from solver_bench import context_of
from toolboxes import sample_knowledge, sample_pages

from quaestor.solvers.workflow.schema import TextParams
from quaestor.solvers.workflow.text_lookup import TextMatch, find_numbers, format_match

RENT = "LUMI/2018/page_35.pdf"
CASH = "HALC/2009/page_52.pdf"


def find(page: str, sought: str, context: str, unit: str = "any", period: str = "any") -> TextMatch:
    return find_numbers(context_of(page).graph, TextParams(sought, context, unit, period))


@pytest.mark.parametrize(
    ("page", "sought", "context", "unit", "period", "value"),
    [
        (CASH, "capital expenditures", "capital expenditures were in and", "million USD", "2008", "44.1"),
        (CASH, "capital expenditures", "capital expenditures were in and", "million USD", "2009", "38.6"),
        (CASH, "the credit facility", "under its revolving credit facility of", "any", "any", "150"),
        (
            CASH,
            "purchase of a business",
            "included for the purchase of a sensor business",
            "USD",
            "fiscal 2009",
            "31.8",
        ),
        (RENT, "rent expense", "rent expense was million for", "million USD", "2017", "38.2"),
        (RENT, "letters of credit", "the company has issued letters of credit of", "USD", "any", "14.2"),
    ],
)
def test_finds_the_requested_number(page: str, sought: str, context: str, unit: str, period: str, value: str) -> None:
    found = find(page, sought, context, unit, period)
    assert found.decided, [format_match(number) for number in found.numbers]
    assert value in found.numbers[0].quantity.text
    assert found.runner_up < found.score <= 100


def test_ambiguous_numbers_are_listed() -> None:
    found = find(RENT, "rent expense", "rent expense was million for")
    assert not found.decided
    assert {"41.6", "38.2", "35.9"} <= {f"{number.quantity.value}" for number in found.numbers}
    assert "(USD, million, 2017) in: rent expense was" in format_match(found.numbers[1])


def test_numbers_are_distinguished_by_period_or_copied_words() -> None:
    for context, period in (("rent expense was million for", "2017"), ("rent expense was 41.6, 38.2", "2017")):
        assert [f"{n.quantity.value}" for n in find(RENT, "rent expense", context, period=period).numbers] == ["38.2"]
    copied = find(RENT, "rent expense", "rent expense was and 38.2 million")
    assert [f"{number.quantity.value}" for number in copied.numbers] == ["38.2"]
    assert not find(RENT, "rent expense", "rent expense was 41.6, 38.2 and million").decided


def test_every_number_of_the_sample_is_found_by_its_words() -> None:
    from oracle_workflow import words_of_number

    decided = count = 0
    for document in sample_pages().values():
        graph = sample_knowledge().graph(document)
        for mention in graph.mentions:
            found = find_numbers(graph, TextParams(**words_of_number(mention)))
            assert mention in found.numbers, format_match(mention)
            decided += found.decided
            count += 1
    assert count > 50
    assert decided / count > 0.75
