"""Tools that read the tables. `query_kg`: one value of one instance, or the cells of a row, a column or several years.

Cells are selected by properties (year, period, entity, ...), never by a part of a node's name. If several cells match
where one was asked for, all are listed with their steps, and none is chosen. `list_entities` and `introspect_ontology`
list what is available, and add no step to the plan.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from quaestor.core.answer_value import json_number
from quaestor.core.periods import parse_period
from quaestor.documents.timing import names_change
from quaestor.graph.facts import Heading, Observation, TextCell, period_code
from quaestor.ontology.terms import ROOT_CLASS
from quaestor.solvers.tools.messages import (
    EmptyCell,
    Entities,
    Entity,
    IntrospectOntology,
    ListEntities,
    Properties,
    PropertyShown,
    QueryKg,
    Refusal,
    RefusedCandidate,
    Retrieved,
    Scalar,
    SeveralRetrieved,
    Types,
)
from quaestor.solvers.tools.page import Fact, GraphPage, Instance, nearest, normalize_name
from quaestor.solvers.tools.plan_builder import PlanBuilder

_INSTANCE_KEYS: Mapping[str, Callable[[Instance, Scalar], bool]] = {
    "year": lambda instance, value: instance.year is not None and _year(value) == instance.year,
    "period": lambda instance, value: (
        instance.period is not None
        and (
            str(value).strip().casefold() == period_code(instance.period).casefold()
            or parse_period(str(value)) == instance.period
        )
    ),
    "entity": lambda instance, value: _is_called(str(value), instance),
    "instance": lambda instance, value: (
        normalize_name(str(value)) in (normalize_name(instance.name), normalize_name(instance.short))
    ),
    "table": lambda instance, value: str(value) == str(instance.table),
}
_CELL_KEYS = ("row", "column", "order")
KEYS = (*_INSTANCE_KEYS, *_CELL_KEYS)
"""Filters available for every instance."""

_OTHER_NAMES: Mapping[str, str] = {
    "years": "year", "fiscal_year": "year", "fiscalyear": "year", "date": "period", "periods": "period",
    "quarter": "period", "label": "entity", "name": "entity", "line": "entity", "item": "entity",
}  # fmt: skip
"""Alternative names of filters used by models."""

_TIMES = frozenset({"year", "period", "table"})
_MOST_NAMED = 12
_MOST_READ = 40
_MOST_PROPERTIES = 60
Filters = Mapping[str, Scalar | list[Scalar]]


def query_kg(page: GraphPage, draft: PlanBuilder, request: QueryKg) -> Retrieved | SeveralRetrieved | Refusal:
    """Return the cells selected by type, filters and property, with a step for each.

    Without a property all matching cells are returned; with a list in a filter, one or more for each of its values.
    """
    type_ = ROOT_CLASS if request.entity_type is None else request.entity_type
    instances = page.of_type(type_)
    known = page.properties(instances)
    property_ = page.property_named(request.property, known) if request.property is not None else None
    filters = {_filter_of(key, known, page): value for key, value in (request.filters or {}).items()}
    if refusal := _unreadable(page, request, type_, known, filters):
        return refusal
    matching = [i for i in instances if all(_fits(page, i, key, value) for key, value in filters.items())]
    cells = {key: value for key, value in filters.items() if key in _CELL_KEYS}
    fitting = [f for i in matching for f in i.facts if property_ in (None, f.predicate) and _cell_fits(f, cells)]
    facts = [page.graph.zeros.get(fact.source, fact) for fact in fitting]
    words = f"{type_} {_filter_words(filters)} {request.property or ''}".strip()
    if not filters.keys() - _TIMES:
        facts = [fact for fact in facts if not any(map(names_change, fact.column.levels))] or facts
    if not facts:
        return _refuse_filters(property_, instances, matching, filters)
    if len(facts) == 1 or (property_ is not None and len({_amount(fact) for fact in facts}) == 1):
        return _retrieve(facts[0], draft, words)
    if property_ is None or any(isinstance(value, list) for value in filters.values()):
        listed = [(key, values) for key, values in filters.items() if isinstance(values, list)]
        by_name = {instance.name: instance for instance in matching}
        facts.sort(key=lambda f: [_place_of(page, by_name[f.instance], f, key, values) for key, values in listed])
        return _several(facts, draft, words)
    return _ambiguous(property_, facts, {i.name: i for i in matching}, filters, draft)


def _unreadable(
    page: GraphPage, request: QueryKg, type_: str, known: Mapping[str, str], filters: Filters
) -> Refusal | None:
    """Return a refusal of unknown names in a query; None if all are known."""
    if not known:
        return refuse_type(page, type_)
    if request.property is not None and page.property_named(request.property, known) is None:
        return _refuse_property(page, request.property, type_, known)
    if request.property is None and not filters:
        return Refusal("query_kg needs a property or filters", "Name a property, or filters such as row or year")
    unknown = [key for key in filters if key not in KEYS and page.property_named(key, known) is None]
    if not unknown:
        return None
    return Refusal(
        f"Unknown filter '{unknown[0][:100]}'",
        f"Filter by {', '.join(KEYS)}, or by a property of the instance",
        nearest=nearest(unknown[0], (*KEYS, *known)),
    )


def _filter_of(key: str, known: Mapping[str, str], page: GraphPage) -> str:
    """Resolve the name of a filter; a property of the page takes precedence over an alternative name."""
    if key in KEYS or page.property_named(key, known) is not None:
        return key
    return _OTHER_NAMES.get(key.strip().casefold().replace(" ", "_"), key)


def refuse_type(page: GraphPage, name: str) -> Refusal:
    """Return the refusal of a type without instances on the page."""
    known = page.known_type(name)
    return Refusal(
        f"No instances of type '{name[:100]}' found in knowledge graph"
        + (f"; the ontology knows {known}, but this page has no table of it" if known else ""),
        "Use list_entities to see available entity types; this page has " + (", ".join(page.types) or "none"),
        nearest=page.types if known else nearest(name, (*page.types, *(c.name for c in page.ontology.classes))),
    )


def _fits(page: GraphPage, instance: Instance, key: str, value: Scalar | list[Scalar]) -> bool:
    """Return whether an instance has a property with one of some values; a cell filter matches if any cell does."""
    if isinstance(value, list):
        return any(_fits(page, instance, key, one) for one in value)
    if key in _CELL_KEYS:
        return any(_cell_fits(fact, {key: value}) for fact in instance.facts)
    if key in _INSTANCE_KEYS:
        return _INSTANCE_KEYS[key](instance, value)
    name = page.property_named(key, page.properties((instance,)))
    return any(fact.predicate == name and _prints(fact, value) for fact in instance.facts)


def _place_of(page: GraphPage, instance: Instance, fact: Fact, key: str, values: Sequence[Scalar]) -> int:
    """Return the index of the first requested value that a cell matches."""
    fits = (_cell_fits(fact, {key: v}) if key in _CELL_KEYS else _fits(page, instance, key, v) for v in values)
    return next((place for place, fit in enumerate(fits) if fit), len(values))


def _cell_fits(fact: Fact, filters: Filters) -> bool:
    return all(
        any(_is_at(fact, key, one) for one in (value if isinstance(value, list) else [value]))
        for key, value in filters.items()
    )


def _is_at(fact: Fact, key: str, value: Scalar) -> bool:
    if key == "order":
        return str(value) == str(fact.order if isinstance(fact, Observation) else 0)
    heading, place = (fact.row, fact.source.row) if key == "row" else (fact.column, fact.source.column)
    if isinstance(value, int):
        return value == place
    return _is_row(str(value), heading) if key == "row" else _is_heading(str(value), heading)


def _year(value: Scalar) -> int | None:
    text = str(value).strip()
    if text.isdecimal() and len(text) == 4:
        return int(text)
    period = parse_period(text)
    return None if period is None else period.last or period.year


def _amount(fact: Fact) -> object:
    """Return a key shared by cells that print the same amount of the same period; for text and gaps the cell itself."""
    if isinstance(fact, TextCell) or fact.period is None:
        return fact
    return fact.quantity.number, fact.counts.scale, fact.unit, fact.period, normalize_name(fact.row.label)


def _is_heading(text: str, heading: Heading) -> bool:
    wanted = normalize_name(text)
    names = (heading.label, *heading.levels, " ".join(heading.levels))
    return any(wanted == normalize_name(name) for name in names if name)


def _is_row(text: str, heading: Heading) -> bool:
    """Return whether a row has this name; the name of its section does not count."""
    return normalize_name(text) in {normalize_name(name) for name in (heading.label, " ".join(heading.levels)) if name}


def _is_called(text: str, instance: Instance) -> bool:
    of_row = instance.facts[0].row == instance.heading
    return _is_row(text, instance.heading) if of_row else _is_heading(text, instance.heading)


def _prints(fact: Fact, value: Scalar) -> bool:
    if isinstance(fact, TextCell):
        return not fact.empty and normalize_name(fact.text) == normalize_name(str(value))
    try:
        return Decimal(str(value)) in (fact.quantity.value, fact.quantity.number)
    except InvalidOperation:
        return fact.quantity.text.strip() == str(value).strip()


def _refuse_filters(
    property_: str | None, instances: Sequence[Instance], matching: Sequence[Instance], filters: Filters
) -> Refusal:
    """Return the refusal if no instance matches the filters, or none of those that match has the property."""
    wanted = {normalize_name(str(filters[key])) for key in ("row", "entity") if key in filters}
    below = dict.fromkeys(
        f.row.label for i in instances for f in i.facts if wanted & set(map(normalize_name, f.row.levels[:-1]))
    )
    if below:
        return Refusal(
            f"A heading has no numbers: {_filter_words(filters)}", "Name the rows below it", tuple(below)[:_MOST_NAMED]
        )
    if not matching or property_ is None:
        return Refusal(
            f"No instance found matching filters: {_filter_words(filters)}",
            "Try different filter values: year and period are those of the instance, entity is its row or column",
            available_instances=_names(instances),
        )
    return Refusal(
        f"Property '{property_}' not found on instance '{matching[0].name}' with the filters {_filter_words(filters)}",
        "The instances below have it: choose one by its filters",
        available_instances=_names([i for i in instances if property_ in i.valued]),
    )


def _refuse_property(page: GraphPage, name: str, entity_type: str, known: Mapping[str, str]) -> Refusal:
    labels = {label: name for name, label in known.items() if label}
    near = dict.fromkeys(labels.get(found, found) for found in nearest(name, (*known, *labels), 6))
    elsewhere = next(
        (
            f"; instances of {type_} have it"
            for type_ in page.types
            if page.property_named(name, page.properties(page.of_type(type_))) is not None
        ),
        "",
    )
    return Refusal(
        f"Property '{name[:100]}' not found on instances of '{entity_type[:100]}'{elsewhere}",
        "The property may not exist or may have a different name: use introspect_ontology with get_properties, "
        "or find_in_text if the number is in a sentence",
        nearest=tuple(near)[:3],
    )


def _ambiguous(
    property_: str, facts: Sequence[Fact], instances: Mapping[str, Instance], filters: Filters, draft: PlanBuilder
) -> Refusal:
    traits = [_traits(fact, instances[fact.instance]) for fact in facts]
    telling = _select_distinguishing_filters(traits)
    candidates = [
        RefusedCandidate(
            fact.instance,
            _print(fact),
            _label(fact),
            {**filters, **{key: trait[key] for key in telling if trait[key] is not None}},
            fact.source,
            None if isinstance(fact, TextCell) and fact.empty else draft.show(fact, property_),
        )
        for fact, trait in zip(facts[:_MOST_NAMED], traits, strict=False)
    ]
    return Refusal(
        f"{len(facts)} values match '{property_}'" + (f" with the filters {_filter_words(filters)}" if filters else ""),
        "Name one of the candidates by its step, or give filters that single it out; each candidate has such filters",
        available_instances=tuple(dict.fromkeys(fact.instance for fact in facts))[:_MOST_NAMED],
        candidates=tuple(candidates),
    )


def _several(facts: Sequence[Fact], draft: PlanBuilder, words: str) -> SeveralRetrieved:
    shown: list[Retrieved | EmptyCell] = []
    for fact in facts[:_MOST_READ]:
        if isinstance(fact, TextCell) and fact.empty:
            shown.append(EmptyCell(fact.instance, fact.predicate, _label(fact), f"empty ({fact.why_empty})"))
        else:
            shown.append(_as_retrieved(fact, draft.show(fact, words)))
    return SeveralRetrieved(len(facts), tuple(shown))


def _print(fact: Fact) -> str:
    if isinstance(fact, Observation):
        return fact.quantity.text
    return f"empty ({fact.why_empty})" if fact.empty else fact.text


def _traits(fact: Fact, instance: Instance) -> dict[str, Scalar]:
    """Return the value of every filter that a cell matches, most distinctive first."""
    return {
        "year": "" if instance.year is None else str(instance.year),
        "period": "" if instance.period is None else period_code(instance.period),
        "entity": instance.entity or "",
        "instance": instance.name,
        "row": fact.source.row,
        "column": fact.source.column,
        "order": fact.order if isinstance(fact, Observation) else 0,
    }


def _select_distinguishing_filters(traits: Sequence[Mapping[str, Scalar]]) -> tuple[str, ...]:
    """Return the fewest filters, taken in order, that distinguish all cells."""
    chosen: list[str] = []
    distinct = 1
    for key in traits[0]:
        if any(trait[key] == "" for trait in traits):
            continue
        reached = len({tuple(trait[k] for k in (*chosen, key)) for trait in traits})
        if reached > distinct:
            chosen.append(key)
            distinct = reached
    return tuple(chosen)


def _retrieve(fact: Fact, draft: PlanBuilder, query: str) -> Retrieved | Refusal:
    if isinstance(fact, TextCell) and fact.empty:
        return Refusal(
            f"The cell {_label(fact)} is empty ({fact.why_empty})",
            "Choose another year or property, or answer that the page has no number",
            available_instances=(fact.instance,),
        )
    return _as_retrieved(fact, draft.extract(fact, query))


def _as_retrieved(fact: Fact, step: int) -> Retrieved:
    if isinstance(fact, TextCell):
        return Retrieved(
            fact.instance, fact.predicate, fact.text, fact.text, None, None, None, None, _label(fact), fact.source, step
        )
    return Retrieved(
        instance=fact.instance,
        property=fact.predicate,
        value=json_number(fact.quantity.value),
        raw_value=fact.quantity.text,
        scale=fact.counts.scale_word,
        unit=fact.unit,
        year=fact.year,
        period=period_code(fact.period) if fact.period else None,
        label=fact.label,
        source=fact.source,
        step=step,
    )


def _label(fact: Fact) -> str:
    at = fact.source
    return fact.label or f"table {at.table}, row {at.row}, column {at.column}"


def _names(instances: Sequence[Instance]) -> tuple[str, ...]:
    return tuple(instance.name for instance in instances)[:_MOST_NAMED]


def _filter_words(filters: Filters) -> str:
    return ", ".join(f"{key} = {value}" for key, value in filters.items()) or "none"


def list_entities(page: GraphPage, _draft: PlanBuilder, request: ListEntities) -> Entities | Refusal:
    """List the instances of a type, or all."""
    instances = page.instances if request.entity_type is None else page.of_type(request.entity_type)
    if not instances and request.entity_type is not None:
        return refuse_type(page, request.entity_type)
    types = dict.fromkeys(instance.type for instance in instances)
    return Entities(
        entity_type=next(iter(types)) if len(types) == 1 else None,
        instances=tuple(instance.name for instance in instances),
        count=len(instances),
        entities=tuple(
            Entity(i.name, i.type, i.year, period_code(i.period) if i.period else None, i.entity, i.table)
            for i in instances
        ),
    )


def introspect_ontology(
    page: GraphPage, _draft: PlanBuilder, request: IntrospectOntology
) -> Types | Properties | Refusal:
    """List the types, or the properties of one."""
    if request.action == "list_types":
        others = (c.name for c in page.ontology.classes if c.name not in page.types)
        return Types(page.types, tuple(others))
    if request.entity_type is None:
        return Refusal("get_properties needs an entityType", "Give one of the types of this page", nearest=page.types)
    instances = page.of_type(request.entity_type)
    if instances:
        return _on_page(page, instances)
    known = page.known_type(request.entity_type)
    if known is None:
        return refuse_type(page, request.entity_type)
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
