from pathlib import Path

import pytest
from made_up import a_record, write_dataset
from mcp_clients import FILING, write_filing

from quaestor.application.document_library import DocumentLibrary
from quaestor.application.folder_library import FolderLibrary, Folders
from quaestor.application.uploads import Uploads
from quaestor.errors import InputError, SeveralPagesError, UnknownUploadError

pytestmark = pytest.mark.anyio


def room(folder: Path) -> FolderLibrary:
    return FolderLibrary(Folders([str(folder)]), DocumentLibrary((), Uploads(folder / "uploads")))


async def test_a_document_is_opened_under_one_id_whatever_it_is_called(tmp_path: Path) -> None:
    path = write_filing(tmp_path)
    at = room(tmp_path)
    first, second = await at.open(FILING), await at.open(str(path))
    assert first.id == second.id
    assert at.name_of(second.page) == FILING


async def test_of_a_file_of_several_pages_each_can_be_opened(tmp_path: Path) -> None:
    records = [a_record(name=f"MADE/2009/page_{n}.pdf") for n in (1, 2)]
    write_dataset(tmp_path / "pages.json", *records)
    at = room(tmp_path)
    with pytest.raises(SeveralPagesError):
        await at.open("pages.json")
    names = await at.pages("pages.json")
    assert names == ("pages.json#MADE/2009/page_1.pdf", "pages.json#MADE/2009/page_2.pdf")
    opened = await at.open(names[1])
    assert at.name_of(opened.page) == names[1]


async def test_what_cannot_be_opened_leaves_nothing_on_the_shelf(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("no number at all", encoding="utf-8")
    library = DocumentLibrary((), Uploads(tmp_path / "uploads"))
    at = FolderLibrary(Folders([str(tmp_path)]), library)
    for name in ("words.txt", "missing.html", "../x"):
        with pytest.raises(InputError):
            await at.open(name)
    assert library.files == ()


async def test_a_shelf_that_begins_anew_knows_the_files_again(tmp_path: Path) -> None:
    write_filing(tmp_path)
    opened = await room(tmp_path).open(FILING)
    library = DocumentLibrary((), Uploads(tmp_path / "uploads"))
    with pytest.raises(UnknownUploadError):
        await library.open(opened.id)
    await FolderLibrary(Folders([str(tmp_path)]), library).know_again()
    assert (await library.open(opened.id)).document.id == opened.page.document.id
