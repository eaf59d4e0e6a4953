"""What each earlier result is, for the shared resolution of references, read from the solver's own state."""

from collections.abc import Sequence

from quaestor.conversation.references.lineage import Expression, Result, how_made, things_of
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.state.dialogue import DialogueState, Operand


def results_of_state(state: DialogueState, leaves: NumberMatrix) -> list[Result]:
    """Return the results of the turns so far."""
    expressions: list[Expression] = []
    found: list[Result] = []
    for turn, outcome in enumerate(state.outcomes):
        operands = tuple(_expression(o, expressions) for o in outcome.operands)
        if outcome.operation == "lookup":
            expression = operands[0] if operands else ("nothing", turn)
            operands = ()
        elif outcome.operation == "percentage_change":
            change = ("subtract", *operands)
            expression, operands = ("divide", change, operands[1]), (change, operands[1], operands[0])
        else:
            expression = (outcome.operation, *operands)
        again = latest_turn(expression, expressions)
        rests = found[again].rests if again is not None else tuple(latest_turn(o, expressions) for o in operands)
        asked = state.questions[turn]
        made = how_made(expression)
        years = asked.year_set or _years(outcome.operands, leaves)
        metric = "percentage_change" if made == "relative change" else made
        expressions.append(expression)
        things = things_of(asked, None, rests, found)
        found.append(Result(turn, metric, made, None, years, asked.names, rests, expression, things))
    return found


def _expression(operand: Operand, earlier: Sequence[Expression]) -> Expression:
    if operand.kind == "result":
        return earlier[operand.index]
    return ("number", operand.index) if operand.kind == "leaf" else ("constant", operand.value)


def latest_turn(expression: Expression, expressions: Sequence[Expression]) -> int | None:
    """Return the latest turn that comes to an expression."""
    return next((turn for turn in range(len(expressions) - 1, -1, -1) if expressions[turn] == expression), None)


def _years(operands: Sequence[Operand], leaves: NumberMatrix) -> frozenset[int]:
    years = {int(leaves.year[o.index]) for o in operands if o.kind == "leaf"} - {0}
    return frozenset({max(years)}) if years else frozenset()
