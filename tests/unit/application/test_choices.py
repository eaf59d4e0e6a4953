from quaestor.application.ask_service import AskRequest
from quaestor.application.choices import DEFAULT, answerers, find_answerer
from quaestor.settings import Settings

KEY = "sk-this-is-a-key"


def test_the_default_is_first_and_solvers_without_a_model_follow() -> None:
    found = answerers(AskRequest(Settings()))
    assert (found[0].id, found[0].name, found[0].asks) == (DEFAULT, "embedded", False)
    assert all(not one.asks for one in found)
    assert len({one.name for one in found}) == len(found)


def test_each_solver_that_asks_a_model_is_there_with_each_model() -> None:
    settings = Settings(model="openai:gpt@http://user:secret@models.example/v1", models={"ours": {"api_key": KEY}})
    found = answerers(AskRequest(settings))
    names = [one.name for one in found]
    assert "agent · openai:gpt" in names
    assert "agent · ours" in names
    assert not [one for one in found if "secret" in one.name or KEY in f"{one.id}{one.name}{one.summary}"]
    agent = find_answerer(AskRequest(settings), next(one.id for one in found if one.name == "agent · ours"))
    assert (agent.request.settings.solver, agent.request.settings.model) == ("agent", "ours")
    assert agent.asks
    assert agent.request.model_named


def test_options_of_the_default_solver_are_its_own() -> None:
    from quaestor.application.solver_options import NO_OVERRIDES, SolverOverrides

    asking = AskRequest(Settings(model="ours"), SolverOverrides({"abstain_below": 0.5}))
    first, *others = answerers(asking)
    assert first.request.overrides == asking.overrides
    assert all(one.request.overrides == NO_OVERRIDES for one in others)
