"""Documents in parts, cut once and held as long as they are looked at."""

import asyncio
from collections import OrderedDict

from quaestor.documents.document import Document
from quaestor.web.document_view.parts import Paper

_HELD = 16


class DocumentCache:
    """The documents that were shown last. All calls are made from one event loop."""

    def __init__(self) -> None:
        """Hold none yet."""
        self._held: OrderedDict[int, Paper] = OrderedDict()

    async def paper(self, document: Document) -> Paper:
        """Return a document in parts."""
        # Two documents that are held are never of one id, and to compare what they say would take longer than to cut.
        held = self._held.get(id(document))
        if held is None or held.document is not document:
            held = await asyncio.to_thread(Paper, document)
            self._held[id(document)] = held
            while len(self._held) > _HELD:
                self._held.popitem(last=False)
        self._held.move_to_end(id(document))
        return held
