"""Facts in sentences, and an index of sentences by their terms."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import log
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from quaestor.core.fiscal import FiscalCalendar
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Quantity, Scale
from quaestor.core.terms import spans_of_terms, terms
from quaestor.documents.captions import is_price, scale_in_text
from quaestor.documents.document import Document, Mention, Paragraph, Sentence
from quaestor.documents.table import TableRole
from quaestor.documents.text_periods import periods_in_text
from quaestor.facts.lines import FactCell, FactLine, Moment, moment_of_fact, moment_of_period, term_set

# Lines from sentences: numbers of running text and what they measure.
#
# Numbers listed for several times ("was $5 million, $4 million and $3 million in 2024, 2023 and 2022") are one line.
# Its label is the clause around them.

_Placed = tuple[FactCell, int, int]
"""A number with its start and end in the sentence."""
_GLUE = frozenset(
    "and or in for at as of on compared to with from versus during the fiscal year years ended respectively "
    "approximately about an a nearly it was were is are end first second third fourth same period "
    "quarter quarters months".split()
)
"""Words between numbers of one list."""
_WORD = lazy_regex(r"[A-Za-z][A-Za-z&'/-]*")
_BREAK = lazy_regex(r"[;:()\u2014]|,(?=\s)")
_OF_WHICH = lazy_regex(r"\b(?:of which|including|excluding|of whom|compared)\b")
_ASIDE = lazy_regex(
    r"\s*(?:based|including|excluding|inclusive|exclusive|net of|before|after|which|who|as defined|included|consisting"
    r"|assuming|calculated|adjusted|if|when|subject to|no par|in the aggregate|primarily)\b"
)
"""Beginning of an aside between commas."""
_CLOSED = {",": ",", "(": ")"}
_PLACES = frozenset("in at by over for from with on under within across through".split())
"""Words that continue the description before them: "122 offices and facilities in 33 countries"."""
_MOST_AFTER_AND = 3
"""Maximal number of words before a number after an "and" that introduces a new thing."""
_LISTED = lazy_regex(r"\s?,?\s?(?:and\s)?(?:approximately\s)?\W{0,2}")
"""Text between years or numbers of a list."""
_RESPECTIVELY = lazy_regex(r"\brespectively\b")
_LEAST_LISTED = 2
_MOST_BEFORE, _MOST_AFTER = 14, 9
"""Numbers of words before and after a number that describe it."""
_LEAST = 2
"""Minimal number of terms that describe a number; a shorter clause continues the one before it."""
_REFERENCE = lazy_regex(
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
"""Words whose capital letter does not make the following number part of a name."""
_OPENED = lazy_regex(r"\s(?:[A-Z\u201c(]|(?:is|was|are|has|will|and|or|platform|series)\b)|\W*$")
"""Text after a name at the start of a sentence. After a verb ("Opened 12 stores"), the counted thing follows."""
_TITLE = lazy_regex(
    r"\s(?:(?:Senior|Executive|Vice|Corporate|Co-)\s?){0,3}(?:President|Chair|Chief|Director|General Counsel)"
)
"""Text after the age of an officer."""
_BETWEEN = lazy_regex(r"[^\W\d_]|[,;]\s")
"""A letter or comma, which separates the numbers of prose."""
_TABULAR = 12
"""Minimal count of numbers in a sentence that may be a table."""
_LONGEST_NAME = 30
_CENTS = -2
_SCALES = {0: Scale.ONE, 3: Scale.THOUSAND, 6: Scale.MILLION, 9: Scale.BILLION}


def read_sentence_lines(document: Document, calendar: FiscalCalendar, place: int) -> Iterator[FactLine]:
    """Yield the lines of the sentences in a document."""
    usual = _usual_scale(document)
    before: Sentence | None = None
    for index, sentence in enumerate(document.sentences):
        plain = _without_numbers(sentence) if sentence.mentions and is_prose(sentence) else ""
        if plain and (groups := _group_numbers(document, index, calendar, usual, plain)):
            heading = " ".join(document.section(groups[0][0][0].ref).path[-2:])
            title = before.text if before is not None and before.section == sentence.section else ""
            moments = (moment_of_period(period, calendar) for period, _, _ in sentence.periods)
            years = frozenset(moment.year for moment in moments if moment is not None)
            bounds = [(0, 0), *((group[0][1], group[-1][2]) for group in groups), (len(plain), len(plain))]
            for number, group in enumerate(groups, 1):
                cells = tuple(cell for cell, _, _ in group)
                label = _find_clause(plain, bounds[number - 1][1], *bounds[number], bounds[number + 1][0])
                concept = next((cell.concept for cell in cells if cell.concept), "")
                yield FactLine(
                    place, label, (), -1 - index, title, heading, TableRole.OTHER, cells, concept, float(bool(concept)),
                    cells[0].members, sentence.text, years,
                )  # fmt: skip
                place += 1
        before = sentence


def is_prose(sentence: Sentence) -> bool:
    """Return whether a sentence is prose rather than a table printed as text, in which numbers follow each other."""
    refs = [mention.ref for mention in sentence.mentions]
    if len(refs) < _TABULAR:
        return True
    follow = sum(not _BETWEEN.search(sentence.text, one.end, other.start) for one, other in pairwise(refs))
    return 2 * follow < len(refs)


def _without_numbers(sentence: Sentence) -> str:
    """Return the text of a sentence with numbers and periods blanked."""
    spans = [(mention.ref.start, mention.ref.end) for mention in sentence.mentions]
    spans += [(start, end) for _, start, end in sentence.periods]
    text = sentence.text
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _group_numbers(
    document: Document, index: int, calendar: FiscalCalendar, usual: Scale, plain: str
) -> list[list[_Placed]]:
    """Group the numbers of a sentence that are about the same thing at different times."""
    sentence = document.sentences[index]
    if all(_names_a_thing(sentence.text, mention) for mention in sentence.mentions):
        return []
    groups: list[list[_Placed]] = []
    respective = _respective_times(sentence, calendar)
    for mention, periods in zip(sentence.mentions, periods_in_text(document, index), strict=True):
        if _names_a_thing(sentence.text, mention):
            continue
        moment = next((found for period in periods if (found := moment_of_period(period, calendar))), None)
        moment = respective.get(mention.ref.start, moment)
        cell = _read_cell(document, mention, moment, plain, usual)
        placed = cell, mention.ref.start, mention.ref.end
        if groups and _continues(groups[-1], placed, plain):
            groups[-1].append(placed)
        else:
            groups.append([placed])
    return groups


def _respective_times(sentence: Sentence, calendar: FiscalCalendar) -> dict[int, Moment]:
    """Return moments of numbers listed with equally many years ("$5, $4 and $3 will expire in 2030, 2031 and 2032").

    Keys are start positions. The word "respectively" must follow the years.
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
    """Whether a number belongs to a capitalised word (Model 3), or is the page number of a heading in a list."""
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


