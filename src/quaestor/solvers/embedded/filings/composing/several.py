"""Several numbers: sums and averages over times, lists by time or by member."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms as terms_of
from quaestor.core.words import NUMBER_WORDS
from quaestor.facts.lines import FactLine
from quaestor.facts.moments import Moment
from quaestor.facts.table import FactTable, Series
from quaestor.ontology.lexicon import read_lexicon
from quaestor.solvers.embedded.filings.composing.finding import (
    find_beside,
    find_concept,
    terms_of_members,
    words_of_member,
)
from quaestor.solvers.embedded.filings.composing.groups import find_parts
from quaestor.solvers.embedded.filings.composing.meant import (
    Meant,
    bounds_of,
    mean_again,
    mean_beside,
    mean_of_member,
    mean_series,
    ratios_named,
    read_meant,
)
from quaestor.solvers.embedded.filings.composing.periods import pick_cell
from quaestor.solvers.embedded.filings.composing.question import Bound, Proposal, Question, Terms, log_share
from quaestor.solvers.embedded.filings.composing.ratios import REVENUE, propose_adjusted, propose_totals
from quaestor.solvers.embedded.filings.composing.schedules import (
    asks_what_is_due,
    find_rest,
    read_schedules,
    years_to_come,
)
from quaestor.solvers.embedded.filings.composing.values import moments_to_try, propose_values
from quaestor.solvers.embedded.filings.past import Node, PastAnswer
from quaestor.solvers.embedded.filings.repeating import COMPARATIVES

_MOST = 4
_MOST_ITEMS = 24
_MOST_BLOCKS = 6
_MOST_BROKEN_DOWN = 4
_PROVEN, _STEPS, _STEPS_OF_MEMBERS = 1.0, 0.5, 0.15
"""How likely lines are meant whose numbers add up to what is broken down; less if they are steps of a computation, and
least if segments, places or products are asked for."""
_REGION = frozenset(terms_of("region regions geography geographies"))
_COUNTRY = frozenset(terms_of("country countries"))
_PARTS_OF_THE_WORLD = frozenset(
    terms_of("Americas Europe EMEA Asia APAC Africa LATAM Latin Middle East Pacific EAME AMEA UCAN North South")
)
_OTHER_PLACES = 0.4
"""How likely countries are meant by regions, and regions by countries."""
_TITLED = 0.6
"""The part of the terms of a question, by their rarity, that the title of a table has to have."""
_NAME = re.compile(r"\bx\d{1,3}\b")
_TOTAL_OF = re.compile(r"^total\s+(?:of\s+)?(?=\S)", re.IGNORECASE)
_QUARTERS = re.compile(
    r"\b(?:(?:which|what|each|every|best|worst|by|highest|lowest) quarter\b(?! of the year before)|quarter by quarter"
    r"|(?:the|all|four) (?:four )?quarters)\b"
)
_TOGETHER = re.compile(r"\b(?:total|sum|altogether|together|combined|add|both)\b")
_PER_QUARTER = re.compile(r"\bquarterly\b|\b(?:per|a|each|every) quarter\b")
_PER_MONTH = re.compile(r"\bmonthly\b|\b(?:per|a|each|every) month\b")
_NOT_COMPUTED = 0.3
"""How likely the amounts of members are listed although the question names a ratio."""
Entry = tuple[str, Meant, Moment | None]
"""An entry of a list: its name, what it is, and when."""
_BY_TIME = re.compile(
    r"\b(?:years|annual(?:ly)?|each year|year by year|by year|per year|quarters|by quarter|each quarter|over time|trend"
    r"|history)\b"
)
_POINTS_BACK = re.compile(r"\b(?:it|them|there|that|those|these)\b")
_BROKEN_DOWN = re.compile(
    r"\b(?:split|break\w*|broken|made up|consists?|composed|categor\w+|parts?|components?|items?)\b"
)
_ALL_TIMES = re.compile(
    r"\b(?:both|all|each|every|these|those)(?: (?:of|the|two|three|four))*(?: \w+)? (?:years?|quarters?|periods?)\b"
)
_AS_MANY = re.compile(rf"\b(?:the|all|those|these) (?P<many>{'|'.join(NUMBER_WORDS)})\b(?! years?| quarters?| months?)")
_CHOSEN_AGAIN = 0.8
"""How likely the entries of the last list are meant by a question that names nothing else."""
_BACK, _PRINTED_AGAIN = 0.8, 0.5
"""The probability that what was measured last is broken down, by words that point back to it, and where it is printed
in a table if the answer was taken from a sentence."""
_AHEAD = re.compile(r"\b(?:next|through|until|within)\b")
_STATED = 0.5
"""Added to the score of a schedule of what a question calls due."""
_BY_MEMBER = re.compile(
    r"\b(?:by|split|break\w*|broken|each|every|segments?|regions?|products?|categor\w+|countr\w+|geograph\w+|divisions?|business\w*"
    r"|types?|mix|which|(?:all|both|those|the) (?:of them|two|three|four|five|six))\b"
)


def write_moment(moment: Moment) -> str:
    """Return the label of a time in a list."""
    if moment.months in (0, 12) and moment.quarter == 4:
        return f"{moment.year}"
    return f"Q{moment.quarter} {moment.year}" if moment.months in (0, 3) else f"{moment.months}M {moment.year}"


# Over times


def moments_of_list(question: Question, meant: Meant) -> Sequence[Moment]:
    """Return the times of a list, the earliest first: those that are named or were talked about, else all there are."""
    last = question.last
    if _QUARTERS.search(question.text):
        year = (*question.wanted, question.table.latest)[0].year
        return [Moment(year, quarter, 3) for quarter in (1, 2, 3, 4)]
    if len(question.moments) >= 2:
        return sorted(question.moments)
    if last is not None and len(last.moments) >= 2 and not question.moments:
        return sorted(last.moments)
    if not question.own and last is not None and not question.moments:
        trail = {past.anchor for past in question.before[:3] if past.measured[0].shape() == last.measured[0].shape()}
        if len(trail) >= 2:
            return sorted(moment for moment in trail if moment is not None)
    there = meant.moments
    latest = question.table.latest
    if not there:
        return [latest.before(years=2), latest.before(years=1), latest]
    wanted = question.wanted[:1]
    months = wanted[0].months if wanted and any(moment.months == wanted[0].months for moment in there) else None
    if months is None:
        ends = [moment for moment in there if moment.end == latest.end] or list(there)
        months = max(ends, key=lambda moment: moment.months == latest.months).months
    return sorted(moment for moment in there if moment.months == months)


def _spell_all(meant: Meant, moments: Sequence[Moment], terms: Terms) -> list[str]:
    found = [meant.spell(moment, terms, write_moment(moment)) for moment in moments]
    return [text for text in found if text is not None]


def propose_sums(question: Question) -> Iterator[Proposal]:
    """Yield sums of operands, over times and of listed items, and printed totals."""
    if adjusted := list(propose_adjusted(question)):
        yield from adjusted
        return
    yield from propose_totals(question)
    yield from _sums_over_times(question)
    yield from _sums_of_last(question)
    if len(question.moments) < 2:
        for proposal in propose_values(question):
            yield proposal if proposal.form != "value" else replace(proposal, score=proposal.score - 0.5)


def _sums_over_times(question: Question) -> Iterator[Proposal]:
    if len(question.moments) < 2 and not _TOGETHER.search(question.text):
        return
    if len(question.moments) == 1:
        return
    for meant in read_meant(question)[:_MOST]:
        moments = moments_of_list(question, meant)
        terms = Terms(question.table)
        names = _spell_all(meant, moments, terms)
        if len(names) == len(moments) >= 2 and (
            made := terms.proposal(f"sum({', '.join(names)})", "sum", log_share(meant.share))
        ):
            yield replace(made, score=made.score - (0.0 if len(question.moments) >= 2 else 0.7))


def _sums_of_last(question: Question) -> Iterator[Proposal]:
    """Yield the sum of what was listed before, or of the last two answers."""
    together = bool(_TOGETHER.search(question.text))
    counted = last_set(question) if _AS_MANY.search(question.text) and together else None
    again = counted or question.last
    if len(question.moments) > (counted is not None) or again is None or (question.own and not together):
        return
    nodes = again.measured
    if len(nodes) < 2 and len(question.before) >= 2:
        nodes = tuple(past.measured[0] for past in reversed(question.before[:2]))
    if not 2 <= len(nodes) <= _MOST_ITEMS:
        return
    terms = Terms(question.table)
    moment = question.moments[0] if question.moments else None
    names = [name for node in nodes if (name := mean_again(node, 1.0).spell(moment, terms, "")) is not None]
    if len(set(names)) == len(nodes) and (
        made := terms.proposal(
            f"sum({', '.join(names)})", "sum", log_share(0.6 if question.own and counted is None else 0.8)
        )
    ):
        yield made


def propose_averages(question: Question) -> Iterator[Proposal]:
    """Yield averages over times, and of a longer period over its quarters or months."""
    each = 3 if _PER_QUARTER.search(question.text) else 1 if _PER_MONTH.search(question.text) else 0
    for meant in read_meant(question, part=True)[:_MOST]:
        moments = moments_of_list(question, meant)
        terms = Terms(question.table)
        names = _spell_all(meant, moments, terms)
        if (
            len(names) >= 2
            and len(names) == len(moments)
            and (made := terms.proposal(f"avg({', '.join(names)})", "average", log_share(meant.share)))
        ):
            yield replace(made, score=made.score - (1.5 if each and moments[0].months != each else 0.0))
        if each:
            yield from _averages_of_parts(question, meant, each)


def _averages_of_parts(question: Question, meant: Meant, each: int) -> Iterator[Proposal]:
    latest = question.table.latest
    to_date = Moment(latest.year, latest.quarter, 3 * latest.quarter)
    for moment in (*question.wanted[:1], to_date):
        terms = Terms(question.table)
        if moment.months > each and (text := meant.spell(moment, terms, "")) is not None:
            made = terms.proposal(f"{text} / {moment.months // each}", "average", log_share(meant.share) + 0.3)
            if made is not None:
                yield made
                return


# Lists


@dataclass(frozen=True, slots=True)
class Block:
    """Members of one dimension: lines or columns beside each other that measure the same.

    Attributes:
        members: Their names and series.
        share: The probability that it is meant.
    """

    members: tuple[tuple[str, Series], ...]
    share: float


def read_blocks(question: Question) -> list[Block]:
    """Return the members of dimensions that a question may list or rank, the likeliest first."""
    found: dict[frozenset[object], Block] = {}
    asked = _asked_dimension(question.text)
    of_last = _block_of_last(question, asked)
    if of_last is not None:
        found[_key_of(of_last.members)] = of_last
    if asked and not question.names(0) and question.last is None:  # "which region grew fastest": in revenue
        for concept in REVENUE:
            for members in _members_of(question, concept):
                found[_key_of(members)] = Block(members, _fit(asked, members, question.table))
    for block in _blocks_by_title(question, asked):
        found[_key_of(block.members)] = block
    back = _measured_last(question, asked)
    for bound in (*back, *_wholes_named(question, asked), *bounds_of(question)[:_MOST_BROKEN_DOWN]):
        for block in _proven_blocks(question, bound.series, asked):
            key = _key_of(block.members)
            known = found[key].share if key in found else 0.0
            found[key] = replace(block, share=known + (bound.share + 0.02) * block.share)
    for bound in (*back, *bounds_of(question)):
        for block in _blocks_of(question, bound.series, asked):
            key = _key_of(block.members)
            known = found[key].share if key in found else 0.0
            named = _named_around(question, block.members[-1][1])
            found[key] = replace(block, share=known + (bound.share + 0.02) * block.share * (0.3 + named))
    shares = [block.share * _fit_of_places(question.text, block.members) for block in found.values()]
    total = sum(shares) or 1.0
    blocks = [replace(block, share=share / total) for block, share in zip(found.values(), shares, strict=True)]
    return sorted(blocks, key=lambda block: -block.share)[:_MOST_BLOCKS]


def _measured_last(question: Question, asked: str) -> list[Bound]:
    """Return what the last answer was taken from, if its parts are asked for: "break it down by asset category"."""
    last = question.last
    if last is None or not last.series:
        return []
    if not question.own:
        return [Bound(series, _PRINTED_AGAIN) for series in _printed_again(question.table, last)]
    goes_back = _POINTS_BACK.search(question.text) and (asked or _BROKEN_DOWN.search(question.text))
    return [Bound(last.series[0], _BACK)] if goes_back else []


def _printed_again(table: FactTable, last: PastAnswer) -> Iterator[Series]:
    """Yield where the number of a sentence is printed in a table."""
    series, moment = last.series[0], last.anchor
    if not series.line.sentence or len(last.series) > 1 or moment is None:
        return
    for other in table.by_amount.get(f"{abs(series.first.amount):.9g}", ()):
        if (
            not other.line.sentence
            and other.first.scale is series.first.scale
            and any(at is not None and at.end == moment.end for at in other.cells)
        ):
            yield other


def _fit_of_places(text: str, members: Sequence[tuple[str, Series]]) -> float:
    """Return how likely members are meant if regions are asked for, not countries, or countries, not regions."""
    asked = set(terms_of(text))
    if asked.isdisjoint(_REGION) == asked.isdisjoint(_COUNTRY):
        return 1.0
    regions = any(not _PARTS_OF_THE_WORLD.isdisjoint(terms_of(name)) for name, _ in members)
    return 1.0 if regions == asked.isdisjoint(_COUNTRY) else _OTHER_PLACES


def _wholes_named(question: Question, asked: str) -> Iterator[Bound]:
    """Yield the numbers of the whole company that a question names by concept; revenue if it names members alone."""
    named = question.reading.operands[0].concepts if question.names(0) else frozenset[str]()
    concepts = sorted(named)[:_MOST] if named else REVENUE if asked and question.last is None else ()
    for concept in concepts:
        found = find_concept(concept, (*question.wanted, question.table.latest)[0], question)
        if found is not None:
            yield Bound(found[0], found[1] * _named_share(question, asked) / (1 + len(named)))


def _named_share(question: Question, asked: str) -> float:
    """Return how much of a question its concepts and the members that it asks for say, rare terms counting most."""
    operand, table = question.reading.operands[0], question.table
    said = {term for match in operand.matches if match.concepts for term in operand.phrase[match.start : match.end]}
    said |= COMPARATIVES | table.company | (_DIMENSIONS[asked][0] if asked else frozenset())
    rarities = {term: table.rarity(term) for term in operand.terms}
    return (sum(rarities[term] for term in said & rarities.keys()) / (sum(rarities.values()) or 1.0)) ** 2


def _proven_blocks(question: Question, series: Series, asked: str) -> Iterator[Block]:
    """Yield the members whose numbers add up to one of a series."""
    table = question.table
    picked = next(
        (
            found
            for moment in moments_to_try(question)
            if (found := pick_cell(series, () if moment is None else (moment,), table, strict=moment is not None))
        ),
        None,
    )
    if picked is None or picked[0] is None or series.line.sentence:
        return
    for parts in find_parts(series, picked[0], table):
        named = zip(names_apart(table, parts), parts, strict=True)
        members = tuple((name, part) for name, part in named if not set(terms_of(name)) & _SUMS)
        if len(members) >= 2:
            alike = len({part.concept for part in parts if part.concept}) <= 1
            steps = not alike or (parts[0].line.role.is_statement and not any(part.members for part in parts))
            worth = _PROVEN if not steps else _STEPS_OF_MEMBERS if asked else _STEPS
            yield Block(members, worth * _fit(asked, members, table))


def names_apart(table: FactTable, several: Sequence[Series]) -> list[str]:
    """Return the names of members: what they differ in, of their tags, their labels, columns and headings."""
    if all(one.members for one in several):
        return [_name_of_tagged(table, one) for one in several]
    ways: tuple[Callable[[Series], str], ...] = (
        lambda one: _label_of_line(one.line),
        lambda one: _label_of_column(table, one),
        lambda one: one.line.path[-1] if one.line.path else "",
    )
    names = max(([way(one) for one in several] for way in ways), key=lambda found: len(set(found)))
    return [_TOTAL_OF.sub("", name) or name for name in names]


def _blocks_by_title(question: Question, asked: str) -> Iterator[Block]:
    """Yield the lines of the tables whose title or headings say most of what the question does."""
    if not asked or not question.own:
        return
    table = question.table
    own = {term for operand in question.reading.operands for term in operand.terms} - table.company
    total = sum(table.rarity(term) for term in own) or 1.0
    lines: dict[int, FactLine] = {}
    for term in own:
        for place in table.postings.get(term, ()):
            lines.setdefault(table.lines[place].table, table.lines[place])
    for line in lines.values():
        said = sum(table.rarity(term) for term in own & line.title_terms) / total
        series = table.series_of_line.get(line.place, ())
        members = _beside(question, series[0]) if series and said > _TITLED else ()
        if len(members) >= 3:
            yield Block(members, 0.5 * said * _worth_of_lines(question, members, series[0]))


def _key_of(members: Sequence[tuple[str, Series]]) -> frozenset[object]:
    """Return what members are, by tags if they have them: filings print the same members in several tables."""
    return frozenset(
        (one.concept, one.members) if one.members and one.concept else (name.lower(), one.first.amount)
        for name, one in members
    )


def _blocks_of(question: Question, series: Series, asked: str) -> Iterator[Block]:
    table = question.table
    across = _across(table, series)
    if len(across) >= 2:
        yield Block(across, _fit(asked, across, table))
    beside = _beside(question, series)
    if len(beside) >= 2:
        yield Block(beside, _worth_of_lines(question, beside, series) * _fit(asked, beside, table))
    headed = _under_headings(table, series)
    if len(headed) >= 2:
        yield Block(headed, _fit(asked, headed, table))
    if series.concept and (asked or not series.members):
        for members in _members_of(question, series.concept):
            yield Block(members, _fit(asked, members, table))


def _named_around(question: Question, series: Series) -> float:
    """Return which part of the terms of the question is around the members: their title, headings, or concept."""
    own = {term for operand in question.reading.operands for term in operand.terms} - question.table.company
    known = read_lexicon().concepts.get(series.concept)
    phrases = {term for phrase in (known.phrases if known else ()) for term in phrase}
    around = series.line.title_terms | series.line.path_terms | set(series.column) | phrases
    return len(own & around) / len(own) if own else 1.0


def _under_headings(table: FactTable, series: Series) -> tuple[tuple[str, Series], ...]:
    """Return the lines of one label under other headings of a table: the headings are the members."""
    line = series.line
    if not line.path or not line.label_terms:
        return ()
    found: dict[tuple[str, ...], tuple[str, Series]] = {}
    for place in _places_beside(table, line.place):
        other = table.lines[place]
        if other.label_terms == line.label_terms and other.path and not _is_total(other.path[-1]):
            for one in table.series_of_line.get(place, ())[:4]:
                if one.column == series.column:
                    found.setdefault(other.path, (other.path[-1], one))
    return tuple(found.values())


def _block_of_last(question: Question, asked: str) -> Block | None:
    """Return the members that were listed or ranked last, if the question goes on from them."""
    last = question.last
    if last is None or last.form not in ("members", "ranking", "list") or len(last.series) < 2:
        return None
    names = names_apart(question.table, last.series)
    if question.own and _OF_THEM.search(question.text) and (others := _of_members(question, last.series)):
        return Block(tuple(zip(names, others, strict=True)), 3.0)
    named = tuple(zip(names, last.series, strict=True))
    goes_on = bool(_OF_THEM.search(question.text)) or not (question.own or asked)
    return Block(named, (1.5 if goes_on else 0.1) * _fit(asked, named, question.table))


def _of_members(question: Question, members: Sequence[Series]) -> Sequence[Series]:
    """Return what members have of a concept that a question names; empty if one of them has none."""
    moment = (*question.wanted, question.table.latest)[0]
    for concept in sorted(question.reading.operands[0].concepts):
        found = [find_beside(concept, moment, question, member) for member in members]
        if None not in found:
            return [one[0] for one in found if one is not None]
    return ()


def _name_of_tagged(table: FactTable, series: Series) -> str:
    """Return the printed name of a series' member, else the name of its tag."""
    member = terms_of_members(series.members)
    printed = (_label_of_column(table, series), series.line.label, *reversed(series.line.path))
    best = max(printed, key=lambda label: len(member & set(terms_of(label))))
    if member & set(terms_of(best)):
        return best
    concepts, _ = read_lexicon().named(series.line.label_terms)
    return series.line.label if series.line.label and not concepts else words_of_member(series.members[0])


