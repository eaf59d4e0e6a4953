"""A statement of a knowledge graph, in the form in which it is written, read and kept."""

from typing import NamedTuple


class Triple(NamedTuple):
    """Subject, predicate and object, each one word of Turtle.

    A node is a prefixed name (`kg:StockOption_2007`) or, where no prefix fits, an IRI in angle brackets. A literal
    keeps its lexical form and its datatype: `"60.94"^^xsd:decimal`, `"exercise price"`. Equal terms are equal texts.
    """

    s: str
    p: str
    o: str