def _continues(group: Sequence[_Placed], placed: _Placed, plain: str) -> bool:
    last, _, end = group[-1]
    cell, start, _ = placed
    return (
        (last.unit, last.concept, last.members, last.scale is Scale.PERCENT)
        == (cell.unit, cell.concept, cell.members, cell.scale is Scale.PERCENT)
        and all(cell.moment != other.moment for other, _, _ in group)
        and not any(mark in plain[end:start] for mark in ";:.")
        and all(word.lower() in _GLUE for word in _WORD.findall(plain, end, start))
    )


def _find_clause(plain: str, begin: int, start: int, end: int, stop: int) -> str:
    """Return the words that describe the numbers from `start` to `end`."""
    if stop < len(plain):
        stop = _next_thing(plain, end, stop)
    right = _BREAK.search(plain, end, stop)
    after = plain[end : right.start() if right else stop]
    opening = _next_thing(plain, begin, start) if begin else start
    words_after = len(terms(" ".join(_without_glue(after))))
    least = _LEAST - words_after if opening == start or not words_after else 0
    marks = list(_BREAK.finditer(plain, 0, start))
    breaks = sorted({0, begin, opening, *(mark.end() for mark in marks)} - {start}, reverse=True)
    left = next((left for left in breaks if len(terms(plain[left:start])) >= least), 0)
    before = _without_aside(plain, left, start, begin, marks)
    return " ".join((*_without_glue(before)[-_MOST_BEFORE:], *_without_glue(after)[:_MOST_AFTER]))


