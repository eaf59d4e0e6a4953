"""Plans that answer a question about a filing: operations on the numbers of the series that its words may mean."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log

from quaestor.errors import PlanError
from quaestor.facts.moments import Moment
from quaestor.facts.table import FactCell, FactTable, Series
from quaestor.ontology.lexicon import Formula, read_lexicon
from quaestor.plan.expressions import parse_expression
from quaestor.plan.steps import Compute, Extract, Plan, Ref
from quaestor.questions.understanding import INTENTS, Operand, Reading

_FALLS = re.compile(
    r"\b(?:f[ae]ll(?:en)?|fell|drop(?:ped)?|declin\w+|decreas\w+|lower|less|shr[aiu]nk|lost|lose|down|reduc\w+|cut|slump\w*|slid\w*)\b"
)
_OUT = re.compile(
    r"\b(?:payments?|paid|purchases?|repurchases?|repayments?|expenses?|costs?|dividends?|expenditures?|additions|acquisitions?"
    r"|provision|charges?|used|investments? in|taxes withheld|buybacks?|loss|losses|interest)\b", re.IGNORECASE
)  # fmt: skip
_TO_BASE = re.compile(
    r"\b(?:on|from|vs\.?|versus|since|than|over|against|compared (?:to|with)|relative to)\s*(?:fy|fiscal)?\s*$"
)
_PERCENT = re.compile(r"%|\bpercent|\bpct\b|\bgrowth\b|\brate\b|\bhow fast\b|\byoy\b|year[- ]o(?:ver|n)[- ]year")

REVENUE = ("us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax", "us-gaap:Revenues")


@dataclass(frozen=True, slots=True)
class Bound:
    """A series that an operand may mean, with its probability."""

    series: Series
    share: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan that may answer a question.

    Attributes:
        plan: Its steps.
        score: The log of its probability.
        form: What it does: `value`, `growth`, `ratio`.
        series: What it takes its numbers from.
        moments: When.
        features: What is known of it, for the confidence.
    """

    plan: Plan
    score: float
    form: str
    series: tuple[Series, ...]
    moments: tuple[Moment, ...]
    features: Mapping[str, float] = field(default_factory=dict)

    @property
    def confidence(self) -> float:
        """The probability that it is right."""
        return 1 / (1 + exp(-self.score - 1))


@dataclass(frozen=True, slots=True)
class Question:
    """All that a plan is composed from.

    Attributes:
        reading: The question.
        table: The facts.
        intents: The probability of each intent.
        operands: The series that each operand may mean, the likeliest first.
        moments: The times that are named.
        base: The time that was talked about before, or the latest.
        before: What the last answer was taken from: its series, and its times.
        before_moments: Likewise.
        bind: Returns what other words may mean.
    """

    reading: Reading
    table: FactTable
    intents: Mapping[str, float]
    operands: tuple[tuple[Bound, ...], ...]
    moments: tuple[Moment, ...]
    base: Moment
    before: tuple[Series, ...]
    before_moments: tuple[Moment, ...]
    bind: Callable[[Operand], tuple[Bound, ...]]

    @property
    def own(self) -> bool:
        """Whether the question names something measured."""
        return any(operand.terms for operand in self.reading.operands)


def compose(question: Question) -> list[Proposal]:
    """Return the plans that may answer a question, the likeliest first, one for each result."""
    found: dict[str, Proposal] = {}
    for form, share in _forms(question):
        if share < 0.02:
            continue
        for proposal in _COMPOSERS[form](question):
            scored = replace(proposal, score=proposal.score + log(share))
            key = repr(scored.plan.steps)
            if key not in found or found[key].score < scored.score:
                found[key] = scored
    return sorted(found.values(), key=lambda proposal: -proposal.score)


def _forms(question: Question) -> list[tuple[str, float]]:
    p = question.intents
    value = (
        p["lookup"] + p["text_fact"] + p["unanswerable"] + p["ambiguous"] + p["why"] + p["description"] + p["two_part"]
    )
    return [
        ("value", value),
        ("ratio", p["ratio"]),
        ("share", p["share"]),
        ("sum", p["sum"]),
        ("growth", p["growth"]),
        ("change", p["change"]),
        ("cagr", p["cagr"]),
        ("average", p["average"]),
        ("list", p["list"]),
        ("ranking", p["ranking"]),
        ("compare", p["comparison"] + p["yesno"]),
    ]


