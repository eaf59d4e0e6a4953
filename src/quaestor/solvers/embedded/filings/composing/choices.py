"""Which is highest, which of two, and yes or no."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product

from quaestor.core.quantity import Scale
from quaestor.core.words import NUMBER_WORDS
from quaestor.facts.moments import Moment
from quaestor.plan.steps import Constant
from quaestor.solvers.embedded.filings.composing.blocks import is_rest, names_apart
from quaestor.solvers.embedded.filings.composing.meant import Meant, read_meant
from quaestor.solvers.embedded.filings.composing.pairs import (
    EITHER,
    asks_for_fall,
    asks_for_rise,
    asks_of_then,
    read_pairs,
    two_moments,
)
from quaestor.solvers.embedded.filings.composing.question import Proposal, Question, Terms, log_share
from quaestor.solvers.embedded.filings.composing.ratios import read_two
from quaestor.solvers.embedded.filings.composing.several import (
    Entry,
    entries_of_last,
    join_lists,
    moments_of_list,
    propose_items,
    read_entries,
    write_moment,
)
from quaestor.solvers.embedded.filings.composing.values import moments_to_try, propose_printed_extremes, spell_value

_LOW = re.compile(r"\b(?:smallest|lowest|least|fewest|minimum|slowest|worst|weakest|shortest|smaller|bottom)\b")
_GROWTH = re.compile(
    r"\b(?:gr[eo]w\w*|growth|fast\w*|slow\w*|increas\w+|decreas\w+|declin\w+|f[ea]ll\w*|shr[aiu]nk|drop\w*|rose|rise|jump\w*|gain\w*|lost)\b"
)
_FALL = re.compile(r"\b(?:decreas\w+|declin\w+|f[ea]ll\w*|shr[aiu]nk|drop\w*|lost|down)\b")
_IN_AMOUNTS = re.compile(
    r"\bin (?:us )?(?:dollars?|absolute|amounts?)\b|\bin \$|\b(?:dollar|absolute) (?:terms|amount)\b"
)
"""Words by which changes are ranked by their size rather than in percent."""
_WHEN = re.compile(
    r"\b(?:which|what|best|worst|highest|lowest|strongest|weakest)\s+(?:fiscal\s+)?(?:year|quarter)\b|\bwhen\b"
    r"|\b(?:of|in) (?:those|these|the(?: \w+)?) (?:years|quarters)\b"
)
_REST = re.compile(r"(?:all )?other (?:countries|international|foreign|regions|states)\b|rest of (?:the )?world\b")
"""Names of the places that are left, none of which is one."""
_PLACES = {"second": 2, "two": 2, "2": 2, "next": 2, "third": 3, "three": 3, "3": 3}
_PLACE = re.compile(
    r"\b(?:number |no\. ?|#)(?P<place>two|three|2|3)\b|\b(?P<place2>second|third|next)[\s-]+"
    r"(?:largest|biggest|highest|most|best)|\b(?:comes?|came|ranks?|ranked|is|was) (?:in )?(?P<place3>second|third)\b"
)
_EXTREME = "(?:largest|biggest|highest|smallest|lowest|best|worst|fastest|slowest|leading)"
_SEVERAL = rf"(?:{'|'.join(NUMBER_WORDS)}|[2-9])"
_FEW = re.compile(rf"\b(?:(?:top|bottom|{_EXTREME}) (?P<few>{_SEVERAL})|(?P<many>{_SEVERAL}) {_EXTREME})\b")
_OF_THEM = re.compile(r"\b(?:of|among) (?:them|those|these|the (?:\w+))\b|\bany\b")
_WHICH = re.compile(r"\b(?:which|what|who|where)\b")
_DIRECTION = re.compile(
    rf"{_GROWTH.pattern}|\b(?:more|less|fewer|than|up|down|high\w*|low\w*|larg\w*|big\w*|small\w*|better|worse|improv\w*"
    r"|worsen\w*|beat\w*|chang\w*|compar\w*|expand\w*|contract\w*|widen\w*|narrow\w*|rais\w*|cut|doubl\w*|tripl\w*"
    r"|reduc\w*|ahead|behind|exceed\w*|surpass\w*|accelerat\w*|gr[eo]w\w*|since|versus|vs)\b"
)
"""Words that compare one time with another."""
_POSITIVE = re.compile(r"\b(?:positive|profitable|in the black|a profit|make money|made money|a surplus)\b")
_NEGATIVE = re.compile(r"\b(?:negative|in the red|a loss|lose money|losing money|loss-making|unprofitable|a deficit)\b")
_LIMIT = re.compile(
    r"\b(?P<how>more|less|over|under|above|below|exceed\w*|at least|top\w*|fewer|bigger|higher|lower"
    r"|greater|smaller)\s+"
    r"(?:than\s+)?\$?"
    r"(?P<number>\d[\d,]{0,15}(?:\.\d{1,6})?)\s*(?P<scale>%|percent|bn|billion|m|mm|million|thousand|k)?"
)
_SCALES = {
    "bn": Scale.BILLION, "billion": Scale.BILLION, "m": Scale.MILLION, "mm": Scale.MILLION, "million": Scale.MILLION,
    "thousand": Scale.THOUSAND, "k": Scale.THOUSAND,
}  # fmt: skip
_BELOW = ("less", "under", "below", "fewer", "lower", "smaller")


def propose_rankings(question: Question) -> Iterator[Proposal]:
    """Yield the member, or the time, with the highest or the lowest number or growth; or an extreme that is printed."""
    printed = list(propose_printed_extremes(question))
    yield from printed
    if printed:
        return
    low = bool(_LOW.search(question.text))
    timed = question.last is not None and question.last.form == "list" and not question.own
    when = 0.85 if timed or _WHEN.search(question.text) else 0.08
    grows = bool(_GROWTH.search(question.text))
    place = _place(question.text)
    several = _FEW.search(question.text)
    few = several and (several["few"] or several["many"])
    for listed, share in read_entries(question):
        named = [entry for entry in listed if not _REST.match(entry[0].lower()) and not is_rest(entry[0])]
        entries = named if len(named) > 1 else listed
        unnamed = len({label.lower() for label, _, _ in entries}) < 2
        score = log_share(share * (1 - when)) - 1.5 * unnamed
        if grows:
            yield from _growth_ranking(question, [(label, meant) for label, meant, _ in entries], score, "ranking")
        if few is not None:
            if made := _first_few(question, entries, NUMBER_WORDS.get(few) or int(few), score, low=low):
                yield made
            continue
        chosen = "argmin" if low else "argmax"
        if place > 1:
            chosen, score = f"rank {-place if low else place}", score + 0.5
        if made := propose_items(question, entries, "ranking", score - 2.0 * grows, chosen):
            yield made
    for meant in read_meant(question)[:4]:
        entries = [(write_moment(moment), meant, moment) for moment in moments_of_list(question, meant)]
        chosen = "argmin" if low else "argmax"
        if made := propose_items(question, entries, "ranking", log_share(meant.share * when), chosen):
            yield made


def _first_few(question: Question, entries: Sequence[Entry], count: int, score: float, *, low: bool) -> Proposal | None:
    """Return a list of the entries with the highest or the lowest numbers: "the top three segments"."""
    sizes: list[tuple[float, Entry]] = []
    for entry in entries:
        terms = Terms(question.table)
        name = entry[1].spell(entry[2], terms, "")
        extract = terms.variables.get(name or "")
        if extract is None or extract.quantity is None:
            return None
        sizes.append((float(extract.quantity.value), entry))
    sizes.sort(key=lambda one: one[0], reverse=not low)
    return propose_items(question, [entry for _, entry in sizes[:count]], "members", score)


def _place(text: str) -> int:
    """Return which place of a ranking is asked for."""
    found = _PLACE.search(text)
    return 1 if found is None else _PLACES[found["place"] or found["place2"] or found["place3"]]


def _growth_ranking(
    question: Question, entries: Sequence[tuple[str, Meant]], score: float, form: str
) -> Iterator[Proposal]:
    """Yield the one whose number grew most, or fell most."""
    pair = two_moments(question, entries[0][1]) if entries else None
    if pair is None:
        return
    terms = Terms(question.table)
    formulas = []
    for name, meant in entries:
        label = question.table.write_out(name)
        old, new = _spell(meant, pair[0], terms, label), _spell(meant, pair[1], terms, label)
        if old is not None and new is not None:
            formulas.append(f"{new} - {old}" if _IN_AMOUNTS.search(question.text) else f"({new} - {old}) / {old}")
    joined = join_lists(formulas) if len(formulas) >= 2 else None
    lowest = bool(_FALL.search(question.text)) != bool(_LOW.search(question.text))
    if joined and (made := terms.proposal(f"{'argmin' if lowest else 'argmax'}({joined})", form, score)):
        yield made


def _spell(meant: Meant, moment: Moment, terms: Terms, label: str) -> str | None:
    return meant.spell(moment, terms, label or "-")


def propose_comparisons(question: Question) -> Iterator[Proposal]:
    """Yield which of two is higher, or whether something is higher than something else."""
    low = asks_for_fall(question.text) and not asks_for_rise(question.text)
    either = bool(EITHER.search(question.text))
    if question.names(1) and not either and question.reading.relation != "ratio":
        yield from _of_two(question, low=low)
        if chooses(question) or _WHICH.search(question.text):
            return
    if changed := list(_changed_of_last(question)):
        yield from changed
        return
    yield from _against_limit(question)
    yield from _signs(question)
    if either:
        yield from _both_times(question)
        return
    if len(question.moments) < 2 and not _DIRECTION.search(question.text) and question.own:
        return  # "do they pay a dividend?" compares nothing
    less = low != asks_of_then(question)
    for score, _, old, new, terms in read_pairs(question):
        if made := terms.proposal(f"{new} {'<' if less else '>'} {old}", "compare", score):
            yield made


def _changed_of_last(question: Question) -> Iterator[Proposal]:
    """Yield which of the last entries rose or fell, or whether any did: "which of them grew?"."""
    entries = entries_of_last(question) if _OF_THEM.search(question.text) and _DIRECTION.search(question.text) else []
    pair = two_moments(question, entries[0][1]) if entries else None
    if pair is None:
        return
    falls = asks_for_fall(question.text) and not asks_for_rise(question.text)
    terms = Terms(question.table)
    formulas = []
    for label, meant, _ in entries:
        old, new = _spell(meant, pair[0], terms, label), _spell(meant, pair[1], terms, label)
        if old is None or new is None:
            return
        formulas.append((old, new))
    if _WHICH.search(question.text):
        joined = join_lists([f"{new} - {old}" for old, new in formulas])
        made = terms.proposal(f"{'argmin' if falls else 'argmax'}({joined})", "compare", 0.0) if joined else None
    else:
        changes = [(_difference(old, new, terms), old, new) for old, new in formulas]
        if any(change is None for change, _, _ in changes):
            return
        most = (min if falls else max)(changes, key=lambda one: one[0] or 0.0)
        made = terms.proposal(f"{most[2]} {'<' if falls else '>'} {most[1]}", "compare", 0.0)
    if made is not None:
        yield made


def _difference(old: str, new: str, terms: Terms) -> float | None:
    first, second = (terms.variables.get(name) for name in (old, new))
    if first is None or second is None or first.quantity is None or second.quantity is None:
        return None
    return float(second.quantity.value - first.quantity.value)


def _both_times(question: Question) -> Iterator[Proposal]:
    """Yield the later and the earlier number: what "higher or lower than last year" asks to see."""
    for meant in read_meant(question)[:4]:
        pair = two_moments(question, meant)
        if pair is None:
            continue
        entries = [(write_moment(moment), meant, moment) for moment in reversed(pair)]
        if made := propose_items(question, entries, "compare", log_share(meant.share)):
            yield made


def _of_two(question: Question, *, low: bool) -> Iterator[Proposal]:
    """Yield which of two operands is higher, or whether the first is."""
    sign = "<" if low or re.search(r"\b(?:below|under)\b", question.text) else ">"
    if chooses(question) or _WHICH.search(question.text):
        for one in read_meant(question, 0)[:3]:
            for other in read_meant(question, 1)[:3]:
                moment = moments_to_try(question)[0]
                entries = [
                    (name, meant, moment)
                    for name, meant in zip(_names_of_two(question, one, other), (one, other), strict=True)
                ]
                chosen = "argmin" if sign == "<" else "argmax"
                score = log_share(one.share) + log_share(other.share)
                if _GROWTH.search(question.text):
                    named = [(label, meant) for label, meant, _ in entries]
                    yield from _growth_ranking(question, named, score, "compare")
                    continue
                if made := propose_items(question, entries, "compare", score, chosen):
                    yield made
        return
    grows = bool(_GROWTH.search(question.text))
    if grows:
        yield from _growths_of_two(question, sign)
    for score, first, second, terms in read_two(question):
        if made := terms.proposal(f"{first} {sign} {second}", "compare", score - 2.0 * grows):
            yield made


def _growths_of_two(question: Question, sign: str) -> Iterator[Proposal]:
    """Yield whether one thing grew more than another: "did sales grow faster than costs?"."""
    for one, other in product(read_meant(question, 0)[:3], read_meant(question, 1)[:3]):
        pair = two_moments(question, one)
        if pair is None:
            continue
        terms = Terms(question.table)
        numbers = [meant.spell(moment, terms, "") for meant in (one, other) for moment in pair]
        if None in numbers:
            continue
        first, second = (f"({new} - {old}) / {old}" for old, new in (numbers[:2], numbers[2:]))
        score = log_share(one.share) + log_share(other.share)
        if made := terms.proposal(f"({first}) {sign} ({second})", "compare", score):
            yield made


def chooses(question: Question) -> bool:
    """Return whether a question asks for one of two operands, rather than yes or no."""
    return question.names(1) and question.reading.relation == "versus" and " or " in question.text


def _names_of_two(question: Question, one: Meant, other: Meant) -> Sequence[str]:
    """Return the names of two things: of their lines, of what differs if these are the same, else as they are asked."""
    if one.series and other.series:
        names = names_apart(question.table, (one.series[0], other.series[0]))
        if names[0] and names[0] != names[1]:
            return names
    return [operand.text.strip() for operand in question.reading.operands[:2]]


def _against_limit(question: Question) -> Iterator[Proposal]:
    """Yield whether a number is more, or less, than the one that the question gives."""
    found = _LIMIT.search(question.text)
    if found is None:
        return
    printed, scale = found["number"].replace(",", ""), found["scale"] or ""
    if scale in ("%", "percent"):
        limit = Constant(Decimal(printed) / 100, f"{printed}%")
    else:
        limit = Constant(Decimal(printed), printed, _SCALES.get(scale, Scale.ONE))
    sign = "<" if found["how"].startswith(_BELOW) else ">"
    for meant in read_meant(question)[:4]:
        terms = Terms(question.table)
        text = spell_value(question, meant, terms)
        if text is None:
            continue
        if made := terms.proposal(f"{text} {sign} limit", "compare", log_share(meant.share) + 0.5, limit=limit):
            yield made


def _signs(question: Question) -> Iterator[Proposal]:
    """Yield whether a number is positive, or negative."""
    negative = bool(_NEGATIVE.search(question.text))
    if not negative and not _POSITIVE.search(question.text):
        return
    for meant in read_meant(question)[:4]:
        terms = Terms(question.table)
        text = spell_value(question, replace(meant, share=meant.share), terms)
        if text is not None and (
            made := terms.proposal(f"{text} {'<' if negative else '>'} 0", "compare", log_share(meant.share) + 1.0)
        ):
            yield made
