"""Several numbers: sums and averages over times, and lists by time or by member."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod

from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.core.terms import terms as terms_of
from quaestor.core.words import NUMBER_WORDS
from quaestor.facts.lines import Moment
from quaestor.facts.table import Series
from quaestor.questions.developments import AVERAGE_CHANGE
from quaestor.questions.listing import names_best_time
from quaestor.solvers.embedded.filings.composing.blocks import (
    MOST_TRIED,
    Block,
    label_line,
    name_members,
    read_blocks,
)
from quaestor.solvers.embedded.filings.composing.finding import (
    asks_what_is_due,
    find_rest,
    list_future_years,
    read_schedules,
)
from quaestor.solvers.embedded.filings.composing.formulas import VARIABLE, FormulaTerms
from quaestor.solvers.embedded.filings.composing.meanings import (
    OperandMeaning,
    build_meaning,
    divide_for_member,
    measure_for_member,
    read_meanings,
    read_ratio,
    read_whole_meanings,
    repeat_for_member,
    repeat_node,
)
from quaestor.solvers.embedded.filings.composing.question import BoundQuestion, Proposal, log_share
from quaestor.solvers.embedded.filings.composing.ratios import REVENUE, names_margin, propose_totals
from quaestor.solvers.embedded.filings.composing.references import list_last_two, names_two
from quaestor.solvers.embedded.filings.composing.values import (
    list_moments,
    propose_values,
)
from quaestor.solvers.embedded.filings.past import PastAnswer, is_printed_twice

_MOST_ITEMS, _MOST_RANKED = 24, 80
_QUARTERS = lazy_regex(
    r"\b(?:(?:which|what|each|every|by)(?: (?:fiscal|(?:19|20)\d\d))? quarter\b(?! of the year before)"
    r"|quarter by quarter|(?:the|all|four) (?:four )?quarters)\b"
)
_TOGETHER = lazy_regex(r"\b(?:total|sum|altogether|together|combined|add|both)\b")
_ADDED = lazy_regex(r"\b(?:sum|altogether|together|combined|add|both)\b")
"""Words that ask for a sum even if it is not printed; a "total" may be the name of a line."""
_PER_QUARTER = lazy_regex(r"\bquarterly\b|\b(?:per|a|each|every) quarter\b")
_PER_MONTH = lazy_regex(r"\bmonthly\b|\b(?:per|a|each|every) month\b")
_REMAINDER = frozenset(terms_of("rest remaining other others else"))
_LOW = lazy_regex(
    r"\b(?:smallest|lowest|least|fewest|minimum|slowest|worst|weakest|shortest|smaller|bottom|thinnest|slimmest|narrowest"
    r"|tightest|poorest|cheapest|youngest)\b"
)
_EXTREME = "(?:largest|biggest|highest|smallest|lowest|best|worst|fastest|slowest|leading)"
_SEVERAL = rf"(?:{'|'.join(NUMBER_WORDS)}|[2-9])"
_FEW = lazy_regex(
    rf"\b(?:(?:top|bottom|{_EXTREME}) (?P<few>{_SEVERAL})|(?P<many>{_SEVERAL}) {_EXTREME}"
    rf"|(?P<those>{_SEVERAL}) (?:\w+ ){{1,2}}(?:whose|that|which|with)\b.{{0,60}}\b(?:most|least))\b"
)
Entry = tuple[str, OperandMeaning, Moment | None]
"""Entry of a list: its name, meaning and time."""
_BY_TIME = lazy_regex(
    r"\b(?:years|annual(?:ly)?|each year|year by year|by year|per year|quarters|by quarter|each quarter|over time|trend"
    r"|history)\b"
)
_AS_MANY = lazy_regex(rf"\b(?:the|all|those|these) (?P<many>{'|'.join(NUMBER_WORDS)})\b(?! years?| quarters?| months?)")
_AHEAD = lazy_regex(r"\b(?:next|through|until|within)\b")
_STATED = 0.5
"""Score bonus for a schedule if the question asks for payments due."""
_BY_MEMBER = lazy_regex(
    r"\b(?:by|split|break\w*|broken|each|every|segments?|regions?|products?|categor\w+|countr\w+|geograph\w+|divisions?|business\w*"
    r"|types?|mix|which|(?:all|both|those|the) (?:of them|two|three|four|five|six))\b"
)


def write_moment(moment: Moment) -> str:
    """Return the label of a time in a list."""
    if moment.months in (0, 12) and moment.quarter == 4:
        return f"{moment.year}"
    return f"Q{moment.quarter} {moment.year}" if moment.months in (0, 3) else f"{moment.months}M {moment.year}"


def choose_moments(question: BoundQuestion, meaning: OperandMeaning) -> Sequence[Moment]:
    """Return the times of a list in order: those of the question or earlier answers, else all available ones."""
    last, latest = question.last, question.table.latest
    if _QUARTERS.search(question.text) or names_best_time(question.text, "quarter"):
        year = question.first_wanted.year
        return [Moment(year, quarter, 3) for quarter in (1, 2, 3, 4)]
    if len(question.moments) >= 2:
        years = [moment for moment in meaning.moments if moment.months in (0, 12) and moment.end <= latest.end]
        every = [query.count for query in question.reading.moments] == [0]  # "by year" names no years
        return sorted(years if every and len(years) > len(question.moments) else question.moments)
    if last is not None and len(last.moments) >= 2 and not question.moments:
        return sorted(last.moments)
    if not question.own and last is not None and not question.moments:
        trail = {past.anchor for past in question.before[:3] if past.measured[0].shape() == last.measured[0].shape()}
        if len(trail) >= 2:
            return sorted(moment for moment in trail if moment is not None)
    printed = meaning.moments
    if not printed:
        return [latest.before(years=2), latest.before(years=1), latest]
    wanted = question.wanted[:1]
    months = wanted[0].months if wanted and any(moment.months == wanted[0].months for moment in printed) else None
    if months is None:
        ends = [moment for moment in printed if moment.end == latest.end] or list(printed)
        months = max(ends, key=lambda moment: moment.months == latest.months).months
    return sorted(moment for moment in printed if moment.months == months)


def _spell_all(meaning: OperandMeaning, moments: Sequence[Moment], terms: FormulaTerms) -> list[str]:
    found = [meaning.spell(moment, terms, write_moment(moment)) for moment in moments]
    return [text for text in found if text is not None]


def propose_sums(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield sums of operands, over times and of listed items, and printed totals."""
    few = read_few(question.text) if _ADDED.search(question.text) else 0
    for entries, share in read_entries(question) if few else ():
        yield from propose_first(question, entries, few, log_share(share) + _STATED)
    over_times = list(_sum_over_times(question))
    yield from over_times
    if over_times and question.reading.times_relation == "sum":
        return
    yield from propose_totals(question)
    yield from _sum_last(question)
    if len(question.moments) < 2:
        for proposal in propose_values(question):
            yield proposal if proposal.form != "value" else replace(proposal, score=proposal.score - 0.5)