# Single numbers


def pick_cell(
    series: Series, wanted: Sequence[Moment], table: FactTable, *, strict: bool
) -> tuple[Moment | None, FactCell] | None:
    """Return the number of a series at the first of some times; without any, at the latest.

    Args:
        series: The series.
        wanted: The times, in order of preference.
        table: Whose latest period counts if no time is given.
        strict: Whether a number without a known time is refused.
    """
    for want in wanted:
        exact = series.cells.get(want)
        if exact is not None:
            return want, exact
        near = [moment for moment in series.cells if moment is not None and moment.end == want.end]
        instants = [moment for moment in near if moment.months == 0]
        if want.months in (0, 12) or not near:
            if instants:
                return instants[0], series.cells[instants[0]]
        if near and (want.months == 0 or instants):
            best = instants[0] if instants else max(near, key=lambda moment: moment.months)
            return best, series.cells[best]
    if wanted and strict:
        return None
    if not wanted:
        latest = table.latest
        for moment in (latest, Moment(*latest.end, 0), Moment(latest.year, latest.quarter, 3 * latest.quarter)):
            if moment in series.cells:
                return moment, series.cells[moment]
    timed = [moment for moment in series.cells if moment is not None]
    if wanted and timed:
        return None
    if timed:
        past = [moment for moment in timed if moment.end <= table.latest.end] or timed
        last = max(past, key=lambda moment: (moment.end, moment.months))
        return last, series.cells[last]
    cell = series.cells.get(None)
    return None if cell is None else (None, cell)


def extract_cell(cell: FactCell, series: Series, table: FactTable, *, signed: bool = False) -> Extract:
    """Return the step that takes a number; amounts that go out are taken without their sign."""
    out = cell.quantity.value < 0 and not signed and _goes_out(cell, series, table)
    label = ", ".join(
        part
        for part in (series.line.label, table.document.table(cell.ref.table).columns[cell.ref.column].label)
        if part
    )
    return Extract(1, cell.ref, label, cell.quantity, "magnitude" if out else "signed")


def _goes_out(cell: FactCell, series: Series, table: FactTable) -> bool:
    fact = table.document.fact(cell.ref)
    if fact is not None and fact.value is not None:
        return fact.value > 0
    label = series.line.label.lower()
    return (
        bool(_OUT.search(label)) and "net cash" not in label and "income" not in label and not label.startswith("net ")
    )


class _Terms:
    """Numbers that a formula names."""

    def __init__(self, table: FactTable) -> None:
        self.table = table
        self.variables: dict[str, Extract] = {}
        self.series: list[Series] = []
        self.moments: list[Moment] = []
        self.score = 0.0

    def add(self, series: Series, moment: Moment | None, cell: FactCell, *, signed: bool = False) -> str:
        for name, known in self.variables.items():
            if known.source == cell.ref:
                return name
        name = f"x{len(self.variables)}"
        self.variables[name] = extract_cell(cell, series, self.table, signed=signed)
        self.series.append(series)
        if moment is not None:
            self.moments.append(moment)
        return name

    def proposal(self, formula: str, form: str, score: float) -> Proposal | None:
        try:
            plan = parse_expression(formula, self.variables)
        except PlanError:
            return None
        return Proposal(plan, score + self.score, form, tuple(self.series), tuple(self.moments))


def _bounds(question: Question, place: int = 0) -> Sequence[Bound]:
    """What an operand may mean; without words of its own, what was talked about before."""
    if place < len(question.operands) and question.reading.operands[place].terms:
        return question.operands[place]
    if question.before:
        return [Bound(series, 0.7 / (rank + 1)) for rank, series in enumerate(question.before[:2])]
    return question.operands[place] if place < len(question.operands) else ()


def _wanted(question: Question) -> Sequence[Moment]:
    return question.moments or question.before_moments[:1]


