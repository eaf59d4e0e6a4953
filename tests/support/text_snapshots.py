"""Snapshots as plain text files, one a test, that a person reads in a diff."""

from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

TextSnapshot = SnapshotAssertion
"""Compares equal to the text that was kept."""


class TextFile(SingleFileSnapshotExtension):
    """One UTF-8 file a snapshot."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"
