"""Changes and growth of a number between two times, and differences of two numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms as terms_of
from quaestor.core.words import NUMBER_WORDS
from quaestor.facts.lines import Moment
from quaestor.questions.developments import YEARLY_RATE, asks_for_change
from quaestor.questions.understanding import DOWNWARD, UPWARD
from quaestor.solvers.embedded.filings.composing.finding import CHANGES
from quaestor.solvers.embedded.filings.composing.formulas import FormulaTerms, asks_for_size
from quaestor.solvers.embedded.filings.composing.meanings import (
    OperandMeaning,
    build_meaning,
    read_meanings,
    read_whole_meanings,
    repeat_for_member,
    repeat_node,
)
from quaestor.solvers.embedded.filings.composing.question import BoundQuestion, Proposal, log_share
from quaestor.solvers.embedded.filings.composing.ratios import (
    are_alike,
    pair_numbers,
    propose_totals,
    read_same_sentence,
    read_two,
)
from quaestor.solvers.embedded.filings.composing.references import asks_for_gap, list_last_two
from quaestor.solvers.embedded.filings.composing.values import is_change
from quaestor.solvers.embedded.filings.past import Node, list_last_moments

_FALLS = lazy_regex(
    r"\b(?:f[ae]ll(?:en|s)?|fell|drop(?:s|ped)?|declin\w+|decreas\w+|lower|below|less|fewer|shr[aiu]nk|lost|lose|down|reduc\w+|cut"
    r"|slump\w*|slid\w*|slip\w*|shed|weaker|smaller|worse)\b"
)
_RISES = lazy_regex(
    r"\b(?:higher|more|above|up|gr[eo]w(?:n|th)?|rise|rose|risen|rais\w+|increas\w+|exceed\w*|better|bigger|larger|greater"
    r"|improv\w*|gain\w*|jump\w*)\b"
)
_TO_BASE = lazy_regex(
    r"\b(?:(?:on|from|since|over|above|below|relative to)|(?:vs\.?|versus|than|against|(?:compared? )?(?:to|with))"
    r"(?: (?:it|they|that) (?:was|were|did))?(?: (?:in|for|at|of|during))?)\s*(?:the)?"
    r"(?:\s*same (?:months?|quarter|period|half|weeks|time)(?: (?:of|in))?)?\s*(?:the)?\s*(?:fy|fiscal)?\s*$"
)
_BEGINS_TO_BASE = lazy_regex(r"\s*(?:since|from|over|against|than|to|sequential(?:ly)?|qoq|q/q|quarter[\s-]o\w+)\b")
_OF_THEN = lazy_regex(r"^(?:and |so |but )?(?:was|were|had) (?:it|that|this|they|those|these)\b")
_BASED = lazy_regex(r"\b(?:than|from|since|vs|versus|against|compared?|relative|over|on)\b")
_POINTS = lazy_regex(r"\bbps\b|\bbasis points?\b")
_PERCENTAGE_POINTS = lazy_regex(r"(?:%|\bpercent(?:age)?|\bpct\.?)[\s-]?(?:points?|pts)\b|\bpp\b")
_DIFFERENCE = lazy_regex(r"\b(?:differences?|gap|apart|spread)\b")
"""Words that ask for the difference of two numbers regardless of its sign."""
_BY_HOW_MUCH = lazy_regex(rf"\bhow (?:much|many|far|large)\b|\bby what\b|{_DIFFERENCE.pattern}")
"""Words that ask for the difference of two compared numbers."""
_IN_PERCENT = lazy_regex(r"(?:%|\bpercent\b|\bpct\b)(?!\s*points?\b|\s*of\b)")
_OF_RATIO = lazy_regex(r"\bbps\b|\bpoints?\b|\bmargin\b|\bbetter\b|\bworse\b|\bratio\b|\brate\b")
_OVER_YEARS = lazy_regex(rf"\b(?P<years>{'|'.join(list(NUMBER_WORDS)[1:])}|[2-9])(?:-| )?(?:years?|yrs?)\b")
_SAME_YEARS = lazy_regex(r"\b(?:those|these|the same|both) (?:two )?(?:fiscal )?(?:years|periods|dates)\b")
"""Words for the times of earlier answers."""
_FROM_WHAT = lazy_regex(r"(?:and |so )?(?:up|down) from(?: what)?\W*")
EITHER = lazy_regex(
    rf"\b(?:{UPWARD} or {DOWNWARD}|{DOWNWARD} or {UPWARD}|how (?:did|does|do|is|was) .{{0,60}}compare)\b"
)
"""Phrases that ask for the direction of a change."""
MOST_READ = 6
_OF_TWO = 0.9
"""Probability of each of two numbers whose difference is requested."""
_OF_SENTENCE = 0.6
"""Probability that the last number is compared with another one of its sentence."""
GROWTH = lazy_regex(
    r"\b(?:(?:out)?gr[eo]w\w*|outpace\w*|growth|fast\w*|slow\w*|increas\w+|decreas\w+|declin\w+|f[ea]ll\w*|shr[aiu]nk"
    r"|drop\w*|rose|rise|jump\w*|gain\w*|lost)\b"
)
_IN_AMOUNTS = lazy_regex(
    r"\bin (?:us )?(?:dollars?|absolute|amounts?)\b|\bin \$"
    r"|\b(?:dollar|absolute) (?:terms|amount|change|increase|decrease|growth|difference)s?\b|\bmost (?:\w+ )?dollars\b"
)
"""Phrases that ask for changes as amounts, and to rank them by amount instead of percentage."""
WHICH = lazy_regex(r"\b(?:which|what|who|where)\b")


def falls(question: BoundQuestion) -> bool:
    """Return whether a question asks for a decrease: by its own words, else by those of the previous question."""
    if _FALLS.search(question.text):
        return not EITHER.search(question.text)
    return question.falls and not question.own and not _RISES.search(question.text)


def asks_for_fall(text: str) -> bool:
    """Return whether a question contains words for a decrease."""
    return bool(_FALLS.search(text.lower()))


def asks_for_rise(text: str) -> bool:
    """Return whether a question contains words for an increase."""
    return bool(_RISES.search(text.lower()))


def read_pairs(question: BoundQuestion) -> Iterator[tuple[float, OperandMeaning, str, str, FormulaTerms]]:
    """Yield each meaning with the names of its earlier and its later number."""
    found = read_meanings(question, part=not _OF_RATIO.search(question.text))[:MOST_READ]
    if question.reading.relation in ("sum", "ratio") and question.names(0):
        found += read_whole_meanings(question)[:MOST_READ]  # "restricted stock and performance awards vested"
    moves = asks_for_change(question.text) and not question.reading.quoted
    for meaning in found:
        if meaning.kind == "series" and is_change(meaning.series[0]) and (moves or _asks_for_one_change(question)):
            continue  # avoid the change of a change
        pair = find_two_moments(question, meaning)
        if pair is None:
            continue
        pair = _start_from_begin(meaning, pair)
        terms = FormulaTerms(question.table)
        old, new = meaning.spell(pair[0], terms, ""), meaning.spell(pair[1], terms, "")
        if old is not None and new is not None and old != new:
            yield log_share(meaning.share), meaning, old, new, terms
    yield from _pair_last_answers(question)
    yield from _pair_in_sentence(question)


def _asks_for_one_change(question: BoundQuestion) -> bool:
    """Return whether the only word for a change may belong to the name of a line: "comparable sales change"."""
    named = [found for found in terms_of(question.text) if found in CHANGES]
    return len(named) == 1 and not (_OF_RATIO.search(question.text) or len(question.moments) > 1)


def _start_from_begin(meaning: OperandMeaning, pair: tuple[Moment, Moment]) -> tuple[Moment, Moment]:
    """Return the begin and end of the period if the numbers are balances: the change happened in between."""
    end = pair[1]
    at_days = bool(meaning.moments) and all(moment.months == 0 for moment in meaning.moments)
    begin = replace(end, months=0).before(quarters=end.months // 3)
    return (begin, end) if at_days and 0 < end.months < 12 and _has(meaning.moments, begin) else pair


def _pair_in_sentence(question: BoundQuestion) -> Iterator[tuple[float, OperandMeaning, str, str, FormulaTerms]]:
    """Yield the last number paired with another one of its sentence, as in "raised from 20 to 22 cents"."""
    last = question.last
    series = last.measured[0].series if last is not None and len(last.measured) == 1 else None
    up, down = asks_for_rise(question.text), asks_for_fall(question.text)
    if series is None or question.own or question.moments or up == down or len(series.cells) > 1:
        return
    others = list(read_same_sentence(series, question.table))
    for other in others:
        terms = FormulaTerms(question.table)
        meants = sorted((build_meaning(series, 1.0), other), key=lambda one: one.series[0].first.amount, reverse=down)
        old, new = (meaning.spell(None, terms, "") for meaning in meants)
        if old is not None and new is not None and old != new:
            yield log_share(_OF_SENTENCE / len(others)), meants[1], old, new, terms


def _pair_last_answers(question: BoundQuestion) -> Iterator[tuple[float, OperandMeaning, str, str, FormulaTerms]]:
    """Yield the last two answers if they measure the same thing at two times."""
    if question.own or question.moments or len(question.before) < 2:
        return
    nodes = [past.measured[0] for past in question.before[:2]]
    moments = [past.anchor for past in question.before[:2]]
    if None in moments or moments[0] == moments[1] or not _is_alike(*nodes):
        return
    terms = FormulaTerms(question.table)
    meants = [repeat_node(node, 1.0) for node in nodes]
    names = [meaning.spell(None, terms, "") for meaning in meants]
    if names[0] is not None and names[1] is not None:
        later = 0 if (moments[0] or nodes[0].moment) > (moments[1] or nodes[1].moment) else 1  # type: ignore[operator]
        yield log_share(0.9), meants[0], names[1 - later] or "", names[later] or "", terms


def _is_alike(one: Node, other: Node) -> bool:
    """Return whether two nodes measure the same thing, possibly read from different tables."""
    if one.shape() == other.shape():
        return True
    if one.series is None or other.series is None:
        return False
    a, b = one.series, other.series
    return a.members == b.members and (
        (bool(a.concept) and a.concept == b.concept) or a.line.label_terms == b.line.label_terms
    )


def asks_from_what(question: BoundQuestion) -> bool:
    """Return whether a question asks for the number before the last answer: "up from?"."""
    return question.last is not None and bool(_FROM_WHAT.fullmatch(question.text.strip()))


def propose_base(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield the earlier number of the last change, else the number a year before the last answer."""
    assert question.last is not None
    leaves = [leaf for node in question.last.measured for leaf in node.leaves() if leaf.moment is not None]
    if question.last.form in ("growth", "change") and len({leaf.moment for leaf in leaves}) > 1:
        first = min(leaves, key=lambda leaf: leaf.moment)  # type: ignore[arg-type, return-value]
        terms = FormulaTerms(question.table)
        text = repeat_node(first, 1.0).spell(None, terms, "")
        yield from terms.propose(text, "value", 0.0)
        return
    for score, _, old, _, terms in read_pairs(question):
        yield from terms.propose(old, "value", score)


