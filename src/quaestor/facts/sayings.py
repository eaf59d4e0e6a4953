"""Lines from sentences: the numbers of running text and what they measure.

Numbers that a sentence lists for several times ("was $5 million, $4 million and $3 million in 2024, 2023 and 2022")
are one line. Its label is the clause around them.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from quaestor.core.fiscal import FiscalCalendar
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.terms import terms
from quaestor.documents.captions import is_price, scale_in_text
from quaestor.documents.document import Document, Mention, Sentence
from quaestor.documents.table import TableRole
from quaestor.documents.text_periods import periods_in_text
from quaestor.facts.lines import FactCell, FactLine
from quaestor.facts.moments import Moment, find_instants, moment_of_fact, moment_of_period

_Placed = tuple[FactCell, int, int]
"""A number, and where it begins and ends in its sentence."""
_GLUE = frozenset(
    "and or in for at as of on compared to with from versus during the fiscal year years ended respectively "
    "approximately about an a nearly it was were is are end first second third fourth same period "
    "quarter quarters months".split()
)
"""Words between numbers of one list."""
_WORD = re.compile(r"[A-Za-z][A-Za-z&'/-]*")
_BREAK = re.compile(r"[;:()\u2014]|,(?=\s)")
_OF_WHICH = re.compile(r"\b(?:of which|including|excluding|of whom|compared)\b")
_ASIDE = re.compile(
    r"\s*(?:based|including|excluding|inclusive|exclusive|net of|before|after|which|who|as defined|included|consisting"
    r"|assuming|calculated|adjusted|if|when|subject to|no par|in the aggregate|primarily)\b"
)
"""The beginning of what is set between commas after a thing."""
_CLOSED = {",": ",", "(": ")"}
_PLACES = frozenset("in at by over for from with on under within across through".split())
"""Words that continue the description before them: "122 offices and facilities in 33 countries"."""
_MOST_AFTER_AND = 3
"""Words before a number, of which one may be the "and" that a new thing begins with."""
_LISTED = re.compile(r"\s?,?\s?(?:and\s)?(?:approximately\s)?\W{0,2}")
"""What is between the years or the numbers of a list."""
_RESPECTIVELY = re.compile(r"\brespectively\b")
_LEAST_LISTED = 2
_MOST_BEFORE, _MOST_AFTER = 14, 9
"""Words before and after a number that describe it."""
_LEAST = 2
"""Terms that describe a number; a clause with fewer continues the one before it."""
_REFERENCE = re.compile(
    r"\b(?:sections?|notes?|items?|exhibits?|rules?|articles?|forms?|topics?|pages?|parts?|nos?|levels?|subtopic|volume"
    r"|appendix|chapters?|phase|tier|asc|asu|ifrs|ias|district)\b\.?\s?$",
    re.IGNORECASE,
)
"""Words before a number that is not an amount."""
_OPENERS = frozenset(
    "approximately about around nearly almost roughly over includes including the these those this that our we its "
    "their all each every some only more another other an a and or but with without to by as at in on of for from "
    "under between during since until after before within than up total average number top first last next both any no "
    "which if when while through per plus additionally currently today also is are was were has had have january "
    "february march april may june july august september october november december jan feb mar apr jun jul aug sep "
    "sept oct nov dec fy fiscal year years".split()
)
"""Words whose capital makes no name of the number after them."""
_OPENED = re.compile(r"\s(?:[A-Z\u201c(]|(?:is|was|are|has|will|and|or|platform|series)\b)|\W*$")
"""After a name that begins a sentence: an opening verb ("Opened 12 stores") is followed by what it is about."""
_TITLE = re.compile(
    r"\s(?:(?:Senior|Executive|Vice|Corporate|Co-)\s?){0,3}(?:President|Chair|Chief|Director|General Counsel)"
)
"""After the age of an officer."""
_BETWEEN = re.compile(r"[^\W\d_]|[,;]\s")
"""A letter or a comma: what is between the numbers of a sentence."""
_TABULAR = 12
"""Numbers that a sentence has at least, if it may be a table."""
_LONGEST_NAME = 30
_CENTS = -2
_SCALES = {0: Scale.ONE, 3: Scale.THOUSAND, 6: Scale.MILLION, 9: Scale.BILLION}


def read_sayings(document: Document, calendar: FiscalCalendar, place: int) -> Iterator[FactLine]:
    """Yield the lines of the sentences of a document.

    Args:
        calendar: The fiscal calendar of its company.
    """
    usual = _usual_scale(document)
    before: Sentence | None = None
    for index, sentence in enumerate(document.sentences):
        plain = _without_numbers(sentence) if sentence.mentions and is_prose(sentence) else ""
        if plain and (groups := _group(document, index, calendar, usual, plain)):
            heading = " ".join(document.section(groups[0][0][0].ref).path[-2:])
            title = before.text if before is not None and before.section == sentence.section else ""
            moments = (moment_of_period(period, calendar) for period, _, _ in sentence.periods)
            years = frozenset(moment.year for moment in moments if moment is not None)
            bounds = [(0, 0), *((group[0][1], group[-1][2]) for group in groups), (len(plain), len(plain))]
            for number, group in enumerate(groups, 1):
                cells = tuple(cell for cell, _, _ in group)
                label = _clause(plain, bounds[number - 1][1], *bounds[number], bounds[number + 1][0])
                concept = next((cell.concept for cell in cells if cell.concept), "")
                yield FactLine(
                    place, label, (), -1 - index, title, heading, TableRole.OTHER, cells, concept, float(bool(concept)),
                    cells[0].members, sentence.text, years,
                )  # fmt: skip
                place += 1
        before = sentence


def is_prose(sentence: Sentence) -> bool:
    """Return whether a sentence is one: in a table that was printed as running text, number follows number."""
    refs = [mention.ref for mention in sentence.mentions]
    if len(refs) < _TABULAR:
        return True
    follow = sum(not _BETWEEN.search(sentence.text, one.end, other.start) for one, other in pairwise(refs))
    return 2 * follow < len(refs)


def _without_numbers(sentence: Sentence) -> str:
    """Return the text of a sentence, blank where a number or a period is."""
    spans = [(mention.ref.start, mention.ref.end) for mention in sentence.mentions]
    spans += [(start, end) for _, start, end in sentence.periods]
    text = sentence.text
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _group(document: Document, index: int, calendar: FiscalCalendar, usual: Scale, plain: str) -> list[list[_Placed]]:
    """Return the numbers of a sentence, those together that say the same of several times."""
    sentence = document.sentences[index]
    if all(_names_a_thing(sentence.text, mention) for mention in sentence.mentions):
        return []
    groups: list[list[_Placed]] = []
    respective = _respective_times(sentence, calendar)
    instants = find_instants(sentence.text, sentence.periods)
    for mention, periods in zip(sentence.mentions, periods_in_text(document, index), strict=True):
        if _names_a_thing(sentence.text, mention):
            continue
        moment = next(
            (found for period in periods if (found := moment_of_period(period, calendar, at_end=period in instants))),
            None,
        )
        moment = respective.get(mention.ref.start, moment)
        cell = _read_cell(document, mention, moment, plain, usual)
        placed = cell, mention.ref.start, mention.ref.end
        if groups and _goes_on(groups[-1], placed, plain):
            groups[-1].append(placed)
        else:
            groups.append([placed])
    return groups


def _respective_times(sentence: Sentence, calendar: FiscalCalendar) -> dict[int, Moment]:
    """Return when numbers are that are listed for as many years ("$5, $4 and $3 will expire in 2030, 2031 and 2032").

    They are by the position at which they begin, and only if the word "respectively" follows the years.
    """
    text, found = sentence.text, dict[int, Moment]()
    begin = 0
    for word in _RESPECTIVELY.finditer(text):
        years = [(p, s, e) for p, s, e in sentence.periods if begin <= s < word.start() and p.kind == "year"]
        numbers = [m.ref for m in sentence.mentions if begin <= m.ref.start < word.start()]
        begin = word.end()
        if not _LEAST_LISTED <= len(years) == len(numbers) or numbers[-1].end > years[0][1]:
            continue
        listed = [text[one[2] : other[1]] for one, other in pairwise(years)] + [text[years[-1][2] : word.start()]]
        listed += [text[one.end : other.start] for one, other in pairwise(numbers)]
        if all(map(_LISTED.fullmatch, listed)):
            moments = [moment_of_period(period, calendar) for period, _, _ in years]
            found |= {ref.start: when for ref, when in zip(numbers, moments, strict=True) if when is not None}
    return found


def _names_a_thing(text: str, mention: Mention) -> bool:
    """Whether a number is part of a name: 737-8, Form 10-K, Section 6."""
    ref, quantity = mention.ref, mention.quantity
    if quantity.unit is not None or quantity.scale is not Scale.ONE:
        return False
    if not text[: ref.start].strip("*†^([ ") and not text[ref.end :].lstrip(" ,").lstrip("*†").lstrip()[:1].islower():
        return True  # the number of a paragraph or an exhibit
    around = text[max(0, ref.start - 1) : ref.start] + text[ref.end : ref.end + 1]
    return (
        any(char in "-/" or char.isalpha() for char in around)
        or bool(_REFERENCE.search(text, max(0, ref.start - 15), ref.start))
        or _follows_a_name(text, ref.start, ref.end)
    )


def _follows_a_name(text: str, start: int, end: int) -> bool:
    """Whether a number is called after a capitalised word (Model 3), or is the page of a heading in a list."""
    before = text[max(0, start - _LONGEST_NAME) : start]
    if before.rstrip().endswith((" . .", "...")):
        return True
    words = before.split()
    if not words or before[-1] != " " or "," in text[start:end]:
        return False
    word = words[-1].lstrip('(\u201c\u2018"\u2013')
    if not word[:1].isupper() or word.lower() in _OPENERS or word.endswith((".", ",", ":", ";", ")", "\u2019s", "'s")):
        return False
    if _TITLE.match(text, end):
        return False
    opens = not any(map(str.isalnum, text[: start - len(words[-1]) - 1]))
    return not opens or (not word.endswith(("ed", "ing")) and bool(_OPENED.match(text, end)))


def _read_cell(document: Document, mention: Mention, moment: Moment | None, plain: str, usual: Scale) -> FactCell:
    quantity = mention.quantity
    scale = quantity.scale
    fact = document.fact(mention.ref)
    if fact is None:
        if _may_be_short(quantity) and not is_price(plain[mention.ref.end : mention.ref.end + 30]):
            scale = usual
        return FactCell(mention.ref, quantity, scale, quantity.unit, moment, ())
    if scale is Scale.ONE:
        scale = _SCALES.get(fact.scale, scale)
    members = tuple(member.rpartition(":")[2] for _, member in fact.dimensions)
    return FactCell(
        mention.ref, quantity, scale, quantity.unit, moment_of_fact(fact) or moment, (), False, fact.concept, members
    )


def _goes_on(group: Sequence[_Placed], placed: _Placed, plain: str) -> bool:
    last, _, end = group[-1]
    cell, start, _ = placed
    return (
        (last.unit, last.concept, last.members, last.scale is Scale.PERCENT)
        == (cell.unit, cell.concept, cell.members, cell.scale is Scale.PERCENT)
        and all(cell.moment != other.moment for other, _, _ in group)
        and not any(mark in plain[end:start] for mark in ";:.")
        and all(word.lower() in _GLUE for word in _WORD.findall(plain, end, start))
    )


def _clause(plain: str, begin: int, start: int, end: int, stop: int) -> str:
    """Return the words that say what the numbers from `start` to `end` are."""
    if stop < len(plain):
        stop = _next_thing(plain, end, stop)
    right = _BREAK.search(plain, end, stop)
    after = plain[end : right.start() if right else stop]
    opening = _next_thing(plain, begin, start) if begin else start
    told = len(terms(" ".join(_without_glue(after))))
    least = _LEAST - told if opening == start or not told else 0
    marks = list(_BREAK.finditer(plain, 0, start))
    breaks = sorted({0, begin, opening, *(mark.end() for mark in marks)} - {start}, reverse=True)
    left = next((left for left in breaks if len(terms(plain[left:start])) >= least), 0)
    before = _without_aside(plain, left, start, begin, marks)
    return " ".join((*_without_glue(before)[-_MOST_BEFORE:], *_without_glue(after)[:_MOST_AFTER]))


def _next_thing(plain: str, begin: int, end: int) -> int:
    """Return where the words between two numbers begin to be about the second one: `end` if they do not."""
    found = _OF_WHICH.search(plain, begin, end)
    if found and not _BREAK.search(plain, found.end(), end):
        words = plain[begin : found.start()].rstrip()
        if not words or words[-1] == "," or not found[0].startswith("of"):
            return found.start()
    words_between = list(_WORD.finditer(plain, begin, end))
    joints = [place for place, word in enumerate(words_between) if word[0] == "and"]
    left = [word[0].lower() for word in words_between[joints[-1] + 1 :]] if joints else []
    if joints and len(left) < _MOST_AFTER_AND and _PLACES.isdisjoint(left[-1:]):
        joint = words_between[joints[-1]]
        if (len(joints) == 1 or not left) and not _BREAK.search(plain, joint.end(), end):
            return joint.end()
    return end


def _without_aside(plain: str, left: int, start: int, begin: int, marks: Sequence[re.Match[str]]) -> str:
    """Return the words before a number, of "the value, net of tax, was" without what is set between commas."""
    opening = next((mark[0] for mark in marks if mark.end() == left), "")
    closing = next((mark for mark in marks if mark.start() >= left), None)
    if opening in _CLOSED and closing is not None and closing[0] == _CLOSED[opening] and _ASIDE.match(plain, left):
        lefts = sorted({0, begin, *(mark.end() for mark in marks if mark.end() < left)}, reverse=True)
        other = next((one for one in lefts if len(terms(plain[one : left - 1])) >= _LEAST), -1)
        if other >= begin and _WORD.search(plain, closing.end(), start):
            return f"{plain[other : left - 1]} {plain[closing.end() : start]}"
    return plain[left:start]


def _without_glue(text: str) -> list[str]:
    """Return the words of a part of a clause without those at its ends that say nothing."""
    words = [found for word in text.split() if (found := word.strip(",.;:()"))]
    while words and words[0].lower() in _GLUE:
        del words[0]
    while words and words[-1].lower() in _GLUE:
        del words[-1]
    return words


def _may_be_short(quantity: Quantity) -> bool:
    """Whether an amount of money may count in the thousands or millions of the tables."""
    return (
        quantity.unit is not None
        and quantity.unit.isupper()
        and quantity.scale is Scale.ONE
        and scale_in_text(quantity) is None
        and int(quantity.value.as_tuple().exponent) > _CENTS
    )


def _usual_scale(document: Document) -> Scale:
    """Return what most amounts of running text count in that print no scale, by their tags."""
    counts: Counter[Scale] = Counter()
    for mention in (mention for sentence in document.sentences for mention in sentence.mentions):
        fact = document.fact(mention.ref)
        if fact is not None and _may_be_short(mention.quantity) and fact.unit and "/" not in fact.unit:
            counts[_SCALES.get(fact.scale, Scale.ONE)] += 1
    return counts.most_common(1)[0][0] if counts else Scale.ONE
