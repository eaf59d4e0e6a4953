"""Answer questions about financial reports and show where each number came from.

These names are the public interface, grouped by purpose. Each is imported on first use, so that `import quaestor` stays
fast. Everything else may change without notice. Functions that wait have a plain form for scripts and notebooks, and an
`_async` form for event loops.

Ask a report: `open` and `open_async` return an `OpenedDocument` for a file, several files, `DATASET#PAGE` or a
`Document`. (`open` is not part of `import *`.) Its `ask` returns an `AnsweredQuestion`, or `Answers` for a list of
questions, which convert to data frames (`to_pandas`, `to_polars`). `find` returns each `Place` where an answer could
be, and `check_number` returns a `NumberCheck` with the places where a number is printed

>>> import quaestor
>>> page = quaestor.open("sample#QUIL/2007/page_88.pdf")
>>> price = page.ask("what was the exercise price of stock options in 2007?")
>>> print(price, price.number, [source.place for source in price.sources])
$ 48.65 48.65 ['exercise price | 2007']

Hold a conversation: in an `OngoingConversation`, questions may refer to earlier ones. To correct an answer, use `fix`
with a command, or `correct` with a `NumberCorrection`, `SourceChoice`, `ReadingChoice` or `OperationChoice`; both
return each resulting `Change` (docs/corrections.md)

>>> conversation = page.conversation()
>>> price, change = conversation.ask(["what was the exercise price in 2007?", "and what was the change from 2005?"])
>>> print(change, "=", change.answer.formula)
$ 20.70 = 48.65 - 27.95
>>> print(*conversation.fix('1 cell "exercise price" 2007 = 50', reason="misread"), sep="; ")
answer 1: $ 48.65 -> $ 50; answer 2: $ 20.70 -> $ 22.05

Read documents and datasets: `open(file).document` is a `Document` with `Table`s and sentences. `read_dataset` returns
a `Dataset` of `Conversation`s, and `sample_path` the path of the bundled one; `KnowledgeGraph`, `Ontology`. Other
packages add datasets with the entry point `quaestor.datasets` and readers with `quaestor.readers`. A reader takes a
`FileContent`, raises `DatasetError`, and passes `HeadingPart`, `ParagraphPart` and `TablePart` to `assemble`

>>> quaestor.read_dataset(quaestor.sample_path(), limit=1).conversations[0].document.id
'NORD/2012/page_41.pdf'

Evaluate and score: `evaluate` and `evaluate_async` return a `ScoredRun`; step by step: `RunSpec`, `make_engine`,
`run_dataset`, `read_gold`, `score_predictions`

>>> quaestor.evaluate("sample", limit=2).report.score.results["conversations"].total
2

Use a model: `ask`, `conversation` and `evaluate` take its name (`solver=..., model="anthropic:NAME"`). To share one
connection between calls, pass the session of `async with open_session("anthropic:NAME") as session` to
`ask_async(..., model=session)` or `answer_conversation`. Also: `open_session`, `find_model` (a specification by name),
`ModelConfig` (with a budget), `connect` (a model without solvers), `Settings`, `load_settings`

>>> quaestor.find_model("ollama:llama3").provider
'ollama'

Write a solver: `Solver`, `SolverSpec` (entry point `quaestor.solvers`), `TurnContext`, `Plan` and its steps `Extract`,
`Compute` with `Ref`, `Constant` and `CellGroup`, `parse_program`, `to_program`, `execute`, `answer_from_plan`,
`Answer`, `Turn`, `Memory`, `SolverError`, `make_solver`, `answer_conversation` with a `GraphProvider`

>>> plan = quaestor.parse_program("subtract(206588, 181001), divide(#0, 181001)")
>>> round(quaestor.execute(plan).result.number, 4)
Decimal('0.1414')
>>> quaestor.to_program(plan)
'subtract(206588, 181001), divide(#0, 181001)'

Values: `Quantity`, `Scale`, `parse_quantity`, `Period`, `CellRef`, `SentenceRef`; errors: `QuaestorError`

>>> quaestor.parse_quantity("$ ( 1,234 )").value
Decimal('-1234')

Answer values: `Number`, `YesNo`, `Text`, `ValueList` of `ListItem`; `answer.number` is the number alone

Store runs: `RunStore`, `open_store` (entry point `quaestor.stores`), `SqliteStore`, and their records: `RunRecord`,
`ConversationRecord`, `TurnRecord`
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str

    from quaestor.application.number_check import NumberCheck
    from quaestor.application.score_service import ScoredRun
    from quaestor.conversation.answer import Answer
    from quaestor.conversation.turn import Memory, NumberCorrection, OperationChoice, ReadingChoice, SourceChoice, Turn
    from quaestor.core.answer_value import ListItem, Number, Text, ValueList, YesNo
    from quaestor.core.parsing import parse_quantity
    from quaestor.core.periods import Period
    from quaestor.core.provenance import CellRef, SentenceRef
    from quaestor.core.quantity import Quantity, Scale
    from quaestor.datasets.dataset import Conversation, Dataset
    from quaestor.datasets.formats import read_dataset
    from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
    from quaestor.documents.document import Document
    from quaestor.documents.table import Table
    from quaestor.errors import DatasetError, QuaestorError, SolverError
    from quaestor.evaluation.engines import make_engine
    from quaestor.evaluation.knowledge import GraphProvider
    from quaestor.evaluation.run import run_dataset
    from quaestor.evaluation.runner import answer_conversation
    from quaestor.evaluation.spec import RunSpec
    from quaestor.graph.knowledge_graph import KnowledgeGraph
    from quaestor.library.answered import AnsweredQuestion, Answers, Change
    from quaestor.library.evaluating import evaluate, evaluate_async
    from quaestor.library.ongoing import OngoingConversation
    from quaestor.library.opening import OpenedDocument, open_async
    from quaestor.library.opening import open as open
    from quaestor.llm.models import connect
    from quaestor.llm.naming import find_model
    from quaestor.llm.session import ModelConfig, open_session
    from quaestor.ontology.ontology import Ontology
    from quaestor.plan.execute import execute
    from quaestor.plan.program import parse_program, to_program
    from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Plan, Ref
    from quaestor.readers.content import FileContent
    from quaestor.retrieval.place import Place
    from quaestor.sample import sample_path
    from quaestor.scoring.figures import score_predictions
    from quaestor.scoring.gold import read_gold
    from quaestor.settings import Settings, load_settings
    from quaestor.solvers.answering import answer_from_plan
    from quaestor.solvers.base import Solver, TurnContext
    from quaestor.solvers.registry import make_solver
    from quaestor.solvers.spec import SolverSpec
    from quaestor.store.base import RunStore, open_store
    from quaestor.store.records import ConversationRecord, RunRecord, TurnRecord
    from quaestor.store.sqlite import SqliteStore

__all__ = [
    "Answer",
    "AnsweredQuestion",
    "Answers",
    "CellGroup",
    "CellRef",
    "Change",
    "Compute",
    "Constant",
    "Conversation",
    "ConversationRecord",
    "Dataset",
    "DatasetError",
    "Document",
    "Extract",
    "FileContent",
    "GraphProvider",
    "HeadingPart",
    "KnowledgeGraph",
    "ListItem",
    "Memory",
    "ModelConfig",
    "Number",
    "NumberCheck",
    "NumberCorrection",
    "OngoingConversation",
    "Ontology",
    "OpenedDocument",
    "OperationChoice",
    "ParagraphPart",
    "Period",
    "Place",
    "Plan",
    "QuaestorError",
    "Quantity",
    "ReadingChoice",
    "Ref",
    "RunRecord",
    "RunSpec",
    "RunStore",
    "Scale",
    "ScoredRun",
    "SentenceRef",
    "Settings",
    "Solver",
    "SolverError",
    "SolverSpec",
    "SourceChoice",
    "SqliteStore",
    "Table",
    "TablePart",
    "Text",
    "Turn",
    "TurnContext",
    "TurnRecord",
    "ValueList",
    "YesNo",
    "__version__",
    "answer_conversation",
    "answer_from_plan",
    "assemble",
    "connect",
    "evaluate",
    "evaluate_async",
    "execute",
    "find_model",
    "load_settings",
    "make_engine",
    "make_solver",
    "open_async",
    "open_session",
    "open_store",
    "parse_program",
    "parse_quantity",
    "read_dataset",
    "read_gold",
    "run_dataset",
    "sample_path",
    "score_predictions",
    "to_program",
]

_HOMES = {
    "application.number_check": ("NumberCheck",),
    "application.score_service": ("ScoredRun",),
    "conversation.answer": ("Answer",),
    "conversation.turn": ("Memory", "NumberCorrection", "OperationChoice", "ReadingChoice", "SourceChoice", "Turn"),
    "core.answer_value": ("ListItem", "Number", "Text", "ValueList", "YesNo"),
    "core.parsing": ("parse_quantity",),
    "core.periods": ("Period",),
    "core.provenance": ("CellRef", "SentenceRef"),
    "core.quantity": ("Quantity", "Scale"),
    "readers.content": ("FileContent",),
    "datasets.dataset": ("Conversation", "Dataset"),
    "datasets.formats": ("read_dataset",),
    "documents.assembly": ("HeadingPart", "ParagraphPart", "TablePart", "assemble"),
    "documents.document": ("Document",),
    "documents.table": ("Table",),
    "errors": ("DatasetError", "QuaestorError", "SolverError"),
    "evaluation.engines": ("make_engine",),
    "evaluation.knowledge": ("GraphProvider",),
    "evaluation.run": ("run_dataset",),
    "evaluation.runner": ("answer_conversation",),
    "evaluation.spec": ("RunSpec",),
    "graph.knowledge_graph": ("KnowledgeGraph",),
    "library.answered": ("AnsweredQuestion", "Answers", "Change"),
    "library.evaluating": ("evaluate", "evaluate_async"),
    "library.ongoing": ("OngoingConversation",),
    "library.opening": ("OpenedDocument", "open", "open_async"),
    "llm.models": ("connect",),
    "llm.naming": ("find_model",),
    "llm.session": ("ModelConfig", "open_session"),
    "ontology.ontology": ("Ontology",),
    "plan.execute": ("execute",),
    "plan.program": ("parse_program", "to_program"),
    "plan.steps": ("CellGroup", "Compute", "Constant", "Extract", "Plan", "Ref"),
    "retrieval.place": ("Place",),
    "sample": ("sample_path",),
    "scoring.gold": ("read_gold",),
    "scoring.figures": ("score_predictions",),
    "settings": ("Settings", "load_settings"),
    "solvers.answering": ("answer_from_plan",),
    "solvers.base": ("Solver", "TurnContext"),
    "solvers.registry": ("make_solver",),
    "solvers.spec": ("SolverSpec",),
    "store.base": ("RunStore", "open_store"),
    "store.records": ("ConversationRecord", "RunRecord", "TurnRecord"),
    "store.sqlite": ("SqliteStore",),
}


_RENAMED = {"play_conversation": "answer_conversation"}
"""Functions by their names in version 0.2."""


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for (PEP 562)."""
    from importlib import import_module

    if name in _RENAMED:
        from warnings import warn

        warn(f"quaestor.{name} is now quaestor.{_RENAMED[name]}", DeprecationWarning, stacklevel=2)
        name = _RENAMED[name]
    if name == "__version__":
        from importlib.metadata import version

        return version("quaestor")
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(f"quaestor.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'quaestor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
