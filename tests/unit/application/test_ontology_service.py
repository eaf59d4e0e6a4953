import asyncio
import tomllib
from pathlib import Path

import pytest
from toolboxes import sample_pages

from quaestor.application.ontology_service import list_ontologies, use_ontology
from quaestor.errors import InputError, OntologyError, SettingsError, StoreError
from quaestor.ontology.builder import build_ontology
from quaestor.settings import FILE, Settings, load_settings
from quaestor.store.base import open_store

ONTOLOGY = build_ontology(sample_pages().values())


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.chdir(tmp_path)
    uri = str(tmp_path / "runs.db")

    async def fill() -> None:
        async with open_store(uri) as store:
            await store.save_ontology(ONTOLOGY.digest, ONTOLOGY.triples)

    asyncio.run(fill())
    return Settings(store=uri)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'ontology = "{}"\n'),
        ("# mine\nworkers = 2\n", '# mine\nworkers = 2\nontology = "{}"\n'),
        ('ontology = "old.ttl"  # the old one\nseed = 1\n', 'ontology = "{}"\nseed = 1\n'),
        ("[solvers.agent]\niterations = 6\n", 'ontology = "{}"\n[solvers.agent]\niterations = 6\n'),
        ('seed = 1\n\n[models.x]\nontology = "a"\n', 'ontology = "{}"\nseed = 1\n\n[models.x]\nontology = "a"\n'),
    ],
)  # fmt: skip
def test_other_settings_are_kept(settings: Settings, before: str, after: str) -> None:
    if before:
        Path(FILE).write_text(before)
    assert asyncio.run(use_ontology(ONTOLOGY.digest[:8], settings)) == ONTOLOGY.digest
    wanted = after.format(ONTOLOGY.digest)
    written = Path(FILE).read_text()
    assert tomllib.loads(written) == tomllib.loads(wanted)
    assert sorted(filter(None, written.splitlines())) == sorted(filter(None, wanted.splitlines()))


def test_ontology_file_is_set_by_path_and_own_resets_it(settings: Settings) -> None:
    Path("mine.ttl").write_text(ONTOLOGY.to_turtle(), encoding="utf-8")
    assert asyncio.run(use_ontology("mine.ttl", settings)) == "mine.ttl"
    assert load_settings().ontology == "mine.ttl"
    assert [item.default for item in asyncio.run(list_ontologies(load_settings({"store": settings.store})))] == [True]
    assert asyncio.run(use_ontology("own", settings)) == "own"
    assert load_settings().ontology == "own"
    assert [item.default for item in asyncio.run(list_ontologies(load_settings({"store": settings.store})))] == [False]


def test_invalid_ontology_changes_nothing(settings: Settings) -> None:
    Path("page.ttl").write_text("no turtle", encoding="utf-8")
    for name in ("missing.ttl", "page.ttl", "abc", "0" * 64):
        with pytest.raises((InputError, OntologyError, StoreError)):
            asyncio.run(use_ontology(name, settings))
    assert not Path(FILE).exists()
    Path(FILE).write_text("ontology = [\n")
    with pytest.raises(SettingsError):
        asyncio.run(use_ontology("own", settings))
    assert Path(FILE).read_text() == "ontology = [\n"
