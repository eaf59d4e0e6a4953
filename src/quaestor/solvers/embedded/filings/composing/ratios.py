"""Two numbers at one time: ratios, shares of a total, differences and sums."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import SentenceRef
from quaestor.core.quantity import Scale
from quaestor.core.terms import term
from quaestor.core.terms import terms as terms_of
from quaestor.facts.table import FactTable, Series
from quaestor.questions.answer_units import UNKNOWN
from quaestor.questions.listing import asks_for_rest
from quaestor.questions.understanding import QuestionOperand
from quaestor.solvers.embedded.filings.composing.finding import (
    find_concept,
    find_for_member,
    find_totals,
    read_phrase,
)
from quaestor.solvers.embedded.filings.composing.formulas import VARIABLE, FormulaTerms
from quaestor.solvers.embedded.filings.composing.meanings import (
    OperandMeaning,
    build_meaning,
    has_member,
    read_meanings,
    repeat_node,
)
from quaestor.solvers.embedded.filings.composing.question import BoundQuestion, Proposal, log_share
from quaestor.solvers.embedded.filings.composing.references import find_referred, list_last_two
from quaestor.solvers.embedded.filings.composing.values import propose_value, propose_values, spell_value
from quaestor.solvers.embedded.filings.past import COMPARATIVES, Node, PastAnswer

REVENUE = ("us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax", "us-gaap:Revenues", "us-gaap:SalesRevenueNet")
_MARGIN = term("margin")
_LESS = lazy_regex(r"\b(?:net of|less|minus|after|excluding|excl|without|ex|subtract\w*|deduct\w*|take out)\b")
_LESS_THAT = lazy_regex(r"\b(?:less|minus|after|without|net of|excluding) (?:that|it|those|this|these)\b")
_NET_OF = lazy_regex(r"\bnet of\b")
_NET = term("net")
_ADDED_TO = lazy_regex(
    r"^(?:(?:and|so|ok|then|now|if (?:i|you|we)|what if (?:i|you|we)|let's|please) )*"
    r"(?:plus|add(?:ing)?|with|including|incl|together with|combined with|counting|\+)(?![\w])"
    r"|^and\b.*\b(?:together|combined|altogether|in all|total|sum|plus|added|included)\b"
    r"|\b(?:that|it|those|them|this|these|both|on top|back in|too|as well)\b"
)
"""Words that ask to add something to the last answer."""
_INVERSE = lazy_regex(r"\b(?:cover\w*|of (?:that|it|this|those|them))\b")
_MOST, _MOST_OF_EACH = 4, 2
_DIVIDED = lazy_regex(r"/ (?!2\b)")
_SMALL, _LARGE = "small", 10_000
_SAME_TABLE = 0.5
_REST = 0.8
"""Probability that the rest is what an earlier answer has in addition to the last one."""
_REST_TERMS = COMPARATIVES | frozenset(
    terms_of("rest remainder remaining else elsewhere everything left other others excluding without apart besides")
)
_WHOLE = 0.8
"""Probability of a total that adds up from a number and its neighbours."""
_STATED = 0.4
"""Score bonus for a computation that the question states with both operands."""


def read_two(question: BoundQuestion) -> Iterator[tuple[float, str, str, FormulaTerms]]:
    """Yield the numbers of both operands of a question; an operand that names nothing refers to earlier answers."""
    firsts, seconds = (read_meanings(question, place)[:_MOST] for place in (0, 1))
    for one, other in product(firsts, seconds):
        if not one.is_ratio and not other.is_ratio:
            yield from pair_numbers(question, one, other)


def pair_numbers(
    question: BoundQuestion, one: OperandMeaning, other: OperandMeaning
) -> Iterator[tuple[float, str, str, FormulaTerms]]:
    """Yield the numbers of two meanings at one time, unless they are the same."""
    if one.series and other.series and one.series[0].place == other.series[0].place and one.kind == other.kind:
        return
    terms = FormulaTerms(question.table)
    first = spell_value(question, one, terms)
    if first is None:
        return
    at = max((moment for moment in terms.moments), key=lambda moment: (moment.end, moment.months), default=None)
    second = other.spell(at, terms, "") or (None if at is None else spell_value(question, other, terms))
    if second is None or first == second:
        return
    tables = {extract.source.table for extract in terms.variables.values() if hasattr(extract.source, "table")}
    yield log_share(one.share) + log_share(other.share) + _SAME_TABLE * (len(tables) == 1), first, second, terms


def _is_percent(name: str, terms: FormulaTerms) -> bool:
    extract = terms.variables.get(name)
    if extract is None or extract.quantity is None:
        return False
    printed = terms.series[list(terms.variables).index(name)].first.scale  # the sign may be in a heading
    return Scale.PERCENT in (extract.quantity.scale, printed)


def _is_same(one: str, other: str, terms: FormulaTerms) -> bool:
    """Return whether two variables have the same amount, because filings print one amount in several tables."""
    amounts = [
        extract.quantity.value * extract.quantity.scale.factor
        for name in (one, other)
        if (extract := terms.variables.get(name)) is not None and extract.quantity is not None
    ]
    return len(amounts) == 2 and amounts[0] == amounts[1]


def _divides_price(one: str, other: str, terms: FormulaTerms) -> bool:
    """Return whether a price, such as an amount per share, is divided by money or a count, which means nothing."""
    names = list(terms.variables)
    if one not in names or other not in names:
        return False
    first, second = (terms.series[names.index(name)] for name in (one, other))
    whole = _classify_series(second)
    large = whole == UNKNOWN and second.first.scale not in (Scale.ONE, Scale.PERCENT)
    return _classify_series(first) == "price" and (whole in ("money", "count") or large)


def _divide(score: float, one: str, other: str, terms: FormulaTerms, form: str = "ratio") -> Iterator[Proposal]:
    """Yield the quotient of two numbers, unless one of them is a percentage or only one is a ratio."""
    if _is_percent(one, terms) or _is_percent(other, terms):
        return
    if bool(_DIVIDED.search(one)) != bool(_DIVIDED.search(other)):
        return  # a margin is not divided by an amount
    if _is_same(one, other, terms) or _divides_price(one, other, terms):
        return
    yield from terms.propose(f"{one} / {other}", form, score)


def _classify_series(series: Series) -> str:
    """Return the kind of the numbers of a series; `small` for a small number of unknown kind."""
    first, kind = series.first, series.kind
    return _SMALL if kind == UNKNOWN and first.scale is Scale.ONE and abs(first.amount) < _LARGE else kind


def are_alike(series: Sequence[Series]) -> bool:
    """Return whether the numbers of all series may be added."""
    return all(_is_alike(one, other) for one, other in pairwise(series))


def _is_alike(one: Series, other: Series) -> bool:
    """Return whether the numbers of two series may be added."""
    kinds = {_classify_series(one), _classify_series(other)}
    if len(kinds) == 1 or (_SMALL in kinds and kinds <= {_SMALL, "count", "price"}):
        return True
    return UNKNOWN in kinds and kinds.isdisjoint({"percent", "price", _SMALL})


def read_same_sentence(series: Series, table: FactTable) -> Iterator[OperandMeaning]:
    """Yield the other numbers in the sentence of a series that have the same kind."""
    ref = series.first.ref
    if not isinstance(ref, SentenceRef):
        return
    for place in table.lines_of_sentence.get((ref.section, ref.sentence), ()):
        for other in table.series_of_line.get(place, ()):
            if other.place != series.place and _is_alike(series, other):
                yield build_meaning(other, 1.0)


def propose_ratios(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield ratios: of two operands, of a measure, of an operand and the last answer, or printed ones."""
    two = len(question.operands) == 2 and question.reading.relation in ("ratio", "part", "versus", "difference", "sum")
    if two and question.reading.relation in ("ratio", "part", "versus"):
        for score, one, other, terms in read_two(question):
            yield from _divide(score + _STATED, one, other, terms)
        yield from _read_printed_ratio(question)
    if not two or question.reading.relation not in ("ratio", "part"):
        for proposal in propose_values(question):
            percent = bool(proposal.series) and proposal.series[0].first.scale is Scale.PERCENT
            printed = percent or proposal.form in ("measure", "before")
            yield replace(proposal, score=proposal.score - (0.0 if printed else 1.5))
        yield from _propose_margins(question)
        yield from _divide_last(question)
        yield from _divide_last_two(question)


