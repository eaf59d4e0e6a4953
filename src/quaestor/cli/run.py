"""`quaestor run`, `eval` and `score`: answer the conversations of a dataset, and score a run."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.cli.options import (
    AuditOption,
    DatasetArgument,
    DocumentsOption,
    ForceOption,
    JudgeOption,
    OutputOptions,
    RunArgument,
    RunOptions,
    StoreOption,
    trace_options,
    with_options,
)
from quaestor.cli.printing import announce, make_console, print_json, print_refusals
from quaestor.cli.stored import output_file, use_store
from quaestor.errors import RunStoppedError
from quaestor.settings import load_settings

if TYPE_CHECKING:
    from quaestor.application.files import OutputFile
    from quaestor.application.run_service import RunRequest
    from quaestor.application.score_service import ScoredRun, ScoreParts
    from quaestor.datasets.dataset import Dataset
    from quaestor.scoring.audits import AuditedScore
    from quaestor.store.base import RunStore


@with_options
def run_command(
    dataset: DatasetArgument,
    options: RunOptions,
    force: ForceOption = False,
) -> None:
    """Answer every conversation of a dataset, with or without reference answers. Prints the run id."""
    with _explain_interrupt():
        from quaestor.application.resolve import dataset_path
        from quaestor.application.run_service import start_run
        from quaestor.cli.progress import print_run_ontology, show_progress

        path = dataset_path(dataset)
        request, pages = _read_pages(path, options, _request(options, path, None, force=force))

    async def answer_all(opened: "RunStore") -> str:
        with show_progress(pages) as progress:
            return (await start_run(pages, request, opened, progress, print_run_ontology)).id

    print(use_store(request.settings.store, answer_all, create=True))


@with_options
def eval_command(
    dataset: DatasetArgument,
    options: RunOptions,
    results: OutputOptions,
    judge: JudgeOption = None,
) -> None:
    """Answer every conversation of a dataset, then score the answers.

    With --documents, the questions are about whole files: quaestor's own format, or FinanceBench.
    """
    with _explain_interrupt():
        from quaestor.application.prose_judge import judge_prose, require_judge
        from quaestor.application.resolve import dataset_path
        from quaestor.application.run_service import start_run
        from quaestor.application.score_service import score_run
        from quaestor.application.solver_options import is_trained_on, solver_options
        from quaestor.application.tool_advice import count_learned
        from quaestor.cli.progress import print_run_ontology, show_progress
        from quaestor.scoring.gold import read_gold

        path = dataset_path(dataset)
        request = _request(options, path, results.output, force=results.force)
        recordings = [file for file in (options.record, options.replay) if file]
        used = (path, *options.read_files(request.settings), *recordings)
        # Checked before the run, because an error after an hour would be too late.
        output = output_file(results.output, options.store, used, force=results.force) if results.output else None
        request, pages = _read_pages(path, options, request)
        gold = read_gold(path)
        if judge:
            require_judge(path, gold, request.settings, judge)

    if is_trained_on(path, request.settings.solver, solver_options(request.settings, request.overrides)):
        warning = f"these weights were trained on {path}: the score does not generalise to other pages"
        print(f"quaestor: {warning}", file=sys.stderr)

    if options.advice and (known := count_learned(options.advice, (one.id for one in pages.listed))):
        warning = (
            f"{options.advice} was learned from runs over {known} of these {len(pages.conversations)} conversations"
        )
        print(f"quaestor: {warning}: the score does not generalise to others", file=sys.stderr)

    async def answer_and_score(opened: "RunStore") -> "ScoredRun":
        with show_progress(pages, gold) as progress:
            record = await start_run(pages, request, opened, progress, print_run_ontology)
        print(f"run {record.id}", file=sys.stderr)
        wanted: ScoreParts = "turns" if output is not None else "figures"
        judged = await judge_prose(opened, record, pages, request.settings, judge) if judge else gold
        return await score_run(opened, record, pages, judged, request.settings.store, wanted=wanted)

    _report(use_store(request.settings.store, answer_and_score, create=True), pages, output, results.json)


@with_options
def score_command(
    run: RunArgument,
    dataset: DatasetArgument,
    results: OutputOptions,
    audit: AuditOption = None,
    documents: DocumentsOption = None,
    judge: JudgeOption = None,
    store: StoreOption = None,
) -> None:
    """Score a run against the reference answers of its dataset."""
    from quaestor.application.conversation_filter import read_conversations_of_run
    from quaestor.application.file_cache import file_cache
    from quaestor.application.prose_judge import judge_prose, require_judge
    from quaestor.application.resolve import dataset_path
    from quaestor.application.run_service import OVER_DATASETS, find_run
    from quaestor.application.score_service import score_run
    from quaestor.scoring.audits import audited_score, judge_turns, read_audit
    from quaestor.scoring.gold import read_gold

    path, settings = dataset_path(dataset), load_settings({"store": store})
    output = output_file(results.output, store, (path, audit), force=results.force) if results.output else None
    gold, settled = read_gold(path), read_audit(audit) if audit else None
    if judge:
        require_judge(path, gold, settings, judge)

    async def score_stored(opened: "RunStore") -> "tuple[ScoredRun, Dataset]":
        record = await find_run(opened, run, kind=OVER_DATASETS)
        pages = read_conversations_of_run(path, record, file_cache(settings), documents)
        wanted: ScoreParts = "turns" if output is not None else "verdicts" if settled else "figures"
        judged = await judge_prose(opened, record, pages, settings, judge) if judge else gold
        return await score_run(opened, record, pages, judged, settings.store, wanted=wanted), pages

    scored, pages = use_store(store, score_stored)
    audited = None
    if settled:
        judged_turns = judge_turns(scored.run.id, scored.report.turns, pages.conversations, settled)
        audited = audited_score(judged_turns, settled)
    _report(scored, pages, output, results.json, audited)


def _request(options: RunOptions, dataset: Path, output: Path | None, *, force: bool) -> "RunRequest":
    from quaestor.application.resolve import store_file
    from quaestor.application.run_service import RunRequest

    settings = options.load()
    others = [path for path in (store_file(settings.store), output) if path]
    used = [dataset, *options.read_files(settings), *others]
    return RunRequest(
        settings,
        options.limit,
        options.overrides,
        options.resume,
        options.cassette(used, force=force),
        model_named=options.model is not None,
        traces=trace_options(options.traces, used, force=force, go_on=options.resume is not None),
    )


def _read_pages(path: Path, options: RunOptions, request: "RunRequest") -> "tuple[RunRequest, Dataset]":
    """Return the request with its filter applied, and the dataset."""
    from quaestor.application.conversation_filter import read_filtered
    from quaestor.application.file_cache import file_cache
    from quaestor.application.run_service import preload_workers

    preload_workers(request)
    with announce(f"reading {path}"):
        pages, selection = read_filtered(
            path, options.conversation_filter, options.documents, file_cache(request.settings)
        )
    print_refusals(one.page for one in pages.listed)
    return replace(request, selection=selection), pages


@contextmanager
def _explain_interrupt() -> Iterator[None]:
    """Report an interrupt before the run has started."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise RunStoppedError("stopped", None, by_person=True) from error


def _report(
    scored: "ScoredRun",
    dataset: "Dataset",
    output: "OutputFile | None",
    as_json: bool,
    audited: "AuditedScore | None" = None,
) -> None:
    from quaestor.application.reports import score_json, turn_objects
    from quaestor.cli.render_runs import show_audited, show_score

    if output is not None:
        output.write_json_lines(turn_objects(scored, dataset))
    for example in scored.broken:
        # `runs failures` shows the rest of a long reason, such as all gaps of a page.
        reason = (example.error or "").partition("\n")[0]
        onwards = f" from turn {example.turns + 1} on" if example.turns else ""
        print(f"{example.conversation} counts as wrong{onwards}: {reason}", file=sys.stderr)
    if scored.unkept:
        print(f"the score was not saved: {scored.unkept}", file=sys.stderr)
    if as_json:
        print_json({**score_json(scored), **({"audited": audited} if audited else {})})
        return
    console = make_console()
    show_score(console, scored.report.score)
    if audited:
        show_audited(console, audited)
