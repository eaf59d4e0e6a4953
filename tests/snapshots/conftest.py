import pytest
from text_snapshots import TextFile, TextSnapshot


@pytest.fixture
def text_snapshot(snapshot: TextSnapshot) -> TextSnapshot:
    """The text that was kept for this test."""
    return snapshot.use_extension(TextFile)
