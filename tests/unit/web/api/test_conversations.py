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


def test_available_solvers_are_listed_without_keys_or_addresses(tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").write_text('[models.local]\nname = "openai:small@http://127.0.0.1:9/v1"\n')
    with program(tmp_path) as api:
        listed = api.get("/solvers")["items"]
    assert (listed[0]["id"], listed[0]["asks_model"]) == ("default", False)
    assert {one["id"] for one in listed if one["asks_model"]} >= {"agent-1", "workflow-1"}
    assert "127.0.0.1" not in str(listed)


def test_answer_is_corrected_and_the_correction_undone(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1", "cell 1 2", "change")
        before = api.get(there)["turns"][2]["display"]
        correction = api.post(f"{there}/corrections", 201, fix="1 cell 1 = 999 because it is printed so", author="Ada")
        assert (correction["number"], correction["author"], correction["reason"], correction["stands"]) == (
            1,
            "Ada",
            "it is printed so",
            True,
        )
        assert {change["number"] for change in correction["changes"]} == {1, 3}
        assert api.get(there)["turns"][2]["display"] != before
        api.post(f"{there}/corrections", 201, fix="undo 1")
        listed = api.get(f"{there}/corrections")
        assert [(one["act"]["kind"], one["stands"]) for one in listed["items"]] == [("number", False), ("undo", False)]
        assert api.get(there)["turns"][2]["display"] == before


def test_offered_corrections_can_be_applied(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1")
        offer = api.get(f"{there}/turns/1/offers")["offers"][0]
        api.post(f"{there}/corrections", 201, fix=offer["fix"])
        assert api.get(there)["turns"][0]["display"] == offer["gives"]
        assert api.get(f"{there}/turns/2/offers", 404)["code"] == "unknown_conversation"


def test_impossible_correction_changes_nothing(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1")
        for fix in ("1 cell 9 = 1", "nothing of this", "9 1", "1", "undo 4", "1 cell 1 = many"):
            api.post(f"{there}/corrections", 400, fix=fix)
        assert api.get(f"{there}/corrections")["total"] == 0
