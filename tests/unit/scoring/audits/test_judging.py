from collections.abc import Sequence

from values import a_value

from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.scoring.audits.audit import Audit, AuditEntry, AuditReading, AuditVerdict
from quaestor.scoring.audits.candidates import audit_candidates
from quaestor.scoring.audits.judging import AuditedTurn, audited_score, audited_turns
from quaestor.scoring.gold import GoldTurn
from quaestor.scoring.predictions import Prediction
from quaestor.scoring.report import Report, score_predictions

NAME = "Single_A/2010/page_1.pdf-1"
GOLD = {
    NAME: (
        GoldTurn("subtract(5, 3)", a_value(2.0), None, 0),
        GoldTurn("subtract(5, 3), divide(#0, 4)", a_value(0.5), None, 0),
        GoldTurn("7", a_value(7.0), None, 0),
    )
}
ASKED = [Conversation(NAME, Document("A/2010/page_1.pdf", (), ()), ("?",) * 3)]


def audit(*settled: tuple[int, AuditVerdict, Sequence[str]]) -> Audit:
    entries = [
        AuditEntry(NAME, turn, verdict, tuple(programs), "Read again.", (AuditReading(verdict, ()),) * 2, "agreed")
        for turn, verdict, programs in settled
    ]
    return Audit("mine", tuple(entries))


def report(*answers: str | None) -> Report:
    return score_predictions(
        [Prediction(NAME, turn, answer, answer) for turn, answer in enumerate(answers)], GOLD, ASKED
    )


def judged(scored: Report, settled: Audit) -> tuple[AuditedTurn, ...]:
    return audited_turns(scored.turns, ASKED, settled)


def test_a_wrong_reference_is_replaced_and_what_follows_from_it() -> None:
    settled = audit((0, AuditVerdict.WRONG, ["subtract(6, 2)"]))
    turns = judged(report("4", "1", "7"), settled)
    assert [turn.right for turn in turns] == [True, True, True]
    assert [turn.score.correct for turn in turns] == [False, False, True]
    assert [turn.follows for turn in turns] == [False, True, False]
    assert [turn.right for turn in judged(report("2", "0.5", "7"), settled)] == [False, True, True]
    assert [turn.right for turn in judged(report("2", "0.7", "7"), settled)] == [False, False, True]


def test_an_entry_of_its_own_goes_before_what_follows() -> None:
    settled = audit((0, AuditVerdict.WRONG, ["subtract(6, 2)"]), (1, AuditVerdict.RIGHT, []))
    assert [turn.right for turn in judged(report("4", "0.5", None), settled)] == [True, True, False]


def test_the_reference_stays_right_beside_other_readings() -> None:
    for verdict in (AuditVerdict.AMBIGUOUS, AuditVerdict.CONVENTION):
        settled = audit((0, verdict, ["subtract(3, 5)"]))
        assert [judged(report(answer, None, None), settled)[0].right for answer in ("2", "-2", "8", None)] == [
            True,
            True,
            False,
            False,
        ]


def test_a_program_without_a_result_accepts_nothing() -> None:
    settled = audit((2, AuditVerdict.WRONG, ["divide(7, 0)", "table_sum(no such row, none)"]))
    assert [turn.right for turn in judged(report("2", "0.5", "7"), settled)] == [True, True, False]


def test_both_figures_have_every_turn_in_the_denominator() -> None:
    settled = audit((0, AuditVerdict.WRONG, ["subtract(6, 2)"]))
    score = audited_score(judged(report("4", None, "7"), settled), settled)
    assert (score.raw.correct, score.raw.total) == (1, 3)
    assert (score.audited.correct, score.audited.total) == (2, 3)
    assert [(share.verdict, share.turns, share.raw, share.audited) for share in score.shares] == [
        (AuditVerdict.WRONG, 1, 0, 1),
        (None, 1, 0, 0),
    ]


def test_candidates_are_answered_wrong_and_not_settled() -> None:
    scored = report("4", "0.7", None)
    assert [one.turn for one in audit_candidates(scored.turns, None)] == [0, 1]
    settled = audit((0, AuditVerdict.RIGHT, []))
    assert [one.turn for one in audit_candidates(scored.turns, settled)] == [1]


def test_candidates_that_others_answer_alike_come_first() -> None:
    scored = report("4", "0.7", None)
    found = audit_candidates(scored.turns, None, [{(NAME, 1): "0.7"}, {(NAME, 1): "0.7", (NAME, 0): "9"}])
    assert [(one.turn, one.beside) for one in found] == [(1, 2), (0, 0)]
