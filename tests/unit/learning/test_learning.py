"""From labelled conversations to weights: reference interpretations, folds by company, reproducible weights."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_up import a_record, write_dataset
from pages import page
from tatqa_pages import write_tatqa
from values import a_value

from quaestor.core.answer_value import value_to_text
from quaestor.datasets.dataset import Conversation
from quaestor.datasets.formats import read_dataset
from quaestor.errors import DatasetError, InputError, ModelError
from quaestor.evaluation.recording import TurnPlace, turn_records
from quaestor.evaluation.runner import answer_conversation
from quaestor.graph.builder import build_graph
from quaestor.learning.crossvalidate import cross_validate
from quaestor.learning.examples import Example, company_folds, read_examples, read_lines, with_known_pages
from quaestor.learning.labels import LabelledTurn, label_turn
from quaestor.learning.saving import held_out_figures, save_weights, training_card
from quaestor.learning.train import fit_weights
from quaestor.learning.trees import FittedTrees
from quaestor.ontology.builder import build_ontology
from quaestor.plan.steps import Tree
from quaestor.questions.question import NO_QUESTION
from quaestor.sample import sample_path
from quaestor.scoring.figures import score_predictions, score_to_json
from quaestor.scoring.gold import GoldTurn, StatedAnswer, StatedReference, read_gold
from quaestor.scoring.scorers import Prediction, prediction_of
from quaestor.solvers.embedded.loading import (
    ANSWERABLE_FILE,
    WEIGHT_FILES,
    load_weights,
)
from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.trees import SHIPPED_WEIGHTS
from quaestor.solvers.embedded.turn_state import DialogueState
from quaestor.solvers.registry import make_solver


@pytest.fixture(scope="module")
def examples() -> tuple[Example, ...]:
    return read_examples([sample_path()])


@pytest.fixture(scope="module")
def leaves() -> NumberMatrix:
    document = page(
        [["", "2008", "2007"], ["sales", "435", "401"], ["rate", "4.5%", "7"]], ("we paid $ 435 to them .",)
    )
    return build_number_matrix(build_graph(document, build_ontology([document]), "strict"))


def labelled(leaves: NumberMatrix | None, *programs: tuple[str, float | str]) -> list[LabelledTurn]:
    state, trees, turns = DialogueState(), list[Tree](), list[LabelledTurn]()
    for program, executed in programs:
        turn, tree = label_turn(
            NO_QUESTION, GoldTurn(program, a_value(executed), None, 0), trees, state, leaves, lambda found: found[0]
        )
        state, turns = state.after(NO_QUESTION, turn.outcome), [*turns, turn]
        trees.append(tree)
    return turns


def outcome_text(turn: LabelledTurn) -> str:
    return f"{turn.outcome.operation} " + " ".join(f"{o.kind}{o.index}" for o in turn.outcome.operands)


def test_dialogue_runs_on_the_page_of_another_record(examples: tuple[Example, ...]) -> None:
    first = examples[0]
    assert first.document is not None
    same, other = (replace(first, id=f"Single_{page}-9", document=None) for page in (first.document.id, "NONE/1/p.pdf"))
    known = with_known_pages((same, other, replace(first, document=None)), examples)
    assert known == (replace(same, document=first.document),)


def test_program_is_labelled_as_one_operation_on_existing_values(leaves: NumberMatrix) -> None:
    turns = labelled(
        leaves,
        ("435", 435.0),
        ("401", 401.0),
        ("subtract(435, 401)", 34.0),
        ("subtract(435, 401), divide(#0, 401)", 0.08479),
        ("subtract(435, 401), divide(#0, 401), multiply(#1, const_100)", 8.47880),
        ("4.5%", 0.045),
    )
    assert [outcome_text(turn) for turn in turns] == [
        "lookup leaf0",
        "lookup leaf1",
        "subtract result0 result1",
        "divide result2 result1",
        "multiply result3 constant0",
        "lookup leaf2",
    ]
    assert turns[0].acceptable == ((0, 4),)
    assert turns[4].outcome.value == pytest.approx(100 * 34 / 401, abs=1e-9)
    # A looked-up percentage is remembered as printed, like the solver's own answers.
    assert (turns[5].outcome.value, turns[5].answer) == (4.5, 0.045)


def test_a_change_in_one_turn_is_one_operation(leaves: NumberMatrix) -> None:
    (turn,) = labelled(leaves, ("subtract(435, 401), divide(#0, 401)", 0.08479))
    assert outcome_text(turn) == "percentage_change leaf0 leaf1"


def test_inexpressible_answers_are_listed_separately(leaves: NumberMatrix) -> None:
    turns = labelled(leaves, ("table_max(sales, none)", 435.0))
    assert turns[0].outcome.operation == "table_max"
    assert turns[0].outcome.value == 435.0


def test_table_sum_is_expanded_to_the_numbers_of_the_row(leaves: NumberMatrix) -> None:
    (total,) = labelled(leaves, ("table_sum(sales, none)", 836.0))
    assert (outcome_text(total), total.outcome.value) == ("sum leaf0 leaf1", 836.0)
    (average,) = labelled(None, ("table_average(sales, none)", 418.0))
    assert (average.outcome.operation, average.outcome.value) == ("average", 418.0)


def test_without_a_page_equal_literals_are_one_leaf() -> None:
    turns = labelled(None, ("divide(3, 4)", 0.75), ("divide(5, 4)", 1.25), ("greater(3, 5)", "no"))
    indices = [[operand.index for operand in turn.outcome.operands] for turn in turns]
    assert indices[0][1] == indices[1][1]
    assert indices[0][0] != indices[1][0]
    assert turns[2].answer == 0.0


def test_folds_have_whole_companies_and_similar_numbers_of_turns(examples: tuple[Example, ...]) -> None:
    folds = company_folds(examples, 4, seed=3)
    assert set(folds) == {example.company for example in examples}
    load = [sum(len(e.questions) for e in examples if folds[e.company] == fold) for fold in range(4)]
    assert max(load) - min(load) <= max(len(e.questions) for e in examples) * 4
    assert folds == company_folds(tuple(reversed(examples)), 4, seed=3)


def one_of_each_company(examples: tuple[Example, ...]) -> list[Example]:
    """Return one conversation of each company: few, but enough companies for every fold."""
    return list({example.company: example for example in examples}.values())


@pytest.fixture
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train each model for a few rounds, for tests that do not depend on its quality."""
    for module in ("ranking", "trees"):
        monkeypatch.setattr(f"quaestor.learning.{module}._ROUNDS", 10)


