"""What a line that begins with `/` does in a conversation on a terminal."""

from asyncio import Runner
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.core.visible import visible
from quaestor.errors import InputError, unknown_name

if TYPE_CHECKING:
    from rich.console import Console

    from quaestor.application.chat_service import Chat
    from quaestor.conversation.turn import Correction, Turn

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
"""The commands, and what each does."""


@dataclass(frozen=True, slots=True)
class ChatLine:
    """What commands work on."""

    chat: "Chat"
    console: "Console"
    runner: Runner
    used: Sequence[Path] = ()
    force: bool = False


def do_command(line: str, on: ChatLine) -> bool:
    """Run the command of a line, and return whether the conversation goes on."""
    name, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if name in ("/quit", "/exit"):
        return False
    do = _COMMANDS.get(name)
    if do is None:
        raise InputError(unknown_name("command", name, (*_COMMANDS, "/quit")))
    if rest and name in _ALONE:
        raise InputError(f"{name} takes no argument, but got {rest[:80]!r}")
    do(rest, on)
    return True


def completed_commands() -> list[str]:
    """Return the lines that a command may be completed to."""
    from quaestor.solvers.registry import solver_names

    solvers = [f"/solver {name}" for name in solver_names()]
    fixes = [f"/fix {word}" for word in ("help", "log", "undo")]
    return [*(name for name in (*_COMMANDS, "/quit") if name != "/solver"), *fixes, *solvers]


def _help(_: str, on: ChatLine) -> None:
    width = max(map(len, HELP))
    for command, does in HELP.items():
        on.console.print(f"  {command:<{width}}  {does}", markup=False, soft_wrap=True)


def _why(rest: str, on: ChatLine) -> None:
    from quaestor.cli.render import show_stored_turn
    from quaestor.evaluation.recording import TurnPlace, turn_record

    turn, number = _turn(rest, on)
    place = TurnPlace(on.chat.run or "", on.chat.document.id, number - 1)
    answered = on.chat.ledger.answered
    record = turn_record(place, answered[number - 1], answered[: number - 1])
    corrected = turn if turn.answer.corrected is not None else None
    show_stored_turn(on.console, record, on.runner.run(on.chat.graph()), corrected=corrected)


def _source(rest: str, on: ChatLine) -> None:
    from quaestor.cli.render import show_document

    turn, number = _turn("", on)
    sources = list(dict.fromkeys(turn.answer.sources))
    if not sources:
        raise InputError(f"answer {number} does not use any number from the document")
    if rest:
        sources = [sources[_number(rest, len(sources), f"source of answer {number}") - 1]]
    document = on.chat.document
    show_document(on.console, document.excerpt(document.block(source).order for source in sources), sources)


def _table(rest: str, on: ChatLine) -> None:
    from quaestor.cli.render import show_document

    document, tables = on.chat.document, on.chat.document.tables
    if not tables:
        raise InputError(f"{document.id} has no tables")
    if not rest:
        for number, table in enumerate(tables, start=1):
            title = table.title or next((row.label for row in table.rows if row.label), "")
            size = f"{len(table.rows) - table.header_rows} rows, {len(table.columns)} columns"
            on.console.print(f"  {number}  {' '.join(title.split())[:100]} ({size})", markup=False, soft_wrap=True)
        return
    chosen = tables[_number(rest, len(tables), "table") - 1]
    orders = [block.order for block in document.blocks if block.content is chosen]
    used = on.chat.turns[-1].answer.sources if on.chat.turns else ()
    show_document(on.console, document.excerpt(orders), used)


def _fix(rest: str, on: ChatLine) -> None:
    from quaestor.application.fixing import FORMS, author_name, correction_line, read_fix

    ledger = on.chat.ledger
    if rest == "help":
        for form, does in FORMS.items():
            on.console.print(f"  /fix {form:<34}  {does}", markup=False, soft_wrap=True)
        return
    if rest == "log":
        lines = [correction_line(correction, ledger) for correction in ledger.corrections]
        for line in lines or ["no corrections yet"]:
            on.console.print(f"  {visible(line)}", markup=False, soft_wrap=True)
        return
    fix = read_fix(rest, ledger)
    if fix.act is None:
        _offer(fix.turn, on)
        return
    _show_correction(on.runner.run(on.chat.correct(fix.act, author_name(on.chat.request.settings), fix.reason)), on)