def _next_thing(plain: str, begin: int, end: int) -> int:
    """Return where the text between two numbers starts to describe the second one: `end` if it does not."""
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
    """Return the text before a number without an aside between commas ("the value, net of tax, was")."""
    opening = next((mark[0] for mark in marks if mark.end() == left), "")
    closing = next((mark for mark in marks if mark.start() >= left), None)
    if opening in _CLOSED and closing is not None and closing[0] == _CLOSED[opening] and _ASIDE.match(plain, left):
        lefts = sorted({0, begin, *(mark.end() for mark in marks if mark.end() < left)}, reverse=True)
        other = next((one for one in lefts if len(terms(plain[one : left - 1])) >= _LEAST), -1)
        if other >= begin and _WORD.search(plain, closing.end(), start):
            return f"{plain[other : left - 1]} {plain[closing.end() : start]}"
    return plain[left:start]


def _without_glue(text: str) -> list[str]:
    """Return the words of a part of a clause without function words at the ends."""
    words = [found for word in text.split() if (found := word.strip(",.;:()"))]
    while words and words[0].lower() in _GLUE:
        del words[0]
    while words and words[-1].lower() in _GLUE:
        del words[-1]
    return words


def _may_be_short(quantity: Quantity) -> bool:
    """Whether an amount of money may be in the thousands or millions of the tables."""
    return (
        quantity.unit is not None
        and quantity.unit.isupper()
        and quantity.scale is Scale.ONE
        and scale_in_text(quantity) is None
        and int(quantity.value.as_tuple().exponent) > _CENTS
    )


def _usual_scale(document: Document) -> Scale:
    """Return the scale of most amounts in running text without a printed scale, by their tags."""
    counts: Counter[Scale] = Counter()
    for mention in (mention for sentence in document.sentences for mention in sentence.mentions):
        fact = document.fact(mention.ref)
        if fact is not None and _may_be_short(mention.quantity) and fact.unit and "/" not in fact.unit:
            counts[_SCALES.get(fact.scale, Scale.ONE)] += 1
    return counts.most_common(1)[0][0] if counts else Scale.ONE


_Key = TypeVar("_Key")

Flags = NDArray[np.bool_]
Floats = NDArray[np.float32]


RISES = term_set(
    """increase increased rose rise risen rising grew grow grown growing growth higher improve improved improvement
    gain gains expand expansion up more favorable favorably above stronger strong accelerate"""
)
FALLS = term_set(
    """decrease decreased fell fall fallen decline declined declining lower drop dropped reduce reduced reduction
    down shrink shrank worsen worse contraction deteriorate less weak weaker weakness loss losses unfavorable
    unfavorably negative below slower"""
)
CAUSE = term_set(
    """due driven drove because attributable attributed result resulted resulting reflect reflecting reflected owing
    caused led related stemming contributed impacted thanks"""
)
_SIGNS: Mapping[str, frozenset[str]] = {
    "cause": CAUSE,
    "mainly": term_set("primarily mainly principally largely mostly"),
    "offset": term_set("offset partially partly"),
    "rises": RISES,
    "falls": FALLS,
    "compares": term_set("compared versus prior year-over-year comparison"),
    "defines": term_set(
        "mean means refer defined define consist comprise comprised include represent measure calculated"
    ),
    "books": term_set("recognize recognized recorded measured when upon"),
    "excludes": term_set("exclude excluding excludes except"),
    "follows": term_set("following follows"),
    "denies": term_set("no not none never neither nor without cannot"),
    "expects": term_set(
        "expect anticipate forecast outlook guidance plan planned intend estimated will project target believe"
    ),
    "may": term_set("may could might would can should"),
    "about": term_set("approximately about nearly over roughly least"),
    "we": term_set("we company"),
    "person": term_set("officer president chairman director chief treasurer ceo cfo"),
    "served": term_set("served serve auditor auditors since"),
    "month": term_set("january february march april may june july august september october november december"),
    "three_months": term_set("quarter three"),
    "six_months": term_set("six nine half"),
    "year_named": term_set("year fiscal annual"),
    "percent": term_set("% percent basis"),
    "per": term_set("per each every"),
    "refers": term_set("see refer forth incorporated reference described discussed"),
    "forward": term_set("forward-looking assurance"),
    "adverse": term_set("adverse adversely harm risk risks"),
    "legal": term_set(
        "court plaintiff plaintiffs lawsuit complaint alleging alleged claims settlement jury appeal filed"
    ),
    "pays": term_set(
        "paid pay payment purchase purchased acquired acquisition sold completed announced agreed agreement"
    ),
    "employs": term_set("employ employees people associates workforce headcount"),
}
"""Terms of a sentence that are relevant to a kind of question."""
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "name": lazy_regex(r"[a-z,] [A-Z][a-z]+,? (?:[A-Z]\. )?[A-Z][a-z]+\b|^[A-Z][a-z]+ (?:[A-Z]\. )?[A-Z][a-z]+\b"),
    "money": lazy_regex(r"[$\u20ac\u00a3]"),
    "quoted": lazy_regex(r"[\u201c\"]"),
    "listed": lazy_regex(r", [^,;]{1,60}, (?:and|or) "),
    "opens": lazy_regex(r":\s*$"),
    "firm": lazy_regex(r"\bLLP\b|/s/"),
    "signed": lazy_regex(r"/s/"),
    "place": lazy_regex(
        r"\b(?:in|at|near) (?:the )?(?!Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Note|Item|Part)[A-Z][a-z]"
        r"|\bExchange\b"
    ),
}
"""Further features of a sentence."""