def _asked_dimension(text: str) -> str:
    """Return what the members that a question asks for are, as a name in `_DIMENSIONS`; "" if it does not say."""
    asked = set(terms_of(text))
    return next((name for name, (words, _) in _DIMENSIONS.items() if asked & words), "")


def _fit(asked: str, members: Sequence[tuple[str, Series]], table: FactTable) -> float:
    """Return how well members fit the dimension that is asked for, by their tags, else by the words around them."""
    if not asked:
        return 0.7
    series = members[-1][1]
    fact = table.document.fact(series.first.ref)
    axes = " ".join(axis for axis, _ in fact.dimensions) if fact is not None else ""
    words, names = _DIMENSIONS[asked]
    if axes:
        fit = 2.0 if any(name in axes for name in names) else 1.2 if "Segment" in axes else 0.15
        fit *= 0.7 if any("other" in terms_of(label) for label, _ in members) and asked == "place" else 1.0
        return fit * (0.5 if series.line.role.is_statement else 1.0)
    around = series.line.title_terms | series.line.path_terms
    called = sum(bool(words & set(terms_of(name))) for name, _ in members)
    if called * 2 > len(members) or (called and len(members) <= _FEW_MEMBERS):
        return 2.5
    if around & words:
        return 2.0
    return 0.3 if any(around & others for others, _ in _DIMENSIONS.values()) else 0.6


