"""The lines of `quaestor chat`: questions and `/` commands, typed with history and completion, or piped in."""

import re
import sys
from asyncio import Runner
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from quaestor.application.ask_service import AskRequest
from quaestor.application.askable import askable_lines
from quaestor.application.chat_service import Chat
from quaestor.application.exporting import format_of, write_export
from quaestor.application.files import OutputFile
from quaestor.application.fixing import FORMS, act_words, author_name, change_lines, correction_line, read_fix
from quaestor.application.resolve import store_file
from quaestor.application.solver_options import NO_OVERRIDES
from quaestor.cli.render import show_stored_turn, show_turn
from quaestor.cli.render_documents import show_document
from quaestor.cli.signals import has_received_sigterm
from quaestor.conversation.display import show_number, show_source
from quaestor.conversation.turn import Correction, Turn
from quaestor.core.visible import visible
from quaestor.errors import InputError, QuaestorError, SettingsError, unknown_name
from quaestor.evaluation.recording import TurnPlace, turn_record
from quaestor.repair.ledger import possible_corrections
from quaestor.settings import Settings
from quaestor.solvers.registry import solver_names, solver_spec

if TYPE_CHECKING:
    from types import ModuleType

_HISTORY = "chat_history"
"""File next to the store with the history of typed lines."""

_MAX_ERROR_LENGTH = 400

HELP = {
    "/why [N]": "explain answer N (default: the last one): evidence, other readings, trace, steps",
    "/source [N]": "show the sources of the last answer, or only source N, marked in the document",
    "/table [N]": "list the tables of the document, or print table N",
    "/fix [N] ...": "correct answer N: `/fix` lists what can be corrected, `/fix help` the syntax",
    "/undo": "undo the last correction, or remove the last question",
    "/save": "save the conversation, and show how to resume it",
    "/export FILE": "export the conversation as .xlsx, .csv, .json, .md or .html",
    "/solver NAME [MODEL]": "switch to another solver, and optionally another model",
    "/model NAME": "switch to another model",
    "/help": "show this list",
    "/quit": "quit (or press Ctrl-D)",
}
"""The commands with their descriptions."""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """The conversation that a command applies to, with its terminal."""

    chat: Chat
    console: Console
    runner: Runner
    used: Sequence[Path] = ()
    force: bool = False

    def print(self, line: str) -> None:
        """Print a line, which may contain text of documents and users."""
        self.console.print(line, markup=False, soft_wrap=True)


def run_chat(context: ChatLine, settings: Settings) -> bool:
    """Answer questions until the input ends, and return whether a piped line failed."""
    at_terminal, file, failed = sys.stdin.isatty(), store_file(settings.store), False
    context.console.print(context.chat.document.id, style="dim", markup=False)
    _show(context, 0)
    commands, words = (completed_commands(), _completion_words(context.chat)) if at_terminal else ([], [])
    if at_terminal:
        context.console.print("Ask a question. /help lists the commands; Ctrl-D quits.", style="dim", markup=False)
    history = file.parent / _HISTORY if file is not None and settings.keep_asked else None
    with typed_lines("> ", history, lambda line: completions(line, commands, words)) as read:
        while True:
            try:
                if not _handle_line(read(), context):
                    return failed
            except KeyboardInterrupt:
                if not at_terminal or has_received_sigterm():
                    raise
                print("interrupted", file=sys.stderr)
            except QuaestorError as error:
                if not at_terminal and not isinstance(error, InputError | SettingsError):
                    raise
                failed = not at_terminal
                print(f"quaestor: {visible(' '.join(str(error).split()))[:_MAX_ERROR_LENGTH]}", file=sys.stderr)
            sys.stdout.flush()


def _handle_line(line: str | None, context: ChatLine) -> bool:
    """Run a command or ask a question, and return whether the conversation continues."""
    if line is None:
        return False
    if line.startswith("/"):
        return do_command(line, context)
    if question := line.strip():
        before = len(context.chat.turns)
        context.runner.run(context.chat.ask(question))
        _show(context, before)
    return True


def _show(context: ChatLine, first: int) -> None:
    for number, turn in enumerate(context.chat.turns[first:], start=first + 1):
        show_turn(context.console, number, turn, context.chat.document)


def _completion_words(chat: Chat) -> list[str]:
    lines = list(askable_lines(chat.document))
    years = sorted({year for line in lines for year in line.years})
    return [*dict.fromkeys(line.label for line in lines), *map(str, years)]


def do_command(line: str, context: ChatLine) -> bool:
    """Run the command of a line, and return whether the conversation continues."""
    name, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if name in ("/quit", "/exit"):
        return False
    do = _COMMANDS.get(name)
    if do is None:
        raise InputError(unknown_name("command", name, (*_COMMANDS, "/quit")))
    if rest and name in _ALONE:
        raise InputError(f"{name} takes no argument, but got {rest[:80]!r}")
    do(rest, context)
    return True


