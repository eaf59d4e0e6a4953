from pathlib import Path

import pytest

from quaestor.errors import SettingsError
from quaestor.settings import Settings, load_settings


def test_defaults(tmp_path: Path) -> None:
    settings = load_settings(environment={}, folder=tmp_path)
    assert settings == Settings()
    assert settings.store == ".quaestor/runs.db"
    assert settings.concurrency(asks=False) >= 1
    assert settings.concurrency(asks=True) > 1


def test_precedence_is_flag_environment_file_default(tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").write_text('store = "file.db"\nseed = 1\nworkers = 2\n')
    environment = {"QUAESTOR_SEED": "3", "QUAESTOR_WORKERS": "4", "QUAESTOR_OTHER": "x"}
    flags = {"workers": 6, "seed": None}
    settings = load_settings(flags, environment=environment, folder=tmp_path)
    assert settings == Settings(store="file.db", solver="embedded", workers=6, seed=3)


def test_the_process_environment_is_read_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUAESTOR_STORE", "elsewhere.db")
    monkeypatch.chdir(tmp_path)
    assert load_settings().store == "elsewhere.db"


def test_number_of_workers_applies_to_every_solver() -> None:
    settings = Settings(workers=3)
    assert settings.concurrency(asks=False) == settings.concurrency(asks=True) == 3


def test_a_model_and_its_budget(tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").write_text('model = "mine"\nmax_cost = 2\ntracing = true\n')
    environment = {"QUAESTOR_MAX_COST": "2.5", "QUAESTOR_MAX_TOKENS": "1000", "QUAESTOR_TRACING": "0"}
    settings = load_settings({"max_requests": 7}, environment=environment, folder=tmp_path)
    assert (settings.model, settings.max_requests, settings.max_tokens) == ("mine", 7, 1000)
    assert (settings.max_cost, settings.tracing) == (2.5, False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("MAX_COST", "much"),
        ("MAX_COST", "nan"),
        ("MAX_COST", "-1"),
        ("MAX_TOKENS", "0"),
        ("TRACING", "perhaps"),
    ],
)
def test_invalid_budget_is_reported(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(SettingsError):
        load_settings(environment={f"QUAESTOR_{name}": text}, folder=tmp_path)


def test_limits_of_serve_are_settings(tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").write_text("serve_upload_mb = 5\nserve_questions = 7\n")
    environment = {"QUAESTOR_SERVE_REQUESTS_PER_MINUTE": "0", "QUAESTOR_SERVE_QUESTIONS": "8"}
    settings = load_settings({"serve_request_kb": 9}, environment=environment, folder=tmp_path)
    assert (settings.serve_upload_mb, settings.serve_request_kb, settings.serve_questions) == (5, 9, 8)
    assert settings.serve_requests_per_minute == 0
    with pytest.raises(SettingsError):
        load_settings(environment={"QUAESTOR_SERVE_CONVERSATIONS": "0"}, folder=tmp_path)


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    assert load_settings(environment={"QUAESTOR_STORE": ""}, folder=tmp_path).store == Settings().store


@pytest.mark.parametrize(
    "text",
    [
        "store = ",
        "wrokers = 2",
        "zzz = 2",
        "workers = true",
        "workers = 1.5",
        'workers = "2"',
        "workers = 0",
        "seed = -1",
        "store = 3",
        'solver = ""',
        "[store]\nuri = 1",
        "max_cost = 1" + "0" * 400,
        "max_cost = 1" + "0" * 5000,
        "store = " + "[" * 5000,
    ],
)
def test_invalid_file_gives_a_one_line_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "quaestor.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        load_settings(environment={}, folder=tmp_path)
    assert "\n" not in str(caught.value)


def test_tables_of_models_and_prices_are_passed_on_unchanged(tmp_path: Path) -> None:
    text = 'seed = 4\n[models.lab]\nbase_url = "http://10.0.0.2/v1"\ntools = false\n[prices."a:b"]\ninput = 0.5\n'
    (tmp_path / "quaestor.toml").write_text(text)
    settings = load_settings(environment={}, folder=tmp_path)
    assert settings.seed == 4
    assert settings.models == {"lab": {"base_url": "http://10.0.0.2/v1", "tools": False}}
    assert settings.prices == {"a:b": {"input": 0.5}}


@pytest.mark.parametrize("text", ["models = 3", 'models = ["x"]', "[models]\nlab = 3", "[prices]\ninput = 0.5"])
def test_invalid_tables_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "quaestor.toml").write_text(text)
    with pytest.raises(SettingsError):
        load_settings(environment={}, folder=tmp_path)


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError):
        load_settings(environment={}, folder=tmp_path)


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "quaestor.toml").mkdir()
    with pytest.raises(SettingsError):
        load_settings(environment={}, folder=tmp_path)


@pytest.mark.parametrize("text", ["many", "1.5", "-3", "--3", "\x1c3", "²", "9" * 5000])
def test_invalid_variable_is_reported(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="QUAESTOR_WORKERS"):
        load_settings(environment={"QUAESTOR_WORKERS": text}, folder=tmp_path)


def test_invalid_flag_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        load_settings({"workers": 0}, environment={}, folder=tmp_path)
