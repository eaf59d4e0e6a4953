import os
import subprocess
import sys
from pathlib import Path

import pytest
from pages import page
from pydantic import JsonValue
from toolboxes import OPTIONS, toolbox
from values import quantity_of

from quaestor.conversation.turn import Memory
from quaestor.errors import SolverError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.plan.steps import Extract
from quaestor.solvers.tools.toolbox import Toolbox

SHIPS = "FJOR/2014/page_58.pdf"


def values(reply: dict[str, JsonValue]) -> list[JsonValue]:
    return [mention["value"] for mention in mentions(reply)]


def mentions(reply: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    """Return the numbers of a reply, sentence by sentence."""
    sentences = reply["sentences"]
    assert isinstance(sentences, list)
    return [mention for sentence in sentences for mention in sentence["mentions"]]  # type: ignore[index,call-overload,union-attr,misc]


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        (OPTIONS, {"words": "unrecognized compensation cost", "unit": "USD"}, 26.3),
        (OPTIONS, {"words": "compensation costs", "unit": "$"}, 26.3),
        (OPTIONS, {"words": "options granted", "period": 2006}, 1.1),
        (OPTIONS, {"unit": "years"}, 2.4),
        (OPTIONS, {"period": "september 30 , 2007", "unit": "million"}, 26.3),
        (SHIPS, {"words": "the fuel expense", "unit": "percent"}, 5.5),
        (SHIPS, {"words": "off hire", "unit": "days", "period": "2013"}, 187),
    ],
)
def test_only_matching_number_is_extracted(name: str, arguments: dict[str, JsonValue], value: float) -> None:
    box = toolbox(name)
    reply = box.call("find_in_text", arguments)
    assert values(reply) == [value]
    assert reply["step"] == 1
    (step,) = box.draft.plan().steps
    assert isinstance(step, Extract)
    assert float(quantity_of(step).value) == value
    assert step.source.kind == "sentence"


def test_several_matching_numbers_are_shown_and_none_is_extracted() -> None:
    box = toolbox()
    reply = box.call("find_in_text", {"words": "unrecognized compensation"})
    assert (values(reply), reply["count"]) == ([26.3, 2.4], 2)
    assert "step" not in reply
    assert [mention["step"] for mention in mentions(reply)] == [1, 2]
    with pytest.raises(SolverError):
        box.draft.plan()
    box.call("calculate", {"operation": "divide", "values": ["#1", 2.4]})
    assert [step.source.kind for step in box.draft.plan().extracts] == ["sentence", "sentence"]


def test_partial_match_is_shown_but_not_extracted() -> None:
    box = toolbox()
    reply = box.call("find_in_text", {"words": "cash exercise dividend", "period": 2007})
    assert values(reply) == [19.5]
    assert "step" not in reply
    assert box.draft.chosen == ()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"words": "grantd optoins"}, "grantd optoins"),
        ({"unit": "furlongs"}, "furlongs"),
        ({"period": "2007-Q3"}, "2007-Q3"),
        ({"period": "soon"}, "'soon'"),
    ],
)
def test_search_without_results_lists_existing_names(arguments: dict[str, JsonValue], named: str) -> None:
    reply = toolbox().call("find_in_text", arguments)
    assert reply["success"] is False
    assert named in str(reply["error"])
    assert reply["suggestion"]


def read_sentences(*before: str, **arguments: JsonValue) -> dict[str, JsonValue]:
    """Return the reply of the tool for a made-up page with some sentences."""
    document = page([["", "2012"], ["sales", "$ 5"]], before=list(before))
    knowledge = GraphProvider.of([document])
    return Toolbox(knowledge.graph(document), knowledge.ontology, Memory()).call("find_in_text", arguments)


def test_number_without_a_period_has_that_of_the_previous_sentence() -> None:
    sentences = ("fiscal 2011 was a good year .", "rent was $ 7 million .")
    reply = read_sentences(*sentences, words="rent", period=2011)
    (shown,) = mentions(reply)
    assert (shown["value"], shown["periodOfSentenceBefore"], reply["step"]) == (7, "2011", 1)
    assert "period" not in shown
    assert "periodOfSentenceBefore" in str(reply["note"])
    assert reply["sentences"][0]["before"] == sentences[0]  # type: ignore[call-overload,index]
    explicit = read_sentences(*sentences, "rent was $ 9 million in 2011 .", words="rent", period=2011)
    assert values(explicit) == [9]
    assert "periodOfSentenceBefore" not in mentions(explicit)[0]


def test_equal_sentences_are_distinguished_by_the_preceding_one() -> None:
    reply = read_sentences("europe", "sales rose 5 % .", "asia", "sales rose 5 % .", words="sales rose")
    sentences = reply["sentences"]
    assert isinstance(sentences, list)
    assert [sentence["before"] for sentence in sentences] == ["europe", "asia"]  # type: ignore[index,call-overload]
    assert [mention["step"] for mention in mentions(reply)] == [1, 2]


def test_a_sentence_without_numbers_is_found() -> None:
    reply = read_sentences("the segment sells cables to utilities .", "rent was $ 7 million .", words="segment cables")
    assert reply["sentences"] == [{"sentence": "the segment sells cables to utilities .", "mentions": []}]
    assert reply["count"] == 0


def test_an_amount_printed_again_for_its_period_is_one() -> None:
    again = "in 2011 , we paid $ 7 million and $ 2 million of rent and tax ."
    reply = read_sentences("in 2011 , rent was $ 7 million .", again, words="rent", unit="USD")
    assert values(reply) == [7, 2]
    reply = read_sentences("in 2011 , rent was $ 7 million .", "as said , rent was $ 7 million in 2011 .", words="rent")
    assert (values(reply), reply["step"]) == ([7], 1)


@pytest.mark.very_slow
def test_suggestions_are_the_same_in_every_process() -> None:
    """Another process, in which sets have another order, can replay a recorded run."""
    code = (
        "from toolboxes import toolbox; print(toolbox().call('find_in_text', {'words': 'grantd optoins compensaton'}))"
    )
    path = os.pathsep.join([str(Path(__file__).parents[3] / "support"), os.environ.get("PYTHONPATH", "")])
    results = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(results) == 1
    assert b"nearest" in results.pop()
