"""Comparisons of two numbers, rankings, and yes-or-no questions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise, product
from math import isclose

from quaestor.core.answer_value import ValueList
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms as terms_of
from quaestor.core.words import NUMBER_WORDS
from quaestor.errors import PlanError
from quaestor.facts.lines import Moment
from quaestor.plan.execute import execute
from quaestor.plan.steps import Constant
from quaestor.questions.developments import asks_for_change
from quaestor.questions.listing import names_best_time, read_order
from quaestor.questions.understanding import DOWNWARD, UPWARD
from quaestor.solvers.embedded.filings.composing.blocks import is_rest, name_members, read_dimension
from quaestor.solvers.embedded.filings.composing.finding import CHANGES
from quaestor.solvers.embedded.filings.composing.meanings import (
    OperandMeaning,
    build_meaning,
    read_meanings,
    read_whole_meanings,
    repeat_for_member,
    repeat_node,
)
from quaestor.solvers.embedded.filings.composing.question import BoundQuestion, FormulaTerms, Proposal, log_share
from quaestor.solvers.embedded.filings.composing.ratios import (
    REVENUE,
    are_alike,
    pair_numbers,
    propose_totals,
    read_same_sentence,
    read_two,
)
from quaestor.solvers.embedded.filings.composing.several import (
    Entry,
    asks_for_lowest,
    choose_moments,
    join_lists,
    propose_first,
    propose_items,
    read_entries,
    read_entry,
    read_few,
    sort_entries,
    write_moment,
)
from quaestor.solvers.embedded.filings.composing.signs import asks_for_loss, asks_for_size
from quaestor.solvers.embedded.filings.composing.values import (
    is_change,
    list_moments,
    spell_value,
)
from quaestor.solvers.embedded.filings.past import Node

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
"""Words that ask for the difference of two compared things."""
_IN_PERCENT = lazy_regex(r"(?:%|\bpercent\b|\bpct\b)(?!\s*points?\b|\s*of\b)")
_OF_RATIO = lazy_regex(r"\bbps\b|\bpoints?\b|\bmargin\b|\bbetter\b|\bworse\b|\bratio\b|\brate\b")
_OVER_YEARS = lazy_regex(rf"\b(?P<years>{'|'.join(list(NUMBER_WORDS)[1:])}|[2-9])(?:-| )?(?:years?|yrs?)\b")
YEARLY_RATE = lazy_regex(
    r"\b(?:annual|annuali[sz]ed|yearly|compound\w*) (?:growth )?(?:rate|growth|decline|decrease|increase)\b|\bcagr\b"
)
_SAME_YEARS = lazy_regex(r"\b(?:those|these|the same|both) (?:two )?(?:fiscal )?(?:years|periods|dates)\b")
"""Words for the times of earlier answers."""
_EVERY_YEAR = lazy_regex(
    r"^(?:and |so |but )?(?:did|do|does|has|have|was|were|is|are)\b.*\b(?:every|each) (?:single )?(?:fiscal )?year\b"
)
_FROM_WHAT = lazy_regex(r"(?:and |so )?(?:up|down) from(?: what)?\W*")
EITHER = lazy_regex(
    rf"\b(?:{UPWARD} or {DOWNWARD}|{DOWNWARD} or {UPWARD}|how (?:did|does|do|is|was) .{{0,60}}compare)\b"
)
"""Phrases that ask for the direction of a change."""
_DIRECTIONS = lazy_regex(
    rf"\b(?:(?P<up>(?!better){UPWARD}) or (?P<down>{DOWNWARD})|(?P<down2>(?!worse){DOWNWARD}) or (?P<up2>{UPWARD}))\b"
)
"""The words of such phrases; what is better depends on the thing."""
_MOST = 6
_OF_SENTENCE = 0.6
"""Probability that the last number is compared with another one of its sentence."""


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
    found = read_meanings(question, part=not _OF_RATIO.search(question.text))[:_MOST]
    if question.reading.relation in ("sum", "ratio") and question.names(0):
        found += read_whole_meanings(question)[:_MOST]  # "restricted stock and performance awards vested"
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
        if text is not None and (made := terms.proposal(text, "value", 0.0)):
            yield made
        return
    for score, _, old, _, terms in read_pairs(question):
        if made := terms.proposal(old, "value", score):
            yield made


def find_two_moments(question: BoundQuestion, meaning: OperandMeaning) -> tuple[Moment, Moment] | None:
    """Return the earlier and the later time that a question compares."""
    asked = question.moments
    last = question.last
    if len(asked) >= 2:
        return min(asked), max(asked)
    anchor = last.anchor if last is not None else None
    if len(asked) == 1:
        return _complete_moments(question, asked[0], anchor)
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


def _complete_moments(question: BoundQuestion, asked: Moment, anchor: Moment | None) -> tuple[Moment, Moment]:
    """Return both times of a comparison that names one: it is the base, or is compared with the year before it."""
    times = question.reading.moments
    # "in Q2 vs last year": the base follows "vs".
    at = next((one for one in times if one.back is not None and _TO_BASE.search(question.text[: one.start])), times[0])
    base = anchor or question.base
    if question.last is not None and question.last.form in ("growth", "change"):
        return asked.before(years=1), asked  # "and the year before?" repeats the growth
    to_base = (
        at.back is not None
        or asks_of_then(question)
        or bool(_TO_BASE.search(question.text[: at.start]) or _BEGINS_TO_BASE.match(question.text[at.start : at.end]))
    )
    if to_base and asked == question.table.latest and anchor is not None:
        return base.before(years=1), base  # "growth on last year": the base is the year before the current topic's
    if to_base and asked.end < base.end:
        return asked, replace(base, months=asked.months) if asked.months != base.months and asked.months else base
    if to_base and anchor is None and asked.end < question.table.latest.end:
        return asked, question.table.latest
    return asked.before(years=1), asked


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
        if made := terms.proposal(
            down if _is_asked_fall(question, old, new, terms) else up, "growth", score - meaning.percent
        ):
            yield made


def propose_changes(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for differences between an earlier and a later number."""
    in_points, in_amounts = bool(_POINTS.search(question.text)), bool(_IN_AMOUNTS.search(question.text))
    unsigned = _DIFFERENCE.search(question.text) and not (asks_for_fall(question.text) or asks_for_rise(question.text))
    ordered = question.reading.times_relation == "difference" and len(question.moments) > 1
    if differences := list(_propose_differences(question, unsigned=bool(unsigned))):
        yield from differences
        return
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
        if made := terms.proposal(formula, "growth" if in_percent else "change", score):
            yield made


