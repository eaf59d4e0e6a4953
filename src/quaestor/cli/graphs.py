"""A knowledge graph on a terminal: how the page was read, and what it says."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from quaestor.core.quantity import Scale
from quaestor.graph.facts import Mention, Observation, TextCell, period_code
from quaestor.graph.knowledge_graph import KnowledgeGraph


def show_statistics(console: Console, graph: KnowledgeGraph) -> None:
    """Prints the counts of a graph, and what it was built from."""
    for name, count in graph.statistics().items():
        console.print(f"{name + ':':<15}{count}")
    console.print(f"{'ontology:':<15}{graph.ontology}")
    console.print(f"{'digest:':<15}{graph.digest}")


def show_reading(console: Console, graph: KnowledgeGraph) -> None:
    """Prints what each table and each line was taken for, and why."""
    for table in graph.tables:
        reasons = "; ".join(table.reasons) or "no cue"
        console.print(f"[bold]table {table.index}: {table.name}[/] ({table.score:g}: {escape(reasons)})")
        grid = Grid(table.axis[:-1], "label", "property", "rule", "score", "known label")
        for line in graph.lines:
            if line.table == table.index:
                place, score = str(line.index), f"{line.score:.2f}"
                grid.add_row(place, escape(line.label), line.predicate, line.rule, score, escape(line.known))
        console.print(grid)


def show_facts(console: Console, graph: KnowledgeGraph) -> None:
    """Prints the instances with their values, and the numbers of the text."""
    for table in graph.tables:
        cells: tuple[Observation | TextCell, ...] = (*graph.observations, *graph.text_cells)
        facts = [fact for fact in cells if fact.source.table == table.index]
        grid = Grid(title=escape(f"{table.name} {table.caption}"), title_justify="left")
        grid.add_column("property", overflow="fold")
        instances = list(dict.fromkeys(fact.instance for fact in facts))
        for instance in instances:
            grid.add_column(instance, justify="right", overflow="fold")
        for name in dict.fromkeys(fact.predicate for fact in facts):
            values = (_values(facts, name, instance) for instance in instances)
            grid.add_row(escape(name), *values)
        console.print(grid)
    if graph.mentions:
        grid = Grid("number", "scale", "unit", "period", "words around it", title="text", title_justify="left")
        for mention in graph.mentions:
            grid.add_row(*_mention(mention))
        console.print(grid)


def _values(facts: list[Observation | TextCell], name: str, instance: str) -> str:
    found = sorted(
        (fact for fact in facts if (fact.predicate, fact.instance) == (name, instance)),
        key=lambda fact: (fact.source.row, fact.source.column),
    )
    return escape("\n".join(f"{f.quantity.value:f}" if isinstance(f, Observation) else f.text for f in found))


def _mention(mention: Mention) -> tuple[str, str, str, str, str]:
    quantity = mention.quantity
    return (
        f"{quantity.value:f}",
        "" if quantity.scale is Scale.ONE else quantity.scale.value,
        quantity.unit or "",
        period_code(mention.period) if mention.period else "",
        escape(f"{mention.before} [{quantity.text}] {mention.after}"),
    )
