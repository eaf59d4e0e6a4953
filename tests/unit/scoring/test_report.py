import json
from dataclasses import replace
from pathlib import Path

import pytest
from tatqa_pages import write_tatqa
from values import a_value

from quaestor.core.answer_value import value_to_text
from quaestor.datasets.dataset import Conversation
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.scoring.figures import Report, score_predictions, score_to_json
from quaestor.scoring.gold import GoldTurn, StatedAnswer, read_gold
from quaestor.scoring.scorers import STATED, Prediction
from quaestor.scoring.taxonomy import Cause

GOLD = {
    "Single_A": (
        GoldTurn("5", a_value(5.0), "5", 0),
        GoldTurn("divide(5, 20)", a_value(0.25), "25%", 0),
        GoldTurn("greater(5, 20)", a_value("no"), None, 0),
    ),
    "Double_B": (GoldTurn("7", a_value(7.0), "7", 0), GoldTurn("add(7, 5)", a_value(12.0), "12", 1)),
}
ASKED = {
    name: Conversation(name, Document(name[-1], (), ()), ("?",) * len(turns), joined=name.startswith("Double_"))
    for name, turns in GOLD.items()
}
PERFECT = (
    Prediction("Single_A", 0, "5", "5"),
    Prediction("Single_A", 1, "0.25", "divide(5, 20)"),
    Prediction("Single_A", 2, "no", "greater(5, 20)"),
    Prediction("Double_B", 0, "7.00", "7"),
    Prediction("Double_B", 1, "12", "add(5, 7)"),
)


def test_a_perfect_run() -> None:
    figures = score_predictions(PERFECT, GOLD, ASKED.values()).score
    assert [share.value for share in (figures.execution, figures.program, figures.results["conversations"])] == [
        1,
        1,
        1,
    ]
    assert (figures.results["display"].correct, figures.results["display"].total) == (4, 4)
    assert (figures.results["legacy"].correct, figures.results["legacy"].total) == (3, 4)
    assert figures.unanswered == 0


def test_missing_and_failed_turns_are_wrong_and_stay_in_the_denominator() -> None:
    predictions = [
        PERFECT[0],
        Prediction("Single_A", 1, None, None, "SolverError: no plan"),
        Prediction("Double_B", 0, "7", "7", "PlanError: the plan does not give the answer"),
    ]
    report = score_predictions(predictions, GOLD, ASKED.values())
    figures = report.score
    assert (figures.execution.correct, figures.execution.total) == (1, 5)
    assert (figures.results["conversations"].correct, figures.results["conversations"].total) == (0, 2)
    assert (figures.results["display"].correct, figures.results["display"].total) == (1, 4)
    assert figures.unanswered == 4
    assert [turn.error is not None for turn in report.turns] == [False, True, False, True, False]


def test_right_number_by_another_program_and_the_reverse() -> None:
    predictions = [
        Prediction("Double_B", 0, "7", "add(3, 4)"),
        Prediction("Double_B", 1, "12.5", "add(7, 5)"),
        Prediction("Single_A", 1, "0.25", None),
        Prediction("Single_A", 2, "yes", "greater(5, divide"),
    ]
    verdicts = {
        (t.conversation, t.turn): (t.correct, t.program_correct)
        for t in score_predictions(predictions, GOLD, ASKED.values()).turns
    }
    assert verdicts["Double_B", 0] == (True, False)
    assert verdicts["Double_B", 1] == (False, True)
    assert verdicts["Single_A", 1] == (True, False)
    assert verdicts["Single_A", 2] == (False, False)


def test_program_without_a_result_is_not_right() -> None:
    gold = {"Single_A": (GoldTurn("divide(5, 0)", a_value(0.0), None, 0),)}
    report = score_predictions([Prediction("Single_A", 0, "0", "divide(5, 0)")], gold, [ASKED["Single_A"]])
    assert report.turns[0].program_correct is False


