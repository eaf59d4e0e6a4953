"""Exports conversations of a run as files: workbook, CSV, JSON, Markdown or a standalone HTML page."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from quaestor.application.files import OutputFile
from quaestor.application.resolve import page_file
from quaestor.application.run_service import find_run
from quaestor.application.stored_turns import find_conversation, turn_of_record
from quaestor.conversation.turn import active_corrections, apply_corrections
from quaestor.errors import InputError, unknown_name
from quaestor.evaluation.recording import correction_of_record
from quaestor.exports.rows import ExportedConversation
from quaestor.graph.writing import graph_from_triples
from quaestor.repair.numbers import corrected_graph
from quaestor.store.base import RunStore

ExportFormat = Literal["xlsx", "csv", "json", "markdown", "html"]
FORMATS: Mapping[ExportFormat, tuple[str, str]] = {
    "xlsx": (".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "csv": (".csv", "text/csv; charset=utf-8"),
    "json": (".json", "application/json"),
    "markdown": (".md", "text/markdown; charset=utf-8"),
    "html": (".html", "text/html; charset=utf-8"),
}
"""The file suffix and the media type of each format."""

_FORMAT_OF_SUFFIX = {suffix: name for name, (suffix, _) in FORMATS.items()} | {".markdown": "markdown", ".htm": "html"}


def format_of(output: OutputFile, named: str | None) -> ExportFormat:
    """Return the format given by name, else the one of the file's suffix."""
    found = _FORMAT_OF_SUFFIX.get(output.path.suffix.lower()) if named is None else named
    for known in FORMATS:
        if known == found:
            return known
    formats = (*FORMATS, "inspect")
    if named is not None:
        raise InputError(unknown_name("export format", named, formats))
    raise InputError(f"cannot tell the export format of {output.path}; choose from {', '.join(formats)}")


def is_inspect_log(output: OutputFile, named: str | None) -> bool:
    """Return whether to write an Inspect log, which contains a whole run: see `quaestor.application.inspect_log`."""
    return named == "inspect" or (named is None and output.path.suffix.lower() == ".eval")


async def files_of_run(store: RunStore, run: str, output: Path) -> list[Path]:
    """Return the dataset files of a run, which an export must not replace.

    A relative path may belong to another working directory. An existing output file that has the same name as such a
    path therefore counts as a dataset file too.
    """
    record = await find_run(store, run)
    found = [Path(record.dataset)]
    with suppress(InputError):
        found.append(page_file(record.dataset))
    existing = [path for path in found if path.exists()]
    if output.exists() and any(not path.is_absolute() and path.name == output.resolve().name for path in found):
        existing.append(output)
    return existing


async def read_conversations(store: RunStore, run: str, names: Sequence[str] = ()) -> tuple[ExportedConversation, ...]:
    """Read conversations of a run from the store, with their corrections applied."""
    record = await find_run(store, run)
    if record.kind == "import":
        raise InputError(
            f"run {record.id} was imported: its answers have no plans or sources to export, but its turns can be "
            "exported as traces"
        )
    ids = [example.conversation for example in await store.examples(record.id)]
    if names:
        ids = list(dict.fromkeys([await find_conversation(store, record.id, name) for name in names]))
    found = []
    corrected = await store.corrections(record.id)
    for id in ids:
        if turns := await store.turns(record.id, id):
            graph = graph_from_triples(await store.load_graph(record.id, id), f"the graph of {id}")
            corrections = tuple(correction_of_record(one) for one in corrected if one.conversation == id)
            now = apply_corrections(tuple(map(turn_of_record, turns)), corrections)
            found.append(
                ExportedConversation(
                    id, corrected_graph(graph, corrections), tuple(now), active_corrections(corrections)
                )
            )
    if not found:
        raise InputError(f"run {record.id} has no answers yet")
    return tuple(found)


def write_export(output: OutputFile, format: ExportFormat, conversations: Sequence[ExportedConversation]) -> None:
    """Write conversations to a file."""
    written = export_bytes(format, conversations)
    with output.replacing() as path:
        path.write_bytes(written)


def export_bytes(format: ExportFormat, conversations: Sequence[ExportedConversation]) -> bytes:
    """Return conversations in a file format."""
    # The writers are imported only when needed, because they load slowly.
    if format == "xlsx":
        from quaestor.exports.workbook.writing import workbook_bytes

        return workbook_bytes(conversations)
    from quaestor.exports import rows

    texts = {"csv": rows.to_csv, "json": rows.to_json, "markdown": rows.to_markdown, "html": rows.to_html}
    return texts[format](conversations).encode()
