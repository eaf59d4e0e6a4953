"""What the shared resolution of references says of a turn: which earlier results it uses together."""

from collections.abc import Sequence

import numpy as np

from quaestor.conversation.references.asked import read_asked
from quaestor.conversation.references.lineage import Result, latest_results
from quaestor.conversation.references.ranking import rank_sets, read_weights
from quaestor.solvers.embedded.candidates import Candidates
from quaestor.solvers.embedded.leaves import LeafTable
from quaestor.solvers.embedded.operands import Column
from quaestor.solvers.embedded.state import Operand, State

Expression = tuple[object, ...]

_MADE = {"subtract": "change", "divide": "ratio", "add": "sum", "multiply": "product", "greater": "comparison"}
_LEAST = 1e-3


def results_of(state: State, leaves: LeafTable | None) -> list[Result]:
    """Returns the results of the turns so far."""
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
        again = _latest(expression, expressions)
        rests = found[again].rests if again is not None else tuple(_latest(o, expressions) for o in operands)
        asked = read_asked(state.questions[turn])
        made = _made(expression)
        years = asked.years or _years(outcome.operands, leaves)
        metric = "percentage_change" if made == "relative change" else made
        expressions.append(expression)
        found.append(Result(turn, metric, made, None, years, asked.words, rests, expression))
    return found


def _expression(operand: Operand, earlier: Sequence[Expression]) -> Expression:
    if operand.kind == "result":
        return earlier[operand.index]
    return ("number", operand.index) if operand.kind == "leaf" else ("constant", operand.value)


def _made(expression: Expression) -> str:
    if expression[0] == "divide" and isinstance(expression[1], tuple) and expression[1][0] == "subtract":
        return "relative change" if expression[1][2] == expression[2] else "ratio"
    return _MADE.get(str(expression[0]), "value")


def _latest(expression: Expression, expressions: Sequence[Expression]) -> int | None:
    return next((turn for turn in range(len(expressions) - 1, -1, -1) if expressions[turn] == expression), None)


def _years(operands: Sequence[Operand], leaves: LeafTable | None) -> frozenset[int]:
    if leaves is None:
        return frozenset()
    years = {int(leaves.year[o.index]) for o in operands if o.kind == "leaf"} - {0}
    return frozenset({max(years)}) if years else frozenset()


def reference_columns(candidates: Candidates, leaves: LeafTable, question: str, state: State) -> dict[str, Column]:
    """Returns the log probability of the set of earlier results that each candidate uses, alone and less the best."""
    size = len(candidates)
    if not state.outcomes:
        return {"reference": np.zeros(size), "reference_gap": np.zeros(size)}
    results = results_of(state, leaves)
    sets = rank_sets(read_asked(question), latest_results(results), read_weights())
    turns = len(results)
    table = np.full((turns + 1, turns + 1), np.log(_LEAST))
    for chosen in sets:
        score = np.log(max(chosen.score, _LEAST))
        places = [turn + 1 for turn in chosen.turns]
        if len(places) == 1:
            table[places[0], 0] = table[0, places[0]] = table[places[0], places[0]] = score
        elif len(places) == 2:
            table[places[0], places[1]] = table[places[1], places[0]] = score
        elif not places:
            table[0, 0] = score
    latest = [_latest(result.expression, [r.expression for r in results]) or 0 for result in results]
    pool = candidates.pool
    place = np.array([latest[o.index] + 1 if o.kind == "result" else 0 for o in pool.operands])
    scores = table[place[candidates.first], place[candidates.second]]
    return {"reference": scores, "reference_gap": scores - table.max()}
