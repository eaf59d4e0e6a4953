from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from made_up import a_record, write_dataset
from scripted import ScriptedSolver
from starlette.testclient import TestClient
from web import asking, begun, client_of

from quaestor.web.app import create_app


def client(folder: Path, *files: str) -> AbstractContextManager[TestClient]:
    paths = files or (str(write_dataset(folder / "page.json", a_record())),)
    return client_of(create_app(asking(folder, ScriptedSolver()), None, paths))


def test_a_conversation_is_asked_shown_and_listed_without_a_script(tmp_path: Path) -> None:
    with client(tmp_path) as site:
        there = begun(site)
        answered = site.post(f"{there}/ask", data={"question": "cell 1 1"})
        assert answered.headers["location"] == f"{there}#turn-1"
        page = site.get(there).text
        assert 'id="turn-1"' in page
        assert 'data-key="t0-1-1"' in page
        assert '<td id="t0-1-1" class="n used"' in page
        assert f'href="{there}"' in site.get("/").text


def test_place_in_the_address_is_highlighted(tmp_path: Path) -> None:
    with client(tmp_path) as site:
        there = begun(site)
        page = site.get(f"{there}?at=t0-1-2").text
        assert page.count('aria-current="location"') == 1
        assert 'aria-current="location"' not in site.get(f"{there}?at=t99-1-2").text


def test_invalid_question_shows_the_error_and_keeps_the_text(tmp_path: Path) -> None:
    typed = "<b>" + "x" * 11_000
    with client(tmp_path) as site:
        there = begun(site)
        answer = site.post(f"{there}/ask", data={"question": typed})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert "&lt;b&gt;xxx" in answer.text


def test_upload_starts_a_conversation_and_invalid_ones_are_reported(tmp_path: Path) -> None:
    table = b"line,2009,2008\nnet sales,120,100\nrent,5,4\n"
    with client(tmp_path) as site:
        taken = site.post("/documents", files={"file": ("results.csv", table)})
        assert "results.csv" in site.get(taken.headers["location"]).text
        empty = site.post("/documents", files={"file": ("empty.csv", b"")})
        missing = site.post("/documents", data={})
    assert (empty.status_code, missing.status_code) == (400, 422)
    assert 'id="upload-error"' in empty.text
    assert str(tmp_path) not in empty.text


def test_file_of_many_pages_lists_them(tmp_path: Path) -> None:
    with client(tmp_path, "sample") as site:
        there = begun(site)
        assert there.startswith("/files/")
        pages = site.get(there).text
        document = pages.split('value="')[1].split('"')[0]
        assert site.post("/conversations", data={"document": document}).headers["location"].startswith("/c/")


def test_conversation_is_renamed_undone_and_deleted(tmp_path: Path) -> None:
    with client(tmp_path) as site:
        there = begun(site)
        for question in ("cell 1 1", "cell 1 2"):
            site.post(f"{there}/ask", data={"question": question})
        site.post(f"{there}/name", data={"title": "Sales & more"})
        assert "Sales &amp; more" in site.get("/").text
        site.post(f"{there}/undo")
        assert 'id="turn-2"' not in site.get(there).text
        assert site.post(f"{there}/delete").headers["location"] == "/"
        assert site.get(there).status_code == 404


@pytest.mark.parametrize("path", ["/c/unknown", "/c/../../etc", "/files/unknown", "/c/unknown/part/0", "/c/x/export"])
def test_missing_conversation_is_not_found(tmp_path: Path, path: str) -> None:
    with client(tmp_path) as site:
        assert site.get(path).status_code == 404


def test_parts_are_fetched_one_by_one(tmp_path: Path) -> None:
    with client(tmp_path) as site:
        there = begun(site)
        assert site.get(f"{there}/part/0").text.startswith('<section class="part"')
        assert site.get(f"{there}/part/9").status_code == 400
        assert site.get(f"{there}?part=99").status_code == 200


def test_page_shows_table_warnings(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.write_text(
        "# Income statement\n\n| | 2023 | 2022 |\n|---|---|---|\n| Net sales | 64,210 | 60.1.2 |\n| Costs | 7 | 6 |\n"
    )
    with client_of(create_app(asking(tmp_path), None, (str(path),))) as site:
        there = begun(site)
        site.post(f"{there}/ask", data={"question": "what were net sales in 2023?"})
        page = site.get(there).text
    assert page.count('class="doubt"') == 3  # of the document, of the table and beside the answer
    assert page.count("60.1.2") >= 3


BY_SCRIPT = {"HX-Request": "true"}


def stream_replies(folder: Path, *questions: str) -> list[str]:
    """Return the streamed reply to each question, as sent to a browser with scripts."""
    path = str(write_dataset(folder / "page.json", a_record()))
    with client_of(create_app(asking(folder, ScriptedSolver()), None, (path,))) as client:
        there = begun(client)
        found = []
        for question in questions:
            answer = client.post(f"{there}/ask", data={"question": question}, headers=BY_SCRIPT)
            assert answer.headers["content-type"].startswith("text/event-stream")
            found.append(answer.text)
        return found


def test_steps_come_before_the_answer(tmp_path: Path) -> None:
    (stream,) = stream_replies(tmp_path, "cell 1 1")
    pending, step, card = stream.index("pending-"), stream.index("#steps-"), stream.index('id="turn-1"')
    assert pending < step < card < stream.index("event: answered")


def test_error_is_shown_beside_the_input(tmp_path: Path) -> None:
    down, defect, empty, after = stream_replies(tmp_path, "down", "break", "  ", "cell 1 1")
    assert all("event: refused" in stream and "#ask-error" in stream for stream in (down, defect, empty))
    assert "defect" not in defect
    assert "event: answered" in after


def test_questions_are_escaped(tmp_path: Path) -> None:
    (stream,) = stream_replies(tmp_path, "<script>alert(1)</script>\n\nevent: answered\ndata: x")
    assert "<script>" not in stream
    assert stream.count("\nevent: ") == 1
