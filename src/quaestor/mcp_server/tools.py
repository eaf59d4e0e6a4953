"""The tools: what each is called, what it says of itself, and its work, which `application` does."""

import base64
from collections.abc import Mapping
from typing import Any

from quaestor.application.answers import answer_objects
from quaestor.application.askable import askable_lines
from quaestor.application.choices import answerers
from quaestor.application.conversation_state import AnsweredNow
from quaestor.application.document_text import text_parts
from quaestor.application.explaining import explanation_object, step_objects
from quaestor.application.exporting import ExportFormat, export_bytes
from quaestor.application.files import OutputFile
from quaestor.application.graph_query import query_object
from quaestor.application.number_check import check_object
from quaestor.application.place_service import place_object
from quaestor.application.read_service import outline_object, table_object, table_of
from quaestor.application.resolve import CorpusPage
from quaestor.conversation.event_lines import event_lines
from quaestor.conversation.events import Event
from quaestor.conversation.turn import Turn
from quaestor.core.computing import compute
from quaestor.documents.document import Document
from quaestor.documents.health import DocumentHealth, health_doubts, health_words, table_health
from quaestor.errors import InputError, SeveralPagesError, unknown_name
from quaestor.graph.sparql import Limits
from quaestor.mcp_server.arguments import (
    AskArguments,
    CalculateArguments,
    CheckNumberArguments,
    ExplainArguments,
    ExportArguments,
    FindArguments,
    QueryGraphArguments,
    ReadDocumentArguments,
)
from quaestor.mcp_server.calls import ServedTool, Told, untold
from quaestor.mcp_server.results import (
    AskResult,
    CalculateResult,
    CheckNumberResult,
    ExplainResult,
    ExportResult,
    FindResult,
    QueryResult,
    ReadResult,
)
from quaestor.mcp_server.server_context import ServerContext

Given = Mapping[str, Any]

_MOST_SECTIONS, _MOST_TABLES, _MOST_LINES, _MOST_WARNINGS = 200, 200, 60, 20
_MOST_COLUMNS = 20
_LARGEST_EXPORT = 1_000_000
"""Bytes of a file that is returned and not written."""

_SUFFIXES: Mapping[ExportFormat, str] = {
    "xlsx": ".xlsx", "csv": ".csv", "json": ".json", "markdown": ".md", "html": ".html",
}  # fmt: skip


async def _read(context: ServerContext, given: ReadDocumentArguments, told: Told) -> Given:
    if given.document is None:
        if given.part is not None or given.table is not None:
            raise InputError("`part` and `table` require `document`")
        return {"documents": await context.reading.names()}
    told(f"reading {given.document}")
    try:
        opened = await context.reading.open(given.document)
    except SeveralPagesError:
        return {"documents": await context.reading.pages(given.document)}
    document = opened.page.document
    if given.table is not None:
        table = table_of(document, given.table)
        shown, doubts = table_object(document, table), health_doubts(table, table_health(table))
        return {"documents": [], "document": opened.name, "table": {**shown, "doubts": [*doubts]}}
    parts = await compute(text_parts, document)
    if given.part is None:
        return {"parts": len(parts), **await compute(_outline, document), "document": opened.name}
    if given.part > len(parts):
        raise InputError(f"part {given.part} does not exist; {opened.name} has parts 1 to {len(parts)}")
    part = parts[given.part - 1]
    return {"documents": [], "document": opened.name, "parts": part.of, "part": part.number, "text": part.text}


