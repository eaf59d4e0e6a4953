import ast
import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from pages import page
from reviewing import accept_all

import quaestor.application.refinement as refinement
from quaestor.application.refinement import (
    accept_refinements,
    apply_proposals,
    propose_refinements,
    read_proposals,
    write_proposals,
)
from quaestor.errors import InputError
from quaestor.graph.builder import build_graph
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.ontology import Ontology, Proposal
from quaestor.ontology.turtle import ontology_from_turtle
from quaestor.scores import open_scores
from quaestor.settings import Settings
from quaestor.store.base import open_store
from quaestor.testing.score_rules import make_score
from quaestor.testing.store_records import START, make_example, make_run, make_turns

KNOWN = build_ontology([page([["", "2008", "2007"], ["customer receipts", "10", "9"], ["freight charges", "4", "3"]])])
ONE = page([["", "2009"], ["customers receipts net", "7"], ["whale oil", "2"]], name="NORD/2009/page_1.pdf")
BOTH = [["", "2010"], ["whale oil", "3"], ["freight charges", "5"], ["freight charge b", "6"]]
TWO = page(BOTH, name="SUND/2010/page_2.pdf")
RUN = make_run(conversations=2)

MERGE = Proposal("merge", "receipts of customers", "customer receipts", documents=(TWO.id,), reason="both are cash in")
KIND = Proposal("class", "hedge book", cues=("notional volumes",), documents=(ONE.id,), reason="it says so before it")
PHRASE = Proposal("property", "tonnage shipped", documents=(ONE.id,), reason="a quantity of its own")

Calls = list[tuple[dict[str, object], dict[str, object]]]
REFUSED = {"success": False, "error": "Property 'x' not found on instances of 'kg:Revenue'"}
FOUND = {"success": True, "property": "kg:freight_charges", "value": 5}
CALLS: Calls = [
    ({"property": "cost_of_freight"}, REFUSED),
    ({"property": "goodwill"}, REFUSED),
    ({"property": "freight charges"}, FOUND),
    ({"property": "charges at sea"}, FOUND),
]


async def fill(path: Path, *, scored: bool = False, wrong: str = "1.50") -> None:
    async with open_store(str(path)) as store:
        await store.create_run(RUN)
        for name, document in (("c1", ONE), ("c2", TWO)):
            graph = build_graph(document, KNOWN, "extend")
            await store.save_graph(RUN.id, name, graph.triples())
            (turn, *_) = make_turns(RUN, name)
            calls = [{"tool": "query_kg", "input": i, "output": o, "seconds": 0.1} for i, o in CALLS]
            turns = (replace(turn, tool_calls=calls if document is TWO else [], number=wrong),)  # type: ignore[arg-type]
            await store.complete_example(make_example(RUN, name, turns=1), turns)
        await store.finish_run(RUN.id, "complete", START)
    if scored:
        scores = open_scores(str(path))
        assert scores is not None
        async with scores:
            await scores.add_score(make_score(RUN, {"c1": (True,), "c2": (False,)}))


def proposed(path: Path, ontology: Ontology = KNOWN) -> tuple[Proposal, ...]:
    async def scenario() -> tuple[Proposal, ...]:
        async with open_store(str(path), create=False) as store:
            return await propose_refinements(store, ["latest"], ontology)

    return asyncio.run(scenario())


def test_gaps_and_corrected_names_become_proposals(tmp_path: Path) -> None:
    asyncio.run(fill(tmp_path / "runs.db"))
    found = {(p.kind, p.label, p.into): p for p in proposed(tmp_path / "runs.db")}
    assert list(found) == [
        ("merge", "cost of freight", "freight charges"),
        ("merge", "customers receipts net", "customer receipts"),
        ("property", "freight charge b", ""),
        ("property", "whale oil", ""),
    ]
    assert found["property", "whale oil", ""].documents == (ONE.id, TWO.id)
    assert "'freight charges'" in found["merge", "cost of freight", "freight charges"].reason
    # It resembles `freight charges`, but one table contains both labels.
    assert found["property", "freight charge b", ""].reason


def test_accepted_proposal_closes_the_gap(tmp_path: Path) -> None:
    asyncio.run(fill(tmp_path / "runs.db"))
    review, target = tmp_path / "review.json", tmp_path / "known.ttl"
    write_proposals(review, proposed(tmp_path / "runs.db"))
    accept_all(review)
    target.write_text(KNOWN.to_turtle(), encoding="utf-8")
    settings = Settings(store=str(tmp_path / "runs.db"), ontology=str(target))
    refined = asyncio.run(accept_refinements(settings, review))
    assert (refined.accepted, refined.applied) == (4, 4)
    assert ontology_from_turtle(refined.ontology.to_turtle()).digest == refined.ontology.digest != KNOWN.digest
    for document in (ONE, TWO):
        build_graph(document, refined.ontology, "strict")
    assert refined.ontology.match("cost of freight").property == "kg:freight_charges"  # type: ignore[union-attr]
    assert proposed(tmp_path / "runs.db", refined.ontology) == ()
    again = Settings(store=settings.store, ontology=refined.ontology.digest)
    assert asyncio.run(accept_refinements(again, review)).applied == 0


def test_refinement_reads_no_references_scores_or_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proposals are the same without the file of questions, with or without scores, and with other answers."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("reference answers are read")

    asyncio.run(fill(tmp_path / "plain.db"))
    asyncio.run(fill(tmp_path / "scored.db", scored=True, wrong="-7"))
    monkeypatch.setattr("quaestor.scoring.gold.read_gold", refuse)
    monkeypatch.setattr("quaestor.scores.open_scores", refuse)
    assert not Path(RUN.dataset).exists()
    assert proposed(tmp_path / "plain.db") == proposed(tmp_path / "scored.db") != ()
    source = ast.parse(Path(str(refinement.__file__)).read_text(encoding="utf-8"))
    imported = {node.module for node in ast.walk(source) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in imported if name and ("scor" in name or "gold" in name or "datasets" in name)]


def test_review_file_keeps_accepted_proposals(tmp_path: Path) -> None:
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
def test_raises_error_for_an_invalid_review_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "review.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"review\.json"):
        read_proposals(path)


def test_applied_proposals_merge_labels_and_add_properties_with_reasons() -> None:
    refined = apply_proposals(KNOWN, [MERGE, KIND, PHRASE, Proposal("merge", "freight charges", "customer receipts")])
    assert [p.name for p in refined.properties] == sorted([*(p.name for p in KNOWN.properties), "kg:tonnage_shipped"])
    match = refined.match(MERGE.label)
    assert match is not None
    assert match.property == "kg:customer_receipts"
    explanation = refined.explain(MERGE.label, MERGE.into)
    assert (explanation.same, explanation.reason) == (True, "both are cash in")
    assert set(refined.proposals) == {MERGE, PHRASE}
    assert ontology_from_turtle(refined.to_turtle()) == refined


def test_an_ontology_with_a_proposed_class_comes_back_from_turtle() -> None:
    known = replace(KNOWN, proposals=(KIND,))
    read = ontology_from_turtle(known.to_turtle())
    assert (read, read.digest) == (known, known.digest)
