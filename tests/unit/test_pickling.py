"""Errors and run settings are unchanged after transfer to another process."""

# ruff: noqa: S301 - only data pickled by the test itself is loaded

import copy
import importlib
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

import quaestor
from quaestor.errors import (
    BadLinesError,
    BudgetExceededError,
    BusyError,
    ClaimedError,
    ExecutionError,
    FormulaError,
    GapError,
    OperandError,
    PlanValidationError,
    ProgramError,
    QuaestorError,
    QuantityError,
    QueryError,
    QuestionTimeoutError,
    ReadingLimitError,
    RunStoppedError,
    SeveralPagesError,
    StoreError,
)
from quaestor.evaluation.spec import RunSpec
from quaestor.llm.budget import Budget, Meter, find_price
from quaestor.llm.naming import find_model
from quaestor.llm.session import ModelConfig
from quaestor.llm.usage import Usage
from quaestor.settings import Settings, load_settings
from quaestor.solvers.agent.spec import AgentLimits
from quaestor.solvers.embedded.spec import EmbeddedOptions
from quaestor.solvers.reflection.spec import ReflectionOptions
from quaestor.solvers.sparql.spec import SparqlLimits
from quaestor.solvers.workflow.spec import WorkflowLimits

ARGUMENTS: dict[type[QuaestorError], tuple[object, ...]] = {
    QuantityError: ("twelve and a half", "it has no digits", "page 3, row 2"),
    ProgramError: ("add(1, 2", 8, "add has no closing parenthesis"),
    FormulaError: ("a +", 3, "a value is missing"),
    PlanValidationError: (("step 1 refers to itself", "step 2 has no operand"),),
    BudgetExceededError: ("1,200 requests", "1,000 requests"),
    GapError: ("MRO/2007/page_134.pdf", ("row 3: 'other, net'", "row 9: 'all in all'")),
    QueryError: ("it has no SELECT", 7),
    ExecutionError: ("step 2 divides by zero", 2),
    RunStoppedError: ("interrupted", "20261122-041500"),
    SeveralPagesError: ("pages.json", 18),
    BusyError: ("too many questions wait", 7),
    ClaimedError: ("conversation c1 is being played", "ada"),
    BadLinesError: ("answers.jsonl", ("answers.jsonl:3: it has no turn",), 841),
    QuestionTimeoutError: (30.0,),
    ReadingLimitError: ("report.pdf", "read_seconds", "60 seconds"),
}
"""What the errors are made with that take facts; all others take a message."""


def _kinds(kind: type[QuaestorError]) -> Iterator[type[QuaestorError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _kinds(below)


@cache
def _all_kinds() -> list[type[QuaestorError]]:
    for module in pkgutil.walk_packages(quaestor.__path__, "quaestor."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return sorted(set(_kinds(QuaestorError)), key=lambda kind: kind.__name__)


@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        copy.deepcopy,
        *(lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol)) for protocol in range(2, 6)),
    ],
)
def test_errors_arrive_with_type_message_and_attributes(again: Callable[[QuaestorError], QuaestorError]) -> None:
    for kind in _all_kinds():
        error = kind(*ARGUMENTS.get(kind, ("what, where, what to do",)))
        error.add_note("seen while testing")

        arrived = again(error)

        assert type(arrived) is kind
        assert (str(arrived), repr(arrived), arrived.args) == (str(error), repr(error), error.args)
        assert vars(arrived) == vars(error)
        assert vars(arrived)["__notes__"] == ["seen while testing"]


def test_every_error_with_arguments_is_among_the_samples() -> None:
    with_facts = {kind for kind in _all_kinds() if "__init__" in vars(kind)}
    assert with_facts == set(ARGUMENTS)
    for kind in with_facts:
        assert vars(kind(*ARGUMENTS[kind])), f"{kind.__name__} takes facts and keeps none"


def test_an_error_of_the_system_keeps_its_number() -> None:
    arrived = pickle.loads(pickle.dumps(StoreError(28, "no space left on device")))
    assert (type(arrived), arrived.errno, arrived.strerror) == (StoreError, 28, "no space left on device")


def test_error_is_caught_as_its_builtin_base() -> None:
    with pytest.raises(ArithmeticError):
        raise pickle.loads(pickle.dumps(OperandError("cannot compute with a yes or no")))


def _settings(folder: Path) -> Settings:
    (folder / "quaestor.toml").write_text(
        "[models.mine]\nprovider = 'vllm'\nmodel = 'm'\nbase_url = 'http://127.0.0.1:1/v1'\n"
        "[prices.mine]\ninput = 1\noutput = 2.5\n[solvers.agent]\niterations = 3\n"
    )
    return load_settings({"max_cost": 1.5}, environment={}, folder=folder)


@pytest.mark.parametrize("name", ["anthropic:claude-sonnet-4-5", "openai:gpt-4o", "ollama:qwen3:8b"])
def test_model_configuration_survives_pickling(name: str) -> None:
    spec = find_model(name)
    config = ModelConfig(
        spec, Budget(10, 20, Decimal("0.5")), find_price(spec), roles={"critic": spec}, prices={name: find_price(spec)}
    )

    arrived = pickle.loads(pickle.dumps(config))

    assert (arrived.spec, arrived.budget, arrived.roles) == (config.spec, config.budget, config.roles)
    assert arrived.fingerprint == config.fingerprint
    used = Usage(requests=1, input_tokens=1000, output_tokens=1000)
    assert arrived.price is not None
    assert config.price is not None
    assert arrived.price(used) == config.price(used)
    assert arrived.prices[name](used) == config.prices[name](used)
    assert Meter(Budget(1), arrived.price).total == Usage()


def test_price_from_a_file_survives_pickling(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    price = find_price(find_model("mine", settings.models), settings.prices)
    used = Usage(requests=1, input_tokens=1_000_000, output_tokens=2_000_000)
    assert pickle.loads(pickle.dumps(price))(used) == price(used) == Decimal(6)


def test_run_setup_survives_pickling(tmp_path: Path) -> None:
    spec = RunSpec("workflow", "train.json", "0" * 64, {"attempts": 3, "model": "m"}, 20, "1" * 64, "extend", {"a": 1})
    for value in (
        spec,
        _settings(tmp_path),
        Settings(),
        AgentLimits(),
        EmbeddedOptions(),
        ReflectionOptions(),
        SparqlLimits(),
        WorkflowLimits(),
    ):
        assert pickle.loads(pickle.dumps(value)) == value
    assert pickle.loads(pickle.dumps(spec)).digest == spec.digest
