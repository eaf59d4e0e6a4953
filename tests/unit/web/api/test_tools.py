from pathlib import Path
from typing import Any
from urllib.parse import quote

from web_api import Program, program

NORD = "sample#NORD/2012/page_41.pdf"
GROWTH: dict[str, Any] = {
    "formula": "(new - old) / old",
    "values": {
        "new": {"row": "total net sales", "column": "2012"},
        "old": {"row": "total net sales", "column": "2011"},
    },
}


def document_of(program: Program) -> str:
    return f"/documents/{program.get('/documents')['items'][0]['id']}"


def test_places_are_found_with_their_evidence(tmp_path: Path) -> None:
    with program(tmp_path, NORD) as api:
        there = document_of(api)
        (best, *_) = api.get(f"{there}/places?words={quote('total net sales')}&limit=3")["places"]
        assert (best["kind"], best["document"]) == ("table", NORD.partition("#")[2])
        assert best["why"]
        assert api.get(f"{there}/places?words={quote('   ')}", 400)["code"] == "question"
        assert api.get("/documents/none/places?words=sales", 404)["code"] == "unknown_document"
        assert api.get(f"{there}/places", 422)["errors"][0]["where"] == "query.words"


def test_number_is_checked_and_other_text_is_refused(tmp_path: Path) -> None:
    with program(tmp_path, NORD) as api:
        there = document_of(api)
        found = api.get(f"{there}/numbers?number={quote('1.0368 billion')}")
        assert found["found"]
        assert found["matches"][0]["place"] == "total net sales | 2012"
        assert found["matches"][0]["steps"] == ["in_its_scale"]
        nowhere = api.get(f"{there}/numbers?number=1036.9")
        assert (nowhere["found"], nowhere["count"]) == (False, 0)
        assert nowhere["nearest"][0]["printed"] == "$ 1036.8"
        assert api.get(f"{there}/numbers?number=many", 400)["code"] == "quantity"


def test_graph_query_returns_sources_of_numbers(tmp_path: Path) -> None:
    with program(tmp_path, NORD) as api:
        there = f"{document_of(api)}/queries"
        wanted = "SELECT ?o ?v WHERE { ?o kg:rowLabel 'total net sales' ; kg:value ?v }"
        found = api.post(there, sparql=wanted)
        assert (found["form"], found["answer"], found["columns"]) == ("SELECT", None, ["o", "v"])
        assert {value for _, value in found["rows"]} >= {"1036.8", "969.7"}
        assert {found["sources"][node]["text"] for node, _ in found["rows"]} >= {"$ 1036.8", "$ 969.7"}
        assert api.post(there, sparql="ASK { ?o kg:rowLabel 'rent' }")["answer"] is False
        for refused in ("DELETE WHERE { ?a ?b ?c }", "SELECT", "SELECT * { SERVICE <http://127.0.0.1/> { ?a ?b ?c } }"):
            assert api.post(there, 400, sparql=refused)["code"] == "query"
        assert api.post(there, 400, sparql="SELECT ?a WHERE { ?a ?b ?c }", limit=1)["code"]
        api.post(there, 422, sparql="x" * 5_001)


def test_a_formula_is_computed_with_the_source_of_each_number(tmp_path: Path) -> None:
    with program(tmp_path, NORD) as api:
        there = f"{document_of(api)}/calculations"
        found = api.post(there, **GROWTH)
        assert (found["answer"]["display"], found["answer"]["formula"]) == ("6.9 %", "(1036.8 - 969.7) / 969.7")
        assert len(found["answer"]["sources"]) == 2
        assert [step["kind"] for step in found["steps"]].count("taken") == 2
        assert api.post(there, 400, formula="(new - old) / old")["code"] == "formula"
        assert api.post(there, 400, formula="1 / 0")["code"] == "division_by_zero"
        assert api.post(there, 400, formula="__import__('os')")["code"] == "formula"
        absent = {"new": {"row": "rent", "column": "2012"}}
        assert "rent" in api.post(there, 400, formula="new", values=absent)["detail"]
        half = {"new": {"row": 5}}
        refused: tuple[dict[str, Any], ...] = (
            {},
            {**GROWTH, "plan": {}},
            {"plan": {}},
            {"formula": "new", "values": half},
        )
        for body in refused:
            api.post(there, 422, **body)
        assert "thought_process" in api.post(there, 400, plan={"steps": 1}, question="what were net sales?")["detail"]


def test_formula_uses_earlier_answers_and_corrected_numbers(tmp_path: Path) -> None:
    with program(tmp_path, NORD, scripted=False) as api:
        there = api.ask_all("what were total net sales in 2012?")
        doubled = {"formula": "2 * before", "values": {"before": {"turn": 1}}}
        assert api.post(f"{there}/calculations", **doubled)["answer"]["value"] == "2073.6"
        api.post(f"{there}/corrections", 201, fix="1 cell 1 = 1000")
        assert api.post(f"{there}/calculations", **doubled)["answer"]["value"] == "2000"
        assert api.get(there)["answers"] == 1
        api.post(f"{there}/calculations", 400, formula="2 * it", values={"it": {"turn": 2}})


def test_an_answer_is_explained(tmp_path: Path) -> None:
    with program(tmp_path, NORD, scripted=False) as api:
        there = api.ask_all("what were total net sales in 2012?", "and what was the change from 2011?")
        explanation = api.get(f"{there}/turns/2/explanation")
        assert (explanation["turn"], explanation["display"]) == (2, "$ 67.1 million")
        assert explanation["grounds"]
        assert explanation["steps"][-1]["kind"] == "operation"
        assert explanation["trace"]
        assert api.get(f"{there}/turns/3/explanation", 404)["code"] == "unknown_conversation"
