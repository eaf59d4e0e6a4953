"""Events of every kind for the tests of events, stores and traces."""

from pydantic import JsonValue
from values import a_value

from quaestor.conversation.events.drafts import (
    Drafted,
    DraftSettled,
    EvidenceFound,
    NotDrafted,
    VerdictGiven,
    VerdictMissing,
)
from quaestor.conversation.events.kinds import (
    AnswerClaimed,
    CandidateChosen,
    CandidatePassedOver,
    Event,
    ExpertEvent,
    FormulaWritten,
    LookedUp,
    NoAnswerGiven,
    Note,
    NotUnderstood,
    NumberPicked,
    PlanProposed,
    PlanRefused,
    ReplyRejected,
    StageEvent,
    TakenApart,
    ToolCalled,
    Understood,
    ValuesNamed,
)
from quaestor.conversation.events.measured import AnswerMeasured
from quaestor.conversation.events.stages import StageAnswered
from quaestor.core.quantity import Scale

THOUGHT: dict[str, JsonValue] = {
    "thought_process": "it's\u2028two lines\x85in €",
    "steps": [{"step_id": 1, "nothing": None, "share": 0.5}],
}

EVENTS: tuple[Event, ...] = (
    Note("one\ntwo"),
    Note("look twice", warning=True),
    Understood({"description": "the change", "periods": [2008]}),
    NotUnderstood("the reply was empty"),
    ToolCalled("query_kg", 1),
    ReplyRejected("PLAN", "write_plan", 2, ("this", "that")),
    AnswerClaimed(a_value("14.10"), Scale.PERCENT, None, (1, 3), "by the tools"),
    AnswerClaimed(a_value(True)),
    AnswerClaimed(a_value(1), Scale.MILLION, "USD"),
    NoAnswerGiven("not_on_page", "no line of research"),
    NoAnswerGiven("no_question", "why"),
    NoAnswerGiven("ambiguous"),
    ValuesNamed({"values": []}),
    FormulaWritten("a - b", "the later first"),
    FormulaWritten(None),
    PlanProposed(1, THOUGHT),
    PlanRefused("PLAN_again_1", 2, ("step 1: no",)),
    LookedUp(1, "cash | 2009", "cash, 2009"),
    LookedUp(2, "cash | 2009", "cash, 2009", 97.5, "costs, 2009", 60.0),
    TakenApart("what was a, and what was b?", 2, 2),
    NumberPicked(1, 2, 3),
    CandidateChosen(120, "subtract", 0.614),
    CandidatePassedOver("divide", "1 cannot be divided by zero"),
    Drafted(1, ("1. cash = 5 (T0R1C1)", "2. add #1, 2"), "7", "7 million"),
    Drafted(1, ("1. cash = 5 (T0R1C1)",), "5", checked=("place of 1 number", "line")),
    NotDrafted(2, "no plan"),
    EvidenceFound(1, "order", 3, "swap them"),
    VerdictGiven(1, "extraction", approves=True),
    VerdictGiven(1, "calculation", approves=False, issues=("wrong", "really"), changes=("add",)),
    VerdictMissing(1, "extraction", "the reply was empty"),
    DraftSettled(1, 1, accepted=True),
    DraftSettled(1, 2, accepted=False),
    ExpertEvent(2, "agent", Note("one\ntwo")),
    ExpertEvent(2, "reflection", ExpertEvent(1, "agent", ToolCalled("calculate", 4))),
    StageEvent(2, "agent", Note("one\ntwo")),
    StageAnswered(1, "embedded", taken=False, shown="$ 7", confidence=0.412, least=0.7),
    StageAnswered(1, "workflow", taken=False, error="no plan", seconds=0.2, usage={"requests": 1}),
    AnswerMeasured(0.412, 2, findings=2, facts=1, ties=1, repairs=3, agreeing=2, samples=3),
    AnswerMeasured(0.0, 0),
    StageAnswered(2, "agent", taken=True, shown="7 %"),
)
