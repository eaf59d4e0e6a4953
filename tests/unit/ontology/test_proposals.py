"""Proposals: borne out by the text or not, in the ontology with their reason, and back from Turtle."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pages import page
from reviewing import accept_all

from quaestor.errors import InputError
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.extract import RuleExtractor
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.proposal import Proposal
from quaestor.ontology.proposals import (
    ReviewedExtractor,
    objection,
    read_proposals,
    require_borne_out,
    with_labels,
    write_proposals,
)
from quaestor.ontology.turtle import ontology_from_turtle

ONE = page(
    [["", "2008", "2007"], ["customer receipts", "10", "9"], ["freight", "4", "3"]],
    before=["our hedge book had notional volumes as follows :"],
    after=["the tonnage shipped was 12 in 2008 ."],
    name="NORD/2008/page_1.pdf",
)
TWO = page([["", "2009"], ["receipts of customers", "7"]], name="SUND/2009/page_2.pdf")
PAGES = (ONE, TWO)

MERGE = Proposal("merge", "receipts of customers", "customer receipts", documents=(TWO.id,), reason="both are cash in")
KIND = Proposal("class", "hedge book", cues=("notional volumes",), documents=(ONE.id,), reason="it says so before it")
PHRASE = Proposal("property", "tonnage shipped", documents=(ONE.id,), reason="a quantity of its own")


def built(*proposals: Proposal) -> Ontology:
    return build_ontology(PAGES, [RuleExtractor(), ReviewedExtractor(proposals)])


def test_without_proposals_nothing_changes() -> None:
    assert built() == build_ontology(PAGES)


def test_an_accepted_merge_joins_two_labels_and_says_why() -> None:
    before, after = built(), built(MERGE)
    assert before.match(MERGE.label) != after.match(MERGE.label)
    explanation = after.why(MERGE.label, MERGE.into)
    assert (explanation.same, explanation.reason) == (True, "both are cash in")
    assert [(merge.rule, merge.variant) for merge in after.merges] == [("proposed", MERGE.label)]


def test_an_accepted_type_names_its_tables() -> None:
    kind = built(KIND).class_named("HedgeBook")
    assert (kind.documents, kind.core) == ((ONE.id,), False)
    assert "notional volumes" in kind.cues


def test_an_accepted_type_of_the_core_gets_the_cues() -> None:
    known = built().class_named("CashFlow")
    more = built(replace(KIND, label=known.label)).class_named("CashFlow")
    assert set(more.cues) - set(known.cues) == {"notional volumes"}
    assert more.core


def test_an_accepted_phrase_is_a_property() -> None:
    assert built().match(PHRASE.label) is None
    found = built(PHRASE).match(PHRASE.label)
    assert found is not None
    assert found.property == "kg:tonnage_shipped"


def test_the_ontology_keeps_proposals_and_comes_back_from_turtle() -> None:
    ontology = built(MERGE, KIND, PHRASE)
    assert set(ontology.proposals) == {MERGE, KIND, PHRASE}
    read = ontology_from_turtle(ontology.to_turtle())
    assert (read, read.digest) == (ontology, ontology.digest)
    assert built(PHRASE, MERGE, KIND).digest == ontology.digest
    assert built(replace(MERGE, reason="other words"), KIND, PHRASE).digest != ontology.digest


@pytest.mark.parametrize(
    ("proposal", "named"),
    [
        (replace(KIND, cues=()), ""),
        (replace(KIND, cues=("swap",)), "'swap'"),
        (replace(KIND, label=" "), ""),
        (replace(PHRASE, label="tonnage sunk"), "'tonnage sunk'"),
        (replace(MERGE, label="receipts of none"), "'receipts of none'"),
        (replace(MERGE, into=MERGE.label), ""),
        (Proposal("merge", "freight", "customer receipts"), "NORD/2008/page_1.pdf"),
    ],
)
def test_what_the_text_does_not_bear_out(proposal: Proposal, named: str) -> None:
    fault = objection(proposal, PAGES)
    assert fault
    assert named in fault
    with pytest.raises(InputError):
        require_borne_out([MERGE, proposal], PAGES)


def test_what_the_text_bears_out() -> None:
    require_borne_out([MERGE, KIND, PHRASE], PAGES)


def test_a_table_with_both_keeps_them_apart_whatever_is_proposed() -> None:
    ontology = built(Proposal("merge", "freight", "customer receipts"))
    assert ontology.match("freight") != ontology.match("customer receipts")


def test_a_review_file_keeps_what_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "review.json"
    write_proposals(path, [MERGE, KIND, PHRASE])
    assert read_proposals(path) == ()
    accept_all(path)
    assert read_proposals(path) == (MERGE, KIND, PHRASE)
    edited = json.loads(path.read_text(encoding="utf-8"))
    edited[0]["accept"] = False
    edited[2]["label"] = "the tonnage"
    path.write_text(json.dumps(edited), encoding="utf-8")
    assert read_proposals(path) == (KIND, replace(PHRASE, label="the tonnage"))


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        "[3]",
        '[{"kind": "merge", "label": "x"}]',
        '[{"accept": true, "kind": "guess", "label": "x"}]',
        '[{"accept": true, "label": "x"}]',
    ],
)
def test_a_file_that_is_no_review(tmp_path: Path, text: str) -> None:
    path = tmp_path / "review.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"review\.json"):
        read_proposals(path)


def test_labels_of_one_document_leave_the_properties_as_they_are() -> None:
    known = build_ontology([ONE])
    more = with_labels(known, [MERGE, KIND, Proposal("merge", "freight", "customer receipts")])
    assert [p.name for p in more.properties] == [p.name for p in known.properties]
    found = more.match(MERGE.label)
    assert found is not None
    assert found.property == "kg:customer_receipts"
    assert more.proposals == (MERGE,)
    assert ontology_from_turtle(more.to_turtle()) == more
