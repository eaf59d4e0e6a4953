"""Members of one dimension, as adjacent lines, columns or headings, for lists and rankings."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from quaestor.core.patterns import lazy_regex
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms as terms_of
from quaestor.facts.lines import FactLine
from quaestor.facts.table import FactTable, Series
from quaestor.ontology.lexicon import read_lexicon
from quaestor.solvers.embedded.filings.composing.finding import (
    find_concept,
    find_parts,
    list_member_terms,
    spell_member,
)
from quaestor.solvers.embedded.filings.composing.formulas import pick_cell
from quaestor.solvers.embedded.filings.composing.meanings import find_bounds, read_ratio
from quaestor.solvers.embedded.filings.composing.question import BoundOperand, BoundQuestion
from quaestor.solvers.embedded.filings.composing.ratios import REVENUE
from quaestor.solvers.embedded.filings.composing.values import list_moments
from quaestor.solvers.embedded.filings.past import COMPARATIVES, PastAnswer

MOST_TRIED = 4
_MOST_BLOCKS = 6
_MOST_BROKEN_DOWN = 4
_PROVEN, _STEPS, _STEPS_OF_MEMBERS = 1.0, 0.5, 0.15
"""Weights of lines that add up to the requested total: in general, if they are steps of a computation, and if they are
such steps but segments, places or products are requested.
"""
_REGION = frozenset(terms_of("region regions geography geographies"))
_COUNTRY = frozenset(terms_of("country countries"))
_PARTS_OF_THE_WORLD = frozenset(
    terms_of("Americas Europe EMEA Asia APAC Africa LATAM Latin Middle East Pacific EAME AMEA UCAN North South")
)
_PLACES = _PARTS_OF_THE_WORLD | frozenset(
    terms_of("United States, United Kingdom, China, Japan, Germany, Canada, Mexico, countries, foreign")
)
"""Words in names of places."""
_OTHER_TIME = 0.1
"""Weight of members without a number at the requested time."""
_OF_ITSELF = 0.05
"""Weight of members among which is the whole whose parts are requested."""
_OTHER_PLACES = 0.4
"""Weight of countries if regions are requested, and vice versa."""
_TOTAL_OF = lazy_regex(r"^total\s+(?:of\s+)?(?=\S)", re.IGNORECASE)
_ADJUSTMENT = lazy_regex(r"(?:less|add|plus|adjust\w*)\b\s*:?", re.IGNORECASE)
"""Start of the label of a reconciling item."""
_POINTS_BACK = lazy_regex(r"\b(?:it|them|there|that|those|these)\b")
_BROKEN_DOWN = lazy_regex(
    r"\b(?:split|break\w*|broken|made up|consists?|composed|categor\w+|class(?:es)?|parts?|components?|items?)\b"
)
_REFERRED_TO, _REPRINTED = 0.8, 0.5
"""Probability that the last answer is to be broken down: if words refer back to it, and, for a table that prints the
same number, if the answer was read from a sentence.
"""
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
"""Kinds of members: their names in questions, and substrings of the names of XBRL axes."""
_OF_THEM = lazy_regex(r"\b(?:them|those|these|which (?:one|of)|the (?:two|three|four|five|six)|all)\b")
_SUMS = frozenset(terms_of("total consolidated change increase decrease"))
_RESTS = frozenset(terms_of("elimination corporate unallocated intersegment reconciling"))
"""Words for items that belong to no member."""
_TOTALS = _SUMS | _RESTS
_REST_WORDS = frozenset(terms_of("and other expense expenses cost costs item items revenue revenues amount amounts"))
_FEW_MEMBERS = 3
_LEAST_OTHER_WORDS = 3
"""Number of other words that make a name with such words the name of a member: "international licensed markets &
corporate".
"""
_ROUNDED = 1e-4


@dataclass(frozen=True, slots=True)
class Block:
    """Members of one dimension: adjacent lines or columns that measure the same thing.

    Attributes:
        share: The probability that the question means this block.
    """

    members: tuple[tuple[str, Series], ...]
    share: float


def read_blocks(question: BoundQuestion) -> list[Block]:
    """Return the blocks of members that a question may list or rank, likeliest first."""
    found: dict[frozenset[object], Block] = {}
    dimension = read_dimension(question.text)
    of_last = _find_last_block(question, dimension)
    if of_last is not None:
        found[_identify_members(of_last.members)] = of_last
    if dimension and not question.names(0) and question.last is None:  # "which region grew fastest": in revenue
        for concept in REVENUE:
            for members in _find_tagged_members(question, concept):
                found[_identify_members(members)] = Block(members, _measure_fit(dimension, members, question.table))
    back = _find_measured_last(question, dimension)
    for bound in (*back, *_find_named_wholes(question, dimension), *find_bounds(question)[:_MOST_BROKEN_DOWN]):
        for block in _find_summed_blocks(question, bound.series, dimension):
            named = 0.3 + _measure_named_around(question, block.members[-1][1]) if not question.own else 1.0
            _add_block(found, question, replace(block, share=(bound.share + 0.02) * block.share * named))
    for bound in (*back, *find_bounds(question)):
        for block in _find_blocks(question, bound.series, dimension):
            named = _measure_named_around(question, block.members[-1][1])
            _add_block(found, question, replace(block, share=(bound.share + 0.02) * block.share * (0.3 + named)))
    shares = [
        block.share
        * _weigh_places(question.text, block.members)
        * (1.0 if _has_asked_time(question, block) else _OTHER_TIME)
        * (_OF_ITSELF if _contains_whole(question, block) else 1.0)
        for block in found.values()
    ]
    total = sum(shares) or 1.0
    blocks = [replace(block, share=share / total) for block, share in zip(found.values(), shares, strict=True)]
    return sorted(blocks, key=lambda block: -block.share)[:_MOST_BLOCKS]


def _add_block(found: dict[frozenset[object], Block], question: BoundQuestion, block: Block) -> None:
    """Add a block to `found`; if it has the same members as another one, keep the one with the requested time."""
    key = _identify_members(block.members)
    known = found.get(key)
    if known is not None:
        dated = next((one for one in (block, known) if _has_asked_time(question, one)), block)
        block = replace(dated, share=known.share + block.share)
    found[key] = block


def _has_asked_time(question: BoundQuestion, block: Block) -> bool:
    """Return whether a member has a number at the requested time, else the latest; also True if all are undated."""
    question_moment = question.first_wanted
    ends = {moment.end for _, series in block.members for moment in series.cells if moment is not None}
    return not ends or question_moment.end in ends


def _contains_whole(question: BoundQuestion, block: Block) -> bool:
    """Return whether a block contains the last answer, the parts of which a question asks for."""
    last = question.last
    if last is None or question.own or len(last.series) != 1 or not _BROKEN_DOWN.search(question.text):
        return False
    return any(series.place == last.series[0].place for _, series in block.members)


def _find_measured_last(question: BoundQuestion, dimension: str) -> list[BoundOperand]:
    """Return the series of the last answer if the question asks for its parts: "break it down by asset category"."""
    last = question.last
    if last is None or not last.series:
        return []
    if not question.own:
        return [BoundOperand(series, _REPRINTED) for series in _find_reprints(question.table, last)]
    goes_back = _POINTS_BACK.search(question.text) and (dimension or _BROKEN_DOWN.search(question.text))
    return [BoundOperand(last.series[0], _REFERRED_TO)] if goes_back else []


def _find_reprints(table: FactTable, last: PastAnswer) -> Iterator[Series]:
    """Yield the table series that print the same number as the sentence of the last answer."""
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


def _weigh_places(text: str, members: Sequence[tuple[str, Series]]) -> float:
    """Return a weight that is lower for regions if only countries are requested, and vice versa."""
    text_terms = set(terms_of(text))
    if text_terms.isdisjoint(_REGION) == text_terms.isdisjoint(_COUNTRY):
        return 1.0
    regions = any(not _PARTS_OF_THE_WORLD.isdisjoint(terms_of(name)) for name, _ in members)
    return 1.0 if regions == text_terms.isdisjoint(_COUNTRY) else _OTHER_PLACES


def _find_named_wholes(question: BoundQuestion, dimension: str) -> Iterator[BoundOperand]:
    """Yield company-wide series of the concepts that a question names, or of revenue if it names only members."""
    operand = question.reading.operands[0]
    named = operand.concepts if question.names(0) else frozenset[str]()
    if question.names(0) and (ratio := read_ratio(operand)) is not None:
        named |= set(ratio.concepts())  # the members of a ratio are those of its inputs
    concepts = sorted(named)[:MOST_TRIED] if named else REVENUE if dimension and question.last is None else ()
    for concept in concepts:
        found = find_concept(concept, question.first_wanted, question)
        if found is not None:
            yield BoundOperand(found[0], found[1] * _measure_named_share(question, dimension) / (1 + len(named)))


def _measure_named_share(question: BoundQuestion, dimension: str) -> float:
    """Return the weighted share of a question's terms that its concepts and dimension cover, squared."""
    operand, table = question.reading.operands[0], question.table
    named = {term for match in operand.matches if match.concepts for term in operand.phrase[match.start : match.end]}
    named |= COMPARATIVES | table.company | (_DIMENSIONS[dimension][0] if dimension else frozenset())
    rarities = {term: table.rarity(term) for term in operand.terms}
    return (fsum(rarities[term] for term in named & rarities.keys()) / (fsum(rarities.values()) or 1.0)) ** 2