_SECTIONS: Mapping[str, re.Pattern[str]] = {
    "risks": lazy_regex(r"risk factors", re.IGNORECASE),
    "legal": lazy_regex(r"legal|contingenc|litigation", re.IGNORECASE),
    "discussion": lazy_regex(r"management.s discussion|results of operations|overview|highlights", re.IGNORECASE),
    "notes": lazy_regex(r"\bnotes? (?:to|\d)|^\d+\. |\(\d+\)|consolidated financial statements", re.IGNORECASE),
    "business": lazy_regex(r"\bbusiness\b|human capital|propert|employees", re.IGNORECASE),
    "policies": lazy_regex(r"accounting polic|recognition|critical accounting", re.IGNORECASE),
    "liquidity": lazy_regex(r"liquidity|capital resources|cash flow|financing", re.IGNORECASE),
    "auditor": lazy_regex(r"auditor|report of independent|accounting firm|signatures", re.IGNORECASE),
}
_NAMED = 0.7
"""Minimal share of occurrences of a name with a capital letter."""
SIGNS = (*_SIGNS, *_PATTERNS, *(f"in_{name}" for name in _SECTIONS))
_SHAPE = ("length", "position", "first", "paragraph", "numbers", "counts", "shouts", "bullet", "depth")
STATIC = (*SIGNS, *_SHAPE)
"""Names of the features of a sentence that do not depend on the question."""
_IN_AUDITOR = STATIC.index("in_auditor")
_LONGEST_REPORT = 100
"""Maximal number of sentences between those of an audit report and its signature."""


