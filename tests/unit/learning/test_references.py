from pathlib import Path

import pytest
from values import a_value

from quaestor.conversation.references.lineage import latest_results, results_of_turns
from quaestor.conversation.references.ranking import Weights, rank_sets
from quaestor.conversation.references.resolving import resolve
from quaestor.learning.examples import Example, read_examples, read_lines
from quaestor.learning.references import LabelledReference, fit_references, labelled_references, reference_samples
from quaestor.questions.question import read_question
from quaestor.scoring.gold import GoldTurn


def dialogue(*turns: tuple[str, str], name: str = "Single_AB/2008/page_1.pdf-1") -> Example:
    gold = tuple(GoldTurn(program, a_value(1.0), None, 0) for _, program in turns)
    return Example(name, tuple(question for question, _ in turns), gold, None)


CHANGE = dialogue(
    ("what was the rent in 2008?", "120"),
    ("and in 2007?", "100"),
    ("what is the difference?", "subtract(120, 100)"),
    ("and what was the rent in 2007, again?", "100"),
    ("what percentage change is that?", "subtract(120, 100), divide(#0, 100)"),
    ("and over a hundred?", "subtract(120, 100), divide(#0, const_100)"),
    ("what was the tax?", "subtract(7, 5)"),
)


def right_sets(example: Example) -> list[list[tuple[int, ...]]]:
    """Return the right sets of turns for each question after the first."""
    found = []
    for item in labelled_references([example]):
        pairs = [(a, b) for a in range(item.turn) for b in range(a + 1, item.turn)]
        found.append([t for t in [(), *((n,) for n in range(item.turn)), *pairs] if item.is_right(t)])
    return found


def test_a_program_uses_the_largest_parts_that_are_whole_earlier_programs() -> None:
    # The difference is used rather than its numbers; both turns of a number that was asked twice are right.
    assert right_sets(CHANGE) == [[()], [(0, 1)], [()], [(1, 2), (2, 3)], [(2,)], [()]]


def test_program_equal_to_an_earlier_one_uses_no_reference() -> None:
    repeated = dialogue(("what was the change?", "subtract(7, 5)"), ("again, what was it?", "subtract(7, 5)"))
    assert right_sets(repeated) == [[()]]


def test_memory_has_only_programs_of_earlier_turns() -> None:
    (*_, last) = labelled_references([CHANGE])
    assert [turn.answer.metric_type for turn in last.memory.turns] == [
        "value", "value", "change", "value", "percentage_change", "ratio",
    ]  # fmt: skip
    results = results_of_turns(last.memory)
    assert results[4] is not None
    assert results[4].dependencies == (2, 3)


@pytest.mark.slow
def test_learned_weights_predict_their_training_references() -> None:
    pytest.importorskip("scipy")
    examples = [CHANGE] * 10
    samples = reference_samples(labelled_references(examples))
    weights = fit_references(samples, sparsity=0.1)
    assert all(item.is_right(first_set(item, weights)) for item in labelled_references(examples))
    assert len(fit_references(samples, sparsity=50.0)) < len(weights)


def first_set(item: LabelledReference, weights: Weights) -> tuple[int, ...]:
    latest = latest_results(results_of_turns(item.memory))
    return rank_sets(read_question(item.question), latest, weights)[0].turns


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("files", "at_1", "at_3"),
    [(["convfinqa_tune.json"], 0.87, 0.95), (["convfinqa_train50.json", "convfinqa_train100.json"], 0.84, 0.94)],
)
def test_resolved_references_match_public_conversations(
    shared_data: Path, files: list[str], at_1: float, at_3: float
) -> None:
    first = third = using = 0
    for item in labelled_references(read_examples([shared_data / name for name in files])):
        if item.used:
            sets = resolve(read_question(item.question), item.memory).sets
            using += 1
            first += item.is_right(sets[0].turns)
            third += any(item.is_right(chosen.turns) for chosen in sets[:3])
    assert using > 200
    assert first / using >= at_1
    assert third / using >= at_3


@pytest.mark.slow
def test_the_shipped_weights_claim_nothing_if_dialogues_use_nothing(shared_data: Path) -> None:
    items = list(labelled_references(read_lines([shared_data / "convfinqa_train_dialogues.jsonl"])))
    idle = [item for item in items if not item.used]
    assert len(idle) > 900
    assert sum(not resolve(read_question(item.question), item.memory).used for item in idle) / len(idle) >= 0.95