def _find_summed_blocks(question: BoundQuestion, series: Series, dimension: str) -> Iterator[Block]:
    """Yield the groups of members whose numbers add up to a number of a series."""
    table = question.table
    picked = next(
        (
            found
            for moment in list_moments(question)
            if (found := pick_cell(series, () if moment is None else (moment,), table, strict=moment is not None))
        ),
        None,
    )
    if picked is None or picked[0] is None or series.line.sentence:
        return
    for parts in find_parts(series, picked[0], table):
        named = zip(name_members(table, parts), parts, strict=True)
        members = tuple((name, part) for name, part in named if not set(terms_of(name)) & _SUMS)
        if len(members) >= 2:
            alike = len({part.concept for part in parts if part.concept}) <= 1
            steps = not alike or (parts[0].line.role.is_statement and not any(part.members for part in parts))
            steps = steps or any(_ADJUSTMENT.match(part.line.label) for part in parts)
            worth = _PROVEN if not steps else _STEPS_OF_MEMBERS if dimension else _STEPS
            yield Block(members, worth * _measure_fit(dimension, members, table))


def name_members(table: FactTable, several: Sequence[Series]) -> list[str]:
    """Name members by their tags, else by whichever of labels, columns and headings differs most."""
    if all(one.members for one in several):
        return [_name_tagged(table, one) for one in several]
    ways: tuple[Callable[[Series], str], ...] = (
        lambda one: label_line(one.line),
        lambda one: _label_column(table, one),
        lambda one: one.line.path[-1] if one.line.path else "",
    )
    names = max(([way(one) for one in several] for way in ways), key=lambda found: len(set(found)))
    return [_TOTAL_OF.sub("", name) or name for name in names]


