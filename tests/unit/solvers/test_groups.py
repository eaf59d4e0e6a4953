"""Numbers of the page as groups of a plan: their labels, what they count, and where the groups are in it."""

from pages import page

from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.facts import PrintedNumber
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.execute import execute
from quaestor.plan.scales import read_literal
from quaestor.plan.steps import CellGroup, Compute, Constant, Plan, Ref
from quaestor.solvers.groups import group_of, groups_in_place

PAGE = page(
    [
        ["( in millions )", "2019", "2018"],
        ["flour", "1,200", "1,000"],
        ["bran", "300", "400"],
        ["yield ( % )", "4", "5"],
    ],
    after=["we sold 12 barges and 9 tugs ."],
)


GRAPH = GraphProvider.of([PAGE]).graph(PAGE)


def cells(*places: tuple[int, int], graph: KnowledgeGraph = GRAPH) -> list[PrintedNumber]:
    by_place = {(o.source.row, o.source.column): o for o in graph.observations}
    return [by_place[place] for place in places]


def test_cells_of_a_row_are_told_apart_by_their_columns() -> None:
    group = group_of(cells((1, 1), (1, 2)))
    assert (group.text, group.labels) == ("flour", ("2019", "2018"))
    assert group.label_scale == "million"


def test_cells_of_a_column_are_told_apart_by_their_rows() -> None:
    group = group_of(cells((1, 2), (2, 2)))
    assert (group.text, group.labels) == ("2018", ("flour", "bran"))


def test_other_cells_are_told_apart_by_both() -> None:
    assert group_of(cells((1, 1), (2, 2))).labels == ("flour, 2019", "bran, 2018")


def test_cells_that_count_in_different_things_say_so_each() -> None:
    group = group_of(cells((1, 1), (3, 1)))
    assert group.label_scale is None
    assert [str(quantity.scale.value) for quantity in group.values] == ["million", "percent"]


def test_numbers_of_the_text_are_called_by_the_words_before_them_unless_they_have_a_label() -> None:
    barges, tugs = GRAPH.mentions
    assert group_of([barges, tugs]).labels == ("we sold", "sold 12 barges and")
    assert group_of([barges, tugs], "the fleet", ["barges", None]).labels[0] == "barges"
    assert group_of([barges, tugs], labels=["vessels", "vessels"]).labels == ("we sold", "sold 12 barges and")


def test_dated_numbers_of_the_text_are_called_by_their_periods() -> None:
    document = page([], after=["we paid $ 5 million and $ 4 million in 2009 and 2008 , respectively ."])
    mentions = GraphProvider.of([document]).graph(document).mentions
    assert group_of(mentions).labels == ("2009", "2008")


def test_lines_of_one_label_get_their_headings() -> None:
    twice = page([["", "2019", "2019"], ["", "first", "second"], ["flour", "1", "2"]])
    labels = group_of(cells((2, 1), (2, 2), graph=GraphProvider.of([twice]).graph(twice))).labels
    assert len(set(labels)) == 2


def listed(group: CellGroup) -> Compute:
    return Compute(1, "items", (group,))


def test_a_group_goes_where_it_is_used() -> None:
    group = group_of(cells((1, 1), (1, 2)))
    limit = Constant(read_literal("1100"), "1100")
    plan = Plan((listed(group), Compute(2, "above", (Ref(1), limit)), Compute(3, "labels", (Ref(2),))))
    placed = groups_in_place(plan)
    assert [step.id for step in placed.steps] == [1, 2]
    assert placed.steps[0] == Compute(1, "above", (group, limit))
    assert execute(placed).result.value == execute(plan).result.value


def test_a_list_that_is_the_answer_stays_a_step() -> None:
    plan = Plan((listed(group_of(cells((1, 1), (1, 2)))),))
    assert groups_in_place(plan) == plan


def test_a_list_that_is_repeated_as_it_is_stays_a_step() -> None:
    plan = Plan((listed(group_of(cells((1, 1), (1, 2)))), Compute(2, "identity", (Ref(1),))))
    assert groups_in_place(plan) == plan
