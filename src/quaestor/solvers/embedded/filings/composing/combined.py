"""Operands of ratios that are sums or differences themselves: "R&D plus SG&A as a share of sales"."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from quaestor.facts.moments import Moment
from quaestor.questions.understanding import Operand, read_combination
from quaestor.solvers.embedded.filings.composing.meant import Meant, mean_operand
from quaestor.solvers.embedded.filings.composing.question import Question, Terms

_COMBINED = 0.9
"""The probability that numbers are combined as the question says."""


def read_combined(question: Question, operand: Operand, other: Operand) -> Iterator[Meant]:
    """Yield the sum or the difference that an operand of a ratio is: "R&D plus SG&A".

    Args:
        other: The other operand of the ratio; what is called by some of its words is the same.
    """
    relation, parts = read_combination(operand.text)
    if not relation:
        return
    parts = tuple(other if set(part.terms) <= set(other.terms) else part for part in parts)
    sign = " + " if relation == "sum" else " - "
    most = 2 if len(parts) == 2 else 1
    for chosen in product(*(mean_operand(question, part, question.bind(part))[:most] for part in parts)):
        if len({one.series[0].place for one in chosen if one.series}) < sum(bool(one.series) for one in chosen):
            continue  # one thing, named twice

        def spell(moment: Moment | None, terms: Terms, label: str, chosen: Sequence[Meant] = chosen) -> str | None:
            names = [one.spell(moment, terms, label) for one in chosen]
            return None if None in names else f"({sign.join(map(str, names))})"

        yield Meant(_COMBINED * prod(one.share for one in chosen), spell, chosen[0].series, "combined")


def read_either(question: Question, operand: Operand, other: Operand) -> list[Meant]:
    """Return what an operand of a ratio with another one may mean, combined of others included."""
    return [*read_combined(question, operand, other), *mean_operand(question, operand, question.bind(operand))]