def _identify_members(members: Sequence[tuple[str, Series]]) -> frozenset[object]:
    """Return a key for a set of members, by tags if any, because filings repeat members in several tables."""
    return frozenset(
        (one.concept, one.members) if one.members and one.concept else (name.lower(), one.first.amount)
        for name, one in members
    )


def _find_blocks(question: BoundQuestion, series: Series, dimension: str) -> Iterator[Block]:
    table = question.table
    across = _find_across(table, series)
    if len(across) >= 2:
        yield Block(across, _measure_fit(dimension, across, table))
    lines = _find_neighbour_lines(question, series)
    if len(lines) >= 2:
        yield Block(lines, _weigh_lines(question, lines, series) * _measure_fit(dimension, lines, table))
    headed = _find_under_headings(table, series)
    if len(headed) >= 2:
        yield Block(headed, _measure_fit(dimension, headed, table))
    if series.concept and (dimension or not series.members):
        for members in _find_tagged_members(question, series.concept):
            yield Block(members, _measure_fit(dimension, members, table))


def _measure_named_around(question: BoundQuestion, series: Series) -> float:
    """Return the share of the question's terms that occur around the members: in titles, headings or the concept."""
    own = {term for operand in question.reading.operands for term in operand.terms} - question.table.company
    if not question.own and question.last is not None:
        own = {term for one in question.last.series[:1] for term in one.line.label_terms}
    known = read_lexicon().concepts.get(series.concept)
    phrases = {term for phrase in (known.phrases if known else ()) for term in phrase}
    around = series.line.title_terms | series.line.path_terms | set(series.column) | phrases
    return len(own & around) / len(own) if own else 1.0


