import asyncio
from pathlib import Path

import pytest
from made_up import a_record, write_dataset

from quaestor.application.answer_workers import WorkerPage, open_workers
from quaestor.application.ask_service import AskRequest
from quaestor.application.document_tools import DocumentTools
from quaestor.application.replies import explain_turn
from quaestor.application.resolve import DocumentInCorpus, read_page
from quaestor.errors import InputError, QueryError, QuestionError
from quaestor.settings import Settings

pytestmark = pytest.mark.anyio

SAMPLE = "sample#NORD/2012/page_41.pdf"
QUESTION = "what was the percentage change in total net sales from 2011 to 2012?"


def a_plan(*rows: str) -> dict[str, object]:
    extracts = [
        {"step_id": place, "tool": "extract_value", "source": "table", "params": {"row_query": row, "col_query": year}}
        for place, (row, year) in enumerate(zip(rows, ("2012", "2011"), strict=True), start=1)
    ]
    operands = [{"type": "reference", "step_ref": place} for place in (1, 2)]
    last = {"step_id": 3, "tool": "compute", "operation": "percentage_change", "operands": operands}
    return {"thought_process": "both years", "steps": [*extracts, last]}


@pytest.fixture
def page() -> DocumentInCorpus:
    return read_page(SAMPLE)


async def test_plan_with_labels_is_resolved_and_computed(page: DocumentInCorpus) -> None:
    turn = await DocumentTools(AskRequest(Settings())).calculate(
        page, (), None, {}, a_plan("total net sales", "total net sales"), QUESTION
    )
    assert str(turn.answer) == "6.9 %"
    assert turn.answer.formula == "(1036.8 - 969.7) / 969.7"
    assert len(explain_turn([turn], 1, page.document).steps) == 3


@pytest.mark.parametrize("plan", [a_plan("net sales in all", "total net sales"), {"steps": 1}])
async def test_invalid_or_empty_plan_is_refused(page: DocumentInCorpus, plan: dict[str, object]) -> None:
    with pytest.raises(InputError):
        await DocumentTools(AskRequest(Settings())).calculate(page, (), None, {}, plan, QUESTION)


@pytest.mark.very_slow
async def test_tools_run_in_workers(page: DocumentInCorpus) -> None:
    request = AskRequest(Settings())
    async with open_workers(request, 1) as workers:
        bench = DocumentTools(request, workers)
        assert await bench.find(page, "operating income") == await DocumentTools(request).find(page, "operating income")
        assert len((await bench.query(page, "SELECT ?v { ?o kg:value ?v . FILTER(?v = 88.1) }")).rows) == 1
        with pytest.raises(QueryError):
            await bench.query(page, "SELECT ?v { ?o")
        turn = await bench.calculate(page, (), None, {}, a_plan("total net sales", "total net sales"), QUESTION)
        assert str(turn.answer) == "6.9 %"
        with pytest.raises(InputError):
            await bench.calculate(page, (), None, {}, {"steps": 1}, QUESTION)


@pytest.mark.parametrize("question", ["", " ", "x" * 20_000, "\ud800"])
async def test_invalid_questions_are_refused(page: DocumentInCorpus, question: str) -> None:
    with pytest.raises(QuestionError):
        await DocumentTools(AskRequest(Settings())).find(page, question)


async def test_derived_data_of_a_document_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[WorkerPage] = []

    def counting(page: DocumentInCorpus, request: AskRequest) -> WorkerPage:
        pages.append(WorkerPage(page, request))
        return pages[-1]

    monkeypatch.setattr("quaestor.application.document_tools.WorkerPage", counting)
    page = read_page(str(write_dataset(tmp_path / "pages.json", a_record())))
    bench = DocumentTools(AskRequest(Settings()))
    await asyncio.gather(*(bench.find(page, "net sales") for _ in range(5)))
    assert len(pages) == 1