@dataclass(frozen=True)
class SentenceIndex:
    """Index of the sentences of a document.

    Attributes:
        begins: Index of the first sentence of each paragraph.
        numbers: Sentences that contain each number.
        static: Features of each sentence that do not depend on the question.
        counted: Numbers of each sentence: index among its terms, and kind (`money`, `percent`, `area`, `duration` or
            `count`).
        names: Terms usually written with a capital inside sentences: names of things, places and people.

    Shape: `static` is sentences x `len(STATIC)`.
    """

    sentences: tuple[Sentence, ...]
    paragraph: NDArray[np.intp] = field(repr=False)
    begins: NDArray[np.intp] = field(repr=False)
    section: NDArray[np.intp] = field(repr=False)
    postings: Mapping[str, NDArray[np.intp]] = field(repr=False)
    headings: Mapping[str, NDArray[np.intp]] = field(repr=False)
    terms: tuple[tuple[str, ...], ...] = field(repr=False)
    numbers: Mapping[float, NDArray[np.intp]] = field(repr=False)
    places: Mapping[tuple[str, int], int] = field(repr=False)
    static: Floats = field(repr=False)
    counted: tuple[tuple[tuple[int, str], ...], ...] = field(repr=False)
    names: frozenset[str] = field(default=frozenset(), repr=False)

    @cached_property
    def signatures(self) -> NDArray[np.intp]:
        """Sentences that are signatures."""
        signed = [place for place, one in enumerate(self.sentences) if one.text.lstrip().startswith("/s/")]
        return np.array(signed, np.intp)

    def signature_of(self, place: int) -> int | None:
        """Return the signature for a sentence of an audit report that begins with "We"; None for other sentences."""
        if not self.sentences[place].text.startswith("We ") or not self.static[place, _IN_AUDITOR]:
            return None
        far = np.abs(self.signatures - place)
        return int(self.signatures[far.argmin()]) if far.size and far.min() <= _LONGEST_REPORT else None

    def rarity(self, term: str) -> float:
        """Return the inverse document frequency of a term among the sentences."""
        return log((1 + len(self.sentences)) / (1 + len(self.postings.get(term, ()))))

    def having(self, wanted: Iterable[str]) -> Flags:
        """Return which sentences contain each of the terms.

        Shape: terms x sentences.
        """
        return self._spread(wanted, self.postings, len(self.sentences))

    def under(self, wanted: Iterable[str]) -> Flags:
        """Return which sentences are under a heading with each of the terms.

        Shape: terms x sentences.
        """
        return self._spread(wanted, self.headings, int(self.section.max(initial=0)) + 1)[:, self.section]

    @staticmethod
    def _spread(wanted: Iterable[str], postings: Mapping[str, NDArray[np.intp]], size: int) -> Flags:
        names = tuple(wanted)
        found = np.zeros((len(names), size), np.bool_)
        for row, name in enumerate(names):
            if (places := postings.get(name)) is not None:
                found[row, places] = True
        return found


@dataclass(frozen=True, slots=True)
class SentenceWords:
    """Terms and signs of all sentences of prose in a document, which take most of the time to index them.

    Attributes:
        terms: Terms of each sentence.
        counted: See `SentenceIndex.counted`.
        signs: Patterns that each sentence matches, by their index in `_PATTERNS`.
        names: See `SentenceIndex.names`.
    """

    terms: tuple[tuple[str, ...], ...]
    counted: tuple[tuple[tuple[int, str], ...], ...]
    signs: tuple[tuple[int, ...], ...]
    names: frozenset[str]


def read_words(document: Document) -> SentenceWords:
    """Return the terms and signs of the sentences of a document."""
    terms_of_sentences: list[tuple[str, ...]] = []
    counted: list[tuple[tuple[int, str], ...]] = []
    signs: list[tuple[int, ...]] = []
    written, capital = Counter[str](), Counter[str]()
    for sentence in (one for sentences in _prose(document) for one in sentences):
        text = sentence.text
        spans = spans_of_terms(text)
        found = tuple(term for _, _, term in spans)
        terms_of_sentences.append(found)
        starts = [begin for begin, _, _ in spans]
        counted.append(tuple(
            (max(0, bisect_right(starts, mention.ref.end - 1) - 1), _what_counts(mention.quantity))
            for mention in sentence.mentions
        ))  # fmt: skip
        signs.append(tuple(place for place, sign in enumerate(_PATTERNS.values()) if sign.search(text)))
        if not text.isupper():
            written.update(found[1:])
            capital.update(term for begin, _, term in spans[1:] if text[begin].isupper())
    names = frozenset(term for term, count in capital.items() if count >= _NAMED * written[term])
    return SentenceWords(tuple(terms_of_sentences), tuple(counted), tuple(signs), names)


def _prose(document: Document) -> Iterator[list[Sentence]]:
    """Yield the sentences of prose of each paragraph that has any."""
    for block in document.blocks:
        if isinstance(block.content, Paragraph) and (prose := list(filter(is_prose, block.content.sentences))):
            yield prose