def _values(question: Question) -> Iterator[Proposal]:
    yield from _measures(question, _wanted(question))
    for bound in _bounds(question)[:8]:
        picked = pick_cell(bound.series, _wanted(question), question.table, strict=bool(question.moments))
        if picked is None and not question.moments:
            picked = pick_cell(bound.series, (), question.table, strict=False)
        if picked is None:
            continue
        terms = _Terms(question.table)
        name = terms.add(bound.series, *picked)
        made = terms.proposal(name, "value", log(bound.share + 1e-6))
        if made is not None:
            yield made


def _measures(question: Question, wanted: Sequence[Moment], place: int = 0) -> Iterator[Proposal]:
    """Named measures, computed by their formulas."""
    if place >= len(question.reading.operands):
        return
    operand = question.reading.operands[place]
    for match in operand.matches:
        for name in match.measures:
            measure = read_lexicon().measures[name]
            if measure.formula is None:
                continue
            terms = _Terms(question.table)
            text = _spell(measure.formula, question, (wanted or (question.table.latest,))[0], terms)
            others = len(operand.terms) - (match.end - match.start)
            if text is not None:
                made = terms.proposal(text, "measure", log(0.5) - 1.2 * max(0, others))
                if made is not None:
                    yield made


def _spell(formula: Formula, question: Question, moment: Moment, terms: _Terms) -> str | None:
    """Return a formula over numbers; None if a concept has none at that time."""
    parts = formula.parts
    match formula.kind:
        case "number":
            return formula.name
        case "concept":
            found = find_concept(formula.name, moment, question)
            if found is None:
                return None
            terms.score += log(found[2])
            return terms.add(found[0], found[1][0], found[1][1])
        case "else":
            for part in parts:
                known = dict(terms.variables)
                if (text := _spell(part, question, moment, terms)) is not None:
                    return text
                terms.variables = known
            return None
        case "prior":
            return _spell(parts[0], question, moment.before(years=1), terms)
        case "average":
            both = [_spell(parts[0], question, at, terms) for at in (moment, moment.before(years=1))]
            if both[0] is None:
                return None
            return both[0] if both[1] is None else f"({both[0]} + {both[1]}) / 2"
        case operator:
            sides = [_spell(part, question, moment, terms) for part in parts]
            if None in sides:
                # A sum goes without a part that the filing does not have.
                return sides[0] if operator in "+-" and sides[0] is not None else sides[1] if operator == "+" else None
            return f"({sides[0]} {operator} {sides[1]})"


def find_concept(
    concept: str, moment: Moment, question: Question
) -> tuple[Series, tuple[Moment | None, FactCell], float] | None:
    """Return the series of a concept of the whole company that has a number at a time, and its probability."""
    table = question.table
    found: list[tuple[float, Series, tuple[Moment | None, FactCell]]] = []
    for line in table.by_concept.get(concept, ()):
        for series in table.series_of_line[line.place]:
            if series.concept != concept or series.members:
                continue
            picked = pick_cell(series, (moment,), table, strict=True)
            if picked is not None:
                worth = 2.0 * line.role.is_statement + line.tagged - 0.3 * len(series.column) + 0.01 / (1 + line.place)
                found.append((worth, series, picked))
    if found:
        _, series, picked = max(found, key=lambda one: one[0])
        return series, picked, 0.9
    known = read_lexicon().concepts.get(concept)
    if known is None or any(fact.fact.concept for fact in table.document.facts[:1]):
        return None
    for bound in question.bind(_operand_of(known.phrases[0]))[:1]:
        picked = pick_cell(bound.series, (moment,), table, strict=True)
        if picked is not None and bound.share > 0.2:
            return bound.series, picked, bound.share
    return None


def _operand_of(phrase: tuple[str, ...]) -> Operand:
    return Operand(" ".join(phrase), phrase, read_lexicon().find(phrase), phrase)


# Two numbers of one series


