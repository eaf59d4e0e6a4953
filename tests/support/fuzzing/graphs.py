"""Targets for graphs: queries that models write and ontologies that people edit."""

from contextlib import suppress
from pathlib import Path

from toolboxes import OPTIONS, sample_knowledge, sample_pages

from fuzzing.drawing import text_or_words
from fuzzing.target import Reads, Target
from quaestor.errors import QuaestorError
from quaestor.graph.sparql import Limits
from quaestor.ontology.turtle import ontology_from_turtle

QUERIES = (
    "SELECT ", "ASK ", "?s ", "?p ", "?o ", "* ", "WHERE ", "{ ", "} ", ". ", "; ", "FILTER(", ")", "kg:value ",
    "kg:year ", "2007 ", '"x" ', "OPTIONAL ", "UNION ", "LIMIT 5 ", "ORDER BY ", "GROUP BY ", "(COUNT(?s) AS ?n) ",
    "SERVICE ", "a ", "<http://127.0.0.1/> ", "INSERT ", "DROP ALL", "kg:property/", "^", "|", "+ ",
    "REGEX(?o, '(a+)+$')", "BIND(", "AS ?x) ", "VALUES ?s ", "MINUS ", "PREFIX x: ", "# ", "\n", "FROM ", "LOAD ",
)  # fmt: skip
TURTLE = (
    "@prefix ", "q: ", "<urn:x> ", "a ", "; ", ". ", ", ", '"', "[] ", "( ", ") ", "rdfs:label ", "owl:Class ", "\n",
    "^^", "xsd:integer ", "@en ", "_:b ", "1e9 ", "true ", "\\u0041", "<", "> ", "# ", "owl:DatatypeProperty ", "'''",
)  # fmt: skip


def _queries(_: Path) -> Reads:
    graph = sample_knowledge().graph(sample_pages()[OPTIONS])
    limits = Limits(rows=200, seconds=1.0)

    def read(data: bytes) -> None:
        query = text_or_words(data, QUERIES)
        with suppress(QuaestorError):
            graph.select(query, limits)
        with suppress(QuaestorError):
            graph.ask(query, limits)

    return read


def _turtle(_: Path) -> Reads:
    def read(data: bytes) -> None:
        with suppress(QuaestorError):
            ontology_from_turtle(text_or_words(data, TURTLE))

    return read


TARGETS = (Target("queries", _queries, 40, QUERIES), Target("turtle", _turtle, 40, TURTLE))
