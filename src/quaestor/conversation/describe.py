"""Descriptions of answers: the meaning of each step in words, and the explanation of a plan."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from textwrap import shorten

from quaestor.conversation import meaning
from quaestor.conversation.answer import Answer, Variable
from quaestor.conversation.display import show_number
from quaestor.conversation.meaning import (
    Meaning,
    period_phrase,
    place_in_list,
    shortened_period,
    spanned_period,
    text_subject,
)
from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import Text, amount_words
from quaestor.core.encoding_artifacts import normalize_text
from quaestor.core.explanation import Explanation, fill_sentence
from quaestor.core.parsing import find_quantities
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period, parse_period
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.words import TIME_WORDS, names, singular
from quaestor.documents.document import Document, Sentence
from quaestor.documents.text_periods import periods_in_text
from quaestor.ontology.extract import noun_phrase_before, topics, without_period
from quaestor.ontology.terms import slug
from quaestor.plan.execute import StepResult
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref, RowRef, without_explanation
from quaestor.questions.cues import metric_nouns
from quaestor.questions.entity import counted_thing, named_entity
from quaestor.questions.question import NO_QUESTION, Question, entity_asked, names_in

_LONGEST = 200
_QUOTED = 60
_LONGEST_NAME = 80
_SCALES = frozenset({Decimal(1000), Decimal(10) ** 6, Decimal(10) ** 9})
_INDEX = Decimal(100)
_ARTICLES = frozenset("the a an".split())
_PLAIN = frozenset("amount amounts value values number numbers dollars".split())
_OF_SOMETHING = TIME_WORDS | frozenset("at of as and the net balance balances beginning opening ending closing".split())
"""Words of labels that do not identify the numbers."""
_CARRYING = lazy_regex(r"(?:gross |net )?carrying ?(?:amount|value)s?")
_MEASURES = frozenset("price prices return returns rate".split())
_MEASURE_OF = lazy_regex(r"\b(?:the|in) (?P<measure>(?:[a-z][a-z-]* ){1,3})of (?:the )?$")
"""Before a name: "the fair value of the" notes."""
_NO_MEASURE = frozenset(
    "end beginning start total amount value number portion part percentage rest year years time date sum average "
    "balance which what and or in from to".split()
)
_ATTACHED = lazy_regex(r"\b(?:of|for|in|on|under|with|by|to|from)\s(?:(?:the|our|its|their|this|these)\s)*$")
"""Before a phrase that belongs to a larger one: "rent charged to operations for" all leases."""
_NEAR = 12
"""Maximum distance in characters between a number in the text and the period after it: " for the year "."""
_MOST_READ = 64
"""Number of cells that determine the meaning of a longer group."""


def describe(
    plan: Plan,
    memory: Memory,
    document: Document,
    question: Question = NO_QUESTION,
    result: StepResult | None = None,
) -> Answer:
    """Describe the result of a plan, as an answer without its value and its formula.

    Args:
        question: The question, which may name things that the page does not, and marks percentages among ratios.
        result: The result of the plan; a selected year or line is part of the description.
    """
    reader, plan = _Reader(memory, document), without_explanation(plan)
    steps = reader.steps(plan, len(memory.turns), question)
    found = reader.of_result(steps, len(memory.turns), question)
    if result is not None:
        found = meaning.add_choice(found, result.value, reader.periods_of_labels(plan))
    place = _place(plan)
    if isinstance(place, CellRef) and (heading := reader.heading_of_shared_label(place)) not in found.text:
        found = replace(found, text=f"{heading}, {found.text}")
    text = found.text[:1].upper() + found.text[1:]
    return Answer(
        None,
        description=_distinguish(text, reader.others(plan, found), memory, question),
        entity=" and ".join(found.entities) or None,
        metric_type=found.metric,
        period=spanned_period(found.periods),
        base=found.base,
        variables=tuple(_name_uniquely(reader.variables(plan, steps))),
    )


def _distinguish(text: str, others: Sequence[int], memory: Memory, question: Question) -> str:
    """Add words of this question to a description if one of the other results has the same one."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    other = next((n for n in others if memory.answers[n].description == short), None)
    if other is None or not question.text:
        return short
    earlier = memory.parsed_questions[other]
    own = [word for word in names(question.lowered) if singular(word) in question.names - earlier.names]
    own += [str(year) for year in question.years if year not in earlier.year_set]
    detail = " ".join(dict.fromkeys(own)) or f"question {len(memory.turns) + 1}"
    return f"{shorten(text, _LONGEST - _QUOTED, placeholder='...')} ({shorten(detail, _QUOTED - 5, placeholder='...')})"


