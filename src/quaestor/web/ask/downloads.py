"""A conversation as a file to keep."""

import asyncio
import re
from urllib.parse import quote

from starlette.responses import Response

from quaestor.application.exporting import ExportFormat, export_bytes
from quaestor.exports.conversation import ExportedConversation

_KINDS: dict[ExportFormat, tuple[str, str]] = {
    "xlsx": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "csv": ("csv", "text/csv; charset=utf-8"),
    "json": ("json", "application/json"),
    "markdown": ("md", "text/markdown; charset=utf-8"),
    "html": ("html", "text/html; charset=utf-8"),
}


async def download(conversation: ExportedConversation, about: str, format: ExportFormat) -> Response:
    """Returns a conversation as a file, which a browser keeps and does not open in the place of the page.

    Args:
        conversation: What is handed on.
        about: What the document is called, by which the file is named.
        format: Of the file.
    """
    suffix, kind = _KINDS[format]
    data = await asyncio.to_thread(export_bytes, format, [conversation])
    name = f"{about.rpartition('.')[0] or about} answers.{suffix}"
    plain = re.sub(r"[^A-Za-z0-9._ -]+", "-", name)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return Response(data, media_type=kind, headers={"Content-Disposition": disposition})
