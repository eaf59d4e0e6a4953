import json
from pathlib import Path
from typing import Any

from web_api import program

import quaestor

NORD = "sample#NORD/2012/page_41.pdf"
QUESTIONS = ("what was operating income in 2012?", "what was net income in 2012?")


def messages(text: str) -> list[tuple[str, Any]]:
    """Return the events of a stream with their data."""
    found = []
    for message in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in message.splitlines() if not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def embedded(folder: Path) -> Any:
    return program(folder, NORD, scripted=False)


def test_answers_equal_those_of_the_python_api(tmp_path: Path) -> None:
    talk = quaestor.open(NORD).conversation()
    expected = [talk.ask(question) for question in QUESTIONS]
    with embedded(tmp_path) as api:
        there = api.begin()
        found = [api.post(f"{there}/questions", question=question) for question in QUESTIONS]
    (first,), (second,) = (one["answers"] for one in found)
    assert [first["display"], second["display"]] == [str(answer) for answer in expected]
    assert (first["number"], second["number"]) == (1, 2)
    assert (first["formula"], first["kind"], first["verified"]) == ("88.1", "number", True)
    assert first["confidence"] == expected[0].answer.confidence
    assert first["sources"][0]["place"] == "operating income | 2012"
    assert (second["kind"], second["value"], second["answerable"]) == ("none", None, 0)
    assert second["reason"]
    assert found[0]["run"] == found[1]["run"] == first["run"]


def test_other_readings_are_returned(tmp_path: Path) -> None:
    with embedded(tmp_path) as api:
        (answer,) = api.post(f"{api.begin()}/questions", question="what were cables in 2012?")["answers"]
    assert answer["readings"][0]["display"] != answer["display"]
    assert answer["readings"][0]["confidence"] <= answer["confidence"]


def test_invalid_question_is_a_problem_reply_and_the_conversation_continues(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.begin()
        assert api.post(f"{there}/questions", 400, question="  ")["code"] == "question"
        assert api.post(f"{there}/questions", 502, question="down")["code"] == "outage"
        assert api.post(f"{there}/questions", 422, question=1)["errors"][0]["where"] == "body.question"
        assert api.post(f"{there}/questions", 400, question="cell 1 1", solver="nobody")["code"] == "input"
        assert api.post("/conversations/nothing/questions", 404, question="x")["code"] == "unknown_conversation"
        assert api.post(f"{there}/questions", question="cell 1 1")["answers"][0]["number"] == 1


def test_stream_sends_events_then_the_answer(tmp_path: Path) -> None:
    with embedded(tmp_path) as api:
        there = api.begin()
        answer = api.ask("POST", f"{there}/questions/stream", json={"question": QUESTIONS[0]})
        turns = api.get(there)["turns"]
    assert answer.headers["content-type"].startswith("text/event-stream")
    found = messages(answer.text)
    assert [event for event, _ in found][-2:] == ["answered", "done"]
    assert {event for event, _ in found[:-2]} == {"step"}
    assert found[-1][1]["answers"] == turns
    assert found[-2][1]["display"] == turns[0]["display"]
    assert found[0][1]["lines"]


def test_stream_without_an_answer_ends_with_a_problem(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.begin()
        ends = [
            messages(api.ask("POST", f"{there}/questions/stream", json={"question": question}).text)[-1]
            for question in ("  ", "down", "break")
        ]
        assert api.post("/conversations/nothing/questions/stream", 404, question="x")["code"] == "unknown_conversation"
    assert [(event, data["status"]) for event, data in ends] == [("problem", 400), ("problem", 502), ("problem", 500)]


def test_last_question_is_undone(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1", "cell 1 2")
        assert api.delete(f"{there}/questions/last", 200) == {"questions": ["cell 1 2"]}
        assert [turn["question"] for turn in api.get(there)["turns"]] == ["cell 1 1"]
        api.delete(f"{there}/questions/last", 200)
        assert api.delete(f"{there}/questions/last", 200) == {"questions": []}


def test_answer_is_shown_with_its_plan_and_stored_details(tmp_path: Path) -> None:
    with program(tmp_path) as api:
        there = api.ask_all("cell 1 1", "cell 1 2", "change")
        found = api.get(f"{there}/turns/3")
        assert api.get(f"{there}/turns/4", 404)["code"] == "unknown_conversation"
        assert found["answer"] == api.get(there)["turns"][2]
    assert found["plan"][-1]["kind"] == "operation"
    assert [node["turn"] for node in found["plan"] if node["kind"] == "earlier"]
    assert found["turn"]["question"] == "change"
    assert found["turn"]["answer"]["plan"]["steps"]
