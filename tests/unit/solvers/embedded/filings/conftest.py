"""Facts of made-up reports."""

import pytest
from composed_plans import INCOME, MEMBERS, SEGMENTS, SHEET, TAXES

from quaestor.documents.assembly import TablePart, assemble
from quaestor.facts.table import FactTable, build_facts


@pytest.fixture(scope="module")
def table() -> FactTable:
    """Return the facts of a made-up annual report."""
    parts = [TablePart(tuple(map(tuple, rows))) for rows in (INCOME, SEGMENTS)]
    return build_facts(assemble("a", parts))


@pytest.fixture(scope="module")
def untagged() -> FactTable:
    """Return the facts of a made-up report without tags: a balance sheet, an income statement and its segments."""
    parts = [
        TablePart(tuple(map(tuple, SHEET)), title="CONSOLIDATED BALANCE SHEETS"),
        TablePart(tuple(map(tuple, TAXES)), title="CONSOLIDATED STATEMENTS OF INCOME"),
        TablePart(tuple(map(tuple, MEMBERS))),
    ]
    return build_facts(assemble("a", parts))
