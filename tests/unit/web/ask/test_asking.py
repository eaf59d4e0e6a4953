from pathlib import Path

from made_up import a_record, write_dataset
from scripted import ScriptedSolver
from web import asking, begun, client_of

from quaestor.web.app import create_app

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


def test_a_question_of_several_parts_is_one_card(tmp_path: Path) -> None:
    (stream,) = stream_replies(tmp_path, "what was net revenue in 2008? And what was net revenue in 2007?")
    assert stream.count('class="turn" id="turn-') == 1


def test_error_is_shown_beside_the_input(tmp_path: Path) -> None:
    down, defect, empty, after = stream_replies(tmp_path, "down", "break", "  ", "cell 1 1")
    assert all("event: refused" in stream and "#ask-error" in stream for stream in (down, defect, empty))
    assert "defect" not in defect
    assert "event: answered" in after


def test_questions_are_escaped(tmp_path: Path) -> None:
    (stream,) = stream_replies(tmp_path, "<script>alert(1)</script>\n\nevent: answered\ndata: x")
    assert "<script>" not in stream
    assert stream.count("\nevent: ") == 1