def _propose_differences(question: BoundQuestion, *, unsigned: bool) -> Iterator[Proposal]:
    """Yield differences of two things: "sales less costs", "by how much did sales exceed costs"."""
    if question.reading.relation == "difference":
        yield from propose_totals(question)
        return
    chosen = _chooses(question) or _WHICH.search(question.text)
    if question.reading.relation != "versus" or chosen or not _BY_HOW_MUCH.search(question.text):
        return
    if not _compares_two(question):
        return
    if _GROWTH.search(question.text):
        factor = 10_000 if _POINTS.search(question.text) else 100 if _PERCENTAGE_POINTS.search(question.text) else 1
        for score, first, second, terms in _read_two_growths(question):
            if made := terms.proposal(f"(({first}) - ({second})) * {factor}", "change", score):
                yield made
    else:
        backwards = asks_for_fall(question.text) and not asks_for_rise(question.text)
        for score, first, second, terms in _read_comparable(question):
            formula = f"{second} - {first}" if backwards else f"{first} - {second}"
            if made := terms.proposal(f"abs({formula})" if unsigned else formula, "change", score):
                yield made


def propose_growth_rates(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for compound annual growth rates."""
    for meaning in read_meanings(question, part=True)[:_MOST]:
        pair = _find_end_years(question, meaning)
        if pair is None or pair[1].year <= pair[0].year:
            continue
        terms = FormulaTerms(question.table)
        old, new = meaning.spell(pair[0], terms, ""), meaning.spell(pair[1], terms, "")
        if old is None or new is None:
            continue
        power = f"({new} / {old}) ** (1 / {pair[1].year - pair[0].year})"
        formula = f"1 - {power}" if _is_asked_fall(question, old, new, terms) else f"{power} - 1"
        if made := terms.proposal(formula, "cagr", log_share(meaning.share)):
            yield made


def _read_year_count(question: BoundQuestion) -> int:
    """Return the number of years of a growth rate if a question names it, but no year; else 0."""
    found = _OVER_YEARS.search(question.text)
    if found is None or any(asked.year is not None for asked in question.reading.moments):
        return 0
    return NUMBER_WORDS.get(found["years"]) or int(found["years"])


def _find_end_years(question: BoundQuestion, meaning: OperandMeaning) -> tuple[Moment, Moment] | None:
    """Return the first and last year of a growth rate; a rate over two years spans three year-ends."""
    asked = question.moments
    last = question.last
    if _SAME_YEARS.search(question.text) and len(same := _find_last_moments(question)) > 1:
        asked = tuple(same)
    elif years := _read_year_count(question):
        end = (last.anchor if last is not None else None) or question.table.latest
        begin = end.before(years=years)
        if meaning.spell(begin, FormulaTerms(question.table), "") is not None:
            return begin, end
        if last is not None and len(last.moments) >= 2:
            return min(last.moments), max(last.moments)
    if len(asked) >= 2:
        return min(asked), max(asked)
    yearly = sorted(moment for moment in meaning.moments if moment.months in (0, 12))
    past = [moment for moment in yearly if moment.end <= question.table.latest.end]
    if len(asked) == 1:
        end = (
            last.anchor if last is not None and last.anchor is not None else past[-1] if past else question.table.latest
        )
        return asked[0], end if end.end > asked[0].end else question.table.latest
    if last is not None and len(last.moments) >= 2:
        return min(last.moments), max(last.moments)
    return (past[0], past[-1]) if len(past) >= 2 else None


def _find_last_moments(question: BoundQuestion) -> set[Moment]:
    """Return the times of the last answer, or of the last two answers if each has one."""
    if question.last is None or len(question.last.moments) > 1:
        return set(question.last.moments) if question.last is not None else set()
    return {past.anchor for past in question.before[:2] if past.anchor is not None}


_GROWTH = lazy_regex(
    r"\b(?:(?:out)?gr[eo]w\w*|outpace\w*|growth|fast\w*|slow\w*|increas\w+|decreas\w+|declin\w+|f[ea]ll\w*|shr[aiu]nk"
    r"|drop\w*|rose|rise|jump\w*|gain\w*|lost)\b"
)
_FALL = lazy_regex(r"\b(?:decreas\w+|declin\w+|f[ea]ll\w*|shr[aiu]nk|drop\w*|lost|down)\b")
_IN_AMOUNTS = lazy_regex(
    r"\bin (?:us )?(?:dollars?|absolute|amounts?)\b|\bin \$"
    r"|\b(?:dollar|absolute) (?:terms|amount|change|increase|decrease|growth|difference)s?\b|\bmost (?:\w+ )?dollars\b"
)
"""Phrases that ask for changes as amounts, and to rank them by amount instead of percentage."""
_COMPUTED = lazy_regex(r"\b(?:outgr[eo]w|outpaced?|(?:fast|slow|quick)er|enough to)\b")
"""Words that compare growth, or a number with a need for it."""
_WHEN = lazy_regex(
    r"\b(?:which|what)\s+(?:of (?:the|these|those)\s+)?(?:(?:fiscal|calendar|full|single|last|(?:19|20)\d\d)\s+){0,2}"
    r"(?:years?|quarters?|dates?)\b|\bwhen\b"
    r"|\b(?:of|in) (?:those|these|the)(?: \w+)? (?:years|quarters)\b"
    r"|\b(?:rank|sort|order)(?:ed)? (?:the |those |these |all )?(?:\w+ ){0,3}(?:years|quarters)\b"
)
_REST = lazy_regex(r"(?:all )?other (?:countries|international|foreign|regions|states)\b|rest of (?:the )?world\b")
"""Labels for the rest of the world, which is not a single place."""
_NO_MEMBER = lazy_regex(
    r"^(?:opening|closing|beginning|ending)\b|\bbalances?,? (?:at|as of|beginning|end)"
    r"|\b(?:beginning|end) of (?:the )?(?:fiscal )?(?:year|period|quarter)\b|\bthereafter\b"
    r"|\b(?:computed|expected|statutory|effective|federal)\b.{0,60}\b(?:tax|rate|provision)$"
    r"|\b(?:tax|taxes|provision|amount)\b.{0,60}\bat\b.{0,60}\brate\b|\beffective (?:income )?tax rate\b"
)
"""Labels of balances, of remainders and of the computed tax of a reconciliation, which are not what is ranked there."""
_REDUCES = lazy_regex(
    r"\b(?:loss(?:es)?|lower(?:s|ed|ing) (?:the|its|their)"
    r"|reduc(?:es|ed|ing|tions?)|cut(?:s|ting)? (?:the|its|their)|deficit|deficienc(?:y|ies))\b"
)
"""Words for negative numbers as such, the largest of which is the lowest."""
_LOST_MONEY = lazy_regex(r"\b(?:lose|loses|lost) (?:the )?(?:most |least )?money\b")
_NAMED = lazy_regex(r"\b(?:named|by name)\b")
_OTHER = lazy_regex(r"(?:all )?others?\b")
_PAIR = 2
_RESULT = lazy_regex(r"\b(?:income|profit|earnings|margin|results?|returns?|best|worst|change|growth|net)\b")
_PLACES = {"second": 2, "2nd": 2, "two": 2, "2": 2, "next": 2, "third": 3, "3rd": 3, "three": 3, "3": 3}
_PLACE = lazy_regex(
    r"\b(?:number |no\. ?|#)(?P<place>two|three|2|3)\b|\b(?P<place2>second|2nd|third|3rd|next)[\s-]+"
    r"(?:largest|biggest|highest|most|best)"
    r"|\b(?:comes?|came|ranks?|ranked|is|was|'s) (?:in )?(?P<place3>second|third)\b"
)
_WHICH = lazy_regex(r"\b(?:which|what|who|where)\b")
_DIRECTION = lazy_regex(
    rf"{_GROWTH.pattern}|\b(?:more|less|fewer|than|up|down|high\w*|low\w*|larg\w*|big\w*|small\w*|better|worse|improv\w*"
    r"|worsen\w*|beat\w*|chang\w*|compar\w*|expand\w*|contract\w*|widen\w*|narrow\w*|rais\w*|cut|doubl\w*|tripl\w*"
    r"|reduc\w*|ahead|behind|exceed\w*|surpass\w*|accelerat\w*|gr[eo]w\w*|since|versus|vs)\b"
)
"""Words that compare one time with another."""
_POSITIVE = lazy_regex(r"\b(?:positive|profitable|in the black|a profit|make money|made money|a surplus)\b")
_NEGATIVE = lazy_regex(r"\b(?:negative|in the red|a loss|lose money|losing money|loss-making|unprofitable|a deficit)\b")
_LIMIT = lazy_regex(
    r"\b(?P<how>more|less|over|under|above|below|exceed\w*|at least|top\w*|fewer|bigger|higher|lower"
    r"|greater|smaller)\s+"
    r"(?:than\s+)?\$?"
    r"(?P<number>\d[\d,]{0,15}(?:\.\d{1,6})?)\s*(?P<scale>%|percent|bn|billion|m|mm|million|thousand|k)?"
)
_SCALES = {
    "bn": Scale.BILLION, "billion": Scale.BILLION, "m": Scale.MILLION, "mm": Scale.MILLION, "million": Scale.MILLION,
    "thousand": Scale.THOUSAND, "k": Scale.THOUSAND,
}  # fmt: skip
_TIME = 0.98
"""Probability that a question without a dimension asks for a time."""
_QUARTER, _HEADING = 3, 40
_BELOW = ("less", "under", "below", "fewer", "lower", "smaller")


def propose_rankings(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for the member, or the time, with the highest or lowest number or growth."""
    low = asks_for_lowest(question.text)
    timed = question.last is not None and question.last.form == "list" and not question.own
    asks_when = bool(_WHEN.search(question.text)) or names_best_time(question.text)
    when = _TIME if asks_when and not read_dimension(question.text) else 0.85 if timed or asks_when else 0.08
    grows = bool(_GROWTH.search(question.text)) and not _LOST_MONEY.search(question.text)
    place = _read_place(question.text)
    few = read_few(question.text)
    ordered = not few and read_order(question.text) is not None
    for listed, share in read_entries(question):
        named = _drop_whole(question, [entry for entry in listed if _is_member(question, entry[0])])
        entries = _drop_sums(question, named if len(named) > 1 else listed)
        unnamed = len({label.lower() for label, _, _ in entries}) < 2 or len(named) < 2
        score = log_share(share * (1 - when)) - 1.5 * unnamed
        if ordered:
            yield from _list_in_order(question, entries, score)
            continue
        if grows:
            members = [(label, meaning) for label, meaning, _ in entries]
            yield from _rank_by_growth(question, members, score, "members" if few else "ranking", few)
        if few:
            if made := propose_first(question, entries, few, score - 2.0 * grows):
                yield made
            continue
        chosen = "argmin" if low else "argmax"
        if place > 1:
            chosen, score = f"rank {-place if low else place}", score + 0.5
        yield from _choose_entry(question, entries, score - 2.0 * grows, chosen)
    for meaning in read_meanings(question)[:4]:
        entries = [
            (_name_time(question, meaning, moment), meaning, moment) for moment in choose_moments(question, meaning)
        ]
        if ordered:
            yield from _list_in_order(question, entries, log_share(meaning.share * when))
            continue
        yield from _choose_entry(question, entries, log_share(meaning.share * when), "argmin" if low else "argmax")


def _is_member(question: BoundQuestion, name: str) -> bool:
    """Return whether a name may be ranked: neither a balance nor a remainder."""
    lowered = name.lower()
    if _REST.match(lowered) or _NO_MEMBER.search(lowered) or is_rest(name):
        return False
    return not (_NAMED.search(question.text) and _OTHER.match(lowered))


def _drop_whole(question: BoundQuestion, entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return entries without the only one that the question names: the whole in "largest item of accrued expenses"."""
    asked = {term for operand in question.reading.operands for term in operand.terms}
    terms = [set(terms_of(name)) for name, _, _ in entries]
    named = [place for place, found in enumerate(terms) if len(found) >= _PAIR and found <= asked]
    sizes = [abs(read_entry(question, entry) or 0.0) for entry in entries]
    if len(named) != 1 or len(entries) <= _PAIR or sizes[named[0]] < max(sizes):
        return entries
    return [*entries[: named[0]], *entries[named[0] + 1 :]]


def _drop_sums(question: BoundQuestion, entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return entries without those whose number is the sum of several entries directly before them."""
    amounts = [read_entry(question, entry) for entry in entries]
    left = [
        entry
        for place, entry in enumerate(entries)
        if not any(_is_sum(amounts[begin:place], amounts[place]) for begin in range(place - 1))
    ]
    return left if len(left) >= _PAIR else entries


def _is_sum(parts: Sequence[float | None], whole: float | None) -> bool:
    return bool(whole) and None not in parts and isclose(sum(part or 0.0 for part in parts), whole or 0.0, rel_tol=1e-6)


def _choose_entry(question: BoundQuestion, entries: Sequence[Entry], score: float, chosen: str) -> Iterator[Proposal]:
    """Yield a plan that chooses an entry by its number; negative ones by their size if they are what is asked for."""
    reduces = bool(
        _LOST_MONEY.search(question.text) or (_REDUCES.search(question.text) and not _FALL.search(question.text))
    )
    amounts = [read_entry(question, entry) for entry in entries]
    negative = [entry for entry, amount in zip(entries, amounts, strict=True) if amount is not None and amount < 0]
    if reduces and len(negative) == 1:
        chosen = "argmin"
    by_size = reduces or (len(negative) == len(entries) and not _RESULT.search(question.text))
    by_size = by_size and len(negative) > 1
    if made := propose_items(question, negative if by_size else entries, "ranking", score, chosen, by_size=by_size):
        yield made


def _name_time(question: BoundQuestion, meaning: OperandMeaning, moment: Moment) -> str:
    """Return the name of a time; a quarter includes its column heading, because fiscal quarters end in any month."""
    name, terms = write_moment(moment), FormulaTerms(question.table)
    if (
        moment.months in (0, _QUARTER)
        and name.startswith("Q")
        and meaning.spell(moment, terms, "")
        and len(terms.variables) == 1
    ):
        cell = terms.series[0].cells.get(moment)
        heading = question.table.column_label(cell) if cell is not None else ""
        return f"{name} ({heading})" if heading and len(heading) <= _HEADING else name
    return name


def _list_in_order(question: BoundQuestion, entries: Sequence[Entry], score: float) -> Iterator[Proposal]:
    """Yield a plan that lists all entries by their numbers: "rank the segments by revenue"."""
    ordered = sort_entries(question, entries, low=read_order(question.text) == "ascending")
    if made := propose_items(question, ordered, "ranking", score):
        yield made


def _read_place(text: str) -> int:
    """Return the requested place in a ranking."""
    found = _PLACE.search(text)
    return 1 if found is None else _PLACES[found["place"] or found["place2"] or found["place3"]]


def _rank_by_growth(
    question: BoundQuestion, entries: Sequence[tuple[str, OperandMeaning]], score: float, form: str, few: int = 0
) -> Iterator[Proposal]:
    """Yield a plan for the entry that grew, or fell, most; for the changes of as many as `few` if it is not 0."""
    pair = find_two_moments(question, entries[0][1]) if entries else None
    if pair is None:
        return
    terms = FormulaTerms(question.table)
    falls = bool(_FALL.search(question.text))
    in_amounts = _in_amounts(question, [meaning for _, meaning in entries])
    changes: list[tuple[float, str]] = []
    for name, meaning in entries:
        label = question.table.write_out(name)
        old, new = (meaning.spell(moment, terms, label or "-") for moment in pair)
        if old is None or new is None:
            continue
        change = f"{old} - {new}" if few and falls else f"{new} - {old}"
        before, after = terms.amounts.get(old, 0.0), terms.amounts.get(new, 0.0)
        size = (after - before) / (1.0 if in_amounts else before or 1.0)
        changes.append((size, change if in_amounts else f"({change}) / {old}"))
    lowest = falls != asks_for_lowest(question.text)
    if few:
        changes = sorted(changes, key=lambda one: one[0], reverse=not lowest)[:few]
    joined = join_lists([formula for _, formula in changes]) if len(changes) >= 2 else None
    chosen = joined if few else f"{'argmin' if lowest else 'argmax'}({joined})"
    if joined and chosen and (made := terms.proposal(chosen, form, score)):
        yield made


def propose_comparisons(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for which of two is higher, or whether one number is higher than another."""
    low = asks_for_fall(question.text) and not asks_for_rise(question.text)
    if _chooses_time(question):
        yield from _choose_time(question, low=low or asks_for_lowest(question.text))
        return
    yield from _compare_with_limit(question)
    yield from _compare_with_zero(question)
    either = bool(EITHER.search(question.text))
    if either:
        yield from _list_both(question) if _compares_two(question) else _list_both_times(question)
        return
    if _compares_two(question):
        compared = list(_compare_two(question, low=low))
        yield from compared
        stated = bool(compared) and question.reading.relation == "versus" and len(question.moments) < 2
        if stated or _chooses(question) or _WHICH.search(question.text):
            return
    if len(question.moments) < 2 and not _DIRECTION.search(question.text) and question.own:
        return  # "do they pay a dividend?" does not compare
    less = low != asks_of_then(question)
    for score, _, old, new, terms in read_pairs(question):
        if made := terms.proposal(f"{new} {'<' if less else '>'} {old}", "compare", score):
            yield made


def asks_of_every_year(question: BoundQuestion) -> bool:
    """Return whether a question asks if something rose, or fell, in every year."""
    return bool(_EVERY_YEAR.search(question.text)) and asks_for_rise(question.text) != asks_for_fall(question.text)


def compare_every_year(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for whether each number is higher, or lower, than the one before."""
    for meaning in read_meanings(question)[:_MOST]:
        moments = choose_moments(question, meaning)
        terms = FormulaTerms(question.table)
        names = [name for moment in moments if (name := meaning.spell(moment, terms, "")) is not None]
        if len(names) < len(moments) or len(names) < 3:
            continue
        steps = ", ".join(f"{new} - {old}" for old, new in pairwise(names))
        formula = f"max({steps}) < 0" if asks_for_fall(question.text) else f"min({steps}) > 0"
        if made := terms.proposal(formula, "compare", log_share(meaning.share)):
            yield made


def _compares_two(question: BoundQuestion) -> bool:
    """Return whether a question compares two operands; one of them may be the last answer."""
    back = question.last is not None and len(question.operands) > 1 and question.reading.relation == "versus"
    return question.reading.relation != "ratio" and (question.names(1) or (question.names(0) and back))


def _chooses_time(question: BoundQuestion) -> bool:
    """Return whether a question asks to choose between times: "was it higher in 2022 or 2023?"."""
    return question.reading.times_relation == "choice" and len(question.moments) > 1


def _choose_time(question: BoundQuestion, *, low: bool) -> Iterator[Proposal]:
    """Yield plans for the time at which something was highest, or lowest, or grew most."""
    for meaning in read_meanings(question)[:_MOST]:
        is_growth = meaning.percent or bool(
            meaning.kind == "series" and meaning.series and is_change(meaning.series[0])
        )
        grows = _GROWTH.search(question.text) is not None and not is_growth
        entries: list[Entry] = []
        for moment in question.moments:
            grown = _measure_growth(question, [meaning], moment.before(years=1), moment) if grows else [meaning]
            entries.append((_name_time(question, meaning, moment), grown[0], moment))
        numbers = _compute_entries(question, entries)
        if len(set(numbers)) < len(entries):
            continue
        least = low != (not grows and asks_for_loss(question.text) and max(numbers) < 0)
        chosen = "argmin" if least else "argmax"
        if made := propose_items(question, entries, "compare", log_share(meaning.share), chosen):
            yield made


def _compute_entries(question: BoundQuestion, entries: Sequence[Entry]) -> list[Decimal]:
    """Return the numbers of entries; an empty list if one has none."""
    made = propose_items(question, entries, "list", 0.0)
    try:
        value = execute(made.plan, ()).result.value if made is not None else None
    except PlanError:
        return []
    numbers = [item.number for item in value.items if item.number is not None] if isinstance(value, ValueList) else []
    return numbers if len(numbers) == len(entries) else []


def _in_amounts(question: BoundQuestion, meanings: Sequence[OperandMeaning]) -> bool:
    """Return whether changes are amounts, not percentages: if they are asked for, or of percentages and ratios."""
    return bool(_IN_AMOUNTS.search(question.text)) or all(one.percent or one.is_ratio for one in meanings)


def _measure_growth(
    question: BoundQuestion, meanings: Sequence[OperandMeaning], old: Moment, new: Moment
) -> list[OperandMeaning]:
    """Return the growth of things between two times; if all are percentages or ratios, the change."""
    in_amounts = _in_amounts(question, meanings)

    def grow(meaning: OperandMeaning) -> OperandMeaning:
        def spell(_: Moment | None, terms: FormulaTerms, label: str) -> str | None:
            before, after = meaning.spell(old, terms, label), meaning.spell(new, terms, label)
            if before is None or after is None or before == after:
                return None
            return f"({after} - {before})" if in_amounts else f"({after} - {before}) / {before}"

        return replace(meaning, spell=spell, kind="measure", is_ratio=True)

    return list(map(grow, meanings))


def _list_both_times(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans that list the later and the earlier number: "higher or lower than last year"."""
    for meaning in read_meanings(question)[:4]:
        pair = find_two_moments(question, meaning)
        if pair is None:
            continue
        entries = [(write_moment(moment), meaning, moment) for moment in reversed(pair)]
        if made := _list_with_direction(question, entries, log_share(meaning.share)):
            yield made


def _list_both(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans that list two things, or their growth: "did sales grow faster or slower than costs"."""
    for one, other in product(read_meanings(question, 0)[:3], read_meanings(question, 1)[:3]):
        pair = find_two_moments(question, one) if _GROWTH.search(question.text) else None
        two = _measure_growth(question, [one, other], *pair) if pair else [one, other]
        moment = list_moments(question)[0]
        names = _name_two(question, one, other)
        entries = [(name, meaning, moment) for name, meaning in zip(names, two, strict=True)]
        if made := _list_with_direction(question, entries, log_share(one.share) + log_share(other.share)):
            yield made


def _list_with_direction(question: BoundQuestion, entries: Sequence[Entry], score: float) -> Proposal | None:
    """Return a plan that lists two numbers; the label of the first one says how it compares with the second one."""
    words, numbers = _DIRECTIONS.search(question.text), _compute_entries(question, entries)
    if words is None or len(set(numbers)) < len(entries):
        return propose_items(question, entries, "compare", score)
    ups, downs = (words["up"], words["down"]) if words["up"] else (words["up2"], words["down2"])
    word = ups if numbers[0] > numbers[1] else downs
    (name, meaning, moment), *others = entries
    return propose_items(question, [(f"{name} ({word})", meaning, moment), *others], "compare", score)


def _compare_two(question: BoundQuestion, *, low: bool) -> Iterator[Proposal]:
    """Yield plans for which of two operands is higher, or whether the first one is."""
    sign = "<" if low or re.search(r"\b(?:below|under)\b", question.text) else ">"
    if _chooses(question) or _WHICH.search(question.text):
        for one in read_meanings(question, 0)[:3]:
            for other in read_meanings(question, 1)[:3]:
                moment = list_moments(question)[0]
                entries = [
                    (name, meaning, moment)
                    for name, meaning in zip(_name_two(question, one, other), (one, other), strict=True)
                ]
                chosen = "argmin" if sign == "<" else "argmax"
                score = log_share(one.share) + log_share(other.share)
                if _GROWTH.search(question.text):
                    named = [(label, meaning) for label, meaning, _ in entries]
                    yield from _rank_by_growth(question, named, score, "compare")
                    continue
                if made := propose_items(question, entries, "compare", score, chosen):
                    yield made
        return
    if _GROWTH.search(question.text):
        yield from _compare_growths(question, sign)
        return
    for score, first, second, terms in _read_comparable(question):
        if made := terms.proposal(f"{first} {sign} {second}", "compare", score):
            yield made


def _read_comparable(question: BoundQuestion) -> Iterator[tuple[float, str, str, FormulaTerms]]:
    """Yield the numbers of both operands of a question, unless only one is a ratio or their kinds differ."""
    node = question.last.measured[0] if question.last is not None else None
    if node is not None and node.kind == "divide" and not question.names(0):
        one = repeat_node(node, 1.0)  # "is that better than Asia?" compares the same ratio
        for bound in question.operands[1][:2]:
            other = repeat_for_member(question, node, bound.series)
            yield from pair_numbers(question, one, replace(other, share=bound.share))
    for score, first, second, terms in read_two(question):
        if are_alike(terms.series) and ("/" in first) == ("/" in second):
            yield score, first, second, terms


def _compare_growths(question: BoundQuestion, sign: str) -> Iterator[Proposal]:
    """Yield plans for whether one thing grew more than another: "did sales grow faster than costs?"."""
    for score, first, second, terms in _read_two_growths(question):
        if made := terms.proposal(f"({first}) {sign} ({second})", "compare", score):
            yield made


def _read_two_growths(question: BoundQuestion) -> Iterator[tuple[float, str, str, FormulaTerms]]:
    """Yield the growth of both operands of a question over the same time."""
    for one, other in product(read_meanings(question, 0)[:3], read_meanings(question, 1)[:3]):
        pair = find_two_moments(question, one)
        if pair is None or one.percent != other.percent:
            continue
        terms = FormulaTerms(question.table)
        first, second = (grown.spell(None, terms, "") for grown in _measure_growth(question, [one, other], *pair))
        if first is not None and second is not None and first != second:
            yield log_share(one.share) + log_share(other.share), first, second, terms


def _compare_with_limit(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for whether a number is above, or below, a limit in the question."""
    found = _LIMIT.search(question.text)
    if found is None:
        return
    printed, scale = found["number"].replace(",", ""), found["scale"] or ""
    if scale in ("%", "percent"):
        limit = Constant(Decimal(printed) / 100, f"{printed}%")
    else:
        limit = Constant(Decimal(printed), printed, _SCALES.get(scale, Scale.ONE))
    sign = "<" if found["how"].startswith(_BELOW) else ">"
    for meaning in read_meanings(question)[:4]:
        terms = FormulaTerms(question.table)
        text = spell_value(question, meaning, terms)
        if text is None:
            continue
        if made := terms.proposal(f"{text} {sign} limit", "compare", log_share(meaning.share) + 0.5, limit=limit):
            yield made


def _compare_with_zero(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for whether a number is positive, or negative."""
    negative = bool(_NEGATIVE.search(question.text))
    if not negative and not _POSITIVE.search(question.text):
        return
    for meaning in read_meanings(question)[:4]:
        if meaning.series and meaning.series[0].concept in REVENUE:
            continue  # revenue is never negative
        terms = FormulaTerms(question.table)
        text = spell_value(question, meaning, terms)
        if text is not None and (
            made := terms.proposal(f"{text} {'<' if negative else '>'} 0", "compare", log_share(meaning.share) + 1.0)
        ):
            yield made


def _chooses(question: BoundQuestion) -> bool:
    """Return whether a question asks to choose between two operands, instead of for yes or no."""
    two = question.names(1) and question.reading.relation == "versus" and " or " in question.text
    return two and not EITHER.search(question.text)


def compares_numbers(question: BoundQuestion) -> bool:
    """Return whether the numbers of what a question compares answer it, and no sentence that affirms it."""
    if _chooses(question) or _chooses_time(question):
        return True
    return _compares_two(question) and bool(_COMPUTED.search(question.text))


def _name_two(question: BoundQuestion, one: OperandMeaning, other: OperandMeaning) -> Sequence[str]:
    """Name two meanings by their lines, or by the words of the question if their names are equal or unknown."""
    if one.series and other.series:
        names = name_members(question.table, (one.series[0], other.series[0]))
        if names[0] and names[0] != names[1]:
            return names
    return [operand.text.strip() for operand in question.reading.operands[:2]]
