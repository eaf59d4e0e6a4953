"""The tools for assistants, in sessions with the official client."""

import asyncio
import base64
import io
import zipfile
from pathlib import Path

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_clients import FILING, called, client_of_folder, refused, server_of_folder, whole_session

from quaestor.mcp_server.tools import TOOLS

pytestmark = pytest.mark.anyio

QUESTIONS = (
    "what were net sales in 2024?",
    "and in 2023?",
    "what was the change?",
    "what is that in percent?",
)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_whole_session(tmp_path: Path, mode: str) -> None:
    async with Client(server_of_folder(tmp_path), mode=mode) as client:
        shown = await whole_session(client, FILING, QUESTIONS)
    assert shown == ["$ 1,250.5 million", "$ 1,130.0 million", "$ 120.5 million", "10.7 %"]


async def test_every_tool_describes_its_arguments_and_result(tmp_path: Path) -> None:
    async with client_of_folder(tmp_path) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    for tool in tools:
        assert tool.description
        assert tool.output_schema is not None
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        assert tool.annotations.open_world_hint is False


async def test_missing_answer_has_a_reason(tmp_path: Path) -> None:
    async with client_of_folder(tmp_path) as client:
        reply = await called(client, "ask", document=FILING, question="what were net sales in 2015?")
    (answer,) = reply["answers"]
    assert (answer["kind"], answer["value"], answer["sources"]) == ("none", None, [])
    assert answer["reason"]


async def test_a_document_is_read_as_a_whole_in_parts_and_by_table(tmp_path: Path) -> None:
    async with client_of_folder(tmp_path) as client:
        outline = await called(client, "read_document", document=FILING)
        part = await called(client, "read_document", document=FILING, part=1)
        table = await called(client, "read_document", document=FILING, table=0)
        beyond = await refused(client, "read_document", {"document": FILING, "part": 2})
    assert {line["label"] for line in outline["lines"]} >= {"Net sales", "Cost of sales"}
    assert "Net sales | $ 1,250.5" in part["text"]
    assert table["table"]["body"][0]["cells"][1]["value"] == "1250.5"
    assert "part 2" in beyond


async def test_table_warnings_are_shown_wherever_the_table_is_used(tmp_path: Path) -> None:
    (tmp_path / "filings").mkdir()
    (tmp_path / "filings" / "odd.md").write_text(
        "# Balance sheet (EUR m)\n\n| | 2023 | 2022 |\n|---|---|---|\n"
        "| Total assets | 64,210 | 60.1.2 |\n| Total liabilities | 7 | 6 |\n| Total equity | 8 | 6 |\n"
    )
    async with client_of_folder(tmp_path) as client:
        outline = await called(client, "read_document", document="odd.md")
        table = await called(client, "read_document", document="odd.md", table=0)
        reply = await called(client, "ask", document="odd.md", question="what were total assets in 2023?")
    (shown,) = outline["tables"]
    assert (shown["role"], shown["scale"], shown["unit"]) == ("balance sheet", "million", "EUR")
    assert shown["periods"] == ["2023", "2022"]
    assert shown["doubts"] == table["table"]["doubts"]
    assert "60.1.2" in shown["doubts"][0]
    assert "1 cell" in outline["health"]
    assert "60.1.2" in reply["answers"][0]["reason"]


async def test_pages_of_a_file_are_listed(tmp_path: Path) -> None:
    async with client_of_folder(tmp_path, names=["sample"]) as client:
        pages = (await called(client, "read_document", document="sample"))["documents"]
        assert "sample#NORD/2012/page_41.pdf" in pages
        answer = await called(client, "ask", document=pages[0], question="what were total net sales in 2012?")
        assert answer["document"] == pages[0]
        assert "18 pages" in await refused(client, "ask", {"document": "sample", "question": "rent?"})


async def test_places_rows_numbers_and_formulas(tmp_path: Path) -> None:
    async with client_of_folder(tmp_path) as client:
        found = await called(client, "find", document=FILING, words="debt to banks")
        assert "2.7 billion" in found["places"][0]["text"]
        rows = await called(
            client, "query_graph", document=FILING, sparql="SELECT ?o ?v { ?o kg:value ?v . FILTER(?v = 750.3) }"
        )
        ((node, value),) = rows["rows"]
        assert value == "750.3"
        assert rows["sources"][node]["row_label"] == "Cost of sales"
        checked = await called(client, "check_number", document=FILING, number="$ 1.2505 billion")
        assert checked["found"]
        assert checked["matches"][0]["steps"] == ["in_its_scale"]
        assert not (await called(client, "check_number", document=FILING, number="1,251.5"))["found"]
        values = {
            "sales": {"row": "Net sales", "column": "2024"},
            "debt": {"words": "owed $ 2.7 billion to banks"},
            "years": {"number": "2"},
        }
        result = await called(client, "calculate", document=FILING, formula="debt / sales * years", values=values)
        assert result["display"] == "4.3183"
        assert {source["kind"] for source in result["sources"]} == {"cell", "sentence"}
        alone = await called(client, "calculate", formula="a / 3", values={"a": {"number": "1"}})
        assert alone["value"].startswith("0.333333333")


