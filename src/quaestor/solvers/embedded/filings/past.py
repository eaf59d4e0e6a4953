"""Measurements of past answers, and whether a question repeats the operation of the previous one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isclose

import numpy as np
from numpy.typing import NDArray

from quaestor.core.answer_value import Text
from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms
from quaestor.errors import PlanError
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, Series
from quaestor.ontology.lexicon import read_lexicon
from quaestor.plan.execute import execute
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref
from quaestor.questions.answer_units import share_of_kind
from quaestor.questions.listing import asks_for_its_amount, asks_for_parts, names_best_time, read_order
from quaestor.questions.understanding import DOWNWARD, INTENTS, UPWARD, ParsedQuestion

_OF_WORDS = 0.6
"""Probability of an answer in words above which the numbers of a quotation were not requested."""
_OF_KIND = 0.3
"""Minimum weight of a requested number: the probability of its kind, times one plus the number of matching terms."""
_ROUNDED = 0.006
"""Tolerance between a rounded and an exact number, as a share."""
_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "exp": "**"}


@dataclass(frozen=True, slots=True)
class Node:
    """Term of a formula over series.

    Attributes:
        kind: `series`, `number`, or the name of an operation.
        moment: The time of its number, if known.
        parts: The operands of an operation.
    """

    kind: str
    series: Series | None = None
    moment: Moment | None = None
    text: str = ""
    parts: "tuple[Node, ...]" = ()

    def leaves(self) -> "Iterator[Node]":
        """Yield the nodes that are numbers of the document."""
        if self.series is not None:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def shape(self) -> tuple[object, ...]:
        """Return a key without times: nodes of the same shape measure the same thing."""
        place = self.series.place if self.series is not None else -1
        return self.kind, place, self.text, *(part.shape() for part in self.parts)


@dataclass(frozen=True)
class PastAnswer:
    """Measurement of a past answer.

    Attributes:
        form: `value`, `ratio`, `growth`, `change`, `cagr`, `average`, `sum`, `list`, `members`, `ranking`, `compare`.
        measured: One node for each time or member; the first one is that of the latest time, or of the answer.
        is_measure: Whether it is a named ratio, such as a margin, so that changes are those of the ratio.
    """

    form: str
    measured: tuple[Node, ...]
    is_measure: bool = False

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """The distinct times of the measured nodes."""
        return tuple(dict.fromkeys(moment for one in self.measured if (moment := find_anchor(one)) is not None))

    @property
    def anchor(self) -> Moment | None:
        """The latest time; for a ranking, the time of the first entry."""
        if self.form == "ranking":
            return find_anchor(self.measured[0])
        return max(self.moments, key=_order_moment, default=None)

    @property
    def series(self) -> tuple[Series, ...]:
        """The distinct series of the numbers."""
        found = {leaf.series.place: leaf.series for one in self.measured for leaf in one.leaves() if leaf.series}
        return tuple(found.values())


def _order_moment(moment: Moment) -> tuple[tuple[int, int], int]:
    return moment.end, moment.months


def find_anchor(node: Node) -> Moment | None:
    """Return the latest time of a node, preferring a period over an instant."""
    moments = [leaf.moment for leaf in node.leaves() if leaf.moment is not None]
    return max(moments, key=_order_moment, default=None)


def list_last_moments(before: Sequence[PastAnswer]) -> tuple[Moment, ...]:
    """Return the times of the last answer, or of the last two if each has one, in the order of the questions.

    Args:
        before: The last answers, latest first.
    """
    if before and len(before[0].moments) > 1:
        return before[0].moments
    return tuple(dict.fromkeys(past.anchor for past in reversed(before[:2]) if past.anchor is not None))


def is_printed_twice(one: Node, other: Node) -> bool:
    """Return whether two nodes are the same number, possibly rounded, as in a table and a sentence."""
    amounts = [
        abs(cell.amount)
        for node in (one, other)
        if node.series is not None and (cell := node.series.cells.get(node.moment)) is not None
    ]
    return len(amounts) == 2 and isclose(*amounts, rel_tol=_ROUNDED)


def read_past_answer(plan: Plan, table: FactTable) -> PastAnswer | None:
    """Return the measurement of a plan, or None if it uses no number of the document."""
    nodes = _read_nodes(plan, table)
    last = nodes[plan.steps[-1].id]
    if _is_range(plan):  # what follows refers to what was measured
        last = next((part for part in last.parts if part.series is not None), last)
    if not any(last.leaves()):
        return None
    answer = _read_form(last)
    return _put_winner_first(answer, plan, nodes) if answer.form == "ranking" else answer


RANGE_ENDS = ("low", "high")
"""Ends of the labels of a range's numbers."""


