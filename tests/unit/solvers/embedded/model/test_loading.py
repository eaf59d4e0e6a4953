import hashlib
import json
import shutil
from pathlib import Path

from quaestor.conversation.references.wording import trait_words
from quaestor.solvers.embedded.model.loading import (
    ANSWERABLE_FILE,
    CHOICES_FILE,
    SHIPPED_WEIGHTS,
    WEIGHT_FILES,
    load_weights,
)

SHIPPED = SHIPPED_WEIGHTS


def test_weights_whose_keys_are_words_are_read_as_they_are_now(tmp_path: Path) -> None:
    folder = tmp_path / "older"
    shutil.copytree(SHIPPED, folder)
    now = json.loads((folder / "references.json").read_text(encoding="utf-8"))
    older = {
        trait_words(trait): {trait_words(cue): weight for cue, weight in cues.items()} for trait, cues in now.items()
    }
    trait, cues = next((trait, cues) for trait, cues in now.items() if trait_words(trait) != trait)
    assert older[trait_words(trait)] == {trait_words(cue): weight for cue, weight in cues.items()}
    assert older.keys() != now.keys()
    (folder / "references.json").write_text(json.dumps(older), encoding="utf-8")
    read, shipped = load_weights(folder), load_weights()
    assert read.references == shipped.references
    assert list(read.references) == list(shipped.references)


def test_the_card_has_the_digest_of_the_shipped_files() -> None:
    digest = hashlib.sha256()
    for name in (*WEIGHT_FILES, CHOICES_FILE, ANSWERABLE_FILE):
        digest.update((SHIPPED / name).read_bytes())
    assert json.loads((SHIPPED / "card.json").read_text(encoding="utf-8"))["digest"] == digest.hexdigest()
