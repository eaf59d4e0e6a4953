"""A call of a tool: its arguments read, its work done, its result held to its schema, every failure told in words."""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any, TypeVar, cast, get_type_hints

from anyio import CancelScope
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, create_model

from quaestor.application.error_lines import error_line, log_unforeseen, read_faults
from quaestor.core.visible import visible
from quaestor.errors import QuaestorError
from quaestor.mcp_server.server_context import ServerContext

LOG = logging.getLogger("quaestor.mcp")

AT_ONCE = 32
"""How many calls are under way at once; more are told to come again."""

LARGEST = 2_000_000
"""The most characters of a result."""

_LEADING = re.compile(r"\\[bfu]|[^\x20-\x7e\xa0-\u2029\u202f-\u2065\u206a-\ud7ff\ue000-\U0010ffff]")
"""What JSON may hold of characters that `sendable` changes: escapes among them, and escapes of others."""

INTERNAL = "internal server error; see the server log for details. Other calls may succeed"
_LONGEST_LINE = 1_000
_MOST_FAULTS = 5

R = TypeVar("R")

Progress = Callable[[str], None]
"""Is told in a line what happens meanwhile, in the event loop."""


def ignore_progress(line: str) -> None:
    """Tell nobody: the client has not asked to be told."""


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A function that assistants can call, with the types of its arguments and its result.

    Attributes:
        writes: Whether it changes anything: begins or goes on with a conversation, writes a file.
    """

    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    result: type[BaseModel]
    work: Callable[..., Awaitable[BaseModel]]
    writes: bool = False


def tool(title: str, *, writes: bool = False) -> Callable[[Callable[..., Awaitable[BaseModel]]], ServedTool]:
    """Make a function a tool of its name, described by its docstring; it takes the context and a listener first."""

    def serve(work: Callable[..., Awaitable[BaseModel]]) -> ServedTool:
        hints = get_type_hints(work, include_extras=True)
        parameters = list(signature(work).parameters.values())[2:]
        fields: dict[str, Any] = {one.name: (hints[one.name], _default(one)) for one in parameters}
        # What checks them is built with the first call of their tool.
        config = ConfigDict(extra="forbid", strict=True, defer_build=True)
        arguments = create_model(f"{work.__name__}_arguments", __config__=config, **fields)
        description = " ".join((work.__doc__ or "").split())
        return ServedTool(work.__name__, title, description, arguments, hints["return"], work, writes)

    return serve


def _default(parameter: Parameter) -> Any:
    return ... if parameter.default is Parameter.empty else parameter.default


class Calls:
    """The calls of a server. All are made from one event loop."""

    def __init__(self) -> None:
        """Nothing is under way."""
        self._under_way = 0

    async def call(
        self, tool: ServedTool, given: Mapping[str, Any], context: ServerContext, report: Progress
    ) -> CallToolResult:
        """Return what a tool gives, or why it gives nothing, in words on which whoever called it can act."""
        if self._under_way >= AT_ONCE:
            return _fail(f"{AT_ONCE} calls are already running; wait for a result before the next call")
        try:
            arguments = tool.arguments.model_validate_json(json.dumps(given))
        except ValidationError as error:
            return _fail(f"invalid arguments for {tool.name}: {_faults(error, given)}")
        except (RecursionError, ValueError):
            return _fail(f"invalid arguments for {tool.name}: they are nested too deeply or too large")
        self._under_way += 1
        try:
            return await _do(tool, arguments, context, report)
        finally:
            self._under_way -= 1


async def _do(tool: ServedTool, arguments: BaseModel, context: ServerContext, report: Progress) -> CallToolResult:
    try:
        given = {name: getattr(arguments, name) for name in tool.arguments.model_fields}
        return _succeed(await _finish(tool.work(context, report, **given)))
    except QuaestorError as error:
        return _fail(error_line(error, _LONGEST_LINE))
    except Exception as error:  # noqa: BLE001  # the edge of the program: nothing above could handle it
        log_unforeseen(LOG, error, tool.name, _LONGEST_LINE)
        return _fail(INTERNAL)


async def _finish(work: Awaitable[R]) -> R:
    """Return what some work gives. Where the call is cancelled the work is told once, and has time to put away."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with CancelScope(shield=True):
            await asyncio.wait([task])
        if not task.cancelled():
            task.exception()
        raise


def _succeed(result: BaseModel) -> CallToolResult:
    structured = result.model_dump(mode="json")
    text = json.dumps(structured, ensure_ascii=False)
    if needs_escape(text):
        structured = cast("dict[str, JsonValue]", escape(structured))
        text = json.dumps(structured, ensure_ascii=False)
    if len(text) > LARGEST:
        return _fail(
            f"the result is too large ({len(text):,} characters; the limit is {LARGEST:,}); request less at once"
        )
    return CallToolResult(content=[TextContent(text=text)], structured_content=structured)


def needs_escape(text: str) -> bool:
    """Return whether `escape` may change anything of a value that is written so in JSON; of most it changes nothing."""
    return _LEADING.search(text) is not None


def escape(value: JsonValue) -> JsonValue:
    """Return a value whose texts lead no terminal and turn nothing around, names of fields included."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, list):
        return [escape(one) for one in value]
    return {sendable(name): escape(one) for name, one in value.items()} if isinstance(value, dict) else value


def sendable(text: str) -> str:
    r"""Return a text that leads no terminal and that a message can hold: none with half a surrogate pair.

    >>> sendable("net\x1b[2J \ud800")
    'net␛[2J ?'
    """
    shown_text = visible(text)
    return shown_text if shown_text.isascii() else shown_text.encode("utf-8", "replace").decode("utf-8")


def _fail(line: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=sendable(line))], is_error=True)


def _faults(error: ValidationError, given: Mapping[str, Any]) -> str:
    """Return what is wrong with arguments, field by field."""
    found = read_faults(error.errors(include_url=False), given)
    lines = [f"{where}: {what}" if where else what for where, what in found[:_MOST_FAULTS]]
    more = f"; and {len(found) - _MOST_FAULTS} more" if len(found) > _MOST_FAULTS else ""
    return " ".join("; ".join(lines).split())[:_LONGEST_LINE] + more