def _is_range(plan: Plan) -> bool:
    """Return whether a plan answers with a range (`ranges.answer_with_ranges`)."""
    labels = [step.label.rpartition(", ")[2] for step in plan.extracts]
    return len(plan.steps) == len(labels) + 1 and tuple(labels) == RANGE_ENDS


def read_past_parts(plan: Plan, table: FactTable) -> tuple[PastAnswer, ...]:
    """Return the measurements of the parts of an answer to several questions, last part first."""
    last = _read_nodes(plan, table)[plan.steps[-1].id]
    return tuple(_read_form(part) for part in reversed(last.parts) if any(part.leaves()))


def _read_nodes(plan: Plan, table: FactTable) -> dict[int, Node]:
    nodes: dict[int, Node] = {}
    for step in plan.steps:
        if isinstance(step, Extract):
            found = table.find_number(step.source, step.quantity.value) if step.quantity is not None else None
            nodes[step.id] = Node("series", *found) if found is not None else Node("words", text=step.label)
        else:
            nodes[step.id] = Node(step.operation, parts=tuple(_list_parts(step, nodes)))
    return nodes


def read_quoted_number(
    sentences: Sequence[tuple[str, int]], question_terms: Sequence[str], kinds: Mapping[str, float], table: FactTable
) -> PastAnswer | None:
    """Return the number that a quotation gives for a question; None if the question hardly asked for a number.

    Args:
        sentences: The quoted sentences, by section and index.
        kinds: The probability of each kind of answer.
    """
    if kinds["words"] > _OF_WORDS:
        return None
    found = []
    for place in (place for sentence in sentences for place in table.lines_of_sentence.get(sentence, ())):
        for series in table.series_of_line.get(place, ()):
            named = sum(term in series.line.label_terms for term in set(question_terms))
            found.append((share_of_kind(kinds, series.kind) * (1 + named), -place, series))
    if not found:
        return None
    worth, _, series = max(found, key=lambda one: one[:2])
    moment = max((moment for moment in series.cells if moment is not None), key=_order_moment, default=None)
    return PastAnswer("value", (Node("series", series, moment),)) if worth > _OF_KIND else None


def _put_winner_first(answer: PastAnswer, plan: Plan, nodes: Mapping[int, Node]) -> PastAnswer:
    """Reorder a ranking so that its winner is first, because follow-up questions refer to it."""
    try:
        winner = execute(plan, ()).result.value
    except PlanError:
        return answer
    if not isinstance(winner, Text):
        return answer
    won = {id(nodes[step.id]) for step in plan.extracts if step.label == str(winner)}
    return replace(
        answer, measured=tuple(sorted(answer.measured, key=lambda one: won.isdisjoint(map(id, one.leaves()))))
    )


def _list_parts(step: Compute, nodes: dict[int, Node]) -> Iterator[Node]:
    for operand in step.operands:
        if isinstance(operand, Ref):
            yield nodes.get(operand.step, Node("words"))
        elif isinstance(operand, Constant):
            yield Node("number", text=format(operand.value, "f"))


def _read_form(node: Node) -> PastAnswer:
    one = _read_two_times(node)
    if one is not None:
        return one
    node = node.parts[0] if node.kind == "absolute" else node
    if node.kind in ("argmax", "argmin", "above", "below", "largest", "smallest"):
        return PastAnswer("ranking", tuple(map(_drop_growth, _list_entries(node.parts[0]))))
    if _has_items(node):
        entries = _list_entries(node)
        times = len({entry.shape() for entry in entries}) == 1
        return PastAnswer("list" if times else "members", entries)
    if node.kind in ("average", "sum", "add") and len({part.shape() for part in node.parts}) == 1:
        return PastAnswer("average" if node.kind == "average" else "sum", node.parts)
    if node.kind == "greater":
        return PastAnswer("compare", tuple(map(_drop_growth, node.parts)))
    form = {"divide": "ratio", "add": "sum", "sum": "sum", "subtract": "sum"}
    return PastAnswer(form.get(node.kind, "value"), (node,))


