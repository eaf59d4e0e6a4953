from pathlib import Path

import pytest
from web_api import program


def test_conversation_is_started_listed_renamed_and_deleted(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        document = api.get("/documents")["items"][0]["id"]
        answer = api.ask("POST", "/conversations", json={"document": document, "title": "  Net   sales "})
        begun = answer.json()
        assert (answer.status_code, begun["title"], begun["answers"], begun["run"]) == (201, "Net sales", 0, None)
        there = answer.headers["location"].removeprefix("/api/v1")
        assert api.get("/conversations")["items"] == [begun]
        assert api.patch(there, title="Sales")["title"] == "Sales"
        api.post(f"{there}/questions", question="cell 1 1")
        whole = api.get(there)
        assert (whole["title"], whole["answers"], len(whole["turns"])) == ("Sales", 1, 1)
        api.delete(there)
        assert api.get(there, 404)["code"] == "unknown_conversation"
        assert api.get("/conversations")["items"] == []
        assert api.get(f"/runs/{whole['run']}", 404)["code"] == "unknown_run"


def test_list_is_paginated_latest_changed_first(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        first, second, third = api.begin(), api.begin(), api.begin()
        api.patch(first, title="changed last")
        listed = api.get("/conversations?limit=2")
        assert listed["total"] == 3
        assert [f"/conversations/{one['id']}" for one in listed["items"]] == [first, third]
        rest = api.get("/conversations?limit=2&offset=2")["items"]
        assert [f"/conversations/{one['id']}" for one in rest] == [second]


def test_only_available_solvers_can_be_chosen(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        document = api.get("/documents")["items"][0]["id"]
        assert api.post("/conversations", 201, document=document, solver="default")["solver"] == "default"
        assert "'nobody'" in api.post("/conversations", 400, document=document, solver="nobody")["detail"]
        assert "'nobody'" in api.patch(api.begin(), 400, solver="nobody")["detail"]
        assert api.post("/conversations", 404, document="nothing")["code"] == "unknown_document"


def test_examples_are_questions_that_the_document_answers(tmp_path: Path) -> None:
    with program(tmp_path, "sample#NORD/2012/page_41.pdf") as api:
        examples = api.get(f"{api.begin()}/examples")["questions"]
    assert examples
    assert all(question.endswith("?") for question in examples)


@pytest.mark.parametrize(
    ("format", "kind", "content"),
    [("csv", "text/csv", b"cell 1 1"), ("json", "application/json", b"cell 1 1"), ("html", "text/html", b"cell 1 1"),
     ("markdown", "text/markdown", b"cell 1 1"), ("xlsx", "application/vnd", b"PK")],
)  # fmt: skip
def test_conversation_is_downloaded_as_a_file(tmp_path: Path, format: str, kind: str, content: bytes) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1")
        answer = api.ask("GET", f"{there}/export?format={format}")
        assert api.get(f"{there}/export?format=exe", 422)["errors"][0]["where"] == "query.format"
        assert api.get(f"{api.begin()}/export", 400)["code"] == "input"
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert content in answer.content
