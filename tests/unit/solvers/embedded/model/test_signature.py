"""Features of a turn without its page, and their weights, computed by hand."""

import math

import numpy as np
import pytest

from quaestor.questions.question import read_question
from quaestor.solvers.embedded.operand_pool import (
    SignatureModel,
    Signatures,
    find_signature,
    list_features,
    name_constant,
)
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnAction


def features(question: str, earlier: tuple[str, ...] = (), signatures: tuple[str, ...] = ()) -> dict[str, float]:
    return list_features(read_question(question), [read_question(text) for text in earlier], signatures)


def test_n_grams_are_words_pairs_and_triples_between_the_ends() -> None:
    grams = {name for name in features("net sales?") if name.startswith("q:")}
    assert grams == {
        "q:<s>", "q:net", "q:sale", "q:</s>", "q:<s>_net", "q:net_sale", "q:sale_</s>", "q:<s>_net_sale",
        "q:net_sale_</s>",
    }  # fmt: skip


def test_years_are_replaced_by_one_token_and_counted() -> None:
    found = features("from 2007 to 2008?")
    assert "q:from_YEAR_to" in found
    assert {name for name in found if name.startswith("years:")} == {"years:2"}


@pytest.mark.parametrize(
    ("signatures", "expected"),
    [
        ((), {"before:-", "before2:", "before3:", "signature:-", "pending:0", "turn:0"}),
        (
            ("subtract(new,new)", "lookup(new)", "lookup(used)"),
            {"before:lookup", "before2:lookup/lookup", "before3:lookup/lookup/subtract", "signature:lookup(used)",
             "pending:2", "turn:3"},
        ),
        (
            ("lookup(new)", "divide(result1,new)"),
            {"before:divide", "before2:divide/lookup", "before3:divide/lookup", "signature:divide(result1,new)",
             "pending:0", "turn:2"},
        ),
    ],
)  # fmt: skip
def test_features_list_earlier_turns_latest_first(signatures: tuple[str, ...], expected: set[str]) -> None:
    found = features("why?", tuple(f"{n}?" for n in range(len(signatures))), signatures)
    kinds = ("before", "signature:", "pending:", "turn:")
    assert {name for name in found if name.startswith(kinds) and "|" not in name} == expected


def test_features_of_a_comparison_are_its_kind_and_references() -> None:
    found = features("what is that change divided by the rent?", ("what was the rent?",), ("lookup(new)",))
    assert {"sides:ratio|10", "lookup|sides:ratio|10", "side2:0said"} <= found.keys()
    assert not any(name.startswith("side1:") for name in features("what was it?"))


def test_new_words_and_years_are_counted() -> None:
    found = features("rent and tax in 2009?", ("rent in 2008?", "fees?"), ("lookup(new)",) * 2)
    assert (found["overlap:last"], found["overlap:all"]) == (0, 0.5)
    assert {"new stems:1", "new years:1"} <= found.keys()
    assert "overlap:all" not in features("rent?")


def test_length_is_relative_and_capped() -> None:
    assert features("net sales?")["length"] == 4 / 40
    assert features("word " * 60)["length"] == 1


def test_probabilities_are_the_softmax_of_the_weights_of_known_features() -> None:
    model = SignatureModel(
        classes=("a", "b"),
        features={"q:rent": 0, "length": 1},
        weights=np.array([[math.log(3), 0], [0, 0]], np.float32),
        intercept=np.array([0, math.log(2)], np.float32),
    )
    assert model.probabilities(read_question("rent?"), (), ()) == pytest.approx({"a": 0.6, "b": 0.4})
    assert model.probabilities(read_question("tax?"), (), ()) == pytest.approx({"a": 1 / 3, "b": 2 / 3})


def test_signatures_of_one_operation_add_up_and_new_leaves_are_counted() -> None:
    probabilities = {"subtract(new,new)": 0.5, "lookup(new)": 0.25, "subtract(result1,new)": 0.125, "sum(group)": 0.0}
    signatures = Signatures(probabilities)
    assert dict(signatures.operations) == {"subtract": 0.625, "lookup": 0.25, "sum": 0}
    assert signatures.operations["divide"] == 0
    assert signatures.new_leaves == 1.375


@pytest.mark.parametrize("operation", ["sum", "average"])
def test_a_group_is_one_kind(operation: str) -> None:
    action = TurnAction(operation, (Operand("leaf", 0, 1.0),), 1.0)
    assert find_signature(read_question("?"), action, DialogueState()) == f"{operation}(group)"


def test_results_older_than_three_turns_are_one_kind() -> None:
    state = DialogueState()
    for n in range(5):
        state = state.after(read_question("?"), TurnAction("lookup", (Operand("leaf", n, 1.0),), 1.0))
    kinds = [
        find_signature(read_question("?"), TurnAction("lookup", (Operand("result", turn, 1.0),), 1.0), state)
        for turn in range(5)
    ]
    assert kinds == ["lookup(result3)"] * 3 + ["lookup(result2)", "lookup(result1)"]


@pytest.mark.parametrize(("value", "kind"), [(100.0, "asked"), (1000.0, "1000"), (-1.0, "-1"), (1e6, "1e+06")])
def test_constant_is_named_asked_or_by_its_value(value: float, kind: str) -> None:
    assert name_constant(value, (100.0,)) == kind
