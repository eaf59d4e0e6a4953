"""Snapshots as plain text files, one per test, that can be read in a diff."""

from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

TextSnapshot = SnapshotAssertion
"""Compares equal to the stored text."""


class TextFile(SingleFileSnapshotExtension):
    """Store each snapshot as one UTF-8 file."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"
