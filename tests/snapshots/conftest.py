import pytest
from text_snapshots import TextFile, TextSnapshot


@pytest.fixture
def text_snapshot(snapshot: TextSnapshot) -> TextSnapshot:
    """Return the snapshot of this test as a text file."""
    return snapshot.use_extension(TextFile)
