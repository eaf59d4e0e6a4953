"""What the shared resolution of references says of a turn: which earlier results it uses together."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.features.operands import Column
from quaestor.solvers.embedded.state.lineage import latest_turn
from quaestor.solvers.embedded.state.turn_view import TurnView

_LEAST = 1e-3
_LOG_OF_LEAST = float(np.log(_LEAST))


def reference_columns(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    """Return the log probability of the set of earlier results that each candidate uses, alone and less the best.

    Args:
        turns: Page, conversation and question, after each reading of the turns before.

    Shape: Each column has one entry a candidate.
    """
    size, before = len(candidates), len(turns[0].results)
    if not before:
        return {"reference": np.zeros(size), "reference_gap": np.zeros(size)}
    # Many readings use the same sets.
    distinct = {id(turn.uses): turn for turn in turns}
    known = {key: _table(turn) for key, turn in distinct.items()}
    tables = np.stack([known[id(turn.uses)] for turn in turns])
    pool, reading = candidates.pool, candidates.reading
    place = np.array([_latest(turn) for turn in turns])[pool.reading, pool.result]
    scores = tables[reading, place[candidates.first], place[candidates.second]]
    return {"reference": scores, "reference_gap": scores - tables.max(axis=(1, 2))[reading]}


def _latest(turn: TurnView) -> list[int]:
    """For each result of the turns before where it was last found, counted from 1; at the end 0, for what is none."""
    expressions = [result.expression for result in turn.results]
    return [*((latest_turn(expression, expressions) or 0) + 1 for expression in expressions), 0]


def _table(turn: TurnView) -> NDArray[np.float64]:
    """The log probability of each pair of results, counted from 1; 0 stands for none."""
    table = np.full((len(turn.results) + 1, len(turn.results) + 1), _LOG_OF_LEAST)
    for chosen in turn.uses:
        score = np.log(max(chosen.score, _LEAST))
        places = [earlier + 1 for earlier in chosen.turns]
        if len(places) == 1:
            table[places[0], 0] = table[0, places[0]] = table[places[0], places[0]] = score
        elif len(places) == 2:
            table[places[0], places[1]] = table[places[1], places[0]] = score
        elif not places:
            table[0, 0] = score
    return table
