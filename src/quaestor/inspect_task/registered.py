"""What Inspect finds by its entry point: task, solver, scorer and metrics by their names. Without Inspect: nothing.

All else here and in `application.inspect_log` imports Inspect where it is used, so that each module can be imported
without it.
"""

from quaestor.application.inspect_log.scores import METRICS, SCORER
from quaestor.extras import is_installed
from quaestor.inspect_task.playing import conversation_player
from quaestor.inspect_task.scoring import run_scorer
from quaestor.inspect_task.task import convfinqa_task

if is_installed("inspect_ai"):
    from inspect_ai import task
    from inspect_ai.scorer import metric, scorer
    from inspect_ai.solver import solver

    # With epochs every play of a conversation counts, so scores are not reduced to one a conversation first.
    metrics = {name: metric(name=name, scores="unreduced")(made) for name, made in METRICS.items()}
    official = scorer(metrics=[], name=SCORER)(run_scorer)
    conversation = solver(name="conversation")(conversation_player)
    convfinqa = task(name="convfinqa")(convfinqa_task)
