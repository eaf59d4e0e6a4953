"""The reflection solver from the command line: experts, roles, outage of one role, traces."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Quaestor, command_line, one_line, refused
from made_up import a_record, write_dataset
from model_replies import broken
from model_server import ModelServer
from reflection_bench import APPROVES, calculate, draft, look_up, role_of

from quaestor.testing.models import ReceivedRequest, Reply, structured

IDS = ("Single_NORD/2012/page_41.pdf-1", "Single_SUND/2011/page_7.pdf-1")
QUESTIONS = ("what was net revenue in 2008?", "and in 2007?")
# The drafts contain a calculation, so that both critics are asked.
IN_2008 = draft(look_up("net revenue, 2008", 206588, "T0R1C1"), calculate("add", "#1", 0, result=206588), answer=206588)
IN_2007 = draft(look_up("net revenue, 2007", 181001, "T0R1C2"), calculate("add", "#1", 0, result=181001), answer=181001)

TABLES = """
[models.main]
base_url = "{url}/v1"
attempts = 1
[models.strict]
model = "strict"
base_url = "{url}/v1"
attempts = 1
[solvers.reflection]
calculation_critic_model = "strict"
extraction_critic_temperature = 0.5
max_iterations = 3
[prices.main]
input = 100
output = 200
[prices.strict]
input = 1000
output = 2000
"""


class Roles:
    """A script that drafts and approves; models in `down` reply with an error."""

    def __init__(self) -> None:
        self.down: set[str] = set()
        self.temperatures: dict[str, object] = {}

    def __call__(self, request: ReceivedRequest) -> Reply:
        model = request.body["model"]
        if model in self.down:
            return broken(503)
        role = role_of(request)
        self.temperatures[f"{role} {model}"] = request.body.get("temperature")
        if role != "expert":
            return structured(request, APPROVES)
        return structured(request, IN_2007 if "Question: and in 2007?" in request.prompts[0] else IN_2008)


@pytest.fixture
def roles() -> Roles:
    return Roles()


@pytest.fixture
def ask(
    local_models: None, roles: Roles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Quaestor]:
    """Run the command line with the real solvers, two models and two conversations."""
    run = command_line(tmp_path, monkeypatch, capfd, columns=200)
    records = [
        a_record(name, QUESTIONS, ("206588", "181001"), (206588.0, 181001.0), displays=("1", "2")) for name in IDS
    ]
    write_dataset(tmp_path / "pages.json", *records)
    with ModelServer(roles) as server:
        Path("quaestor.toml").write_text(TABLES.format(url=server.url))
        yield run


def test_roles_have_their_own_models_and_temperatures(ask: Quaestor, roles: Roles) -> None:
    outcome = ask("eval pages.json --solver reflection --model main --json")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["score"]["execution"]["value"] == 1.0
    assert roles.temperatures == {"expert main": 0.0, "extraction main": 0.5, "calculation strict": 0.0}
    shown = json.loads(ask("runs show latest --json").out)
    assert shown["spec"]["solver_options"]["max_iterations"] == 3
    assert shown["spec"]["model"]["roles"]["calculation_critic"]["model"] == "strict"
    assert shown["spec"]["model"]["roles"]["extraction_critic"]["temperature"] == 0.5
    # 12 requests with 10 input and 5 output tokens: 8 at one price, and 4 at ten times that price
    assert "0.0960 US dollars" in ask("runs show latest").out


def test_run_continues_while_one_model_is_down_and_is_resumed(ask: Quaestor, roles: Roles) -> None:
    roles.down = {"strict"}
    outcome = ask("run pages.json --solver reflection --model main --workers 1")
    assert outcome.code == 1
    assert "2 of 2" in outcome.err
    shown = json.loads(ask("runs show latest --json").out)
    assert [example["status"] for example in shown["examples"]] == ["outage", "outage"]
    assert "503" in shown["examples"][0]["error"]
    roles.down = set()
    again = ask("eval pages.json --solver reflection --model main --resume latest --json")
    assert again.code == 0, again.err
    assert json.loads(again.out)["score"]["execution"]["value"] == 1.0


@pytest.mark.slow
def test_traces_are_exported_turn_by_turn(ask: Quaestor, tmp_path: Path) -> None:
    assert ask("run pages.json --solver reflection --model main").code == 0
    assert ask("runs export latest --traces traces.jsonl").out == "wrote 4 turns to traces.jsonl\n"
    lines = [json.loads(line) for line in Path("traces.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["conversation"], line["turn"]) for line in lines] == [(name, turn) for name in IDS for turn in (0, 1)]
    assert lines[0]["question"] == QUESTIONS[0]
    drafted = lines[0]["events"][0]
    assert (drafted["kind"], drafted["draft"]) == ("drafted", 1)
    assert drafted["steps"][0].startswith("1. net revenue, 2008")
    phases = [exchange["phase"] for exchange in lines[0]["exchanges"]]
    assert sorted(phases) == ["CALCULATION_CRITIC_1", "EXPERT_1", "EXTRACTION_CRITIC_1"]
    assert json.loads(lines[0]["exchanges"][0]["prompt"])["model"] == "main"
    one_line(ask("runs export latest --traces no/such/folder.jsonl"))


@pytest.mark.slow
def test_partial_run_after_an_outage_is_exported(ask: Quaestor, roles: Roles) -> None:
    roles.down = {"strict"}
    ask("run pages.json --solver reflection --model main")
    assert ask("runs export latest --traces traces.jsonl").code == 0
    lines = [json.loads(line) for line in Path("traces.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["turn"], "question" in line) for line in lines] == [(0, True), (0, True)]
    assert any(exchange["error"] == "status 503" for exchange in lines[0]["exchanges"])


@pytest.mark.slow
def test_embedded_solver_can_draft_with_evidence_as_the_only_critic(ask: Quaestor) -> None:
    outcome = ask("eval pages.json --solver reflection --expert embedded --json")
    assert outcome.code == 0, outcome.err
    shown = json.loads(ask("runs show latest --json").out)
    assert (shown["spec"]["solver_options"]["expert"], shown["spec"]["model"]) == ("embedded", None)
    assert ask(f"runs turn latest {IDS[0]} 1").code == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--solver reflection", "quaestor: "),
        ("--solver reflection --expert nobody --model main", "'nobody'"),
        ("--solver reflection --expert reflection --model main", "quaestor: "),
        ("--solver embedded --expert agent", "quaestor: "),
    ],
)
def test_incompatible_options_are_refused(ask: Quaestor, line: str, message: str) -> None:
    assert message in refused(ask(f"run pages.json {line}"))
