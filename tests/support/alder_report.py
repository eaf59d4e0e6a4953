"""A small report from whose numbers tests build plans by hand."""

from pathlib import Path

import quaestor
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.solvers.embedded.page import NumberMatrix, build_number_matrix
from quaestor.solvers.embedded.turn_state import Operand, TurnAction

REPORT = """# Alder, annual report

Rent increased $ 3 million in 2024.

| (in millions) | 2024 | Change | 2023 | Change | 2022 |
|---|---|---|---|---|---|
| Net sales | 391 | 2% | 383 | (3)% | 394 |
| Services | 96 | 13% | 85 | 9% | 78 |

| (in millions) | 2024 | 2023 |
|---|---|---|
| Net sales of all parts | 391 | 383 |
"""


def numbers_of_report(folder: Path) -> NumberMatrix:
    """Write the report to a folder and return its numbers."""
    path = folder / "alder.md"
    path.write_text(REPORT, encoding="utf-8")
    document = quaestor.open(path).document
    return build_number_matrix(GraphProvider.of([document], "extend").graph(document))


def plan(leaves: NumberMatrix, operation: str, *printed: tuple[str, int]) -> TurnAction:
    """Return a plan on numbers, each given by its printed text and its index among equal texts."""
    operands = []
    for text, which in printed:
        places = [
            place
            for place, leaf in enumerate(leaves.leaves)
            if leaf.quantity.text.strip("()$ ").removesuffix(" million").replace(")%", "%") == text
        ]
        operands.append(Operand("leaf", places[which], float(leaves.value[places[which]])))
    return TurnAction(operation, tuple(operands), 1.0)
