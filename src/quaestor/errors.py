"""The exception tree.

Every error that quaestor raises on purpose is a `QuaestorError`. A branch also inherits the builtin that a
caller would expect, and carries its facts as attributes. A message says what, where and what to do.

QuaestorError
├── InputError (ValueError)          something that a person or a file gave us
│   ├── QuantityError                text that cannot be read as a number
│   ├── DatasetError                 a file or a record that is not what it should be
│   │   ├── UnlabelledError          a dataset without reference answers
│   │   ├── ReadingLimitError        a file that takes more memory or time to read than it may; `setting` raises it
│   │   └── SeveralPagesError        a file of several pages, where one was asked for
│   ├── DocumentError                parts that make no document
│   ├── UnknownConversationError     (LookupError) an id that the dataset does not have
│   ├── UnknownUploadError           (LookupError) a file that was handed over, and is not kept any more
│   ├── QuestionError                a question that cannot be asked
│   ├── BadLinesError                lines of a file that cannot be used; `lines` has all of them
│   ├── OutputExistsError            a file that is there already and would be replaced
│   └── SettingsError                a setting that is missing or malformed
│       ├── MissingModelError        a solver that asks a model, and no model
│       └── PluginError              what another package adds, and cannot be used
├── PlanError (ValueError)           a plan that cannot be run
│   ├── ProgramError                 ConvFinQA program text that does not parse
│   ├── FormulaError                 arithmetic over named values that does not parse
│   ├── PlanValidationError          references, arity or operand types do not fit; `issues` has all of them
│   └── ExecutionError (ArithmeticError)
│       ├── DivisionByZeroError      (ZeroDivisionError)
│       ├── MagnitudeError           (OverflowError) a result too large or too fine to hold
│       └── OperandError             an operand that the operation cannot take
├── SolverError (RuntimeError)       a solver that found no answer
│   ├── ModelReplyError              a model's reply that cannot be used, or a request that it does not take
│   └── OutageError                  a service that the solver needs does not answer; unscored until resumed
│       ├── ModelAccessError         (InputError) a model that cannot be reached as it is set up
│       ├── BudgetExceededError      a run has used what it may use; `spent` and `limit` say of what
│       └── CassetteError            (InputError) a request that was not recorded, or a recording that cannot be read
├── QuestionTimeoutError (TimeoutError)  a question that took longer than it may; `seconds` says how long that is
├── QuestionStoppedError (RuntimeError)  a question that a person or a program stopped
├── RunStoppedError                  a run that was interrupted, or whose budget or model is gone; `run` is resumed
├── EngineError (RuntimeError)       conversations that could not be played to their end
├── BusyError (RuntimeError)         more is asked for at once than is taken; `seconds` says when to ask again
├── StoreError (OSError)             the run store, or a folder beside it, cannot be read or written
│   ├── UnknownRunError              (LookupError)
│   ├── StoredValueError             (ValueError) a value in the store that is not as it was written
│   └── DuplicateRecordError         a record whose key is taken
│       └── ClaimedError             a conversation that another runner plays; `owner` names it
├── OntologyError (ValueError)        an ontology that cannot be read, or that is frozen and was to be changed
├── GraphError (ValueError)           a document's graph that cannot be built, read or queried
│   ├── GapError                     rows that no property of a frozen ontology matches; `gaps` has all of them
│   └── QueryError                   a query that is refused, malformed, too slow or too large
└── ModelError (RuntimeError)        the shipped or trained weights cannot be used
"""

from collections.abc import Iterable
from typing import Any

_NEAR = 70
_MOST_NAMES = 30


class QuaestorError(Exception):
    """The root of all errors that quaestor raises on purpose.

    Pickling keeps the type, the message and the attributes, whatever the arguments of the constructor are: an error
    crosses from a worker process as it was raised. Its cause and traceback stay behind, as with any exception.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how it is made again: without its constructor, which takes facts and not the message."""
        return _made_again, (type(self), self.args, dict(self.__dict__))


def _made_again(kind: type[QuaestorError], arguments: tuple[object, ...], attributes: dict[str, object]) -> Exception:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    error.__dict__.update(attributes)
    return error


class InputError(QuaestorError, ValueError):
    """Something that a person or a file gave us cannot be used."""


class QuantityError(InputError):
    """Text that cannot be read as a number."""

    def __init__(self, text: str, reason: str, where: str | None = None) -> None:
        self.text = text
        self.reason = reason
        shown = text if len(text) <= 60 else text[:57] + "..."
        super().__init__(f"cannot read {shown!r} as a number{f' ({where})' if where else ''}: {reason}")