def _drop_growth(node: Node) -> Node:
    """Return what grew instead of its growth, because follow-ups refer to it."""
    pair = _read_two_times(node)
    return pair.measured[0] if pair is not None else node


def _list_entries(node: Node) -> tuple[Node, ...]:
    """Return the entries of a list; for operations on lists, the operation on each of their entries."""
    if node.kind == "items":
        return node.parts
    if not _has_items(node):
        return (node,)
    lists = [_list_entries(part) for part in node.parts]
    count = max(map(len, lists))
    if any(len(entries) not in (1, count) for entries in lists):
        return lists[0]
    return tuple(
        Node(node.kind, parts=tuple(entries[place if len(entries) > 1 else 0] for entries in lists))
        for place in range(count)
    )


def _has_items(node: Node) -> bool:
    return node.kind == "items" or any(map(_has_items, node.parts))


def _read_two_times(node: Node) -> PastAnswer | None:
    """Return a change, a growth or a growth rate between two times; None for other terms."""
    if node.kind == "multiply" and node.parts[1].kind == "number":
        return _read_two_times(node.parts[0])
    if node.kind == "absolute":
        return _read_two_times(node.parts[0])
    if node.kind == "subtract" and "exp" in (node.parts[0].kind, node.parts[1].kind):
        ratio = next(part for part in node.parts if part.kind == "exp").parts[0]
        if ratio.kind == "divide" and ratio.parts[0].shape() == ratio.parts[1].shape():
            return PastAnswer("cagr", ratio.parts)
    if node.kind == "divide" and node.parts[0].kind in ("subtract", "absolute"):
        inner = node.parts[0]
        if inner.kind == "subtract" and inner.parts[0].shape() == inner.parts[1].shape() == node.parts[1].shape():
            return PastAnswer("growth", _sort_later_first(inner.parts))
    if node.kind in ("subtract", "greater") and node.parts[0].shape() == node.parts[1].shape():
        return PastAnswer("change" if node.kind == "subtract" else "compare", _sort_later_first(node.parts))
    return None


def _sort_later_first(parts: tuple[Node, ...]) -> tuple[Node, ...]:
    return tuple(sorted(parts, key=lambda part: find_anchor(part) or Moment(0, 1, 0), reverse=True))


def spell_node(node: Node, names: Mapping[int, str]) -> str | None:
    """Return a node as a formula over the names of its leaves, keyed by identity, or None."""
    if node.series is not None:
        return names.get(id(node))
    if node.kind == "number":
        return node.text
    parts = [spell_node(part, names) for part in node.parts]
    if None in parts or not parts:
        return None
    if node.kind in _SIGNS and len(parts) == 2:
        return f"({parts[0]} {_SIGNS[node.kind]} {parts[1]})"
    if node.kind in ("sum", "average"):
        return f"{'sum' if node.kind == 'sum' else 'avg'}({', '.join(map(str, parts))})"
    return None


_OPERATION = lazy_regex(
    r"%|\b(?:percent\w*|pct|gr[eo]w\w*|growth|yoy|y/y|cagr|average|avg|mean|sum|total|together|combined|add\w*|plus|less"
    r"|net of|ratio|margin|share|per|split|break\w*|by|each|list|which|who|biggest|largest|smallest|highest|lowest|best"
    r"|worst|rank\w*|more|fewer|higher|lower|up|down|ris\w+|rose|f[ae]ll\w*|drop\w*|declin\w+|increas\w+|decreas\w+"
    r"|chang\w+|differ\w+|compar\w+|vs|versus|than|why|how (?:come|much|many|big|fast|does|do|did|is|was)|relative"
    r"|times|cover\w*|turnover|rate|did|is|was|were|does|do|are|any|has|have|when|where|what (?:drove|caused)|reason\w*"
    r"|because|describe|explain)\b"
)
"""Words that ask for an operation, or for something other than a number."""
_TOTAL = lazy_regex(r"\b(?:total|sums?|altogether|together|combined|add (?:them|those|these))\b")
_PART = lazy_regex(r"%|\b(?:share|percent\w*|pct|portion|part|fraction|average|avg)\b")
_OPENS = lazy_regex(r"^\W{0,3}(?:and|what about|how about|same|now|just|only|for|then|ok|so|also)\b")
_SAME = lazy_regex(
    r"\bsame (?:(?:\w+ )?(?:question|calculation|operation|ratio|measure|figures?)|for|with|in|as|again|thing|there)\b"
    r"|\bnow (?:for|the same)\b|\blikewise\b|\bditto\b"
)
AGAIN = frozenset(terms("same thing question calculation operation ratio measure figure now again likewise ditto"))
"""Terms that ask to repeat an operation."""