_DIMENSIONS: Mapping[str, tuple[frozenset[str], tuple[str, ...]]] = {
    "segment": (frozenset(terms_of("segment segments business businesses unit division")), ("Segment",)),
    "place": (
        frozenset(terms_of("region regions geography geographic geographies geographical country area state")),
        ("Geograph", "Country"),
    ),
    "product": (
        frozenset(terms_of("product products category categories service type brand department line offering")),
        ("Product", "Service", "Brand"),
    ),
    "function": (frozenset(terms_of("function functions")), ("IncomeStatementLocation",)),
    "customer": (frozenset(terms_of("customer customers tenant client")), ("Customer", "Concentration")),
}
"""Kinds of members: their names in questions, and parts of the names of tags' axes."""
_OF_THEM = re.compile(r"\b(?:them|those|these|which (?:one|of)|the (?:two|three|four|five|six)|all)\b")


def _worth_of_lines(question: Question, members: Sequence[tuple[str, Series]], series: Series) -> float:
    """Return how likely lines are members of one dimension, rather than steps of a statement."""
    tagged = [bool(one.members) for _, one in members]
    if series.line.role.is_statement and not any(tagged):
        return 0.15
    concepts = {one.concept for _, one in members if one.concept}
    alike = len(concepts) <= 1 or not series.line.tagged
    return (1.0 if all(tagged) else 0.7) if alike else 0.3


