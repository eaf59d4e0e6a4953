"""What the model is shown of a page before it writes queries: the graph's schema, and the text with its numbers' nodes.

Owns the choice and its limits. The numbers in the tables are not among it: those are what queries are for.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from quaestor.conversation.turn import Turn
from quaestor.graph.facts import MentionFact, period_code
from quaestor.graph.writing import label_node, mention_node
from quaestor.solvers import briefing
from quaestor.solvers.base import TurnContext
from quaestor.solvers.tools.page import GraphPage, Instance

_MOST_LISTED = 60
_MOST_TEXT = 12_000
"""The most characters of the page's text that are shown; what is longer has to be asked for by its words."""


def value_schema(context: TurnContext) -> Mapping[str, object]:
    """Returns what queries are made of: types with properties and instances, sentences with mentions, labels."""
    graph = context.graph
    page = GraphPage(graph, context.ontology)
    return {
        "types": [_type(page, name, context) for name in page.types],
        "example": _example(page),
        "sentences": _sentences(context),
        "mention": mention_node(graph.mentions[0]) if graph.mentions else "",
        "labels": [
            {"node": label_node(place), "value": f"{label.quantity.value:f}", "label": label.label}
            for place, label in enumerate(graph.labels)
            if not label.year
        ][:_MOST_LISTED],
        "years": sorted({str(label.quantity.value) for label in graph.labels if label.year}),
    }


def phase_variables(question: str, context: TurnContext) -> dict[str, object]:
    """Returns what both phases are told: the question, what it points back to, why it is asked again, the results."""
    return {
        "question": question,
        "results": _results(context),
        "references": briefing.references(context, lambda turn: f"result_{turn}"),
        "feedback": context.feedback,
    }


def _results(context: TurnContext) -> list[dict[str, str]]:
    """Returns the earlier results with what they mean, oldest first."""
    told = briefing.history(context)
    return [{**said, **_meaning(turn)} for said, turn in zip(told, context.memory.turns, strict=True)]


def _meaning(turn: Turn) -> dict[str, str]:
    answer = turn.answer
    return {
        "entity": answer.entity or "",
        "metric": answer.metric_type,
        "period": period_code(answer.period) if answer.period else "",
    }


def _type(page: GraphPage, name: str, context: TurnContext) -> dict[str, object]:
    instances = page.of_type(name)
    labels = page.properties(instances)
    return {
        "name": name,
        "caption": briefing.captions(name, context),
        "properties": _listed([f'{property_} "{label}"' for property_, label in labels.items()]),
        "instances": _listed([_instance(instance) for instance in instances]),
        "repeated": _repeated(instances),
    }


def _instance(instance: Instance) -> str:
    said = [period_code(instance.period)] if instance.period else []
    said += [f'"{instance.entity}"'] if instance.entity else []
    return f"{instance.name} ({', '.join(said)})" if said else instance.name


def _repeated(instances: Sequence[Instance]) -> list[str]:
    """Returns the properties of which some instance has several cells."""
    counts = Counter((instance.name, fact.predicate) for instance in instances for fact in instance.facts)
    return list(dict.fromkeys(predicate for (_, predicate), count in counts.items() if count > 1))[:_MOST_LISTED]


def _example(page: GraphPage) -> Mapping[str, str] | None:
    """Returns the names of one cell, for the example of a query; None where there is no table."""
    if not page.graph.observations:
        return None
    first = page.graph.observations[0]
    return {"instance": first.instance, "property": first.predicate, "year": str(first.year or "")}


def _sentences(context: TurnContext) -> list[str]:
    """Returns the sentences that have numbers, each number marked with its node, as far as there is room."""
    marked: dict[int, list[MentionFact]] = {}
    for mention in context.graph.mentions:
        marked.setdefault(mention.place, []).append(mention)
    shown: list[str] = []
    room = _MOST_TEXT
    for place, mentions in marked.items():
        text = _marked(context.graph.sentences[place].text, mentions)
        room -= len(text)
        if room < 0:
            shown.append(f"and {len(marked) - len(shown)} more sentences")
            break
        shown.append(text)
    return shown


def _marked(text: str, mentions: Sequence[MentionFact]) -> str:
    for mention in sorted(mentions, key=lambda m: m.source.start, reverse=True):
        start, end = mention.source.start, mention.source.end
        text = f"{text[:start]}[{mention_node(mention)} {text[start:end]}]{text[end:]}"
    return text


def _listed(names: Sequence[str]) -> list[str]:
    more = len(names) - _MOST_LISTED
    return [*names[:_MOST_LISTED], f"and {more} more"] if more > 0 else list(names)
