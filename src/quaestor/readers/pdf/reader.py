"""Reader of PDF files, which is tried on all kinds of files and imports the code for PDF only to read one."""

from quaestor.documents.document import Document
from quaestor.readers.content import FileContent

_HEAD = 1024
"""The signature of a PDF file must be within this many bytes of its start."""


class PdfReader:
    """Reads PDF files that contain text."""

    name = "pdf"

    def recognises(self, content: FileContent) -> bool:
        """Return whether the file has the signature of a PDF at its start."""
        return b"%PDF-" in content.head[:_HEAD]

    def read(self, content: FileContent) -> Document:
        """Return the document of a PDF file.

        Raises:
            DatasetError: The file is encrypted, damaged, or a scan without text.
            SettingsError: The extra `pdf` is not installed.
        """
        from quaestor.readers.pdf.reading import read_pdf

        return read_pdf(content)
