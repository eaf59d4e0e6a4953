from collections.abc import Iterable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from quaestor.ontology import ontology
from quaestor.ontology.ontology import Groups, KeptDistinct, Merge


def named(tables: Iterable[int]) -> str:
    return "ABCD"[min(tables)]


def group_labels(weights: Mapping[str, int], places: Mapping[str, Iterable[int]]) -> Groups:
    return ontology.group_labels(weights, places, document_of=named)


def test_variants_become_one_group_led_by_the_most_frequent() -> None:
    found = group_labels({"revenue": 3, "revenues": 1, "total revenues": 2}, {})
    assert found.groups == (("revenue", "total revenues", "revenues"),)
    assert Merge("revenues", "revenue", "plural", 0.97) in found.merges


def test_two_rows_of_one_table_are_two_properties() -> None:
    places = {"bank debt": {0}, "total bank debt": {0}}
    found = group_labels({"bank debt": 2, "total bank debt": 1}, places)
    assert found.groups == (("bank debt",), ("total bank debt",))
    assert found.apart == (KeptDistinct("bank debt", "total bank debt", "qualifier", "A"),)
    assert found.merges == ()


def test_what_is_joined_to_one_of_them_is_apart_from_the_other() -> None:
    places = {"bank debt": {0}, "bank debts": {1}, "total bank debt": {1}}
    found = group_labels({"bank debt": 3, "bank debts": 2, "total bank debt": 1}, places)
    assert found.groups == (("bank debt", "bank debts"), ("total bank debt",))


def test_merges_are_a_tree() -> None:
    labels = ["revenue", "revenues", "total revenue", "total revenues", "revenue, net", "Revenue"]
    found = group_labels(dict.fromkeys(labels, 1), {})
    assert len(found.groups) == 1
    assert len(found.merges) == len(labels) - 1
    assert {m.variant for m in found.merges} | {m.into for m in found.merges} == set(labels)


def test_one_letter_may_be_missing_in_one_label_alone() -> None:
    found = group_labels({"employee share": 1, "employer share": 1, "volatility": 2, "volatilty": 1}, {})
    assert found.groups == (("employee share",), ("employer share",), ("volatility", "volatilty"))


LABELS = st.lists(
    st.sampled_from(
        ["bank debt", "bank debts", "total bank debt", "net bank debt", "revenue", "revenues", "revenue net", "total",
         "income (loss)",
         "income", "volatility", "volatilty", "lease cost", "cost of lease", "the lease cost"]
    ),
    min_size=1,
    max_size=12,
    unique=True,
)  # fmt: skip


@given(LABELS, st.data())
def test_the_order_of_labels_changes_nothing(labels: list[str], data: st.DataObject) -> None:
    weights = {label: data.draw(st.integers(1, 3)) for label in labels}
    places = {label: {data.draw(st.integers(0, 3))} for label in labels}
    shuffled = data.draw(st.permutations(labels))
    first = group_labels(weights, places)
    second = group_labels({x: weights[x] for x in shuffled}, {x: places[x] for x in shuffled})
    assert first == second
    for group in first.groups:
        assert sum(len(places[label]) for label in group) == len(set().union(*(places[label] for label in group)))