def _pairs(question: Question) -> Iterator[tuple[float, Series, tuple[Moment, FactCell], tuple[Moment, FactCell]]]:
    """Series with an earlier and a later number."""
    for bound in _bounds(question)[:6]:
        timed = {moment: cell for moment, cell in bound.series.cells.items() if moment is not None}
        if len(timed) < 2:
            continue
        pair = _two_moments(question, bound.series)
        if pair is None:
            continue
        picked = [pick_cell(bound.series, (moment,), question.table, strict=True) for moment in pair]
        if picked[0] is None or picked[1] is None or picked[0][0] is None or picked[1][0] is None:
            continue
        if picked[0][1].ref != picked[1][1].ref:
            yield log(bound.share + 1e-6), bound.series, (picked[0][0], picked[0][1]), (picked[1][0], picked[1][1])


def _two_moments(question: Question, series: Series) -> tuple[Moment, Moment] | None:
    asked = question.moments
    if len(asked) >= 2:
        return min(asked), max(asked)
    text = question.reading.text.lower()
    if len(asked) == 1:
        (moment,) = asked
        at = question.reading.moments[0]
        to_base = bool(_TO_BASE.search(text[: at.start])) or at.back is not None
        if to_base and moment.end < question.base.end:
            return moment, replace(
                question.base, months=moment.months
            ) if moment.months != question.base.months else question.base
        return moment.before(years=1), moment
    if len(question.before_moments) >= 2 and not question.own:
        return min(question.before_moments), max(question.before_moments)
    base = question.before_moments[0] if question.before_moments else question.table.latest
    if pick_cell(series, (base,), question.table, strict=True) is None:
        picked = pick_cell(series, (), question.table, strict=False)
        if picked is None or picked[0] is None:
            return None
        base = picked[0]
    if pick_cell(series, (base.before(years=1),), question.table, strict=True) is None:
        earlier = [moment for moment in series.cells if moment is not None and moment.end < base.end]
        return (max(earlier), base) if earlier else None
    return base.before(years=1), base


def _growths(question: Question) -> Iterator[Proposal]:
    falls = bool(_FALLS.search(question.reading.text.lower()))
    for score, series, (begin, first), (end, last) in _pairs(question):
        terms = _Terms(question.table)
        old, new = terms.add(series, begin, first), terms.add(series, end, last)
        fell = falls and abs(last.amount) < abs(first.amount)
        formula = f"({old} - {new}) / {old}" if fell else f"({new} - {old}) / {old}"
        if (made := terms.proposal(formula, "growth", score)) is not None:
            yield made


def _changes(question: Question) -> Iterator[Proposal]:
    falls = bool(_FALLS.search(question.reading.text.lower()))
    for score, series, (begin, first), (end, last) in _pairs(question):
        terms = _Terms(question.table)
        old, new = terms.add(series, begin, first), terms.add(series, end, last)
        fell = falls and abs(last.amount) < abs(first.amount)
        if (made := terms.proposal(f"{old} - {new}" if fell else f"{new} - {old}", "change", score)) is not None:
            yield made
    yield from _differences(question)


def _differences(question: Question) -> Iterator[Proposal]:
    if question.reading.relation in ("difference", "versus") and len(question.operands) == 2:
        for score, (one, other), terms in _two(question):
            if (made := terms.proposal(f"{one} - {other}", "difference", score - 0.3)) is not None:
                yield made


def _growth_rates(question: Question) -> Iterator[Proposal]:
    for bound in _bounds(question)[:4]:
        timed = sorted(moment for moment in bound.series.cells if moment is not None and moment.months in (0, 12))
        if len(question.moments) >= 2:
            begin, end = min(question.moments), max(question.moments)
        elif len(question.moments) == 1 and timed:
            begin, end = question.moments[0], timed[-1]
        elif len(timed) >= 2:
            begin, end = timed[0], timed[-1]
        else:
            continue
        first = pick_cell(bound.series, (begin,), question.table, strict=True)
        last = pick_cell(bound.series, (end,), question.table, strict=True)
        years = end.year - begin.year
        if first is None or last is None or years < 1 or first[1].amount * last[1].amount <= 0:
            continue
        terms = _Terms(question.table)
        old, new = terms.add(bound.series, *first), terms.add(bound.series, *last)
        if (
            made := terms.proposal(f"({new} / {old}) ** (1 / {years}) - 1", "cagr", log(bound.share + 1e-6))
        ) is not None:
            yield made


