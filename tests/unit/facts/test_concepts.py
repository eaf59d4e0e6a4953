"""A label without a tag is held against the lexicon, and the statement it is on decides."""

import pytest

from quaestor.documents.table import TableRole
from quaestor.facts.lines import name_concept


@pytest.mark.parametrize(
    ("label", "path", "role", "concept"),
    [
        ("Total assets", (), TableRole.BALANCE_SHEET, "us-gaap:Assets"),
        ("Accounts receivable", (), TableRole.CASH_FLOWS, "us-gaap:IncreaseDecreaseInAccountsReceivable"),
        ("Research and development expenses", (), TableRole.INCOME_STATEMENT, "us-gaap:ResearchAndDevelopmentExpense"),
        ("Diluted", ("Earnings per share",), TableRole.INCOME_STATEMENT, "us-gaap:EarningsPerShareDiluted"),
        ("Net income", ("Earnings per common share",), TableRole.INCOME_STATEMENT, "us-gaap:EarningsPerShareBasic"),
        ("Adjusted diluted earnings per share", (), TableRole.NON_GAAP, ""),
        ("Frequent flyer partners", (), TableRole.NOTE, ""),
    ],
)
def test_labels_name_concepts(label: str, path: tuple[str, ...], role: TableRole, concept: str) -> None:
    assert name_concept(label, path, role)[0] == concept


def test_the_usual_name_is_sure_and_a_near_one_less_so() -> None:
    sure = name_concept("Income tax expense", (), TableRole.INCOME_STATEMENT)
    near = name_concept("Income tax expense on profits", (), TableRole.INCOME_STATEMENT)
    assert sure[0] == near[0] == "us-gaap:IncomeTaxExpenseBenefit"
    assert sure[1] > near[1] > 0
    assert name_concept("", (), TableRole.NOTE) == ("", 0.0)
