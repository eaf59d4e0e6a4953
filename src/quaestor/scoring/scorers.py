"""The scorers: every figure of a score by its name, in one table.

Owns which verdicts are given, on what, and what they are called. When an answer is right is `metrics`'.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from quaestor.errors import PlanError
from quaestor.plan.rows import TableRows
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import display_match, executed_equal, legacy_match, program_equal, run_program
from quaestor.scoring.predictions import Prediction

Judge = Callable[[Prediction, GoldTurn, Sequence[TableRows]], bool | None]
"""Whether a predicted answer or program is right, beside the reference and the rows of the document's tables.

None where the reference lacks what is needed.
"""


@dataclass(frozen=True, slots=True)
class Scorer:
    """One figure of a score.

    Attributes:
        name: Its key in `Score.results` and in JSON.
        title: What people are shown.
        needs: What of the reference it compares with.
        judge: The verdict on a turn; None for a scorer of whole conversations.
        whole: The scorer by which every turn of a conversation has to be right; None for a scorer of turns.
    """

    name: str
    title: str
    needs: Literal["answer", "program", "display"]
    judge: Judge | None = None
    whole: str | None = None


def _execution(found: Prediction, gold: GoldTurn, tables: Sequence[TableRows]) -> bool | None:
    return executed_equal(found.value, gold.executed)


def _program(found: Prediction, gold: GoldTurn, tables: Sequence[TableRows]) -> bool | None:
    if not gold.program:
        return None
    program = None if found.error else found.program
    return program is not None and _runs(program, tables) and program_equal(program, gold.program)


def _runs(program: str, tables: Sequence[TableRows]) -> bool:
    """Returns whether a program has a result: the benchmark compares programs only where it has."""
    try:
        run_program(program, tables)
    except PlanError:
        return False
    return True


def _display(found: Prediction, gold: GoldTurn, tables: Sequence[TableRows]) -> bool | None:
    return None if gold.display is None else display_match(found.value, gold.display)


def _legacy(found: Prediction, gold: GoldTurn, tables: Sequence[TableRows]) -> bool | None:
    if gold.display is None:
        return None
    return legacy_match(found.value, gold.display, as_percentage=found.as_percentage)


SCORERS: dict[str, Scorer] = {
    scorer.name: scorer
    for scorer in (
        Scorer("execution", "execution accuracy", "answer", _execution),
        Scorer("program", "program accuracy", "program", _program),
        Scorer("conversations", "conversation accuracy", "answer", whole="execution"),
        Scorer("display", "display match", "display", _display),
        Scorer("legacy", "older rule", "display", _legacy),
    )
}
"""Every scorer by its name, in the order in which they are shown."""
