"""Measures that a question asks for by name: "free cash flow in 2024", "the annual growth rate of sales from 2022 on".

Owns what of a question's words makes it such a one, and how one that goes on ("and in 2023?") is completed from those
before it. Knows no document: words that it cannot place it names, for those who can.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, cast

from quaestor.core.periods import Period, shifted
from quaestor.core.words import FUNCTION_WORDS, NUMBER_WORDS, words
from quaestor.ontology.core import find_phrase
from quaestor.ontology.lexicon import Measure, read_measures
from quaestor.questions.question import Question

MeasureForm = Literal[
    "value", "change", "percentage_change", "growth_rate", "average", "average_change", "higher", "lower"
]
"""What is wanted of a measure: itself, how far it moved, the compound annual growth rate, the mean of several years or
of its changes from year to year, or whether it is higher or lower at the time that is named first than at the other."""

_GROWTH_RATE = re.compile(
    r"\b(?:compound(?:ed)?[\s-]+(?:annual(?:i[sz]ed)?[\s-]+)?(?:rate of growth|growth(?:[\s-]+rate)?)|cagr"
    r"|annuali[sz]ed (?:rate of growth|growth(?: rate)?)|compound(?:ed)? annual rate"
    r"|(?:average|mean) (?:annual|yearly) (?:rate of growth|growth(?: rate)?))\b(?: \(?cagr\)?)?"
)
_AVERAGE = re.compile(r"\b(?:average|mean)(?: annual| yearly)?\b")
_CHANGE = re.compile(
    r"\b(?:percent(?:age)? (?:change|increase|decrease|decline|growth)|growth rate|rate of growth|growth|change[ds]?"
    r"|increase[ds]?|decrease[ds]?|decline[ds]?|gr[eo]wn?|rise|rose|risen|f[ae]ll(?:en)?|improve[ds]?|difference)\b"
)
_HIGHER = re.compile(
    r"\b(?:higher|greater|larger|more|above|better|bigger|increased?|ris(?:e|en)|rose|gr[eo]wn?|improved?)\b"
)
_LOWER = re.compile(r"\b(?:lower|less|smaller|below|worse|decreased?|declined?|f[ae]ll(?:en)?|shr[aiu]nk|dropp?e?d?)\b")
_RELATIVE = re.compile(r"percent|%|growth|\brate\b|\bgr[eo]w")
_LAST_YEARS = re.compile(
    r"\b(?:over|for|in|during|of|across) (?:the |these |those )?(?:last|past) (?P<count>two|three|four|five|\d)"
    r" (?:fiscal )?years\b"
    r"|\b(?P<long>two|three|four|five|six|seven|eight|nine|ten|1?\d)[- ]year\b"
)
_LENGTHS = (
    (9, re.compile(r"\bnine months\b")),
    (6, re.compile(r"\bsix months\b|\b(?:first|second) half\b|\bhalf[- ]year\b")),
    (3, re.compile(r"\bquarter\b(?! of (?:all|the total|revenue|sales))|\bthree months\b")),
)
_YEAR = re.compile(r"(?<![\w.,$])(?:19|20)\d\d(?![\w%]|[.,]\d)")
"""A year in a question; what pages lose signs for ("2022", a bullet) people write for the year alone."""
_GOES_ON = re.compile(
    r"(?:(?:and|so|then|now|ok|okay)\b[\s,]*)*(?:(?:what|how) about\s+)?"
    r"(?:(?:that|the same|it)\s+)?(?:(?:in|for|of|at|during|as of)\s+)?(?:the\s+)?(?:end of\s+)?(?:fiscal\s+)?"
    r"(?:year\s+)?"
    r"(?:was it |were they )?<period>[\s?.!]*"
)
_MOVED = re.compile(
    r"(?:(?:and|so|then|now|ok|okay)\b[\s,]*)*(?:how|by how much) (?:much )?(?:did|has) (?:it|that|this)"
    r" (?:change|grow|grown|rise|risen|fall|fallen|move|develop|improve)d?(?P<percent>,? in percent(?:age terms)?)?"
    r"(?: (?:from|since|compared (?:with|to)|versus|over|in|against) (?:fiscal )?<period>)?[\s?.!]*"
)
_TO_ANOTHER = re.compile(
    r"\b(?:divided|multiplied|times|minus|plus|per|versus|vs|relative to|compared (?:to|with)|proportion of|share of)\b"
    r"|\b(?:percentage|percent|%) of\b"
)
"""What sets a measure against something else."""
_ASKS_CHANGE = re.compile(
    r"(?:(?:and|so|then|now|ok|okay)\b[\s,]*)*what (?:is|was) the (?:change|difference)"
    r"(?: between (?:them|the two|these two|both|those))?(?P<percent>,? in percent(?:age terms)?)?[\s?.!]*"
)
_NEUTRAL = frozenset(
    "actual based basis called company company's computed consolidated corporation current date days ended firm full "
    "get generated group had half latest level million months most much overall recent reported so-called stand stood "
    "whole worth business businesses come came amount to in thousands millions billions dollars usd".split()
)
"""Words around a measure that make no other figure of it, apart from those that carry no meaning anywhere."""
_LEADS_OWNER = frozenset("of for at by did has does had".split())
_OF_LINES = frozenset({"growth_rate", "average", "average_change"})
"""What may be wanted of any line."""
_MOST = 8
"""So many questions back one may have begun that is still gone on with."""


@dataclass(frozen=True, slots=True)
class AskedMeasure:
    """A measure, or a line, as a question asks for it.

    Attributes:
        measure: Which; None if it is of a line that the document may print.
        wording: The words of the question that name it.
        periods: The periods that are named, in order; a range is its first and its last year.
        last_years: That it is of so many years up to the latest; 0 if not stated.
        offset: That it is so many years from the latest, or from the period named.
        owners: Words that may name its owner.
        others: Words that make another figure of it, unless they name the company.
        another: Another measure that is asked for with it, or "".
        months: The length of time that is named without a year ("in the quarter"), in months; 0 if none is.
    """

    measure: Measure | None
    line: str
    wording: str
    form: MeasureForm
    periods: tuple[Period, ...] = ()
    last_years: int = 0
    offset: int = 0
    owners: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    another: str = ""
    months: int = 0

    @property
    def called(self) -> str:
        """What it is called."""
        return self.measure.label if self.measure is not None else self.line


def asked_measure(question: Question, earlier: Sequence[Question] = ()) -> AskedMeasure | None:
    """Return the measure that a question asks for; None if it asks for anything else.

    >>> from quaestor.questions.question import read_question
    >>> asked_measure(read_question("what was free cash flow in 2024?")).periods[0].year
    2024

    Args:
        earlier: The questions before, oldest first, which it may leave words to.
    """
    found: AskedMeasure | None = None
    before_that: AskedMeasure | None = None
    for asked in (*earlier[-_MOST:], question):
        last, own = found, _read_own_measure(asked)
        if own is not None:
            leans = own.form == "value" and not own.periods and not own.offset and _leans_on_earlier(asked)
            before = next((q for q in reversed(earlier) if q.periods), None) if leans else None
            found = replace(own, periods=_read_periods(before)[-1:]) if before is not None else own
        else:
            found = _read_continuation(asked, found, before_that) if found is not None else None
        before_that = last
    return found


@lru_cache(maxsize=2048)
def _read_own_measure(question: Question) -> AskedMeasure | None:
    """The measure that a question names itself."""
    compares = question.wants.kind == "yes_no"
    if not compares and (question.wants.selection is not None or question.wants.kind not in ("number", "numbers")):
        return None
    named = _find_measure(question.lowered)
    text = _blank_out(question, None if named is None else named[1])
    form, rest = _read_comparison(text) if compares else _read_form(text)
    if form is None:
        return None
    if named is None:
        return _read_line_measure(question, form, rest) if form in _OF_LINES else None
    owners, others = _read_neighbours(rest)
    second = _find_measure(rest)
    if form == "value" and second is None and (other := _TO_ANOTHER.search(rest)) is not None:
        others = (*others, other[0])
    offset = question.offsets[0] if question.offsets else 0
    count = _last_years(question, form)
    periods = _read_periods(question)
    wording = question.lowered[named[1][0] : named[1][1]]
    another = "" if second is None else second[0].label
    months = 0 if periods else next((n for n, length in _LENGTHS if length.search(question.lowered)), 0)
    return AskedMeasure(named[0], "", wording, form, periods, count, offset, owners, others, another, months)


def _last_years(question: Question, form: MeasureForm) -> int:
    """Of how many years up to the latest something is asked; growth of so many years is from the one before them."""
    years = _LAST_YEARS.search(question.lowered)
    if years is None:
        return 0
    count_words = years["count"] or years["long"]
    count = int(count_words) if count_words.isdigit() else NUMBER_WORDS[count_words]
    return count + (years["long"] is not None and form == "growth_rate")


def _find_measure(text: str) -> tuple[Measure, tuple[int, int]] | None:
    """The measure with the longest name in a text: a gross profit margin is not a profit margin."""
    found = [(m, span) for m in read_measures().measures if (span := find_phrase(text, m.matcher))]
    return max(found, key=lambda one: one[1][1] - one[1][0]) if found else None


def _blank_out(question: Question, name: tuple[int, int] | None) -> str:
    """A question without its measure's name (a bar) and its periods (spaces)."""
    text = list(question.lowered)
    spans = _time_spans(question)
    spans += [found.span() for found in (*_LAST_YEARS.finditer(question.lowered), *_bare_years(question))]
    for start, end in spans:
        text[start:end] = " " * (end - start)
    if name is not None:
        text[name[0] : name[1]] = "|" + " " * (name[1] - name[0] - 1)
    return "".join(text)


