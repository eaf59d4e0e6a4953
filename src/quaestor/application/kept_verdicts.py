"""The verdicts that are kept of runs, beside the references that they were judged by, as long as these are the same.

What kind of turn each is tell the references beside the numbers of the pages; no answer is judged again, and no turn
is read.
"""

from collections.abc import Sequence

from quaestor.application.asked_pages import AskedPage
from quaestor.application.judged_turns import ComparedTurn, JudgedTurns
from quaestor.application.kept_scores import read_judged_columns
from quaestor.application.run_references import Gold, is_by
from quaestor.core.computing import compute
from quaestor.scores.columns import JudgedColumns
from quaestor.scoring.breakdowns import classes_of_kind
from quaestor.scoring.scorers import Measures, measures_of
from quaestor.scoring.taxonomy import turn_kinds
from quaestor.store.records import RunRecord


async def kept_verdicts(
    scores_in: str, run: RunRecord, asked: Sequence[AskedPage], gold: Gold, scorer: str | None
) -> JudgedTurns | None:
    """Returns the judged turns of a run, in the file's order.

    Args:
        scores_in: The URI of the store.
        run: The run as it is now.
        asked: All that it was asked.
        gold: The references.
        scorer: Whose verdicts are wanted; None those that say what is right.

    Returns:
        None where they have to be judged anew: the run was not scored, or went on since, by another version or other
        references, or such verdicts are not kept.

    Raises:
        StoreError: The store cannot be read.
    """
    score, columns = await read_judged_columns(scores_in, run)
    if score is None or columns is None or not is_by(score, gold):
        return None
    measures = measures_of(score.metrics)
    # Of a share, such as F1, no more is kept than in the figures.
    if scorer not in (None, measures.right, "program"):
        return None
    return await compute(_beside, columns, measures, asked, gold)


def _beside(columns: JudgedColumns, measures: Measures, asked: Sequence[AskedPage], gold: Gold) -> JudgedTurns | None:
    kept = {(row.conversation, row.index): row for row in columns.rows()}
    turns: list[ComparedTurn] = []
    for one in asked:
        for kind in turn_kinds(gold[one.conversation], one.numbers, joined=one.joined):
            row = kept.pop((one.conversation, kind.index), None)
            if row is None:
                return None
            verdicts = {measures.right: row.correct, measures.beside: row.program_correct}
            turns.append(
                ComparedTurn(
                    row.conversation,
                    row.index,
                    one.page,
                    one.company or one.page,
                    classes_of_kind(kind, measures),
                    row.number,
                    verdicts,
                    row.confidence,
                )
            )
    return None if kept else JudgedTurns.of(turns)
