"""Contract tests for solvers, readers, dataset formats, formats of reference answers, and stores."""

import asyncio
import inspect
import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from copy import deepcopy
from dataclasses import asdict, is_dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from quaestor.conversation.answer import Answer
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory, Turn
from quaestor.core import serial
from quaestor.core.provenance import CellRef, Source
from quaestor.datasets.dataset import MAX_QUESTION, Conversation, Dataset, check_questions
from quaestor.datasets.formats import AboutFiles, DatasetFormat, DocumentFolder, dataset_formats, read_dataset
from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.errors import InputError, MissingModelError, OutageError, QuestionError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig, open_session
from quaestor.plan.steps import Extract
from quaestor.questions.question import read_question
from quaestor.readers.content import FileContent, read_content
from quaestor.readers.registry import DocumentReader, find_reader
from quaestor.readers.serialization import document_bytes, document_of
from quaestor.sample import sample_path
from quaestor.scoring.gold import GoldFile, GoldFormat
from quaestor.solvers.base import Solver, TurnContext
from quaestor.solvers.spec import SolverSpec
from quaestor.store.base import StoreOpener
from quaestor.testing.content_rules import CONTENT_RULES
from quaestor.testing.models import Call, Reply, ScriptedModel
from quaestor.testing.score_rules import SCORE_RULES
from quaestor.testing.store_rules import CONVERSATION_RULES

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SAMPLE_PAGE = "QUIL/2007/page_88.pdf"
"""Page of the sample with a table of years and with numbers in its text."""

_QUESTIONS = ("what was the exercise price in 2007?", "and in 2006?", "what is the difference?")
_OTHER_QUESTIONS = ("what was the expected volatility in 2005?", "and in 2007?", "what is the difference?")
_ODD_QUESTIONS = (
    "what is the difference?",
    "2007",
    "why did it fall, and what was it before?",
    "what was the sum of -9999999999 and 1e999 %?",
    "какова была выручка в 2007 году? 収益は?",
    "SELECT ?v WHERE { ?s ?p ?v } {{ 7 * 7 }} ../../etc/passwd",
    ("net sales " * MAX_QUESTION)[:MAX_QUESTION],
)
_MODEL = "openai:scripted@http://127.0.0.1/v1"

SCRAPS = (
    b"\0", b"\xff" * 99, b"PK\x03\x04" + b"\0" * 50, b"<", b"{", b"[[[", b"%PDF-", b'"', b"|-|\n",
    b"\xef\xbb\xbf", b"\xff\xfe", b"sep=;", b'sep="\nx"y\n', b"---\n", b"\x0c\x0c\x0c", b"<TABLE>\n<S> <C>\n",
    b",,,\n,,,\n", b"[]", b"{}", b"null", b'{"a": null}', b"[1]", b"\n\n\n", b";\n;\n",
)  # fmt: skip
"""Fragments of files of many kinds, and data that only begins like them."""

_OTHER_FILES = {
    "page.html": b"<html><body style='a: b;'>\n<p>Net&nbsp;sales;</p><table><tr><td>rent</td><td>5</td></tr></table>",
    "page.pdf": b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\n;\ntrailer << /Root 1 0 R >>\n%%EOF\n",
    "book.xlsx": b"PK\x03\x04\x14\0\0\0\0\0" + b"\0" * 20 + b"xl/workbook.xml;\n;" + b"PK\x05\x06" + b"\0" * 18,
    "page.md": b"# Results; in short\n\n| | 2009 | 2008 |\n|---|---|---|\n| rent; all | 5 | 4 |\n",
    "page.csv": b"in millions,2009,2008\nrent,5,4\n",
    "page.txt": b"Results of the year;\n\nRent was $ 5 million in 2009; it had been $ 4 million.\n",
    "pages.json": b'[{"id": "a", "pre_text": ["x;"], "post_text": [], "table": [["", "2009"], ["rent", "5"]]}]',
}
"""Files that quaestor reads itself; plug-ins are asked first."""


class ContractError(AssertionError):
    """A plug-in breaks its contract."""


