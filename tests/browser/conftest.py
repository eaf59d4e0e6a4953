from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from browser import chromium


# Not of the session: Playwright runs an event loop in this thread as long as it is there, and other tests run theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for the tests of a file; each has a context of its own."""
    with chromium() as opened:
        yield opened
