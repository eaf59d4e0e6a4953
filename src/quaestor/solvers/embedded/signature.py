"""The signature of a turn: which operation, on which kinds of operands.

A signature such as `subtract(result1,result2)` says nothing of the page, so it is learned from questions and
programs alone. The classifier is a multinomial logistic regression over named indicator features: each weight can
be read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.question import Question, read_question
from quaestor.solvers.embedded.state import Outcome, State

FIRST, LAST = "<s>", "</s>"


@dataclass(frozen=True, slots=True)
class SignatureModel:
    """Weights of the classifier.

    Shape: `weights` is features x classes, `intercept` has one entry a class.
    """

    classes: tuple[str, ...]
    features: dict[str, int]
    weights: NDArray[np.float32]
    intercept: NDArray[np.float32]

    def probabilities(self, question: str, earlier: Sequence[str], signatures: Sequence[str]) -> dict[str, float]:
        """Returns the probability of each signature.

        Args:
            question: The question now.
            earlier: The questions before, oldest first.
            signatures: The signatures of the turns before, as the solver answered them.
        """
        named = signature_features(question, earlier, signatures)
        score = self.intercept.astype(np.float64)
        for name, value in named.items():
            column = self.features.get(name)
            if column is not None:
                score = score + value * self.weights[column]
        score = np.exp(score - score.max())
        score /= score.sum()
        return dict(zip(self.classes, score.tolist(), strict=True))


def signature_features(question: str, earlier: Sequence[str], signatures: Sequence[str]) -> dict[str, float]:
    """Returns the named features of a turn that need no page: n-grams, the turns before, and both crossed."""
    read = read_question(question)
    shapes = (FIRST, *read.shapes, LAST)
    features: dict[str, float] = {}
    for size in (1, 2, 3):
        for start in range(len(shapes) - size + 1):
            features["q:" + "_".join(shapes[start : start + size])] = 1.0
    operations = [signature.partition("(")[0] for signature in reversed(signatures)]
    last = operations[0] if operations else "-"
    pending = next((i for i, name in enumerate(operations) if name != "lookup"), len(operations))
    features["before:" + last] = 1.0
    features["before2:" + "/".join(operations[:2])] = 1.0
    features["before3:" + "/".join(operations[:3])] = 1.0
    features["signature:" + (signatures[-1] if signatures else "-")] = 1.0
    features[f"pending:{min(pending, 3)}"] = 1.0
    features[f"turn:{min(len(earlier), 6)}"] = 1.0
    features[f"years:{min(len(read.years), 3)}"] = 1.0
    for shape in sorted(set(shapes)):
        features[f"{last}|{shape}"] = 1.0
        features[f"pending{min(pending, 2)}|{shape}"] = 1.0
    # Sorted: sums in another order, as sets have it in another process, are other numbers.
    for pattern in sorted(read.patterns):
        features[pattern] = 1.0
        features[f"{last}|{pattern}"] = 1.0
    sides = read.sides
    features[f"sides:{sides.kind}|{sides.first.back:d}{sides.second.back:d}"] = 1.0
    features[f"{last}|sides:{sides.kind}|{sides.first.back:d}{sides.second.back:d}"] = 1.0
    features["length"] = min(len(shapes), 40) / 40
    features.update(_novelty(read, [read_question(text) for text in earlier]))
    return features


def _novelty(question: Question, earlier: list[Question]) -> dict[str, float]:
    """How much of the question was said before."""
    if not earlier:
        return {}
    now, last = set(question.stems), set(earlier[-1].stems)
    said = {stem for before in earlier for stem in before.stems}
    years = {year for before in earlier for year in before.years}
    return {
        "overlap:last": len(now & last) / max(1, len(now)),
        "overlap:all": len(now & said) / max(1, len(now)),
        f"new stems:{min(4, len(now - said))}": 1.0,
        f"new years:{min(3, len(set(question.years) - years))}": 1.0,
    }


def signature_of(question: str, outcome: Outcome, state: State) -> str:
    """Returns the signature of an outcome reached in `state`, such as `divide(result1,used)`.

    An operand is `new` (a leaf no turn took before), `used` (one that a turn took), `result1`, `result2`, `result3`
    (the answer so many turns ago, 3 for all older), `asked` (a constant that the question says in digits), or the
    constant itself.
    """
    used, numbers = state.used_leaves(), read_question(question).numbers
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
    """Returns how a signature names a constant, given the numbers that the question says."""
    return "asked" if value in numbers else f"{value:g}"