class _Reader:
    """Derives the meanings of plans in a conversation, once for each earlier turn."""

    def __init__(self, memory: Memory, document: Document) -> None:
        self._memory, self._document = memory, document
        # The excerpt for this question may lack the source of an earlier answer.
        self._whole = document.whole or document
        self._earlier: dict[int, Meaning] = {}
        self._questions: tuple[Question, ...] = memory.parsed_questions

    def steps(self, plan: Plan, turn: int, question: Question) -> list[Meaning]:
        """Return the meaning of each step of a plan at a turn of the conversation."""
        if turn == len(self._memory.turns):
            self._questions = (*self._memory.parsed_questions, question)
        found: list[Meaning] = []
        for step in plan.steps:
            if isinstance(step, Extract):
                found.append(self._extract(step, turn, question))
            else:
                found.append(self._compute(step, found, turn, question))
        return found

    def of_result(self, steps: Sequence[Meaning], turn: int, question: Question) -> Meaning:
        """Return the meaning of a plan's result from that of its steps."""
        previous = self._memory.answers[turn - 1].metric_type if turn else None
        metric_type = question.metric_types(previous)[0].metric_type
        return meaning.as_percentage(steps[-1]) if metric_type == "percentage" else steps[-1]

    def others(self, plan: Plan, found: Meaning) -> list[int]:
        """Return the earlier turns, from 0, with a different result: another calculation, number or answer."""
        own = _place(plan)
        return [
            turn
            for turn, answer in enumerate(self._memory.answers)
            if answer.plan != plan
            and (self._answer(turn).key != found.key or (own and _place(answer.plan) not in (None, own)))
        ]

    def variables(self, plan: Plan, meanings: Sequence[Meaning]) -> Iterator[Variable]:
        """Yield the numbers of the page and the earlier answers used by a plan."""
        turns = len(self._memory.turns)
        for step, step_meaning in zip(plan.steps, meanings, strict=True):
            if isinstance(step, Extract):
                if step.quantity is not None and step.number is not None:
                    name = _name(step_meaning, step.label)
                    yield Variable(name, step.number, step.counts.scale, step.source)
                continue
            for operand in step.operands:
                if isinstance(operand, Ref) and operand.step < 0:
                    answer = self._memory.answers[operand.step]
                    if answer.number is not None:
                        yield Variable(f"result_{turns + operand.step}", answer.number, answer.scale, None)
                elif isinstance(operand, RowRef | CellGroup):
                    for quantity, counts, source in zip(operand.values, operand.counts, operand.sources, strict=True):
                        found = self._cell(source, operand.text) if isinstance(source, CellRef) else None
                        name = _name(found, operand.text) if found else slug(operand.text)
                        yield Variable(name, quantity.value, counts.scale, source)

    def heading_of_shared_label(self, cell: CellRef) -> str:
        """Return the heading of a cell if the label of its row is not unique for the period; else ""."""
        table = self._document.table(cell.table)
        label = table.rows[cell.row].label.lower()
        if label not in self._document.shared_labels:
            return ""
        # a heading above a label that is unique in the table may apply only to lines before it
        once = sum(row.label.lower() == label for row in table.rows) == 1
        title = table.title.rstrip(" :")
        return title if once and set(names(title.lower())) - TIME_WORDS else self._heading([cell], lead=False)

    def _heading(self, cells: Sequence[CellRef], *, lead: bool = True) -> str:
        """Return the heading of cells in one table: of their rows, else the table's title, else its section."""
        table = self._document.table(cells[0].table)
        above = {table.rows[cell.row].levels[:-1] for cell in cells}
        heading = next(iter(above))[-1:] if len(above) == 1 else ()
        sentences = reversed(self._document.lead_of(table)) if lead else ()
        announced = (topic for sentence in sentences for topic in topics(sentence.text))
        # a table between two notes is often in the section of the first: too doubtful for one line of many
        section = (self._document.section_of(table).title,) if lead else ()
        named = (*heading, table.title, *announced, *section)
        return next((name.rstrip(" :") for name in named if set(names(name.lower())) - TIME_WORDS), "")

    def _extract(self, step: Extract, turn: int, question: Question) -> Meaning:
        named = entity_asked(question, self._memory.parsed_questions[:turn]) if question.text else None
        if step.text is not None and isinstance(step.source, SentenceRef):
            return self._words(step, step.source, named)
        if not isinstance(step.source, CellRef):
            return self._read_text_number(
                step, step.source, named, _read_year(question, self._memory.parsed_questions[:turn])
            )
        found = self._cell(step.source, step.label, named)
        return replace(found, key=_key(step))

    def _words(self, step: Extract, source: SentenceRef, named: str | None) -> Meaning:
        """Describe words in the text by a name common to the question and the text, else by their section."""
        about = self._confirm_named(named, source)
        where = self._document.section(source).title or "the page"
        period = self._read_text_period(self._document.sentence(source), source)
        return meaning.number_result(
            _key(step), f"words {f'on {about}' if about else f'of {where}'}", period, "", about
        )

    def _cell(self, cell: CellRef, label: str, default_name: str | None = None) -> Meaning:
        """Describe a cell by the labels of its row and column; the axis without periods names the thing."""
        table = self._document.table(cell.table)
        row, column = table.rows[cell.row], table.columns[cell.column]
        heads = (column, row) if table.orientation == "rows" else (row, column)
        named = [head.label for head in heads if head.label and not head.period]
        only = len(named) == 1 and len(table.columns) == 2 and _CARRYING.fullmatch(named[0].lower())
        if not named or only or (len(named) == 1 and named[0].lower() in _PLAIN):
            # "2009 net revenue | amount": the header with the period may name the line.
            period_headers = [without_period(head) for head in heads if head.period]
            header = next((words for words in period_headers if set(words.lower().split()) - TIME_WORDS), "")
            label = "value" if parse_period(label) else label
            named = [header or default_name or next(filter(None, period_headers), "") or (named or [label])[0]]
        subject = ", ".join(dict.fromkeys(named)).removesuffix(", total") + " total" * (named[1:] == ["total"])
        if (measure := self._measure(named[0])) is not None:
            subject = f"{measure} of {subject}"
        elif set(names(named[0].lower())) <= _OF_SOMETHING and len(named) == 1 and (of := self._heading([cell])):
            subject = f"{subject} of {of}"
        period = table.period_at(cell.row, cell.column)
        shown = period_phrase(shortened_period(period, self._periods(cell))) if period else ""
        return meaning.number_result("", subject, period, shown, named[0])

    def _measure(self, label: str) -> str | None:
        """Return the measure that questions name for a line labelled with a thing: "performance" of a company."""
        nouns, name = metric_nouns() - _MEASURES, label.lower()
        for question in self._questions:
            text = question.lowered.replace(" .", ".")
            if name not in text:
                continue
            match = next(filter(None, (_MEASURE_OF.search(text, 0, at) for at in _places_in(text, name))), None)
            words_of = match["measure"].split() if match else []
            while words_of and (words_of[0] in _ARTICLES or words_of[0] in nouns):
                words_of = words_of[1:]
            if words_of and not any(word in _NO_MEASURE or word in nouns for word in words_of):
                return " ".join(words_of)
        return None

    def _periods(self, cell: CellRef) -> list[Period]:
        """Return the periods along the axis that has the cell's period."""
        table = self._document.table(cell.table)
        headers = table.rows if table.rows[cell.row].period and table.orientation == "rows" else table.columns
        return [header.period for header in headers if header.period]

    def _read_text_number(self, step: Extract, source: SentenceRef, named: str | None, year: Period | None) -> Meaning:
        """Describe a number in the text by the clause before it, by its unit, or by the question."""
        sentence = self._document.sentence(source)
        text = sentence.text
        listed = place_in_list(sentence, source.start)
        start = sentence.mentions[listed[1][0]].ref.start if listed else source.start
        clause, noun_phrase = text_subject(text[:start]), noun_phrase_before(text[:start])
        attached = noun_phrase is not None and _ATTACHED.search(text[:start].lower().rpartition(noun_phrase)[0])
        entity = (
            (clause if clause and " " in clause else None)
            or (noun_phrase if noun_phrase and not attached and named_entity(noun_phrase) else None)
            or counted_thing(text[source.end :])
            or self._confirm_named(named, source)
            or clause
        )
        before = text[: source.end]
        quoted = before if len(before) <= _QUOTED else f"...{before[-_QUOTED:].partition(' ')[2]}"
        subject = entity or f'"{quoted}"'
        period = self._read_text_period(sentence, source) or year
        shown = period_phrase(shortened_period(period, [period])) if period and entity else ""
        return meaning.number_result(_key(step), subject, period, shown, entity)

    def _confirm_named(self, named: str | None, source: SentenceRef) -> str | None:
        """Return the name in the question if the text has it: the sentence, the one before, or the headings."""
        sentences, at = self._whole.sentences, self._document.sentence(source)
        place = sentences.index(at)
        before = sentences[max(0, place - 1) : place]
        path = self._document.section(source).path
        around = normalize_text(" ".join((*path, *(one.text for one in (*before, at))))).lower()
        return named if named and names_in(named) <= names_in(around) else None

    def _read_text_period(self, sentence: Sentence, source: SentenceRef) -> Period | None:
        """Return the period of a number in the text; in a list of numbers that of the corresponding list of periods."""
        listed = place_in_list(sentence, source.start)
        if listed is None:
            return _find_nearest_period(sentence, source)
        at = self._whole.sentences.index(sentence)
        return next(iter(periods_in_text(self._whole, at)[listed[0]]), None)

    def _compute(self, step: Compute, found: list[Meaning], turn: int, question: Question) -> Meaning:
        operands = [self._operand(operand, found, turn) for operand in step.operands]
        if OPERATIONS[step.operation].of_list:
            selection = question.wants.selection
            return meaning.describe_selection(step.operation, operands, selection.noun if selection else "")
        if step.operation == "subtract":
            operands[1] = _index_base(operands[0], operands[1], question)
        return _describe_conversion(
            meaning.describe_computed(step.operation, operands), step.operation, operands, question
        )

    def _operand(self, operand: Operand, found: list[Meaning], turn: int) -> Meaning:
        match operand:
            case Constant(value=value, text=text, scale=None, unit=None):
                return meaning.describe_constant(value, text.removeprefix("const_").replace("m1", "-1"))
            case Constant(value=value, scale=scale, unit=unit):
                return meaning.describe_constant(value, amount_words(value, scale, unit))
            case RowRef(text=text, table=table):
                where = "" if table is None else f" of table {table}"
                return meaning.number_result(f"row {text}{where}", f"{text}{where}", None, "", text)
            case CellGroup():
                return self._group(operand)
            case Ref(step=step) if step > 0:
                return found[step - 1]
            case Ref(step=step):
                return self._answer(turn + step)

    def _group(self, group: CellGroup) -> Meaning:
        cells = [
            self._cell(source, label)
            if isinstance(source, CellRef)
            else meaning.number_result("", group.text or label, parse_period(label), "", group.text or label)
            for source, label in zip(group.sources[:_MOST_READ], group.labels, strict=False)
        ]
        called, placed = group.text, [source for source in group.sources if isinstance(source, CellRef)]
        if placed and (not called or parse_period(called)):
            called = self._heading(placed)
        return meaning.group(f"cells {group.sources}", called, cells, group.labels)

    def periods_of_labels(self, plan: Plan) -> dict[str, Period]:
        """Return the periods of labels in a plan's groups, taken from their cells."""
        found: dict[str, Period] = {}
        for group in (operand for operand in plan.operands if isinstance(operand, CellGroup)):
            for label, source in zip(group.labels, group.sources, strict=False):
                if isinstance(source, CellRef):
                    period = self._document.table(source.table).period_at(source.row, source.column)
                    if period is not None:
                        found.setdefault(label, period)
        return found

    def _answer(self, turn: int) -> Meaning:
        """Return the meaning of an earlier answer; without a plan it is taken from its record."""
        if turn not in self._earlier:
            earlier = self._memory.turns[turn]
            answer = earlier.answer
            if answer.plan is not None and answer.value is not None:
                question = self._memory.parsed_questions[turn]
                self._earlier[turn] = self.of_result(self.steps(answer.plan, turn, question), turn, question)
            else:
                words = answer.description or f"the answer to question {turn + 1}"
                entities = (answer.entity,) if answer.entity else ()
                periods = (answer.period,) if answer.period else ()
                self._earlier[turn] = Meaning(f"turn {turn}", answer.metric_type, words, words, entities, periods)
        return self._earlier[turn]


