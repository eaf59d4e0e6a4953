"""Questions about two filings that a real model answered wrongly, asked again with a careful scripted model.

The questions, their answers and the prompts of the real model come from the public data, as do the numbers and words
that a right answer needs. The scripted model uses them only if they are in its prompt or found by one call.
"""

import importlib.util
import io
import json
import re
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from shutil import copy
from typing import Any

import anyio
import pytest
from command_line import Outcome, Quaestor, exit_code
from mcp_clients import called, server_of_folder
from model_server import ModelServer
from web import asking, begun, client_of
from web_api import program

import quaestor as library
from quaestor.conversation.turn import Turn
from quaestor.core.answer_value import Text, ValueList, YesNo
from quaestor.documents.document import Document
from quaestor.documents.table import Cell, Table
from quaestor.library.opening import OpenedDocument
from quaestor.scoring.filing_answers import FilingReference, answer_is_right
from quaestor.scoring.gold import read_gold
from quaestor.testing.models import Call, ReceivedRequest, Reply
from quaestor.web.app import create_app

Json = dict[str, Any]
Steps = list[str]
Calls = Generator[Reply, None, Steps]
Script = Callable[["TurnScene"], Generator[Reply, None, None]]

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w.]*\d)")
_QUOTED = re.compile(r"'([^']{9,})'")
_SENTENCE = re.compile(r"\.\.\.|(?<=[a-z])\.\s")
_SEGMENT = re.compile(r"([A-Z][\w& ]+) \(")


@dataclass
class TurnScene:
    """What a careful model knows in one turn: the question, the prompt, and what to look for.

    Attributes:
        negative: Whether the amount read last is negative.
    """

    line: Json
    document: Document
    before: Sequence[Json] = ()
    request: ReceivedRequest = field(init=False)
    negative: bool = field(init=False, default=False)

    @property
    def where(self) -> str:
        return str(self.line["where"])

    @property
    def amounts(self) -> list[float]:
        """The numbers in the description of the answer's place, in order, without years."""
        found = [number for number in _NUMBER.findall(self.where) if not re.fullmatch(r"20\d\d", number)]
        return [float(number.replace(",", "")) for number in found if len(number) > 3]

    @property
    def passages(self) -> list[str]:
        """The whole sentences that state the answer."""
        quotations = [part.strip(" .") for quoted in _QUOTED.findall(self.where) for part in _SENTENCE.split(quoted)]
        texts = [sentence.text for sentence in self.document.sentences]
        return [next((text for text in texts if folded(one) in folded(text)), one) for one in quotations if one]

    def reply(self, *calls: Call) -> Reply:
        understanding = Call("describe_understanding", {"description": self.line["question"]})
        return Reply(calls=calls if self.request.results else (understanding, *calls))

    def results(self, count: int) -> list[Json]:
        return [json.loads(result) for result in self.request.results[-count:]]

    def look_up(self, *amounts: float) -> Calls:
        """Read cells by the names of their rows; search once for cells that are not shown yet."""
        calls = [self._query(amount) for amount in amounts]
        yield self.reply(*calls)
        if any("error" in result for result in self.results(len(calls))):
            yield self.reply(Call("search_document", {"query": self.line["question"]}), *calls)
        return [self._step(*pair) for pair in zip(self.results(len(calls)), amounts, strict=True)]

    def _step(self, result: Json, amount: float) -> str:
        found = [one for one in result.get("values", [result]) if abs(float(one.get("value") or 0)) == amount]
        assert found, f"{amount} is not within reach: {result}"
        self.negative = float(found[0]["value"]) < 0
        return f"#{found[0]['step']}"

    def _query(self, amount: float) -> Call:
        table, cell = self._cell(amount)
        period = table.period_at(cell.ref.row, cell.ref.column)
        year = {} if period is None else {"year": period.last or period.year}
        return Call("query_kg", {"filters": {"row": table.rows[cell.ref.row].label, **year}})

    def _cell(self, amount: float) -> tuple[Table, Cell]:
        """Return the cell of an amount in the table that the description of the answer's place names."""
        found = [
            (len(names(self._described(table, row)) & names(self.where)), -table.index, table, cell)
            for table in self.document.tables
            for row, cells in enumerate(table.cells)
            for cell in cells[1:]
            if table.rows[row].label and cell.quantity is not None and abs(float(cell.quantity.value)) == amount
        ]
        return max(found, key=lambda one: one[:2])[2:]

    def _described(self, table: Table, row: int) -> str:
        return " ".join((table.title, *self.document.section_of(table).path, table.rows[row].label))

    def calculate(self, *calculations: Sequence[str]) -> Calls:
        yield self.reply(*(Call("calculate", {"operation": one, "values": list(of)}) for one, *of in calculations))
        return [f"#{result['step']}" for result in self.results(len(calculations))]

    def read(self, passages: Sequence[str], words: str) -> Calls:
        """Read sentences; search once for sentences that are not shown yet."""
        if not all(map(self.is_shown, passages)):
            yield self.looking(words)
        missing = [passage for passage in passages if not self.is_shown(passage)]
        assert not missing, f"not within reach: {missing}"
        return list(passages)

    def looking(self, words: str) -> Reply:
        question = Call("search_document", {"query": self.line["question"]})
        return self.reply(question, Call("find_in_text", {"words": words}))

    def is_shown(self, passage: str) -> bool:
        return folded(passage) in folded("\n".join((*self.request.prompts, *self.request.results)))

    def answer(self, **arguments: Any) -> Reply:
        return self.reply(Call("final_answer", arguments))