def _time_spans(question: Question) -> list[tuple[int, int]]:
    named = [(mention.start, mention.end) for mention in question.periods]
    return named + [(relative.start, relative.end) for relative in question.relative_periods]


def _read_form(text: str) -> tuple[MeasureForm | None, str]:
    """What is wanted, and the text without the words for it; None of the mean of changes."""
    if _GROWTH_RATE.search(text) is not None:
        return "growth_rate", _GROWTH_RATE.sub(" ", text)
    if _AVERAGE.search(text) is not None:
        rest = _AVERAGE.sub(" ", text)
        if _CHANGE.search(rest) is None:
            return "average", rest
        return (None if _RELATIVE.search(rest) else "average_change"), _CHANGE.sub(" ", rest)
    if _CHANGE.search(text) is not None:
        relative = _RELATIVE.search(text) is not None
        left = re.sub(r"\bin percent(?:age terms)?\b|\bin %", " ", _CHANGE.sub(" ", text))
        return ("percentage_change" if relative else "change"), left
    return "value", text


def _read_comparison(text: str) -> tuple[MeasureForm | None, str]:
    """Whether it is asked if something is higher at one time than at another, or lower, and the text without that."""
    for form, words_for_it in (("higher", _HIGHER), ("lower", _LOWER)):
        if words_for_it.search(text) is not None:
            return cast("MeasureForm", form), re.sub(
                r"\bthan\b|\bcompared (?:to|with)\b", " ", words_for_it.sub(" ", text)
            )
    return None, text


