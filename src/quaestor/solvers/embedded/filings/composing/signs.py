"""Signs of numbers: a question that names a loss, a benefit or a deduction asks for its size."""

from dataclasses import replace

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms
from quaestor.documents.table import TableRole
from quaestor.facts.table import Series
from quaestor.plan.steps import Extract, Plan
from quaestor.solvers.embedded.filings.composing.question import Proposal

_LOSS = lazy_regex(
    r"\b(?:loss(?:es)?|lose|lost|burn(?:ed|t)?|outflow|deficit|shortfall|underfund\w*|charges?|red ink|impairments?"
    r"|write-?downs?|amorti[sz]ation|deductions?|spen[dt]|paid|repaid)\b"
)
_REDUCTION = lazy_regex(
    r"\b(?:sav(?:e|es|ed)|shav(?:e|ed)|(?:take|takes|took|taken|knock\w*|came) (?:off|out)|releas\w+"
    r"|writ\w+[ -]off|write-?offs?|(?:did|does|do|would)\b.* (?:cut|lower|reduce|cost)|tax (?:credits?|benefits?)"
    r"|benefits? of how (?:much|large)|deferred (?:income )?tax liabilit(?:y|ies))\b"
)
"""Words for reductions and liabilities, which are sizes regardless of a profit in the question."""
_PROFIT = lazy_regex(r"\b(?:income(?! tax)|profit|earnings|gains?|change)\b")
_PARENTHESES = lazy_regex(r"\(([^()]{3,40})\)")
_DIRECTIONS = frozenset(
    terms("gain loss income earnings profit benefit provision expense cost charge credit increase decrease deficit")
)
_GAIN, _LOST = terms("gain loss")
_LOOKED_UP = ("value", "before", "list", "sum", "average")


def drop_signs(text: str, proposal: Proposal) -> Proposal:
    """Return a plan that looks up, lists or adds up numbers changed to take their sizes, if a question names these."""
    extracts = proposal.plan.extracts
    negative = all(one.quantity is not None and one.quantity.value <= 0 for one in extracts)
    if (
        proposal.form not in _LOOKED_UP
        or not (negative or len(proposal.plan.steps) == 1)
        or not all(asks_for_size(text, series) for series in proposal.series)
    ):
        return proposal
    sized = (replace(step, reading="magnitude") if isinstance(step, Extract) else step for step in proposal.plan.steps)
    return replace(proposal, plan=Plan(tuple(sized)))


def asks_for_loss(text: str) -> bool:
    """Return whether a lower-case question names a loss or an outflow, and no profit."""
    return bool(_LOSS.search(text)) and not _PROFIT.search(text.replace("income tax", "tax"))


def asks_for_size(text: str, series: Series) -> bool:
    """Return whether a lower-case question names the direction of a series whose numbers are negative.

    The label, or the title of the table, may give in parentheses what negative numbers are: "loss (gain)".
    """
    if _REDUCTION.search(text) or asks_for_loss(text):
        return True
    directions, line = _DIRECTIONS.intersection(terms(text)), series.line
    if not directions or line.sentence:
        return False
    for label in (line.label, *reversed(line.path), line.title):
        if opposite := {term for found in _PARENTHESES.findall(label) for term in terms(found)} & _DIRECTIONS:
            return not directions.isdisjoint(opposite)
    # Statements of cash flows take off the gains that are part of net income.
    named = line.label_terms
    return line.role is TableRole.CASH_FLOWS and _GAIN in directions and _GAIN in named and _LOST not in named