def completed_commands() -> list[str]:
    """Return the completions of commands."""
    solvers = [f"/solver {name}" for name in solver_names()]
    fixes = [f"/fix {word}" for word in ("help", "log", "undo")]
    return [*(name for name in (*_COMMANDS, "/quit") if name != "/solver"), *fixes, *solvers]


def _help(_: str, context: ChatLine) -> None:
    width = max(map(len, HELP))
    for command, description in HELP.items():
        context.print(f"  {command:<{width}}  {description}")


def _why(rest: str, context: ChatLine) -> None:
    turn, number = _turn(rest, context)
    place = TurnPlace(context.chat.run or "", context.chat.document.id, number - 1)
    answered = context.chat.ledger.answered
    record = turn_record(place, answered[number - 1], answered[: number - 1])
    corrected = turn if turn.answer.corrected is not None else None
    show_stored_turn(context.console, record, context.runner.run(context.chat.graph()), corrected=corrected)


def _source(rest: str, context: ChatLine) -> None:
    turn, number = _turn("", context)
    sources = list(dict.fromkeys(turn.answer.sources))
    if not sources:
        raise InputError(f"answer {number} does not use any number from the document")
    if rest:
        sources = [sources[_number(rest, len(sources), f"source of answer {number}") - 1]]
    document = context.chat.document
    show_document(context.console, document.excerpt(document.block(source).order for source in sources), sources)


def _table(rest: str, context: ChatLine) -> None:
    document, tables = context.chat.document, context.chat.document.tables
    if not tables:
        raise InputError(f"{document.id} has no tables")
    if not rest:
        for number, table in enumerate(tables, start=1):
            title = table.title or next((row.label for row in table.rows if row.label), "")
            size = f"{len(table.rows) - table.header_rows} rows, {len(table.columns)} columns"
            context.print(f"  {number}  {' '.join(title.split())[:100]} ({size})")
        return
    chosen = tables[_number(rest, len(tables), "table") - 1]
    orders = [block.order for block in document.blocks if block.content is chosen]
    used = context.chat.turns[-1].answer.sources if context.chat.turns else ()
    show_document(context.console, document.excerpt(orders), used)


def _fix(rest: str, context: ChatLine) -> None:
    ledger = context.chat.ledger
    if rest == "help":
        for form, description in FORMS.items():
            context.print(f"  /fix {form:<34}  {description}")
        return
    if rest == "log":
        lines = [correction_line(correction, ledger) for correction in ledger.corrections]
        for line in lines or ["no corrections yet"]:
            context.print(f"  {visible(line)}")
        return
    fix = read_fix(rest, ledger)
    if fix.act is None:
        _offer(fix.turn, context)
        return
    _show_correction(
        context.runner.run(context.chat.correct(fix.act, author_name(context.chat.request.settings), fix.reason)),
        context,
    )


def _offer(turn: int, context: ChatLine) -> None:
    """Print the possible corrections of an answer, each with the command to type."""
    ledger = context.chat.ledger
    now, offered = ledger.turns[turn].answer, possible_corrections(ledger, turn)
    context.print(f"answer {turn + 1}: {visible(show_number(now))}")
    for number, source in enumerate(dict.fromkeys(now.sources), start=1):
        shown = show_source(source, ledger.document)
        command = f"  /fix {turn + 1} cell {number} = NUMBER"
        context.print(f"{command:<28}{visible(f'{shown.place} | {shown.span}')}")
    for number, offer in enumerate(offered, start=1):
        command = f"  /fix {turn + 1} {number}"
        context.print(f"{command:<28}{visible(f'{offer.description}  ->  {offer.result}')}")
    if not offered and not now.sources:
        context.console.print("  nothing to correct", markup=False)


def _show_correction(correction: Correction, context: ChatLine) -> None:
    context.print(visible(f"{act_words(correction.act, context.chat.ledger)} ({correction.author})"))
    for line in change_lines(correction, context.chat.ledger):
        context.print(f"  {visible(line)}")


def _save(_: str, context: ChatLine) -> None:
    run = context.runner.run(context.chat.save())
    if run is None:
        raise InputError(f"the conversation cannot be saved: {context.chat.unkept}")
    context.print(f"saved as run {run}; resume it with --resume {run}")


def _undo(_: str, context: ChatLine) -> None:
    if context.chat.corrected_last:
        _show_correction(
            context.runner.run(context.chat.undo_correction(author_name(context.chat.request.settings))), context
        )
        return
    turns = context.runner.run(context.chat.undo())
    if not turns:
        raise InputError("no question to undo")
    for turn in turns:
        context.console.print(f"removed: {turn.question}", markup=False)