def _sum_over_times(question: BoundQuestion) -> Iterator[Proposal]:
    together = question.reading.total_asked or _ADDED.search(question.text)
    if len(question.moments) == 1 or not (question.moments or together):
        return
    two = bool(question.moments) and question.reading.relation == "sum" and len(question.reading.operands) == 2
    places = (0, 1) if two else (0,)
    for chosen in product(*(read_meanings(question, place)[: 3 if two else MOST_TRIED] for place in places)):
        moments = choose_moments(question, chosen[0])
        terms = FormulaTerms(question.table)
        names = [name for meaning in chosen for name in _spell_all(meaning, moments, terms)]
        score = sum(log_share(meaning.share) for meaning in chosen)
        if len(set(names)) == len(chosen) * len(moments) > 1:
            for proposal in terms.propose(f"sum({', '.join(names)})", "sum", score):
                yield replace(proposal, score=proposal.score - (0.0 if len(question.moments) >= 2 else 0.7))


def _sum_last(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield the sum of the entries of an earlier list, or of the last two answers."""
    if question.reading.relation == "difference":
        return
    together = bool(_TOGETHER.search(question.text))
    counted = _find_last_list(question) if _AS_MANY.search(question.text) and together else None
    earlier = counted or question.last
    if (
        len(question.moments) > (counted is not None or names_two(question.text))
        or earlier is None
        or (question.own and not together)
    ):
        return
    nodes = earlier.measured
    if len(nodes) < 2 and len(question.before) >= 2:
        last_two = tuple(past.measured[0] for past in reversed(question.before[:2]))
        nodes = list_last_two(question, alike=True) or last_two
    if not 2 <= len(nodes) <= _MOST_ITEMS or (len(nodes) == 2 and is_printed_twice(*nodes)):
        return
    terms = FormulaTerms(question.table)
    moment = question.moments[0] if question.moments else None
    names = [name for node in nodes if (name := repeat_node(node, 1.0).spell(moment, terms, "")) is not None]
    if len(set(names)) == len(nodes):
        share = 0.6 if question.own and counted is None else 0.8
        yield from terms.propose(f"sum({', '.join(names)})", "sum", log_share(share))


def propose_averages(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield averages over times, and a longer period's average per quarter or month."""
    each = 3 if _PER_QUARTER.search(question.text) else 1 if _PER_MONTH.search(question.text) else 0
    listed = question.reading.relation == "sum"  # "technology and development" may be one name
    meanings = read_whole_meanings(question) if listed else read_meanings(question, part=True)
    for meaning in meanings[:MOST_TRIED]:
        moments = choose_moments(question, meaning)
        terms = FormulaTerms(question.table)
        if AVERAGE_CHANGE.search(question.text):
            yield from _average_changes(meaning, moments, terms)
            continue
        names = _spell_all(meaning, moments, terms)
        if 2 <= len(names) == len(moments):
            for proposal in terms.propose(f"avg({', '.join(names)})", "average", log_share(meaning.share)):
                yield replace(proposal, score=proposal.score - (1.5 if each and moments[0].months != each else 0.0))
        if each:
            yield from _average_parts(question, meaning, each)


def _average_changes(meaning: OperandMeaning, moments: Sequence[Moment], terms: FormulaTerms) -> Iterator[Proposal]:
    """Yield the total change divided by the number of years or quarters."""
    names = _spell_all(meaning, [moments[0], moments[-1]], terms)
    quarters = 4 * (moments[-1].year - moments[0].year) + moments[-1].quarter - moments[0].quarter
    count = quarters if moments[0].months == 3 else quarters // 4
    if len(names) == 2 and count > 0:
        yield from terms.propose(f"({names[1]} - {names[0]}) / {count}", "average", log_share(meaning.share))


def _average_parts(question: BoundQuestion, meaning: OperandMeaning, each: int) -> Iterator[Proposal]:
    latest = question.table.latest
    to_date = Moment(latest.year, latest.quarter, 3 * latest.quarter)
    for moment in (*question.wanted[:1], to_date):
        terms = FormulaTerms(question.table)
        if moment.months > each and (text := meaning.spell(moment, terms, "")) is not None:
            yield from terms.propose(f"{text} / {moment.months // each}", "average", log_share(meaning.share) + 0.3)
            return


def propose_items(
    question: BoundQuestion,
    labelled: Sequence[Entry],
    form: str,
    score: float,
    last: str = "",
    *,
    by_size: bool = False,
) -> Iterator[Proposal]:
    """Yield a plan that lists labelled numbers, unless they are too few or too many.

    Args:
        last: An operation on the list, with its argument: `argmax`, `rank 2`.
        by_size: Whether the operation ignores the signs of the numbers.
    """
    if not 2 <= len(labelled) <= (_MOST_RANKED if last else _MOST_ITEMS):
        return
    terms = FormulaTerms(question.table)
    texts = [
        text
        for label, meaning, moment in labelled
        if (text := meaning.spell(moment, terms, question.table.write_out(label) or "-")) is not None
    ]
    formula = join_lists(texts)
    if formula is None or len(texts) < 2:
        return
    operation, _, place = last.partition(" ")
    limit = f", {place}" if place else ""
    sizes = f"abs({formula})" if by_size else formula
    yield from terms.propose(f"{operation}({sizes}{limit})" if last else formula, form, score)


def asks_for_lowest(text: str) -> bool:
    """Return whether a lower-case question asks for the lowest of several."""
    return bool(_LOW.search(text))


def read_few(text: str) -> int:
    """Return how many of the first a lower-case question asks for ("the three largest"); 0 if it does not."""
    found = _FEW.search(text)
    few = (found["few"] or found["many"] or found["those"]) if found is not None else "0"
    return NUMBER_WORDS.get(few) or int(few)


def sort_entries(question: BoundQuestion, entries: Sequence[Entry], *, low: bool) -> list[Entry]:
    """Sort entries by their numbers; return an empty list if an entry is not a single number."""
    amounts = [read_entry(question, entry) for entry in entries]
    if None in amounts:
        return []
    order = sorted(range(len(entries)), key=lambda place: amounts[place] or 0.0, reverse=not low)
    return [entries[place] for place in order]


def propose_first(question: BoundQuestion, entries: Sequence[Entry], count: int, score: float) -> Iterator[Proposal]:
    """Yield a plan that lists the first entries in the order of their numbers, or that adds them up."""
    first = sort_entries(question, entries, low=asks_for_lowest(question.text))[:count]
    if _ADDED.search(question.text):
        return propose_items(question, first, "sum", score, "sum")
    return propose_items(question, first, "members", score)


def read_entry(question: BoundQuestion, entry: Entry) -> float | None:
    """Return the number of an entry, or None if it is not a single number."""
    terms = FormulaTerms(question.table)
    name = entry[1].spell(entry[2], terms, "")
    extract = terms.variables.get(name or "")
    if extract is None or extract.quantity is None:
        return None
    value = float(extract.quantity.value)
    return abs(value) if extract.reading == "magnitude" else value


def join_lists(texts: Sequence[str]) -> str | None:
    """Combine formulas of one shape into a formula of lists: `a / c` and `b / d` into `items(a, b) / items(c, d)`."""
    if len({VARIABLE.sub("x", text) for text in texts}) != 1:
        return None
    columns = zip(*(VARIABLE.findall(text) for text in texts), strict=True)
    lists = [f"items({', '.join(column)})" for column in columns]
    rest = VARIABLE.split(texts[0])
    return "".join(part + listed for part, listed in zip(rest, (*lists, ""), strict=True))


def propose_lists(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield lists by time and by member."""
    yield from _list_what_is_due(question)
    if question.reading.relation == "sum" and len(question.operands) > 2:
        return  # the question names the entries of its list
    by_time, by_member = _read_list_kind(question)
    for meaning in read_meanings(question)[:MOST_TRIED]:
        listed = choose_moments(question, meaning)
        named = len(question.moments) > 1 and len(listed) == len(question.moments)
        moments = question.moments if named else tuple(reversed(listed))
        timed = [(write_moment(moment), meaning, moment) for moment in moments]
        yield from propose_items(question, timed, "list", log_share(meaning.share * by_time))
    for entries, share in read_entries(question):
        yield from propose_items(question, entries, "members", log_share(share * by_member))


def _list_what_is_due(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans that list the payments due in each year, and after the last one."""
    if not asks_what_is_due(question):
        return
    for bound in read_schedules(question):
        years = list_future_years(bound.series, question.table)
        named = [moment for moment in years if moment in question.moments]
        meaning = build_meaning(bound.series, bound.share)
        entries: list[Entry] = [(write_moment(moment), meaning, moment) for moment in named or years]
        rest = None if named or _AHEAD.search(question.text) else find_rest(bound.series, question.table)
        if rest is not None:
            entries.append((rest.line.label, build_meaning(rest, bound.share), None))
        yield from propose_items(question, entries, "list", log_share(bound.share) + _STATED)


def list_operands(question: BoundQuestion) -> Iterator[Proposal]:
    """Yield plans that list the operands of a question: "cash flow and capex"."""
    if len(question.operands) < 2:
        return
    moment = list_moments(question)[0]
    places = range(len(question.operands))
    for chosen in product(*(read_meanings(question, place)[: 2 if len(places) == 2 else 1] for place in places)):
        if len({one.series[0].place for one in chosen if one.series}) < sum(bool(one.series) for one in chosen):
            continue  # two names of one thing: "how much of it matures"
        names = [label_line(meaning.series[0].line) if meaning.series else "" for meaning in chosen]
        if len(set(names)) < len(names) and all(meaning.series for meaning in chosen):
            names = name_members(question.table, [meaning.series[0] for meaning in chosen])
        listed = [(name, meaning, moment) for name, meaning in zip(names, chosen, strict=True)]
        yield from propose_items(question, listed, "list", log_share(prod(one.share for one in chosen) * 0.5))


def _read_list_kind(question: BoundQuestion) -> tuple[float, float]:
    """Return the probabilities that a list is by time and by member."""
    if len(question.moments) >= 2:
        return 0.9, 0.1
    time, member = bool(_BY_TIME.search(question.text)), bool(_BY_MEMBER.search(question.text))
    if len(question.moments) == 1:
        return 0.1, 0.9
    return (0.8, 0.2) if time and not member else (0.15, 0.85) if member and not time else (0.5, 0.5)


def read_entries(question: BoundQuestion) -> Iterator[tuple[list[Entry], float]]:
    """Yield members as entries of a list, with their probability; a requested ratio is computed for each member."""
    of_member = _find_member_ratio(question)
    for block in _filter_members(question, read_blocks(question)):
        entries: list[Entry] = []
        if of_member is not None and block.members[0][1].first.scale is not Scale.PERCENT:
            entries = _list_entries(question, [(name, of_member(one)) for name, one in block.members])
        if len(entries) < 2:
            entries = _list_entries(question, [(name, build_meaning(one, 1.0)) for name, one in block.members])
        yield entries, block.share


def _find_member_ratio(question: BoundQuestion) -> Callable[[Series], OperandMeaning] | None:
    """Return a function that computes the requested ratio for a member; None if the question asks for amounts.

    The ratio is a named measure, the last answer divided by a named concept, or the ratio of the last answer.
    """
    last, operands = question.last, question.reading.operands
    node = last.measured[0] if last is not None else None
    if question.own and (formula := read_ratio(operands[0])) is not None:
        return partial(measure_for_member, question, formula)
    if node is None:
        return None
    if node.kind == "divide" and not question.own:
        return partial(repeat_for_member, question, node)
    by_operand = len(operands) > 1 and question.reading.relation == "ratio"
    wholes = sorted(operands[1].concepts) if by_operand else REVENUE if names_margin(operands[0]) else ()
    if node.series is None or node.series.first.scale is Scale.PERCENT or not wholes:
        return None
    return partial(divide_for_member, question, node, wholes)


def _find_last_list(question: BoundQuestion) -> PastAnswer | None:
    """Return the last list, or the last one with as many entries as the question names ("the four")."""
    sets = [past for past in question.before if past.form in ("list", "members", "ranking") and len(past.measured) > 1]
    match = _AS_MANY.search(question.text)
    count = NUMBER_WORDS.get(match["many"], 0) if match is not None else 0
    if count > 1:
        return next((past for past in sets if len(past.measured) == count), None)
    return sets[0] if sets and sets[0] is question.last else None


def _filter_members(question: BoundQuestion, blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks without the member that a question excludes; if it names several members, with only those."""
    question_terms = set(terms_of(question.text))
    for block in blocks:
        left = [(name, one) for name, one in block.members if not question.left_out & set(terms_of(name))]
        named = [(name, one) for name, one in left if question_terms.issuperset(terms_of(name))]
        left = named if len(named) > 1 and question_terms.isdisjoint(_REMAINDER) else left
        if len(left) > 1:
            yield replace(block, members=tuple(left))


def _list_entries(question: BoundQuestion, named: Sequence[tuple[str, OperandMeaning]]) -> list[Entry]:
    """Return entries for the members that have a number at the requested time."""
    found: list[Entry] = []
    for moment in list_moments(question):
        found = [
            (name, meaning, moment)
            for name, meaning in named
            if meaning.spell(moment, FormulaTerms(question.table), name) is not None
        ]
        if len(found) >= 2:
            break
    return found