@pytest.mark.very_slow
@pytest.mark.usefixtures("few_rounds")
def test_one_seed_gives_one_set_of_weights(examples: tuple[Example, ...], tmp_path: Path) -> None:
    few = one_of_each_company(examples)[:4]
    for name in ("a", "b"):
        save_weights(fit_weights(few, (), seed=1), tmp_path / name, training_card([sample_path()], few, (), 1))
    for file in (*WEIGHT_FILES, ANSWERABLE_FILE, "card.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    loaded = load_weights(tmp_path / "a")
    assert loaded.signature.classes
    assert json.loads((tmp_path / "a" / "card.json").read_text())["turns with pages"] == sum(
        len(e.questions) for e in few
    )


def test_a_joined_conversation_has_the_place_of_its_second_question(tmp_path: Path) -> None:
    joined: dict[str, Any] = a_record("Double_NORD/2012/page_41.pdf")
    parts = joined["annotation"]["qa_split"]
    parts[2:] = [1] * len(parts[2:])
    alone = a_record("Single_NORD/2012/page_41.pdf-1")
    assert [example.second for example in read_examples([write_dataset(tmp_path / "d.json", joined, alone)])] == [2, 0]


def test_lines_are_dialogues_or_single_questions(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    dialogue: dict[str, Any] = {
        "id": "Single_A/2001/page_1.pdf-1",
        "annotation": {"dialogue_break": ["a?", "b?"], "turn_program": ["1", "2"], "exe_ans_list": [1, 2]},
    }
    single = {
        "id": "q1",
        "question": "how many?",
        "program": "add(1, 2)",
        "exe_ans": 3,
        "table": [["", "x"], ["y", "1"]],
    }
    file.write_text("\n".join(json.dumps(record) for record in (dialogue, single)), encoding="utf-8")
    first, second = read_lines([file])
    assert (first.second, second.second) == (0, 0)
    assert (first.questions, first.document, first.company) == (("a?", "b?"), None, "A")
    assert second.questions == ("how many?",)
    assert second.document is not None
    split = {"id": "Double_A/2001/page_1.pdf", "annotation": {**dialogue["annotation"], "qa_split": [0, 1]}}
    file.write_text(json.dumps(split), encoding="utf-8")
    assert [(one.joined, one.second) for one in read_lines([file])] == [(True, 1)]
    file.write_text(json.dumps({"id": "x", "annotation": dialogue["annotation"], "more": 1}) + "\n{", encoding="utf-8")
    with pytest.raises(DatasetError, match="line 2"):
        read_lines([file])


def test_unwritable_weights_raise_a_named_error(examples: tuple[Example, ...], tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    fitted = FittedTrees((SHIPPED_WEIGHTS / "leaves.json").read_bytes(), tuple(LEAF_FEATURES))
    with pytest.raises(ModelError):
        save_weights(replace(load_weights(), leaves=fitted), blocked / "weights", {})


def test_shipped_weights_were_not_trained_on_the_sample() -> None:
    card = json.loads((SHIPPED_WEIGHTS / "card.json").read_text(encoding="utf-8"))
    assert card["files"]
    assert sample_path().name not in card["files"]


@pytest.mark.very_slow
def test_accuracy_of_the_shipped_weights_on_the_sample_does_not_drop() -> None:
    """The numbers are a lower bound, to be raised if the solver improves."""
    dataset, solver = read_dataset(sample_path()), make_solver("embedded", {})
    predictions = [
        prediction_of(record)
        for item in dataset.conversations
        for record in turn_records(TurnPlace("floor", item.id), asyncio.run(answer_conversation(item, solver)))
    ]
    found = score_predictions(predictions, read_gold(sample_path()), dataset.conversations).score
    assert found.execution.total == 180
    assert found.execution.correct >= 124
    assert found.program.correct >= 111


def test_model_card_has_figures_and_limitations(examples: tuple[Example, ...], tmp_path: Path) -> None:
    few = examples[:3]
    conversations = [Conversation(e.id, e.document, e.questions) for e in few if e.document]
    predictions = [
        Prediction(e.id, n, value_to_text(turn.executed), turn.program, confidence=0.75)
        for e in few
        for n, turn in enumerate(e.gold)
    ]
    found = score_predictions(predictions, {e.id: e.gold for e in few}, conversations).score
    turns = found.execution.total
    path = tmp_path / "figures.json"
    path.write_text(
        json.dumps({"score": score_to_json(found), "reachable": turns - 1, "turns": turns}), encoding="utf-8"
    )
    card = training_card([path], few, (), 0, held_out_figures(path))
    assert card["figures"] == {
        "measured by": "quaestor crossvalidate, on companies held out, with own history",
        "turns": turns,
        "execution accuracy": 1.0,
        "program accuracy": 1.0,
        "reference among the candidates": round(1 - 1 / turns, 4),
        "calibration error": 0.25,
        "right of the surest half": 1.0,
    }
    assert card["limits"]
    assert training_card([path], few, (), 0)["figures"] == "not measured"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"score": {}, "reachable": 1, "turns": 1}'])
def test_malformed_figures_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "figures.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError):
        held_out_figures(path)


def test_a_change_and_an_average_are_found_however_they_are_derived(leaves: NumberMatrix) -> None:
    for program, value in (
        ("divide(435, 401), subtract(#0, 1)", 435 / 401 - 1),
        ("subtract(435, 401), divide(#0, 401)", 435 / 401 - 1),
    ):
        (turn,) = labelled(leaves, (program, value))
        assert outcome_text(turn) == "percentage_change leaf0 leaf1"
    for program in ("add(435, 401), divide(#0, 2)", "add(435, 401), divide(#0, const_2)"):
        (turn,) = labelled(leaves, (program, 418.0))
        assert outcome_text(turn) == "average leaf0 leaf1"
    for program in ("add(435, 401), multiply(#0, const_m1), divide(#1, 2)", "subtract(-435, 401), divide(#0, 2)"):
        (turn,) = labelled(leaves, (program, -418.0))
        assert (turn.outcome.operation, [o.value for o in turn.outcome.operands]) == ("average", [-435.0, -401.0])


def test_a_stated_percentage_is_compared_in_points_as_the_solver_takes_it() -> None:
    document = page([["", "2019", "2018"], ["rate", "4.5%", "4.1%"]], ())
    matrix = build_number_matrix(build_graph(document, build_ontology([document]), "strict"))
    stated = StatedReference(StatedAnswer(("0.4",), "percent"), "arithmetic", "table", "4.5% - 4.1%", "number")
    gold = GoldTurn("subtract(4.5%, 4.1%)", a_value(0.004), None, 0, stated)
    turn, _ = label_turn(NO_QUESTION, gold, [], DialogueState(), matrix, lambda found: found[0])
    assert turn.answer == pytest.approx(0.4)
    turn, _ = label_turn(NO_QUESTION, replace(gold, stated=None), [], DialogueState(), matrix, lambda found: found[0])
    assert turn.answer == pytest.approx(0.004)


def test_independent_questions_are_read_with_their_page_as_company(tmp_path: Path) -> None:
    mill, fleet = read_examples([write_tatqa(tmp_path)])
    assert (mill.company, mill.chained, len(mill.questions)) == ("1f0c-mill", False, 6)
    assert company_folds([mill, fleet], 2, seed=0).keys() == {"1f0c-mill", "2a7e-fleet"}


@pytest.mark.very_slow
@pytest.mark.usefixtures("few_rounds")
def test_held_out_turns_are_answered_by_weights_of_other_folds(examples: tuple[Example, ...], tmp_path: Path) -> None:
    some, pages = one_of_each_company(examples), read_examples([write_tatqa(tmp_path)])
    few, only_learned_from = some[:6], some[6:12]
    held_out = cross_validate([*few, *pages], only_learned_from, (), folds=2, workers=1)
    places = [(e.id, n) for e in (*few, *pages) for n in range(len(e.questions))]
    assert sorted((t.prediction.conversation, t.prediction.turn) for t in held_out) == sorted(places)
    reachable = {t.prediction.conversation for t in held_out if t.reachable}
    assert "1f0c-mill" in reachable
    assert reachable & {e.id for e in few}
