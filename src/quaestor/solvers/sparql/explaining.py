"""Explanations over named values: `{sales_2008 - sales_2007}` for a number, `[sales_2008]` for its source."""

import re
from collections.abc import Mapping, Sequence

from quaestor.errors import PlanError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.expressions import Variable, parse_expression
from quaestor.plan.steps import Step, renumber_step

NUMBER_OF_VALUES = "{net_sales_2008}, or {(net_sales_2008 - net_sales_2007) / net_sales_2007}, a formula over values"
"""How a number is to be written, for the model."""

_FORMULA = re.compile(r"\{([^{}]{1,1000})\}")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NAMES = re.compile(r"\[\s?([A-Za-z_]\w*(?:\s?,\s?[A-Za-z_]\w*)*)\s?\]", re.ASCII)


def number_formulas(
    sentences: Sequence[str], values: Mapping[str, Variable], history: Sequence[StepResult | None]
) -> tuple[list[str], list[Step]]:
    """Return sentences that refer to steps in place of formulas and names, and these steps.

    Args:
        values: The meaning of each name.
        history: The answers of the turns before.
    """
    steps: list[Step] = []

    def numbered(formula: str) -> int | None:
        if values.keys().isdisjoint(_NAME.findall(formula)):
            return None
        try:
            plan = parse_expression(formula, values)
            execute(plan, history)
        except PlanError:
            return None
        shift = len(steps)
        steps.extend(renumber_step(step, {n: n + shift for n in range(1, len(plan.steps) + 1)}) for step in plan.steps)
        return len(steps)

    def filled(found: re.Match[str]) -> str:
        step = numbered(found[1])
        return found[0] if step is None else f"{{#{step}}}"

    def cited(found: re.Match[str]) -> str:
        named = [numbered(name.strip()) for name in found[1].split(",") if name.strip() in values]
        return "".join(f"[#{step}]" for step in named) or found[0]

    written = [_NAMES.sub(cited, _FORMULA.sub(filled, sentence.replace("#", ""))) for sentence in sentences]
    return written, steps