def _outline(document: Document) -> dict[str, Any]:
    outline: Any = outline_object(document)
    lines = list(askable_lines(document))
    sections = [" > ".join(section["path"]) for section in outline["sections"] if section["path"]]
    tables = outline["tables"]
    left = [
        f"{len(found) - most} {called}"
        for called, found, most in (
            ("sections", sections, _MOST_SECTIONS),
            ("tables", tables, _MOST_TABLES),
            ("lines", lines, _MOST_LINES),
            ("warnings", outline["warnings"], _MOST_WARNINGS),
        )
        if len(found) > most
    ]
    return {
        "documents": [],
        "pages": outline["pages"],
        "sections": sections[:_MOST_SECTIONS],
        "tables": [
            {
                **head,
                "columns": [column["label"] for column in head["columns"][1 : _MOST_COLUMNS + 1]],
                "periods": [column["period"] for column in head["columns"][1 : _MOST_COLUMNS + 1]],
                "doubts": health_doubts(table, table_health(table)),
            }
            for head, table in zip(tables[:_MOST_TABLES], document.tables, strict=False)
        ],
        "lines": [{"label": line.label, "years": line.years} for line in lines[:_MOST_LINES]],
        "health": health_words(DocumentHealth(**outline["health"])),
        "warnings": outline["warnings"][:_MOST_WARNINGS],
        "left_out": f"{', '.join(left)} more; `find` searches all of them" if left else None,
    }


async def _find(context: ServerContext, given: FindArguments, told: Told) -> Given:
    page = await context.page_of(given.document, given.conversation)
    earlier = [turn.question for turn in await _turns(context, given.conversation)]
    places = await context.bench.find(page, given.words, earlier, given.most)
    return {"document": context.reading.name_of(page), "places": [place_object(place) for place in places]}


async def _ask(context: ServerContext, given: AskArguments, told: Told) -> Given:
    sessions, id = context.sessions, given.conversation
    if id is None:
        assert given.document is not None
        told(f"reading {given.document}")
        opened = await context.reading.open(given.document)
        id = sessions.kept.begin(opened.id, opened.page.document.id).id
        try:
            found = await _answered(context, id, given, told)
        except BaseException:
            await sessions.delete(id)
            raise
        context.note(id)
    else:
        found = await _answered(context, id, given, told)
    answers = list(answer_objects(found.turns, found.document, found.run, found.first - 1))
    return {
        "conversation": id,
        "document": context.reading.name_of(found.page),
        "answers": answers,
        "first_turn": found.first,
        "solver": found.solver,
        "unkept": found.unkept,
    }


async def _answered(context: ServerContext, id: str, given: AskArguments, told: Told) -> AnsweredNow:
    def listen(question: str, news: Event | Turn) -> None:
        for line in () if isinstance(news, Turn) else event_lines([news]):
            told(line)

    solver = None if given.solver is None else _solver_named(context, given.solver)
    return await context.ask(id, given.question, None if told is untold else listen, solver)


def _solver_named(context: ServerContext, name: str) -> str:
    """Return the id of who is called so: by name, or by id."""
    known = answerers(context.sessions.asking)
    for found in known:
        if name in (found.id, found.name):
            return found.id
    raise InputError(unknown_name("solver", name, [one.name for one in known]))


async def _query(context: ServerContext, given: QueryGraphArguments, told: Told) -> Given:
    told(f"reading {given.document}")
    page = (await context.reading.open(given.document)).page
    found = await context.bench.query(page, given.sparql, Limits(rows=given.most))
    return query_object(found, page.document)


async def _calculate(context: ServerContext, given: CalculateArguments, told: Told) -> Given:
    turns = await _turns(context, given.conversation)
    nowhere = given.document is None and given.conversation is None
    page = _NOWHERE if nowhere else await context.page_of(given.document, given.conversation)
    if given.formula is not None:
        turn = await context.bench.formula(page.document, given.formula, given.values, turns)
    else:
        assert given.plan is not None
        assert given.question is not None
        turn = await context.bench.plan(page, given.plan, given.question, turns)
    (said,) = answer_objects([*turns, turn], page.document, None, len(turns))
    return {**said, "steps": step_objects(turn, turns, page.document)}


_NOWHERE = CorpusPage.of(Document("no document", (), ()))


async def _explain(context: ServerContext, given: ExplainArguments, told: Told) -> Given:
    state = await context.look(given.conversation)
    return explanation_object(state.turns, given.turn, state.document, state.kept.run)


async def _check_number(context: ServerContext, given: CheckNumberArguments, told: Told) -> Given:
    document = (await context.page_of(given.document, given.conversation)).document
    found = await context.bench.check_number(document, given.number, given.most)
    return check_object(found, document)


