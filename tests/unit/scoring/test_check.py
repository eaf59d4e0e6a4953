import json
from pathlib import Path

import pytest
from tatqa_pages import tatqa_pages, write_tatqa
from values import a_value

from quaestor.datasets.formats import read_dataset
from quaestor.scoring.check import CheckReport, FindingKind, check_dataset, display_fault
from quaestor.scoring.gold import read_gold


@pytest.mark.parametrize(
    ("executed", "display", "fault"),
    [
        (0.14136, "14.1%", None),
        (0.14136, "0.1414", None),
        (4.0, "4", None),
        (-21.6, "-22", None),
        ("yes", "Yes", None),
        (-4.0, "4", FindingKind.DISPLAY_SIGN),
        (-0.0339, "3.4%", FindingKind.DISPLAY_SIGN),
        (6.88702, "6.88", FindingKind.DISPLAY_DIGIT),
        (180041.58, "1798334", FindingKind.DISPLAY),
        (1.43416, "1.56%", FindingKind.DISPLAY),
        ("yes", "1", FindingKind.DISPLAY),
        (1.0, "yes", FindingKind.DISPLAY),
    ],
)
def test_display_faults(executed: float | str, display: str, fault: FindingKind | None) -> None:
    assert display_fault(a_value(executed), display) is fault


def record(**annotation: object) -> dict[str, object]:
    return {
        "id": "Single_X/2010/page_1.pdf-1",
        "filename": "X/2010/page_1.pdf",
        "pre_text": ["the loss was $ 91 million ."],
        "post_text": [],
        "table": [["", "2010", "2009"], ["sales", "$ 120", "100"], ["sales", "30", "2014"]],
        "annotation": annotation,
    }


def checked(folder: Path, *records: dict[str, object]) -> CheckReport:
    path = folder / "data.json"
    path.write_text(json.dumps(records))
    return check_dataset(read_dataset(path), read_gold(path))


def test_findings_are_listed_by_conversation_and_turn(tmp_path: Path) -> None:
    report = checked(
        tmp_path,
        record(
            dialogue_break=["sales?", "and the ratio?", "the loss?", "double it", "broken?"],
            turn_program=["120", "divide(120, 77)", "91", "divide(91, 0)", "add(1"],
            exe_ans_list=[120.0, 1.55844, -91.0, 182.0, 1.0],
            answer_list=["120", "1.56", "91", "182", "1"],
        ),
    )
    assert (report.conversations, report.documents, report.turns, report.programs, report.agreeing) == (1, 1, 5, 5, 2)
    found = [(finding.kind, finding.turn) for finding in report.findings if finding.turn is not None]
    assert found == [
        (FindingKind.LITERAL, 1),
        (FindingKind.PROGRAM, 2),
        (FindingKind.DISPLAY_SIGN, 2),
        (FindingKind.PROGRAM, 3),
        (FindingKind.LITERAL, 3),
        (FindingKind.PROGRAM, 4),
    ]
    assert report.count(FindingKind.LABEL) == 1
    assert report.count(FindingKind.DASH_YEAR) == 1
    assert {finding.conversation for finding in report.findings} == {"Single_X/2010/page_1.pdf-1"}


def test_questions_and_answers_of_different_number(tmp_path: Path) -> None:
    report = checked(tmp_path, record(dialogue_break=["a?", "b?"], turn_program=["120"], exe_ans_list=[120.0]))
    (finding,) = [finding for finding in report.findings if finding.kind is FindingKind.TURNS]
    assert finding.detail == "2 questions, 1 answers"


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("name", "programs", "lost"),
    [
        pytest.param("convfinqa_tune.json", 841, 0, marks=pytest.mark.slow),
        ("convfinqa_train50.json", 183, 0),
        pytest.param("convfinqa_train100.json", 355, 0, marks=pytest.mark.slow),
        pytest.param("convfinqa_tune_cleaned.json", 841, 26, marks=pytest.mark.slow),
    ],
)
def test_the_labelled_files(shared_data: Path, name: str, programs: int, lost: int) -> None:
    report = check_dataset(read_dataset(shared_data / name), read_gold(shared_data / name))
    assert (report.programs, report.agreeing) == (programs, programs)
    assert report.count(FindingKind.LITERAL) <= lost
    assert (report.count(FindingKind.LITERAL) > 0) == (lost > 0)


def test_derivations_are_executed_and_spans_are_none(tmp_path: Path) -> None:
    records = tatqa_pages()
    questions = records[0]["questions"]
    questions[0]["derivation"], questions[1]["derivation"] = "1,200.5-1,001", "see note 5"
    path = write_tatqa(tmp_path, records)
    report = check_dataset(read_dataset(path), read_gold(path))
    assert (report.conversations, report.turns, report.programs, report.agreeing) == (2, 10, 3, 1)
    faults = [finding for finding in report.findings if finding.kind is FindingKind.PROGRAM]
    assert [(fault.conversation, fault.turn) for fault in faults] == [("1f0c-mill", 0), ("1f0c-mill", 1)]
    assert "gives 199.5, not 200" in faults[0].detail
    assert faults[1].detail.startswith("see note 5 gives no result")
    # The number of terms of an average is not a literal of the page.
    assert [finding.detail for finding in report.findings if finding.kind is FindingKind.LITERAL] == [
        "1001 in subtract(1200.5, 1001)"
    ]


@pytest.mark.very_slow
def test_the_published_derivations(shared_data: Path) -> None:
    path = shared_data / "tatqa_dev.json"
    report = check_dataset(read_dataset(path), read_gold(path))
    assert (report.conversations, report.turns, report.programs, report.agreeing) == (278, 1668, 718, 717)


@pytest.mark.very_slow
def test_an_unlabelled_file_is_read_through(shared_data: Path) -> None:
    report = check_dataset(read_dataset(shared_data / "convfinqa_test_questions.json"), {})
    assert (report.conversations, report.programs) == (434, 0)
