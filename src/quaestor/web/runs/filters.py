"""Filters for lists of runs and turns, for the API and the pages; pagination and addresses of the pages.

Pages give confidence in percent and use other names for some parameters. Empty parameters are ignored.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlencode

from fastapi import Query
from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import QueryParams

from quaestor.application.error_lines import read_faults
from quaestor.errors import InputError
from quaestor.scores import Outcome, PairFilter, VerdictFilter
from quaestor.scoring.taxonomy import Cause
from quaestor.store.listing import ListPage, ListPart, RunFilter, TurnFilter, TurnOrder
from quaestor.store.records import RunKind, RunStatus
from quaestor.web.runs.words import dataset_name

RUNS_SHOWN = 25
TURNS_SHOWN = 50

Q = TypeVar("Q")
_Word = Annotated[str | None, Query(max_length=200)]
_Share = Annotated[float | None, Query(ge=0, le=1)]
_Text = Annotated[str, Query(max_length=200, description="Only turns whose question contains this text.")]


@dataclass(frozen=True, slots=True)
class RunQuery:
    """Filter for runs; datasets are given by file name."""

    kind: Annotated[
        RunKind | None, Query(description="Questions of a dataset, questions of a person, or imported answers.")
    ] = None
    status: Annotated[RunStatus | None, Query(description="The status of the run.")] = None
    dataset: _Word = None
    solver: _Word = None
    model: _Word = None

    def filter(self, datasets: Sequence[str]) -> RunFilter:
        """Return the filter, given the paths of all datasets that have runs."""
        paths = None
        if self.dataset is not None:
            paths = tuple(path for path in datasets if dataset_name(path) == self.dataset)
        return RunFilter((self.kind,) if self.kind else None, paths, self.solver, self.model, self.status)


@dataclass(frozen=True, slots=True)
class TurnQuery:
    """Filter for the turns of a run."""

    text: _Text = ""
    conversation: Annotated[str | None, Query(max_length=1_000)] = None
    number: Annotated[int | None, Query(ge=1, le=1_000_000, description="The number of the turn, from 1.")] = None
    kind: _Word = None
    operation: _Word = None
    origin: _Word = None
    least: _Share = None
    most: _Share = None
    verdict: Annotated[Literal["right", "wrong"] | None, Query()] = None
    cause: Annotated[Cause | None, Query()] = None
    order: TurnOrder = "conversation"

    @property
    def filter(self) -> TurnFilter:
        """The filter by turn."""
        index = None if self.number is None else self.number - 1
        return TurnFilter(
            self.text, self.conversation, index, self.kind, self.operation, self.origin, self.least, self.most,
            self.order,
        )  # fmt: skip

    @property
    def verdicts(self) -> VerdictFilter:
        """The filter by verdict."""
        correct = None if self.verdict is None else self.verdict == "right"
        return VerdictFilter(correct, None if self.cause is None else self.cause.value)


@dataclass(frozen=True, slots=True)
class PairQuery:
    """Filter for the turns of two runs."""

    outcome: Annotated[
        Outcome | None,
        Query(
            description="Only turns with this outcome: right in both, in the first or second run only, or in neither."
        ),
    ] = None
    answers: Annotated[
        Literal["differ", "same"] | None, Query(description="Only turns whose answers differ, or are the same.")
    ] = None
    text: _Text = ""

    @property
    def filter(self) -> PairFilter:
        """The filter."""
        return PairFilter(self.outcome, None if self.answers is None else self.answers == "differ", self.text)


@dataclass(frozen=True, slots=True)
class _PageQuery:
    page: Annotated[int, Query(ge=1, le=1_000_000_000)] = 1


_NAMES = {"q": "text", "turn": "number", "from": "least", "to": "most", "state": "status"}
"""Field names by the parameter names used in pages."""

_SHARES = ("least", "most")
"""Parameters that pages give in percent."""


@dataclass(frozen=True, slots=True)
class ListRequest:
    """A list page, parsed from its address."""

    path: str
    values: Mapping[str, str]
    limit: int

    @classmethod
    def of(cls, path: str, query: QueryParams, limit: int) -> "ListRequest":
        """Parse the parameters of a request."""
        values = {name: value.strip() for name, value in query.items() if value.strip()}
        return cls(path, values, limit)

    @property
    def number(self) -> int:
        """The number of the page, from 1."""
        return self.query(_PageQuery).page

    @property
    def part(self) -> ListPart:
        """The part of the list shown on this page."""
        return ListPart((self.number - 1) * self.limit, self.limit)

    def address(self, **changes: str | int | None) -> str:
        """Return the address of the first page with some parameters changed; None removes a parameter."""
        found: dict[str, Any] = {**self.values, "page": None, **changes}
        given = {name: value for name, value in found.items() if value not in (None, "")}
        return f"{self.path}?{urlencode(given)}" if given else self.path

    def query(self, kind: type[Q]) -> Q:
        """Parse the parameters as a query class."""
        values: dict[str, object] = {_NAMES.get(name, name): value for name, value in self.values.items()}
        for name in _SHARES:
            if name in values:
                with suppress(ValueError):
                    values[name] = float(str(values[name])) / 100
        try:
            return TypeAdapter(kind).validate_python(values)
        except ValidationError as error:
            (name, what), *_ = read_faults(error.errors(include_url=False, include_input=False))
            shown = {after: before for before, after in _NAMES.items()}.get(name, name)
            why = "give a percentage from 0 to 100" if name in _SHARES else what
            raise InputError(f"{self.values.get(shown, '')!r:.60} is not a valid {shown}: {why}") from None


@dataclass(frozen=True, slots=True)
class Pager:
    """Links to the previous and next page of a list."""

    first: int
    last: int
    total: int
    previous: str | None
    next: str | None


def pager(listed: ListRequest, page: ListPage[Any]) -> Pager:
    """Create the links for a page of a list."""
    before, shown = page.offset, len(page.items)
    number = listed.number
    last_page = max(1, -(-page.total // listed.limit))
    previous = min(number - 1, last_page)
    return Pager(
        before + 1 if shown else 0,
        before + shown,
        page.total,
        listed.address(page=previous if previous > 1 else None) if number > 1 else None,
        listed.address(page=number + 1) if before + shown < page.total else None,
    )
