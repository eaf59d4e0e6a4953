from pathlib import Path

import pytest
from made_up import a_record, write_dataset

from quaestor.application.document_library import DocumentLibrary
from quaestor.application.uploads import UploadLimits, Uploads
from quaestor.errors import InputError, ReadingLimitError, SeveralPagesError, UnknownUploadError
from quaestor.readers import reading
from quaestor.readers.limited import ReadingLimits

pytestmark = pytest.mark.anyio


def library(folder: Path, *files: str) -> DocumentLibrary:
    return DocumentLibrary(files, Uploads(folder / "uploads"))


async def test_a_file_is_asked_for_by_an_id_and_shown_without_its_folder(tmp_path: Path) -> None:
    path = write_dataset(tmp_path / "page.json", a_record())
    stood = library(tmp_path, str(path))
    (file,) = stood.files
    assert file.name == "page.json"
    assert str(tmp_path) not in file.id
    page = await stood.open(file.id)
    assert page.document.tables
    assert await stood.open(file.id) is page


async def test_uploads_are_listed_and_forgotten_and_files_stay(tmp_path: Path) -> None:
    stood = library(tmp_path, str(write_dataset(tmp_path / "page.json", a_record())))
    taken = await stood.take(b"sales,2009\nnet,1\n", "one.csv")
    assert await stood.uploads() == (taken,)
    with pytest.raises(InputError):
        await stood.forget(stood.files[0].id)
    await stood.forget(taken.id)
    for call in (stood.open, stood.forget):
        with pytest.raises(UnknownUploadError):
            await call(taken.id)


async def test_a_file_of_many_pages_is_a_list_of_them() -> None:
    stood = library(Path(), "sample")
    (file,) = stood.files
    with pytest.raises(SeveralPagesError):
        await stood.open(file.id)
    pages = await stood.pages(file.id)
    assert len(pages) > 3
    assert (await stood.open(pages[3].id)).document.id == pages[3].name


@pytest.mark.parametrize("id", ["", "sample", "../../etc/passwd", "x" * 22, "a\0b", f"{'a' * 22}.1"])
async def test_what_is_not_on_the_shelf_cannot_be_reached(tmp_path: Path, id: str) -> None:
    with pytest.raises(UnknownUploadError):
        await library(tmp_path, "sample").open(id)


@pytest.mark.parametrize("index", ["99", "-1", "x", "", "1e3", "٣"])
async def test_pages_that_are_not_there(index: str) -> None:
    stood = library(Path(), "sample")
    with pytest.raises(UnknownUploadError):
        await stood.open(f"{stood.files[0].id}.{index}")


async def test_an_upload_is_opened_again_by_another_shelf(tmp_path: Path) -> None:
    taken = await library(tmp_path).take(b"line,2009,2008\nnet sales,120,100\nrent,5,4\n", "../results.csv")
    assert taken.name == "results.csv"
    assert (await library(tmp_path).open(taken.id)).document.tables
    with pytest.raises(InputError, match="results"):
        await library(tmp_path).take(b"", "results.csv")


@pytest.mark.slow
@pytest.mark.usefixtures("reading_processes")
async def test_named_files_are_read_in_a_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
