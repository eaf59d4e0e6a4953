from decimal import Decimal

import pytest

from quaestor.ontology.line_matching import LineContext, LineIndex, read_core_lines

INDEX = LineIndex({"wool dyeing costs": "kg:wool_dyeing_costs", "depreciation": "kg:depreciation"}, read_core_lines())
PERFORMANCE = "kg:StockPerformance"


@pytest.mark.parametrize(
    ("caption", "name", "rule"),
    [
        ("cost of goods sold", "kg:cost_of_sales", "statement line"),
        ("earnings (loss) before income taxes", "kg:income_before_income_taxes", "statement line"),
        ("costs of dyeing wool", "kg:wool_dyeing_costs", "statement line"),
        ("depreciation expense", "kg:depreciation", "statement line"),
        ("5.5% senior notes due 2021", "kg:senior_notes", "shorter caption"),
        ("less: accumulated depreciation (note 4)", "kg:accumulated_depreciation", "shorter caption"),
        ("weightedaverage grantdate fairvalue", "kg:grant_date_fair_value", "lost spaces"),
        ("cloud hosting expenses", "kg:expense_of_a_kind", "kind of line"),
        ("proceeds from the sale of the quarry", "kg:proceeds_of_a_kind", "kind of line"),
    ],
)
def test_a_line_of_an_unseen_company_is_found(caption: str, name: str, rule: str) -> None:
    found = INDEX.find(caption)
    assert found is not None
    assert (found.property, found.rule) == (name, rule)
    assert 0 < found.score < 0.8
    assert found.reason


@pytest.mark.parametrize(
    "caption",
    ["quill rangers", "costs recovered through higher rents", "4.5%", "mark of the north", "", "sales per visitor"],
)
def test_unknown_line_is_not_found(caption: str) -> None:
    assert INDEX.find(caption) is None


def test_line_common_to_a_table_needs_table_and_number() -> None:
    at_100 = INDEX.find("quill rangers", LineContext(PERFORMANCE, Decimal("100.00")))
    assert at_100 is not None
    assert at_100.property == "kg:growth_of_an_investment"
    assert at_100.shared
    assert INDEX.find("quill rangers", LineContext(PERFORMANCE, Decimal(97))) is None
    assert INDEX.find("quill rangers", LineContext("kg:Debt", Decimal(100))) is None


def test_caption_may_have_another_meaning_in_some_tables() -> None:
    on_debt = INDEX.find("interest rates", LineContext("kg:Debt", None))
    assert on_debt is not None
    assert on_debt.property == "kg:interest_rate"
    assert INDEX.find("interest rates", LineContext("kg:MarketRisk", None)) is None
