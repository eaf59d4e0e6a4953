import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from quaestor.application.saved_conversations import SavedConversations, open_conversations
from quaestor.errors import InputError, StoreError, UnknownConversationError
from quaestor.settings import Settings
from quaestor.store.listing import ListPage, ListPart
from quaestor.store.records import now


def test_conversations_are_listed_latest_first(tmp_path: Path) -> None:
    saved = SavedConversations(tmp_path / "conversations")
    assert saved.all() == ()
    first, second, empty = (saved.begin("doc", f"page {number}") for number in range(3))
    saved.save(replace(first, turns=2, used=now() + timedelta(seconds=5)))
    saved.save(replace(second, turns=1))
    assert [one.about for one in saved.all()] == ["page 0", "page 1"]
    assert saved.get(empty.id) == empty


def test_list_page_includes_empty_conversations_latest_changed_first(tmp_path: Path) -> None:
    saved = SavedConversations(tmp_path / "conversations")
    assert saved.part(ListPart()).items == ()
    begun = [saved.begin("doc", "page", "called so") for _ in range(5)]
    (saved.folder / "other.json").write_text("{}")
    for number, one in enumerate(begun):
        os.utime(saved.folder / f"{one.id}.json", (number, number))
    assert saved.part(ListPart(1, 2)) == ListPage((begun[3], begun[2]), 5, 1, 2)
    for one in begun:  # in quick succession
        saved.rename(one.id, "changed")
        assert saved.part(ListPart(0, 1)).items[0].id == one.id


def test_empty_conversation_is_deleted_after_a_day(tmp_path: Path) -> None:
    saved = SavedConversations(tmp_path)
    old = saved.begin("doc", "page")
    saved.save(replace(old, used=now() - timedelta(days=2)))
    assert saved.all() == ()
    with pytest.raises(UnknownConversationError):
        saved.get(old.id)


def test_ids_are_random_and_cannot_contain_paths(tmp_path: Path) -> None:
    saved = SavedConversations(tmp_path / "conversations")
    ids = {saved.begin("doc", "page").id for _ in range(50)}
    assert len(ids) == 50
    assert {len(id) for id in ids} == {22}
    (tmp_path / "secret.json").write_text("{}")
    for id in ("../secret", "", "x" * 22, "a/b", "..", f"{next(iter(ids))}\n"):
        with pytest.raises(UnknownConversationError):
            saved.get(id)


def test_damaged_conversation_is_treated_as_missing(tmp_path: Path) -> None:
    saved = SavedConversations(tmp_path)
    id = saved.begin("doc", "page").id
    (tmp_path / f"{id}.json").write_text('{"id": 3}')
    assert saved.all() == ()
    with pytest.raises(UnknownConversationError):
        saved.get(id)


def test_partially_written_line_is_ignored_until_the_next_write(tmp_path: Path) -> None:
    saved = SavedConversations(tmp_path)
    begun = saved.begin("doc", "page")
    file = tmp_path / f"{begun.id}.json"
    saved.save(replace(begun, turns=1))
    whole = file.read_bytes()
    file.write_bytes(whole[:-9])
    assert saved.get(begun.id) == begun
    saved.save(replace(begun, turns=2, title="called \u2028\x85 so"))
    assert saved.get(begun.id) == replace(begun, turns=2, title="called \u2028\x85 so")


def test_saved_conversation_survives_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = SavedConversations(tmp_path)
    begun = saved.begin("doc", "page")
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[: len(data) // 2]))
    with pytest.raises(StoreError):
        saved.save(replace(begun, turns=1))
    monkeypatch.undo()
    assert saved.get(begun.id) == begun
    saved.save(replace(begun, turns=2))
    assert saved.get(begun.id).turns == 2


def test_file_of_a_frequently_changed_conversation_stays_small(tmp_path: Path) -> None:
    saved = SavedConversations(tmp_path)
    begun = saved.begin("doc", "page")
    for turns in range(1, 201):
        saved.save(replace(begun, turns=turns))
        assert saved.get(begun.id).turns == turns
    (file,) = tmp_path.iterdir()
    assert file.stat().st_size <= 16_384


@pytest.mark.parametrize("title", ["", "  \n ", "x" * 121])
def test_invalid_titles_are_refused(tmp_path: Path, title: str) -> None:
    saved = SavedConversations(tmp_path)
    with pytest.raises(InputError, match="1 to 120"):
        saved.rename(saved.begin("doc", "page").id, title)


def test_conversations_are_saved_beside_the_store(tmp_path: Path) -> None:
    with open_conversations(Settings(store=str(tmp_path / "runs.db"))) as saved:
        saved.begin("doc", "page")
    assert len(list((tmp_path / "conversations").glob("*.json"))) == 1
    with open_conversations(Settings(store="sqlite://")) as elsewhere:
        elsewhere.begin("doc", "page")
    assert not elsewhere.folder.exists()
