"""Which tools suited which questions, and the advice derived from it."""

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from pages import page
from pydantic import JsonValue
from toolboxes import OPTIONS, toolbox

from quaestor.application.files import OutputFile
from quaestor.application.tool_advice import (
    OTHER,
    REASONS,
    WAYS_OUT,
    ToolTable,
    count_learned,
    refusal_reason,
    tool_table,
    write_advice,
)
from quaestor.conversation.turn import Memory
from quaestor.errors import InputError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.ontology.core import read_core
from quaestor.scores import open_scores
from quaestor.solvers.tools.toolbox import TOOLS, Toolbox
from quaestor.store.base import open_store
from quaestor.store.records import TurnRecord
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import START, make_example, make_run, make_turns


def kg(type_: str, property_: str, **filters: JsonValue) -> dict[str, JsonValue]:
    return {"entityType": type_, "property": property_, "filters": filters}


def compute(operation: str, *values: JsonValue) -> dict[str, JsonValue]:
    return {"operation": operation, "values": list(values)}


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("query_kg", kg("StockOption", "exercise price"), "several fit"),
        ("query_kg", kg("StockOption", "number of whales", year=2007), "no such property"),
        ("query_kg", kg("Whales", "exercise price"), "no such type"),
        ("query_kg", kg("StockOption", "exercise price", colour="red"), "no such filter"),
        ("query_kg", kg("StockOption", "exercise price", year=1871), "nothing fits"),
        ("query_kg", {"property": "exercise price", "year": 2007}, "wrong arguments"),
        ("introspect_ontology", {"action": "get_properties"}, "wrong arguments"),
        ("find_in_text", {}, "wrong arguments"),
        ("find_in_text", {"words": "zebra crossing"}, "nothing fits"),
        ("calculate", compute("subtract", 1), "wrong operands"),
        ("calculate", compute("integrate", 1, 2), "no such operation"),
        ("calculate", compute("table_sum", "whales"), "no such row"),
        ("calculate", compute("add", "#9", 1), "no such step"),
        ("calculate", compute("divide", 1, 0), OTHER),
        ("guess", {}, "no such tool"),
    ],
)
def test_every_refusal_of_the_tools_has_its_reason(tool: str, arguments: dict[str, JsonValue], reason: str) -> None:
    reply = toolbox(OPTIONS).call(tool, arguments)
    assert reply["success"] is False
    assert refusal_reason(reply) == reason


def test_every_reason_except_the_last_has_a_remedy() -> None:
    assert set(WAYS_OUT) == set(REASONS) - {OTHER}


def test_a_dash_in_a_table_that_prints_zeros_is_an_empty_cell() -> None:
    document = page([["", "2012", "2011"], ["gain", "-", "0"], ["sales", "7", "8"]])
    knowledge = GraphProvider.of([document])
    box = Toolbox(knowledge.graph(document), knowledge.ontology, Memory())
    reply = box.call("query_kg", {"property": "gain", "filters": {"year": 2012}})
    assert refusal_reason(reply) == "an empty cell"


RUN = replace(make_run(conversations=6), finished=START, status="complete")

USE = "--advice FILE"

Call = tuple[str, object, object]
LOOKED_UP: Call = ("query_kg", {"property": "net revenue"}, {"success": True, "value": 206588})
REFUSED: Call = ("query_kg", {"property": "wales"}, {"success": False, "error": "2 values match 'kg:wales'"})
COMPUTED: Call = ("calculate", {"values": [206588, 181001]}, {"success": True, "result": 14.1})

QUESTIONS = ("what was the net revenue of whales in 2008?", "what was the percentage change from 2007 to 2008?")
OTHERS = ("what were the operating costs of cranes in 1997?", "what is the percentage change between 1996 and 1997?")


def a_turn(conversation: str, index: int, question: str, *calls: Call) -> TurnRecord:
    (plain, *_) = make_turns(RUN, conversation)
    tool_calls = [
        {"tool": tool, "input": json.dumps(given), "output": json.dumps(output), "seconds": 0.25}
        for tool, given, output in calls
    ]
    return replace(plain, index=index, question=question, tool_calls=tool_calls)  # type: ignore[arg-type]


