"""Requests of correction forms, and requests that these forms never send."""

import json
import re
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from corrected import a_ledger, at, misread
from made_up import a_record, write_dataset
from scripted import ScriptedSolver
from starlette.testclient import TestClient
from web import asking, begun, client_of

from quaestor.conversation.turn import OperationChoice
from quaestor.datasets.formats import read_dataset
from quaestor.sample import sample_path
from quaestor.web.app import create_app
from quaestor.web.ask.routes import correction_views
from quaestor.web.repair import numbers_of_answer, offer_views, steps_of_answer

ASKED = ("cell 1 1", "cell 1 2", "change", "ratio")


def client(folder: Path) -> AbstractContextManager[TestClient]:
    file = str(write_dataset(folder / "page.json", a_record()))
    return client_of(create_app(asking(folder, ScriptedSolver()), None, (file,)))


def conversation(client: TestClient) -> str:
    there = begun(client)
    for question in ASKED:
        client.post(f"{there}/ask", data={"question": question})
    return there


def test_correction_redirects_to_the_first_changed_answer(tmp_path: Path) -> None:
    with client(tmp_path) as site:
        there = conversation(site)
        page = site.get(f"{there}/correct/2")
        assert page.status_code == 200
        assert 'name="place" value="t0-1-2" checked' in page.text
        sent = {"place": "t0-1-2", "value": "200,000", "author": "Ada Löwe", "reason": "misread"}
        answer = site.post(f"{there}/correct/2", data=sent)
        assert (answer.status_code, answer.headers["location"]) == (303, f"{there}?corrected=1#turn-2")
        shown = site.get(f"{there}?corrected=1").text
        assert "<details open>" in shown
        assert "<del>-0.1414</del>" in shown
        assert "Ada Löwe" in shown
        # The author's name is remembered.
        assert 'value="Ada Löwe"' in site.get(f"{there}/correct/3").text
        undone = site.post(f"{there}/corrections/1/undo")
        assert undone.headers["location"] == f"{there}?corrected=2#turn-2"
        assert '<p class="corrected">' not in site.get(there).text


def test_corrections_persist_after_a_restart(tmp_path: Path) -> None:
    with client(tmp_path) as site:
        there = conversation(site)
        site.post(f"{there}/correct/2", data={"place": "net revenue | 2007", "value": "200,000"})
    with client(tmp_path) as site:
        shown = site.get(there).text
        assert "<del>-0.1414</del>" in shown
        assert re.search(r'id="t0-1-2"[^>]* title="[^"]*181001"', shown)
        exported = site.get(f"{there}/export?format=csv").text
        assert "-0.1414" in exported
        site.post(f"{there}/ask", data={"question": "cell 1 2"})
        assert "200,000 million" in site.get(there).text


def test_user_text_is_escaped(tmp_path: Path) -> None:
    with client(tmp_path) as site:
        there = conversation(site)
        sent = {"place": "t0-1-2", "value": "5", "author": "<b>A</b>\x1b[31m", "reason": "<script>alert(1)</script>"}
        assert site.post(f"{there}/correct/2", data=sent).status_code == 303
        shown = site.get(there).text
        assert "<script>alert" not in shown
        assert "<b>A" not in shown
        assert "\x1b" not in shown


REFUSED: tuple[dict[str, str], ...] = (
    {},
    {"place": "t0-1-2"},
    {"place": "t0-1-2", "value": "five"},
    {"place": "t0-1-2", "value": "9" * 300},
    {"place": "t9-9-9", "value": "5"},
    {"place": "s-pre_text-0-0-3", "value": "5"},
    {"place": "t0-0-1", "value": "5"},
    {"place": "t0-0-0", "step": "1"},
    {"place": "t0-1-1", "step": "7"},
    {"choice": "{"},
    {"choice": "[" * 3_900},
    {"choice": "9" * 3_900},
    {"choice": json.dumps({"kind": "undo", "of": 1})},
    {"choice": json.dumps({"kind": "number", "source": {"kind": "cell"}, "now": {"value": "NaN"}})},
    {"choice": json.dumps({"kind": "reading", "turn": 1, "reading": 5})},
    {"choice": json.dumps({"kind": "reading", "turn": -1, "reading": 0})},
    {"choice": json.dumps({"kind": "operation", "turn": 10**30, "step": 1, "operation": "add"})},
    {"choice": json.dumps({"kind": "operation", "turn": 2, "step": 1, "operation": "__import__"})},
    {
        "choice": json.dumps(
            {
                "kind": "source",
                "turn": 1,
                "step": 1,
                "source": {"kind": "cell", "document": "/etc/passwd", "table": 0, "row": 1, "column": 1},
            }
        )
    },
)


