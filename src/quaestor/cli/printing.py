"""Printing: consoles, tables that never break words, JSON, and progress messages on stderr."""

import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, cast

from quaestor.core.patterns import lazy_regex
from quaestor.core.visible import escaped_in_json, visible

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment
    from rich.table import Table as Grid

    from quaestor.application.resolve import DocumentInCorpus
    from quaestor.datasets.dataset import ListedPage
    from quaestor.documents.document import Document
    from quaestor.settings import Settings

_PADDING = lazy_regex(r"(?<![ \t])[ \t]++(?=\n)")
_BAR_DELAY = 1.0
"""Seconds until a progress bar is shown."""

_MAX_NAMES_LENGTH = 200
_MAX_WARNINGS = 3
_MESSAGE_DELAY = 5.0
"""Seconds until a message names the slow operation."""


class _UnpaddedStream:
    """A stream that strips trailing blanks, because tables are padded for terminals only."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(_PADDING.sub("", text))
        return len(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def make_console() -> "Console":
    """Return a console on stdout; unless it is a terminal, lines are not padded."""
    from rich.console import Console
    from rich.segment import Segment

    class VisibleConsole(Console):
        """Console that raises BrokenPipeError (rich would exit with 1) and makes control characters visible."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render(self, renderable: "RenderableType", options: "ConsoleOptions | None" = None) -> "Iterable[Segment]":
            for segment in super().render(renderable, options):
                # rich's own control codes are separate segments
                yield segment if segment.control else Segment(visible(segment.text), segment.style)

    if sys.stdout.isatty():
        return VisibleConsole(highlight=False)
    return VisibleConsole(highlight=False, file=cast("IO[str]", _UnpaddedStream(sys.stdout)))


def print_json(value: object) -> None:
    """Print a value as JSON, with its records as objects."""
    print(escaped_in_json(json.dumps(value, indent=2, ensure_ascii=False, default=_json_of_record)))


def _json_of_record(record: object) -> object:
    from quaestor.core import serial

    return serial.dump(record)


def print_rows(
    console: "Console",
    heads: Sequence[str],
    rows: "Iterable[Sequence[str]]",
    *,
    title: str | None = None,
    words: int | Sequence[int] = 1,
    unbroken: Sequence[str] | None = None,
    spare: Sequence[str] = (),
) -> None:
    """Print a table of text and figures with `print_grid`.

    Args:
        rows: A row with a single cell is a heading for the rows below it; an empty row is a divider.
        words: The number of text columns, or their indexes; all others are right-aligned figures.
        unbroken: Headers of the figure columns that must not wrap; all by default.
    """
    from rich.table import Table as Grid

    grid = Grid(*heads, title=title, title_justify="left")
    for row in rows:
        if len(row) < 2:
            grid.add_section()
        if row:
            grid.add_row(*row if len(row) > 1 else (f"[bold]{row[0]}[/]",))
    word_columns = range(words) if isinstance(words, int) else words
    for place, column in enumerate(grid.columns):
        if place not in word_columns:
            column.justify = "right"
            column.no_wrap = unbroken is None or column.header in unbroken
    print_grid(console, grid, spare=spare)


def print_grid(console: "Console", grid: "Grid", *, spare: Sequence[str] = ()) -> None:
    """Print a table, or a list of cells per row if the table would have to break words.

    Args:
        spare: Headers of columns to hide if the console is too narrow, least important first; a line below the table
            names them.
    """
    fits, hidden = _fit(console, grid), list[str]()
    for head in spare:
        if fits:
            break
        grid.columns = [column for column in grid.columns if column.header != head]
        hidden.append(head)
        fits = _fit(console, grid)
    if fits:
        console.print(grid)
        if hidden:
            columns = f"{len(hidden)} columns" if len(hidden) > 1 else "1 column"
            console.print(f"{columns} hidden, terminal too narrow: {', '.join(hidden)}", style="dim")
        return
    from rich.padding import Padding
    from rich.text import Text

    if grid.title:
        console.print(grid.title)
    heads = [" ".join(str(column.header).split()) for column in grid.columns]
    for cells in zip(*(column.cells for column in grid.columns), strict=True):
        texts = [cell if isinstance(cell, Text) else Text.from_markup(str(cell)) for cell in cells]
        console.print(texts[0] if texts[0].plain.strip() else Text("(no label)", style="dim"))
        for head, text in zip(heads[1:], texts[1:], strict=True):
            if text.plain.strip():
                line = Text.from_markup(f"[dim]{head}:[/] " if head else "").append_text(text)
                console.print(Padding(line, (0, 0, 0, 2), expand=False))


