"""What a filing prints in place of the words of a question."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from quaestor.ontology.thesaurus import find_expressions


@dataclass(frozen=True, slots=True)
class Synonym:
    """What is printed in place of terms of a question."""

    replaced: frozenset[str]
    printed: frozenset[str]


def find_synonyms(
    phrase: Sequence[str], wanted: Collection[str], is_printed: Callable[[str], bool]
) -> tuple[Synonym, ...]:
    """Return what a document prints in place of terms of a question.

    Args:
        is_printed: Whether a term is in the document.
    """
    return tuple(
        Synonym(replaced, frozenset(other))
        for found in find_expressions(tuple(phrase))
        if (replaced := frozenset(phrase[found.start : found.end]).intersection(wanted))
        for other in found.others
        if all(map(is_printed, other))
    )