def _places_in(text: str, name: str) -> Iterator[int]:
    at = text.find(name)
    while at >= 0:
        yield at
        at = text.find(name, at + 1)


def _place(plan: Plan | None) -> CellRef | SentenceRef | None:
    """Return the source of a plan's result if that is a number of the page."""
    last = plan.steps[-1] if plan is not None else None
    return last.source if isinstance(last, Extract) else None


def _key(step: Extract) -> str:
    """Return the key of an extracted value, equal for a number printed twice, regardless of its sign."""
    return meaning.number_key(step.quantity.value) if step.quantity else f"words {step.text}"


def _find_nearest_period(sentence: Sentence, source: SentenceRef) -> Period | None:
    """Return the period of a number in a sentence: the one right after it, else the only one."""
    for period, start, _ in sentence.periods:
        if 0 <= start - source.end <= _NEAR:
            return period
    periods = {period for period, _, _ in sentence.periods}
    return periods.pop() if len(periods) == 1 else None


def _read_year(question: Question, earlier: Sequence[Question]) -> Period | None:
    """Return the only year in a question, for a number whose sentence has none; resolved relative to earlier years."""
    years = question.years
    if not years and question.offsets:
        base = next((each.years[-1] for each in reversed(earlier) if each.years), None)
        years = (base + question.offsets[0],) if base is not None else ()
    return Period("year", years[0]) if len(years) == 1 else None


