"""Documents of folders by their names, as programs ask for them, under the ids by which conversations know them.

Which names there are is `folders`' matter.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.document_library import DocumentLibrary, LibraryEntry
from quaestor.application.folders import Folders
from quaestor.application.resolve import SAMPLE, CorpusPage, page_file


@dataclass(frozen=True, slots=True)
class Opened:
    """A document that was opened by its name."""

    id: str
    name: str
    page: CorpusPage


class FolderLibrary:
    """The documents of folders on a shelf. All calls are made from one event loop."""

    def __init__(self, folders: Folders, library: DocumentLibrary) -> None:
        """Take what may be read, and the shelf."""
        self._folders, self._shelf = folders, library

    async def names(self) -> tuple[str, ...]:
        """Return the names of the files that could be documents."""
        return await asyncio.to_thread(self._folders.listed)

    async def open(self, name: str) -> Opened:
        """Return a document.

        Args:
            name: Of a file, as `names` gives it; of one of several pages `FILE#PAGE`.

        Raises:
            UnknownUploadError: There is no such file in the folders.
            SeveralPagesError: It is a file of several pages: `pages` lists them.
            InputError: It cannot be read, or has no number.
        """
        found = await asyncio.to_thread(self._folders.find, name)
        state = self._shelf.add(found)
        try:
            page = await self._shelf.open(state.id)
        except BaseException:
            self._shelf.remove(state.id)
            raise
        return Opened(state.id, name, page)

    async def pages(self, name: str) -> tuple[str, ...]:
        """Return the names of the pages of a file of several, as far as they have a number; the first 200.

        Raises:
            UnknownUploadError: There is no such file in the folders.
            DatasetError: It cannot be read.
        """
        state = self._shelf.add(await asyncio.to_thread(self._folders.find, name))
        try:
            pages: tuple[LibraryEntry, ...] = await self._shelf.pages(state.id)
        finally:
            self._shelf.remove(state.id)
        return tuple(f"{name}#{page.name}" for page in pages)

    async def know_again(self) -> None:
        """Put all files of the folders on the shelf, so that a conversation of before finds its document."""
        for name in await self.names():
            if name != SAMPLE:
                self._shelf.add(await asyncio.to_thread(self._folders.find, name))

    def name_of(self, page: CorpusPage) -> str:
        """Return the name by which a document is opened; what it is called where nobody named it."""
        if not page.name or page.name.startswith(f"{SAMPLE}#"):
            return page.name or page.document.id
        file: Path = page_file(page.name)
        return f"{self._folders.name_of(file)}{page.name.removeprefix(str(file))}"
