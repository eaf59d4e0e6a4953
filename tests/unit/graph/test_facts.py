from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from quaestor.core.answer_value import Text
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.graph.facts import Heading, Observation, period_code, read_period_code
from quaestor.plan.execute import execute
from quaestor.plan.steps import Compute, Plan
from quaestor.solvers.groups import group_of

YEARS = st.integers(1950, 2099)
PERIODS = st.one_of(
    st.builds(lambda y: Period("year", y), YEARS),
    st.builds(lambda y, q: Period("quarter", y, quarter=q), YEARS, st.integers(1, 4)),
    st.builds(lambda y, m: Period("month", y, month=m), YEARS, st.integers(1, 12)),
    st.builds(lambda y, m, d: Period("date", y, month=m, day=d), YEARS, st.integers(1, 12), st.integers(1, 28)),
    st.builds(lambda y, n: Period("range", y, last=y + n), YEARS, st.integers(1, 9)),
    st.builds(lambda y: Period("range", y), YEARS),
)


@given(PERIODS)
def test_a_period_survives_its_code(period: Period) -> None:
    assert read_period_code(period_code(period)) == period


def observation(number: int, column: int, scale: Scale | None, table: int = 0) -> Observation:
    quantity, source = Quantity(Decimal(number)), CellRef("doc", table, 1, column)
    heads = Heading("net sales"), Heading(str(2008 + column))
    return Observation(quantity, source, 0, *heads, "", scale, "USD", None, "kg:net_sales", "kg:Income_2009")


def test_cells_are_a_group_under_their_distinct_labels() -> None:
    cells = [observation(3, 1, Scale.MILLION), observation(4, 2, Scale.MILLION)]
    group = group_of(cells, [cell.column.label for cell in cells])
    assert (group.text, group.labels, group.table) == ("net sales", ("2009", "2010"), 0)
    assert group.sources == tuple(cell.source for cell in cells)
    assert (group.label_scale, group.label_unit) == (Scale.MILLION, "USD")
    assert group.counts == tuple(cell.counts for cell in cells)


def test_cells_with_labels_of_several_scales_have_their_own() -> None:
    cells = [observation(3, 1, Scale.BILLION), observation(400, 1, Scale.MILLION, table=1)]
    group = group_of(cells, ["a", "b"])
    assert (group.table, group.label_scale) == (None, None)
    assert [kind.scale for kind in group.counts] == [Scale.BILLION, Scale.MILLION]
    assert execute(Plan((Compute(1, "argmax", (group,)),))).result.value == Text("a")