def _read_line_measure(question: Question, form: MeasureForm, rest: str) -> AskedMeasure | None:
    """A growth rate or an average of a line: what is left of the question is what the line is called."""
    periods = _read_periods(question)
    count = _last_years(question, form)
    if form == "average" and not (count or len({period.year for period in periods}) > 1):
        return None
    called = list(words(re.sub(r"[()]", " ", rest)))
    while called and (called[0] in FUNCTION_WORDS - {"net", "total"} or called[0] in _NEUTRAL or _is_owner(called[0])):
        del called[0]
    while called and (called[-1] in FUNCTION_WORDS or called[-1] in _NEUTRAL):
        del called[-1]
    if not called:
        return None
    line = " ".join(called)
    return AskedMeasure(None, line, line, form, periods, count)


def _read_periods(question: Question) -> tuple[Period, ...]:
    """The periods named, a range as its first and its last year."""
    found: list[Period] = []
    for mention in question.periods:
        period = mention.period
        if period.kind == "range" and period.last is not None:
            found += [Period("year", period.year), Period("year", period.last)]
        else:
            found.append(period)
    years = [Period("year", int(year[0])) for year in _bare_years(question)]
    return tuple(
        sorted(dict.fromkeys((*found, *years)), key=lambda period: period.year) if years else dict.fromkeys(found)
    )