async def _export(context: ServerContext, given: ExportArguments, told: Told) -> Given:
    state = await context.look(given.conversation)
    name = _file_name(given)
    if given.file is not None and context.exports is None:
        raise InputError("the server was started without an export folder; omit `file` to receive the content")
    exported = await context.sessions.exported(given.conversation)
    told(f"writing {len(state.turns)} answers as {given.format}")
    data = await compute(export_bytes, given.format, [exported])
    made: dict[str, Any] = {"format": given.format, "name": name, "size": len(data)}
    if given.file is not None and context.exports is not None:
        output = OutputFile(context.exports / name)
        with output.replacing() as path:
            path.write_bytes(data)
        return {**made, "written": name, "text": None, "data": None}
    if len(data) > _LARGEST_EXPORT:
        raise InputError(
            f"the file is too large to return ({len(data):,} bytes); set `file` to write it to the export folder"
        )
    if given.format == "xlsx":
        return {**made, "written": None, "text": None, "data": base64.b64encode(data).decode()}
    return {**made, "written": None, "text": data.decode(), "data": None}


def _file_name(given: ExportArguments) -> str:
    """Return the name of a file of a format, which is in no other folder than the one for exports.

    Raises:
        InputError: It is not the name of a file, or ends as another format's.
    """
    suffix = _SUFFIXES[given.format]
    name = given.file if given.file is not None else f"answers{suffix}"
    plain = name.isprintable() and not set(name) & set('/\\:*?"<>|') and not name.startswith(".")
    if not plain or name != name.strip():
        raise InputError(f"{name[:80]!r} is not a file name; give a name without folders")
    if not name.lower().endswith(suffix):
        raise InputError(f"{name[:80]!r} must end in {suffix} for the format {given.format}")
    return name


async def _turns(context: ServerContext, conversation: str | None) -> tuple[Turn, ...]:
    return () if conversation is None else (await context.look(conversation)).turns


TOOLS: tuple[ServedTool[Any], ...] = (
    ServedTool(
        "read_document",
        "Read a document",
        "List the available documents, or show one: its sections, tables and line items, a part of its text (part), or "
        "a table with all its cells (table).",
        ReadDocumentArguments,
        ReadResult,
        _read,
    ),
    ServedTool(
        "find",
        "Find relevant passages",
        "Find the tables and passages of a document that may contain the answer to a question, best first.",
        FindArguments,
        FindResult,
        _find,
    ),
    ServedTool(
        "ask",
        "Ask a question",
        "Answer a question about a document with the exact number, its formula, its source cells and sentences, and "
        "a confidence, or report that the document does not contain the answer. Give a document to start a "
        "conversation and the conversation's id to continue it: later questions can be 'and in 2023?' or 'what is that "
        "in percent?'.",
        AskArguments,
        AskResult,
        _ask,
        writes=True,
    ),
    ServedTool(
        "query_graph",
        "Query the graph of a document",
        "Run a SPARQL query (SELECT or ASK, within limits) over the facts of a document: every number with its row, "
        "column, period, scale and unit.",
        QueryGraphArguments,
        QueryResult,
        _query,
    ),
    ServedTool(
        "calculate",
        "Calculate exactly",
        "Compute a formula over named values, or a plan, exactly and with the source of each number. A value is a cell "
        "given by its labels, a number in the text given by the words around it, an earlier answer, or a given number.",
        CalculateArguments,
        CalculateResult,
        _calculate,
    ),
    ServedTool(
        "explain",
        "Explain an answer",
        "Explain an answer of a conversation: its grounds, other interpretations of the question, the steps with their "
        "results, and the trace.",
        ExplainArguments,
        ExplainResult,
        _explain,
    ),
    ServedTool(
        "check_number",
        "Check a number",
        "Check whether a document contains a number, where, and how it matches: as printed, in the scale of its table, "
        "rounded, or with the opposite sign.",
        CheckNumberArguments,
        CheckNumberResult,
        _check_number,
    ),
    ServedTool(
        "export",
        "Export a conversation",
        "Export a conversation as a workbook with live formulas (xlsx), csv, json, markdown or html. The content is "
        "returned, or written to the export folder if the server has one.",
        ExportArguments,
        ExportResult,
        _export,
        writes=True,
    ),
)
"""All tools."""