def _export(rest: str, context: ChatLine) -> None:
    if not rest:
        raise InputError("missing file name: try /export answers.xlsx")
    target = OutputFile(Path(rest).expanduser(), context.used, context.force)
    chosen = format_of(target, None)
    target.require_free()
    exported = context.runner.run(context.chat.export())
    write_export(target, chosen, [exported])
    count = len(exported.turns)
    context.console.print(f"wrote {count} question{'s' * (count != 1)} to {rest}", markup=False)


def _solver(rest: str, context: ChatLine) -> None:
    name, _, model = rest.partition(" ")
    if name not in solver_names():
        raise InputError(
            f"missing solver name: choose from {', '.join(solver_names())} (current: {context.chat.solver})"
        )
    request = context.chat.request
    named = bool(model) or (request.model_named and solver_spec(name).takes_model)
    settings = replace(request.settings, solver=name, model=model.strip() or request.settings.model)
    # The options of the previous solver do not apply to the next one; those in its own settings table do.
    _change(context, replace(request, settings=settings, overrides=NO_OVERRIDES, model_named=named))
    context.console.print(f"now using the {context.chat.solver} solver", markup=False)


def _model(rest: str, context: ChatLine) -> None:
    if not rest:
        raise InputError(
            f"missing model name, such as anthropic:NAME (current: {context.chat.request.settings.model or 'none'})"
        )
    request = context.chat.request
    _change(context, replace(request, settings=replace(request.settings, model=rest), model_named=True))
    context.console.print(f"the {context.chat.solver} solver now uses {rest}", markup=False)


def _change(context: ChatLine, request: AskRequest) -> None:
    if request.cassette.is_used:
        raise InputError("the solver and model cannot be changed while recording or replaying")
    context.runner.run(context.chat.change(request))


def _turn(rest: str, context: ChatLine) -> tuple[Turn, int]:
    """Return the turn with a number from 1, and the number; by default the last turn."""
    turns = context.chat.turns
    if not turns:
        raise InputError("no answers yet: ask a question first")
    number = _number(rest, len(turns), "answer") if rest else len(turns)
    return turns[number - 1], number


def _number(text: str, most: int, what: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= number <= most:
        raise InputError(f"invalid {what} {text[:80]!r}: enter a number from 1 to {most}")
    return number


_COMMANDS: dict[str, Callable[[str, ChatLine], None]] = {
    "/why": _why,
    "/source": _source,
    "/table": _table,
    "/fix": _fix,
    "/undo": _undo,
    "/save": _save,
    "/export": _export,
    "/solver": _solver,
    "/model": _model,
    "/help": _help,
}
_ALONE = ("/undo", "/save", "/help")


_MOST_REMEMBERED = 1_000
_WORD = re.compile(r"(?<!\S)\S")
"""Matches the beginning of a word."""

ReadLine = Callable[[], str | None]
"""Returns the next line, or None at the end."""


def completions(line: str, commands: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return the completions of a line.

    >>> completions("what were net s", [], ["Net sales", "Net loss"])
    ['what were Net sales']
    >>> completions("/so", ["/solver embedded", "/undo"], [])
    ['/solver embedded']
    """
    if line.startswith("/"):
        return [command for command in commands if command.startswith(line)]
    for begun in _WORD.finditer(line):
        typed = line[begun.start() :].casefold()
        if found := [word for word in words if word.casefold().startswith(typed)]:
            return [line[: begun.start()] + word for word in found]
    return []


@contextmanager
def typed_lines(prompt: str, history: Path | None, complete: Callable[[str], list[str]]) -> Iterator[ReadLine]:
    """Yield a reader of lines from a terminal with a prompt, or from a pipe without one."""
    if not sys.stdin.isatty():
        yield _read_pipe
        return
    readline = _readline()
    if readline is not None:
        _prepare(readline, history, complete)
    try:
        yield lambda: _read_terminal(prompt)
    finally:
        if readline is not None:
            readline.set_completer(None)
            if history is not None and history.parent.is_dir():
                with suppress(OSError):
                    readline.write_history_file(history)


def _readline() -> "ModuleType | None":
    try:
        import readline
    except ImportError:  # not on every system
        return None
    return readline


def _prepare(readline: "ModuleType", history: Path | None, complete: Callable[[str], list[str]]) -> None:
    readline.clear_history()
    readline.set_history_length(_MOST_REMEMBERED)
    if history is not None:
        with suppress(OSError):
            readline.read_history_file(history)

    def completer(text: str, state: int) -> str | None:
        found = complete(text)
        return found[state] if state < len(found) else None

    readline.set_completer_delims("\n")
    readline.set_completer(completer)
    editing = "bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete"
    readline.parse_and_bind(editing)


def _read_terminal(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        print()
        return None


def _read_pipe() -> str | None:
    try:
        return sys.stdin.readline() or None
    except UnicodeDecodeError as error:
        raise InputError("the input is not valid UTF-8") from error
