"""Plans that answer a question about a filing, as operations on the numbers of candidate series.

`compose` asks one composer for each form of answer. What they share:

    question    their input and output: `BoundQuestion`, `Proposal`
    references  earlier answers that a question refers to: "the first", "both"
    meanings    what an operand may mean: a series, a measure by its formula, an earlier answer
    measures    the formula of a measure, and the inputs that the filing lacks for it
    finding     the series of a concept, for the company or a member; parts of a total; payments due in future years
    formulas    the numbers of a formula, as printed or derived from other periods, and their signs
    blocks      members of one dimension: segments, places, products

The composers, by the module with their `propose_` functions:

    values, ratios    single numbers; ratios, shares and sums of two
    changes           changes, growth and differences
    several           sums, averages and lists over times or members
    rankings          which member or time is highest
    comparisons       whether something is higher, and yes or no
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp, log

from quaestor.questions.developments import AVERAGE_CHANGE
from quaestor.questions.understanding import INTENTS
from quaestor.solvers.embedded.filings.composing.changes import (
    asks_from_what,
    propose_base,
    propose_changes,
    propose_growth_rates,
    propose_growths,
)
from quaestor.solvers.embedded.filings.composing.comparisons import (
    asks_of_every_year,
    compare_every_year,
    propose_comparisons,
)
from quaestor.solvers.embedded.filings.composing.formulas import drop_signs
from quaestor.solvers.embedded.filings.composing.question import (
    BoundOperand,
    BoundQuestion,
    Proposal,
    list_intents,
    softmax,
)
from quaestor.solvers.embedded.filings.composing.rankings import propose_rankings
from quaestor.solvers.embedded.filings.composing.ratios import propose_numbers, propose_ratios, propose_shares
from quaestor.solvers.embedded.filings.composing.several import (
    list_operands,
    propose_averages,
    propose_lists,
    propose_sums,
)

__all__ = ["BoundOperand", "BoundQuestion", "Proposal", "compose", "intents_by_name", "list_intents", "softmax"]

_LEAST_FORM = 0.02
"""Forms below this probability are not composed."""

_BY_NUMBERS: Mapping[str, float] = {"text_fact": 0.2, "why": 0.02, "description": 0.02}
"""Share of an intent's questions that numbers from tables answer; 1 for the other intents."""


_Composer = Callable[[BoundQuestion], Iterator[Proposal]]
_COMPOSERS: Mapping[str, tuple[_Composer, tuple[str, ...]]] = {
    "value": (propose_numbers, ("lookup", "text_fact", "why", "description", "two_part")),
    "ratio": (propose_ratios, ("ratio",)),
    "share": (propose_shares, ("share",)),
    "sum": (propose_sums, ("sum",)),
    "growth": (propose_growths, ("growth",)),
    "change": (propose_changes, ("change",)),
    "cagr": (propose_growth_rates, ("cagr",)),
    "average": (propose_averages, ("average",)),
    "list": (propose_lists, ("list",)),
    "operands": (list_operands, ("list", "lookup", "two_part")),
    "ranking": (propose_rankings, ("ranking",)),
    "compare": (propose_comparisons, ("comparison", "yesno")),
}
"""The composer of each form, and the intents for which it is asked."""


def compose(question: BoundQuestion) -> list[Proposal]:
    """Return distinct plans that may answer a question, likeliest first."""
    found: dict[str, Proposal] = {}
    # Whether the question has an answer is decided later; even an unanswerable question may have any form.
    known = 1 - question.intents["unanswerable"] - question.intents["ambiguous"]
    for form, (composer, intents) in _COMPOSERS.items():
        share = sum(question.intents[intent] * _BY_NUMBERS.get(intent, 1.0) for intent in intents) / max(
            known, _LEAST_FORM
        )
        if share < _LEAST_FORM:
            continue
        proposals: dict[str, Proposal] = {}
        for proposal in _choose_composer(form, composer, question)(question):
            sized = proposal if question.table.is_small else drop_signs(question.text, proposal)
            scored = replace(sized, score=proposal.score + log(share), features={"form": share})
            key = repr(scored.plan.steps)
            if key not in proposals or proposals[key].score < scored.score:
                proposals[key] = scored
        for key, proposal in proposals.items():
            found[key] = _merge_proposals(found[key], proposal) if key in found else proposal
    ranked = sorted(found.values(), key=lambda proposal: -proposal.score)
    return [_with_features(proposal, ranked) for proposal in ranked]


def _choose_composer(form: str, composer: _Composer, question: BoundQuestion) -> _Composer:
    """Return the composer of a form, or that of what the words of a question clearly ask for."""
    if asks_from_what(question):
        return propose_base
    if form == "change" and AVERAGE_CHANGE.search(question.text):
        return propose_averages
    return compare_every_year if asks_of_every_year(question) else composer


def _merge_proposals(one: Proposal, other: Proposal) -> Proposal:
    """Merge one plan found through two forms, adding their probabilities."""
    likelier = max(one, other, key=lambda proposal: proposal.score)
    return replace(likelier, score=log(exp(one.score) + exp(other.score)))


def _with_features(proposal: Proposal, ranked: Sequence[Proposal]) -> Proposal:
    best = ranked[0].score
    others = [other for other in ranked if other is not proposal]
    tables = {series.line.table for series in proposal.series}
    features = {
        **proposal.features,
        "score": proposal.score,
        "behind": best - proposal.score,
        "margin": proposal.score - max((other.score for other in others), default=proposal.score - 10.0),
        "close": float(sum(other.score > proposal.score - 1.0 for other in others)),
        "numbers": float(len(proposal.plan.extracts)),
        "same_table": float(len(tables) <= 1),
        "undated": float(len(proposal.moments) < len(proposal.series)),
    }
    return replace(proposal, features=features)


def intents_by_name(shares: Iterable[float]) -> dict[str, float]:
    """Return the probability of each intent by name."""
    return dict(zip(INTENTS, map(float, shares), strict=True))
