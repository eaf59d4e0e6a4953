"""Where in a file the answer to a question would stand."""

from collections.abc import Callable, Sequence

from quaestor.application.file_cache import file_cache, reading_limits
from quaestor.application.resolve import read_files, split_arguments
from quaestor.documents.document import Document
from quaestor.errors import InputError, QuestionError
from quaestor.questions.question import read_question
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex, load_index
from quaestor.retrieval.place import Place
from quaestor.retrieval.retrieval_query import FindingContext
from quaestor.settings import Settings

_EMPTY = "the question is empty: ask something, such as 'what were net sales in 2024?'"


def places_in_files(
    arguments: Sequence[str],
    settings: Settings,
    most: int = 5,
    on_read: Callable[[Document], None] = lambda _: None,
) -> tuple[Place, ...]:
    """Return the tables and passages of files where an answer would stand, best first; none if nothing fits.

    Args:
        arguments: Files, or a page as `DATASET#PAGE`, then a question; questions before the last one are a
            conversation that it goes on with.
    """
    files, questions = split_arguments(arguments)
    if not questions:
        raise InputError("missing question: write it in quotes after the file")
    if not questions[-1].strip():
        raise QuestionError(_EMPTY)
    cache = file_cache(settings)
    document = read_files(files, cache, reading_limits(settings)).document
    on_read(document)
    return places_by_index(load_index(document, None if document.is_page else cache), questions, most)


def places_by_index(index: PlaceIndex, questions: Sequence[str], most: int = 5) -> tuple[Place, ...]:
    """Return the tables and passages of a document where an answer would stand, best first; none if nothing fits.

    Args:
        questions: The last one is asked; those before it are a conversation that it goes on with.
    """
    if not questions or not questions[-1].strip():
        raise QuestionError(_EMPTY)
    *earlier, asked = map(read_question, questions)
    return find_places(index, asked, FindingContext(tuple(earlier)), most)