def test_each_breakdown_counts_every_turn_once() -> None:
    figures = score_predictions(PERFECT, GOLD, ASKED.values()).score
    classes = {b.by: {g.name: g.figures["execution"].total for g in b.groups} for b in figures.breakdowns}
    assert classes["turn"] == {"turn 1": 2, "turn 2": 2, "turn 3": 1}
    assert classes["operation"] == {"lookup": 2, "add": 1, "divide": 1, "greater": 1}
    assert classes["conversation"] == {"Single": 3, "Double": 2}
    assert all(sum(groups.values()) == 5 for groups in classes.values())


@pytest.mark.parametrize(
    ("predictions", "conversations"),
    [
        (PERFECT, ["Single_A"]),
        ([Prediction("Single_A", 3, "5")], ["Single_A"]),
        ([Prediction("Single_A", -1, "5")], ["Single_A"]),
        ([PERFECT[0], PERFECT[0]], ["Single_A"]),
        ([], ["Single_C"]),
    ],
)
def test_mismatched_predictions_or_conversations_are_refused(
    predictions: list[Prediction], conversations: list[str]
) -> None:
    with pytest.raises(DatasetError):
        score_predictions(
            predictions, GOLD, [Conversation(name, Document("A", (), ()), ("?",)) for name in conversations]
        )


def test_a_score_is_written_with_each_figure_under_its_name() -> None:
    figures = score_predictions([replace(p, confidence=0.5) for p in PERFECT], GOLD, ASKED.values()).score
    written = json.loads(json.dumps(score_to_json(figures)))
    assert list(written) == [
        "execution", "program", "conversations", "display", "legacy", "unanswered", "breakdowns", "certainty",
        "causes",
    ]  # fmt: skip


def test_a_dataset_without_programs_is_scored_by_its_answers() -> None:
    gold = {"Single_A": tuple(replace(turn, program="") for turn in GOLD["Single_A"])}
    found = score_predictions(PERFECT[:3], gold, [ASKED["Single_A"]])
    assert (found.score.execution.correct, found.score.execution.total) == (3, 3)
    assert found.score.program.total == 0
    assert [turn.verdicts["program"] for turn in found.turns] == [None, None, None]
    assert {g.name for b in found.score.breakdowns if b.by == "operation" for g in b.groups} == {"no program"}


def test_conversation_is_right_if_every_turn_is() -> None:
    figures = score_predictions(
        [*PERFECT[:2], replace(PERFECT[2], number="yes"), *PERFECT[3:]], GOLD, ASKED.values()
    ).score
    assert (figures.results["conversations"].correct, figures.results["conversations"].total) == (1, 2)


def test_confidences_count_for_the_answers_given() -> None:
    sure = (0.9, 0.8, None, 0.3, 0.4)
    predictions = [replace(p, confidence=confidence) for p, confidence in zip(PERFECT, sure, strict=True)]
    withheld = replace(predictions[3], number=None, program=None)
    found = score_predictions(
        [*predictions[:3], withheld, replace(predictions[4], number="11")], GOLD, ASKED.values()
    ).score
    assert found.certainty is not None
    assert (found.certainty.given.correct, found.certainty.given.total) == (2, 3)
    assert (found.certainty.surest_half.correct, found.certainty.surest_half.total) == (2, 2)
    assert (found.execution.correct, found.execution.total, found.unanswered) == (3, 5, 1)
    assert score_predictions(PERFECT, GOLD, ASKED.values()).score.certainty is None


@pytest.mark.very_slow
def test_gold_scored_against_itself_is_perfect(shared_data: Path) -> None:
    path = shared_data / "convfinqa_tune.json"
    gold = read_gold(path)
    predictions = [
        Prediction(name, index, value_to_text(turn.executed), turn.program)
        for name, turns in gold.items()
        for index, turn in enumerate(turns)
    ]
    figures = score_predictions(predictions, gold, read_dataset(path).conversations).score
    assert (figures.execution.correct, figures.program.correct, figures.execution.total) == (841, 841, 841)
    assert figures.results["display"].value > 0.95
    assert 0.70 < figures.results["legacy"].value < 0.78
    shown = [replace(p, as_percentage=(p.program or "").rpartition("(")[0].endswith("divide")) for p in predictions]
    as_shown = score_predictions(shown, gold, read_dataset(path).conversations).score
    print(
        f"older rule: {figures.results['legacy'].value:.3f} of numbers, {as_shown.results['legacy'].value:.3f} as shown"
    )
    assert as_shown.results["legacy"].value > 0.82


