"""`query_kg`: one value of one instance, or what stands in the way of it.

Owns the filters. They are compared with properties (year, period, entity, ...), never with a part of a node's name,
and what several cells match is refused with all of them named.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from quaestor.core.answer_value import json_number
from quaestor.core.periods import Period, parse_period
from quaestor.core.provenance import CellRef
from quaestor.graph.facts import Heading, Observation, TextCell, period_code
from quaestor.solvers.tools.messages import QueryKg, Refusal, RefusedCandidate, Retrieved, Scalar
from quaestor.solvers.tools.page import Fact, GraphPage, Instance, folded, nearest
from quaestor.solvers.tools.plan_builder import PlanBuilder

_INSTANCE_KEYS: Mapping[str, Callable[[Instance, Scalar], bool]] = {
    "year": lambda instance, value: instance.year is not None and _year(value) == instance.year,
    "period": lambda instance, value: instance.period is not None and _is_period(str(value), instance.period),
    "entity": lambda instance, value: _is_heading(str(value), instance.heading),
    "instance": lambda instance, value: folded(str(value)) == folded(instance.name),
    "table": lambda instance, value: str(value) == str(instance.table),
}
_CELL_KEYS = ("row", "column", "order")
KEYS = (*_INSTANCE_KEYS, *_CELL_KEYS)
"""The filters that every instance has."""

_MOST_NAMED = 12


def query_kg(page: GraphPage, draft: PlanBuilder, request: QueryKg) -> Retrieved | Refusal:
    """Returns the one value that type, filters and property single out, and adds a step that takes it.

    Args:
        page: The page.
        draft: The plan of the turn, which the step is added to.
        request: The arguments.
    """
    instances = page.of_type(request.entity_type)
    known = page.properties(instances)
    property_ = page.property_named(request.property, known)
    filters = request.filters or {}
    if not instances:
        return no_such_type(page, request.entity_type)
    if property_ is None:
        return _no_such_property(page, request, known)
    if unknown := [key for key in filters if key not in KEYS and page.property_named(key, known) is None]:
        return _unknown_filter(unknown[0], known)
    matching = [i for i in instances if all(_fits(page, i, key, value) for key, value in filters.items())]
    cells = {key: value for key, value in filters.items() if key in _CELL_KEYS}
    facts = [f for i in matching for f in i.facts if f.predicate == property_ and _cell_fits(f, cells)]
    if len(facts) > 1:
        return _ambiguous(property_, facts, {i.name: i for i in matching}, filters)
    if not facts:
        return _nothing(property_, instances, matching, filters)
    return _retrieved(facts[0], draft, f"{request.entity_type} {_shown(filters)} {request.property}")


def no_such_type(page: GraphPage, name: str) -> Refusal:
    """Returns what to say where the page has no instance of a type."""
    known = page.known_type(name)
    return Refusal(
        f"No instances of type '{name[:100]}' found in knowledge graph"
        + (f"; the ontology knows {known}, but this page has no table of it" if known else ""),
        "Use list_entities to see available entity types; this page has " + (", ".join(page.types) or "none"),
        nearest=page.types if known else nearest(name, (*page.types, *(c.name for c in page.ontology.classes))),
    )


def _unknown_filter(key: str, known: Mapping[str, str]) -> Refusal:
    return Refusal(
        f"Unknown filter '{key[:100]}'",
        f"Filter by {', '.join(KEYS)}, or by a property of the instance",
        nearest=nearest(key, (*KEYS, *known)),
    )


def _fits(page: GraphPage, instance: Instance, key: str, value: Scalar) -> bool:
    """Whether an instance has a property with a value; keys of single cells fit where any cell does."""
    if key in _CELL_KEYS:
        return any(_cell_fits(fact, {key: value}) for fact in instance.facts)
    if key in _INSTANCE_KEYS:
        return _INSTANCE_KEYS[key](instance, value)
    name = page.property_named(key, page.properties((instance,)))
    return any(fact.predicate == name and _prints(fact, value) for fact in instance.facts)


def _cell_fits(fact: Fact, filters: Mapping[str, Scalar]) -> bool:
    for key, value in filters.items():
        if key == "order":
            if str(value) != str(fact.order if isinstance(fact, Observation) else 0):
                return False
            continue
        heading, place = (fact.row, fact.source.row) if key == "row" else (fact.column, fact.source.column)
        if not (value == place if isinstance(value, int) else _is_heading(str(value), heading)):
            return False
    return True


def _year(value: Scalar) -> int | None:
    text = str(value).strip()
    if text.isdecimal() and len(text) == 4:
        return int(text)
    period = parse_period(text)
    return None if period is None else period.last or period.year


def _is_period(text: str, period: Period) -> bool:
    return text.strip().casefold() == period_code(period).casefold() or parse_period(text) == period


def _is_heading(text: str, heading: Heading) -> bool:
    wanted = folded(text)
    names = (heading.label, *heading.levels, " ".join(heading.levels))
    return any(wanted == folded(name) for name in names if name)


def _prints(fact: Fact, value: Scalar) -> bool:
    if isinstance(fact, TextCell):
        return not fact.empty and folded(fact.text) == folded(str(value))
    try:
        return Decimal(str(value)) in (fact.quantity.value, fact.quantity.number)
    except InvalidOperation:
        return fact.quantity.text.strip() == str(value).strip()


def _nothing(
    property_: str, instances: Sequence[Instance], matching: Sequence[Instance], filters: Mapping[str, Scalar]
) -> Refusal:
    """Returns what to say where no instance fits the filters, or none of those that fit has the property."""
    if not matching:
        return Refusal(
            f"No instance found matching filters: {_shown(filters)}",
            "Try different filter values: year and period are those of the instance, entity is its row or column",
            available_instances=_names(instances),
        )
    return Refusal(
        f"Property '{property_}' not found on instance '{matching[0].name}' with the filters {_shown(filters)}",
        "The instances below have it: choose one by its filters",
        available_instances=_names([i for i in instances if property_ in i.valued]),
    )


def _no_such_property(page: GraphPage, request: QueryKg, known: Mapping[str, str]) -> Refusal:
    labels = {label: name for name, label in known.items() if label}
    near = dict.fromkeys(labels.get(found, found) for found in nearest(request.property, (*known, *labels), 6))
    elsewhere = next(
        (
            f"; instances of {type_} have it"
            for type_ in page.types
            if page.property_named(request.property, page.properties(page.of_type(type_))) is not None
        ),
        "",
    )
    return Refusal(
        f"Property '{request.property[:100]}' not found on instances of '{request.entity_type}'{elsewhere}",
        "Property may not exist or have a different name: use introspect_ontology with get_properties, "
        "or find_in_text where the number stands in a sentence",
        nearest=tuple(near)[:3],
    )


def _ambiguous(
    property_: str, facts: Sequence[Fact], instances: Mapping[str, Instance], filters: Mapping[str, Scalar]
) -> Refusal:
    traits = [_traits(fact, instances[fact.instance]) for fact in facts]
    telling = _telling(traits)
    candidates = [
        RefusedCandidate(
            fact.instance,
            _print(fact),
            _label(fact),
            {**filters, **{key: trait[key] for key in telling if trait[key] is not None}},
            fact.source,
        )
        for fact, trait in zip(facts, traits, strict=True)
    ]
    return Refusal(
        f"{len(facts)} values match '{property_}'" + (f" with the filters {_shown(filters)}" if filters else ""),
        "Give filters that single out one of the candidates; each candidate has such filters",
        available_instances=tuple(dict.fromkeys(fact.instance for fact in facts))[:_MOST_NAMED],
        candidates=tuple(candidates[:_MOST_NAMED]),
    )


def _print(fact: Fact) -> str:
    if isinstance(fact, Observation):
        return fact.quantity.text
    return f"empty ({fact.why_empty})" if fact.empty else fact.text


def _traits(fact: Fact, instance: Instance) -> dict[str, Scalar]:
    """Returns the value of every filter that a cell fits, the most telling first."""
    return {
        "year": "" if instance.year is None else str(instance.year),
        "period": "" if instance.period is None else period_code(instance.period),
        "entity": instance.entity or "",
        "instance": instance.name,
        "row": fact.source.row,
        "column": fact.source.column,
        "order": fact.order if isinstance(fact, Observation) else 0,
    }


def _telling(traits: Sequence[Mapping[str, Scalar]]) -> tuple[str, ...]:
    """Returns the fewest filters, taken in order, by which all are told apart."""
    chosen: list[str] = []
    apart = 1
    for key in traits[0]:
        if any(trait[key] == "" for trait in traits):
            continue
        reached = len({tuple(trait[k] for k in (*chosen, key)) for trait in traits})
        if reached > apart:
            chosen.append(key)
            apart = reached
    return tuple(chosen)


def _no_number(fact: TextCell) -> Refusal:
    prints = f"is empty ({fact.why_empty})" if fact.empty else f"prints {fact.text!r} and no number"
    return Refusal(
        f"The cell {_label(fact)} {prints}",
        "Nothing was reported there: choose another year or property, or say that the page gives no number",
        available_instances=(fact.instance,),
    )


def _retrieved(fact: Fact, draft: PlanBuilder, query: str) -> Retrieved | Refusal:
    if isinstance(fact, TextCell):
        return _no_number(fact)
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
        step=draft.extract(fact, query),
    )


def _label(fact: Fact) -> str:
    if isinstance(fact, Observation):
        return fact.label or _where(fact.source)
    return ", ".join(part for part in (fact.row.label, fact.column.label) if part) or _where(fact.source)


def _where(ref: CellRef) -> str:
    return f"table {ref.table}, row {ref.row}, column {ref.column}"


def _names(instances: Sequence[Instance]) -> tuple[str, ...]:
    return tuple(instance.name for instance in instances)[:_MOST_NAMED]


def _shown(filters: Mapping[str, Scalar]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in filters.items()) or "none"
