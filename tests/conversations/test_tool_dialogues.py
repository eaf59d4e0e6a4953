"""The worked examples of the tools' design, run on the sample."""

import asyncio
from decimal import Decimal

from toolboxes import CASH_FLOWS, OPTIONS, ToolUser, sample_knowledge, sample_pages

from quaestor.conversation.turn import Turn
from quaestor.core.provenance import CellRef
from quaestor.datasets.dataset import Conversation
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation


def play(page: str, *questions: str) -> tuple[Turn, ...]:
    conversation = Conversation("made up", sample_pages()[page], questions)
    return asyncio.run(answer_conversation(conversation, ToolUser(), sample_knowledge()))


def test_the_exercise_price_of_two_years_and_their_difference() -> None:
    turns = play(
        OPTIONS,
        'TOOL: query_kg({"entityType": "StockOption", "filters": {"year": "2007"}, "property": "exercisePrice"})'
        " -> 48.65",
        'TOOL: query_kg({"entityType": "StockOption", "filters": {"year": "2006"}, "property": "exercisePrice"})'
        " -> 33.2",
        'TOOL: calculate({"operation": "subtract", "values": [48.65, 33.2]}) -> 15.45',
        'TOOL: calculate({"operation": "divide", "values": [15.45, 33.2]})',
    )
    assert all(turn.verified for turn in turns)
    assert [turn.answer.number for turn in turns[:3]] == [Decimal("48.65"), Decimal("33.20"), Decimal("15.45")]
    assert [turn.answer.formula for turn in turns[2:]] == ["48.65 - 33.20", "(48.65 - 33.20) / 33.20"]
    assert turns[3].answer.sources == (CellRef(OPTIONS, 0, 1, 1), CellRef(OPTIONS, 0, 1, 2))
    assert [[call.tool for call in turn.tool_calls] for turn in turns] == [
        ["query_kg"], ["query_kg"], ["calculate"], ["calculate"],
    ]  # fmt: skip
    programs = [record.program for record in turn_records(TurnPlace("run", "made up"), turns)]
    assert programs[3] == "subtract(48.65, 33.20), divide(#0, 33.20)"


def test_the_percentage_change_of_the_net_cash_from_operating_activities() -> None:
    (turn,) = play(
        CASH_FLOWS,
        'TOOL: introspect_ontology({"action": "list_types"})\n'
        'TOOL: introspect_ontology({"action": "get_properties", "entityType": "CashFlow"})\n'
        'TOOL: list_entities({"entityType": "CashFlow"})\n'
        'TOOL: query_kg({"entityType": "CashFlow", "filters": {"year": "2008"},'
        ' "property": "net_cash_from_operating_activities"})\n'
        'TOOL: query_kg({"entityType": "CashFlow", "filters": {"year": "2009"},'
        ' "property": "net_cash_from_operating_activities"})\n'
        'TOOL: calculate({"operation": "percentage_change", "values": [181001, 206588]}) -> 14.14',
    )
    assert turn.verified
    assert len(turn.tool_calls) == 6
    assert isinstance(turn.tool_calls[2].output, dict)
    assert turn.tool_calls[2].output["instances"] == ["kg:CashFlow_2007", "kg:CashFlow_2008", "kg:CashFlow_2009"]
    assert turn.answer.metric_type == "percentage_change"
    assert turn.answer.formula == "(206588 - 181001) / 181001"
    (record,) = turn_records(TurnPlace("run", "made up"), [turn])
    assert record.number
    assert round(Decimal(record.number), 5) == Decimal("0.14136")
    assert record.program == "subtract(206588, 181001), divide(#0, 181001)"