@pytest.mark.slow
def test_impossible_correction_is_shown_on_the_page_and_changes_nothing(tmp_path: Path) -> None:
    with client(tmp_path) as site:
        there = conversation(site)
        before = site.get(there).text
        for sent in REFUSED:
            answer = site.post(f"{there}/correct/2", data=sent)
            assert answer.status_code == 400, (sent, answer.text[-300:])
            assert 'role="alert"' in answer.text, sent
            assert str(tmp_path) not in answer.text, sent
            assert site.get(there).text == before, sent


def test_missing_answer_cannot_be_corrected(tmp_path: Path) -> None:
    with client(tmp_path) as site:
        there = conversation(site)
        assert site.get(f"{there}/correct/9").status_code == 400
        assert site.post(f"{there}/correct/9", data={"place": "t0-1-1", "value": "5"}).status_code == 400
        assert site.post(f"{there}/correct/2", data={"place": "x" * 500}).status_code == 422
        assert site.post(f"{there}/corrections/1/undo").status_code == 400
        assert site.get("/c/nothing/correct/1").status_code == 404
        other = {"Sec-Fetch-Site": "cross-site", "Origin": "https://example.com"}
        refused = site.post(f"{there}/correct/2", data={"place": "t0-1-2", "value": "5"}, headers=other)
        assert refused.status_code == 403
        assert '<p class="corrected">' not in site.get(there).text


def test_a_reading_that_was_nearly_chosen_is_taken_from_the_answer_itself(tmp_path: Path) -> None:
    questions = next(
        c.questions for c in read_dataset(sample_path()).conversations if c.document.id == "HALC/2009/page_52.pdf"
    )
    with client_of(create_app(asking(tmp_path), None, ("sample#HALC/2009/page_52.pdf",))) as site:
        there = begun(site)
        for question in questions:
            site.post(f"{there}/ask", data={"question": question})
        offered = re.search(r"<button name=\"choice\" value='(\{[^']+\})'>", site.get(there).text)
        assert offered is not None
        turn = json.loads(offered[1])["turn"] + 1
        answer = site.post(f"{there}/correct/{turn}", data={"choice": offered[1]})
        assert answer.headers["location"] == f"{there}?corrected=1#turn-{turn}"
        shown = site.get(there).text
        assert '<p class="corrected">' in shown


def test_corrections_are_listed_latest_first() -> None:
    ledger = a_ledger()
    ledger.correct(misread(1, 2, "0"), "Ada", "misread", at(1))
    ledger.correct(OperationChoice(2, 1, "add"), "Bo", moment=at(2))
    ledger.undo("Cy", moment=at(3))
    (undo, _), (chosen, _), (number, second) = correction_views(ledger)
    assert (undo.author, undo.stands) == ("Cy", False)
    assert (chosen.author, chosen.stands) == ("Bo", False)
    assert (number.reason, number.stands, number.made) == ("misread", True, at(1))
    fourth = next(change for change in second.changes if change.turn == 3)
    assert (fourth.was, fourth.answer.value, bool(fourth.answer.reason)) == ("-0.1414", None, True)


def test_corrected_number_shows_the_original_text() -> None:
    ledger = a_ledger()
    ledger.correct(misread(1, 2, "200,000"), "Ada")
    (number,) = numbers_of_answer(ledger, 1)
    assert (number.key, number.text, number.was) == ("t0-1-2", "200,000", "181001")
    (step,) = steps_of_answer(ledger, 1)
    assert step == (1, "net revenue, 2007", "t0-1-2")
    assert list(steps_of_answer(ledger, 2)) == []
    assert {kind for kind, offers in offer_views(ledger, 2).items() if offers} == {"reading", "operation"}