def _across(table: FactTable, series: Series) -> tuple[tuple[str, Series], ...]:
    """Return the members across the columns of a line."""
    if not series.column:
        return ()
    return tuple(
        (_label_of_column(table, one), one)
        for one in table.series_of_line[series.line.place]
        if one.column and not set(one.column) & _TOTALS and one.first.scale == series.first.scale
    )


_SUMS = frozenset(terms_of("total consolidated change increase decrease"))
_RESTS = frozenset(terms_of("elimination corporate unallocated intersegment reconciling"))
"""Words for what belongs to no member; it counts as one if the members add up to the whole with it."""
_TOTALS = _SUMS | _RESTS
_BESIDE_RESTS = frozenset(terms_of("and other expense expenses cost costs item items revenue revenues amount amounts"))
_FEW_MEMBERS = 3
_NAMED_BESIDE = 3
"""How many other words make a name that of a member: "international licensed markets & corporate"."""


def is_rest(name: str) -> bool:
    """Return whether a name is of what belongs to no member, as corporate costs do not, rather than of more."""
    named = set(terms_of(name))
    return bool(named & _RESTS) and len(named - _RESTS - _BESIDE_RESTS) < _NAMED_BESIDE


def _is_total(name: str) -> bool:
    """Return whether a name is of no member, but of a total, a change or what is left."""
    return bool(set(terms_of(name)) & _SUMS) or is_rest(name)


