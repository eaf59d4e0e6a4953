"""Resources (documents and their text, conversations, runs) and the prompt for writing a plan.

A conversation can be read by anyone who knows its id, which cannot be guessed. Runs that store conversations of users
are therefore not listed.
"""

import json
from collections.abc import Mapping
from urllib.parse import quote, unquote

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, Resource, ResourceTemplate, TextContent
from pydantic import JsonValue

from quaestor.application.outline import outline_of, text_parts
from quaestor.application.replies import answer_objects
from quaestor.core import serial
from quaestor.core.computing import compute
from quaestor.errors import InputError, UnknownRunError
from quaestor.mcp_server.calls import escape, sendable
from quaestor.mcp_server.server_context import ServerContext
from quaestor.store.records import RunRecord

SCHEME = "quaestor://"
JSON, MARKDOWN = "application/json", "text/markdown"

_MOST_DOCUMENTS, _MOST_CONVERSATIONS, _MOST_RUNS = 500, 100, 200
_LONGEST = 4_000

TEMPLATES = (
    ResourceTemplate(
        uri_template=f"{SCHEME}documents/{{document}}",
        name="document",
        description="The outline of a document: sections, tables, warnings. Percent-encode the name.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        uri_template=f"{SCHEME}documents/{{document}}/text/{{part}}",
        name="text",
        description="A part of the text of a document; parts count from 1.",
        mime_type=MARKDOWN,
    ),
    ResourceTemplate(
        uri_template=f"{SCHEME}conversations/{{conversation}}",
        name="conversation",
        description="All questions and answers of a conversation.",
        mime_type=JSON,
    ),
    ResourceTemplate(
        uri_template=f"{SCHEME}runs/{{run}}",
        name="run",
        description="A run of a solver over a dataset: its settings and progress.",
        mime_type=JSON,
    ),
)


async def list_resources(context: ServerContext) -> list[Resource]:
    """List the resources: documents, runs and, if the server has a single client, its conversations."""
    found = [
        Resource(uri=f"{SCHEME}documents/{quote(name, safe='')}", name=sendable(name), mime_type=JSON)
        for name in (await context.reading.names())[:_MOST_DOCUMENTS]
    ]
    for id in reversed(context.new_conversations[-_MOST_CONVERSATIONS:] if context.lists else []):
        found.append(Resource(uri=f"{SCHEME}conversations/{id}", name=f"conversation {id}", mime_type=JSON))
    found.append(Resource(uri=f"{SCHEME}runs", name="runs", description="The runs of the store.", mime_type=JSON))
    return found


async def read(context: ServerContext, uri: str) -> tuple[str, str]:
    """Return the content of a resource and its MIME type."""
    is_ours = uri.startswith(SCHEME) and len(uri) <= _LONGEST
    match [unquote(part) for part in uri.removeprefix(SCHEME).split("/")] if is_ours else []:
        case ["documents", name]:
            document = (await context.reading.open(name)).page.document
            return _json((await compute(outline_of, document)).model_dump(mode="json")), JSON
        case ["documents", name, "text", number] if number.isascii() and number.isdigit() and len(number) < 6:
            parts = await compute(text_parts, (await context.reading.open(name)).page.document)
            if not 1 <= int(number) <= len(parts):
                raise InputError(f"part {number} does not exist; the document has parts 1 to {len(parts)}")
            return sendable(parts[int(number) - 1].text), MARKDOWN
        case ["conversations", id]:
            return _json(await _conversation(context, id)), JSON
        case ["runs"]:
            runs = [run for run in await context.store.runs() if run.kind != "ask"]
            return _json([_run(run) for run in runs[:_MOST_RUNS]]), JSON
        case ["runs", id]:
            run = await context.store.run(id)
            if run.kind == "ask":
                raise UnknownRunError(f"unknown run {id[:80]!r}")
            progress = await context.store.progress(run.id)
            return _json({**_run(run), "conversations_by_status": dict(progress.items())}), JSON
    raise InputError("unknown resource; list the resources and resource templates for valid addresses")


async def _conversation(context: ServerContext, id: str) -> JsonValue:
    state = await context.find_state(id)
    turns = answer_objects(state.turns, state.document, state.saved.run)
    return {
        "conversation": id,
        "document": context.reading.name_of(state.page),
        "title": state.saved.title,
        "turns": turns,
    }


def _run(run: RunRecord) -> dict[str, JsonValue]:
    return {**serial.dump(run), "dataset": run.dataset.rpartition("/")[2]}


def _json(value: JsonValue) -> str:
    return json.dumps(escape(value), ensure_ascii=False)


WRITE_PLAN = Prompt(
    name="write_plan",
    title="Write a plan for a question",
    description="The rules of plans, the part of the document that a question is answered from, and the question. The "
    "plan is computed by the tool calculate.",
    arguments=[
        PromptArgument(name="document", description="The name of a document.", required=False),
        PromptArgument(
            name="conversation", description="The id of a conversation, instead of a document.", required=False
        ),
        PromptArgument(name="question", description="The question.", required=True),
    ],
)

_THEN = (
    "Write the plan as JSON (thought_process, steps, and no_answer if there is no answer), and call the tool calculate "
    "with it as plan, with the same question and the same document or conversation. If the plan is rejected, the "
    "message names the step to correct."
)


async def planning_prompt(context: ServerContext, given: Mapping[str, str]) -> GetPromptResult:
    """Return the planning prompt for a question."""
    if unknown := given.keys() - {"document", "conversation", "question"}:
        raise InputError(
            f"unknown argument {sorted(unknown)[0][:80]!r}; write_plan takes question, document and conversation"
        )
    document, conversation, question = given.get("document"), given.get("conversation"), given.get("question", "")
    page = await context.page_of(document, conversation)
    turns = () if conversation is None else (await context.find_state(conversation)).turns
    prompt = await context.bench.planning_prompt(page, question, turns)
    text = sendable(f"{prompt.system}\n\n{prompt.page}\n\n{_THEN}")
    return GetPromptResult(
        description=WRITE_PLAN.description, messages=[PromptMessage(role="user", content=TextContent(text=text))]
    )
