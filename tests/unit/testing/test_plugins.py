"""`quaestor.testing` reports faults of plugins in one line."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quaestor import (
    Answer,
    Conversation,
    Dataset,
    DatasetError,
    Document,
    Extract,
    FileContent,
    Memory,
    Number,
    ParagraphPart,
    Plan,
    SolverError,
    SolverSpec,
    TablePart,
    TurnContext,
    answer_from_plan,
    assemble,
)  # fmt: skip
from quaestor.core.quantity import Quantity
from quaestor.errors import OutageError
from quaestor.scoring.gold import GoldFile, GoldTurn
from quaestor.testing import (
    ContractError,
    Reply,
    ScriptedModel,
    check_dataset,
    check_reader,
    check_references,
    check_solver,
    turn_context,
)  # fmt: skip


class FirstNumber:
    """A solver that answers with the first number of the tables."""

    name = "first"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        for table in context.document.tables:
            for cell in table.body():
                if cell.quantity:
                    return answer_from_plan(
                        Plan((Extract(1, cell.ref, "", cell.quantity),)), context, question=question
                    )
        raise SolverError("there is no number")


class Counting(FirstNumber):
    """A solver whose description differs in each call."""

    calls = 0

    async def solve(self, question: str, context: TurnContext) -> Answer:
        self.calls += 1
        answer = await super().solve(question, context)
        return replace(answer, description=f"number {self.calls}")


class Lying(FirstNumber):
    async def solve(self, question: str, context: TurnContext) -> Answer:
        return replace(await super().solve(question, context), value=Number(Decimal(7)))


class Guessing(FirstNumber):
    async def solve(self, question: str, context: TurnContext) -> Answer:
        return Answer(Number(Decimal(7)))


class Inventing(FirstNumber):
    async def solve(self, question: str, context: TurnContext) -> Answer:
        (found,) = ((await super().solve(question, context)).plan or Plan(())).steps
        assert isinstance(found, Extract)
        return answer_from_plan(Plan((replace(found, quantity=Quantity(Decimal(7))),)), context, question=question)


class Failing(FirstNumber):
    async def solve(self, question: str, context: TurnContext) -> Answer:
        raise KeyError(question)


class Asserting(FirstNumber):
    async def solve(self, question: str, context: TurnContext) -> Answer:
        assert len(context.document.tables) == 1, "a page has one table"
        return await super().solve(question, context)


class Silent(FirstNumber):
    async def solve(self, question: str, context: TurnContext) -> Answer:
        return None  # type: ignore[return-value]


class Plain(FirstNumber):
    def solve(self, question: str, context: TurnContext) -> Answer:  # type: ignore[override]
        return Answer(None)


class Asking(FirstNumber):
    """A solver that asks a model for the index of the number."""

    async def solve(self, question: str, context: TurnContext) -> Answer:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest

        reply = await model_request(context.model_for().model, [ModelRequest.user_text_prompt(question)])
        if not (reply.text or "").strip().isdigit():
            raise SolverError(f"the reply is not a place: {reply.text!r}")
        cells = [cell for table in context.document.tables for cell in table.body() if cell.quantity]
        cell = cells[int(reply.text or "0") % len(cells)]
        assert cell.quantity
        return answer_from_plan(Plan((Extract(1, cell.ref, "", cell.quantity),)), context, question=question)


class Trusting(Asking):
    async def solve(self, question: str, context: TurnContext) -> Answer:
        try:
            return await super().solve(question, context)
        except SolverError as error:
            raise ValueError("no number") from error


@dataclass
class Loose:
    depth: int = 1


def spec_of(solver: type, **more: Any) -> "SolverSpec[Any]":
    return SolverSpec("first", "the first number", lambda _: solver(), **more)


OTHER: Any = 7
"""No text."""


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        (FirstNumber, "must name a SolverSpec"),
        (replace(spec_of(FirstNumber), name="other"), "the name of what it builds is 'first'"),
        (replace(spec_of(FirstNumber), name="the first"), "one word"),
        (replace(spec_of(FirstNumber), name=OTHER), "name of a SolverSpec"),
        (replace(spec_of(FirstNumber), summary=OTHER), "summary of a SolverSpec"),
        (
            replace(spec_of(FirstNumber), takes_model=True, needs_model=lambda _: bool(1 // 0)),
            "raises ZeroDivisionError",
        ),
        (replace(spec_of(FirstNumber), options=Loose), "frozen"),
        (spec_of(dict), "coroutine solve"),
        (spec_of(Counting), r"context\.session"),
        (spec_of(Lying), "another value than its plan"),
        (spec_of(Guessing), "without a plan"),
        (spec_of(Inventing), "with 7, which is not at"),
        (spec_of(Failing), "raises KeyError"),
        (spec_of(Asserting), "raises AssertionError: a page has one table"),
        (spec_of(Silent), "returns NoneType"),
        (spec_of(Plain), "must be a coroutine"),
        (spec_of(Asking), "takes_model=True"),
    ],
)
def test_error_in_a_solver_is_one_line(spec: Any, fault: str) -> None:
    with pytest.raises(ContractError, match=fault) as caught:
        check_solver(spec)
    assert "\n" not in str(caught.value)


def test_a_solver_asks_a_scripted_model() -> None:
    model = ScriptedModel(["0", "I cannot say.", "1"])
    turns = check_solver(spec_of(Asking, takes_model=True), model=model)
    assert [turn.answer.value is None for turn in turns] == [False, True, False]
    assert [request.prompts for request in model.requests] == [[turn.question] for turn in turns]
    assert turns[0].usage.requests == 1


@pytest.mark.parametrize(
    ("solver", "script", "fault"),
    [(Asking, ["0"], "asks the model 3 times, more often"), (Trusting, ["0", "1", "2"], "raises ValueError")],
)
def test_error_in_a_solver_with_a_model_is_one_line(solver: type, script: list[str], fault: str) -> None:
    with pytest.raises(ContractError, match=fault):
        check_solver(spec_of(solver, takes_model=True), model=ScriptedModel(script))


def test_a_model_must_be_given_and_may_be_down() -> None:
    with pytest.raises(ContractError, match="give check_solver a ScriptedModel"):
        check_solver(spec_of(Asking, takes_model=True))
    for reply in (Reply("out of order", status=503), Reply("the price was", cut=9)):
        model = ScriptedModel([reply] * 99)
        with pytest.raises(OutageError):
            check_solver(spec_of(Asking, takes_model=True), model=model)


def test_context_is_like_that_of_a_turn() -> None:
    turns = check_solver(spec_of(FirstNumber))
    context = turn_context("what is the difference?", memory=Memory(turns[:2]))
    assert context.question.text == "what is the difference?"
    assert context.references.expressions
    assert context.graph.observations


FILE = "=notes=\nnet sales were $ 5 million in 2009\nrent was $ 4 million\n"


class NotesReader:
    """A reader of text below a marker line."""

    name = "notes"

    def recognises(self, content: FileContent) -> bool:
        return content.head.startswith(b"=notes=")

    def read(self, content: FileContent) -> Document:
        lines = content.text.text.split("\n")[1:]
        if not any(lines):
            raise DatasetError(f"{content.path} has no notes; write a line below the mark")
        return assemble(content.name, [ParagraphPart(tuple(filter(None, lines)))])


class ByName(NotesReader):
    def recognises(self, content: FileContent) -> bool:
        return super().recognises(content) and content.suffix == ".notes"


class Greedy(NotesReader):
    def recognises(self, content: FileContent) -> bool:
        return b";" in content.head or super().recognises(content)


class Raising(NotesReader):
    def recognises(self, content: FileContent) -> bool:
        return content.head.decode().startswith("=notes=")


class Strict(NotesReader):
    def read(self, content: FileContent) -> Document:
        return assemble(content.name, [ParagraphPart((content.data.decode("ascii").split("\n")[1],))])


class Forgetful(NotesReader):
    read_before = False

    def read(self, content: FileContent) -> Document:
        before, self.read_before = self.read_before, True
        return assemble(content.name, [ParagraphPart((f"{before}",))])


class Empty(NotesReader):
    def read(self, content: FileContent) -> Document:
        return assemble(content.name, [])


class Nameless(NotesReader):
    name = ""


class Verbose(NotesReader):
    def read(self, content: FileContent) -> Document:
        if content.data != FILE.encode():
            raise DatasetError("these notes\nare damaged")
        return super().read(content)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "mine.notes"
    path.write_text(FILE)
    return path


def test_valid_reader_passes_and_its_document_is_returned(notes: Path) -> None:
    assert [sentence.text for sentence in check_reader(NotesReader, notes).sentences] == FILE.splitlines()[1:]


@pytest.mark.parametrize(
    ("reader", "fault"),
    [
        (ByName, "not by the name"),
        (Greedy, r"recognises page\.html"),
        (Raising, "raises UnicodeDecodeError"),
        (Strict, "raises UnicodeDecodeError"),
        (Forgetful, "another way again"),
        (Empty, "reads nothing"),
        (Nameless, "must have a name"),
        (Verbose, "more than a line"),
        (FirstNumber, "has no recognises"),
    ],
)
def test_error_in_a_reader_is_one_line(reader: type, fault: str, notes: Path) -> None:
    with pytest.raises(ContractError, match=fault) as caught:
        check_reader(reader, notes)
    assert "\n" not in str(caught.value)


PAGES = {"quiz": [{"id": name, "table": [["", "2009"], ["rent", "5"]], "asked": ["how much?"]} for name in "ab"]}


class Quiz:
    """A dataset format of pages with questions."""

    name = "quiz"

    def recognises(self, content: FileContent) -> bool:
        return content.is_json and isinstance(content.json, dict) and "quiz" in content.json

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        assert isinstance(content.json, dict)
        try:
            conversations = [*self.conversations(content.json["quiz"][:limit])]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DatasetError(f"{content.path} has a page that cannot be read: {type(error).__name__}") from None
        if not conversations:
            raise DatasetError(f"{content.path} has no pages")
        return Dataset.of(str(content.path), self.name, conversations)

    def conversations(self, pages: Any) -> Iterator[Conversation]:
        for page in pages:
            yield Conversation(
                str(page["id"]), assemble(str(page["id"]), [TablePart(page["table"])]), tuple(page["asked"])
            )


class Unlimited(Quiz):
    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        return super().read(content)


class Renamed(Quiz):
    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        return replace(super().read(content, limit), format="mine")


class SameIds(Quiz):
    def conversations(self, pages: Any) -> Iterator[Conversation]:
        return (replace(one, id="a") for one in super().conversations(pages))


class Unasked(Quiz):
    def conversations(self, pages: Any) -> Iterator[Conversation]:
        return (replace(one, questions=("?",)) for one in super().conversations(pages))


class Careless(Quiz):
    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        assert isinstance(content.json, dict)
        return Dataset.of(str(content.path), self.name, [*self.conversations(content.json["quiz"][:limit])])


@pytest.fixture
def quiz(tmp_path: Path) -> Path:
    path = tmp_path / "quiz.json"
    path.write_text(json.dumps(PAGES))
    return path


@pytest.mark.parametrize(
    ("format", "fault"),
    [
        (Unlimited, "limit=1"),
        (Renamed, "'mine'"),
        (SameIds, "one id"),
        (Unasked, "neither words nor numbers"),
        (Careless, "raises"),
    ],
)
def test_error_in_a_dataset_format_is_one_line(format: type, fault: str, quiz: Path) -> None:
    with pytest.raises(ContractError, match=fault) as caught:
        check_dataset(format, quiz)
    assert "\n" not in str(caught.value)


class QuizAnswers:
    """A format of reference answers for the questions of each page."""

    name = "quiz"

    def recognises(self, content: object) -> bool:
        return isinstance(content, dict) and "quiz" in content

    def read(self, file: GoldFile) -> dict[str, tuple[GoldTurn, ...] | None]:
        assert isinstance(file.content, dict)
        try:
            return {str(page["id"]): self.answers(len(page["asked"])) for page in file.content["quiz"]}
        except (KeyError, TypeError) as error:
            raise DatasetError(f"{file.name} has a page that cannot be read: {type(error).__name__}") from None

    def answers(self, count: int) -> tuple[GoldTurn, ...]:
        return tuple(GoldTurn("", Number(Decimal(5)), None, 0) for _ in range(count))


class TooFew(QuizAnswers):
    def answers(self, count: int) -> tuple[GoldTurn, ...]:
        return ()


class OtherName(QuizAnswers):
    name = "mine"


def test_references_have_an_answer_to_each_question(quiz: Path) -> None:
    dataset = check_dataset(Quiz, quiz)
    check_references(QuizAnswers, quiz, dataset)
    for format, fault in ((TooFew, "0 answers to the 1 questions"), (OtherName, "'quiz'")):
        with pytest.raises(ContractError, match=fault):
            check_references(format, quiz, dataset)


def test_import_loads_neither_a_test_framework_nor_model_clients() -> None:
    code = "import sys, quaestor.testing; print({'pytest', 'pydantic_ai', 'httpx2'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