def index_sentences(document: Document, words: SentenceWords | None = None) -> SentenceIndex:
    """Index the sentences of a document.

    Args:
        words: What `read_words` returns for the document; None to read them.
    """
    words = words or read_words(document)
    titles = {section.id: " ".join(section.path) for section in document.sections}
    numbered: dict[str, int] = {}
    sentences: list[Sentence] = []
    begins: list[int] = []
    paragraph: list[int] = []
    for prose in _prose(document):
        begins.append(len(sentences))
        sentences += prose
        paragraph += [len(begins) - 1] * len(prose)
    section = [numbered.setdefault(sentence.section, len(numbered)) for sentence in sentences]
    postings: dict[str, list[int]] = defaultdict(list)
    numbers: dict[float, list[int]] = defaultdict(list)
    for place, (sentence, found) in enumerate(zip(sentences, words.terms, strict=True)):
        for term in set(found):
            postings[term].append(place)
        for number in {abs(float(mention.quantity.value)) for mention in sentence.mentions}:
            numbers[number].append(place)
    headings: dict[str, list[int]] = defaultdict(list)
    for id, number in numbered.items():
        for term in set(terms(titles.get(id, ""))):
            headings[term].append(number)
    return SentenceIndex(
        tuple(sentences),
        np.array(paragraph, np.intp),
        np.array(begins, np.intp),
        np.array(section, np.intp),
        _as_arrays(postings),
        _as_arrays(headings),
        words.terms,
        _as_arrays(numbers),
        {(sentence.section, sentence.index): place for place, sentence in enumerate(sentences)},
        _describe(sentences, words, postings, paragraph, begins, [titles.get(id, "") for id in numbered], section),
        words.counted,
        words.names,
    )


def _as_arrays(found: Mapping[_Key, list[int]]) -> dict[_Key, NDArray[np.intp]]:
    return {key: np.array(places, np.intp) for key, places in found.items()}


def _describe(
    sentences: Sequence[Sentence],
    words: SentenceWords,
    postings: Mapping[str, Sequence[int]],
    paragraph: Sequence[int],
    begins: Sequence[int],
    titles: Sequence[str],
    section: Sequence[int],
) -> Floats:
    sections = np.array([[bool(sign.search(title)) for sign in _SECTIONS.values()] for title in titles], np.float32)
    depth = [float(title.count(" ")) for title in titles]
    signs = np.zeros((len(sentences), len(SIGNS) - len(_SECTIONS)), np.float32)
    for column, sign in enumerate(_SIGNS.values()):
        for term in sign:
            signs[postings.get(term, []), column] = 1.0
    for place, found in enumerate(words.signs):
        signs[place, [len(_SIGNS) + sign for sign in found]] = 1.0
    rows = []
    for place, sentence in enumerate(sentences):
        text = sentence.text
        ends = begins[paragraph[place] + 1] if paragraph[place] + 1 < len(begins) else len(sentences)
        rows.append((
            *sections[section[place]],
            float(len(words.terms[place])),
            place / len(sentences),
            float(place - begins[paragraph[place]]),
            float(ends - begins[paragraph[place]]),
            float(len(sentence.mentions)),
            float(sum(_is_count(one.quantity) for one in sentence.mentions)),
            float(text.isupper()),
            float(not text[:1].isalnum()),
            depth[section[place]],
        ))  # fmt: skip
    return np.hstack([signs, np.array(rows, np.float32).reshape(len(sentences), len(_SECTIONS) + len(_SHAPE))])


def _what_counts(quantity: Quantity) -> str:
    """Return the kind of a number, as in `SentenceIndex.counted`."""
    unit = quantity.unit
    if quantity.scale is Scale.PERCENT:
        return "percent"
    if unit is None:
        return "count"
    if unit.isupper() or "/" in unit:
        return "money"
    return "area" if unit.startswith("square") else "duration" if unit in _DURATIONS else "count"


_DURATIONS = frozenset({"years", "months", "days", "weeks", "hours"})


def _is_count(quantity: Quantity) -> bool:
    """Return whether a number counts things: neither money nor a percentage, and without a scale."""
    unit = quantity.unit
    return quantity.scale is Scale.ONE and (unit is None or not (unit.isupper() or "/" in unit))
