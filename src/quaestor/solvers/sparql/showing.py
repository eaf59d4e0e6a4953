"""The page as shown to the model before it writes queries: the graph by its names, with numbers, and the text.

A cell that is alone under its instance and property is shown beside the property; cells that share both are shown under
their own nodes with distinguishing labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.graph.facts import MentionFact, Observation, TextCell, period_code
from quaestor.graph.writing import label_node, mention_node, observation_node, text_node
from quaestor.ontology.core import RuleKind
from quaestor.solvers import briefing
from quaestor.solvers.base import TurnContext
from quaestor.solvers.briefing import list_names
from quaestor.solvers.explaining import passage_names
from quaestor.solvers.groups import heading_path
from quaestor.solvers.page_text import select_text
from quaestor.solvers.tools.page import Fact, GraphPage, Instance, normalize_name

_MOST_LISTED = 60
_LONGEST_CELL = 200
_MOST_NUMBERS = 1_500
"""Limit of numbers shown from tables; of a longer document the first tables are shown with numbers, others by name."""


def value_schema(question: str, context: TurnContext, all_kinds: bool = False) -> Mapping[str, object]:
    """Return the variables that describe the page: types with properties and instances, sentences, labels."""
    graph = context.graph.with_zeros
    page = GraphPage(graph, context.ontology)
    sentences, left_out = _sentences(question, context, all_kinds)
    types = _types(page, context, all_kinds)
    return {
        "types": types,
        "years_known": any(observation.year for observation in graph.observations),
        "sentences": sentences,
        "left_out": left_out,
        "words": _words(context) if all_kinds and any(type_["properties"] for type_ in types) else [],
        "labels": [
            {"node": label_node(place), "value": f"{label.quantity.value:f}", "label": label.label}
            for place, label in enumerate(graph.labels)
            if not label.year
        ][:_MOST_LISTED],
        "years": sorted({str(label.quantity.value) for label in graph.labels if label.year}),
    }


def phase_variables(question: str, context: TurnContext, *rules: RuleKind) -> dict[str, object]:
    """Return the variables common to both prompts: question, references, feedback and earlier results.

    Args:
        rules: The kinds of rules for the phase. Names of operations are left out because formulas use signs.
    """
    return {
        "question": briefing.with_hints(question, context.document),
        "rules": [replace(rule, operation=None) for rule in briefing.rules(question, context, *rules)],
        "results": _results(context),
        "references": briefing.references(context, lambda turn: f"result_{turn}"),
        "feedback": context.feedback,
    }


def _results(context: TurnContext) -> list[dict[str, str]]:
    return [
        {
            **entry,
            "entity": answer.entity or "",
            "metric": answer.metric_type,
            "period": period_code(answer.period) if answer.period else "",
        }
        for entry, answer in zip(briefing.history(context), context.memory.answers, strict=True)
    ]


def _types(page: GraphPage, context: TurnContext, all_kinds: bool) -> list[dict[str, object]]:
    """Describe the tables by type, with their numbers up to the limit."""
    types: list[dict[str, object]] = []
    room = _MOST_NUMBERS
    for name, table in dict.fromkeys((one.type, one.table) for kind in page.types for one in page.of_type(kind)):
        instances = [one for one in page.of_type(name) if one.table == table]
        room -= sum(len(_facts(instance)) for instance in instances)
        labels = page.properties(instances)
        types.append(
            {
                "name": name,
                "caption": _bare(briefing.captions(name, context, table)),
                "left_out": context.document.rows_left_out(table),
                "instances": list_names([_instance(instance) for instance in instances]),
                "lines": _lines(labels, instances, context.document, all_kinds) if room >= 0 else [],
                "properties": []
                if room >= 0
                else list_names([_property(name, label) for name, label in labels.items()]),
            }
        )
    return types


def _bare(caption: str) -> str:
    """Return a caption without brackets around the whole of it."""
    return caption[1:-1] if caption.startswith("(") and caption.find(")") == len(caption) - 1 else caption


def _lines(labels: Mapping[str, str], instances: Sequence[Instance], document: Document, all_kinds: bool) -> list[str]:
    """Format each property with its number or words for each instance, in order."""
    found: list[str] = []
    for predicate, label in labels.items():
        cells = [[fact for fact in _facts(instance) if fact.predicate == predicate] for instance in instances]
        if not any(all_kinds or isinstance(fact, Observation) for facts in cells for fact in facts):
            continue
        named = _property(predicate, label)
        if all(len(facts) < 2 for facts in cells):
            values = [_fact_text(facts[0]) if facts else "-" for facts in cells]
            found.append(f"{named}: {' | '.join(values)}")
        else:
            nodes = [_cell_words(fact, document) for facts in cells for fact in facts]
            found.append(f"{named}, several cells of an instance, each by its node: {'; '.join(nodes)}")
    return found


def _cell_words(fact: Fact, document: Document) -> str:
    """Format a cell by node with its labels: `doc:obs_0_3_1_0 (2009 > first quarter | sales) = 12`.

    The first of several numbers in a cell comes with the cell's text, to distinguish them.
    """
    place = " | ".join(filter(None, map(heading_path, (fact.row, fact.column))))
    if not isinstance(fact, Observation):
        return f"{text_node(fact)} ({place}) = {_fact_text(fact)}"
    cell = document.cell(fact.source)
    printed = f" in {cell.text[:_LONGEST_CELL]!r}" if fact.order == 0 and len(cell.quantities) > 1 else ""
    return f"{observation_node(fact)} ({place}) = {_fact_text(fact)}{printed}"


def _facts(instance: Instance) -> list[Fact]:
    return [fact for fact in instance.facts if isinstance(fact, Observation) or fact.has_words]


def _fact_text(fact: Fact) -> str:
    if isinstance(fact, TextCell):
        return fact.text[:_LONGEST_CELL]
    return f"{fact.quantity.value:f}" + ("%" if fact.quantity.scale is Scale.PERCENT else "")


def _property(name: str, label: str) -> str:
    """Format a property, with the printed label unless the name already contains it."""
    return name if normalize_name(name) == normalize_name(label) else f'{name} "{label}"'


def _instance(instance: Instance) -> str:
    """Format an instance, with its period and label unless the name already contains them."""
    parts = [period_code(instance.period)] if instance.period else []
    parts += [f'"{instance.entity}"'] if instance.entity else []
    own = normalize_name(instance.name)
    missing = [part for part in parts if normalize_name(part) not in own]
    return f"{instance.name} ({', '.join(missing)})" if missing else instance.name


def _words(context: TurnContext) -> list[str]:
    cells = (cell for cell in context.graph.text_cells if cell.has_words)
    return list_names([f"{cell.row.label} | {cell.column.label}: {cell.text[:_LONGEST_CELL]}" for cell in cells])


def _sentences(question: str, context: TurnContext, all_kinds: bool) -> tuple[list[tuple[str, str]], int]:
    """Return the relevant sentences by name, numbers marked with their nodes, and how many were left out."""
    marked: dict[tuple[str, int], list[MentionFact]] = {}
    for mention in context.graph.mentions:
        marked.setdefault((mention.source.section, mention.source.sentence), []).append(mention)
    shown = select_text(context.document, question, context.memory, all_sentences=all_kinds)
    names = passage_names(context.document)
    placed = [(sentence, (sentence.section, sentence.index)) for sentence in shown.sentences]
    return [(names[at], _mark_numbers(sentence.text, marked.get(at, ()))) for sentence, at in placed], shown.left_out


def _mark_numbers(text: str, mentions: Sequence[MentionFact]) -> str:
    for mention in sorted(mentions, key=lambda m: m.source.start, reverse=True):
        start, end = mention.source.start, mention.source.end
        node = mention_node(mention).removeprefix("doc:mention_")
        text = f"{text[:start]}[{node} {text[start:end]}]{text[end:]}"
    return text
