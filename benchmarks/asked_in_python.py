"""Answers questions in Python like a script: `python -m benchmarks.asked_in_python DOCUMENT [--mcp]`.

Each input line asks a question or starts a conversation with one; each output line contains the answers as JSON. It
runs one task without a server: this is the baseline of `benchmarks.assistants`. With `--mcp` the questions go through
the SDK of the protocol, with nothing else in between.
"""

import asyncio
import json
import sys
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolRequestParams, CallToolResult, TextContent

from quaestor.application.ask_service import AskRequest
from quaestor.application.chat_service import Chat
from quaestor.application.file_cache import file_cache
from quaestor.application.replies import answers_of
from quaestor.application.resolve import read_page
from quaestor.library.waiting import run_in_background
from quaestor.settings import load_settings


class PythonConversations:
    """Conversations about a document."""

    def __init__(self, document: str) -> None:
        """Take the name of the document, as for `quaestor ask`."""
        settings = load_settings({})
        cache = file_cache(settings)
        self._page, self._request = read_page(document, cache), AskRequest(settings, keep=True, cache=cache)
        self._chats: dict[str, Chat] = {}

    async def answer(self, given: dict[str, Any]) -> dict[str, Any]:
        """Answer a question in its conversation or in a new one."""
        name = given.get("conversation", str(len(self._chats)))
        if name not in self._chats:
            self._chats[name] = Chat(self._page, self._request)
            await self._chats[name].open()
        chat = self._chats[name]
        turns = await chat.ask(given["question"])
        answers = answers_of(chat.turns, chat.document, chat.run, len(chat.turns) - len(turns) + 1)
        replies = [answer.model_dump(mode="json") for answer in answers]
        return {"conversation": name, "answers": replies}


async def _over_a_pipe(answering: PythonConversations) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            given = message["params"].get("arguments")
            result = {} if given is None else {"structuredContent": await answering.answer(given)}
            sys.stdout.write(json.dumps({"id": message["id"], "result": result}, ensure_ascii=False) + "\n")
            sys.stdout.flush()


async def _over_mcp(answering: PythonConversations) -> None:
    async def call_tool(_: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> CallToolResult:
        result = await run_in_background(answering.answer(params.arguments or {}))
        return CallToolResult(
            content=[TextContent(text=json.dumps(result, ensure_ascii=False))], structured_content=result
        )

    server: Server[Any] = Server("python", on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run((_over_mcp if "--mcp" in sys.argv else _over_a_pipe)(PythonConversations(sys.argv[1])))
