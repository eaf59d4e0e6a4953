"""Answers a question for several numbers with a list: each under its label, in the order asked, with its source.

Which questions ask so, say `questions.listing` and `things`; which numbers fit, `choosing`.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import ValueList
from quaestor.core.words import search_words
from quaestor.documents.document import Document
from quaestor.errors import PlanError
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.answer_kind import read_answer_kind
from quaestor.questions.listing import Listing, read_enumeration, read_listing
from quaestor.questions.question import Question, read_question
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.decode.prior import prior_of
from quaestor.solvers.embedded.decode.readings import AskedTurn
from quaestor.solvers.embedded.decode.turn import read_leaves
from quaestor.solvers.embedded.model.loading import EmbeddedWeights
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.several.choosing import Alike, ChosenNumbers, choose_numbers
from quaestor.solvers.embedded.several.things import lines_listed
from quaestor.solvers.embedded.state.turn_view import read_turn

_ANOTHER_TIME = re.compile(
    r"\s*(?:and|what about|how about|what were they|what are they|then|now|also|[\s,])*(?:in|for|at|during|as"
    r" of|the year|year|of"
    r"|fiscal|the end|end|[\s,])*[\s?.!]*"
)
_KINDS = frozenset({"number", "numbers"})


@dataclass(frozen=True, slots=True)
class ListedNumbers:
    """Answers questions that ask for several numbers."""

    weights: EmbeddedWeights

    def answers(self, asked: AskedTurn, least: float) -> Iterator[Answer]:
        """Yield the list that a question asks for; none if it asks for none, or the page has too few numbers.

        Args:
            asked: The question, the page and the conversation.
            least: There is one list at most, so none is less sure than another.
        """
        listing, alike = _listing(asked.worded, asked.context)
        if listing is None or not len(asked.page.leaves):
            return
        parts = [asked.reworded(read_question(part)) for part in listing.questions]
        if any(read_answer_kind(part.lowered).kind not in _KINDS for part in parts):
            return
        chosen = self._chosen(parts, listing, asked, alike)
        if chosen is None:
            return
        try:
            plan = _plan(chosen, listing, asked.page.leaves)
            answer = answer_from_plan(plan, asked.context, question=asked.question.text)
        except PlanError:
            return
        places = "one line" if alike == "line" else "one column"
        grounds = (
            f"the question asks for {len(listing.items)}: {', '.join(listing.items)}" + f"; {places}" * chosen.alike
        )
        yield replace(answer, confidence=_confidence(chosen), grounds=grounds)

    def _chosen(
        self, parts: Sequence[Question], listing: Listing, asked: AskedTurn, alike: Alike
    ) -> ChosenNumbers | None:
        leaves, context = asked.page.leaves, asked.context
        turns = [read_turn(part, asked.state, asked.page, self.weights.references) for part in parts]
        measured = [read_leaves([turn], self.weights.signature)[0].measured for turn in turns]
        shares = self.weights.leaves.predict(measured)
        for place, (part, turn) in enumerate(zip(parts, turns, strict=True)):
            prior = prior_of(part, leaves, context.document, context.weights)
            if prior is not None:
                shares[place] = prior.after(turn).of_leaves(shares[place])
        years = [
            max(read_question(item).years or part.years or (0,))
            for item, part in zip(listing.items, parts, strict=True)
        ]
        return choose_numbers(shares, years, leaves, alike)


def _listing(question: Question, context: TurnContext) -> tuple[Listing | None, Alike]:
    listing = read_listing(question.text)
    if listing is not None:
        return (None if listing.total and not _names_a_total(question, context.document) else listing), "line"
    question = _again(question, context)
    return lines_listed(question, context.document) or read_enumeration(question.text), "place"


def _names_a_total(question: Question, document: Document) -> bool:
    """Whether the total that a question asks for is a line of its own: "the total costs" where "Total costs" is one."""
    said = set(search_words(question.lowered))
    labels = (set(search_words(row.label)) for table in document.tables for row in table.rows[table.header_rows :])
    return any("total" in label and question.names <= label <= said for label in labels)


def _again(question: Question, context: TurnContext) -> Question:
    """Return the question of a list at another time, where nothing but that is asked for after it: "and in 2006?"."""
    if len(question.periods) != 1 or not _ANOTHER_TIME.fullmatch(_without_time(question)):
        return question
    for asked, answer in zip(reversed(context.memory.asked), reversed(context.memory.answers), strict=True):
        if not isinstance(answer.value, ValueList):
            return question
        if len(asked.periods) == 1 and not _ANOTHER_TIME.fullmatch(_without_time(asked)):
            old, new = asked.periods[0], question.periods[0]
            return Question(f"{asked.text[: old.start]}{question.text[new.start : new.end]}{asked.text[old.end :]}")
    return question


def _without_time(question: Question) -> str:
    time = question.periods[0]
    return " ".join(f"{question.lowered[: time.start]}{question.lowered[time.end :]}".split())


def _plan(chosen: ChosenNumbers, listing: Listing, page: NumberMatrix) -> Plan:
    leaves = [page.leaves[index] for index in chosen.leaves]
    labels = [leaf.label for leaf in leaves]
    if len(set(labels)) < len(labels) or not all(leaf.table >= 0 for leaf in leaves):
        # Words around a number of the text are no label: what was asked for is.
        labels = [_label(item) for item in listing.items]
    taken = [
        Extract(step, leaf.source, label, leaf.quantity)
        for step, (leaf, label) in enumerate(zip(leaves, labels, strict=True), start=1)
    ]
    return Plan((*taken, Compute(len(taken) + 1, "items", tuple(Ref(step.id) for step in taken))))


def _label(item: str) -> str:
    years = read_question(item).years
    return str(years[0]) if len(years) == 1 and item.lower().startswith(("fiscal", "year")) else item


def _confidence(chosen: ChosenNumbers) -> float:
    """How sure the whole list is: by the shares of its numbers; numbers side by side vouch for each other."""
    mean = sum(map(math.log, (max(share, 1e-6) for share in chosen.share))) / len(chosen.share)
    return 1 / (1 + math.exp(-(mean + (2.2 if chosen.alike else 0.5))))
