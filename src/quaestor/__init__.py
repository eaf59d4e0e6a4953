"""Answers conversations of questions about a page of a financial report, and shows where each number came from.

The names below are the package's public face; each is imported when it is first asked for, so that `import quaestor`
costs nothing. Everything else may change without notice.

>>> import quaestor
>>> quaestor.read_dataset(quaestor.sample_path(), limit=1).conversations[0].document.id
'NORD/2012/page_41.pdf'
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quaestor.conversation.answer import Answer
    from quaestor.conversation.memory import Memory
    from quaestor.conversation.turn import Turn
    from quaestor.core.parsing import parse_quantity
    from quaestor.core.provenance import CellRef, SentenceRef
    from quaestor.core.quantity import Quantity, Scale
    from quaestor.datasets.dataset import Conversation, Dataset
    from quaestor.datasets.formats import read_dataset
    from quaestor.documents.document import Document
    from quaestor.errors import QuaestorError
    from quaestor.evaluation.run import run_dataset
    from quaestor.evaluation.runner import play_conversation
    from quaestor.evaluation.spec import RunSpec
    from quaestor.plan.execute import execute
    from quaestor.plan.program import parse_program, to_program
    from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref
    from quaestor.sample import sample_path
    from quaestor.solvers.base import Solver, TurnContext
    from quaestor.solvers.registry import make_solver
    from quaestor.store.base import RunStore, open_store

__all__ = [
    "Answer",
    "CellRef",
    "Compute",
    "Constant",
    "Conversation",
    "Dataset",
    "Document",
    "Extract",
    "Memory",
    "Plan",
    "QuaestorError",
    "Quantity",
    "Ref",
    "RunSpec",
    "RunStore",
    "Scale",
    "SentenceRef",
    "Solver",
    "Turn",
    "TurnContext",
    "execute",
    "make_solver",
    "open_store",
    "parse_program",
    "parse_quantity",
    "play_conversation",
    "read_dataset",
    "run_dataset",
    "sample_path",
    "to_program",
]

_HOMES = {
    "conversation.answer": ("Answer",),
    "conversation.memory": ("Memory",),
    "conversation.turn": ("Turn",),
    "core.parsing": ("parse_quantity",),
    "core.provenance": ("CellRef", "SentenceRef"),
    "core.quantity": ("Quantity", "Scale"),
    "datasets.dataset": ("Conversation", "Dataset"),
    "datasets.formats": ("read_dataset",),
    "documents.document": ("Document",),
    "errors": ("QuaestorError",),
    "evaluation.run": ("run_dataset",),
    "evaluation.runner": ("play_conversation",),
    "evaluation.spec": ("RunSpec",),
    "plan.execute": ("execute",),
    "plan.program": ("parse_program", "to_program"),
    "plan.steps": ("Compute", "Constant", "Extract", "Plan", "Ref"),
    "sample": ("sample_path",),
    "solvers.base": ("Solver", "TurnContext"),
    "solvers.registry": ("make_solver",),
    "store.base": ("RunStore", "open_store"),
}


def __getattr__(name: str) -> object:
    """Imports a public name when it is first asked for (PEP 562)."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(f"quaestor.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'quaestor' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
