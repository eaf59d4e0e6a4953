from pathlib import Path

from web_api import program


def test_available_solvers_are_listed_without_keys_or_addresses(tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").write_text('[models.local]\nname = "openai:small@http://127.0.0.1:9/v1"\n')
    with program(tmp_path) as api:
        listed = api.get("/solvers")["items"]
    assert (listed[0]["id"], listed[0]["asks_model"]) == ("default", False)
    assert {one["id"] for one in listed if one["asks_model"]} >= {"agent-1", "workflow-1"}
    assert "127.0.0.1" not in str(listed)
