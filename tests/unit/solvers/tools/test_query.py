import pytest
from pages import page as made_page
from pydantic import JsonValue
from toolboxes import CASH_FLOWS, OPTIONS, sample_knowledge, sample_pages, toolbox

from quaestor.conversation.turn import Memory
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.steps import Extract
from quaestor.solvers.tools.toolbox import Toolbox

DEBT = "VESK/2010/page_97.pdf"
UNITS = "BRIN/2013/page_83.pdf"


def toolbox_for(grid: list[list[str]]) -> Toolbox:
    document = made_page(grid)
    knowledge = GraphProvider.of([document])
    return Toolbox(knowledge.graph(document), knowledge.ontology, Memory())


def query(page: str, entity_type: str, property_: str, **filters: JsonValue) -> dict[str, JsonValue]:
    arguments: dict[str, JsonValue] = {"entityType": entity_type, "property": property_}
    return toolbox(page).call("query_kg", arguments | ({"filters": filters} if filters else {}))


def test_a_value_comes_with_its_cell_and_becomes_a_step() -> None:
    box = toolbox()
    reply = box.call(
        "query_kg", {"entityType": "StockOption", "filters": {"year": "2007"}, "property": "exercisePrice"}
    )
    assert reply["success"] is True
    assert (reply["instance"], reply["property"]) == ("kg:StockOption_2007", "kg:exercise_price")
    assert (reply["value"], reply["rawValue"], reply["unit"]) == (48.65, "$ 48.65", "USD")
    assert reply["source"] == {"document": OPTIONS, "table": 0, "row": 1, "column": 1, "kind": "cell"}
    (step,) = box.draft.plan().steps
    assert isinstance(step, Extract)
    assert sample_pages()[OPTIONS].cell(step.source).quantity == step.quantity  # type: ignore[arg-type]
    assert reply["step"] == 1


@pytest.mark.parametrize("type_", ["StockOption", "kg:StockOption", "stock option", "stockoption", "FinancialTable"])
@pytest.mark.parametrize("name", ["exercisePrice", "exercise_price", "kg:exercise_price", "Exercise price"])
@pytest.mark.parametrize("filters", [{"year": 2007}, {"period": "2007"}, {"year": "fiscal 2007"}, {"column": "2007"}])
def test_names_and_years_are_found_however_they_are_spelt(type_: str, name: str, filters: dict[str, JsonValue]) -> None:
    assert query(OPTIONS, type_, name, **filters)["value"] == 48.65


def test_without_a_filter_every_instance_that_matches_is_named_and_none_is_chosen() -> None:
    box = toolbox()
    reply = box.call("query_kg", {"entityType": "StockOption", "property": "expectedDividends"})
    assert reply["success"] is False
    assert reply["availableInstances"] == ["kg:StockOption_2007", "kg:StockOption_2006", "kg:StockOption_2005"]
    candidates = reply["candidates"]
    assert isinstance(candidates, list)
    assert [candidate["step"] for candidate in candidates] == [1, 2, 3]  # type: ignore[call-overload,index]
    assert box.draft.chosen == ()
    assert box.call("calculate", {"operation": "subtract", "values": ["#1", "#2"]})["ungrounded"] == []


def test_several_years_are_read_by_one_call() -> None:
    box = toolbox()
    reply = box.call(
        "query_kg",
        {"entityType": "StockOption", "property": "exercisePrice", "filters": {"year": [2007, "2006"]}},
    )
    assert [(shown["value"], shown["step"]) for shown in read(reply)] == [(48.65, 1), (33.2, 2)]
    assert box.draft.chosen == ()


