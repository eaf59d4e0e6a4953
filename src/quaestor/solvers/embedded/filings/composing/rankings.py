"""Rankings: the member, or the time, with the highest or lowest number or growth."""

from collections.abc import Iterator, Sequence
from math import isclose

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms as terms_of
from quaestor.facts.lines import Moment
from quaestor.questions.listing import names_best_time, read_order
from quaestor.solvers.embedded.filings.composing.blocks import is_rest, read_dimension
from quaestor.solvers.embedded.filings.composing.changes import (
    GROWTH,
    changes_in_amounts,
    find_two_moments,
)
from quaestor.solvers.embedded.filings.composing.formulas import FormulaTerms
from quaestor.solvers.embedded.filings.composing.meanings import (
    OperandMeaning,
    read_meanings,
)
from quaestor.solvers.embedded.filings.composing.question import BoundQuestion, Proposal, log_share
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

_FALL = lazy_regex(r"\b(?:decreas\w+|declin\w+|f[ea]ll\w*|shr[aiu]nk|drop\w*|lost|down)\b")
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
"""Words for amounts that are negative: the largest loss is the lowest number."""
_LOST_MONEY = lazy_regex(r"\b(?:lose|loses|lost) (?:the )?(?:most |least )?money\b")
_NAMED = lazy_regex(r"\b(?:named|by name)\b")
_OTHER = lazy_regex(r"(?:all )?others?\b")
_RESULT = lazy_regex(r"\b(?:income|profit|earnings|margin|results?|returns?|best|worst|change|growth|net)\b")
_PLACES = {"second": 2, "2nd": 2, "two": 2, "2": 2, "next": 2, "third": 3, "3rd": 3, "three": 3, "3": 3}
_PLACE = lazy_regex(
    r"\b(?:number |no\. ?|#)(?P<place>two|three|2|3)\b|\b(?P<place2>second|2nd|third|3rd|next)[\s-]+"
    r"(?:largest|biggest|highest|most|best)"
    r"|\b(?:comes?|came|ranks?|ranked|is|was|'s) (?:in )?(?P<place3>second|third)\b"
)
_TIME = 0.98
"""Probability that a question without a dimension asks for a time."""
_QUARTER, _HEADING = 3, 40


def propose_rankings(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans for the member, or the time, with the highest or lowest number or growth."""
    low = asks_for_lowest(question.text)
    timed = question.last is not None and question.last.form == "list" and not question.own
    asks_when = bool(_WHEN.search(question.text)) or names_best_time(question.text)
    when = _TIME if asks_when and not read_dimension(question.text) else 0.85 if timed or asks_when else 0.08
    grows = bool(GROWTH.search(question.text)) and not _LOST_MONEY.search(question.text)
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
            yield from rank_by_growth(question, members, score, "members" if few else "ranking", few)
        if few:
            yield from propose_first(question, entries, few, score - 2.0 * grows)
            continue
        chosen = "argmin" if low else "argmax"
        if place > 1:
            chosen, score = f"rank {-place if low else place}", score + 0.5
        yield from _choose_entry(question, entries, score - 2.0 * grows, chosen)
    for meaning in read_meanings(question)[:4]:
        entries = [
            (name_time(question, meaning, moment), meaning, moment) for moment in choose_moments(question, meaning)
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
    operand_terms = {term for operand in question.reading.operands for term in operand.terms}
    terms = [set(terms_of(name)) for name, _, _ in entries]
    named = [place for place, found in enumerate(terms) if len(found) >= 2 and found <= operand_terms]
    sizes = [abs(read_entry(question, entry) or 0.0) for entry in entries]
    if len(named) != 1 or len(entries) <= 2 or sizes[named[0]] < max(sizes):
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
    return left if len(left) >= 2 else entries


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
    yield from propose_items(question, negative if by_size else entries, "ranking", score, chosen, by_size=by_size)


def name_time(question: BoundQuestion, meaning: OperandMeaning, moment: Moment) -> str:
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
    yield from propose_items(question, ordered, "ranking", score)


def _read_place(text: str) -> int:
    """Return the requested place in a ranking."""
    found = _PLACE.search(text)
    return 1 if found is None else _PLACES[found["place"] or found["place2"] or found["place3"]]


def rank_by_growth(
    question: BoundQuestion, entries: Sequence[tuple[str, OperandMeaning]], score: float, form: str, few: int = 0
) -> Iterator[Proposal]:
    """Yield a plan for the entry that grew, or fell, most; for the changes of as many as `few` if it is not 0."""
    pair = find_two_moments(question, entries[0][1]) if entries else None
    if pair is None:
        return
    terms = FormulaTerms(question.table)
    falls = bool(_FALL.search(question.text))
    in_amounts = changes_in_amounts(question, [meaning for _, meaning in entries])
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
    if joined and chosen:
        yield from terms.propose(chosen, form, score)