def _bare_years(question: Question) -> list[re.Match[str]]:
    """The years of a question that are within no period that was read."""
    inside = [(mention.start, mention.end) for mention in question.periods]
    return [y for y in _YEAR.finditer(question.lowered) if not any(a <= y.start() < b for a, b in inside)]


def _read_neighbours(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words around a measure that may name its owner, and those that make another figure of it."""
    owners: list[str] = []
    others: list[str] = []
    tokens = [word for word in words(text) if word != "|"]
    for place, word in enumerate(tokens):
        if word in FUNCTION_WORDS or word in _NEUTRAL or not word[0].isalpha():
            continue
        before = [other for other in tokens[max(0, place - 3) : place] if other not in ("the", "company")]
        led = bool(before) and (before[-1] in _LEADS_OWNER or before[-1] in owners)
        (owners if led or _is_owner(word) else others).append(word)
    return tuple(owners), tuple(others)


def _is_owner(word: str) -> bool:
    return word.endswith(("'s", "\u2019s", "s'"))


def _leans_on_earlier(question: Question) -> bool:
    return re.match(r"and\b|what about|how about|.*\bthen\s*\??$", question.lowered.strip()) is not None


def _periods_of_same(before: AskedMeasure, that: AskedMeasure | None) -> tuple[Period, ...]:
    """The periods of the question before the last, if it asked for the same measure at another time."""
    same = that is not None and that.form == "value" and that.called == before.called
    return that.periods if that is not None and same and that.periods != before.periods else ()


def _read_continuation(question: Question, before: AskedMeasure, that: AskedMeasure | None) -> AskedMeasure | None:
    """What a question without a measure of its own asks for, if it only names another time, or how that one moved.

    Args:
        question: What is asked.
        before: What the question before asked for.
        that: What the one before that asked for, if that was a measure too.
    """
    text = question.lowered
    for start, end in sorted(_time_spans(question), reverse=True):
        text = f"{text[:start]}<period>{text[end:]}"
    text = " ".join(text.split())
    moved = _MOVED.fullmatch(text) or _ASKS_CHANGE.fullmatch(text)
    if moved is not None and before.form in ("value", "change", "percentage_change"):
        before = before if before.form == "value" else replace(before, periods=before.periods[:1])
        form: MeasureForm = "percentage_change" if moved["percent"] else "change"
        # "And in 2024?", then "how did it change?": between the two that were asked for.
        named = _read_periods(question)
        others = named or (() if question.relative_periods else _periods_of_same(before, that))
        return replace(before, form=form, periods=(*before.periods, *others), last_years=0, offset=0)
    if _GOES_ON.fullmatch(text) is None or before.form != "value":
        return None
    if question.offsets and before.periods:
        return replace(before, periods=(shifted(before.periods[-1], question.offsets[0]),))
    if question.offsets:
        return replace(before, offset=before.offset + question.offsets[0])
    return replace(before, periods=_read_periods(question), offset=0)
