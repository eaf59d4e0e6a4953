"""A file that is a document and no dataset: a person asks about it, nobody has asked yet."""

from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.documents.repairs import show_warning
from quaestor.readers.cache import ByteCache
from quaestor.readers.content import FileContent
from quaestor.readers.limited import DEFAULT_LIMITS, ReadingLimits
from quaestor.readers.reading import read_file


def read_alone(
    content: FileContent, cache: ByteCache | None = None, limits: ReadingLimits = DEFAULT_LIMITS
) -> Dataset | None:
    """Return a file that is a document as a dataset in which nothing is asked; None if no reader knows it.

    Args:
        cache: Where documents are kept once they are read.

    Raises:
        InputError: A reader knows it, and cannot read it.
    """
    found = read_file(content, cache, limits)
    if found is None:
        return None
    name, document = found
    warnings = tuple(map(show_warning, document.warnings))
    return Dataset.of(str(content.path), name, [Conversation(document.id, document, ())], warnings)
