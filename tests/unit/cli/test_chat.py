"""Whole conversations, from a pipe or from a user at a terminal."""

import builtins
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Quaestor

PAGE = "pages.json#NORD/2012/page_41.pdf"
TURN = "runs turn latest NORD/2012/page_41.pdf"


def runs(quaestor: Quaestor) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(quaestor("runs list --json").out)
    return found


def test_each_input_line_is_a_question_of_one_stored_conversation(chat: Quaestor, quaestor: Quaestor) -> None:
    outcome = chat("cell 1 1\n\ncell 1 2\nchange\n")
    (run,) = runs(quaestor)
    assert (outcome.code, outcome.err) == (0, f"run {run['id']}\n")
    assert "1. cell 1 1\n   206,588 million\n     net revenue | 2008 | 206588\n2. cell 1 2\n" in outcome.out
    assert "3. change\n   -25,587 million" in outcome.out
    assert (run["kind"], run["status"], run["conversations"]) == ("ask", "complete", 1)
    turn = json.loads(quaestor(f"{TURN} 3 --json").out)
    assert (turn["number"], [past["question"] for past in turn["history"]]) == ("-25587", ["cell 1 1", "cell 1 2"])
    assert "[206588]" in quaestor(f"show {PAGE} --run latest --turn 1").out
    assert "answers.csv" in quaestor("export latest --output answers.csv").out


def test_answer_is_explained_and_highlighted_in_the_document(chat: Quaestor) -> None:
    outcome = chat("cell 1 1\ncell 1 2\nchange\n/why\n/why 1\n/source\n/source 2\n/table\n/table 1\n")
    assert (outcome.code, outcome.err.count("\n")) == (0, 1)
    assert "NORD/2012/page_41.pdf, turn 3" in outcome.out
    assert "reads 'change' after 2 turns" in outcome.out
    assert "NORD/2012/page_41.pdf, turn 1" in outcome.out
    _, both, second, listed = outcome.out.rsplit("\nNORD/2012/page_41.pdf\n", 3)
    assert ("[206588]" in both, "[181001]" in both) == (True, True)
    assert ("[206588]" in second, "[181001]" in second) == (True, False)
    assert "[206588]" in listed
    assert "  1  " in second


def test_undone_question_is_not_counted_but_stays_recorded(chat: Quaestor, quaestor: Quaestor) -> None:
    outcome = chat("cell 1 1\ncell 2 2\n/undo\ncell 1 2\nchange\n")
    assert "cell 2 2\n2. cell 1 2\n" in outcome.out
    assert "-25,587 million" in outcome.out
    assert len(runs(quaestor)) == 1
    turns = [json.loads(quaestor(f"{TURN} {number} --json").out) for number in (1, 2, 3)]
    assert [(turn["question"], turn["attempt"]) for turn in turns] == [("cell 1 1", 2), ("cell 1 2", 2), ("change", 2)]
    before = json.loads(quaestor(f"{TURN} 2 --attempt 1 --json").out)
    assert (before["question"], before["status"]) == ("cell 2 2", "complete")
    assert "3 questions" in quaestor("export latest --output a.csv").out


