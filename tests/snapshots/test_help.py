"""Every command prints its help and has a section in the generated reference."""

from collections.abc import Iterator

import pytest
from command_line import all_commands
from docs_site.command_line import command_reference


def commands() -> Iterator[tuple[str, ...]]:
    """Yield the words of every command and group."""
    from typer.core import TyperGroup

    def walk(command: object, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield words
        if isinstance(command, TyperGroup):
            for name, inner in command.commands.items():
                yield from walk(inner, (*words, name))

    return walk(all_commands(), ())


def test_every_command_is_on_the_reference_page() -> None:
    headings = [line.lstrip("# ") for line in command_reference().splitlines() if line.startswith("##")]
    assert headings == [" ".join(("quaestor", *words)) for words in commands()]


@pytest.mark.slow
def test_every_help_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")
    for words in commands():
        assert not all_commands()([*words, "--help"], standalone_mode=False, prog_name="quaestor")
        printed = capsys.readouterr().out
        assert f"Usage: {' '.join(('quaestor', *words))} " in printed
        assert max(map(len, printed.splitlines())) <= 100
