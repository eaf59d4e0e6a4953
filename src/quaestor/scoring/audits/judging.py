"""A scored run beside an audit: how many turns are right by the references as they are, and as they were settled.

Owns what counts as right where a reference is disputed. The official figure stays what it is; this stands beside it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from quaestor.datasets.dataset import Conversation
from quaestor.errors import PlanError
from quaestor.plan.rows import TableRows
from quaestor.scoring.audits.audit import Audit, AuditEntry, AuditVerdict
from quaestor.scoring.audits.following import following
from quaestor.scoring.bootstrap import Proportion, proportion
from quaestor.scoring.metrics import executed_equal, run_program
from quaestor.scoring.pages import benchmark_rows_of
from quaestor.scoring.predictions import Prediction
from quaestor.scoring.verdicts import TurnScore


@dataclass(frozen=True, slots=True)
class VerdictShare:
    """The turns whose references have one verdict.

    Attributes:
        verdict: What the audit says of them; None for turns that rest on a reference that is said to be wrong.
        turns: How many of the run.
        raw: How many are right by the reference.
        audited: How many are right by what is accepted.
    """

    verdict: AuditVerdict | None
    turns: int
    raw: int
    audited: int


@dataclass(frozen=True, slots=True)
class AuditedScore:
    """Raw and audited accuracy, over the same turns.

    Attributes:
        audit: The name of the audit.
        entries: How many turns it settles, those of other runs too.
        kappa: How far its two readers agree, as `Audit.kappa`.
        raw: Official execution accuracy.
        audited: The same with each disputed turn judged by what is accepted; of a turn that repeats the steps of a
            wrong reference, what follows from the accepted one is right too.
        shares: The turns that the audit bears on, by verdict.
    """

    audit: str
    entries: int
    kappa: float
    raw: Proportion
    audited: Proportion
    shares: tuple[VerdictShare, ...]


@dataclass(frozen=True, slots=True)
class AuditedTurn:
    """One turn, judged twice.

    Attributes:
        score: With the official verdict.
        right: Whether it is right by what is accepted.
        entry: What the audit says of it, or None.
        follows: Whether what follows from an earlier turn's accepted answer is right too.
    """

    score: TurnScore
    right: bool
    entry: AuditEntry | None
    follows: bool = False


def audited_turns(
    scores: Iterable[TurnScore], conversations: Iterable[Conversation], audit: Audit
) -> tuple[AuditedTurn, ...]:
    """Returns each turn of a scored run, judged by an audit too.

    Args:
        scores: Its turns with their official verdicts, conversation by conversation; their references are programs.
        conversations: Those that were scored.
        audit: The audit; turns that it does not name are judged as they are.
    """
    documents = {conversation.id: conversation.document for conversation in conversations}
    found: list[AuditedTurn] = []
    settled: dict[str, list[tuple[str, str]]] = {}
    for score in scores:
        entry = audit.by_turn.get((score.conversation, score.turn))
        earlier = settled.setdefault(score.conversation, [])
        if entry is not None and entry.verdict is AuditVerdict.WRONG:
            earlier.append((score.gold_program, entry.programs[0]))
        accepted = _accepted(score, entry, earlier)
        if accepted is None:
            found.append(AuditedTurn(score, score.correct, entry))
            continue
        right = _is_right(score, accepted, benchmark_rows_of(documents[score.conversation]))
        # A turn that nobody read keeps its reference: the steps that it shares with a wrong one may be right here.
        keeps = entry is None or entry.verdict is not AuditVerdict.WRONG
        found.append(AuditedTurn(score, right or (keeps and score.correct), entry, follows=entry is None))
    return tuple(found)


def audited_score(turns: Sequence[AuditedTurn], audit: Audit) -> AuditedScore:
    """Returns raw and audited accuracy of judged turns."""
    pages = [turn.score.page for turn in turns]
    return AuditedScore(
        audit.name,
        len(audit.entries),
        audit.kappa,
        proportion([turn.score.correct for turn in turns], pages),
        proportion([turn.right for turn in turns], pages),
        tuple(_shares(turns)),
    )


def _accepted(score: TurnScore, entry: AuditEntry | None, earlier: Sequence[tuple[str, str]]) -> tuple[str, ...] | None:
    """Returns the programs that are accepted instead of a reference or beside it; None where it is judged alone."""
    if entry is not None:
        return None if entry.verdict is AuditVerdict.RIGHT else entry.programs
    for wrong, accepted in reversed(earlier):
        if instead := following(score.gold_program, wrong, accepted):
            return (instead,)
    return None


def _is_right(score: TurnScore, programs: Sequence[str], tables: Sequence[TableRows]) -> bool:
    answer = Prediction(score.conversation, score.turn, score.predicted).value
    for program in programs:
        try:
            if executed_equal(answer, run_program(program, tables)):
                return True
        except PlanError:
            continue  # it has no result on this page, so nothing equals it
    return False


def _shares(turns: Sequence[AuditedTurn]) -> Iterator[VerdictShare]:
    groups: Mapping[AuditVerdict | None, list[AuditedTurn]] = {
        **{
            verdict: [turn for turn in turns if turn.entry and turn.entry.verdict is verdict]
            for verdict in AuditVerdict
        },
        None: [turn for turn in turns if turn.follows],
    }
    for verdict, members in groups.items():
        if members:
            raw, audited = sum(turn.score.correct for turn in members), sum(turn.right for turn in members)
            yield VerdictShare(verdict, len(members), raw, audited)