def require(condition: object, fault: str) -> None:
    """Raise ContractError with a one-line message unless a condition holds."""
    __tracebackhide__ = True
    if not condition:
        raise ContractError(" ".join(fault.split()))


def sample_conversation(*questions: str, page: str = SAMPLE_PAGE) -> Conversation:
    """Return a conversation with questions about a page of the bundled sample.

    >>> sample_conversation("what was the exercise price in 2007?").document.id
    'QUIL/2007/page_88.pdf'
    """
    pages = {listed.page.id: listed.id for listed in read_dataset(sample_path()).listed}
    require(page in pages, f"the sample has no page {page!r}; it has {', '.join(pages)}")
    document = read_dataset(sample_path()).conversation(pages[page]).document
    return Conversation(document.id, document, questions)


def turn_context(question: str, document: Document | None = None, memory: Memory | None = None) -> TurnContext:
    """Return the context that a solver gets for a question, without a model, to test the solver's parts."""
    document = document or sample_conversation().document
    knowledge, memory, parsed_question = GraphProvider.of([document]), memory or Memory(), read_question(question)
    references = resolve(parsed_question, memory)
    graph = knowledge.graph(document)
    return TurnContext(document, memory, graph, knowledge.ontology, question=parsed_question, references=references)


def check_solver(
    spec: "SolverSpec[Any]",
    conversation: Conversation | None = None,
    *,
    options: "Mapping[str, object] | DataclassInstance | None" = None,
    model: ScriptedModel | None = None,
) -> tuple[Turn, ...]:
    """Check that a solver keeps its contract, and return its turns.

    Its answers follow from their plans and name their sources; a question without an answer is not a failure; state of
    a conversation does not leak into others; and the conversation continues whatever a model writes.

    Args:
        conversation: The conversation to run; by default questions about a page of the sample.
        options: The solver's options, or a mapping to read them from; by default its defaults.
        model: Replies to the solver's requests in that conversation.

    Raises:
        ContractError: The contract is broken; the one-line message says how.
        OutageError: The script simulates an outage of the model.
    """
    __tracebackhide__ = True
    require(isinstance(spec, SolverSpec), f"the entry point must name a SolverSpec, not {type(spec).__name__}")
    what = f"the solver {spec.name!r}"
    for field in ("name", "summary"):
        require(isinstance(getattr(spec, field), str), f"the {field} of a SolverSpec must be text")
    require(spec.name.strip() and spec.name.split() == [spec.name], f"{what}: its name must be one word")
    require(spec.summary.strip() and "\n" not in spec.summary, f"{what}: its summary must be one line")
    frozen = is_dataclass(spec.options) and getattr(spec.options, "__dataclass_params__").frozen  # noqa: B009
    require(frozen, f"{what}: its options must be a frozen dataclass")
    with _contract_errors(what, "reads its options"):
        spec.read(None)
        read = spec.read(options)
        json.dumps(asdict(read))
        needs_model = spec.must_have_model(read)
    if needs_model:
        require(model is not None, f"{what} needs a model: give check_solver a ScriptedModel")
    require(model is None or spec.takes_model, f"{what}: its spec must say takes_model=True to be given a model")
    conversation = conversation or sample_conversation(*_QUESTIONS)
    (turns,) = _run_conversations(spec, read, [conversation], model)
    if model is None:
        _check_side_by_side(spec, read, conversation, turns)
        for odd in _odd_conversations():
            _run_conversations(spec, read, [odd])
    if spec.takes_model:
        for script in _NONSENSE:
            _run_conversations(spec, read, [sample_conversation(*_QUESTIONS)], ScriptedModel(script))
    if model is not None:
        request_count = len(model.requests)
        require(
            not model.is_exhausted,
            f"{what} asks the model {request_count} times, more often than the script has replies",
        )
    return turns


