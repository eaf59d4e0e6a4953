"""Stores with damaged bytes: each command answers or is refused in one line."""

import random
import sqlite3
from pathlib import Path

import pytest
from command_line import exit_code

pytestmark = [pytest.mark.faults, pytest.mark.slow]

NORD = "sample#NORD/2012/page_41.pdf"
SEEDS = 60
JSON_SIGNS = b'"{}[],:0123456789abcxyzTN-.e\x00\xff'


def damage(whole: bytes, seed: int) -> bytes:
    """Return a store with a few flipped bits or overwritten text characters."""
    source, data = random.Random(seed), bytearray(whole)
    texts = [place for place, byte in enumerate(data) if 32 <= byte < 127]
    for _ in range(source.choice([1, 5, 50, 200])):
        if seed % 2:
            data[source.randrange(len(data))] ^= 1 << source.randrange(8)
        else:
            data[source.choice(texts)] = source.choice(JSON_SIGNS)
    return bytes(data)


@pytest.mark.very_slow
def test_every_command_ends_with_an_answer_or_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUAESTOR_STORE", "s.db")
    assert exit_code("eval", "sample", "--limit", "2") == 0
    assert exit_code("ask", NORD, "what were net sales of power cables in 2012?") == 0
    store = tmp_path / "s.db"
    with sqlite3.connect(store) as opened:
        request, run = (row[0] for row in opened.execute("SELECT id FROM runs ORDER BY kind"))
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    opened.close()
    whole = store.read_bytes()
    commands = [
        ("runs", "list"), ("runs", "show", run), ("runs", "failures", run), ("compare", run, run), ("show", run),
        ("export", request, "-o", "o.csv", "--force"), ("report", run, "-o", "o.html", "--force"),
    ]  # fmt: skip
    wrong = []
    for seed in range(SEEDS):
        for command in (commands[seed % len(commands)], commands[0]):
            for beside in ("s.db-wal", "s.db-shm"):
                Path(beside).unlink(missing_ok=True)
            store.write_bytes(damage(whole, seed))
            capfd.readouterr()
            code = exit_code(*command)
            if code not in (0, 2):
                wrong.append((seed, command[0], code, capfd.readouterr().err))
    assert wrong == []