def test_resumed_conversation_does_not_answer_again(
    chat: Quaestor, quaestor: Quaestor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert chat("cell 1 1\ncell 1 2\n").code == 0
    (first,) = runs(quaestor)
    outcome = chat("change\n", "--resume", first["id"])
    assert "1. cell 1 1\n" in outcome.out
    assert "3. change\n   -25,587 million" in outcome.out
    again, before = runs(quaestor)
    assert (before["id"], again["status"]) == (first["id"], "complete")
    old, new = (json.loads(quaestor(f"runs turn {run['id']} {PAGE[11:]} 1 --json").out) for run in (before, again))
    assert {**old, "run": ""} == {**new, "run": ""}
    assert json.loads(quaestor(f"{TURN} 3 --json").out)["number"] == "-25587"
    # A run of `ask` can be resumed too, and a conversation without questions is not stored.
    assert quaestor(f"ask {PAGE}", "cell 1 1").code == 0
    assert "1. cell 1 1" in chat("/quit\n", "--resume", "latest").out
    assert len(runs(quaestor)) == 3


def test_conversation_that_cannot_be_resumed_is_reported(chat: Quaestor, quaestor: Quaestor) -> None:
    assert quaestor("run pages.json").code == 0
    dataset = chat("change\n", "--resume", "2")
    assert dataset.code == 2
    assert chat("cell 1 1\n").code == 0
    text = Path("pages.json").read_text()
    Path("pages.json").write_text(text.replace("206588", "206589"))
    changed = chat("change\n", "--resume", "latest")
    assert changed.code == 2
    assert chat("", "--resume", "nothing").code == 2


def test_conversation_is_exported_without_replacing_a_file(chat: Quaestor, quaestor: Quaestor) -> None:
    Path("there.csv").write_text("mine")
    lines = (
        "/export early.csv\ncell 1 1\n/export a.json\n/export there.csv\n/export\n/export a.doc\n/export pages.json\n"
    )
    outcome = chat(lines)
    assert outcome.code == 2
    assert "a.json" in outcome.out
    (written,) = json.loads(Path("a.json").read_text())
    assert [turn["value"] for turn in written["turns"]] == [206588]
    listed = outcome.err.splitlines()
    assert all(words in listed[place] for place, words in enumerate(("there.csv", "/export", "a.doc"), 2))
    assert Path("there.csv").read_text() == "mine"
    assert not Path("early.csv").exists()
    assert json.loads(Path("pages.json").read_text())


def test_failed_command_is_one_line_and_the_chat_continues(chat: Quaestor) -> None:
    wrong = {
        "/nothing": "quaestor: ",
        "/": "quaestor: ",
        "/why": "quaestor: ",
        "/source": "quaestor: ",
        "/undo": "quaestor: ",
        "/undo 2": "/undo",
        "/table 9": "'9'",
        "/table ²": "quaestor: ",
        "/solver": "quaestor: ",
        "/solver nobody": "quaestor: ",
        "/solver agent": "quaestor: ",
        "/model": "quaestor: ",
        "/model openai:some": "'embedded'",
        "/solver agent gibberish": "gibberish",
        "/solver nobody openai:some": "quaestor: ",
        "x" * 10_001: "10,001",
    }
    outcome = chat("".join(f"{line}\n" for line in wrong) + "cell 1 1\n")
    assert outcome.code == 2
    *errors, _ = outcome.err.splitlines()
    assert len(errors) == len(wrong), outcome.err
    for (line, message), error in zip(wrong.items(), errors, strict=True):
        assert message in error, line
    assert "1. cell 1 1\n   206,588 million" in outcome.out


def test_the_commands_are_listed(chat: Quaestor) -> None:
    outcome = chat("/help\n/quit\ncell 1 1\n")
    assert outcome.code == 0
    assert "/export FILE" in outcome.out
    assert "206,588" not in outcome.out


def test_another_solver_continues_in_a_separate_run(chat: Quaestor, quaestor: Quaestor) -> None:
    outcome = chat("cell 1 1\ncell 1 2\n/solver embedded\nchange\n")
    assert (outcome.code, outcome.err.count("run ")) == (0, 2)
    assert "3. change\n   -25,587 million" in outcome.out
    after, before = runs(quaestor)
    assert (after["status"], before["status"]) == ("complete", "complete")
    assert json.loads(quaestor(f"runs turn {after['id']} {PAGE[11:]} 2 --json").out)["question"] == "cell 1 2"


def test_outage_during_piped_input_exits_and_keeps_earlier_questions(chat: Quaestor, quaestor: Quaestor) -> None:
    outcome = chat("cell 1 1\ndown\ncell 1 2\n")
    assert outcome.code == 1
    (run,) = runs(quaestor)
    assert run["status"] == "stopped"
    first, second = (json.loads(quaestor(f"{TURN} {number} --json").out) for number in (1, 2))
    assert (first["number"], second["question"]) == ("206588", "down")
    assert "OutageError" in second["error"]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_interrupt_or_outage_at_a_terminal_returns_to_the_prompt(
    quaestor: Quaestor, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: Iterator[str | type[BaseException]] = iter(
        ["cell 1 1", KeyboardInterrupt, "down", "cell 1 2", "change", EOFError]
    )

    def typed(_: str) -> str:
        line = next(lines)
        if isinstance(line, str):
            return line
        raise line

    monkeypatch.setattr(builtins, "input", typed)
    monkeypatch.setattr(sys, "stdin", _Terminal())
    outcome = quaestor(f"chat {PAGE}")
    assert outcome.code == 0
    assert "interrupted\nquaestor: " in outcome.err
    assert "3. change\n   -25,587 million" in outcome.out
    assert json.loads(quaestor(f"{TURN} 3 --json").out)["attempt"] == 2
    assert json.loads(quaestor(f"{TURN} 2 --attempt 1 --json").out)["question"] == "down"


@pytest.mark.very_slow
def test_user_at_a_terminal_stops_an_answer_and_continues(tmp_path: Path) -> None:
    page = "sample#QUIL/2007/page_88.pdf"
    main = "import quaestor.cli; quaestor.cli.main()"
    slow = (
        "import time, quaestor.solvers.embedded.solver as s\n"
        "solve = s.EmbeddedSolver.solve\n"
        "async def waits(self, question, context):\n"
        "    import asyncio\n"
        "    if 'slowly' in question: print('waiting', flush=True); await asyncio.sleep(60)\n"
        "    return await solve(self, question, context)\n"
        "s.EmbeddedSolver.solve = waits\n"
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", slow + main, "chat", page], stdin=theirs, stdout=theirs, stderr=theirs,
        cwd=tmp_path, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    seen = b""

    def until(words: bytes, timeout: float = 120) -> None:
        nonlocal seen
        end = time.monotonic() + timeout
        while words not in seen:
            assert time.monotonic() < end, seen
            try:
                seen += os.read(ours, 4096)
            except OSError:
                break
        assert words in seen, seen
        seen = seen.partition(words)[2]

    until(b"> ")
    os.write(ours, b"what was the exerc\t in 2007?\n")
    until(b"48.65")
    until(b"> ")
    os.write(ours, b"slowly, and in 2006?\n")
    until(b"waiting")
    os.kill(process.pid, signal.SIGINT)
    until(b"interrupted")
    until(b"> ")
    os.write(ours, b"and in 2006?\n")
    until(b"33.20")
    until(b"> ")
    os.write(ours, b"\x04")
    assert process.wait(60) == 0
    os.close(ours)
    assert "exercise price" in (tmp_path / ".quaestor" / "chat_history").read_text()
