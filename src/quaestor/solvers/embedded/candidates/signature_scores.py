"""How probable the signature of every plan is: by its operation and by what its operands are."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.combining import Plans
from quaestor.solvers.embedded.candidates.operations import OPERATIONS
from quaestor.solvers.embedded.candidates.pool import CONSTANT, KINDS, Pool
from quaestor.solvers.embedded.model.signature import Signatures, constant_kind


def signature_scores(
    pool: Pool, plans: Plans, signatures: Sequence[Signatures], question: Question
) -> NDArray[np.float64]:
    """Return the log probability of each plan's signature; an unlisted one shares its operation's remainder.

    Args:
        pool: What can be an operand, after each reading of the turns before.
        signatures: The probability of each signature by its name, after each reading.

    Shape: One entry a plan.
    """
    operation, first, second = plans
    of_first = (pool.kind == CONSTANT) & (pool.reading == 0)
    constants, of_constants = _constant_codes(tuple(pool.value[of_first].tolist()), question.numbers)
    # Many readings have the same signatures.
    distinct = {id(one): one for one in signatures}
    tables = [_scores_of_kinds(constants, one) for one in distinct.values()]
    start = {key: n * len(tables[0]) for n, key in enumerate(distinct)}
    of_reading = np.array([start[id(one)] for one in signatures], np.intp)
    # The kind of each operand, each constant of one of its own: a table has operations x kinds x kinds.
    kinds, kind = len(KINDS) + len(constants), pool.kind.astype(np.intp)
    kind[pool.kind == CONSTANT] = of_constants * len(signatures)
    key = (kind * kinds + of_reading.take(pool.reading)).take(first)
    key += operation.astype(np.intp) * (kinds * kinds)
    key += kind.take(second)
    found: NDArray[np.float64] = np.concatenate(tables).take(key)
    return found


@lru_cache(maxsize=256)
def _constant_codes(values: tuple[float, ...], numbers: tuple[float, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The kinds of constants by their names, each once, and the code of each constant: those kinds come last."""
    names = [constant_kind(value, numbers) for value in values]
    extra = tuple(sorted(set(names)))
    code_of = {name: code for code, name in enumerate(extra, start=len(KINDS))}
    return extra, tuple(code_of[name] for name in names)


def _scores_of_kinds(constants: tuple[str, ...], signatures: Signatures) -> NDArray[np.float64]:
    """The log probability of every operation on every pair of kinds, those of constants last."""
    listed, unlisted, turned, share, place = _places(constants, tuple(signatures))
    p = np.array([*signatures.values(), 0.0])
    logs = np.log(np.where(listed < 0, share * p[unlisted], p[listed]) + p[turned] + 1e-5)
    found: NDArray[np.float64] = logs.take(place)
    return found


@lru_cache(maxsize=256)
def _places(
    constants: tuple[str, ...], signatures: tuple[str, ...]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.intp]]:
    """Where the signature of an operation on a pair of kinds stands; -1 if it is not listed.

    Then where the one for all that are not listed stands, and the one with its operands turned round, -1 being none;
    and what of the former one that is not listed has. Each such four stand there once; then, for every operation on
    every pair of kinds, which of them it has.
    """
    kinds, place = (*KINDS, *constants), {name: n for n, name in enumerate(signatures)}
    found = [
        (
            place.get(f"{name}(group)" if a == "group" else f"{name}({a})" if b == "none" else f"{name}({a},{b})", -1),
            place.get(f"{name}(other)", -1),
            place.get(f"{name}({b},{a})", -1) if name in ("add", "multiply") and b != "none" and a != "group" else -1,
            1.0 if a == "group" else 0.1,
        )
        for name in OPERATIONS
        for a in kinds
        for b in kinds
    ]
    once = {one: n for n, one in enumerate(dict.fromkeys(found))}
    *indices, share = zip(*once, strict=True)
    listed, unlisted, turned = (np.array(index, np.intp) for index in indices)
    return listed, unlisted, turned, np.array(share), np.array([once[one] for one in found], np.intp)
