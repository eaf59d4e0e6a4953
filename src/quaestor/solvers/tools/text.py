"""`find_in_text`: find numbers in sentences and labels by words, unit and period.

A single match is chosen; several are all shown with their steps, and none is chosen.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from quaestor.core.answer_value import json_number
from quaestor.core.periods import Period, parse_period
from quaestor.core.provenance import SentenceRef
from quaestor.core.words import SMALL_WORDS, search_words, singular
from quaestor.graph.facts import HeaderNumber, MentionFact, SentenceFact, period_code, read_period_code, year_of
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.solvers.tools.messages import FindInText, MentionShown, Refusal, Scalar, SentenceShown, TextMatches
from quaestor.solvers.tools.page import GraphPage
from quaestor.solvers.tools.plan_builder import PlanBuilder

InText = MentionFact | HeaderNumber
"""A number outside the bodies of tables."""

_LOOKED_BACK = 2
_LONGEST_BEFORE = 200
"""Limit in characters for the previous sentence, of which the end is shown."""
_MOST_SHOWN = 10
# Minimum share of the words asked for that a sentence must contain.
_SHARE_NEEDED = 0.5
_UNITS = {
    "$": "usd", "us$": "usd", "dollar": "usd", "dollars": "usd", "%": "percent", "percentage": "percent",
    "percentages": "percent", "€": "eur", "euro": "eur", "euros": "eur", "£": "gbp", "pounds": "gbp",
    "thousands": "thousand", "millions": "million", "billions": "billion",
}  # fmt: skip

_MOST_SILENT = 3
_ALIKE = 0.7
"""Minimum similarity of two spellings of the same word."""

_SPAN = re.compile(r"P[1-9][0-9]?M/[12][0-9]{3}-(?:0[1-9]|1[0-2])|[12][0-9]{3}/(?:[12][0-9]{3}|\.\.)")


def sentence_of(item: InText) -> str:
    """Return the whole sentence or label with a number."""
    return item.sentence if isinstance(item, MentionFact) else item.label


@dataclass(frozen=True)
class PageText:
    """Sentences of a graph, indexed by place."""

    graph: KnowledgeGraph

    @cached_property
    def without_numbers(self) -> tuple[SentenceFact, ...]:
        """The sentences without numbers."""
        numbered = {mention.place for mention in self.graph.mentions}
        return tuple(sentence for sentence in self.graph.sentences if sentence.place not in numbered)

    def place(self, item: InText) -> str | tuple[str, int]:
        """Return a key for the sentence or label of a number."""
        source = item.source
        return (source.section, source.sentence) if isinstance(source, SentenceRef) else f"{source} {item.label}"

    def searched(self, item: InText | SentenceFact) -> str:
        """Return the text to match words against: the sentence with its headings."""
        text = item.text if isinstance(item, SentenceFact) else sentence_of(item)
        return " ".join((*self._path(item), text))

    def heading(self, item: InText | SentenceFact) -> str | None:
        """Return the headings of a sentence, outermost first; None if it has none."""
        return " > ".join(self._path(item)) or None

    def before(self, item: InText) -> str | None:
        """Return the end of the previous sentence in the same section, or None."""
        found = self._earlier(item)
        return found[-1].text[-_LONGEST_BEFORE:] if found else None

    def period_before(self, item: InText) -> tuple[Period, ...]:
        """Return the periods named by the nearer of the two previous sentences that names any.

        Empty if the number has a period or its sentence names one.
        """
        if not isinstance(item, MentionFact) or item.period or self._periods.get((item.source.section, item.place)):
            return ()
        for sentence in reversed(self._earlier(item)):
            if named := self._periods.get((sentence.section, sentence.place)):
                return tuple(named)
        return ()

    def _path(self, item: InText | SentenceFact) -> tuple[str, ...]:
        if isinstance(item, SentenceFact):
            return self.graph.path_of(item.section)
        return self.graph.path_of(item.source.section) if isinstance(item.source, SentenceRef) else ()

    def _earlier(self, item: InText) -> list[SentenceFact]:
        if not isinstance(item, MentionFact):
            return []
        earlier = self.graph.sentences[max(0, item.place - _LOOKED_BACK) : item.place]
        return [sentence for sentence in earlier if sentence.section == item.source.section]

    @cached_property
    def _periods(self) -> Mapping[tuple[str, int], dict[Period, None]]:
        """The periods named in each sentence, by section and place on the page."""
        places = {(sentence.section, sentence.index): sentence.place for sentence in self.graph.sentences}
        found: dict[tuple[str, int], dict[Period, None]] = {}
        for named in self.graph.labels:
            source = named.source
            if isinstance(source, SentenceRef) and named.period is not None:
                place = places[source.section, source.sentence]
                found.setdefault((source.section, place), {})[named.period] = None
        return found


def find_in_text(page: GraphPage, draft: PlanBuilder, request: FindInText) -> TextMatches | Refusal:
    """Return the sentences with matching numbers, best first, with a step for each; a single match is chosen."""
    if request.words is None and request.unit is None and request.period is None:
        return Refusal("find_in_text needs something to look for", "Give words, unit or period")
    numbers: list[InText] = [*page.graph.mentions, *(label for label in page.graph.labels if not label.year)]
    text = PageText(page.graph)
    period = None
    if request.period is not None and (period := read_period(request.period)) is None:
        return Refusal(
            f"'{request.period}' is not a period",
            "Write a year (2007), a quarter (2007-Q3) or a date",
            _periods(numbers),
        )
    words = [word for word in search_words(request.words or "") if word not in SMALL_WORDS]
    fitting = [n for n in numbers if counts(n, request.unit) and _period_fit(n, period, text) > 0]
    shares = {i: share_among(words, search_words(text.searched(n))) for i, n in enumerate(fitting)}
    best = max(shares.values(), default=0.0)
    found = [fitting[i] for i, share in shares.items() if share == best and share >= _SHARE_NEEDED]
    surest = max((_period_fit(n, period, text) for n in found), default=0)
    found = _printed_once([n for n in found if _period_fit(n, period, text) == surest], text)
    # Sentences without numbers may show where the numbers below them belong.
    silent = (
        _find_sentences_without_numbers(text, words, best if found else _SHARE_NEEDED)
        if request.unit is None and period is None
        else []
    )
    if not found and not silent:
        return _refuse_search(numbers, text, words, period, request)
    return _matches(found, silent, text, best == 1, draft, request)


def _printed_once(found: Sequence[InText], text: PageText) -> list[InText]:
    """Remove numbers that repeat the same amount, unit and period in another sentence."""
    places: dict[object, str | tuple[str, int]] = {}
    distinct = []
    for item in found:
        amount = item.quantity.number, item.counts.scale, item.quantity.unit, item.period
        alike = item.period is not None and (item.quantity.unit is not None or item.counts.percent)
        if not alike or places.setdefault(amount, text.place(item)) == text.place(item):
            distinct.append(item)
    return distinct


def _find_sentences_without_numbers(text: PageText, words: Sequence[str], needed: float) -> list[SentenceFact]:
    """Return the sentences without numbers that match the words best, if they match as well as those with numbers."""
    shares = {s: share_among(words, search_words(text.searched(s))) for s in text.without_numbers} if words else {}
    best = max(shares.values(), default=0.0)
    return [s for s, share in shares.items() if share == best >= needed][:_MOST_SILENT]


def _matches(
    found: Sequence[InText],
    silent: Sequence[SentenceFact],
    text: PageText,
    complete: bool,
    draft: PlanBuilder,
    request: FindInText,
) -> TextMatches:
    shown = found[:_MOST_SHOWN]
    is_chosen = len(found) == 1 and complete
    steps = [draft.extract(item, request.words) if is_chosen else draft.show(item, request.words) for item in shown]
    notes = [] if complete or not found else ["No number has all the words; these have the most of them"]
    if len(found) > 1:
        notes.append("Several numbers fit and none was chosen; name one by its step, or give more words")
    elif found and not is_chosen:
        notes.append("It was not chosen; if it is the right one, name it by its step")
    if not found:
        notes.append("No number fits; these sentences have the words")
    if any(text.period_before(item) for item in shown):
        notes.append("periodOfSentenceBefore: the sentence itself names no period")
    grouped: dict[str | tuple[str, int], list[tuple[InText, int]]] = {}
    for item, step in zip(shown, steps, strict=True):
        grouped.setdefault(text.place(item), []).append((item, step))
    alike = Counter(sentence_of(items[0][0]) for items in grouped.values())
    several = len(grouped) + len(silent) > 1
    sentences = [
        SentenceShown(
            sentence_of(items[0][0]),
            tuple(_mention_shown(item, step, text) for item, step in items),
            text.heading(items[0][0]) if several else None,
            text.before(items[0][0])
            if alike[sentence_of(items[0][0])] > 1 or any(text.period_before(item) for item, _ in items)
            else None,
        )
        for items in grouped.values()
    ]
    sentences += [SentenceShown(s.text, (), text.heading(s), None) for s in silent]
    return TextMatches(len(found), tuple(sentences), steps[0] if is_chosen else None, ". ".join(notes) or None)


def _mention_shown(item: InText, step: int, text: PageText) -> MentionShown:
    before = text.period_before(item)
    return MentionShown(
        value=json_number(item.quantity.value),
        raw_value=item.quantity.text,
        scale=item.counts.scale_word,
        unit=item.quantity.unit,
        period=period_code(item.period) if item.period else None,
        period_before=", ".join(map(period_code, before)) or None,
        source=item.source,
        step=step,
    )


def _refuse_search(
    numbers: Sequence[InText], text: PageText, words: Sequence[str], period: Period | None, request: FindInText
) -> Refusal:
    known = dict.fromkeys(w for n in numbers for w in search_words(text.searched(n)) if w not in SMALL_WORDS)
    near = [close for word in words if word not in known for close in get_close_matches(word, known, 2, _ALIKE)]
    units = sorted({item.quantity.unit or item.quantity.scale.value for item in numbers})
    given = {"words": request.words, "unit": request.unit, "period": request.period}
    alone = {
        "the words": None
        if request.words is None
        else [n for n in numbers if share_among(words, search_words(text.searched(n))) >= _SHARE_NEEDED],
        "the unit": None if request.unit is None else [n for n in numbers if counts(n, request.unit)],
        "the period": None if period is None else [n for n in numbers if _period_fit(n, period, text)],
    }
    fits = [f"{len(fit) or 'none'} fit{'s' * (len(fit) < 2)} {name}" for name, fit in alone.items() if fit is not None]
    return Refusal(
        "No number in the text has "
        + ", ".join(f"{k} = {v}" for k, v in given.items() if v is not None)
        + f": of {len(numbers)} numbers {', '.join(fits)}"
        + (", but none has all of it" if len(fits) > 1 else ""),
        f"Use other words, or query_kg for numbers of a table; units here are {', '.join(units) or 'none'}, "
        f"periods {', '.join(_periods(numbers)) or 'none'}",
        nearest=tuple(dict.fromkeys(near)),
    )


def read_period(value: Scalar) -> Period | None:
    """Parse a period as written by a model (2007, a date, any period code); None if it is not one."""
    text = str(value).strip()
    if quarter := re.fullmatch(r"([12][0-9]{3})-?q([1-4])", text, re.IGNORECASE):
        return Period("quarter", int(quarter[1]), quarter=int(quarter[2]))
    return read_period_code(text) if _SPAN.fullmatch(text) else parse_period(text)


def _periods(numbers: Sequence[InText]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(period_code(n.period) for n in numbers if n.period))[:_MOST_SHOWN]


def _period_fit(item: InText, period: Period | None, text: PageText) -> int:
    """Return how surely a number is of a period: 2 if its sentence names it, 1 if a previous one does, else 0.

    A year matches every period that ends in it.
    """
    if period is None or _is_of(item.period, period):
        return 2
    return int(any(_is_of(before, period) for before in text.period_before(item)))


def _is_of(known: Period | None, period: Period) -> bool:
    return known == period or (known is not None and period.kind == "year" and year_of(known) == period.year)


def counts(item: InText, unit: str | None) -> bool:
    """Return whether a number has a unit or a scale, by any of its names; always true without a unit."""
    if unit is None:
        return True
    wanted = _unit(unit)
    return wanted in {_unit(name) for name in (item.quantity.scale.value, item.quantity.unit) if name} - {"", "one"}


def _unit(name: str) -> str:
    """Normalize the name of a unit or a scale: `$` and dollars become usd, shares becomes share."""
    plain = name.strip().casefold()
    return " ".join(map(singular, _UNITS.get(plain, plain).split()))


def share_among(words: Sequence[str], among: Collection[str]) -> float:
    """Return the share of the words that are among others, from 0 to 1."""
    return sum(word in among for word in words) / len(words) if words else 1.0
