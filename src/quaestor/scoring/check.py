"""Quality check of a labelled dataset: programs that contradict their answers, repaired cells, suspicious labels.

The check reports findings and changes nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from quaestor.core.answer_value import AnswerValue, number_of, print_value
from quaestor.datasets.dataset import Dataset
from quaestor.documents.document import Document
from quaestor.documents.repairs import RepairKind, show_repair, show_warning
from quaestor.errors import PlanError
from quaestor.plan.expressions import TableRows
from quaestor.plan.scales import needs_no_source, read_literal
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.metrics import executed_equal, rounded_for_display, run_program
from quaestor.scoring.pages import PageNumbers, benchmark_rows_of, page_numbers
from quaestor.scoring.taxonomy import missing_literals

_HALF_A_HUNDREDTH = Decimal("0.005")


class FindingKind(StrEnum):
    """Kind of a finding."""

    PROGRAM = "program does not reproduce its answer"
    LITERAL = "operand not found on the page"
    DISPLAY_SIGN = "displayed answer lacks its sign"
    DISPLAY_DIGIT = "displayed answer differs in the last digit"
    DISPLAY = "displayed answer contradicts the executed one"
    DASH_YEAR = "dash printed as a year"
    REPAIR = "repaired cell"
    LABEL = "duplicate row label"
    HEADER = "duplicate column header"
    WARNING = "parser warning"
    TURNS = "unequal number of questions and answers"


@dataclass(frozen=True, slots=True)
class LabelFinding:
    """Finding about one conversation or turn."""

    kind: FindingKind
    conversation: str
    turn: int | None
    detail: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Findings about a dataset; `programs` counts reference programs and derivations of numbers."""

    conversations: int
    documents: int
    turns: int
    programs: int
    agreeing: int
    findings: tuple[LabelFinding, ...]

    def count(self, kind: FindingKind) -> int:
        """Return the number of findings of a kind."""
        return sum(finding.kind is kind for finding in self.findings)


def check_dataset(dataset: Dataset, gold: Mapping[str, Sequence[GoldTurn]]) -> CheckReport:
    """Read the whole dataset and execute every reference program; `gold` may be empty."""
    findings: list[LabelFinding] = []
    pages: set[tuple[str, str]] = set()
    agreeing = programs = 0
    for conversation in dataset.conversations:
        document = conversation.document
        if (key := (document.id, document.digest)) not in pages:
            pages.add(key)
            findings.extend(_page_findings(document, conversation.id))
        turns = gold.get(conversation.id, ())
        if gold and len(turns) != len(conversation.questions):
            detail = f"{len(conversation.questions)} questions, {len(turns)} answers"
            findings.append(LabelFinding(FindingKind.TURNS, conversation.id, None, detail))
        found = list(_turn_findings(turns, document, conversation.id))
        computed = sum(_is_computed(turn) for turn in turns)
        programs += computed
        agreeing += computed - sum(finding.kind is FindingKind.PROGRAM for finding in found)
        findings.extend(found)
    questions = sum(len(conversation.questions) for conversation in dataset.conversations)
    return CheckReport(len(dataset.conversations), len(pages), questions, programs, agreeing, tuple(findings))


def display_fault(executed: AnswerValue, display: str) -> FindingKind | None:
    """Return how a display answer contradicts the executed one, or None if it is the executed answer, rounded.

    The display may be the executed fraction as a percentage. A display whose last digit is truncated or off by one
    counts as `DISPLAY_DIGIT`.
    """
    exact, shown = number_of(executed), rounded_for_display(display)
    if exact is None or shown is None:
        return None if display.strip().lower() == print_value(executed) else FindingKind.DISPLAY
    number, half_unit = shown
    # The executed answer is itself rounded to five decimals.
    candidates = [(exact, Decimal("0.000005")), (exact * 100, Decimal("0.0005"))]
    if any(abs(value - number) <= half_unit + slack for value, slack in candidates):
        return None
    if any(abs(-value - number) <= half_unit + slack for value, slack in candidates):
        return FindingKind.DISPLAY_SIGN
    if any(abs(value - number) <= 3 * half_unit + slack for value, slack in candidates):
        return FindingKind.DISPLAY_DIGIT
    return FindingKind.DISPLAY