def _fit(console: "Console", grid: "Grid") -> bool:
    """Give each column a width that breaks no word; return False if the console is too narrow."""
    from rich.text import Text

    least, most = [], []
    for column in grid.columns:
        lines = [
            line
            for cell in (column.header, *column.cells)
            for line in (cell if isinstance(cell, Text) else Text.from_markup(str(cell))).plain.split("\n")
        ]
        words = lines if column.no_wrap else [word for line in lines for word in line.split()]
        least.append(max((len(word) for word in words), default=0))
        most.append(max((len(line) for line in lines), default=0))
    room = console.width - 3 * len(grid.columns) - 1 - sum(least)
    if room < 0:
        return False
    for column, narrow, wide in zip(grid.columns, least, most, strict=True):
        column.min_width = column.width = narrow
        missing = sum(most) - sum(least)
        if wide > narrow:
            share = wide - narrow if missing <= room else room * (wide - narrow) // missing
            column.min_width = column.width = narrow + share
    return True


def warn_of_default_policy(settings: "Settings") -> None:
    """Print on stderr which policy is used with an ontology if none was chosen."""
    from quaestor.application.ontologies import is_set, policy_of

    if is_set(settings) and settings.policy is None:
        print(f"quaestor: {describe_default_policy(policy_of(settings))}", file=sys.stderr)


def warn_of_losses(document: "Document") -> None:
    """Warn on stderr about parts of a file that were not read, or were read as another format."""
    from quaestor.documents.repairs import WarningKind

    lost = [f"{document.id}: {found.detail}" for found in document.warnings if found.kind is WarningKind.LOST]
    _print_first(lost, "(quaestor read FILE lists them)")


def print_refusals(documents: "Iterable[Document | ListedPage]") -> None:
    """Warn on stderr about pages that could not be read, with the reason."""
    refused = {page.id: page.refusal for page in documents if page.refusal is not None}
    lines = [f"{id}: {why}; questions about it fail" for id, why in refused.items()]
    _print_first(lines, "pages (quaestor check FILE lists them)")


def _print_first(warnings: Sequence[str], others: str) -> None:
    for line in warnings[:_MAX_WARNINGS]:
        print(visible(f"quaestor: {line}"), file=sys.stderr)
    if len(warnings) > _MAX_WARNINGS:
        print(f"quaestor: ... and {len(warnings) - _MAX_WARNINGS} more {others}", file=sys.stderr)


def describe_default_policy(policy: str) -> str:
    """Return the message about the default policy."""
    becomes = "is added as a property" if policy == "extend" else "is an error"
    return f"using policy {policy}: a label that is not in the ontology {becomes}"


@contextmanager
def show_reading(names: Sequence[str]) -> Iterator[None]:
    """Show a progress bar if reading takes more than a second; without a terminal, print one line instead."""
    shown = ", ".join(names)
    if not sys.stderr.isatty():
        with announce(f"reading {shown[:_MAX_NAMES_LENGTH]}"):
            yield
        return
    with ExitStack() as bars:

        def show_bar() -> None:
            from rich.console import Console
            from rich.markup import escape
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            console, description = Console(stderr=True), TextColumn("{task.description}")
            bar = Progress(description, BarColumn(), TimeElapsedColumn(), console=console, transient=True)
            bar.add_task(f"reading {escape(shown[: max(12, console.width - 60)])}", total=None)
            bars.enter_context(bar)

        with _after(_BAR_DELAY, show_bar):
            yield


def read_named(names: Sequence[str], settings: "Settings") -> "DocumentInCorpus":
    """Read files or pages as one document, showing progress."""
    from quaestor.application.file_cache import file_cache, reading_limits
    from quaestor.application.resolve import read_files

    with show_reading(names):
        return read_files(names, file_cache(settings), reading_limits(settings))


@contextmanager
def announce(what: str) -> Iterator[None]:
    """Print the operation on stderr if it takes longer than five seconds."""
    with _after(_MESSAGE_DELAY, lambda: print(f"{what} ...", file=sys.stderr, flush=True)):
        yield


@contextmanager
def _after(seconds: float, act: Callable[[], None]) -> Iterator[None]:
    """Call a function in a thread if the block takes longer than some seconds."""
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def count_noun(count: int, noun: str) -> str:
    """Return a count with its noun: `1 page`, `2,000 pages`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def confirm(question: str) -> bool:
    """Ask a yes/no question; no answer means no."""
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        print(file=sys.stderr)
    return answer.strip().casefold() in ("y", "yes")
