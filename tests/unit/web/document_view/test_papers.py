from typing import Any

import pytest

from quaestor.documents.assembly import ParagraphPart, assemble
from quaestor.documents.document import Document
from quaestor.web.site import Site

pytestmark = pytest.mark.anyio


def a_document(name: str) -> Document:
    return assemble(name, [ParagraphPart((f"{name} was 5 .",))])


async def test_document_is_split_once_and_cached() -> None:
    nothing: Any = None
    site, document = Site(*[nothing] * 7), a_document("one")
    first = await site.paper(document)
    assert await site.paper(document) is first
    others = [a_document(f"other {number}") for number in range(20)]
    assert [(await site.paper(other)).document for other in others] == others
    assert await site.paper(document) is not first
