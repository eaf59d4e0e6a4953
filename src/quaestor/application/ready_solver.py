"""Warms up the process that workers are forked from: importing this module loads what the first question needs."""

import asyncio
import gc
from contextlib import suppress
from pathlib import Path

from quaestor.application.ask_service import AskRequest, make_excerpts, make_runner, resolve_solver
from quaestor.application.resolve import SAMPLE, read_pages
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.readers.content import FileContent
from quaestor.readers.reading import read_file
from quaestor.settings import Settings

_FILING = b"""# Annual report 2023

| Years ended (in millions) | 2023 | 2022 |
|---|---|---|
| Net sales | $ 120.5 | $ 110.0 |
| Net income | 12.5 | 9.0 |
"""
_LONG = _FILING + b"\nNet sales rose because prices rose in all of our markets.\n" * 40
_LEAST_TOKENS = 300
"""With this limit, a document that is quick to read counts as long."""
_QUESTIONS = ("what were net sales in 2023?", "and in 2022?", "what was the change?", "who is the chief executive?")


async def _ask(document: Document) -> None:
    request = AskRequest(Settings(excerpt_tokens=_LEAST_TOKENS))
    async with resolve_solver(request) as solver:
        runner = make_runner(
            Conversation(document.id, document, ()), solver, None, make_excerpts(document, request), None
        )
        await runner.begin()
        for question in _QUESTIONS:
            await runner.ask(question)


with suppress(Exception):  # the worker that gets the question reports the error
    asyncio.run(_ask(read_pages(SAMPLE)[0].document))
    for filing in (_FILING, _LONG):
        asyncio.run(_ask(read_file(FileContent(Path("filing.md"), filing))[1]))  # type: ignore[index]
gc.collect()
gc.freeze()  # these objects stay shared with the workers until they are changed