def test_older_rule_compares_displayed_answers() -> None:
    ratio = replace(PERFECT[1], as_percentage=True)
    figures = score_predictions([PERFECT[0], ratio, *PERFECT[2:]], GOLD, ASKED.values()).score
    assert (figures.results["legacy"].correct, figures.results["legacy"].total) == (4, 4)


def test_each_wrong_turn_has_a_cause_and_they_are_counted() -> None:
    wrong = [
        replace(PERFECT[0], number="5000", program="multiply(5, const_1000)"),
        replace(PERFECT[1], number=None, error="PlanError: no plan"),
        replace(PERFECT[3], number="-7", program="-7"),
    ]
    report = score_predictions([*wrong, PERFECT[4]], GOLD, ASKED.values())
    assert [turn.cause for turn in report.turns] == [
        Cause.SCALE, Cause.UNUSABLE, Cause.NO_ANSWER, Cause.SIGN, None
    ]  # fmt: skip
    assert score_to_json(report.score)["causes"] == {
        "scale": 1, "refused or unusable reply": 1, "no answer": 1, "sign": 1
    }  # fmt: skip
    assert score_predictions(PERFECT, GOLD, ASKED.values()).score.causes == {}


def stated_report(folder: Path, *answers: tuple[str, int, StatedAnswer]) -> Report:
    """Return the report on the generated TAT-QA pages with some answers."""
    path = write_tatqa(folder)
    found = [Prediction(page, turn, "5", statement=answer) for page, turn, answer in answers]
    return score_predictions(found, read_gold(path), read_dataset(path).conversations)


TOLD = (
    ("1f0c-mill", 0, StatedAnswer(("200",), "thousand")),
    ("1f0c-mill", 1, StatedAnswer(("25",), "percent")),
    ("1f0c-mill", 2, StatedAnswer(("1500.5",))),
    ("1f0c-mill", 4, StatedAnswer(("Bran",))),
    ("1f0c-mill", 5, StatedAnswer(("The bakers",))),
    ("2a7e-fleet", 0, StatedAnswer(("1",))),
)


def test_stated_answers_have_their_own_metrics(tmp_path: Path) -> None:
    report = stated_report(tmp_path, *TOLD)
    score = report.score
    assert set(score.results) == set(STATED.scorers)
    assert (score.right.correct, score.right.total, score.unanswered) == (3, 10, 4)
    assert (score.results["f1"].correct, score.results["f1"].total) == (3.67, 10)
    assert score.results["scale"].correct == 5
    assert [turn.correct for turn in report.turns] == [True, False, False, False, False, True, True, *[False] * 3]
    groups = {part.by: {group.name: group.figures for group in part.groups} for part in score.breakdowns}
    assert {name: figures["exact_match"].total for name, figures in groups["answer"].items()} == {
        "arithmetic": 3, "span": 4, "multi-span": 2, "count": 1,
    }  # fmt: skip
    assert groups["answer"]["multi-span"]["f1"].correct == 0.67
    assert {name: figures["exact_match"].correct for name, figures in groups["form"].items()} == {
        "number": 1, "count": 1, "words": 1, "several words": 0, "numbers": 0,
    }  # fmt: skip
    assert groups["source"]["text"]["exact_match"].correct == 1
    assert groups["answer and source"]["count, table"]["exact_match"].correct == 1


def test_number_in_the_wrong_scale_has_that_cause(tmp_path: Path) -> None:
    path = write_tatqa(tmp_path)
    page = read_dataset(path).conversations[0]
    found = Prediction(page.id, 0, "200", statement=StatedAnswer(("200",), "million"))
    report = score_predictions([found], read_gold(path), [page])
    assert report.turns[0].cause is Cause.SCALE