def find_two_moments(question: BoundQuestion, meaning: OperandMeaning) -> tuple[Moment, Moment] | None:
    """Return the earlier and the later time that a question compares."""
    moments = question.moments
    last = question.last
    if len(moments) >= 2:
        return min(moments), max(moments)
    anchor = last.anchor if last is not None else None
    if len(moments) == 1:
        return _complete_moments(question, moments[0], anchor)
    if (
        last is not None
        and len(last.moments) >= 2
        and (not question.own or last.form in ("growth", "change", "compare"))
    ):
        return min(last.moments), max(last.moments)
    printed = meaning.moments
    end = anchor or question.table.latest
    if printed and not _has(printed, end):
        end = _find_latest(printed, question.table.latest)
    begin = end.before(years=1)
    if printed and not _has(printed, begin):
        earlier = [moment for moment in printed if moment.end < end.end and moment.months == end.months]
        earlier = earlier or [moment for moment in printed if moment.end < end.end and 0 in (moment.months, end.months)]
        begin = max(earlier, default=begin)
    return begin, end


def asks_of_then(question: BoundQuestion) -> bool:
    """Return whether an earlier time is compared with that of the last answer: "was it better a year ago"."""
    anchor = question.last.anchor if question.last is not None else None
    earlier = anchor is not None and len(question.moments) == 1 and question.moments[0].end < anchor.end
    return earlier and bool(_OF_THEN.match(question.text)) and not _BASED.search(question.text)


