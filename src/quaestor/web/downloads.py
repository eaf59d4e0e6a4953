"""Conversations as a file to keep."""

import asyncio
import re
from collections.abc import Sequence
from urllib.parse import quote

from starlette.responses import Response

from quaestor.application.exporting import ExportFormat, export_bytes
from quaestor.exports.conversation import ExportedConversation

KINDS: dict[ExportFormat, tuple[str, str]] = {
    "xlsx": ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "csv": ("csv", "text/csv; charset=utf-8"),
    "json": ("json", "application/json"),
    "markdown": ("md", "text/markdown; charset=utf-8"),
    "html": ("html", "text/html; charset=utf-8"),
}
"""The end of the name and the type of each format."""


async def download(conversations: Sequence[ExportedConversation], about: str, format: ExportFormat) -> Response:
    """Return conversations as a file, which a browser keeps and does not open in the place of the page.

    Args:
        about: What the document or the run is called, by which the file is named.
    """
    suffix, kind = KINDS[format]
    data = await asyncio.to_thread(export_bytes, format, conversations)
    name = f"{about.rpartition('.')[0] or about} answers.{suffix}"
    plain = re.sub(r"[^A-Za-z0-9._ -]+", "-", name)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return Response(data, media_type=kind, headers={"Content-Disposition": disposition})
