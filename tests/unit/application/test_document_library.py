"""Documents that a server can open: named files, uploads and folders."""

import os
from pathlib import Path

import pytest
from made_up import a_record, write_dataset
from mcp_clients import FILING, write_filing

from quaestor.application.document_library import ConcurrencyLimiter, DocumentLibrary, UploadLimits, Uploads
from quaestor.application.folder_library import FolderLibrary, Folders
from quaestor.errors import BusyError, InputError, ReadingLimitError, SeveralPagesError, UnknownUploadError
from quaestor.readers import reading
from quaestor.readers.limited import ReadingLimits

pytestmark = pytest.mark.anyio


def library(folder: Path, *files: str) -> DocumentLibrary:
    return DocumentLibrary(files, Uploads(folder / "uploads"))


async def test_file_has_an_id_and_is_shown_without_its_folder(tmp_path: Path) -> None:
    path = write_dataset(tmp_path / "page.json", a_record())
    stood = library(tmp_path, str(path))
    (file,) = stood.files
    assert file.name == "page.json"
    assert str(tmp_path) not in file.id
    page = await stood.open(file.id)
    assert page.document.tables
    assert await stood.open(file.id) is page


async def test_uploads_are_listed_and_deleted_but_files_stay(tmp_path: Path) -> None:
    stood = library(tmp_path, str(write_dataset(tmp_path / "page.json", a_record())))
    taken = await stood.take(b"sales,2009\nnet,1\n", "one.csv")
    assert await stood.uploads() == (taken,)
    with pytest.raises(InputError):
        await stood.forget(stood.files[0].id)
    await stood.forget(taken.id)
    for call in (stood.open, stood.forget):
        with pytest.raises(UnknownUploadError):
            await call(taken.id)


async def test_file_of_many_pages_lists_its_pages() -> None:
    stood = library(Path(), "sample")
    (file,) = stood.files
    with pytest.raises(SeveralPagesError):
        await stood.open(file.id)
    pages = await stood.pages(file.id)
    assert len(pages) > 3
    assert (await stood.open(pages[3].id)).document.id == pages[3].name


async def test_unlisted_documents_cannot_be_opened(tmp_path: Path) -> None:
    shelf = library(tmp_path, "sample")
    pages = [f"{shelf.files[0].id}.{index}" for index in ("99", "-1", "x", "", "1e3", "٣")]
    for id in ("", "sample", "../../etc/passwd", "x" * 22, "a\0b", f"{'a' * 22}.1", *pages):
        with pytest.raises(UnknownUploadError):
            await shelf.open(id)


async def test_upload_is_opened_by_another_library(tmp_path: Path) -> None:
    taken = await library(tmp_path).take(b"line,2009,2008\nnet sales,120,100\nrent,5,4\n", "../results.csv")
    assert taken.name == "results.csv"
    assert (await library(tmp_path).open(taken.id)).document.tables
    with pytest.raises(InputError, match="results"):
        await library(tmp_path).take(b"", "results.csv")


@pytest.mark.slow
@pytest.mark.usefixtures("reading_processes")
async def test_named_files_are_read_in_a_separate_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("a reader was called in this process")

    monkeypatch.setattr(reading, "_read", read)
    path = tmp_path / "results.csv"
    path.write_text("Results,,\n,2009,2008\nnet sales,120,100\n")
    apart = DocumentLibrary((str(path), "sample"), Uploads(tmp_path / "uploads"))
    named, sample = apart.files
    assert (await apart.open(named.id)).document.tables
    assert [page.name for page in await apart.pages(named.id)] == ["results.csv"]
    assert len(await apart.pages(sample.id)) > 3
    limits = UploadLimits(reading=ReadingLimits(seconds=0.01))
    hungry = DocumentLibrary((str(path),), Uploads(tmp_path / "uploads", limits=limits))
    with pytest.raises(ReadingLimitError) as raised:
        await hungry.open(hungry.files[0].id)
    assert raised.value.setting == "read_seconds"


def test_concurrency_limiter_refuses_when_full() -> None:
    room = ConcurrencyLimiter(2, "full: come again")
    with room.enter():
        with room.enter(), pytest.raises(BusyError, match="full"), room.enter():
            pass
        with room.enter():
            pass


def test_one_client_cannot_use_all_slots() -> None:
    room = ConcurrencyLimiter(3, "full", 2)
    with room.enter("a"), room.enter("a"):
        with pytest.raises(BusyError), room.enter("a"):
            pass
        with room.enter("b"), pytest.raises(BusyError), room.enter("c"):
            pass


def room(folder: Path) -> FolderLibrary:
    return FolderLibrary(Folders([str(folder)]), DocumentLibrary((), Uploads(folder / "uploads")))


async def test_document_has_one_id_under_any_name(tmp_path: Path) -> None:
    path = write_filing(tmp_path)
    at = room(tmp_path)
    first, second = await at.open(FILING), await at.open(str(path))
    assert first.id == second.id
    assert at.name_of(second.page) == FILING