async def test_the_prompt_leads_to_a_plan_that_calculate_runs(tmp_path: Path) -> None:
    question = "what was the change in net sales from 2023 to 2024?"
    async with client_of_folder(tmp_path) as client:
        prompt = await client.get_prompt("write_plan", {"document": FILING, "question": question})
        text = prompt.messages[0].content.text  # type: ignore[union-attr]
        assert "Net sales | $ 1,250.5" in text
        assert "step_ref" in text
        extracts = [
            {
                "step_id": number,
                "tool": "extract_value",
                "source": "table",
                "params": {"row_query": "Net sales", "col_query": year},
            }
            for number, year in ((1, "2024"), (2, "2023"))
        ]
        operands = [{"type": "reference", "step_ref": number} for number in (1, 2)]
        last = {"step_id": 3, "tool": "compute", "operation": "subtract", "operands": operands}
        plan = {"thought_process": "both years", "steps": [*extracts, last]}
        result = await called(client, "calculate", document=FILING, question=question, plan=plan)
        assert result["display"] == "$ 120.5 million"
        lost = {**plan, "steps": [{**extracts[0], "params": {"row_query": "profit", "col_query": "2024"}}]}
        message = await refused(client, "calculate", {"document": FILING, "question": question, "plan": lost})
        assert "step 1" in message
        with pytest.raises(MCPError):
            await client.get_prompt("write_plan", {"document": "../x", "question": question})


async def test_workbook_is_returned_or_written_to_a_configured_folder(tmp_path: Path) -> None:
    exports = tmp_path / "exports"
    exports.mkdir()
    async with client_of_folder(tmp_path) as client:
        id = (await called(client, "ask", document=FILING, question=QUESTIONS[0]))["conversation"]
        returned = await called(client, "export", conversation=id, format="xlsx")
        assert zipfile.is_zipfile(io.BytesIO(base64.b64decode(returned["data"])))
        wanted = {"conversation": id, "format": "csv", "file": "a.csv"}
        assert await refused(client, "export", wanted)
    assert list(exports.iterdir()) == []
    async with client_of_folder(tmp_path, exports) as client:
        written = await called(client, "export", conversation=id, format="xlsx", file="answers.xlsx")
        assert (written["written"], written["data"]) == ("answers.xlsx", None)
        again = {"conversation": id, "format": "xlsx", "file": "answers.xlsx"}
        assert "answers.xlsx" in await refused(client, "export", again)
    assert zipfile.is_zipfile(exports / "answers.xlsx")


async def test_earlier_conversation_continues_in_another_process(tmp_path: Path) -> None:
    async with client_of_folder(tmp_path) as client:
        id = (await called(client, "ask", document=FILING, question=QUESTIONS[0]))["conversation"]
    async with client_of_folder(tmp_path) as client:
        answer = await called(client, "ask", conversation=id, question=QUESTIONS[1])
        assert (answer["first_turn"], answer["answers"][0]["display"]) == (2, "$ 1,130.0 million")


async def test_two_clients_at_once_do_not_see_each_others_conversations(tmp_path: Path) -> None:
    server = server_of_folder(tmp_path, lists=False)
    async with Client(server) as one, Client(server) as other:
        begun = await asyncio.gather(
            *(called(client, "ask", document=FILING, question=QUESTIONS[0]) for client in (one, other))
        )
        first, second = (answer["conversation"] for answer in begun)
        assert first != second
        await called(one, "ask", conversation=first, question=QUESTIONS[1])
        for client in (one, other):
            listed = [resource.uri for resource in (await client.list_resources()).resources]
            assert not any("conversations" in uri for uri in listed)
        assert (await called(other, "ask", conversation=second, question=QUESTIONS[1]))["first_turn"] == 2
        runs = (await other.read_resource("quaestor://runs")).contents[0].text  # type: ignore[union-attr]
        assert runs == "[]"