def read(reply: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    """Return the cells that a query returned together."""
    assert reply["success"] is True
    values = reply["values"]
    assert isinstance(values, list)
    assert reply["count"] == len(values)
    return values  # type: ignore[return-value]


@pytest.mark.parametrize("filters", [{"fiscalYear": 2007}, {"date": "2007"}, {"instance": "2007"}])
def test_filters_may_have_the_names_that_models_give_them(filters: dict[str, JsonValue]) -> None:
    assert query(OPTIONS, "StockOption", "exercisePrice", **filters)["value"] == 48.65


@pytest.mark.parametrize(
    ("page", "type_", "property_"),
    [
        (OPTIONS, "StockOption", "exercise_price"),
        (DEBT, "Debt", "total"),
        (UNITS, "RestrictedStock", "share_units"),
        (CASH_FLOWS, "CashFlow", "cash_at_end_of_year"),
    ],
)
def test_filters_of_a_candidate_identify_it(page: str, type_: str, property_: str) -> None:
    refusal = query(page, type_, property_)
    candidates = refusal["candidates"]
    assert isinstance(candidates, list)
    assert len(candidates) > 1
    for candidate in candidates:
        assert isinstance(candidate, dict)
        assert isinstance(candidate["filters"], dict)
        found = query(page, type_, property_, **candidate["filters"])
        assert (found["success"], found["source"]) == (True, candidate["source"])


def test_two_lines_of_one_name_are_both_named() -> None:
    refusal = query(UNITS, "RestrictedStock", "share_units", entity="granted")
    assert refusal["availableInstances"] == ["kg:RestrictedStock_granted", "kg:RestrictedStock_granted_row_6"]
    assert query(UNITS, "RestrictedStock", "share_units", instance="kg:RestrictedStock_granted_row_6")["value"] == 590
    assert query(UNITS, "RestrictedStock", "share_units", entity="granted", row=6)["value"] == 590


def test_filters_are_properties_and_no_parts_of_names() -> None:
    assert query(DEBT, "Debt", "total", year="2016")["success"] is False  # kg:Debt_2016_to_2020 ends in 2020
    assert query(DEBT, "Debt", "total", year="2020")["value"] == 162.3
    assert query(DEBT, "Debt", "total", period="2016/2020")["value"] == 162.3
    assert query(DEBT, "Debt", "total", entity="total")["value"] == 447.5
    assert query(UNITS, "RestrictedStock", "share_units", period="december 31 2012")["value"] == 1714
    assert query(OPTIONS, "StockOption", "exercise_price", year="7")["success"] is False


def test_an_instance_is_found_by_the_value_of_another_property() -> None:
    assert query(OPTIONS, "StockOption", "exercisePrice", expectedVolatility=31.5)["value"] == 48.65
    assert query(OPTIONS, "StockOption", "exercisePrice", expectedVolatility=31.6)["success"] is False


@pytest.mark.parametrize(
    ("arguments", "named", "nearest"),
    [
        (("NonExistent", "someProperty", {}), "'NonExistent'", None),
        (("StockOptions", "exercisePrice", {}), "'StockOptions'", "kg:StockOption"),
        (("CashFlow", "exercisePrice", {}), "", "kg:StockOption"),
        (("StockOption", "exercisePrize", {"year": 2007}), "'exercisePrize'", "kg:exercise_price"),
        (("StockOption", "exercisePrice", {"yaer": 2007}), "'yaer'", "year"),
        (("StockOption", "exercisePrice", {"year": 1999}), "1999", None),
    ],
)
def test_error_has_advice(arguments: tuple[str, str, dict[str, JsonValue]], named: str, nearest: str | None) -> None:
    type_, property_, filters = arguments
    reply = query(OPTIONS, type_, property_, **filters)
    assert reply["success"] is False
    assert named in str(reply["error"])
    assert reply["suggestion"]
    if nearest:
        assert isinstance(reply["nearest"], list)
        assert reply["nearest"][0] == nearest


def test_dash_is_zero_if_the_table_prints_no_other_zero() -> None:
    reply = query(DEBT, "Debt", "bonds", year=2012)
    assert (reply["value"], reply["rawValue"], reply["scale"]) == (0, "-", "million")


def test_a_column_of_changes_is_not_that_of_its_year() -> None:
    box = toolbox_for(
        [["", "2012", "percent change", "2011"], ["sales", "$ 7", "-10 %", "$ 8"], ["costs", "5", "3 %", "6"]]
    )
    reply = box.call("query_kg", {"property": "sales", "filters": {"year": 2012}})
    assert (reply["value"], reply["step"]) == (7, 1)
    changed = box.call("query_kg", {"property": "sales", "filters": {"column": "percent change"}})
    assert changed["value"] == -10


def test_heading_without_numbers_names_the_rows_below_it() -> None:
    box = toolbox_for([["", "2012"], ["current assets", ""], ["cash", "7"], ["inventory", "8"]])
    reply = box.call("query_kg", {"filters": {"row": "current assets", "year": 2012}})
    assert reply["success"] is False
    assert reply["nearest"] == ["cash", "inventory"]
    assert box.call("query_kg", {"filters": {"row": "cash", "year": 2012}})["value"] == 7


def test_lost_dash_is_empty_and_not_a_year() -> None:
    document = made_page(
        [["", "2012", "2011"], ["gain", "nm", "5"], ["write-off", "$ 2014", "2014"], ["sales", "7", "8"]]
    )
    knowledge = GraphProvider.of([document])
    box = Toolbox(knowledge.graph(document), knowledge.ontology, Memory())

    def ask(name: str, **filters: JsonValue) -> dict[str, JsonValue]:
        return box.call("query_kg", {"entityType": "FinancialTable", "property": name, "filters": filters})

    assert "2014" in str(ask("write-off", year=2012)["error"])
    assert ask("gain", year=2012)["value"] == "nm"
    assert ask("sales", write_off="2014")["success"] is False
    several = ask("write-off")["candidates"]
    assert isinstance(several, list)
    assert all("2014" in str(candidate["printed"]) for candidate in several)  # type: ignore[call-overload,index]
    shown = box.call("introspect_ontology", {"action": "get_properties", "entityType": "FinancialTable"})
    counts = {item["label"]: item["instances"] for item in shown["properties"]}  # type: ignore[call-overload,index,union-attr]
    assert counts == {"gain": 2, "write-off": 0, "sales": 2}


def test_every_observation_of_the_sample_can_be_queried() -> None:
    for page in sample_pages():
        graph = sample_knowledge().graph(sample_pages()[page])
        types = {table.index: table.name for table in graph.tables}
        for observation in graph.observations:
            reply = query(
                page,
                types[observation.source.table],
                observation.predicate,
                instance=observation.instance,
                row=observation.source.row,
                column=observation.source.column,
                order=observation.order,
            )
            assert reply["success"] is True, (page, observation, reply)
            assert reply["rawValue"] == observation.quantity.text
