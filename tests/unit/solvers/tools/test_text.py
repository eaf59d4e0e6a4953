import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import JsonValue
from toolboxes import OPTIONS, toolbox
from values import quantity_of

from quaestor.plan.steps import Extract

SHIPS = "FJOR/2014/page_58.pdf"


def values(reply: dict[str, JsonValue]) -> list[JsonValue]:
    mentions = reply["mentions"]
    assert isinstance(mentions, list)
    return [mention["value"] for mention in mentions if isinstance(mention, dict)]


@pytest.mark.parametrize(
    ("page", "arguments", "value"),
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
def test_the_one_number_that_fits_is_taken(page: str, arguments: dict[str, JsonValue], value: float) -> None:
    box = toolbox(page)
    reply = box.call("find_in_text", arguments)
    assert values(reply) == [value]
    assert reply["step"] == 1
    (step,) = box.plan().steps
    assert isinstance(step, Extract)
    assert float(quantity_of(step).value) == value
    assert step.source.kind == "sentence"


def test_of_several_numbers_all_are_shown_and_none_is_taken() -> None:
    box = toolbox()
    reply = box.call("find_in_text", {"words": "unrecognized compensation"})
    assert (values(reply), reply["count"]) == ([26.3, 2.4], 2)
    assert "none was chosen" in str(reply["note"])
    assert "step" not in reply
    assert box.draft.steps == ()
    box.call("calculate", {"operation": "divide", "values": [26.3, 2.4]})
    assert [step.source.kind for step in box.plan().extracts] == ["sentence", "sentence"]


def test_part_of_the_words_is_shown_but_not_taken() -> None:
    box = toolbox()
    reply = box.call("find_in_text", {"words": "cash exercise dividend", "period": 2007})
    assert values(reply) == [19.5]
    assert "No number has all the words" in str(reply["note"])
    assert box.draft.steps == ()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"words": "grantd optoins"}, "No number in the text has words = grantd optoins"),
        ({"unit": "furlongs"}, "unit = furlongs"),
        ({"period": "2007-Q3"}, "period = 2007-Q3"),
        ({"period": "soon"}, "'soon' is no period"),
    ],
)
def test_nothing_found_says_what_there_is(arguments: dict[str, JsonValue], said: str) -> None:
    reply = toolbox().call("find_in_text", arguments)
    assert reply["success"] is False
    assert said in str(reply["error"])
    assert reply["suggestion"]


def test_misspelt_words_are_recognised() -> None:
    assert "granted" in str(toolbox().call("find_in_text", {"words": "grantd optoins"})["nearest"])


def test_suggestions_are_the_same_in_every_process() -> None:
    """A recorded run is played back by another process, whose sets have another order."""
    code = "from toolboxes import toolbox; print(toolbox().call('find_in_text', {'words': 're o an e'}))"
    path = os.pathsep.join([str(Path(__file__).parents[3] / "support"), os.environ.get("PYTHONPATH", "")])
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
    assert b"nearest" in told.pop()