async def test_each_page_of_a_file_can_be_opened(tmp_path: Path) -> None:
    records = [a_record(name=f"MADE/2009/page_{n}.pdf") for n in (1, 2)]
    write_dataset(tmp_path / "pages.json", *records)
    at = room(tmp_path)
    with pytest.raises(SeveralPagesError):
        await at.open("pages.json")
    names = await at.pages("pages.json")
    assert names == ("pages.json#MADE/2009/page_1.pdf", "pages.json#MADE/2009/page_2.pdf")
    opened = await at.open(names[1])
    assert at.name_of(opened.page) == names[1]


async def test_document_that_fails_to_open_is_not_cached(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("no number at all", encoding="utf-8")
    library = DocumentLibrary((), Uploads(tmp_path / "uploads"))
    at = FolderLibrary(Folders([str(tmp_path)]), library)
    for name in ("words.txt", "missing.html", "../x"):
        with pytest.raises(InputError):
            await at.open(name)
    assert library.files == ()


async def test_new_library_finds_the_uploaded_files(tmp_path: Path) -> None:
    write_filing(tmp_path)
    opened = await room(tmp_path).open(FILING)
    library = DocumentLibrary((), Uploads(tmp_path / "uploads"))
    with pytest.raises(UnknownUploadError):
        await library.open(opened.id)
    await FolderLibrary(Folders([str(tmp_path)]), library).know_again()
    assert (await library.open(opened.id)).document.id == opened.page.document.id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files and with links out of it, next to files that it must not expose."""
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / ".quaestor").mkdir()
    for name in ("a.html", "deep/b.csv", ".hidden.csv", ".quaestor/c.csv", "notes.unknown"):
        (inside / name).write_text("x", encoding="utf-8")
    (tmp_path / "secret.csv").write_text("x", encoding="utf-8")
    (tmp_path / "inside-too").mkdir()
    (tmp_path / "inside-too" / "d.csv").write_text("x", encoding="utf-8")
    (inside / "out.csv").symlink_to(tmp_path / "secret.csv")
    (inside / "up").symlink_to(tmp_path)
    (inside / "loop.csv").symlink_to(inside / "loop.csv")
    (inside / "in.csv").symlink_to(inside / "deep" / "b.csv")
    (inside / "a.html#page").symlink_to(tmp_path / "secret.csv")
    if hasattr(os, "mkfifo"):
        os.mkfifo(inside / "pipe.csv")
    return inside


def test_files_of_the_folder_are_listed_and_found(folder: Path) -> None:
    found = Folders([str(folder)])
    assert found.list_files() == ("a.html", "in.csv", "deep/b.csv")
    assert found.find("a.html") == str(folder / "a.html")
    assert found.find(str(folder / "deep" / "b.csv")) == str(folder / "deep" / "b.csv")
    assert found.find("in.csv") == str(folder / "deep" / "b.csv")
    assert found.find("inside/deep/../a.html") == str(folder / "a.html")
    assert found.find("deep/b.csv#MRO/page_1") == f"{folder}/deep/b.csv#MRO/page_1"
    assert found.find("notes.unknown") == str(folder / "notes.unknown")


@pytest.mark.parametrize(
    "name",
    [
        "../secret.csv", "deep/../../secret.csv", "out.csv", "up/secret.csv", "up/inside-too/d.csv", "loop.csv",
        "pipe.csv", "deep", "", ".", "..", "/", "/etc/passwd", "/dev/zero", "/proc/self/environ", "~/x.csv", "a.html\0",
        ".hidden.csv", ".quaestor/c.csv", "missing.csv", "a.html#page", "../inside-too/d.csv", "a" * 5_000,
        "file:///etc/passwd", "\\\\host\\share", "a.html\n", "sample", "sample#NORD/2012/page_41.pdf", "out.csv#x",
    ],
)  # fmt: skip
def test_other_documents_are_refused_without_revealing_names(folder: Path, name: str) -> None:
    with pytest.raises(UnknownUploadError):
        Folders([str(folder)]).find(name)


def test_files_of_several_folders_are_named_with_their_folder(folder: Path) -> None:
    found = Folders([str(folder), str(folder.parent / "inside-too"), "sample", str(folder / "notes.unknown")])
    assert found.list_files() == ("sample", "inside/a.html", "inside/in.csv", "inside/deep/b.csv", "inside-too/d.csv",
                              "notes.unknown")  # fmt: skip
    assert found.find("inside-too/d.csv") == str(folder.parent / "inside-too" / "d.csv")
    assert found.find("sample#NORD/2012/page_41.pdf") == "sample#NORD/2012/page_41.pdf"
    assert found.name_of(folder / "deep" / "b.csv") == "inside/deep/b.csv"


def test_serving_one_file_does_not_expose_its_folder(folder: Path) -> None:
    found = Folders([str(folder / "a.html")])
    assert found.list_files() == ("a.html",)
    with pytest.raises(UnknownUploadError):
        found.find("notes.unknown")


def test_too_large_file_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quaestor.application.folder_library.LARGEST", 0)
    with pytest.raises(InputError):
        Folders([str(folder)]).find("a.html")


@pytest.mark.parametrize("name", ["missing", "", "\0", "inside/pipe.csv"])
def test_missing_folder_is_refused_at_the_start(folder: Path, name: str) -> None:
    with pytest.raises(InputError):
        Folders([str(folder.parent / name) if name.startswith("inside") else name or "none"])