_MOVES = lazy_regex(
    r"\b(?:chang\w*|delta|swing|gr[eo]w\w*|increas\w*|decreas\w*|declin\w*|f[ae]ll\w*|drop\w*|ris\w+|rose|jump\w*"
    r"|mov(?:e|ed|ement)|gain\w*|lost|lose|improv\w*|up|down|better|worse|higher|lower|bigger|smaller|more|fewer|than|vs"
    r"|versus|compar\w*|differ\w*|gap|yoy|y/y|since|against|above|below|by how much)\b"
)
"""Words that ask how something changed or differs."""

_PARTS = 0.7
"""Probability that a question for all parts of something, or for an order, asks for a list or a ranking, regardless
of its other words.
"""
_SAME_OPERATION, _OTHER_TIME, _OTHER_THING, _OTHER_MEASURE = 0.9, 0.7, 0.6, 0.25
"""Probabilities that a short question repeats the operation: if it says so, if it names only another time, or if it
begins like a follow-up and names another member or another measure. Counted on labelled conversations.
"""

_ONLY_THING, _FEW_WORDS = 0.15, 3
"""The same if it only names another member, in a few words: "physical stores?"."""

COMPARATIVES = frozenset(
    terms(
        "more less fewer better worse higher lower bigger smaller larger faster slower above below up down jump slip "
        "gain lose lost cagr compound yr y/y yoy growth rate percent point points cents stretch period basis "
        "move gone go come add segment region country geography product split break category department function "
        "program business type line unit pls please thing fastest slowest strongest weakest heaviest best "
        "worst biggest largest smallest highest lowest most least quickest single one two three four which "
        "item component class kind carry piece slice portion later earlier latter former heaviest break down "
        "gap first second cover rest remainder"
    )
)
"""Terms of operations, which do not name anything measured."""


def mix_with_repetition(
    shares: NDArray[np.float64], reading: ParsedQuestion, before: str, *, times: int = 1, listed: bool = False
) -> NDArray[np.float64]:
    """Mix the probabilities of a question's intents with the previous intent if the question may repeat it.

    Args:
        shares: In the order of `INTENTS`, from the question alone.
        before: The previous intent; "" for the first question of a conversation.
        times: The number of times that the question names.
        listed: Whether the last answer lists several numbers, so that a mere "total?" adds them up. Likewise "net of
            cash?" subtracts cash from the last answer.
    """
    text = reading.operation_text
    shares = _without_unasked_change(shares, reading, times)
    named = any(set(operand.terms) - COMPARATIVES for operand in reading.operands)
    taken_off = bool(before) and reading.relation == "difference" and not set(reading.operands[0].terms) - COMPARATIVES
    adds_up = listed and not named and not reading.moments and _TOTAL.search(text)
    if (adds_up or taken_off) and not _PART.search(text):
        mixed = (1 - _OTHER_TIME) * shares
        mixed[INTENTS.index("sum")] += _OTHER_TIME
        return mixed
    if repeated := _find_asked(reading, before):
        mixed = (1 - _PARTS) * shares
        mixed[INTENTS.index(repeated)] += _PARTS
        return mixed
    if before not in _REPEATED or _OPERATION.search(_SAME.sub(" ", text)):
        return shares
    repeats = 0.0
    if named and reading.moments and before == "ranking":
        return shares  # "and net income in Q4?"
    if named and asks_for_same(text):
        repeats = _SAME_OPERATION
    elif not named and reading.moments:
        repeats = _OTHER_TIME
    elif named and _OPENS.search(text) and not reading.unit:
        repeats = _OTHER_MEASURE if "measure" in reading.slots else _OTHER_THING
    elif named and not reading.moments and "measure" not in reading.slots and len(text.split()) <= _FEW_WORDS:
        repeats = _ONLY_THING
    mixed = (1 - repeats) * shares
    mixed[INTENTS.index("list" if times > 1 and before in _OF_ONE_TIME else before)] += repeats
    return mixed


