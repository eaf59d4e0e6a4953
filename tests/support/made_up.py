"""Made-up files in the original format, whose questions are commands of the scripted solver."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

TABLE = [
    ["( in millions )", "2008", "2007"],
    ["net revenue", "206588", "181001"],
    ["operating costs", "$ -435 ( 435 )", "402"],
    ["growth", "13.7% ( 13.7 % )", "12.5% ( 12.5 % )"],
]
QUESTIONS = ("cell 1 1", "cell 1 2", "change")
PROGRAMS = ("206588", "181001", "subtract(181001, 206588)")
ANSWERS = (206588.0, 181001.0, -25587.0)
DISPLAYS = ("206588", "181001", "-25587")


def a_record(
    name: str = "Single_NORD/2012/page_41.pdf-1",
    questions: Sequence[str] = QUESTIONS,
    programs: Sequence[str] | None = PROGRAMS,
    answers: Sequence[float | str] = ANSWERS,
    *,
    table: Sequence[Sequence[str]] = TABLE,
    text: Sequence[str] = ("net revenue rose in 2008 .", "we paid a dividend of $ 91 million to our owners ."),
    displays: Sequence[str] = DISPLAYS,
) -> dict[str, object]:
    """Return a record, which is unlabelled if `programs` is None."""
    annotation: dict[str, object] = {"dialogue_break": list(questions)}
    if programs is not None:
        annotation |= {
            "turn_program": list(programs),
            "exe_ans_list": list(answers),
            "answer_list": list(displays),
            "qa_split": [0] * len(questions),
        }
    page = name.removeprefix("Single_").rpartition("-")[0]
    return {
        "id": name,
        "filename": page,
        "pre_text": list(text),
        "post_text": [],
        "table": [list(row) for row in table],
        "annotation": annotation,
    }


def write_dataset(path: Path, *records: Mapping[str, object]) -> Path:
    path.write_text(json.dumps(list(records)), encoding="utf-8")
    return path
