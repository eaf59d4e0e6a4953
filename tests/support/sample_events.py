"""One event of every kind, with its lines, for the tests of events, stores and traces."""

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

EVENTS: tuple[tuple[Event, tuple[str, ...]], ...] = (
    (Note("one\ntwo"), ("one", "two")),
    (Note("look twice", warning=True), ("warning: look twice",)),
    (
        Understood({"description": "the change", "periods": [2008]}),
        ('{"description": "the change", "periods": [2008]}',),
    ),
    (NotUnderstood("the reply was empty"), ("not understood: the reply was empty",)),
    (ToolCalled("query_kg", 1), ("tool call 1: query_kg",)),
    (ReplyRejected("PLAN", "write_plan", 2, ("this", "that")), ("PLAN, reply 2: this; that",)),
    (
        AnswerClaimed(a_value("14.10"), Scale.PERCENT, None, (1, 3), "by the tools"),
        ("claimed: 14.10 percent (steps 1, 3)", "explained: by the tools"),
    ),
    (AnswerClaimed(a_value(True)), ("claimed: yes",)),
    (AnswerClaimed(a_value(1), Scale.MILLION, "USD"), ("claimed: 1 million USD",)),
    (NoAnswerGiven("not_on_page", "no line of research"), ("no answer: the page does not say: no line of research",)),
    (NoAnswerGiven("no_question", "why"), ("no answer: this asks for no number of the page: why",)),
    (NoAnswerGiven("ambiguous"), ("no answer: more than one number fits",)),
    (ValuesNamed({"values": []}), ('{"values": []}',)),
    (FormulaWritten("a - b", "the later first"), ("formula: a - b", "reasoned: the later first")),
    (FormulaWritten(None), ("formula: none",)),
    (
        PlanProposed(1, THOUGHT),
        (
            'plan 1: {"thought_process": "it\'s two lines in €", '
            '"steps": [{"step_id": 1, "nothing": null, "share": 0.5}]}',
        ),
    ),
    (PlanRefused("PLAN_again_1", 2, ("step 1: no",)), ("PLAN_again_1, plan 2 cannot be run: step 1: no",)),
    (LookedUp(1, "cash | 2009", "cash, 2009"), ("step 1: cash | 2009 -> cash, 2009",)),
    (
        LookedUp(2, "cash | 2009", "cash, 2009", 97.5, "costs, 2009", 60.0),
        ("step 2: cash | 2009 -> cash, 2009 (score 97.5; runner-up costs, 2009 60)",),
    ),
    (TakenApart("what was a, and what was b?", 2, 2), ('question 2 of 2 in "what was a, and what was b?"',)),
    (NumberPicked(1, 2, 3), ("step 1: pointed to 2 of 3 numbers",)),
    (CandidateChosen(120, "subtract", 0.614), ("120 plans; chose subtract (61%)",)),
    (
        CandidatePassedOver("divide", "1 cannot be divided by zero"),
        ("passed over divide: 1 cannot be divided by zero",),
    ),
    (
        Drafted(1, ("1. cash = 5 (T0R1C1)", "2. add #1, 2"), "7", "7 million"),
        ("draft 1: 1. cash = 5 (T0R1C1); 2. add #1, 2; says 7 million", "draft 1, recomputed: 7"),
    ),
    (
        Drafted(1, ("1. cash = 5 (T0R1C1)",), "5", checked=("place of 1 number", "line")),
        ("draft 1: 1. cash = 5 (T0R1C1)", "draft 1, recomputed: 5", "draft 1, checked: place of 1 number; line"),
    ),
    (NotDrafted(2, "no plan"), ("draft 2: none, no plan",)),
    (EvidenceFound(1, "order", 3, "swap them"), ("draft 1, evidence: step 3 (order): swap them",)),
    (VerdictGiven(1, "extraction", approves=True), ("draft 1, extraction critic approves",)),
    (
        VerdictGiven(1, "calculation", approves=False, issues=("wrong", "really"), changes=("add",)),
        ("draft 1, calculation critic objects: wrong; really; add",),
    ),
    (
        VerdictMissing(1, "extraction", "the reply was empty"),
        ("draft 1, extraction critic gives no verdict that can be used: the reply was empty",),
    ),
    (DraftSettled(1, 1, accepted=True), ("draft 1 is accepted",)),
    (DraftSettled(1, 2, accepted=False), ("no draft of 2 is accepted; draft 1 has least against it",)),
    (ExpertEvent(2, "agent", Note("one\ntwo")), ("draft 2, agent: one", "draft 2, agent: two")),
    (
        ExpertEvent(2, "reflection", ExpertEvent(1, "agent", ToolCalled("calculate", 4))),
        ("draft 2, reflection: draft 1, agent: tool call 4: calculate",),
    ),
    (StageEvent(2, "agent", Note("one\ntwo")), ("stage 2, agent: one", "stage 2, agent: two")),
    (
        StageAnswered(1, "embedded", taken=False, shown="$ 7", confidence=0.412, least=0.7),
        ("stage 1, embedded: $ 7, 41% sure of 70% asked; not taken",),
    ),
    (
        StageAnswered(1, "workflow", taken=False, error="no plan", seconds=0.2, usage={"requests": 1}),
        ("stage 1, workflow: no answer (no plan); not taken",),
    ),
    (
        AnswerMeasured(0.412, 2, findings=2, facts=1, ties=1, repairs=3, agreeing=2, samples=3),
        (
            "the embedded solver gives this 41% (its result 2); 2 findings (1 of them facts), 1 ties, 3 repairs; "
            "2 of 3 samples agree",
        ),
    ),
    (
        AnswerMeasured(0.0, 0),
        ("the embedded solver gives this 0% (none of its results); 0 findings, 0 ties, 0 repairs",),
    ),
    (StageAnswered(2, "agent", taken=True, shown="7 %"), ("stage 2, agent: 7 %; this is the answer",)),
)
"""Each with its lines."""
