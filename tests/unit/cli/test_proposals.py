"""Ontologies and graphs with a model: asked, checked against the page, reviewed, applied."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Quaestor, one_line
from made_up import a_record, write_dataset
from model_replies import Asked, Reply, say, structured
from model_server import ModelServer
from reviewing import accept_all

TABLE = [["( in millions )", "2008", "2007"], ["customer receipts", "206588", "181001"], ["freight", "435", "402"]]
OTHER = [["( in millions )", "2009"], ["receipts of customers", "7"]]
TEXT = ("our voyage ledger reads as follows :", "the tonnage shipped was 12 in 2008 .")


class Advisor:
    """Says of each request what a careful model would, and on the first one of a page also what no page prints."""

    def __init__(self) -> None:
        self.faults = 0

    def __call__(self, asked: Asked) -> Reply:
        prompt = asked.prompts[0]
        if prompt.startswith("Labels"):
            same = 1 if "receipts of customers" in prompt else 0
            return structured(asked, {"verdicts": [{"number": 1, "same": same, "reason": "both are cash in"}]})
        classes, properties = [], []
        if "not clear" in prompt and "voyage ledger" in prompt:
            cue = "voyage ledger"
            if not asked.results and len(asked.prompts) == 1:
                cue, self.faults = "swaps", self.faults + 1
            classes.append({"table": 0, "label": "ship ledger", "cues": [cue], "reason": "it is said before it"})
        if "- tonnage shipped" in prompt:
            properties.append({"phrase": "tonnage shipped", "reason": "a quantity of its own"})
        return structured(asked, {"classes": classes, "properties": properties})


@pytest.fixture
def advisor() -> Advisor:
    return Advisor()


@pytest.fixture
def ask(quaestor: Quaestor, local_models: None, advisor: Advisor, tmp_path: Path) -> Iterator[Quaestor]:
    with ModelServer(advisor) as server:
        Path("quaestor.toml").write_text(f'[models.scripted]\nbase_url = "{server.url}/v1"\nattempts = 1\n')
        write_dataset(tmp_path / "one.json", a_record(table=TABLE, text=TEXT))
        write_dataset(tmp_path / "two.json", a_record("Single_SUND/2009/page_2.pdf-1", table=OTHER, text=["none ."]))
        yield quaestor


def printed(quaestor: Quaestor, line: str) -> str:
    outcome = quaestor(line)
    assert outcome.code == 0, outcome.err
    return outcome.out


def test_proposals_are_reviewed_then_applied(ask: Quaestor, advisor: Advisor) -> None:
    out = printed(ask, "ontology build one.json two.json --model scripted --proposals review.json --output kg.ttl")
    assert "review.json" in out
    assert not Path("kg.ttl").exists()
    assert advisor.faults == 1  # the cue that no page prints was put back to the model
    review = json.loads(Path("review.json").read_text())
    assert [item["kind"] for item in review] == ["class", "merge", "property"]
    for item in review:
        item["accept"] = item["kind"] == "class"
    Path("review.json").write_text(json.dumps(review))
    out = printed(ask, "ontology build one.json two.json --accept review.json --output kg.ttl")
    assert "proposals accepted:               1" in out
    turtle = Path("kg.ttl").read_text()
    assert "kg:ShipLedger" in turtle
    assert "tonnage" not in turtle


def test_proposals_are_taken_in_at_once_and_replay(ask: Quaestor) -> None:
    line = "ontology build one.json two.json --model scripted"
    first = printed(ask, f"{line} --output first.ttl --record tape.json")
    again = printed(ask, f"{line} --output second.ttl --replay tape.json")
    assert "proposals accepted:               3" in first
    assert Path("first.ttl").read_text() == Path("second.ttl").read_text()
    assert first == again


def test_a_model_proposes_the_property_of_an_unmatched_line(ask: Quaestor) -> None:
    printed(ask, "ontology build one.json --output known.ttl")
    line = "kg build two.json#SUND/2009/page_2.pdf --ontology known.ttl"
    assert "minted" in printed(ask, line)
    out = printed(ask, f"{line} --model scripted --proposals review.json")
    assert "minted" in printed(ask, f"{line} --accept review.json")  # a person has to say so
    accept_all(Path("review.json"))
    out = printed(ask, f"{line} --accept review.json")
    assert "kg:customer_receipts" in out
    assert "minted" not in out.partition("instances")[0]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("ontology build one.json --proposals review.json", "quaestor: "),
        ("ontology build one.json --model scripted --accept review.json", "quaestor: "),
        ("ontology build one.json --accept missing.json", "missing.json"),
        ("ontology build one.json --model nobody", "unknown model 'nobody'"),
        ("ontology build one.json --accept wrong.json", "'gold'"),
        ("kg build one.json#NORD/2012/page_41.pdf --policy strict --model scripted", "'strict'"),
    ],
)
def test_options_that_do_not_fit(ask: Quaestor, line: str, reason: str) -> None:
    Path("wrong.json").write_text('[{"accept": true, "kind": "property", "label": "gold"}]')
    outcome = ask(line)
    assert outcome.code == 2
    assert reason in one_line(outcome)


def test_a_model_that_gives_no_answer(ask: Quaestor, advisor: Advisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Advisor, "__call__", lambda self, asked: say("I would rather not."))
    outcome = ask("ontology build one.json --model scripted")
    assert outcome.code == 1
    one_line(outcome)
