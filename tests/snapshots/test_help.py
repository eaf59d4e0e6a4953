"""docs/help.md tells what `--help` says of every command. `pytest tests/snapshots --snapshot-update` writes it anew."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import all_commands
from docs_site.command_line import help_page

HELP = Path(__file__).parents[2] / "docs" / "help.md"


def commands() -> Iterator[tuple[str, ...]]:
    """Every command and group, by the words that one types."""
    from typer.core import TyperGroup

    def walk(command: object, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield words
        if isinstance(command, TyperGroup):
            for name, inner in command.commands.items():
                yield from walk(inner, (*words, name))

    return walk(all_commands(), ())


def test_the_page_of_the_commands_is_what_they_say(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--snapshot-update"):
        HELP.write_text(help_page(), encoding="utf-8")
    assert HELP.read_text(encoding="utf-8") == help_page()


def test_every_command_has_its_place_on_the_page() -> None:
    headings = [line.lstrip("# ") for line in help_page().splitlines() if line.startswith("##")]
    assert headings == [" ".join(("quaestor", *words)) for words in commands()]


def test_every_help_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "dumb")
    for words in commands():
        assert not all_commands()([*words, "--help"], standalone_mode=False, prog_name="quaestor")
        printed = capsys.readouterr().out
        assert f"Usage: {' '.join(('quaestor', *words))} " in printed
        assert max(map(len, printed.splitlines())) <= 100
