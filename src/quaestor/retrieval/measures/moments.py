"""Which periods of a document's statements are of one time: a year and its last day, a quarter and its end.

Like goes with like: three months never meet nine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quaestor.core.periods import Period
from quaestor.documents.document import Document
from quaestor.retrieval.measures.lines import StatementRow

_BALANCE = "balance sheet"
_FLOWS = frozenset({"year", "quarter", "span"})
_QUARTER = 3


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of which a document prints figures.

    Attributes:
        flow: The period of its flows, or None.
        balance: The period of its balances, or None.
    """

    flow: Period | None
    balance: Period | None

    @property
    def year(self) -> int:
        """The year that it is called by."""
        period = self.flow or self.balance
        return period.year if period is not None else 0

    @property
    def is_year(self) -> bool:
        """Whether its flows are those of a whole year, or it has none."""
        return self.flow is None or self.flow.kind == "year"


def moments_of(document: Document, rows: Sequence[StatementRow]) -> tuple[Moment, ...]:
    """Return the times of a document's statements, the latest first; of those that end together the shortest first."""
    balances = sorted(_periods(document, rows, balance=True), key=_end, reverse=True)
    flows = sorted(
        _periods(document, rows, balance=False), key=lambda period: (-period.year, _months(period), -_end(period)[1])
    )
    found = [Moment(flow, _last_day(flow, flows, balances)) for flow in flows]
    paired = {moment.balance for moment in found}
    return (*found, *(Moment(None, balance) for balance in balances if balance not in paired))


def _periods(document: Document, rows: Sequence[StatementRow], *, balance: bool) -> Iterator[Period]:
    """Each period of the columns of the statements of flows, or of balances."""
    seen: set[Period] = set()
    for index in dict.fromkeys(row.table for row in rows if (row.statement == _BALANCE) is balance):
        table = document.table(index)
        for column in table.columns[1:]:
            period = column.period
            if period is not None and period not in seen and (balance or period.kind in _FLOWS):
                seen.add(period)
                yield period


def _end(period: Period) -> tuple[int, int, int]:
    month = period.month or (_QUARTER * period.quarter if period.quarter else 12)
    return period.year, month, period.day or 31


def _months(period: Period) -> int:
    """How many months a flow lasts; a year counts as the shortest, for it is what a question without a time means."""
    return {"year": 0, "quarter": _QUARTER}.get(period.kind, period.months or 0)


def _last_day(flow: Period, flows: Sequence[Period], balances: Sequence[Period]) -> Period | None:
    """The balance at the end of a flow: of years by their order, else by the month, else of the latest by its place."""
    years = [other for other in flows if other.kind == "year"]
    if flow.kind == "year":
        place = years.index(flow)
        fits = place < len(balances) and abs(balances[place].year - flow.year) <= 1
        return balances[place] if fits else None
    if years or not balances:
        return None
    if (flow.year, flow.kind) == max((other.year, flow.kind) for other in flows if other.kind == flow.kind):
        return balances[0] if abs(balances[0].year - flow.year) <= 1 else None
    month = _end(flow)[1]
    return next((b for b in balances[1:] if (b.year, b.month) == (flow.year, month)), None)


def moments_asked(moments: Sequence[Moment], period: Period | None, *, flows: bool, balances: bool) -> Sequence[Moment]:
    """Return the times that a question may mean, the likeliest first.

    Args:
        period: The one that is named; None for the latest.
        flows: Whether figures of a duration are asked for.
        balances: Whether figures of a day are.
    """
    whole = [m for m in moments if (m.flow is not None or not flows) and (m.balance is not None or not balances)]
    if not whole:
        return ()
    if period is None:
        latest = max(_end_of(moment) for moment in whole)
        return [moment for moment in whole if _end_of(moment) == latest]
    found = [moment for moment in whole if _is_of(moment, period)]
    # A fiscal year may end in the next one, and is meant before the day that it ends on.
    by_flow = [moment for moment in found if moment.flow is not None and moment.flow.year == period.year]
    return by_flow if period.kind == "year" and (by_flow or flows) else found


def _end_of(moment: Moment) -> tuple[int, int]:
    period = moment.balance or moment.flow
    return _end(period)[:2] if period is not None else (0, 0)


def _is_of(moment: Moment, period: Period) -> bool:
    flow, balance = moment.flow, moment.balance
    if period.kind == "year":
        return (flow is not None and flow.year == period.year) or (balance is not None and balance.year == period.year)
    if period.kind in ("quarter", "span"):
        return flow == period
    return balance is not None and _end(balance)[:2] == _end(period)[:2] and period.day in (None, balance.day)