class DatasetError(InputError):
    """A file or a record that is not what it should be."""


class DocumentError(InputError):
    """Parts that make no document."""


class UnlabelledError(DatasetError):
    """A dataset without reference answers: it can be run, but not scored."""


class UnknownConversationError(DatasetError, LookupError):
    """An id that the dataset does not have."""


class UnknownUploadError(InputError, LookupError):
    """A file that was handed over, and is not kept any more."""


class ReadingLimitError(DatasetError):
    """A file that takes more memory or time to read than it may.

    Attributes:
        setting: The name of the setting that limits it.
        limit: What it allows, such as `60 seconds`.
    """

    def __init__(self, path: str, setting: str, limit: str) -> None:
        self.path = path
        self.setting = setting
        self.limit = limit
        super().__init__(
            f"cannot read {path}: it takes more than {limit}; raise the setting {setting}, or read a part of the file"
        )


class SeveralPagesError(DatasetError):
    """A file that holds several pages, where one was asked for."""

    def __init__(self, path: str, pages: int) -> None:
        self.path = path
        self.pages = pages
        super().__init__(f"{path} has {pages} pages: choose one as {path}#ID")


class BadLinesError(InputError):
    """Lines of a file that cannot be used.

    Attributes:
        lines: One text for each: `FILE:LINE: what is wrong`.
    """

    def __init__(self, file: str, lines: tuple[str, ...], of: int) -> None:
        self.file = file
        self.lines = lines
        listed = "".join(f"\n{line}" for line in lines)
        super().__init__(f"{len(lines)} of the {of} lines of {file} are invalid; nothing was imported:{listed}")


class OutputExistsError(InputError):
    """A file that is to be written is there already, and nobody has said that it may be replaced."""


class QuestionError(InputError):
    """A question that cannot be asked."""


class SettingsError(InputError):
    """A setting that is missing or malformed."""


class MissingModelError(SettingsError):
    """A solver that asks a model was given none."""


class PluginError(SettingsError):
    """What another package adds by an entry point cannot be used; the message names both."""


class PlanError(QuaestorError, ValueError):
    """A plan that cannot be run."""


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


class ProgramError(PlanError):
    """ConvFinQA program text that does not parse.

    Attributes:
        position: Where in it the reading stopped, from 0.
    """

    def __init__(self, program: str, position: int, reason: str) -> None:
        self.program = program
        self.position = position
        super().__init__(f"invalid program {_cut(program)!r} at character {position}: {reason}")


class FormulaError(PlanError):
    """Arithmetic over named values that does not parse.

    Attributes:
        position: Where in it the reading stopped, from 0.
    """

    def __init__(self, formula: str, position: int, reason: str) -> None:
        self.formula = formula
        self.position = position
        super().__init__(f"invalid formula {_cut(formula)!r} at character {position}: {reason}")


class PlanValidationError(PlanError):
    """References, arity or operand types do not fit.

    Attributes:
        issues: One sentence for each fault, in the order of the steps.
    """

    def __init__(self, issues: tuple[str, ...]) -> None:
        self.issues = issues
        super().__init__("invalid plan: " + "; ".join(issues))


class ExecutionError(PlanError, ArithmeticError):
    """A step of a plan has no result.

    Attributes:
        step: Which, where the message names it; else None.
    """

    def __init__(self, message: str, step: int | None = None) -> None:
        self.step = step
        super().__init__(message)


class DivisionByZeroError(ExecutionError, ZeroDivisionError):
    """A division whose divisor is zero."""


class MagnitudeError(ExecutionError, OverflowError):
    """A result too large or too fine to hold."""


class OperandError(ExecutionError):
    """An operand that the operation cannot take, such as a yes/no answer in a sum."""


class SolverError(QuaestorError, RuntimeError):
    """A solver that found no answer."""


class OutageError(SolverError):
    """A service that the solver needs does not answer: the conversation stays unscored until the run is resumed."""


class ModelReplyError(SolverError):
    """A model's reply that cannot be used (unreadable, refused), or a request that it does not take (too long)."""


class ModelAccessError(OutageError, InputError):
    """A model that cannot be reached as it is set up: no key, an unknown name, no server there."""


class BudgetExceededError(OutageError):
    """A run has used what it may use; what it has not played stays unscored until it is resumed with more.

    Attributes:
        spent: What has been used, such as `1,200 requests`.
        limit: What may be, in the same words.
    """

    def __init__(self, spent: str, limit: str) -> None:
        self.spent = spent
        self.limit = limit
        super().__init__(f"budget of {limit} exceeded ({spent} used); resume the run with a larger budget")


