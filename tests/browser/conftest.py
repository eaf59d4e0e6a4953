from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from browser import chromium


# Not session-scoped: Playwright keeps an event loop running in this thread, and other tests need their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Yield one Chromium for the tests of a file; each test has its own context."""
    with chromium() as opened:
        yield opened