def write_store(path: Path, questions: tuple[str, str], salt: str = "") -> ToolTable:
    """Write a store of six scored conversations; the second question is right if no tool call was refused."""
    turns, verdicts = {}, {}
    for place in range(6):
        name = f"c{place}"
        second = (REFUSED, LOOKED_UP, COMPUTED) if place % 2 else (LOOKED_UP, COMPUTED)
        calls = [(tool, {"said": f"{given}{salt}"}, output) for tool, given, output in second]
        turns[name] = (a_turn(name, 0, questions[0], LOOKED_UP), a_turn(name, 1, questions[1], *calls))
        verdicts[name] = (True, place % 2 == 0)

    async def scenario() -> ToolTable:
        async with open_store(str(path)) as store:
            await store.create_run(RUN)
            for name, expected in turns.items():
                await store.complete_example(make_example(RUN, name), expected)
            scores = open_scores(str(path))
            assert scores is not None
            async with scores:
                await scores.add_score(make_score(RUN, verdicts))
            return await tool_table(store, ["latest"], str(path))

    return asyncio.run(scenario())


def test_calls_are_counted_by_kind_of_question_and_outcome(tmp_path: Path) -> None:
    table = write_store(tmp_path / "runs.db", QUESTIONS)
    assert (table.turns, table.judged) == (12, 12)
    assert {name: (count.calls, count.refused) for name, count in table.tools.items()} == {
        "query_kg": (15, 3),
        "calculate": (6, 0),
    }
    assert table.tools["calculate"].mean_seconds == 0.25
    assert [(u.metric_type, u.tools, u.turns, u.calls, u.refused, u.right, u.judged) for u in table.uses] == [
        ("percentage_change", ("calculate", "query_kg"), 6, 15, 3, 3, 6),
        ("value", ("query_kg",), 6, 6, 0, 6, 6),
    ]
    (found,) = table.refusals
    assert (found.tool, found.reason, found.calls, found.right, found.judged) == ("query_kg", "several fit", 3, 0, 3)


def test_advice_names_suitable_tools_and_reasons_of_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.application.tool_advice.FEW", 3)
    path = tmp_path / "advice.txt"
    assert write_advice(write_store(tmp_path / "runs.db", QUESTIONS), OutputFile(path), USE) == 3
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    change, value, refused = lines
    assert all(part in change for part in ("percentage change", "calculate", "query_kg", "50%", "6 turns"))
    assert all(part in value for part in ("query_kg", "100%", "6 turns"))
    assert all(part in refused for part in ("query_kg", "20%", "15 calls"))


def test_advice_depends_on_all_parts_of_the_questions(tmp_path: Path) -> None:
    """Conversations that the advice was learned from are counted, also in a file with others."""
    path = tmp_path / "advice.txt"
    write_advice(write_store(tmp_path / "runs.db", QUESTIONS), OutputFile(path), USE)
    assert count_learned(path, ["c3"]) == 1
    assert count_learned(path, [f"c{place}" for place in range(20)]) == 6
    assert count_learned(path, ["c6", "another"]) == 0
    assert count_learned(tmp_path / "missing.txt", ["c3"]) == 0


def test_advice_contains_no_answers_numbers_or_words_of_questions(tmp_path: Path) -> None:
    """Other questions, arguments and results of the same kinds give byte-identical advice."""
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    write_advice(write_store(tmp_path / "one.db", QUESTIONS), OutputFile(one), USE)
    write_advice(write_store(tmp_path / "other.db", OTHERS, salt="42"), OutputFile(other), USE)
    text = one.read_text()
    assert text == other.read_text()
    advice = "\n".join(line for line in text.splitlines() if not line.startswith("#")).casefold()
    for word in ("whales", "wales", "revenue", "2008", "2007", "206588", "181001", "14.1"):
        assert word not in advice
    kinds = {word for metric in read_core().metric_types.values() for word in metric.label.casefold().split()}
    frame = set(
        "where the is asked for and right in of turns no tool result refused calls several fit give one filters that "
        "candidates come with".split()
    )
    names = {part for tool in TOOLS for part in tool.split("_")} | set(TOOLS)
    assert set(re.findall(r"[a-z_]+", advice)) <= kinds | frame | names


def test_too_few_calls_yield_no_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.application.tool_advice.FEW", 50)
    path = tmp_path / "advice.txt"
    with pytest.raises(InputError):
        write_advice(write_store(tmp_path / "runs.db", QUESTIONS), OutputFile(path), USE)
    assert not path.exists()
