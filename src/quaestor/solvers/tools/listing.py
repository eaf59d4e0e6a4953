"""`list_entities` and `introspect_ontology`: what the page and the ontology have. They add no step to the plan."""

from collections import Counter

from quaestor.graph.facts import period_code
from quaestor.solvers.tools.page import GraphPage, Instance
from quaestor.solvers.tools.plan_builder import PlanBuilder
from quaestor.solvers.tools.query import no_such_type
from quaestor.solvers.tools.replies import Entities, Entity, Properties, PropertyShown, Refusal, Types
from quaestor.solvers.tools.requests import IntrospectOntology, ListEntities

_MOST_PROPERTIES = 60


def list_entities(page: GraphPage, draft: PlanBuilder, request: ListEntities) -> Entities | Refusal:
    """Return the instances of a type, or all of them.

    Args:
        draft: Not used: every tool takes the same arguments.
    """
    del draft  # every tool takes the same arguments; this one takes no number
    instances = page.instances if request.entity_type is None else page.of_type(request.entity_type)
    if not instances and request.entity_type is not None:
        return no_such_type(page, request.entity_type)
    types = dict.fromkeys(instance.type for instance in instances)
    return Entities(
        entity_type=next(iter(types)) if len(types) == 1 else None,
        instances=tuple(instance.name for instance in instances),
        count=len(instances),
        entities=tuple(_entity(instance) for instance in instances),
    )


def _entity(instance: Instance) -> Entity:
    period = period_code(instance.period) if instance.period else None
    return Entity(instance.name, instance.type, instance.year, period, instance.entity, instance.table)


def introspect_ontology(
    page: GraphPage, draft: PlanBuilder, request: IntrospectOntology
) -> Types | Properties | Refusal:
    """Return the types that there are, or the properties of one.

    Args:
        draft: Not used: every tool takes the same arguments.
    """
    del draft
    if request.action == "list_types":
        others = (c.name for c in page.ontology.classes if c.name not in page.types)
        return Types(page.types, tuple(others))
    if request.entity_type is None:
        return Refusal(
            "get_properties needs an entityType",
            "Give one of the types of this page",
            nearest=page.types,
        )
    instances = page.of_type(request.entity_type)
    if instances:
        return _on_page(page, instances)
    known = page.known_type(request.entity_type)
    if known is None:
        return no_such_type(page, request.entity_type)
    properties = page.ontology.properties_of(known)
    shown = tuple(PropertyShown(p.name, p.label, p.range, 0) for p in properties[:_MOST_PROPERTIES])
    return Properties(known, shown, len(properties) - len(shown))


def _on_page(page: GraphPage, instances: tuple[Instance, ...]) -> Properties:
    type_ = instances[0].type
    counts = Counter(name for i in instances for name in i.valued)
    labels = page.properties(instances)
    ranges = {p.name: p.range for p in page.ontology.properties_of(type_)}
    shown = tuple(
        PropertyShown(name, label, ranges.get(name, "xsd:decimal"), counts[name]) for name, label in labels.items()
    )
    return Properties(type_, shown, len(ranges.keys() - labels.keys()))