class CassetteError(OutageError, InputError):
    """A request that is not in the recording that is replayed, or a recording that cannot be read."""


class QuestionTimeoutError(QuaestorError, TimeoutError):
    """A question took longer to answer than the setting `question_seconds` allows, and was stopped."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(
            f"the question took longer than {seconds:g} seconds and was stopped: ask something simpler, or raise the "
            "setting question_seconds"
        )


class QuestionStoppedError(QuaestorError, RuntimeError):
    """A question was stopped before it was answered."""


class RunStoppedError(QuaestorError):
    """A run was stopped, by a person or a limit, and can be resumed.

    Attributes:
        run: The run's id, by which it is resumed; None if nothing was begun.
        by_person: Whether a person interrupted it.
    """

    def __init__(self, why: str, run: str | None, *, by_person: bool = False) -> None:
        self.why: str = why
        self.run: str | None = run
        self.by_person: bool = by_person
        super().__init__(f"{why}; {f'run {run} can be resumed' if run else 'nothing was started'}")


class EngineError(QuaestorError, RuntimeError):
    """Conversations could not be played to their end, such as by a worker process that died."""


class BusyError(QuaestorError, RuntimeError):
    """More is asked for at once than is taken; nothing was done.

    Attributes:
        seconds: After which asking again may help.
    """

    def __init__(self, message: str, seconds: int = 1) -> None:
        self.seconds = seconds
        super().__init__(message)


class StoreError(QuaestorError, OSError):
    """The run store, or a folder beside it, cannot be read or written."""


class UnknownRunError(StoreError, LookupError):
    """A run that the store does not have."""


class StoredValueError(StoreError, ValueError):
    """A value in the store that is not as it was written."""


class DuplicateRecordError(StoreError):
    """A record whose unique key is taken."""


class ClaimedError(DuplicateRecordError):
    """A conversation that another runner plays, or has played since this one looked.

    Attributes:
        owner: Who plays it; None if it came to its end.
    """

    def __init__(self, message: str, owner: str | None = None) -> None:
        self.owner = owner
        super().__init__(message)


class OntologyError(QuaestorError, ValueError):
    """An ontology that cannot be read, or that is frozen and was to be changed."""


class GraphError(QuaestorError, ValueError):
    """A document's graph that cannot be built, read or queried."""


class GapError(GraphError):
    """Rows or columns of a document that no property of a frozen ontology matches.

    Attributes:
        gaps: One line for each: where it is, its label, and the nearest properties with their scores.
    """

    def __init__(self, document: str, gaps: tuple[str, ...]) -> None:
        self.document = document
        self.gaps = gaps
        listed = "".join(f"\n  {gap}" for gap in gaps)
        super().__init__(
            f"{len(gaps)} labels of {document} are not in the ontology; rebuild it from documents that have them, or "
            f"use the policy 'extend':{listed}"
        )


class QueryError(GraphError):
    """A query that is refused, malformed, too slow or too large.

    Attributes:
        reason: What is wrong and what to do.
        position: Where in the query, from 0, or None.
    """

    def __init__(self, reason: str, position: int | None = None) -> None:
        self.reason = reason
        self.position = position
        super().__init__(f"query failed: {reason}")


class ModelError(QuaestorError, RuntimeError):
    """The shipped or trained weights cannot be used."""


def unknown_name(noun: str, name: str, known: Iterable[str], where: str = "", most: int = 1) -> str:
    """Return the message for a name that does not exist, with the nearest that do or, failing that, all of them.

    >>> unknown_name("solver", "embeded", ["embedded", "agent"])
    "unknown solver 'embeded'; did you mean 'embedded'?"
    >>> unknown_name("solver", "x", ["embedded", "agent"], where="in quaestor.toml")
    "unknown solver 'x' in quaestor.toml; choose from embedded, agent"
    """
    from rapidfuzz import fuzz, process  # only needed for a message

    folded = {other: other.casefold() for other in known}
    shown = f"unknown {noun} {name[:80]!r}{f' {where}' if where else ''}"
    # A part of a long id is near it; of a short name every letter would be.
    scorer = fuzz.WRatio if len(name) > 3 else fuzz.ratio
    found = process.extract(name[:80].casefold(), folded, scorer=scorer, score_cutoff=_NEAR, limit=most)
    if near := [repr(other) for _, _, other in found]:
        return f"{shown}; did you mean {' or '.join(filter(None, (', '.join(near[:-1]), near[-1])))}?"
    names = list(folded)
    listed = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
    return f"{shown}; choose from {listed}" if names else f"{shown}; there are none"
