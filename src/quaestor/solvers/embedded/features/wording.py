"""Words of a question that the label of a number may have: those behind "that", and those for an operation."""

from functools import lru_cache

from quaestor.conversation.references.expressions import find_expressions
from quaestor.questions.question import Question
from quaestor.questions.stems import stems

OPERATION_WORDS: dict[str, frozenset[str]] = {
    "average_word": frozenset(stems("average mean")),
    "change_word": frozenset(
        stems(
            "change increase decrease decline growth variance variation difference rise drop fall reduction "
            "improvement movement grew rose fell"
        )
    ),
    "ratio_word": frozenset(stems("ratio percent percentage rate margin portion share proportion return")),
    "total_word": frozenset(stems("total sum combined aggregate")),
}
"""The words for what may have been calculated, by the column that tells whether a label has them."""


@lru_cache(maxsize=256)
def pointed_words(question: Question) -> tuple[frozenset[str], ...]:
    """Return the stems of each expression that points back and names a thing: "that long-term debt"."""
    found = (frozenset(stems(" ".join(e.words | e.of))) for e in find_expressions(question) if e.kind != "ellipsis")
    return tuple(words for words in found if words)