def _find_under_headings(table: FactTable, series: Series) -> tuple[tuple[str, Series], ...]:
    """Return the lines with the same label under other headings of a table; the headings name the members."""
    line = series.line
    if not line.path or not line.label_terms:
        return ()
    found: dict[tuple[str, ...], tuple[str, Series]] = {}
    for place in _list_table_places(table, line.place):
        other = table.lines[place]
        if other.label_terms == line.label_terms and other.path and not _is_total(other.path[-1]):
            for one in table.series_of_line.get(place, ())[:4]:
                if one.column == series.column:
                    found.setdefault(other.path, (other.path[-1], one))
    return tuple(found.values())


def _find_last_block(question: BoundQuestion, dimension: str) -> Block | None:
    """Return the last listed or ranked members, with a high probability if the question refers to them."""
    last = question.last
    if last is None or last.form not in ("members", "ranking", "list") or len(last.series) < 2:
        return None
    names = name_members(question.table, last.series)
    named = tuple(zip(names, last.series, strict=True))
    goes_on = bool(_OF_THEM.search(question.text)) or not (question.own or dimension)
    return Block(named, (1.5 if goes_on else 0.1) * _measure_fit(dimension, named, question.table))


def _name_tagged(table: FactTable, series: Series) -> str:
    """Return the printed name of a series' member, else a name derived from its tag."""
    member = list_member_terms(series.members)
    printed = (_label_column(table, series), series.line.label, *reversed(series.line.path))
    best = max(printed, key=lambda label: len(member & set(terms_of(label))))
    if member & set(terms_of(best)):
        return best
    concepts, _ = read_lexicon().named(series.line.label_terms)
    return series.line.label if series.line.label and not concepts else spell_member(series.members[0])


def read_dimension(text: str) -> str:
    """Return the requested dimension as a key of `_DIMENSIONS`, or ""."""
    text_terms = set(terms_of(text))
    return next((name for name, (words, _) in _DIMENSIONS.items() if text_terms & words), "")


def _measure_fit(dimension: str, members: Sequence[tuple[str, Series]], table: FactTable) -> float:
    """Return how well members fit the requested dimension, by their tags, else by the words around them."""
    if not dimension:
        return 0.7
    series = members[-1][1]
    fact = table.document.fact(series.first.ref)
    axes = " ".join(axis for axis, _ in fact.dimensions) if fact is not None else ""
    words, names = _DIMENSIONS[dimension]
    if axes:
        fit = 2.0 if any(name in axes for name in names) else 1.2 if "Segment" in axes else 0.15
        fit *= 0.7 if any("other" in terms_of(label) for label, _ in members) and dimension == "place" else 1.0
        return fit * (0.5 if series.line.role.is_statement else 1.0)
    around = series.line.title_terms | series.line.path_terms
    places = sum(not _PLACES.isdisjoint(terms_of(name)) for name, _ in members)
    if dimension != "place" and places * 2 > len(members):
        return _OTHER_PLACES  # the segments of some companies are places
    called = sum(bool(words & set(terms_of(name))) for name, _ in members)
    if called * 2 > len(members) or (called and len(members) <= _FEW_MEMBERS):
        return 2.5
    if around & words:
        return 2.0
    return 0.3 if any(around & others for others, _ in _DIMENSIONS.values()) else 0.6


