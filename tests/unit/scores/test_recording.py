import json
from collections import Counter
from dataclasses import replace

import pytest
from pydantic import JsonValue

import quaestor
from quaestor.core import serial
from quaestor.scores.recording import make_score_records
from quaestor.scores.records import ScoreRecords
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.records import TurnRecord


@pytest.fixture(scope="module")
def scored() -> quaestor.ScoredRun:
    return quaestor.evaluate("sample", limit=3)


def kept(scored: quaestor.ScoredRun) -> ScoreRecords:
    called = Counter[str]()
    for turn in scored.turns.values():
        called[turn.conversation] += len(turn.tool_calls)
    return make_score_records(scored.run, "pages.json", TurnFrame.of(scored.report.turns), scored.report.score, called)


def test_the_figures_are_those_of_the_report(scored: quaestor.ScoredRun) -> None:
    wrong = replace(scored.report.turns[1], verdicts={**scored.report.turns[1].verdicts, "execution": False})
    turns = (scored.report.turns[0], wrong, *scored.report.turns[2:])
    found = kept(replace(scored, report=replace(scored.report, turns=turns)))
    assert (found.score.turns, found.score.correct_answers, found.score.conversations) == (12, 11, 3)
    assert (found.score.accuracy, found.score.mean_turns) == (11 / 12, 4.0)
    assert found.score.metrics["execution"] == {
        **serial.dump(scored.report.score.execution),
        "value": scored.report.score.execution.value,
    }
    assert set(found.score.metrics) == set(scored.report.score.results)
    first = found.conversations[0]
    assert (first.conversation, first.turns, first.correct_answers) == (wrong.conversation, 4, 3)
    assert (first.failed_turns, first.accuracy) == ([1], 0.75)
    verdicts = {(verdict.conversation, verdict.index): verdict for verdict in found.verdicts}
    assert len(verdicts) == 12
    assert not verdicts[wrong.conversation, 1].correct
    assert verdicts[wrong.conversation, 1].program_correct is wrong.verdicts["program"]
    assert {record.score for record in found.conversations} == {found.score.id}
    assert {record.score for record in found.verdicts} == {found.score.id}


def test_tool_calls_are_counted_a_turn(scored: quaestor.ScoredRun) -> None:
    calls: list[JsonValue] = [{"tool": "query_kg", "input": "{}", "output": "{}", "seconds": 0.1}]

    def with_calls(turn: TurnRecord) -> TurnRecord:
        return replace(turn, tool_calls=calls * (turn.index + 1))

    found = kept(replace(scored, turns={key: with_calls(turn) for key, turn in scored.turns.items()}))
    assert [record.mean_tool_calls for record in found.conversations] == [2.5, 2.5, 2.5]
    assert found.score.mean_tool_calls == 2.5


def test_no_answer_program_or_question_is_kept(scored: quaestor.ScoredRun) -> None:
    turns = [replace(turn, gold_program="planted(1, 2)", predicted="918273645") for turn in scored.report.turns]
    found = kept(replace(scored, report=replace(scored.report, turns=tuple(turns))))
    written = json.dumps([serial.dump(record) for record in (found.score, *found.conversations, *found.verdicts)])
    assert "planted" not in written
    assert "918273645" not in written
    operations = {turn.kind.operation for turn in scored.report.turns}
    assert operations
    assert not [operation for operation in operations if operation in written]