def folded(text: str) -> str:
    """Return the letters and digits of a text in lower case, without JSON escapes."""
    unescaped = re.sub(r"\\u[0-9a-f]{4}", " ", text)
    return re.sub(r"[^a-z0-9]+", " ", unescaped.lower())


def names(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def grew_faster(scene: TurnScene) -> Generator[Reply, None, None]:
    one, before, other, other_before = yield from scene.look_up(*scene.amounts)
    growth = yield from scene.calculate(("percentage_change", before, one), ("percentage_change", other_before, other))
    (faster,) = yield from scene.calculate(("argmax", *growth))
    yield scene.answer(answer=faster, explanation=[f"They grew by {{{growth[0]}}} and {{{growth[1]}}}."])


def amount_and_growth(scene: TurnScene) -> Generator[Reply, None, None]:
    now, before = yield from scene.look_up(*scene.amounts)
    (growth,) = yield from scene.calculate(("percentage_change", before, now))
    yield scene.answer(answer=f"{now}, {growth}")


def stated(words: str) -> Script:
    def script(scene: TurnScene) -> Generator[Reply, None, None]:
        passages = yield from scene.read(scene.passages, words)
        yield scene.answer(answer="yes" if scene.line["answer"]["yes"] else "no", words=passages)

    return script


def quoted(words: str) -> Script:
    def script(scene: TurnScene) -> Generator[Reply, None, None]:
        passages = yield from scene.read(scene.passages, words)
        yield scene.answer(words=passages)

    return script


def change_in_amount(scene: TurnScene) -> Generator[Reply, None, None]:
    now, before = yield from scene.look_up(*scene.amounts)
    (change,) = yield from scene.calculate(("subtract", now, before))
    yield scene.answer(answer=change)


def segments(scene: TurnScene) -> Generator[Reply, None, None]:
    """Quote, for each segment, the sentence that states what it includes."""
    called = _SEGMENT.findall(scene.line["answer"]["text"])
    texts = [sentence.text for sentence in scene.document.sentences]
    texts_of = [[text for text in texts if f"{name} segment includes" in text] for name in called]
    if not all(any(map(scene.is_shown, alike)) for alike in texts_of):
        yield scene.looking("segment includes")
    yield scene.answer(words=[next(filter(scene.is_shown, alike)) for alike in texts_of])


def both_years(scene: TurnScene) -> Generator[Reply, None, None]:
    found = yield from scene.look_up(*scene.amounts)
    yield scene.answer(answer=", ".join(found))


def fell_by_percent(scene: TurnScene) -> Generator[Reply, None, None]:
    now, before = yield from scene.look_up(*scene.amounts)
    (fall,) = yield from scene.calculate(("subtract", before, now))
    (share,) = yield from scene.calculate(("percentage", fall, before))
    yield scene.answer(answer=share)


def why_and_by_how_much(scene: TurnScene) -> Generator[Reply, None, None]:
    before, now, each_before, each = yield from scene.look_up(*scene.amounts)
    (fall,) = yield from scene.calculate(("subtract", before, now))
    because = f"Each share earned more, {{{each}}} after {{{each_before}}}, for there were {{{fall}}} fewer."
    yield scene.answer(answer=fall, explanation=[because])


def amount_and_stated(scene: TurnScene) -> Generator[Reply, None, None]:
    awarded, recorded = yield from scene.read(scene.passages, "amounts have been paid or recorded")
    yield scene.reply(Call("find_in_text", {"words": awarded}))
    (found,) = scene.results(1)
    yield scene.answer(answer=f"#{found['step']}, no", words=[recorded])


def margins_compared(scene: TurnScene) -> Generator[Reply, None, None]:
    income, revenue, income_before, revenue_before = yield from scene.look_up(*scene.amounts)
    now, before = yield from scene.calculate(
        ("percentage", income, revenue), ("percentage", income_before, revenue_before)
    )
    (higher,) = yield from scene.calculate(("greater", now, before))
    yield scene.answer(answer=f"{now}, {before}, {higher}")


def answer_correct_question(scene: TurnScene) -> Generator[Reply, None, None]:
    """Answer a question that the real model answered correctly."""
    wanted, kind = scene.line["answer"], scene.line["kind"]
    if kind in ("share", "sum"):
        part, whole = yield from scene.look_up(*scene.amounts[-2:])
        operation = "percentage" if kind == "share" else "add" if scene.negative else "subtract"
        (result,) = yield from scene.calculate((operation, part, whole))
        yield scene.answer(answer=result)
        return
    found = yield from scene.look_up(*(one["value"] for one in wanted.get("values", [wanted])))
    yield scene.answer(answer=", ".join(found))


MISSES: tuple[tuple[str, Script], ...] = (
    ("ranking", grew_faster),
    ("two_part", amount_and_growth),
    ("yesno", stated("centralize invoicing, shipped elsewhere")),
    ("yesno", stated("expect to increase capital expenditures in fiscal year 2026")),
    ("two_part", quoted("announced stock split, amendment to effect the stock split")),
    ("change", change_in_amount),
    ("why", quoted("segment operating income decrease was driven by")),
    ("description", segments),
    ("two_part", both_years),
    ("growth", fell_by_percent),
    ("change", why_and_by_how_much),
    ("why", quoted("provision for income taxes increased primarily due to")),
    ("two_part", amount_and_stated),
    ("comparison", margins_compared),
)
"""The kind of each question, in order, and the script of a careful model."""


@dataclass(frozen=True)
class MissedQuestion:
    """A question that the real model answered wrongly, with its whole conversation."""

    line: Json
    conversation: Sequence[Json]

    @property
    def before(self) -> Sequence[Json]:
        return self.conversation[: self.line["turn"]]


@pytest.fixture(scope="module")
def misses(shared_data: Path) -> tuple[MissedQuestion, ...]:
    """Return the questions that the real model answered wrongly, in order."""
    score = scorer(shared_data)
    records = lines(shared_data / "real_model" / "answers.jsonl")
    answers = {(one["conversation"], one["turn"]): one for one in records}
    questions_read = [
        line for file in dict.fromkeys(one["file"] for one in records) for line in questions(shared_data, file)
    ]
    questions_read = sorted(questions_read, key=lambda line: (line["file"], line["conversation"], line["turn"]))
    return tuple(
        MissedQuestion(line, [one for one in questions_read if one["conversation"] == line["conversation"]])
        for line in questions_read
        if not score.right(line["answer"], answers[line["conversation"], line["turn"]])
    )


def scorer(shared_data: Path) -> Any:
    spec = importlib.util.spec_from_file_location("score_answers", shared_data.parent / "tools" / "score_answers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def questions(shared_data: Path, file: str) -> list[Json]:
    return lines(shared_data / "questions" / f"{file}.jsonl")


@cache
def opened(path: Path) -> OpenedDocument:
    return library.open(path)


def filing(shared_data: Path, file: str) -> Path:
    (path,) = (shared_data / "filings").glob(f"{file}.[hp]*")
    return path


class CarefulModel:
    """A model server script that follows the script of each question."""

    def __init__(self, document: Document, scripts: Sequence[tuple[MissedQuestion, Script]]) -> None:
        self.faults: list[str] = []
        self._document = document
        self._scripts = {missed.line["question"]: (missed, script) for missed, script in scripts}
        self._playing: dict[str, tuple[TurnScene, Generator[Reply, None, None]]] = {}

    def __call__(self, request: ReceivedRequest) -> Reply:
        question = next(
            text for text in self._scripts if f"Question: {text}" in request.prompts[0].rpartition("\n\n")[2]
        )
        if not request.results:
            missed, script = self._scripts[question]
            scene = TurnScene(missed.line, self._document, missed.before)
            self._playing[question] = scene, script(scene)
        scene, playing = self._playing[question]
        scene.request = request
        try:
            return next(playing)
        except (AssertionError, StopIteration, LookupError, ValueError) as fault:
            self.faults.append(f"{question}: {fault!r} after {request.results[-1:]}")
            return Reply("no reply left", status=400)


def test_every_missed_question_has_a_script(misses: tuple[MissedQuestion, ...]) -> None:
    assert [missed.line["kind"] for missed in misses] == [kind for kind, _ in MISSES]


@pytest.mark.very_slow
@pytest.mark.parametrize("number", range(1, len(MISSES) + 1), ids=lambda n: f"{n:02}-{MISSES[n - 1][0]}")
def test_a_careful_model_has_it_right_in_one_turn(
    number: int, misses: tuple[MissedQuestion, ...], shared_data: Path, local_models: None
) -> None:
    missed, own = misses[number - 1], {id(one.line): script for one, (_, script) in zip(misses, MISSES, strict=True)}
    turns = [MissedQuestion(line, missed.conversation) for line in (*missed.before, missed.line)]
    page = opened(filing(shared_data, missed.line["file"]))
    model = CarefulModel(page.document, [(one, own.get(id(one.line), answer_correct_question)) for one in turns])
    with ModelServer(model) as server:
        conversation = page.conversation(solver="agent", model=f"openai:careful@{server.url}/v1")
        with conversation:
            *_, answered = [conversation.ask(one.line["question"]) for one in turns]
    assert model.faults == []
    assert len(conversation.answers) == len(turns)
    turn = answered.turn
    assert (turn.error, turn.verified, turn.answer.reason) == (None, True, None)
    assert_right(turn, missed.line, shared_data)


def assert_right(turn: Turn, line: Json, shared_data: Path) -> None:
    """Check that the answer is right by both scorers, and in the unit of the reference."""
    golds = read_gold(shared_data / "questions" / f"{line['file']}.jsonl")[line["conversation"]]
    reference = golds[line["turn"]].filing
    assert isinstance(reference, FilingReference)
    assert answer_is_right(turn.answer, reference), turn.answer
    score, record = scorer(shared_data), as_scored(turn)
    assert score.right(line["answer"], record) or score.right(line["answer"], {**record, "parts": None}), turn.answer
    wanted = {part.get("unit") for part in line["answer"].get("parts", [line["answer"]])} - {None, "percent"}
    items = turn.answer.value.items if isinstance(turn.answer.value, ValueList) else ()
    assert wanted <= {turn.answer.unit, *(item.unit for item in items)} or "label" in line["answer"]


def as_scored(turn: Turn) -> Json:
    """Return an answer in the format of the public scorer, with each entry of a list also as a part."""
    value, scale = turn.answer.value, turn.answer.scale.value
    match value:
        case ValueList(items=items):
            parts = [
                {"said": "text", "text": item.label}
                if item.number is None
                else {"said": "number", "value": float(item.number), "scale": (item.scale or turn.answer.scale).value}
                for item in items
            ]
            listed = [
                {
                    "label": item.label,
                    "value": None if item.number is None else float(item.number),
                    "scale": part.get("scale"),
                }
                for item, part in zip(items, parts, strict=True)
            ]
            return {"said": "list", "items": listed, "scale": scale, "parts": parts}
        case YesNo(value=yes):
            return {"said": "yes_no", "yes": yes}
        case Text(value=text):
            return {"said": "text", "text": text}
    return {"said": "number", "value": float(turn.answer.number or 0), "scale": scale}


@pytest.fixture
def quaestor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Quaestor:
    """Return the command line in an empty folder, with wide output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")

    def run(*arguments: str) -> Outcome:
        code = exit_code(*arguments)
        printed = capfd.readouterr()
        return Outcome(code, printed.out, printed.err)

    return run


@dataclass(frozen=True)
class QuestionSetup:
    """A file with questions about it, and the model that answers.

    Attributes:
        folder: Contains the file as `filings/report.pdf`.
    """

    folder: Path
    model: str
    quaestor: Quaestor
    missed: Sequence[MissedQuestion]

    @property
    def file(self) -> str:
        return str(self.folder / "filings" / "report.pdf")

    @property
    def options(self) -> tuple[str, ...]:
        return "--solver", "agent", "--model", self.model

    @property
    def questions(self) -> list[str]:
        return [missed.line["question"] for missed in self.missed]


def by_asking(setup: QuestionSetup) -> list[str]:
    records = [
        json.loads(setup.quaestor("ask", setup.file, text, "--json", *setup.options).out) for text in setup.questions
    ]
    return [answer["display"] for (answer,) in records]


def by_chatting(setup: QuestionSetup) -> list[str]:
    shown = []
    for text in setup.questions:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", io.StringIO(f"{text}\n"))
            shown.append(setup.quaestor("chat", setup.file, *setup.options).out)
    assert not any("\n2. " in one for one in shown)
    return shown


def by_evaluating(setup: QuestionSetup) -> list[str]:
    lines = [json.dumps({**missed.line, "file": "report"}) for missed in setup.missed]
    Path("questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    more = ("--documents", "filings", "--store", "runs.db", "--output", "turns.jsonl", "--json")
    score = json.loads(setup.quaestor("eval", "questions.jsonl", *more, *setup.options).out)["score"]
    assert (score["right"]["correct"], score["right"]["total"]) == (len(lines), len(lines))
    turns = {turn["question"]: turn["told"] for turn in map(json.loads, Path("turns.jsonl").read_text().splitlines())}
    return [turns[text] for text in setup.questions]


def by_http(setup: QuestionSetup) -> list[str]:
    with program(setup.folder, setup.file, scripted=False, solver="agent", model=setup.model) as there:
        replies = [there.post(f"{there.begin()}/questions", question=text)["answers"] for text in setup.questions]
    return [answer["display"] for (answer,) in replies]


def by_page(setup: QuestionSetup) -> list[str]:
    request = asking(setup.folder, None, solver="agent", model=setup.model)
    headers = {"HX-Request": "true"}
    with client_of(create_app(request, None, (setup.file,))) as client:
        shown = [
            client.post(f"{begun(client)}/ask", data={"question": text}, headers=headers).text
            for text in setup.questions
        ]
    assert all(len(re.findall(r'class="turn" id="turn-', one)) == 1 for one in shown)
    return shown


def by_assistants(setup: QuestionSetup) -> list[str]:
    async def ask() -> list[str]:
        from mcp import Client

        async with Client(server_of_folder(setup.folder, solver="agent", model=setup.model)) as client:
            replies = [await called(client, "ask", document="report.pdf", question=text) for text in setup.questions]
        return [answer["display"] for one in replies for (answer,) in [one["answers"]]]

    return anyio.run(ask)


@pytest.mark.very_slow
@pytest.mark.parametrize("door", [by_asking, by_chatting, by_evaluating, by_http, by_page, by_assistants])
def test_every_door_gives_all_parts_in_one_turn(
    door: Callable[[QuestionSetup], list[str]],
    misses: tuple[MissedQuestion, ...],
    shared_data: Path,
    local_models: None,
    quaestor: Quaestor,
    tmp_path: Path,
) -> None:
    """Ask first questions of one file through each interface; the test above checks their answers in Python."""
    file = misses[-1].line["file"]
    asked = [
        (missed, script)
        for missed, (kind, script) in zip(misses, MISSES, strict=True)
        if missed.line["file"] == file and missed.line["turn"] == 0 and kind in ("two_part", "comparison")
    ]
    assert len(asked) == 3
    (tmp_path / "filings").mkdir()
    copy(filing(shared_data, file), tmp_path / "filings" / "report.pdf")
    page = opened(filing(shared_data, file))
    model = CarefulModel(page.document, asked)
    with ModelServer(model) as server:
        setup = QuestionSetup(tmp_path, f"openai:careful@{server.url}/v1", quaestor, [missed for missed, _ in asked])
        expected = [page.ask(text, solver="agent", model=setup.model).display for text in setup.questions]
        before = len(server.requests)
        shown = door(setup)
    assert model.faults == []
    assert len(server.requests) == 2 * before
    for display, printed in zip(expected, shown, strict=True):
        assert all(part in printed for part in display.split("; ")), printed
