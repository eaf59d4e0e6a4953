"""Who a question asks for is somebody that a sentence names."""

import pytest

from quaestor.solvers.embedded.filings.quoting import names_somebody


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Jane Roe is our Chief Executive Officer.", True),
        ("/s/ Able & Baker LLP", True),
        ("The Chief Executive Officer of the Company signed.", False),
        ("On September 25, 2019, we announced the appointment of an interim Chief Executive Officer.", False),
    ],
)
def test_offices_are_nobodys_names(text: str, named: bool) -> None:
    assert names_somebody(text) is named