def _complete_moments(question: BoundQuestion, moment: Moment, anchor: Moment | None) -> tuple[Moment, Moment]:
    """Return both times of a comparison that names one: it is the base, or is compared with the year before it."""
    times = question.reading.moments
    # "in Q2 vs last year": the base follows "vs".
    at = next((one for one in times if one.back is not None and _TO_BASE.search(question.text[: one.start])), times[0])
    base = anchor or question.base
    if question.last is not None and question.last.form in ("growth", "change"):
        return moment.before(years=1), moment  # "and the year before?" repeats the growth
    to_base = (
        at.back is not None
        or asks_of_then(question)
        or bool(_TO_BASE.search(question.text[: at.start]) or _BEGINS_TO_BASE.match(question.text[at.start : at.end]))
    )
    if to_base and at.year is None and moment == question.table.latest and anchor is not None:
        return base.before(years=1), base  # "growth on last year": the base is the year before the current topic's
    if to_base and at.year is not None and anchor is not None and moment.end > base.end:
        return base, moment  # "change to 2024?" after the number of an earlier year
    if to_base and moment.end < base.end:
        return moment, replace(base, months=moment.months) if moment.months != base.months and moment.months else base
    if to_base and anchor is None and moment.end < question.table.latest.end:
        return moment, question.table.latest
    return moment.before(years=1), moment