def _weigh_lines(question: BoundQuestion, members: Sequence[tuple[str, Series]], series: Series) -> float:
    """Return a weight for lines that is low if they look like steps of a statement."""
    tagged = [bool(one.members) for _, one in members]
    if series.line.role.is_statement and not any(tagged):
        return 0.15
    concepts = {one.concept for _, one in members if one.concept}
    alike = len(concepts) <= 1 or not series.line.tagged
    return (1.0 if all(tagged) else 0.7) if alike else 0.3


def _find_across(table: FactTable, series: Series) -> tuple[tuple[str, Series], ...]:
    """Return the members in the columns of a line."""
    if not series.column:
        return ()
    return tuple(
        (_label_column(table, one), one)
        for one in table.series_of_line[series.line.place]
        if one.column and not set(one.column) & _TOTALS and one.first.scale == series.first.scale
    )


def is_rest(name: str) -> bool:
    """Return whether a name means only what belongs to no member, such as corporate costs."""
    named = set(terms_of(name))
    return bool(named & _RESTS) and len(named - _RESTS - _REST_WORDS) < _LEAST_OTHER_WORDS


def _is_total(name: str) -> bool:
    """Return whether a name means a total, a change or a remainder instead of a member."""
    return bool(set(terms_of(name)) & _SUMS) or is_rest(name)


def _label_column(table: FactTable, series: Series) -> str:
    """Return the column heading of a series without its times."""
    ref = series.first.ref
    if not isinstance(ref, CellRef):
        return ""
    head = table.document.table(ref.table).columns[ref.column]
    named = [level for level in head.levels if set(terms_of(level)) & set(series.column)]
    return " ".join(named) or head.label


def label_line(line: FactLine) -> str:
    """Return the label of a line, else the nearest heading above it."""
    return next((label for label in (line.label, *reversed(line.path)) if label), "")


def _find_neighbour_lines(question: BoundQuestion, series: Series) -> tuple[tuple[str, Series], ...]:
    """Return the lines under the same heading, without totals and lines of another unit."""
    table, line = question.table, series.line
    first = series.first
    found: list[tuple[str, Series]] = []
    for place in _list_table_places(table, line.place):
        other_line = table.line(place)
        if other_line.path != line.path or _is_total(other_line.label):
            continue
        for other in table.series_of_line.get(place, ()):
            alike = other.column == series.column and (other.first.scale is Scale.PERCENT) == (
                first.scale is Scale.PERCENT
            )
            if alike and (series.members == () or other.members != ()):
                found.append((label_line(other_line), other))
                break
    return tuple(one for place, one in enumerate(found) if not _is_running_sum(found[:place], one[1]))


def _is_running_sum(before: Sequence[tuple[str, Series]], series: Series) -> bool:
    """Return whether the numbers of a series are sums of the directly preceding series."""
    times = [moment for moment in series.cells if moment is not None]
    for begin in range(len(before) - 1):
        parts = [one for _, one in before[begin:]]
        if times and all(
            all(time in one.cells for one in parts)
            and abs(sum(one.cells[time].amount for one in parts) - series.cells[time].amount)
            < _ROUNDED * abs(series.cells[time].amount)
            for time in times
        ):
            return True
    return False


def _list_table_places(table: FactTable, place: int) -> range:
    index, count = table.line(place).table, len(table.lines) + len(table.sentence_lines)
    begin = end = place
    while begin > 0 and table.line(begin - 1).table == index:
        begin -= 1
    while end + 1 < count and table.line(end + 1).table == index:
        end += 1
    return range(begin, end + 1)


def _find_tagged_members(question: BoundQuestion, concept: str) -> Iterator[tuple[tuple[str, Series], ...]]:
    """Yield the tagged members of a concept, grouped by table."""
    tables: dict[int, dict[tuple[str, ...], tuple[str, Series]]] = {}
    for line in question.table.by_concept.get(concept, ()):
        for one in question.table.series_of_line[line.place]:
            if one.concept == concept and len(one.members) == 1:
                tables.setdefault(line.table, {}).setdefault(one.members, (_name_tagged(question.table, one), one))
    for named in tables.values():
        members = tuple(pair for pair in named.values() if not _is_total(pair[0]))
        if len(members) >= 2:
            yield members