def _offer(turn: int, on: ChatLine) -> None:
    """Print what could be corrected in an answer, each with what to type."""
    from quaestor.conversation.display import show_number, show_source
    from quaestor.repair.offers import possible_corrections

    ledger = on.chat.ledger
    now = ledger.turns[turn].answer
    on.console.print(f"answer {turn + 1}: {visible(show_number(now))}", markup=False, soft_wrap=True)
    for number, source in enumerate(dict.fromkeys(now.sources), start=1):
        shown = show_source(source, ledger.document)
        command = f"  /fix {turn + 1} cell {number} = NUMBER"
        on.console.print(f"{command:<28}{visible(f'{shown.place} | {shown.span}')}", markup=False, soft_wrap=True)
    offered = possible_corrections(ledger, turn)
    for number, offer in enumerate(offered, start=1):
        command = f"  /fix {turn + 1} {number}"
        on.console.print(f"{command:<28}{visible(f'{offer.says}  ->  {offer.gives}')}", markup=False, soft_wrap=True)
    if not offered and not now.sources:
        on.console.print("  nothing to correct", markup=False)


def _show_correction(made: "Correction", on: ChatLine) -> None:
    """Print what a correction changed."""
    from quaestor.application.fixing import act_words, change_lines

    on.console.print(visible(f"{act_words(made.act, on.chat.ledger)} ({made.author})"), markup=False, soft_wrap=True)
    for line in change_lines(made, on.chat.ledger):
        on.console.print(f"  {visible(line)}", markup=False, soft_wrap=True)


def _save(_: str, on: ChatLine) -> None:
    run = on.runner.run(on.chat.save())
    if run is None:
        raise InputError(f"the conversation cannot be saved: {on.chat.unkept}")
    on.console.print(f"saved as run {run}; resume it with --resume {run}", markup=False, soft_wrap=True)


def _undo(_: str, on: ChatLine) -> None:
    from quaestor.application.fixing import author_name

    if on.chat.corrected_last:
        _show_correction(on.runner.run(on.chat.undo_correction(author_name(on.chat.request.settings))), on)
        return
    turns = on.runner.run(on.chat.undo())
    if not turns:
        raise InputError("no question to undo")
    for turn in turns:
        on.console.print(f"removed: {turn.question}", markup=False)


def _export(rest: str, on: ChatLine) -> None:
    from quaestor.application.exporting import format_of, write_export
    from quaestor.application.files import OutputFile

    if not rest:
        raise InputError("missing file name: try /export answers.xlsx")
    target = OutputFile(Path(rest).expanduser(), on.used, on.force)
    chosen = format_of(target, None)
    target.require_free()
    exported = on.runner.run(on.chat.export())
    write_export(target, chosen, [exported])
    count = len(exported.turns)
    on.console.print(f"wrote {count} question{'s' * (count != 1)} to {rest}", markup=False)


def _solver(rest: str, on: ChatLine) -> None:
    from quaestor.application.solver_options import NO_OVERRIDES
    from quaestor.solvers.registry import solver_names, solver_spec

    name, _, model = rest.partition(" ")
    if name not in solver_names():
        raise InputError(f"missing solver name: choose from {', '.join(solver_names())} (current: {on.chat.solver})")
    _require_no_cassette(on)
    request = on.chat.request
    named = bool(model) or (request.model_named and solver_spec(name).takes_model)
    settings = replace(request.settings, solver=name, model=model.strip() or request.settings.model)
    # Options of the one before are none of the next one's; its own table in the settings holds.
    asked = replace(request, settings=settings, overrides=NO_OVERRIDES, model_named=named)
    on.runner.run(on.chat.change(asked))
    on.console.print(f"now using the {on.chat.solver} solver", markup=False)


def _model(rest: str, on: ChatLine) -> None:
    if not rest:
        raise InputError(
            f"missing model name, such as anthropic:NAME (current: {on.chat.request.settings.model or 'none'})"
        )
    _require_no_cassette(on)
    request = on.chat.request
    asked = replace(request, settings=replace(request.settings, model=rest), model_named=True)
    on.runner.run(on.chat.change(asked))
    on.console.print(f"the {on.chat.solver} solver now uses {rest}", markup=False)


def _require_no_cassette(on: ChatLine) -> None:
    if on.chat.request.cassette.asked:
        raise InputError("the solver and model cannot be changed while recording or replaying")


def _turn(rest: str, on: ChatLine) -> "tuple[Turn, int]":
    """Return the turn that is meant, and its place from 1; by default the last."""
    turns = on.chat.turns
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
