from pathlib import Path

import pytest
from web_api import program


def test_one_is_begun_listed_renamed_and_deleted(tmp_path: Path) -> None:
    with program(tmp_path) as asked:
        document = asked.get("/documents")["items"][0]["id"]
        answer = asked.ask("POST", "/conversations", json={"document": document, "title": "  Net   sales "})
        made = answer.json()
        assert (answer.status_code, made["title"], made["answers"], made["run"]) == (201, "Net sales", 0, None)
        there = answer.headers["location"].removeprefix("/api/v1")
        assert asked.get("/conversations")["items"] == [made]
        assert asked.patch(there, title="Sales")["title"] == "Sales"
        asked.post(f"{there}/questions", question="cell 1 1")
        whole = asked.get(there)
        assert (whole["title"], whole["answers"], len(whole["turns"])) == ("Sales", 1, 1)
        asked.delete(there)
        assert asked.get(there, 404)["code"] == "unknown_conversation"
        assert asked.get("/conversations")["items"] == []
        assert asked.get(f"/runs/{whole['run']}", 404)["code"] == "unknown_run"


def test_the_list_is_given_part_by_part_the_latest_changed_first(tmp_path: Path) -> None:
    with program(tmp_path) as asked:
        first, second, third = asked.begun(), asked.begun(), asked.begun()
        asked.patch(first, title="changed last")
        listed = asked.get("/conversations?limit=2")
        assert listed["total"] == 3
        assert [f"/conversations/{one['id']}" for one in listed["items"]] == [first, third]
        rest = asked.get("/conversations?limit=2&offset=2")["items"]
        assert [f"/conversations/{one['id']}" for one in rest] == [second]


def test_another_solver_can_be_chosen_only_where_there_is_one(tmp_path: Path) -> None:
    with program(tmp_path) as asked:
        document = asked.get("/documents")["items"][0]["id"]
        assert asked.post("/conversations", 201, document=document, solver="default")["solver"] == "default"
        assert "'nobody'" in asked.post("/conversations", 400, document=document, solver="nobody")["detail"]
        assert "'nobody'" in asked.patch(asked.begun(), 400, solver="nobody")["detail"]
        assert asked.post("/conversations", 404, document="nothing")["code"] == "unknown_document"


def test_examples_are_questions_that_the_document_answers(tmp_path: Path) -> None:
    with program(tmp_path, "sample#NORD/2012/page_41.pdf") as asked:
        examples = asked.get(f"{asked.begun()}/examples")["questions"]
    assert examples
    assert all(question.endswith("?") for question in examples)


@pytest.mark.parametrize(
    ("format", "kind", "content"),
    [("csv", "text/csv", b"cell 1 1"), ("json", "application/json", b"cell 1 1"), ("html", "text/html", b"cell 1 1"),
     ("markdown", "text/markdown", b"cell 1 1"), ("xlsx", "application/vnd", b"PK")],
)  # fmt: skip
def test_it_is_taken_away_as_a_file(tmp_path: Path, format: str, kind: str, content: bytes) -> None:
    with program(tmp_path) as asked:
        there = asked.asked("cell 1 1")
        answer = asked.ask("GET", f"{there}/export?format={format}")
        assert asked.get(f"{there}/export?format=exe", 422)["errors"][0]["where"] == "query.format"
        assert asked.get(f"{asked.begun()}/export", 400)["code"] == "input"
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert content in answer.content