def _label_of_column(table: FactTable, series: Series) -> str:
    """Return what the heading of a series says beside the times."""
    ref = series.first.ref
    if not isinstance(ref, CellRef):
        return ""
    head = table.document.table(ref.table).columns[ref.column]
    named = [level for level in head.levels if set(terms_of(level)) & set(series.column)]
    return " ".join(named) or head.label


def _label_of_line(line: FactLine) -> str:
    return next((label for label in (line.label, *reversed(line.path)) if label), "")


def _beside(question: Question, series: Series) -> tuple[tuple[str, Series], ...]:
    """Return the lines beside a line under one heading, without totals and lines of another unit."""
    table, line = question.table, series.line
    first = series.first
    found: list[tuple[str, Series]] = []
    for place in _places_beside(table, line.place):
        other_line = table.line(place)
        if other_line.path != line.path or _is_total(other_line.label):
            continue
        for other in table.series_of_line.get(place, ()):
            alike = other.column == series.column and (other.first.scale is Scale.PERCENT) == (
                first.scale is Scale.PERCENT
            )
            if alike and (series.members == () or other.members != ()):
                found.append((_label_of_line(other_line), other))
                break
    return tuple(found)


def _places_beside(table: FactTable, place: int) -> range:
    index, count = table.line(place).table, len(table.lines) + len(table.sayings)
    begin = end = place
    while begin > 0 and table.line(begin - 1).table == index:
        begin -= 1
    while end + 1 < count and table.line(end + 1).table == index:
        end += 1
    return range(begin, end + 1)


