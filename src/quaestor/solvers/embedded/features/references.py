"""What the shared resolution of references says of a turn: which earlier results it uses together."""

import numpy as np

from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.features.operands import Column
from quaestor.solvers.embedded.state.lineage import latest_turn
from quaestor.solvers.embedded.state.turn_view import TurnView

_LEAST = 1e-3


def reference_columns(candidates: Candidates, turn: TurnView) -> dict[str, Column]:
    """Returns the log probability of the set of earlier results that each candidate uses, alone and less the best.

    Shape: Each column has one entry a candidate.
    """
    size, turns = len(candidates), len(turn.results)
    if not turns:
        return {"reference": np.zeros(size), "reference_gap": np.zeros(size)}
    table = np.full((turns + 1, turns + 1), np.log(_LEAST))
    for chosen in turn.uses:
        score = np.log(max(chosen.score, _LEAST))
        places = [turn + 1 for turn in chosen.turns]
        if len(places) == 1:
            table[places[0], 0] = table[0, places[0]] = table[places[0], places[0]] = score
        elif len(places) == 2:
            table[places[0], places[1]] = table[places[1], places[0]] = score
        elif not places:
            table[0, 0] = score
    expressions = [result.expression for result in turn.results]
    latest = [latest_turn(expression, expressions) or 0 for expression in expressions]
    pool = candidates.pool
    place = np.array([latest[o.index] + 1 if o.kind == "result" else 0 for o in pool.operands])
    scores = table[place[candidates.first], place[candidates.second]]
    return {"reference": scores, "reference_gap": scores - table.max()}
