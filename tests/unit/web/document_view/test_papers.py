import pytest

from quaestor.documents.assembly import ParagraphPart, assemble
from quaestor.documents.document import Document
from quaestor.web.document_view.parts import DocumentCache

pytestmark = pytest.mark.anyio


def a_document(name: str) -> Document:
    return assemble(name, [ParagraphPart((f"{name} was 5 .",))])


async def test_document_is_split_once_and_cached() -> None:
    papers, document = DocumentCache(), a_document("one")
    first = await papers.paper(document)
    assert await papers.paper(document) is first
    others = [a_document(f"other {number}") for number in range(20)]
    assert [(await papers.paper(other)).document for other in others] == others
    assert await papers.paper(document) is not first