def _averages(question: Question) -> Iterator[Proposal]:
    for bound in _bounds(question)[:4]:
        cells = _several(question, bound.series)
        if len(cells) < 2:
            continue
        terms = _Terms(question.table)
        names = [terms.add(bound.series, moment, cell) for moment, cell in cells]
        if (made := terms.proposal(f"avg({', '.join(names)})", "average", log(bound.share + 1e-6))) is not None:
            yield made


def _several(question: Question, series: Series) -> list[tuple[Moment, FactCell]]:
    """The numbers of a series at all times that are asked for, else at all of one length."""
    if len(question.moments) >= 2:
        picked = [pick_cell(series, (moment,), question.table, strict=True) for moment in sorted(question.moments)]
        return [(found[0], found[1]) for found in picked if found is not None and found[0] is not None]
    timed = [moment for moment in series.cells if moment is not None]
    if not timed:
        return []
    last = pick_cell(series, (), question.table, strict=False)
    months = last[0].months if last is not None and last[0] is not None else timed[0].months
    return [(moment, series.cells[moment]) for moment in sorted(timed) if moment.months == months]


# Two series


def _two(question: Question) -> Iterator[tuple[float, tuple[str, str], _Terms]]:
    """Two numbers of one time, of the two operands; what the question does not name was talked about before."""
    first, second = _bounds(question, 0)[:4], _bounds(question, 1)[:4]
    for one in first:
        for other in second:
            if one.series.place == other.series.place:
                continue
            a = _at(question, one.series)
            b = _at(question, other.series, a)
            if a is None or b is None:
                continue
            same = one.series.line.table == other.series.line.table
            terms = _Terms(question.table)
            names = terms.add(one.series, *a), terms.add(other.series, *b)
            yield log(one.share + 1e-6) + log(other.share + 1e-6) + 0.5 * same, names, terms


def _at(
    question: Question, series: Series, like: tuple[Moment | None, FactCell] | None = None
) -> tuple[Moment | None, FactCell] | None:
    wanted = list(_wanted(question))
    if like is not None and like[0] is not None and not question.moments:
        wanted = [like[0]]
    return pick_cell(series, wanted, question.table, strict=bool(question.moments)) or (
        None if question.moments else pick_cell(series, (), question.table, strict=False)
    )


def _ratios(question: Question) -> Iterator[Proposal]:
    yield from _measures(question, _wanted(question))
    if len(question.operands) == 2 and question.reading.relation in ("ratio", "versus"):
        for score, (one, other), terms in _two(question):
            if (made := terms.proposal(f"{one} / {other}", "ratio", score + 0.5)) is not None:
                yield made
    elif question.own:
        # A ratio that is printed as such.
        for proposal in _values(question):
            yield replace(proposal, score=proposal.score - 0.3)
    yield from _of_before(question)
    if not question.own and question.before and not question.moments:
        return
    if not question.own and question.before:
        yield from _again(question)


def _of_before(question: Question) -> Iterator[Proposal]:
    """What was talked about before, by what the question names: "as a percentage of revenue"."""
    if not question.before or not question.own or (len(question.operands) == 2 and question.reading.operands[0].terms):
        return
    place = 1 if len(question.operands) == 2 else 0
    for bound in question.operands[place][:3]:
        for series in question.before[:1]:
            if series.place == bound.series.place:
                continue
            a = _at(question, series)
            b = _at(question, bound.series, a)
            if a is None or b is None:
                continue
            terms = _Terms(question.table)
            one, other = terms.add(series, *a), terms.add(bound.series, *b)
            if (made := terms.proposal(f"{one} / {other}", "ratio", log(bound.share + 1e-6) + 0.3)) is not None:
                yield made


