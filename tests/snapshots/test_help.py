"""What `--help` says of every command, at 100 columns. `pytest tests/snapshots --snapshot-update` writes it anew."""

from collections.abc import Iterator

import pytest
from text_snapshots import TextSnapshot


def commands() -> Iterator[tuple[str, ...]]:
    """Every command and group, by the words that one types."""
    import typer
    from typer.core import TyperGroup

    from quaestor.cli.app import app

    def walk(command: object, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield words
        if isinstance(command, TyperGroup):
            for name, inner in command.commands.items():
                yield from walk(inner, (*words, name))

    return walk(typer.main.get_command(app), ())


def test_every_help(
    text_snapshot: TextSnapshot, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from quaestor.cli.app import app

    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")
    for words in commands():
        assert not app([*words, "--help"], standalone_mode=False, prog_name="quaestor")
    printed = capsys.readouterr().out
    assert "".join(f"{line.rstrip()}\n" for line in printed.splitlines()) == text_snapshot