_NONSENSE: Sequence[Any] = (
    lambda _: "",
    lambda _: "I cannot say.",
    lambda _: '{"a": ',
    lambda _: Reply(calls=(Call("no_such_tool", {"a": 1}),)),
    lambda request: Reply(calls=(Call((request.tools or ["x"])[-1], '{"a": '),)),
    lambda request: Reply(calls=(Call((request.tools or ["x"])[0], {"question": None, "steps": [[]]}),)),
    lambda request: {"steps": 7, "answer": "\ud800", "value": 1e300, "row": "T9R9C9"},
)
"""Scripts of models with useless replies."""


def _run_conversations(
    spec: "SolverSpec[Any]", options: Any, conversations: Sequence[Conversation], model: ScriptedModel | None = None
) -> list[tuple[Turn, ...]]:
    """Run conversations concurrently with one solver, and check each turn."""
    __tracebackhide__ = True
    what = f"the solver {spec.name!r}"

    async def play() -> list[tuple[Turn, ...]]:
        graphs = GraphProvider.of([conversation.document for conversation in conversations])
        async with AsyncExitStack() as stack:
            session = None
            if model is not None:
                # No request leaves the process, even if the test forbids model requests.
                stack.enter_context(model.allowed())
                named = find_model(_MODEL)
                config = ModelConfig(named, cassette=model, roles=dict.fromkeys(spec.roles(options), named))
                session = await stack.enter_async_context(open_session(config))
            return await asyncio.gather(*(answer_conversation(c, solver, graphs, session) for c in conversations))

    with _contract_errors(what, "answers", leave=(OutageError,)):
        built = spec.build(options)
        require(isinstance(built, Solver), f"{what}: {type(built).__name__} must have a name and a coroutine solve")
        require(built.name == spec.name, f"{what}: the name of what it builds is {built.name!r}")
        solver = _CheckedSolver(built)
        turns_of = asyncio.run(play())
    for conversation, turns in zip(conversations, turns_of, strict=True):
        for turn in turns:
            _check_turn(what, turn, conversation.document)
    return turns_of


class _CheckedSolver:
    """Wrapper that yields to other conversations, and checks the type of answers."""

    def __init__(self, solver: Solver) -> None:
        self.name = solver.name
        self._solver = solver

    async def solve(self, question: str, context: TurnContext) -> Answer:
        await asyncio.sleep(0)
        answer = self._solver.solve(question, context)
        require(inspect.isawaitable(answer), f"the solver {self.name!r}: solve must be a coroutine (async def)")
        found = await answer
        kind = type(found).__name__
        require(
            isinstance(found, Answer), f"the solver {self.name!r} returns {kind} to {question[:60]!r}, not an Answer"
        )
        return found


def _check_turn(what: str, turn: Turn, document: Document) -> None:
    __tracebackhide__ = True
    answer, question = turn.answer, turn.question[:60]
    if answer.value is not None:
        why = "another value than its plan gives" if answer.plan else "a value without a plan"
        require(turn.verified, f"{what} answers {question!r} with {why}; build the answer with answer_from_plan")
    if answer.confidence is not None:
        require(0 <= answer.confidence <= 1, f"{what} answers {question!r} with the confidence {answer.confidence}")
    for source in answer.sources:
        require(
            _numbers_at(document, source) is not None,
            f"{what} answers {question!r} from {source}, which is not a place in the document",
        )
    for step in answer.plan.steps if answer.plan else ():
        if isinstance(step, Extract) and step.quantity is not None:
            numbers = _numbers_at(document, step.source) or ()
            fault = f"{what} answers {question!r} with {step.quantity.value}, which is not at {step.source}"
            require(step.quantity.value in numbers, fault)
    restored = serial.load(Answer, json.loads(json.dumps(serial.dump(answer))))
    require(restored == answer, f"{what} answers {question!r} with what a store does not give back: {answer}")


def _numbers_at(document: Document, source: Source) -> tuple[object, ...] | None:
    """Return the numbers at a place of a document, or None if the place does not exist."""
    try:
        if isinstance(source, CellRef):
            return tuple(quantity.value for quantity in document.cell(source).quantities)
        sentence = document.sentence(source)
    except LookupError:
        return None
    return tuple(
        mention.quantity.value
        for mention in sentence.mentions
        if mention.ref.start < source.end and source.start < mention.ref.end
    )


