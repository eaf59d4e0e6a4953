"""What kind of answer a question asks for, by a linear classifier that is learned on labelled questions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.understanding import Reading

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[%$?/&+]")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True)
class IntentWeights:
    """A weight for each feature and intent.

    Attributes:
        rows: By feature, the row of `matrix`; the first row is the bias.
        matrix: The weights.

    Shape: `matrix` is features x `len(INTENTS)`.
    """

    rows: Mapping[str, int]
    matrix: NDArray[np.float32]

    def classify(self, reading: Reading, *, before: str) -> NDArray[np.float64]:
        """Return the probability of each of `INTENTS`.

        Args:
            reading: The question.
            before: The intent of the question before; "" of the first of a conversation.
        """
        rows = [self.rows[found] for found in intent_features(reading, before=before) if found in self.rows]
        logits = self.matrix[rows].sum(axis=0).astype(np.float64)
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum(), np.float64)


def intent_features(reading: Reading, *, before: str) -> Iterator[str]:
    """Yield what the classifier looks at, each once."""
    text = reading.text.lower().replace("\u2019", "'")
    words = ["YEAR" if _YEAR.fullmatch(word) else "NUM" if word.isdigit() else word for word in _WORD.findall(text)]
    found = {"bias", f"first={not before}", f"relation={reading.relation}", f"goes_on={reading.goes_on}"}
    found |= {f"w={word}" for word in words}
    found |= {f"b={one} {other}" for one, other in zip(words, words[1:], strict=False)}
    found |= {f"t={a} {b} {c}" for a, b, c in zip(words, words[1:], words[2:], strict=False)}
    found |= {f"begin={' '.join(words[:count])}" for count in (1, 2, 3)}
    found.add(f"last={words[-1] if words else ''}")
    found.add(f"length={min(len(words) // 3, 6)}")
    found.add(f"moments={min(len(reading.moments), 3)}")
    found |= {f"count={moment.count}" for moment in reading.moments if moment.count is not None}
    found |= {"back" for moment in reading.moments if moment.back is not None}
    for place, operand in enumerate(reading.operands):
        found.add(f"operand{place}={min(len(operand.terms), 4)}")
        if operand.concepts:
            found.add(f"concept{place}")
        found |= (
            {f"measure{place}", *(f"measure={measure}" for measure in operand.measures)} if operand.measures else set()
        )
    found |= _features_of_follow_up(reading, words, before) if before else set()
    yield from sorted(found)


def _features_of_follow_up(reading: Reading, words: Sequence[str], before: str) -> set[str]:
    """Return what tells whether a question repeats the intent of the one before: "and in 2022?" does."""
    named = min(sum(len(operand.terms) for operand in reading.operands), 3)
    times, begin = bool(reading.moments), words[0] if words else ""
    found = {f"before={before}", f"before={before} begin={begin}", f"before={before} named={named} times={times}"}
    found.add(f"before={before} length={min(len(words), 8)}")
    return found | {f"named={named} times={times} length={min(len(words), 8)}"}