def in_doubt(turn: GoldTurn, answer: AnswerValue | None, page: PageNumbers, tables: Sequence[TableRows]) -> bool:
    """Return whether the reference may be wrong if an answer differs from it.

    This applies if the reference program does not give the reference answer or reads a number that is not on the page,
    or if the answer equals the annotators' displayed answer, which differs from the result of their program.
    """
    if turn.program:
        if program_fault(turn, tables) is not None:
            return True
        if any(not needs_no_source(read_literal(literal)) for literal in missing_literals(turn.program, page)):
            return True
    if turn.display is None or answer is None or display_fault(turn.executed, turn.display) is None:
        return False
    return display_fault(answer, turn.display) is None


def _turn_findings(turns: Sequence[GoldTurn], document: Document, conversation: str) -> Iterable[LabelFinding]:
    if not turns:
        return
    numbers, tables = page_numbers(document), benchmark_rows_of(document)
    for index, turn in enumerate(turns):
        if not _is_computed(turn):
            continue
        fault = program_fault(turn, tables)
        if fault is not None:
            written = turn.program if turn.program or turn.stated is None else turn.stated.derivation
            detail = f"{written} gives {fault}, not {print_value(turn.executed)}"
            yield LabelFinding(FindingKind.PROGRAM, conversation, index, detail)
        try:
            # Annotators write counts (divisors of averages) like any other number, so these need no source.
            free = turn.stated is not None
            found = missing_literals(turn.program, numbers) if turn.program else ()
            missing = tuple(literal for literal in found if not (free and needs_no_source(read_literal(literal))))
        except PlanError:
            missing = ()
        for literal in missing:
            yield LabelFinding(FindingKind.LITERAL, conversation, index, f"{literal} in {turn.program}")
        if turn.display is not None and (kind := display_fault(turn.executed, turn.display)) is not None:
            yield LabelFinding(kind, conversation, index, f"{turn.display} for {print_value(turn.executed)}")


def _is_computed(turn: GoldTurn) -> bool:
    """Return whether a reference is computed: every program, and of stated answers the arithmetic ones."""
    return turn.stated is None or turn.stated.kind == "arithmetic"


def program_fault(turn: GoldTurn, tables: Sequence[TableRows]) -> str | None:
    """Return the result of a reference program if it differs from the reference answer, else None."""
    try:
        value = run_program(turn.program, tables)
    except PlanError as error:
        return f"no result ({error})"
    agrees = executed_equal(value, turn.executed) if turn.stated is None else states_number(turn, value)
    return None if agrees else print_value(value)


def states_number(turn: GoldTurn, value: AnswerValue) -> bool:
    """Return whether a stated number equals a value to two decimals; a percentage may match its fraction."""
    computed, wanted = number_of(value), number_of(turn.executed)
    if computed is None or wanted is None or turn.stated is None:
        return False
    factors = (1, 100) if turn.stated.answer.scale == "percent" else (1,)
    return any(abs(computed * factor - wanted) <= _HALF_A_HUNDREDTH for factor in factors)


_REPAIRS = {
    RepairKind.DASH_AS_YEAR: FindingKind.DASH_YEAR,
    RepairKind.REPEATED_HEADER: FindingKind.REPAIR,
    RepairKind.NO_STORED_VALUE: FindingKind.REPAIR,
}


def _page_findings(document: Document, conversation: str) -> Iterable[LabelFinding]:
    for warning in document.warnings:
        yield LabelFinding(FindingKind.WARNING, conversation, None, show_warning(warning))
    for table in document.tables:
        for row in table.cells:
            for cell in row:
                if cell.repair is not None:
                    kind = _REPAIRS[cell.repair.kind]
                    place = f"table {cell.ref.table}, row {cell.ref.row}, column {cell.ref.column}"
                    yield LabelFinding(kind, conversation, None, f"{place}: {cell.text!r} ({show_repair(cell.repair)})")
        labels = [row[0].text.strip() for row in table.cells[table.header_rows :] if row]
        yield from _find_repeats(labels, FindingKind.LABEL, conversation)
        headers = [" / ".join(column.levels or (column.label,)).strip() for column in table.columns[1:]]
        yield from _find_repeats(headers if table.header_rows else [], FindingKind.HEADER, conversation)


def _find_repeats(labels: Sequence[str], kind: FindingKind, conversation: str) -> Iterable[LabelFinding]:
    for label, times in Counter(labels).items():
        if label and times > 1:
            yield LabelFinding(kind, conversation, None, f"{label!r} occurs {times} times")