def _index_base(later: Meaning, base: Meaning, question: Question) -> Meaning:
    """Describe the initial 100 of an index as its value in the first year of the question."""
    period = later.period
    if base.constant != _INDEX or period is None or len(question.years) != 2 or question.years[1] != period.year:
        return base
    began = Period("year", question.years[0])
    return replace(base, subject=later.subject, text=f"{later.subject}{period_phrase(began)}", periods=(began,))


def _describe_conversion(found: Meaning, operation: str, operands: list[Meaning], question: Question) -> Meaning:
    """Describe a result that a question wants in another scale as the original: "rent in 2008, in thousands"."""
    if question.power is None or operation not in ("multiply", "divide"):
        return found
    whole, by = operands if operands[1].constant is not None else (operands[1], operands[0])
    if by.constant not in _SCALES or whole.constant is not None:
        return found
    words = f", in {question.scale.value}s" if question.scale is not None else ", in single units"
    return replace(found, subject=f"{whole.subject}{words}", text=f"{whole.text}{words}", periods=whole.periods)


def _name(found: Meaning, label: str) -> str:
    name = slug(f"{found.subject} {found.text.removeprefix(found.subject)[3:]}") if found.entities else slug(label)
    name = name[:_LONGEST_NAME].rstrip("_") or "value"
    return f"n_{name}" if name[0].isdigit() else name


