"""The signature of a turn: which operation, on which kinds of operands.

A signature such as `subtract(result1,result2)` says nothing of the page, so it is learned from questions and
programs alone. The classifier is a multinomial logistic regression over named indicator features: each weight can
be read.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.comparison import ComparisonArgument
from quaestor.questions.intent import SEVERAL
from quaestor.questions.question import Question
from quaestor.solvers.embedded.state.dialogue import DialogueState, TurnAction

FIRST, LAST = "<s>", "</s>"


class Signatures(dict[str, float]):
    """The probability of each signature of a turn, by its name."""

    @cached_property
    def operations(self) -> Mapping[str, float]:
        """How probable it is that the turn does each operation, on whatever operands; 0 of one without a signature."""
        shares = defaultdict[str, float](float)
        for operation, share in zip(_operations(tuple(self)), self.values(), strict=True):
            shares[operation] += share
        return shares

    @cached_property
    def new_leaves(self) -> float:
        """How many leaves that no turn took before the turn is expected to take."""
        return sum(self[name] * count for name, count in _new_leaves(tuple(self)))


@lru_cache(maxsize=64)
def _operations(signatures: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.partition("(")[0] for name in signatures)


@lru_cache(maxsize=64)
def _new_leaves(signatures: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    return tuple((name, count) for name in signatures if (count := name.count("new")))


@dataclass(frozen=True, slots=True)
class SignatureModel:
    """Weights of the classifier.

    Shape: `weights` is features x classes, `intercept` has one entry a class.
    """

    classes: tuple[str, ...]
    features: dict[str, int]
    weights: NDArray[np.float32]
    intercept: NDArray[np.float32]

    def probabilities(self, question: Question, earlier: Sequence[Question], signatures: Sequence[str]) -> Signatures:
        """Return the probability of each signature.

        Args:
            earlier: The questions before, oldest first.
            signatures: The signatures of the turns before, as the solver answered them.
        """
        named = signature_features(question, earlier, signatures)
        known = [(row, value) for name, value in named.items() if (row := self.features.get(name)) is not None]
        rows, values = [row for row, _ in known], np.array([value for _, value in known])
        score = self.intercept + values @ self.weights[rows]
        score = np.exp(score - score.max())
        score /= score.sum()
        return Signatures(zip(self.classes, score.tolist(), strict=True))


def signature_features(question: Question, earlier: Sequence[Question], signatures: Sequence[str]) -> dict[str, float]:
    """Return the named features of a turn that need no page: n-grams, the turns before, and both crossed.

    Args:
        earlier: The questions before it, in their order.
        signatures: What those turns did, in their order.
    """
    shapes = (FIRST, *question.shapes, LAST)
    features = dict.fromkeys(_n_grams(shapes), 1.0)
    operations = [signature.partition("(")[0] for signature in reversed(signatures)]
    last = operations[0] if operations else "-"
    pending = next((i for i, name in enumerate(operations) if name != "lookup"), len(operations))
    features["before:" + last] = 1.0
    features["before2:" + "/".join(operations[:2])] = 1.0
    features["before3:" + "/".join(operations[:3])] = 1.0
    features["signature:" + (signatures[-1] if signatures else "-")] = 1.0
    features[f"pending:{min(pending, 3)}"] = 1.0
    features[f"turn:{min(len(earlier), 6)}"] = 1.0
    features[f"years:{min(len(question.years), 3)}"] = 1.0
    for shape in sorted(set(shapes)):
        features[f"{last}|{shape}"] = 1.0
        features[f"pending{min(pending, 2)}|{shape}"] = 1.0
    # Sorted: sums in another order, as sets have it in another process, are other numbers.
    for pattern in sorted(question.pattern_names):
        features[pattern] = 1.0
        features[f"{last}|{pattern}"] = 1.0
    span = max(question.years) - min(question.years) + 1 if question.years else 0
    for pattern in sorted(question.pattern_names & SEVERAL):
        features[f"{pattern}|{min(span, 4)} years"] = 1.0
    sides = question.comparison
    features[f"sides:{sides.kind}|{sides.first.back:d}{sides.second.back:d}"] = 1.0
    features[f"{last}|sides:{sides.kind}|{sides.first.back:d}{sides.second.back:d}"] = 1.0
    features.update(_sides_said(question, earlier))
    features["length"] = min(len(shapes), 40) / 40
    if earlier:
        features.update(_novelty(question, earlier))
        features.update(_going_on(question, earlier, signatures))
    return features


@lru_cache(maxsize=256)
def _n_grams(shapes: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a question, two of them and three, one behind the other; asked again after each reading."""
    sizes = ((size, start) for size in (1, 2, 3) for start in range(len(shapes) - size + 1))
    return tuple("q:" + "_".join(shapes[start : start + size]) for size, start in sizes)