def _check_side_by_side(
    spec: "SolverSpec[Any]", options: Any, conversation: Conversation, alone: tuple[Turn, ...]
) -> None:
    __tracebackhide__ = True
    others = (sample_conversation(*_OTHER_QUESTIONS), conversation)
    for turns in _run_conversations(spec, options, [conversation, *others])[::2]:
        for one, other in zip(alone, turns, strict=True):
            fault = (
                f"the solver {spec.name!r} answers {one.question[:60]!r} with {one.answer} alone and {other.answer} "
                "beside other conversations: keep what belongs to a conversation in context.session"
            )
            require(one.answer == other.answer, fault)


def _odd_conversations() -> Iterator[Conversation]:
    words = assemble("words.txt", [HeadingPart("Results"), ParagraphPart(("Nothing was counted.",))])
    blank = assemble("blank.csv", [TablePart([["", "2009"], ["net sales", ""], ["", ""]])])
    for document in (words, blank, sample_conversation().document):
        yield Conversation(document.id, document, _ODD_QUESTIONS)


@contextmanager
def _contract_errors(what: str, does: str, leave: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Turn any exception into a ContractError that names the operation, except those in `leave`."""
    __tracebackhide__ = True
    try:
        yield
    except ContractError:
        raise
    except MissingModelError as error:
        raise ContractError(
            f"{what} asks a model: its spec must say takes_model=True, and its test give one"
        ) from error
    except Exception as error:
        if isinstance(error, leave):
            raise
        raised = " ".join(f"{type(error).__name__}: {error}".split())
        raise ContractError(f"{what} raises {raised} when it {does}") from error


def check_reader(reader: object, path: str | Path) -> Document:
    """Check that a document reader keeps its contract, and return the document of a file.

    The reader recognises the file by its content and no files of other kinds, gives the same result each time, and
    reports damaged files with a one-line error.
    """
    __tracebackhide__ = True
    built = cast("DocumentReader", _instance_of(reader, "reader"))
    what, content = f"the reader {built.name!r}", read_content(Path(path))
    _check_recognising(what, built, content)

    def read(content: FileContent) -> Document:
        document = built.read(content)
        require(isinstance(document, Document), f"{what} returns {type(document).__name__}, not a Document")
        return document

    with _contract_errors(what, f"reads {content.name}"):
        document = read(content)
        require(read(FileContent(content.path)) == document, f"{what} reads {content.name} another way again")
    _check_document(what, document)
    for damaged in _damaged(content):
        if _recognises(what, built, damaged):
            with _one_line_errors(what, damaged):
                _check_document(what, read(damaged), damaged=True)
    return document


def check_dataset(format: object, path: str | Path) -> Dataset:
    """Check that a dataset format keeps its contract, and return the dataset of a file.

    In addition to the checks of `check_reader`: conversation ids are unique, all questions are valid, and a limit
    returns the first conversations.

    Args:
        path: A file of its kind, with at least two conversations.
    """
    __tracebackhide__ = True
    built = cast("DatasetFormat", _instance_of(format, "dataset format"))
    what, content = f"the dataset format {built.name!r}", read_content(Path(path))
    _check_recognising(what, built, content)

    def read(content: FileContent, limit: int | None = None) -> Dataset:
        if isinstance(built, AboutFiles):
            dataset = built.read_about(content, DocumentFolder(content.path.parent), limit)
        else:
            dataset = built.read(content, limit)
        require(isinstance(dataset, Dataset), f"{what} returns {type(dataset).__name__}, not a Dataset")
        return dataset

    with _contract_errors(what, f"reads {content.name}"):
        dataset = read(content)
        require(
            read(FileContent(content.path)).digest == dataset.digest, f"{what} reads {content.name} another way again"
        )
        first = read(FileContent(content.path), 1)
    conversations = tuple(dataset.conversations)
    require(dataset.format == built.name, f"{what} calls the format of its dataset {dataset.format!r}")
    require(len(conversations) > 1, f"{what} reads {len(conversations)} conversations of {content.name}, not several")
    require(tuple(first.conversations) == conversations[:1], f"{what} reads other conversations with limit=1")
    made_anew = Dataset.of(dataset.path, dataset.format, conversations)
    require(dataset.digest == made_anew.digest, f"{what}: make the dataset with Dataset.of, which computes its digest")
    ids = [conversation.id for conversation in conversations]
    require(len({*ids}) == len(ids), f"{what} gives two conversations one id")
    for conversation in conversations:
        try:
            check_questions(conversation)
        except QuestionError as error:
            raise ContractError(f"{what}: {error}") from error
        _check_document(what, conversation.document)
    for damaged in _damaged(content):
        if _recognises(what, built, damaged):
            with _one_line_errors(what, damaged):
                tuple(read(damaged).conversations)
    return dataset


def check_references(format: object, path: str | Path, dataset: Dataset) -> None:
    """Check that a format of reference answers keeps its contract: one answer per question of a dataset.

    Args:
        path: A JSON file of its kind.
        dataset: The dataset of the file, as `check_dataset` returns it.
    """
    __tracebackhide__ = True
    built = cast("GoldFormat", _instance_of(format, "format of reference answers"))
    what = f"the format of reference answers {built.name!r}"
    require(built.name == dataset.format, f"{what}: its name must be that of the dataset format, {dataset.format!r}")
    content = read_content(Path(path))
    others: list[object] = [None, 5, "a", {}, {"a": None}]
    if _own_name(content) is None:
        others += [[], [5], json.loads(_OTHER_FILES["pages.json"])]
    with _contract_errors(what, "looks at a file"):
        require(built.recognises(content.json) is True, f"{what} does not recognise {content.name}")
        for other in others:
            require(
                built.recognises(other) is False,
                f"{what} recognises {str(other)[:60]}, which is not a file of its kind",
            )
    with _contract_errors(what, f"reads {content.name}"):
        answers = built.read(GoldFile(content.name, content.json))
    question_counts = {conversation.id: len(conversation.questions) for conversation in dataset.conversations}
    require(answers.keys() == question_counts.keys(), f"{what} has answers of other conversations than the dataset has")
    for id, turns in answers.items():
        count = len(turns or ())
        require(
            turns is None or count == question_counts[id],
            f"{what} has {count} answers to the {question_counts[id]} questions of {id!r}",
        )
    for changed in _changed(content.json):
        with _one_line_errors(what, content):
            if built.recognises(changed):
                built.read(GoldFile(content.name, changed))


STORE_RULES = (*CONVERSATION_RULES, *CONTENT_RULES, *SCORE_RULES)
"""The rules of `check_store`: coroutine functions that take a function to open the same, initially empty store."""


def check_store(open_store: StoreOpener, uri: Callable[[str], str]) -> None:
    """Check that a run store keeps its contract: all `STORE_RULES`, each on a separate store.

    Args:
        uri: Returns, for an alphanumeric name, the URI of a new, empty store that can be reopened.
    """
    __tracebackhide__ = True
    for number, rule in enumerate(STORE_RULES):
        place = uri(f"store{number}")
        try:
            asyncio.run(rule(partial(open_store, place, create=True)))
        except Exception as error:
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name == rule.__name__]
            raised = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            broken = f"{rule.__name__.replace('_', ' ')}: {frames[-1].line} ({raised})"
            raise ContractError(f"the store {place} breaks a rule: {broken}") from error


def _instance_of(found: object, noun: str) -> object:
    """Return the object that an entry point names, or an instance of its class, after checking its attributes."""
    with _contract_errors(f"the {noun}", "is made"):
        instance: object = found() if isinstance(found, type) else found
    for part in ("name", "recognises", "read"):
        require(hasattr(instance, part), f"the {noun} {type(instance).__name__} has no {part}")
    name = getattr(instance, "name")  # noqa: B009 - of an object
    require(isinstance(name, str) and name.strip(), f"the {noun} {type(instance).__name__} must have a name")
    return instance


def _check_recognising(what: str, built: DocumentReader | DatasetFormat, content: FileContent) -> None:
    __tracebackhide__ = True
    require(_recognises(what, built, content), f"{what} does not recognise {content.name}")
    for suffix in (".txt", ".html", ".data", ""):
        renamed = FileContent(Path(f"renamed{suffix}"), content.data)
        fault = f"{what} does not recognise {content.name} as {renamed.name}: go by the content, not by the name"
        require(_recognises(what, built, renamed), fault)
    if _is_own(built):  # built-in formats depend on the order in which they are asked
        return
    replaced = _own_name(content)
    for name, data in _OTHER_FILES.items():
        other = FileContent(Path(name), data)
        if replaced is None or _own_name(other) != replaced:
            fault = f"{what} recognises {name}, a file that quaestor reads itself: look for a mark of your own format"
            require(not _recognises(what, built, other), fault)


def _is_own(instance: object) -> bool:
    return type(instance).__module__.startswith("quaestor.")


def _own_name(content: FileContent) -> str | None:
    """Return the name of the built-in reader or format of a file, or None."""
    if content.looks_like_json:
        own = (format for format in dataset_formats() if _is_own(format))
        return next((format.name for format in own if format.recognises(content)), None)
    reader = find_reader(content, own_only=True)
    return reader.name if reader else None


def _recognises(what: str, built: DocumentReader | DatasetFormat, content: FileContent) -> bool:
    __tracebackhide__ = True
    with _contract_errors(what, f"looks at a file that begins with {content.data[:20]!r}"):
        recognised = built.recognises(content)
    require(isinstance(recognised, bool), f"{what}: recognises must return True or False, not {recognised!r}")
    return recognised


def _check_document(what: str, document: Document, *, damaged: bool = False) -> None:
    __tracebackhide__ = True
    name = document.id
    require(name.strip(), f"{what} gives a document no id")
    require(damaged or document.blocks or document.refusal, f"{what} reads nothing of {name}")
    with _contract_errors(what, f"gives {name} to be kept and asked about"):
        require(
            document_of(document_bytes(document)) == document, f"{what}: {name} is another document once it is kept"
        )
        GraphProvider.of([document]).graph(document)


def _damaged(content: FileContent) -> Iterator[FileContent]:
    """Yield fragments, and truncated and modified versions of a file."""
    data = content.data
    parts = [data[: len(data) * part // 8] for part in range(1, 8)]
    parts += [data[len(data) * part // 8 :] for part in range(1, 8)]
    parts += [
        data[:at] + bytes([odd]) + data[at + 1 :] for at in range(0, len(data), len(data) // 16 + 1) for odd in (0, 255)
    ]
    parts += [data * 2, data.replace(b"\n", b""), data.replace(b"1", b"9" * 400)]
    if content.is_json:
        parts += [json.dumps(changed).encode() for changed in _changed(content.json)]
    for part in (*SCRAPS, *parts):
        yield FileContent(content.path, part)


_ODD_VALUES: Sequence[Any] = (None, 5, "x", [], {}, [None])


def _changed(value: Any) -> Iterator[Any]:
    """Yield copies of a JSON value with one part changed, for at most 60 parts."""
    places = list(_places(value))
    for place in places[:: len(places) // 60 + 1]:
        for odd in _ODD_VALUES:
            whole = [deepcopy(value)]
            *before, last = (0, *place)
            holder: Any = whole
            for key in before:
                holder = holder[key]
            holder[last] = odd
            yield whole[0]


def _places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield at
    if isinstance(value, dict | list):
        parts: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            yield from _places(part, (*at, key))


@contextmanager
def _one_line_errors(what: str, content: FileContent) -> Iterator[None]:
    """Allow an InputError with a one-line message, and no other exception."""
    __tracebackhide__ = True
    with _contract_errors(what, f"reads a damaged {content.name}, which begins with {content.data[:40]!r}"):
        try:
            yield
        except InputError as error:
            require("\n" not in str(error), f"{what} says in more than a line what is wrong with a file: {error}")
