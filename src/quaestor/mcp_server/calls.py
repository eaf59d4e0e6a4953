"""Tool calls: validation of arguments, execution, limits on results, and error messages."""

import asyncio
import json
import logging
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
"""Maximum number of concurrent calls; more are rejected."""

LARGEST = 2_000_000
"""Maximum length of a result in characters."""

INTERNAL = "internal server error; see the server log for details. Other calls may succeed"
_LONGEST_LINE = 1_000
_MOST_FAULTS = 5

R = TypeVar("R")

Progress = Callable[[str], None]
"""Called in the event loop with a line about the progress of a call."""


def ignore_progress(line: str) -> None:
    """Discard progress lines, for clients that did not request them."""


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A function that assistants can call, with the types of its arguments and its result."""

    name: str
    title: str
    description: str
    arguments: type[BaseModel]
    result: type[BaseModel]
    work: Callable[..., Awaitable[BaseModel]]
    writes: bool = False


def tool(title: str, *, writes: bool = False) -> Callable[[Callable[..., Awaitable[BaseModel]]], ServedTool]:
    """Turn a function into a tool with its name, described by its docstring.

    The function's first two parameters are the context and the progress callback; the others are the tool's arguments.
    """

    def serve(work: Callable[..., Awaitable[BaseModel]]) -> ServedTool:
        hints = get_type_hints(work, include_extras=True)
        parameters = list(signature(work).parameters.values())[2:]
        fields: dict[str, Any] = {
            one.name: (hints[one.name], ... if one.default is Parameter.empty else one.default) for one in parameters
        }
        # Deferred, so that each validator is built at the first call of its tool.
        config = ConfigDict(extra="forbid", strict=True, defer_build=True)
        arguments = create_model(f"{work.__name__}_arguments", __config__=config, **fields)
        description = " ".join((work.__doc__ or "").split())
        return ServedTool(work.__name__, title, description, arguments, hints["return"], work, writes)

    return serve


class Calls:
    """The running calls of a server. Must be used from a single event loop."""

    def __init__(self) -> None:
        self._running = 0

    async def call(
        self, tool: ServedTool, given: Mapping[str, Any], context: ServerContext, report: Progress
    ) -> CallToolResult:
        """Run a tool, and return its result or an error message that the client can act on."""
        if self._running >= AT_ONCE:
            return _fail(f"{AT_ONCE} calls are already running; wait for a result before the next call")
        try:
            arguments = tool.arguments.model_validate_json(json.dumps(given))
        except ValidationError as error:
            return _fail(f"invalid arguments for {tool.name}: {_faults(error, given)}")
        except (RecursionError, ValueError):
            return _fail(f"invalid arguments for {tool.name}: they are nested too deeply or too large")
        self._running += 1
        try:
            values = {name: getattr(arguments, name) for name in tool.arguments.model_fields}
            return _succeed(await _finish(tool.work(context, report, **values)))
        except QuaestorError as error:
            return _fail(error_line(error, _LONGEST_LINE))
        except Exception as error:  # noqa: BLE001  # outermost handler of the server
            log_unforeseen(LOG, error, tool.name, _LONGEST_LINE)
            return _fail(INTERNAL)
        finally:
            self._running -= 1


async def _finish(work: Awaitable[R]) -> R:
    """Run a coroutine. On cancellation, cancel it once and wait until it has cleaned up."""
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
    structured = cast("dict[str, JsonValue]", escape(result.model_dump(mode="json")))
    text = json.dumps(structured, ensure_ascii=False)
    if len(text) > LARGEST:
        return _fail(
            f"the result is too large ({len(text):,} characters; the limit is {LARGEST:,}); request less at once"
        )
    return CallToolResult(content=[TextContent(text=text)], structured_content=structured)


def escape(value: JsonValue) -> JsonValue:
    """Make control characters visible in all strings of a value, including field names."""
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, list):
        return [escape(one) for one in value]
    return {sendable(name): escape(one) for name, one in value.items()} if isinstance(value, dict) else value


def sendable(text: str) -> str:
    r"""Make control characters visible, and replace lone surrogates, which UTF-8 cannot encode.

    >>> sendable("net\x1b[2J \ud800")
    'net␛[2J ?'
    """
    shown_text = visible(text)
    return shown_text if shown_text.isascii() else shown_text.encode("utf-8", "replace").decode("utf-8")


def _fail(line: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=sendable(line))], is_error=True)


def _faults(error: ValidationError, given: Mapping[str, Any]) -> str:
    found = read_faults(error.errors(include_url=False), given)
    lines = [f"{where}: {what}" if where else what for where, what in found[:_MOST_FAULTS]]
    more = f"; and {len(found) - _MOST_FAULTS} more" if len(found) > _MOST_FAULTS else ""
    return " ".join("; ".join(lines).split())[:_LONGEST_LINE] + more