def _sides_said(question: Question, earlier: Sequence[Question]) -> dict[str, float]:
    """Whether each side of a comparison was said before, and whether it points back."""
    sides = question.comparison
    if not sides.kind:
        return {}
    said = {stem for before in earlier for stem in before.stems}
    first, second = (f"{side.back:d}{_said(side, said)}" for side in (sides.first, sides.second))
    return {f"side1:{first}": 1.0, f"side2:{second}": 1.0, f"sides:{sides.kind}|{first}|{second}": 1.0}


def _said(side: ComparisonArgument, said: set[str]) -> str:
    share = len(side.stems & said) / len(side.stems) if side.stems else -1
    return "nothing" if share < 0 else "new" if share == 0 else "said" if share == 1 else "partly"


def _novelty(question: Question, earlier: Sequence[Question]) -> dict[str, float]:
    """How much of the question was said before."""
    now, last = set(question.stems), set(earlier[-1].stems)
    stems, years = _new_in(question, earlier)
    return {
        "overlap:last": len(now & last) / max(1, len(now)),
        "overlap:all": (len(now) - stems) / max(1, len(now)),
        f"new stems:{min(4, stems)}": 1.0,
        f"new years:{min(3, years)}": 1.0,
    }


def _going_on(question: Question, earlier: Sequence[Question], signatures: Sequence[str]) -> dict[str, float]:
    """What the last turns did, crossed with what the question asks for and with how much of it is new.

    "And what was this total in 2012?" after a sum of two numbers asks for two others; after one of two earlier results
    it asks for the first of two numbers.
    """
    last, both = signatures[-1], "/".join(reversed(signatures[-2:]))
    stems, years = _new_in(question, earlier)
    fresh = f"fresh{min(3, stems)}"
    names = [f"signature2:{both}", f"{fresh}|{last}", f"{fresh}|{both}"]
    names += [f"{known}|{pattern}" for pattern in sorted(question.pattern_names) for known in (last, fresh)]
    names += [f"years{min(2, years)}|{last}", f"years{min(2, years)}|{fresh}|{last}"]
    return dict.fromkeys(names, 1.0)


def _new_in(question: Question, earlier: Sequence[Question]) -> tuple[int, int]:
    """How many stems and how many years of the question no earlier one says."""
    stems = {stem for before in earlier for stem in before.stems}
    years = {year for before in earlier for year in before.years}
    return len(set(question.stems) - stems), len(set(question.years) - years)


def signature_of(question: Question, outcome: TurnAction, state: DialogueState) -> str:
    """Return the signature of an outcome reached in `state`, such as `divide(result1,used)`.

    An operand is `new` (a leaf no turn took before), `used` (one that a turn took), `result1`, `result2`, `result3`
    (the answer so many turns ago, 3 for all older), `asked` (a constant that the question says in digits), or the
    constant itself. Those of a sum or an average of several are a `group`.

    Args:
        state: The conversation before it.
    """
    if outcome.operation in ("sum", "average"):
        return f"{outcome.operation}(group)"
    used, numbers = state.used_leaves, question.numbers
    kinds = []
    for operand in outcome.operands:
        if operand.kind == "leaf":
            kinds.append("used" if operand.index in used else "new")
        elif operand.kind == "result":
            kinds.append(f"result{min(3, len(state.outcomes) - operand.index)}")
        else:
            kinds.append(constant_kind(operand.value, numbers))
    return f"{outcome.operation}({','.join(kinds)})"


def constant_kind(value: float, numbers: Sequence[float]) -> str:
    """Return how a signature names a constant, given the numbers that the question says."""
    return "asked" if value in numbers else f"{value:g}"