def asks_for_same(text: str) -> bool:
    """Return whether a lower-case question asks to repeat the last operation: "same for Europe"."""
    return _SAME.search(text) is not None


def _find_asked(reading: ParsedQuestion, before: str) -> str:
    """Return the intent that the words of a question clearly show, or ""."""
    text = reading.operation_text
    if before == "ranking" and asks_for_its_amount(text):
        return "lookup"
    if read_order(text) or names_best_time(text):
        return "ranking"
    if reading.times_relation in _INTENTS_OF_TIMES:
        return _INTENTS_OF_TIMES[reading.times_relation]
    subtracts = reading.relation == "difference" and bool(reading.operands[0].terms) and bool(_MINUS.search(text))
    if subtracts or (before and _is_gap(reading)):
        return "change"
    if reading.relation == "versus" and _BY_HOW_MUCH.search(text):
        return "comparison" if _CHOOSES.search(text) else "change"
    return "list" if asks_for_parts(text) or _lists_times(reading) else ""


def _is_gap(reading: ParsedQuestion) -> bool:
    """Return whether a question asks for the difference of earlier answers: "what's the gap between them?"."""
    named = any(set(operand.terms) - COMPARATIVES for operand in reading.operands)
    return not named and bool(_GAP.search(reading.operation_text))


def _lists_times(reading: ParsedQuestion) -> bool:
    """Return whether a question asks for the numbers at the times of earlier answers: "cash in those two years?"."""
    again = any(query.again and query.back is None for query in reading.moments)
    return again and not (_ONE_OF_TIMES.search(reading.operation_text) or _MOVES.search(reading.operation_text))


def _without_unasked_change(shares: NDArray[np.float64], reading: ParsedQuestion, times: int) -> NDArray[np.float64]:
    """Treat a change as a lookup if only the formula of the named measure is a difference."""
    measures = read_lexicon().measures
    formulas = [measures[name].formula for operand in reading.operands for name in operand.measures]
    if times > 1 or _MOVES.search(reading.operation_text) or not any(one and one.kind == "-" for one in formulas):
        return shares
    lookup, change = INTENTS.index("lookup"), INTENTS.index("change")
    moved = shares.copy()
    moved[lookup], moved[change] = shares[lookup] + shares[change], 0.0
    return moved


_INTENTS_OF_TIMES = {"choice": "comparison", "sum": "sum", "difference": "change"}
"""Intents of questions that relate their times."""
_MINUS = lazy_regex(r"^[^(]*\b(?:less|minus)\b(?!.*\bthan\b)")
_BY_HOW_MUCH = lazy_regex(r"\bhow (?:much|far)\b|\bdifference\b|\bgap\b")
_GAP = lazy_regex(r"\b(?:gap|differences?|apart)\b")
_ONE_OF_TIMES = lazy_regex(
    r"\b(?:average|avg|mean|cagr|compound\w*|sum|total|together|combined|which|when|who|why|how|did|does|is|was|were)\b"
)
"""Words for something other than a list of numbers at several times."""
_CHOOSES = lazy_regex(
    r"^(?:and )?(?:did|does|do|is|are|was|were|has|have|had)\b|\b(?:which|who)\b"
    rf"|\bor\b(?! (?:{UPWARD}|{DOWNWARD})\b)"
)
_OF_ONE_TIME = frozenset({"ratio", "share", "sum"})
"""Intents whose answers belong to one time each; for several times they are listed."""
_REPEATED = frozenset({"growth", "change", "cagr", "average", "ratio", "share", "sum", "list", "ranking", "comparison"})
