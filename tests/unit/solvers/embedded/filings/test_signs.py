"""Signs of numbers, excluded lines and changes in a made-up report, with the package's weights."""

from decimal import Decimal

import pytest
from filing_conversations import answer_last

from quaestor.core.answer_value import Number, ValueList
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.facts.table import FactTable, build_facts


@pytest.fixture(scope="module")
def table() -> FactTable:
    parts: list[DocumentPart] = [
        ParagraphPart(("Annual report for the fiscal year ended June 30, 2024",)),
        HeadingPart("CONSOLIDATED STATEMENTS OF OPERATIONS"),
        TablePart(
            [
                ["(in millions)", "2024", "2023"],
                ["Net sales", "$ 7,107", "$ 7,341"],
                ["Other income (expense), net", "(12)", "9"],
                ["Income (loss) before income taxes", "(462)", "(310)"],
                ["Provision for (benefit from) income taxes", "(91)", "42"],
            ]
        ),
        HeadingPart("Note 6 - Retirement plans"),
        TablePart(
            [
                ["(in millions)", "2024", "2023"],
                ["Actuarial loss (gain)", "$ (66)", "$ 12"],
                ["Restructuring reserve", "120", "150"],
            ]
        ),
        HeadingPart("Note 7 - Derivatives"),
        TablePart(
            [
                ["Fair value (in millions)", "2024", "2023"],
                ["Derivative assets", "$ 18", "$ 25"],
                ["Derivative liabilities", "(31)", "(28)"],
            ]
        ),
        HeadingPart("Note 8 - Receivables"),
        TablePart(
            [
                ["Allowance for credit losses (in millions)", "2024", "2023"],
                ["Other assets", "$ 243", "$ 251"],
                ["Other current assets", "55", "57"],
            ]
        ),
    ]
    return build_facts(assemble("10-K", parts))


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("tax benefit recorded in 2024?", 91),
        ("actuarial gain in 2024", 66),
        ("actuarial loss in 2023", 12),
        ("loss before income taxes in 2024?", 462),
        ("income before income taxes in 2024?", -462),
        ("other expense in 2024", 12),
        ("other income/expense line in 2024", -12),
        ("fair value of derivative liabilities in 2024", 31),
    ],
)
def test_number_in_parentheses_is_positive_if_the_question_names_an_outflow(
    table: FactTable, question: str, number: int
) -> None:
    assert answer_last(table, question) == Number(Decimal(number))


def test_all_numbers_of_a_list_are_given_as_magnitudes(table: FactTable) -> None:
    value = answer_last(table, "loss before income taxes, 2024 and 2023")
    assert isinstance(value, ValueList)
    assert [item.number for item in value.items] == [Decimal(462), Decimal(310)]


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("loss before income taxes: how much more than in 2023?", 152),
        ("restructuring reserve, change on the year", -30),
        ("restructuring reserve fell how much?", 30),
    ],
)
def test_question_by_how_much_an_amount_moved_asks_for_the_change(table: FactTable, question: str, number: int) -> None:
    assert answer_last(table, question) == Number(Decimal(number))


def test_excluded_lines_are_not_the_answer(table: FactTable) -> None:
    assert answer_last(table, "allowance for credit losses on other assets (not other current)?") == Number(
        Decimal(243)
    )