def _members_of(question: Question, concept: str) -> Iterator[tuple[tuple[str, Series], ...]]:
    """Yield the members that a concept has by tags, those of each table together."""
    tables: dict[int, dict[tuple[str, ...], tuple[str, Series]]] = {}
    for line in question.table.by_concept.get(concept, ()):
        for one in question.table.series_of_line[line.place]:
            if one.concept == concept and len(one.members) == 1:
                tables.setdefault(line.table, {}).setdefault(one.members, (_name_of_tagged(question.table, one), one))
    for named in tables.values():
        parts = tuple(pair for pair in named.values() if not set(terms_of(pair[0])) & _SUMS)
        members = tuple(pair for pair in parts if not is_rest(pair[0]))
        if len(members) >= 2:
            yield parts if len(parts) > len(members) and _add_up(question, concept, parts) else members


def _add_up(question: Question, concept: str, parts: Sequence[tuple[str, Series]]) -> bool:
    """Return whether the numbers of parts add up to that of the whole company."""
    for moment in (*question.wanted[:1], question.table.latest):
        whole = find_concept(concept, moment, question)
        cells = [part.cells.get(moment) for _, part in parts]
        if whole is not None and None not in cells and (total := whole[0].cells.get(moment)) is not None:
            return abs(total.amount - sum(cell.amount for cell in cells if cell)) < _ROUNDED * abs(total.amount)
    return False


