from pathlib import Path

import pytest
from hypothesis import settings

# No test is about time: a busy machine must not fail one.
settings.register_profile("quaestor", deadline=None)
settings.load_profile("quaestor")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the public data beside the repository; the test is skipped where it is missing."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public data are not beside the repository")
    return folder