def _name_uniquely(variables: Iterator[Variable]) -> Iterator[Variable]:
    seen: dict[str, Variable] = {}
    for variable in variables:
        name, count = variable.name, 1
        while name in seen and (seen[name].value, seen[name].source) != (variable.value, variable.source):
            count += 1
            name = f"{variable.name}_{count}"
        if name not in seen:
            seen[name] = Variable(name, variable.value, variable.scale, variable.source)
    return iter(seen.values())


def explain_plan(
    plan: Plan, registers: Sequence[StepResult], memory: Memory, document: Document, question: Question = NO_QUESTION
) -> Explanation | None:
    """Fill in the sentences of a plan's explanation with the results of its steps; None if it has none.

    Args:
        question: The question; the answer's number is displayed as in the answer.
    """

    def printed(step: int) -> str:
        register, part = registers[step - 1], Plan(plan.steps[:step])
        step_question = question if step == len(plan.steps) else NO_QUESTION
        metric = describe(part, memory, document, step_question, register).metric_type
        if _is_percentage(part):
            metric = "percentage"
        return show_number(Answer(register.value, register.scale, register.unit, metric_type=metric, plan=part))

    question_numbers = {n for q in find_quantities(question.text) for n in (q.quantity.value, q.quantity.number)}

    def assumed(step: int) -> bool:
        number = registers[step - 1].number
        return not registers[step - 1].sources and number is not None and number not in question_numbers

    sentences = (
        fill_sentence(template, printed, lambda step: registers[step - 1].sources, assumed)
        for template in plan.explanation
    )
    return Explanation(tuple(sentences)) if plan.explanation else None


def _is_percentage(part: Plan) -> bool:
    """Return whether the last step is a constant written with a percent sign."""
    last = part.steps[-1]
    operand = last.operands[0] if isinstance(last, Compute) and last.operation == "identity" else None
    return isinstance(operand, Constant) and operand.text.endswith("%")


def with_explanation(
    plan: Plan, registers: Sequence[StepResult], explanation: Explanation | None
) -> tuple[StepResult, ...]:
    """Return the results of steps; if the explanation is the answer, it replaces the last result."""
    if explanation is None or not plan.explains_alone:
        return tuple(registers)
    return (*registers[:-1], replace(registers[-1], value=Text(explanation.text)))
