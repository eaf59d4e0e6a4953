"""Metric types and rules of the core: complete definitions, worked calculations, and applicable rules."""

import re
from decimal import Decimal

import pytest
from values import plain

from quaestor.ontology.core import MetricType, core_triples, read_core
from quaestor.plan.execute import execute
from quaestor.plan.operations import ARITHMETIC, OPERATIONS
from quaestor.plan.steps import Compute, Constant, Plan
from quaestor.questions.metric_types import matching_patterns

CORE = read_core()
METRICS = list(CORE.metric_types.values())


def individuals(kind: str) -> set[str]:
    return {triple.s for triple in core_triples() if triple.p == "rdf:type" and triple.o == kind}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_metric_type_has_the_requirements_of_its_operation(metric: MetricType) -> None:
    operation = OPERATIONS[metric.operation]
    assert metric.text.endswith(".")
    assert metric.label in metric.nouns
    assert operation.arity == ((2, 64) if metric.many else (len(metric.operands),) * 2)
    assert set(metric.also_by) <= OPERATIONS.keys()
    assert set(metric.broader) <= CORE.metric_types.keys() - {metric.name}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_worked_calculations_of_metric_types_are_correct(metric: MetricType) -> None:
    assert metric.worked
    for line in metric.worked:
        found = re.fullmatch(r"(\w+)\(([\d., ]+)\) = (\S+)", line)
        assert found
        assert found[1] == metric.operation
        operands = tuple(Constant(Decimal(number), number) for number in found[2].split(", "))
        value = plain(execute(Plan((Compute(1, found[1], operands),))).result.value)
        assert value == (found[3] == "yes" if isinstance(value, bool) else Decimal(found[3]))


def test_every_operation_on_numbers_gives_one_metric_type() -> None:
    pairs = [(operation, metric.name) for metric in METRICS for operation in (metric.operation, *metric.also_by)]
    assert len(pairs) == len(dict(pairs))
    assert dict(pairs) == {name: OPERATIONS[name].metric for name in ARITHMETIC}


def test_metric_kinds_are_acyclic() -> None:
    def ancestors(name: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
        assert name not in seen
        broader = CORE.metric_types[name].broader
        return frozenset(broader).union(*(ancestors(other, seen | {name}) for other in broader))

    assert ancestors("percentage_change") == {"change", "percentage", "ratio"}
    assert all(ancestors(metric.name) is not None for metric in METRICS)


def test_every_line_of_the_rules_file_is_parsed() -> None:
    assert len(individuals("kg:MetricType")) == len(METRICS)
    assert individuals("kg:QuestionPattern") == {pattern.name for pattern in CORE.patterns}
    kinds = ("kg:CalculationRule", "kg:TransformationRule", "kg:ReadingRule", "kg:ScaleRule")
    assert set().union(*map(individuals, kinds)) == {rule.name for rule in CORE.rules}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how much does this change represent in relation to the rent of 2004?", "ChangeOverBase"),
        ("what is the net change divided by the 2008 value?", "ChangeOverBase"),
        ("what was the opening balance in 2010?", "Balance"),
        ("and in the year before?", "AskedAgain"),
        ("what would the rent be if it had grown by 5 %?", "Supposed"),
        ("what was the magnitude of the loss?", "Magnitude"),
    ],
)
def test_question_selects_its_rule(question: str, expected: str) -> None:
    assert f"kg:Rule{expected}" in {pattern.rule for pattern in matching_patterns(question)}
