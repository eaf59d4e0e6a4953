"""Contract tests for plug-ins: one function for each kind of entry point.

    from quaestor.testing import check_solver
    def test_fulfils_the_contract() -> None:
        turns = check_solver(SPEC)
        assert turns[0].answer.number == Decimal("48.65")

Each takes the object that the entry point names, and raises `ContractError`, an AssertionError with a one-line message.
They need no test framework. `CONTRIBUTING.md` has an example package with its test for each kind.

Solvers: `check_solver`, `sample_conversation`, `turn_context`; models with a script for them: `ScriptedModel`, `Reply`,
`Call`, `ReceivedRequest`.

Files: `check_reader`, `check_dataset`, `check_references`.

Stores: `check_store`; its rules one by one: `STORE_RULES`.
"""

import sys

if "pytest" in sys.modules:  # so that a failed assertion of a rule shows its values
    _RULES = ("quaestor.testing.store_rules", "quaestor.testing.content_rules", "quaestor.testing.score_rules")
    sys.modules["pytest"].register_assert_rewrite(*_RULES)

from quaestor.testing.models import Call, ReceivedRequest, Reply, ScriptedModel
from quaestor.testing.plugins import (
    STORE_RULES,
    ContractError,
    check_dataset,
    check_reader,
    check_references,
    check_solver,
    check_store,
    sample_conversation,
    turn_context,
)

__all__ = [
    "STORE_RULES",
    "Call",
    "ContractError",
    "ReceivedRequest",
    "Reply",
    "ScriptedModel",
    "check_dataset",
    "check_reader",
    "check_references",
    "check_solver",
    "check_store",
    "sample_conversation",
    "turn_context",
]
