"""The fields of a benchmark's records: text that is text, and what is said of a page that was read from them."""

from quaestor.documents.document import Document
from quaestor.documents.repairs import WarningKind, show_warning
from quaestor.errors import DatasetError


def text_field(value: object, what: str, *, empty: bool = False, benchmark: str = "ConvFinQA") -> str:
    """Return a field that must be text, valid Unicode and, unless `empty`, not blank.

    Args:
        what: The field and where it is, for the message.
        benchmark: Whose file it should be, for the message.

    Raises:
        DatasetError: It is none.
    """
    if not isinstance(value, str):
        raise DatasetError(f"{what} is missing or is not text; is this a {benchmark} file?")
    if not empty and not value.strip():
        raise DatasetError(f"{what} is empty")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise DatasetError(f"{what} contains invalid Unicode; save the file as UTF-8") from None
    return value


def shown_losses(document: Document) -> tuple[str, ...]:
    """Return what a page lacks to be asked about, one line each: nothing of it was read, a table has no number."""
    return tuple(
        f"{document.id}: {show_warning(warning)}"
        for warning in document.warnings
        if warning.kind in (WarningKind.NO_NUMBER, WarningKind.REFUSED)
    )
