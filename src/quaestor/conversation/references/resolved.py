"""What a question refers to, as values. Owns no finding."""

from dataclasses import dataclass
from typing import Literal

ReferenceKind = Literal["result", "results", "cell", "entity", "period", "ellipsis"]


@dataclass(frozen=True, slots=True)
class Antecedent:
    """An earlier turn that an expression can mean.

    Attributes:
        turn: Its place in the conversation, from 0.
        score: Its share among the candidates of the expression; they sum to 1.
        reason: Why it can be meant.
    """

    turn: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Coreference:
    """An expression that leans on earlier turns.

    Attributes:
        text: The words; all of the question where it is elliptic.
        start: Their first character in the question.
        end: The character after the last one.
        kind: `result` ("this change"), `results` ("these two values"), `cell` ("that stock in 2015"), `entity`
            ("its", "that stock"), `period` ("the same year", "the prior year"), `ellipsis` ("and in 2008?").
        candidates: The turns that it can mean, the likeliest first; none if no earlier turn answers to it. Where
            results of earlier turns are used, the first for a result is one of those.
        means: What it means where that is not a result: a thing, or a period in words.
    """

    text: str
    start: int
    end: int
    kind: ReferenceKind
    candidates: tuple[Antecedent, ...]
    means: str = ""


@dataclass(frozen=True, slots=True)
class AntecedentSet:
    """Earlier turns whose results a question may use together.

    Attributes:
        turns: Their places in the conversation, from 0, in order; empty if it uses none.
        score: The probability that the question uses these results and no others.
    """

    turns: tuple[int, ...]
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class References:
    """All that a question refers to.

    Attributes:
        expressions: The referring expressions, in the order of the question.
        sets: Which earlier results are used together, the likeliest first; empty in the first turn.
        focus: The entity that the conversation is about, the question's own where it names one that is known.
        switched: The question turns to another entity than the turn before.
    """

    expressions: tuple[Coreference, ...] = ()
    sets: tuple[AntecedentSet, ...] = ()
    focus: str | None = None
    switched: bool = False

    @property
    def used(self) -> tuple[int, ...]:
        """The earlier turns that the question most likely uses, from 0."""
        return self.sets[0].turns if self.sets else ()