_ROUNDED = 1e-4


def propose_items(
    question: Question, labelled: Sequence[Entry], form: str, score: float, last: str = ""
) -> Proposal | None:
    """Return a list of labelled numbers.

    Args:
        question: The question.
        labelled: The name of each entry, what it is, and when.
        form: The form of the proposal.
        score: Its score.
        last: An operation on the list, with its number: `argmax`, `rank 2`.
    """
    if not 2 <= len(labelled) <= _MOST_ITEMS:
        return None
    terms = Terms(question.table)
    texts = [
        text for label, meant, moment in labelled if (text := meant.spell(moment, terms, label or "-")) is not None
    ]
    formula = join_lists(texts)
    if formula is None or len(texts) < 2:
        return None
    operation, _, place = last.partition(" ")
    limit = f", {place}" if place else ""
    return terms.proposal(f"{operation}({formula}{limit})" if last else formula, form, score)


def join_lists(texts: Sequence[str]) -> str | None:
    """Return formulas of one shape as one over lists: `items(a, b) / items(c, d)` of `a / c` and `b / d`."""
    if len({_NAME.sub("x", text) for text in texts}) != 1:
        return None
    columns = zip(*(_NAME.findall(text) for text in texts), strict=True)
    lists = [f"items({', '.join(column)})" for column in columns]
    rest = _NAME.split(texts[0])
    return "".join(part + listed for part, listed in zip(rest, (*lists, ""), strict=True))


def propose_lists(question: Question) -> Iterator[Proposal]:
    """Yield lists by time and by member."""
    yield from _list_what_is_due(question)
    by_time, by_member = _by_what(question)
    for meant in read_meant(question)[:_MOST]:
        moments = list(reversed(moments_of_list(question, meant)))
        timed = [(write_moment(moment), meant, moment) for moment in moments]
        if made := propose_items(question, timed, "list", log_share(meant.share * by_time)):
            yield made
    for entries, share in read_entries(question):
        if made := propose_items(question, entries, "members", log_share(share * by_member)):
            yield made


def _list_what_is_due(question: Question) -> Iterator[Proposal]:
    """Yield what falls due in each year, and after the last one."""
    if not asks_what_is_due(question):
        return
    for bound in read_schedules(question):
        years = years_to_come(bound.series, question.table)
        named = [moment for moment in years if moment in question.moments]
        meant = mean_series(bound.series, bound.share)
        entries: list[Entry] = [(write_moment(moment), meant, moment) for moment in named or years]
        rest = None if named or _AHEAD.search(question.text) else find_rest(bound.series, question.table)
        if rest is not None:
            entries.append((rest.line.label, mean_series(rest, bound.share), None))
        if made := propose_items(question, entries, "list", log_share(bound.share) + _STATED):
            yield made


def list_ratios(question: Question) -> Iterator[Proposal]:
    """Yield ratios at each of several times: "as a % of sales both years"."""
    two = len(question.operands) == 2 and question.reading.relation in ("ratio", "part")
    last = question.last
    moments = question.moments
    if len(moments) < 2 and last is not None and _ALL_TIMES.search(question.text):
        moments = last.moments
    if not two or len(moments) < 2:
        return
    for one, other in product(read_meant(question, 0)[:3], read_meant(question, 1)[:3]):
        if one.is_ratio or other.is_ratio or (one.series and one.series[:1] == other.series[:1]):
            continue
        entries = [(write_moment(moment), _divided(one, other), moment) for moment in sorted(moments, reverse=True)]
        if made := propose_items(question, entries, "list", log_share(one.share * other.share) + _STATED):
            yield made


def _divided(one: Meant, other: Meant) -> Meant:
    """Return the ratio of two things."""

    def spell(moment: Moment | None, terms: Terms, label: str) -> str | None:
        over, under = one.spell(moment, terms, label), other.spell(moment, terms, label)
        if over is None or under is None or over == under or "/" in over + under:
            return None
        return f"({over} / {under})"

    return Meant(one.share * other.share, spell, one.series, "measure", is_ratio=True)