def _again(question: Question) -> Iterator[Proposal]:
    """The same ratio at another time."""
    if len(question.before) < 2:
        return
    terms = _Terms(question.table)
    names = []
    for series in question.before[:2]:
        picked = pick_cell(series, question.moments, question.table, strict=True)
        if picked is None:
            return
        names.append(terms.add(series, *picked))
    if len(set(names)) == 2 and (made := terms.proposal(f"{names[0]} / {names[1]}", "ratio", 0.0)) is not None:
        yield made


def _shares(question: Question) -> Iterator[Proposal]:
    if len(question.operands) == 2 and question.reading.relation == "ratio":
        yield from _ratios(question)
        return
    yield from _of_before(question)
    # A part of its own total.
    for bound in _bounds(question)[:3]:
        picked = _at(question, bound.series)
        if picked is None:
            continue
        for whole, score in _wholes(question, bound.series):
            b = _at(question, whole, picked)
            if b is None or b[1].ref == picked[1].ref:
                continue
            terms = _Terms(question.table)
            one, other = terms.add(bound.series, *picked), terms.add(whole, *b)
            if (made := terms.proposal(f"{one} / {other}", "share", log(bound.share + 1e-6) + log(score))) is not None:
                yield made


def _wholes(question: Question, part: Series) -> Iterator[tuple[Series, float]]:
    """The totals that a series may be a part of: in its table, and that of its concept."""
    table = question.table
    for line in table.lines:
        if line.table == part.line.table and line.place > part.line.place and "total" in line.label_terms:
            for series in table.series_of_line[line.place]:
                if series.column == part.column:
                    yield series, 0.5
            break
    if part.members and part.concept:
        found = find_concept(part.concept, (_wanted(question) or (table.latest,))[0], question)
        if found is not None:
            yield found[0], 0.4


def _sums(question: Question) -> Iterator[Proposal]:
    yield from _measures(question, _wanted(question))
    reading = question.reading
    if len(question.operands) == 2 and reading.relation in ("sum", "versus"):
        for score, (one, other), terms in _two(question):
            if (made := terms.proposal(f"{one} + {other}", "sum", score + 0.5)) is not None:
                yield made
    if len(question.operands) == 2 and reading.relation == "difference":
        yield from _differences(question)
    if len(question.moments) >= 2:
        for bound in _bounds(question)[:3]:
            cells = _several(question, bound.series)
            if len(cells) == len(question.moments):
                terms = _Terms(question.table)
                names = [terms.add(bound.series, moment, cell) for moment, cell in cells]
                if (made := terms.proposal(" + ".join(names), "sum", log(bound.share + 1e-6))) is not None:
                    yield made
        return
    for proposal in _values(question):
        yield replace(proposal, score=proposal.score - 0.5)


# Several numbers


def _items(
    question: Question, cells: Sequence[tuple[str, Series, Moment | None, FactCell]], form: str, score: float
) -> Proposal | None:
    """A list of labelled numbers."""
    if not 2 <= len(cells) <= 16:
        return None
    steps = [
        replace(extract_cell(cell, series, question.table), id=place, label=label)
        for place, (label, series, _, cell) in enumerate(cells, 1)
    ]
    plan = Plan((*steps, Compute(len(steps) + 1, "items", tuple(Ref(step.id) for step in steps))))
    moments = tuple(moment for _, _, moment, _ in cells if moment is not None)
    return Proposal(plan, score, form, tuple(series for _, series, _, _ in cells), moments)


def _lists(question: Question) -> Iterator[Proposal]:
    for bound in _bounds(question)[:4]:
        cells = _several(question, bound.series)
        every_time = len(question.moments) != 1
        if every_time and len(cells) >= 2:
            named = [(_moment_words(moment), bound.series, moment, cell) for moment, cell in reversed(cells)]
            if (made := _items(question, named, "list", log(bound.share + 1e-6))) is not None:
                yield made
        members = siblings(question, bound.series)
        if (made := _items(question, members, "members", log(bound.share + 1e-6) - 0.1)) is not None:
            yield made
    if len(question.operands) == 2:
        cells2 = []
        for place in (0, 1):
            for bound in _bounds(question, place)[:1]:
                picked = _at(question, bound.series)
                if picked is not None:
                    cells2.append((bound.series.line.label, bound.series, *picked))
        if len(cells2) == 2 and (made := _items(question, cells2, "list", -0.7)) is not None:
            yield made