def _read_printed_ratio(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield a line in percent of the divisor: its label names the divisor, or the divisor is 100 % in its table."""
    whole = question.reading.operands[1]
    hundreds = {
        (one.series[0].line.table, one.series[0].column)
        for one in read_meanings(question, 1)
        if one.percent and one.series[0].first.amount == 1
    }
    for meaning in read_meanings(question)[:_MOST]:
        if not meaning.percent:
            continue
        series = meaning.series[0]
        named = set(whole.terms) <= {*series.line.label_terms, *series.line.path_terms, *series.column}
        of_whole = (series.line.table, series.column) in hundreds
        if not named and not of_whole:
            continue
        yield from propose_value(question, meaning, log_share(meaning.share) + _STATED * of_whole)


def propose_numbers(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for single numbers, including margins that are not printed."""
    if remainders := list(_propose_remainder(question)):
        yield from remainders
        return
    yield from propose_values(question)
    yield from _propose_margins(question)


def _propose_remainder(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield what is left of a total without the last answer: "and the rest?", "excluding that?"."""
    last = question.last
    if last is None or not asks_for_rest(question.text) or len(question.reading.operands) > 1:
        return
    node = last.measured[0]
    named = {term for series in last.series for term in series.line.label_terms}
    if len(last.measured) > 1 or not named | _REST_TERMS >= set(question.reading.operands[0].terms):
        return
    if node.series is not None and node.series.first.scale is Scale.PERCENT:
        yield from propose_value(question, repeat_node(node, 1.0), log_share(_REST), "sum", "1 - {}")
        return
    part, wholes = node, list(_find_wholes_before(question, node))
    if node.kind == "divide":
        part, wholes = node.parts[0], [repeat_node(node.parts[1], _REST)]
    for whole in wholes:
        for score, one, other, terms in pair_numbers(question, whole, repeat_node(part, 1.0)):
            if not _cannot_be_added(one, other, terms) and abs(terms.amounts[one]) > abs(terms.amounts[other]):
                yield from terms.propose(f"{one} - {other}", "sum", score)


def _find_wholes_before(question: BoundQuestion, part: Node) -> Iterator[OperandMeaning]:
    """Yield the totals of which the last answer may be a part: an earlier answer, and those of its table."""
    series, moment = part.series, part.moment
    if series is None:
        return
    for rank, past in enumerate(question.before[1:3], 1):
        whole = past.measured[0]
        if past.form == "value" and whole.series is not None and are_alike((whole.series, series)):
            yield repeat_node(whole, _REST / rank)
    if moment is not None and not series.line.sentence:
        for rank, total in enumerate(find_totals(series, moment, question.table), 2):
            yield build_meaning(total, _REST / rank)


def _propose_margins(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield margins without a formula as a part of the same member's revenue: "NOI margin", "margin?"."""
    operand = question.reading.operands[0]
    if not names_margin(operand):
        return
    rest = tuple(found for found in operand.terms if found != _MARGIN)
    if rest:
        parts = [build_meaning(bound.series, bound.share) for bound in question.bind(read_phrase(rest))[:_MOST]]
    else:
        parts = [repeat_node(question.last.measured[0], 0.8)] if question.last is not None else []
    for part in parts:
        for whole in _find_revenue(question, part.series):
            for score, one, other, terms in pair_numbers(question, part, whole):
                yield from _divide(score, one, other, terms)


def names_margin(operand: QuestionOperand) -> bool:
    """Return whether an operand is called a margin but is not a measure with a formula."""
    return _MARGIN in operand.phrase and not operand.measures


def _find_revenue(question: BoundQuestion, members: Sequence[Series]) -> Iterator[OperandMeaning]:
    """Yield the revenue of the member of a series, else of the company."""
    moment = question.first_wanted
    if members and has_member(members[0]):
        found = [one for concept in REVENUE if (one := find_for_member(concept, moment, question, members[0]))]
        if found:
            yield build_meaning(found[0][0], 0.8)
            return
    for concept in REVENUE:
        if (whole := find_concept(concept, moment, question)) is not None:
            yield build_meaning(whole[0], 0.7)
            return


def _divide_last(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield the last answer divided by what the question names ("as a percentage of revenue"), and the inverse."""
    last = question.last
    if last is None or not question.own:
        return
    inverse = bool(_INVERSE.search(question.text))
    meanings = [one for one in read_meanings(question) if not (one.kind == "before" and one.is_ratio)][:3]
    for before, meaning in product(_read_last(question, last), meanings):
        for score, one, other, terms in pair_numbers(question, before, meaning):
            yield from _divide(score - 0.5 * inverse, one, other, terms)
        if inverse or last.form == "ratio":
            for score, one, other, terms in pair_numbers(question, meaning, before):
                yield from _divide(score, one, other, terms)
    node = last.measured[0]
    if node.kind == "divide":  # another numerator over the same denominator
        whole = repeat_node(node.parts[1], 0.5)
        for meaning in meanings:
            for score, one, other, terms in pair_numbers(question, meaning, whole):
                yield from _divide(score, one, other, terms)


def _divide_last_two(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield the ratio of the last two answers in both directions, the likelier one below 1: "share?", "as a %"."""
    two = list_last_two(question) if not question.own and not question.moments else None
    if two is None:
        return
    whole, part = (repeat_node(node, 0.5) for node in two)
    for one, other in ((part, whole), (whole, part)):
        for score, first, second, terms in pair_numbers(question, one, other):
            sizes = [abs(terms.amounts[name]) for name in (first, second) if name in terms.amounts]
            above = len(sizes) == 2 and sizes[0] > sizes[1]
            yield from _divide(score - above, first, second, terms)


def _read_last(question: BoundQuestion, last: PastAnswer) -> list[OperandMeaning]:
    """Return the earlier measurement that a question refers to, or the last one and the sum of its members."""
    if (referred := find_referred(question)) is not None:
        return [repeat_node(referred, 0.6)]
    several = last.form == "members" and len(last.measured) > 1
    sums = [repeat_node(Node("sum", parts=last.measured), 0.3)] if several else []
    return [repeat_node(last.measured[0], 0.6), *sums]


def propose_shares(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield shares of a total."""
    if len(question.operands) == 2 and question.reading.relation in ("ratio", "part") and question.names(1):
        yield from propose_ratios(question)
        return
    yield from _divide_last(question)
    yield from _divide_by_whole(question)
    yield from _divide_last_two(question)
    for meaning in read_meanings(question)[:3]:
        if not meaning.series:
            continue
        if meaning.percent:
            yield from propose_value(question, meaning, log_share(meaning.share))
        for whole in _find_wholes(question, meaning.series[0]):
            for score, one, other, terms in pair_numbers(question, meaning, whole):
                yield from _divide(score, one, other, terms, "share")


def _divide_by_whole(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield a previous difference divided by its minuend: "as a percent of the total?"."""
    node = question.last.measured[0] if question.last is not None else None
    if node is None or node.kind != "subtract" or question.own:
        return
    for score, one, other, terms in pair_numbers(question, repeat_node(node, 0.8), repeat_node(node.parts[0], 0.8)):
        yield from _divide(score, one, other, terms, "share")


def _find_wholes(question: BoundQuestion, part: Series) -> Iterator[OperandMeaning]:
    """Yield the totals that may include a series: in its table, in its line, and of its concept."""
    table = question.table
    moment = next((found for found in (*question.wanted, table.latest, *part.cells) if found in part.cells), None)
    if moment is not None and not part.line.sentence:
        yield from (
            build_meaning(total, _WHOLE / rank) for rank, total in enumerate(find_totals(part, moment, table), 1)
        )
    for line in table.lines[part.line.place + 1 : part.line.place + 60]:
        if line.table != part.line.table:
            break
        if "total" in line.label_terms:
            yield from (
                build_meaning(one, 0.5) for one in table.series_of_line[line.place] if one.column == part.column
            )
            break
    if part.column:
        for one in table.series_of_line[part.line.place]:
            if "total" in one.column or not one.column:
                yield build_meaning(one, 0.4)
    if part.members and part.concept:
        found = find_concept(part.concept, question.first_wanted, question)
        if found is not None:
            yield build_meaning(found[0], 0.5)
    elif not part.column:
        yield from (replace(one, share=0.15) for one in _find_revenue(question, ()))


def propose_totals(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield the sum or difference of two operands, or of one and the last answer: "plus SG&A"."""
    relation = question.reading.relation
    if relation == "sum" and len(question.operands) > 2:
        yield from _add_up(question)
        return
    if len(question.operands) == 2 and relation in ("sum", "versus", "difference"):
        sign = "-" if relation == "difference" else "+"
        for score, one, other, terms in read_two(question):
            if _cannot_be_added(one, other, terms):
                continue
            form = "sum" if sign == "+" else "difference"
            yield from terms.propose(f"{one} {sign} {other}", form, score + _STATED)
        return
    last = question.last
    if last is None or not question.own:
        return
    less, plus = bool(_LESS.search(question.text)), bool(_ADDED_TO.search(question.text))
    if not less and not plus:
        return
    from_own = bool(_LESS_THAT.search(question.text))
    for before, meaning in product(
        _read_last(question, last), _read_subtracted(question) or read_meanings(question)[:3]
    ):
        for score, one, other, terms in pair_numbers(question, *((meaning, before) if from_own else (before, meaning))):
            if _cannot_be_added(one, other, terms):
                continue
            yield from terms.propose(f"{one} {'-' if less else '+'} {other}", "sum", score + _STATED)


def _cannot_be_added(one: str, other: str, terms: FormulaTerms) -> bool:
    """Return whether two formulas are a total and its part, or a balance and a flow."""
    return _mixes_times(terms) or not set(VARIABLE.findall(one)).isdisjoint(VARIABLE.findall(other))


def _add_up(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield the sum of three or more operands; one that names nothing is the last answer."""
    places = range(len(question.operands))
    each = _MOST_OF_EACH if len(places) <= _MOST else 1
    found = [read_meanings(question, place)[:each] for place in places]
    for chosen in product(*found):
        terms = FormulaTerms(question.table)
        texts = [spell_value(question, meaning, terms) for meaning in chosen]
        names = [name for text in texts if text is not None for name in VARIABLE.findall(text)]
        if None in texts or len(set(names)) < len(names) or _mixes_times(terms):
            continue
        score = sum(log_share(meaning.share) for meaning in chosen) * 2 / len(chosen)
        yield from terms.propose(" + ".join(map(str, texts)), "sum", score + _STATED)


def _mixes_times(terms: FormulaTerms) -> bool:
    """Return whether numbers from tables mix periods and instants."""
    printed = not any(series.line.sentence for series in terms.series)
    return printed and len({moment.months == 0 for moment in terms.moments}) > 1


def _read_subtracted(question: BoundQuestion) -> list[OperandMeaning]:
    """Return the meanings of the subtrahend in "net of cash"; empty for other phrases."""
    operand = question.reading.operands[0]
    if not _NET_OF.search(question.text):
        return []
    rest = tuple(found for found in operand.terms if found != _NET)
    return [build_meaning(bound.series, bound.share) for bound in question.bind(read_phrase(rest))[:3]] if rest else []
