import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.errors import QueryError
from quaestor.graph.guard import guard


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("SELECT * WHERE { SERVICE <http://127.0.0.1:1/> { ?a ?b ?c } }", "SERVICE"),
        ("SELECT * WHERE { service SILENT ?x { ?a ?b ?c } }", "SERVICE"),
        ("SELECT * WHERE { ?a ?b 1SERVICE <http://127.0.0.1:1/> { ?a ?b ?c } }", "SERVICE"),
        ("SELECT * WHERE { ?a ?b 'x' . # c\rSERVICE <http://127.0.0.1:1/> {} }", "SERVICE"),
        ("SELECT * WHERE { ?a ?b ''' # ''' . SERVICE <http://127.0.0.1:1/> {} }", "SERVICE"),
        ("SELECT * WHERE { \\u0053ERVICE <http://127.0.0.1:1/> {} }", r"\\u"),
        ("SELECT * FROM <urn:x> WHERE { ?a ?b ?c }", "FROM"),
        ("SELECT * FROM NAMED <urn:x> WHERE { ?a ?b ?c }", "FROM"),
        ("CONSTRUCT { ?a ?b ?c } WHERE { ?a ?b ?c }", "CONSTRUCT"),
        ("DESCRIBE <urn:x>", "DESCRIBE"),
        ("PREFIX a: <urn:a> INSERT DATA { <a> <b> <c> }", "INSERT"),
        ("DELETE WHERE { ?a ?b ?c }", "DELETE"),
        ("LOAD <file:///etc/passwd>", "LOAD"),
        ("ASK { ?a ?b ?c }", "SELECT.*ASK"),
        ("", "SELECT"),
        ("PREFIX a: <urn:a>", "SELECT"),
        ("BASE <urn:x> SELECT * {}", "'BASE'"),
        ("SELECT * WHERE { ?a ?b 'open }", "'open }"),
        ("SELECT * WHERE { FILTER(" + "(" * 40 + "1" + ")" * 40 + ") }", "20"),
        ("SELECT * WHERE { ?a <urn:p>" + "/<urn:p>" * 1000 + " ?b }", "5000"),
    ],
)
def test_refused_queries(query: str, named: str) -> None:
    with pytest.raises(QueryError, match=named):
        guard(query, "SELECT")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?service ?from WHERE { ?service kg:from ?from }",
        "SELECT * WHERE { ?a kg:service 'SERVICE <http://x>' }",
        "SELECT * WHERE { ?a ?b <http://x/SERVICE#from> }",
        'SELECT * WHERE { ?a ?b """a "SERVICE" b""" } # SERVICE <x>',
        "PREFIX service: <urn:x> SELECT * WHERE { ?a service:from ?c FILTER(?c<3 && ?c>1) }",
    ],
)
def test_words_in_names_texts_and_comments_are_harmless(query: str) -> None:
    guard(query, "SELECT")


def test_a_refusal_names_the_place() -> None:
    with pytest.raises(QueryError) as caught:
        guard("SELECT * WHERE {\n SERVICE <urn:x> {} }", "SELECT")
    assert caught.value.position == 18


def test_comments_are_blanked_in_place() -> None:
    guarded = guard("SELECT * # all\nWHERE { ?a ?b ?c }", "SELECT")
    assert guarded.text == "SELECT *      \nWHERE { ?a ?b ?c }"


@given(st.text(max_size=80))
def test_any_text_is_guarded_or_refused(text: str) -> None:
    with contextlib.suppress(QueryError):
        guard(text, "SELECT")