def list_operands(question: Question) -> Iterator[Proposal]:
    """Yield lists of what a question names side by side: "cash flow and capex"."""
    if len(question.operands) < 2:
        return
    moment = moments_to_try(question)[0]
    places = range(len(question.operands))
    for chosen in product(*(read_meant(question, place)[: 2 if len(places) == 2 else 1] for place in places)):
        if len({one.series[0].place for one in chosen if one.series}) < sum(bool(one.series) for one in chosen):
            continue  # one thing, named twice: "how much of it matures"
        names = [_name_of(meant) for meant in chosen]
        if len(set(names)) < len(names) and all(meant.series for meant in chosen):
            names = names_apart(question.table, [meant.series[0] for meant in chosen])
        listed = [(name, meant, moment) for name, meant in zip(names, chosen, strict=True)]
        if made := propose_items(question, listed, "list", log_share(prod(one.share for one in chosen) * 0.5)):
            yield made


def _by_what(question: Question) -> tuple[float, float]:
    """Return the probabilities that a list is by time and by member."""
    if len(question.moments) >= 2:
        return 0.9, 0.1
    time, member = bool(_BY_TIME.search(question.text)), bool(_BY_MEMBER.search(question.text))
    if len(question.moments) == 1:
        return 0.1, 0.9
    return (0.8, 0.2) if time and not member else (0.15, 0.85) if member and not time else (0.5, 0.5)


def _name_of(meant: Meant) -> str:
    return _label_of_line(meant.series[0].line) if meant.series else ""


def read_entries(question: Question) -> Iterator[tuple[list[Entry], float]]:
    """Yield members as entries of a list, with their probability; what has a formula is computed of each."""
    if of_last := entries_of_last(question):
        yield of_last, _CHOSEN_AGAIN
    formulas = ratios_named(question)
    last = None if question.own or question.last is None else question.last.measured[0]
    again = last if last is not None and last.kind == "divide" and not formulas else None
    for block in _without_left_out(question, read_blocks(question)):
        printed = not (formulas or again) or block.members[0][1].first.scale is Scale.PERCENT
        yield block_entries(question, block.members), block.share * (1.0 if printed else _NOT_COMPUTED)
        for formula in formulas if not printed else ():
            meant = [(name, mean_of_member(question, formula, one)) for name, one in block.members]
            yield _entries_at(question, meant), block.share * (1 - _NOT_COMPUTED)
        if again is not None and not printed:
            meant = [(name, mean_beside(question, again, one)) for name, one in block.members]
            yield _entries_at(question, meant), block.share * (1 - _NOT_COMPUTED)


def entries_of_last(question: Question) -> list[Entry]:
    """Return what was listed or ranked last as entries of a list, if the question goes on from it."""
    goes_on = _OF_THEM.search(question.text) or not _asked_dimension(question.text)
    last = last_set(question)
    if question.own or not goes_on or last is None or last.form == "list":
        return []
    names = _names_of_nodes(question.table, last.measured)
    moment = question.moments[0] if question.moments else None
    return [(name, mean_again(node, 1.0), moment) for name, node in zip(names, last.measured, strict=False)]


def last_set(question: Question) -> PastAnswer | None:
    """Return the last answer that has several entries; of as many as the question says, "the four", if there is one."""
    sets = [past for past in question.before if past.form in ("list", "members", "ranking") and len(past.measured) > 1]
    said = _AS_MANY.search(question.text)
    count = NUMBER_WORDS.get(said["many"], 0) if said is not None else 0
    if count > 1:
        return next((past for past in sets if len(past.measured) == count), None)
    return sets[0] if sets and sets[0] is question.last else None


def _names_of_nodes(table: FactTable, nodes: Sequence[Node]) -> Sequence[str]:
    """Return what tells terms of a list apart; empty if nothing does."""
    leaves = [[leaf.series for leaf in node.leaves() if leaf.series is not None] for node in nodes]
    for place in range(min(map(len, leaves))):
        names = names_apart(table, [found[place] for found in leaves])
        if len(set(names)) == len(nodes):
            return names
    return ()


def _without_left_out(question: Question, blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks without the member that a question leaves out."""
    for block in blocks:
        named = [(name, one) for name, one in block.members if not question.left_out & set(terms_of(name))]
        if len(named) > 1:
            yield replace(block, members=tuple(named))


def block_entries(question: Question, members: Sequence[tuple[str, Series]]) -> list[Entry]:
    """Return the members that have a number at the time that is asked for, as entries of a list."""
    return _entries_at(question, [(name, mean_series(series, 1.0)) for name, series in members])


def _entries_at(question: Question, named: Sequence[tuple[str, Meant]]) -> list[Entry]:
    found: list[Entry] = []
    for moment in moments_to_try(question):
        found = [
            (name, meant, moment)
            for name, meant in named
            if meant.spell(moment, Terms(question.table), name) is not None
        ]
        if len(found) >= 2:
            break
    return found