def _has(moments: tuple[Moment, ...], wanted: Moment) -> bool:
    return any(m.end == wanted.end and (m.months == wanted.months or 0 in (m.months, wanted.months)) for m in moments)


def _find_latest(moments: tuple[Moment, ...], latest: Moment) -> Moment:
    past = [moment for moment in moments if moment.end <= latest.end] or list(moments)
    return max(past, key=lambda moment: (moment.end, moment.months == latest.months, moment.months))


def _is_asked_fall(question: BoundQuestion, old: str, new: str, terms: FormulaTerms) -> bool:
    """Return whether a decrease is requested and happened, so that it is given as a positive number."""
    if not falls(question):
        return False
    numbers = terms.amounts.get(old), terms.amounts.get(new)
    return numbers[0] is None or numbers[1] is None or abs(numbers[1]) < abs(numbers[0])


def _are_negative(old: str, new: str, terms: FormulaTerms) -> bool:
    """Return whether two numbers are used with a minus sign."""
    signed = [
        terms.amounts[name] < 0 and terms.variables[name].reading == "signed"
        for name in (old, new)
        if name in terms.amounts
    ]
    return len(signed) == 2 and all(signed)


def propose_growths(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for growth from an earlier to a later number."""
    if YEARLY_RATE.search(question.text) and (_read_year_count(question) or len(question.moments) > 1):
        yield from propose_growth_rates(question)
        return
    for score, meaning, old, new, terms in read_pairs(question):
        up, down = f"({new} - {old}) / {old}", f"({old} - {new}) / {old}"
        formula = down if _is_asked_fall(question, old, new, terms) else up
        yield from terms.propose(formula, "growth", score - meaning.percent)


def propose_changes(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for differences between an earlier and a later number."""
    in_points, in_amounts = bool(_POINTS.search(question.text)), bool(_IN_AMOUNTS.search(question.text))
    unsigned = _DIFFERENCE.search(question.text) and not (asks_for_fall(question.text) or asks_for_rise(question.text))
    ordered = question.reading.times_relation == "difference" and len(question.moments) > 1
    if differences := list(_propose_differences(question, unsigned=bool(unsigned))):
        yield from differences
        return
    yield from _subtract_last_two(question)
    for score, meaning, old, new, terms in read_pairs(question):
        if in_points and meaning.kind == "series" and not meaning.percent:
            continue  # amounts have no basis points
        if in_amounts and (meaning.percent or meaning.is_ratio):
            continue
        backwards = question.moments[0] < question.moments[1] if ordered else _is_asked_fall(question, old, new, terms)
        sized = backwards or all(asks_for_size(question.text, series) for series in terms.series)
        if sized and not ordered and _are_negative(old, new, terms):
            backwards = not backwards
        formula = f"{old} - {new}" if backwards else f"{new} - {old}"
        if unsigned and not ordered:
            formula = f"abs({formula})"
        if in_points:
            formula = f"({formula}) * 10000"
        in_percent = _IN_PERCENT.search(question.text) and not meaning.percent and "/" not in old
        if in_percent:  # "how many percent less": for amounts, a change in percent is a growth
            formula = f"({formula}) / {old}"
        yield from terms.propose(formula, "growth" if in_percent else "change", score)


def _propose_differences(question: BoundQuestion, *, unsigned: bool) -> Iterator[Proposal]:
    """Yield differences of two numbers: "sales less costs", "by how much did sales exceed costs"."""
    if question.reading.relation == "difference":
        yield from propose_totals(question)
        return
    chosen = chooses(question) or WHICH.search(question.text)
    if question.reading.relation != "versus" or chosen or not _BY_HOW_MUCH.search(question.text):
        return
    if not compares_two(question):
        return
    if GROWTH.search(question.text):
        factor = 10_000 if _POINTS.search(question.text) else 100 if _PERCENTAGE_POINTS.search(question.text) else 1
        for score, first, second, terms in read_two_growths(question):
            yield from terms.propose(f"(({first}) - ({second})) * {factor}", "change", score)
    else:
        backwards = asks_for_fall(question.text) and not asks_for_rise(question.text)
        for score, first, second, terms in read_comparable(question):
            formula = f"{second} - {first}" if backwards else f"{first} - {second}"
            yield from terms.propose(f"abs({formula})" if unsigned else formula, "change", score)


def _subtract_last_two(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield the difference of the last two answers, which measure different things: "the gap between the two?"."""
    two = list_last_two(question, alike=True) if asks_for_gap(question.text) and not question.own else None
    if two is None:
        return
    one, other = (repeat_node(node, _OF_TWO) for node in two)
    for score, first, second, terms in pair_numbers(question, one, other):
        if are_alike(terms.series):
            yield from terms.propose(f"abs({first} - {second})", "change", score)


def propose_growth_rates(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for compound annual growth rates."""
    for meaning in read_meanings(question, part=True)[:MOST_READ]:
        pair = _find_end_years(question, meaning)
        if pair is None or pair[1].year <= pair[0].year:
            continue
        terms = FormulaTerms(question.table)
        old, new = meaning.spell(pair[0], terms, ""), meaning.spell(pair[1], terms, "")
        if old is None or new is None:
            continue
        power = f"({new} / {old}) ** (1 / {pair[1].year - pair[0].year})"
        formula = f"1 - {power}" if _is_asked_fall(question, old, new, terms) else f"{power} - 1"
        yield from terms.propose(formula, "cagr", log_share(meaning.share))


def _read_year_count(question: BoundQuestion) -> int:
    """Return the number of years of a growth rate if a question names it, but no year; else 0."""
    found = _OVER_YEARS.search(question.text)
    if found is None or any(moment.year is not None for moment in question.reading.moments):
        return 0
    return NUMBER_WORDS.get(found["years"]) or int(found["years"])


def _find_end_years(question: BoundQuestion, meaning: OperandMeaning) -> tuple[Moment, Moment] | None:
    """Return the first and last year of a growth rate; a rate over two years spans three year-ends."""
    moments = question.moments
    last = question.last
    if _SAME_YEARS.search(question.text) and len(same := list_last_moments(question.before)) > 1:
        moments = same
    elif years := _read_year_count(question):
        end = (last.anchor if last is not None else None) or question.table.latest
        begin = end.before(years=years)
        if meaning.spell(begin, FormulaTerms(question.table), "") is not None:
            return begin, end
        if last is not None and len(last.moments) >= 2:
            return min(last.moments), max(last.moments)
    if len(moments) >= 2:
        return min(moments), max(moments)
    yearly = sorted(moment for moment in meaning.moments if moment.months in (0, 12))
    past = [moment for moment in yearly if moment.end <= question.table.latest.end]
    if len(moments) == 1:
        end = (
            last.anchor if last is not None and last.anchor is not None else past[-1] if past else question.table.latest
        )
        return moments[0], end if end.end > moments[0].end else question.table.latest
    if last is not None and len(last.moments) >= 2:
        return min(last.moments), max(last.moments)
    return (past[0], past[-1]) if len(past) >= 2 else None


def compares_two(question: BoundQuestion) -> bool:
    """Return whether a question compares two operands; one of them may be the last answer."""
    back = question.last is not None and len(question.operands) > 1 and question.reading.relation == "versus"
    return question.reading.relation != "ratio" and (question.names(1) or (question.names(0) and back))


def changes_in_amounts(question: BoundQuestion, meanings: Sequence[OperandMeaning]) -> bool:
    """Return whether changes are amounts, not percentages: if they are asked for, or of percentages and ratios."""
    return bool(_IN_AMOUNTS.search(question.text)) or all(one.percent or one.is_ratio for one in meanings)


def measure_growth(
    question: BoundQuestion, meanings: Sequence[OperandMeaning], old: Moment, new: Moment
) -> list[OperandMeaning]:
    """Return the growth of each meaning between two times; if all are percentages or ratios, the change."""
    in_amounts = changes_in_amounts(question, meanings)

    def grow(meaning: OperandMeaning) -> OperandMeaning:
        def spell(_: Moment | None, terms: FormulaTerms, label: str) -> str | None:
            before, after = meaning.spell(old, terms, label), meaning.spell(new, terms, label)
            if before is None or after is None or before == after:
                return None
            return f"({after} - {before})" if in_amounts else f"({after} - {before}) / {before}"

        return replace(meaning, spell=spell, kind="measure", is_ratio=True)

    return list(map(grow, meanings))


def read_comparable(question: BoundQuestion) -> Iterator[tuple[float, str, str, FormulaTerms]]:
    """Yield the numbers of both operands of a question, unless only one is a ratio or their kinds differ."""
    node = question.last.measured[0] if question.last is not None else None
    if node is not None and node.kind == "divide" and not question.names(0):
        one = repeat_node(node, 1.0)  # "is that better than Asia?" compares the same ratio
        for bound in question.operands[1][:2]:
            other = repeat_for_member(question, node, bound.series)
            yield from pair_numbers(question, one, replace(other, share=bound.share))
    for score, first, second, terms in read_two(question):
        if are_alike(terms.series) and ("/" in first) == ("/" in second) and not _is_printed_twice(terms):
            yield score, first, second, terms


def _is_printed_twice(terms: FormulaTerms) -> bool:
    """Return whether two numbers are the same one, printed in two tables."""
    names = {(series.line.label_terms, moment) for series, moment in zip(terms.series, terms.moments, strict=False)}
    return len(terms.series) == 2 and len(names) == 1 and len(set(terms.amounts.values())) == 1


def read_two_growths(question: BoundQuestion) -> Iterator[tuple[float, str, str, FormulaTerms]]:
    """Yield the growth of both operands of a question over the same time."""
    for one, other in product(read_meanings(question, 0)[:3], read_meanings(question, 1)[:3]):
        pair = find_two_moments(question, one)
        if pair is None or one.percent != other.percent:
            continue
        terms = FormulaTerms(question.table)
        first, second = (grown.spell(None, terms, "") for grown in measure_growth(question, [one, other], *pair))
        if first is not None and second is not None and first != second:
            yield log_share(one.share) + log_share(other.share), first, second, terms


def chooses(question: BoundQuestion) -> bool:
    """Return whether a question asks to choose between two operands, instead of for yes or no."""
    two = question.names(1) and question.reading.relation == "versus" and " or " in question.text
    return two and not EITHER.search(question.text)