def _moment_words(moment: Moment) -> str:
    return f"{moment.year}" if moment.months in (0, 12) else f"Q{moment.quarter} {moment.year}"


def siblings(question: Question, series: Series) -> list[tuple[str, Series, Moment | None, FactCell]]:
    """Return the lines beside a series, with their numbers at the time that is asked for: parts of one whole."""
    table = question.table
    found = []
    if series.column:  # members across the columns
        for other in table.series_of_line[series.line.place]:
            picked = _at(question, other)
            if picked is not None and other.column and "total" not in other.column:
                found.append((_column_label(table, picked[1]), other, *picked))
        if len(found) >= 2:
            return found
        found = []
    for line in table.lines:
        if line.table != series.line.table or line.path != series.line.path or "total" in line.label_terms:
            continue
        for other in table.series_of_line[line.place]:
            if other.column == series.column and (picked := _at(question, other)) is not None:
                found.append((line.label, other, *picked))
                break
    return found


def _column_label(table: FactTable, cell: FactCell) -> str:
    return table.document.table(cell.ref.table).columns[cell.ref.column].label


_LOW = re.compile(r"\b(?:smallest|lowest|least|fewest|minimum|slowest|worst|weakest|shortest)\b")


def _rankings(question: Question) -> Iterator[Proposal]:
    low = bool(_LOW.search(question.reading.text.lower()))
    for bound in _bounds(question)[:5]:
        score = log(bound.share + 1e-6)
        for cells, extra in ((siblings(question, bound.series), 0.0), (_by_time(question, bound.series), -0.7)):
            if len(cells) < 2:
                continue
            best = (min if low else max)(cells, key=lambda one: one[3].amount)
            made = _items(question, cells, "ranking", score + extra)
            if made is None:
                continue
            step = made.plan.steps[-1]
            chosen = Compute(step.id + 1, "argmin" if low else "argmax", (Ref(step.id),))
            yield replace(made, plan=Plan((*made.plan.steps, chosen)), series=(best[1], *made.series))


def _by_time(question: Question, series: Series) -> list[tuple[str, Series, Moment | None, FactCell]]:
    return [(_moment_words(moment), series, moment, cell) for moment, cell in _several(question, series)]


_MORE = re.compile(
    r"\b(?:higher|more|above|up|grow|grew|rise|rose|increase\w*|exceed\w*|better|bigger|larger|greater|improve\w*|top|beat)\b"
)


def _comparisons(question: Question) -> Iterator[Proposal]:
    low = bool(_FALLS.search(question.reading.text.lower())) and not _MORE.search(question.reading.text.lower())
    if question.reading.relation == "versus" and len(question.operands) == 2 and question.reading.operands[1].terms:
        for score, (one, other), terms in _two(question):
            if (made := terms.proposal(f"{one} {'<' if low else '>'} {other}", "compare", score)) is not None:
                yield made
        return
    for score, series, (begin, first), (end, last) in _pairs(question):
        terms = _Terms(question.table)
        old, new = terms.add(series, begin, first, signed=True), terms.add(series, end, last, signed=True)
        if (made := terms.proposal(f"{new} {'<' if low else '>'} {old}", "compare", score)) is not None:
            yield made


_COMPOSERS: Mapping[str, Callable[[Question], Iterator[Proposal]]] = {
    "value": _values,
    "ratio": _ratios,
    "share": _shares,
    "sum": _sums,
    "growth": _growths,
    "change": _changes,
    "cagr": _growth_rates,
    "average": _averages,
    "list": _lists,
    "ranking": _rankings,
    "compare": _comparisons,
}


def softmax(scores: Sequence[float]) -> list[float]:
    """Return probabilities in proportion to the exponentials of scores."""
    best = max(scores, default=0.0)
    odds = [exp(score - best) for score in scores]
    return [one / sum(odds) for one in odds]


def intents_by_name(shares: Sequence[float]) -> dict[str, float]:
    """Return the probability of each intent by its name."""
    return dict(zip(INTENTS, map(float, shares), strict=True))
