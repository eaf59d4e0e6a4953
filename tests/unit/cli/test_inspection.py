import json
from pathlib import Path

import pytest
from command_line import PreparedFolder, Quaestor, one_line, refused
from made_up import a_record, write_dataset
from stand_in import stand_in
from toolboxes import ToolUser

NAME = "Single_NORD/2012/page_41.pdf-1"
QUESTIONS = (
    'TOOL: query_kg({"entityType": "Revenue", "filters": {"year": 2008}, "property": "net revenue"})',
    'TOOL: query_kg({"entityType": "Revenue", "property": "net revenue"})\n'
    'TOOL: query_kg({"entityType": "Revenue", "filters": {"year": 2007}, "property": "net revenue"})',
    'TOOL: calculate({"operation": "subtract", "values": [181001, 206588]})',
)


@pytest.fixture
def run_id(quaestor: Quaestor, prepared: PreparedFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a run of a solver that uses the tools."""
    stand_in(monkeypatch, ToolUser)

    def play() -> str:
        write_dataset(tmp_path / "tools.json", a_record(NAME, QUESTIONS))
        run = quaestor("run tools.json")
        assert run.code == 0, run.err
        return run.out.strip()

    return prepared.fill(tmp_path, play)


def test_a_turn_is_shown_with_its_tool_calls_answer_and_sources(quaestor: Quaestor, run_id: str) -> None:
    shown = quaestor(f"runs turn {run_id} {NAME} 2").out
    assert f"{NAME}, turn 2" in shown
    assert "tool call 1:" in shown
    assert '"filters": {"year": 2007}' in shown
    assert '"error": "2 values match' in shown
    assert '"value": 181001' in shown
    assert "181001 (verified)" in shown
    assert "net revenue, 2007 | 181001 (table 0, row 1, column 2)" in shown


def test_the_stored_graph_is_shown(quaestor: Quaestor, run_id: str) -> None:
    shown = quaestor(f"runs kg latest {NAME}").out
    assert "206588" in shown
    assert "triples:" in shown
    turtle = quaestor(f"runs kg latest {NAME} --turtle").out
    assert turtle == quaestor(f"kg show tools.json#{NAME} --turtle").out


def test_failures_are_wrong_turns_with_causes(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("run pages.json").code == 0
    shown = quaestor("runs failures latest").out
    assert "page_41.pdf-2, turn 2: fail" in shown
    assert "page_41.pdf-2, turn 3: cell 2 2" in shown
    assert "turn 1: cell 3 1" not in shown
    assert "answer:       402" in shown
    assert "reference:    435" in shown
    assert "2 of 6" in shown
    assert "cause:        refused or unusable reply" in shown
    assert "cause:        wrong period" in shown
    assert "interpretation:" not in shown
    found = json.loads(quaestor("runs failures latest --json").out)
    assert found["causes"] == {"refused or unusable reply": 1, "wrong period": 1}
    assert [(turn["turn"], turn["answer"], turn["cause"]) for turn in found["turns"]] == [
        (1, None, "refused or unusable reply"), (2, "402", "wrong period"),
    ]  # fmt: skip
    assert "events" not in found["turns"][0]
    assert json.loads(quaestor("score latest pages.json --json").out)["score"]["causes"] == found["causes"]


def test_failures_can_be_shown_in_full(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("run pages.json").code == 0
    shown = quaestor("runs failures latest --full").out
    assert shown.count("interpretation:") == 2
    assert "source:" in shown
    turns = json.loads(quaestor("runs failures latest --full --json").out)["turns"]
    assert all({"references", "events", "tool_calls", "sources"} <= turn.keys() for turn in turns)


def test_without_references_failures_are_turns_without_an_answer(quaestor: Quaestor, pages: Path) -> None:
    assert quaestor("run pages.json").code == 0
    pages.rename("moved.json")
    shown = quaestor("runs failures latest").out
    assert "turn 2: fail" in shown
    assert "cell 2 2" not in shown
    assert "2 of 6" in quaestor("runs failures latest --dataset moved.json").out
    write_dataset(Path("other.json"), a_record(questions=("cell 1 1",), programs=("206588",), answers=(206588.0,)))
    one_line(quaestor("runs failures latest --dataset other.json"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"runs turn latest {NAME} 4", "quaestor: "),
        (f"runs turn latest {NAME} 1 --attempt 7", "quaestor: "),
        (f"runs prompts latest {NAME} 2 --attempt 7", "quaestor: "),
        ("runs turn latest nothing 1", "nothing"),
        ("runs kg latest nothing", "nothing"),
        ("runs tools 19990101", "19990101"),
        ("runs failures 19990101", "19990101"),
    ],
)
def test_missing_run_gives_a_one_line_error(quaestor: Quaestor, run_id: str, line: str, message: str) -> None:
    assert message in refused(quaestor(line))


def test_tools_are_counted_by_kind_of_question_and_reason_of_refusal(quaestor: Quaestor, run_id: str) -> None:
    shown = quaestor("runs tools latest").out
    assert "several fit" in shown
    assert "3 of 3" in shown
    assert quaestor("score latest tools.json").code == 0
    table = json.loads(quaestor(f"runs tools {run_id} latest --json").out)
    assert (table["turns"], table["judged"], table["runs"]) == (3, 3, [run_id])
    assert sum(use["right"] for use in table["uses"]) == 3
    assert [(found["reason"], found["calls"]) for found in table["refusals"]] == [("several fit", 1)]
    assert quaestor("runs tools latest").code == 0


def test_advice_is_written_once_and_refused_from_too_few_calls(
    quaestor: Quaestor, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_line(quaestor("learn tools latest"))
    monkeypatch.setattr("quaestor.application.tool_advice.FEW", 1)
    assert quaestor("score latest tools.json").code == 0
    result = quaestor("learn tools latest --output mine.txt")
    assert "mine.txt" in result.out
    assert "query_kg" in Path("mine.txt").read_text()
    assert "mine.txt" in one_line(quaestor("learn tools latest --output mine.txt"))
    assert "'advice'" in one_line(quaestor("eval tools.json --advice mine.txt"))
