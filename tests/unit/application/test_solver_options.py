"""Solver options from the settings, the caller and the dataset."""

from pathlib import Path

import pytest
from pydantic import JsonValue
from tatqa_pages import write_tatqa

from quaestor.application.ask_service import AskRequest
from quaestor.application.choices import DEFAULT, answerers, find_answerer
from quaestor.application.resolve import dataset_path
from quaestor.application.solver_options import (
    SolverOverrides,
    dataset_options,
    interactive_options,
    run_options,
    solver_options,
)
from quaestor.datasets.formats import read_dataset
from quaestor.settings import Settings, load_settings
from quaestor.solvers.registry import solver_spec


def test_a_dataset_of_numbers_alone_changes_nothing() -> None:
    sample = read_dataset(dataset_path("sample"))
    assert sample.answers == "numbers"
    assert dataset_options(load_settings(), sample) == {}


def test_other_datasets_ask_for_all_kinds_of_answers(tmp_path: Path) -> None:
    pages = read_dataset(write_tatqa(tmp_path))
    assert dataset_options(load_settings(), pages) == {"answers": "all"}
    assert dataset_options(load_settings({"solver": "workflow"}), pages) == dict(
        solver_spec("workflow").benchmark_defaults
    )


def interactive(solver: str, **options: JsonValue) -> dict[str, JsonValue]:
    return interactive_options(load_settings({"solver": solver}), SolverOverrides(options))


def test_inner_solver_answers_in_all_kinds_unless_options_differ() -> None:
    assert interactive("reflection", expert="embedded")["expert_options"] == {"answers": "all"}
    options: dict[str, JsonValue] = {"answers": "numbers", "beam": 2}
    assert interactive("reflection", expert="embedded", expert_options=options)["expert_options"] == options
    assert "expert_options" not in interactive("reflection", expert="model")
    assert interactive("embedded", decline=False) == {"answers": "all", "decline": False}


@pytest.mark.parametrize("solver", ["agent", "workflow", "sparql", "reflection"])
def test_model_solvers_always_answer_datasets_by_default(solver: str) -> None:
    settings, sample = load_settings({"solver": solver}), read_dataset(dataset_path("sample"))
    chosen = [run_options(settings, SolverOverrides(options), sample) for options in ({}, {"always_answer": False})]
    assert [options["always_answer"] for options in chosen] == [True, False]
    assert "always_answer" not in solver_options(settings)
    inside = run_options(
        load_settings({"solver": "cascade"}), SolverOverrides({"stages": f"embedded,{solver}"}), sample
    )
    assert inside["stages_options"] == {solver: {"always_answer": True}}


KEY = "sk-this-is-a-key"


def test_the_default_is_first_and_solvers_without_a_model_follow() -> None:
    found = answerers(AskRequest(Settings()))
    assert (found[0].id, found[0].name, found[0].asks_model) == (DEFAULT, "embedded", False)
    assert all(not one.asks_model for one in found)
    assert len({one.name for one in found}) == len(found)


def test_each_model_solver_is_listed_with_each_model() -> None:
    settings = Settings(model="openai:gpt@http://user:secret@models.example/v1", models={"ours": {"api_key": KEY}})
    found = answerers(AskRequest(settings))
    names = [one.name for one in found]
    assert "agent · openai:gpt" in names
    assert "agent · ours" in names
    assert not [one for one in found if "secret" in one.name or KEY in f"{one.id}{one.name}{one.summary}"]
    agent = find_answerer(AskRequest(settings), next(one.id for one in found if one.name == "agent · ours"))
    assert (agent.request.settings.solver, agent.request.settings.model) == ("agent", "ours")
    assert agent.asks_model
    assert agent.request.model_named


def test_options_of_the_default_solver_are_its_own() -> None:
    from quaestor.application.solver_options import NO_OVERRIDES, SolverOverrides

    asking = AskRequest(Settings(model="ours"), SolverOverrides({"abstain_below": 0.5}))
    first, *others = answerers(asking)
    assert first.request.overrides == asking.overrides
    assert all(one.request.overrides == NO_OVERRIDES for one in others)
