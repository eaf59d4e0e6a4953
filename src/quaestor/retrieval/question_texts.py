"""A question as its document would put it: words spelled as they are there, no company's name, periods outright.

What was asked is kept as asked; it is read by these words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from quaestor.core.periods import with_periods_outright
from quaestor.core.provenance import Source
from quaestor.questions.question import Question, read_question
from quaestor.questions.stems import stem
from quaestor.retrieval.company_name import without_company
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.fiscal_years import in_fiscal_years
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.measures.places import blocks_of_measure
from quaestor.retrieval.place import Place
from quaestor.retrieval.retrieval_query import FindingContext
from quaestor.retrieval.spelling import respelled
from quaestor.retrieval.statements import needed_statements


@dataclass(frozen=True, slots=True)
class SearchedQuestion:
    """A question to a document, and where its answer may be.

    Attributes:
        question: As the document would put it.
        context: The questions before, put likewise, and the sources of their answers.
        meant: What is meant by the questions, by how they were asked; of others nothing.
        places: Those that fit best.
        needed: The blocks that print the figures of the measure asked for, and those of the statements needed.
    """

    question: Question
    context: FindingContext
    meant: Mapping[str, str]
    places: tuple[Place, ...]
    needed: tuple[int, ...]


def search_question(
    index: PlaceIndex, text: str, earlier: Sequence[str], sources: Sequence[tuple[Source, ...]], most: int
) -> SearchedQuestion:
    """Return where the answer to a question may be.

    Args:
        earlier: The questions before, oldest first.
        sources: The sources of their answers.
        most: How many places at most.
    """
    meant = normalize_questions((text, *earlier), index)
    question, *before = (read_question(meant.get(one, one)) for one in (text, *earlier))
    context = FindingContext(tuple(before), tuple(sources))
    needed = (*blocks_of_measure(index.document, question, before), *needed_statements(index, question, before))
    return SearchedQuestion(question, context, meant, find_places(index, question, context, most), needed)


def normalize_questions(texts: Iterable[str], index: PlaceIndex) -> Mapping[str, str]:
    """Return what is meant by questions about a document, by how they are asked; of others nothing."""
    document = index.document
    is_known = partial(_is_known, index)
    spelled = {text: respelled(without_company(text, document), document, is_known) for text in texts}
    meant = {text: in_fiscal_years(with_periods_outright(said), document) for text, said in spelled.items()}
    return {text: said for text, said in meant.items() if said != text}


def _is_known(index: PlaceIndex, word: str) -> bool:
    (rarity,) = index.words.rarity({stem(word)}).values()
    return any(rarity)
