"""Entry point of Inspect: registers task, solver, scorer and metrics by name, if Inspect is installed.

Other modules here and in `application.inspect_log` import Inspect inside functions, so that they can be imported
without it.
"""

from quaestor.application.inspect_log import METRICS, SCORER
from quaestor.extras import is_installed
from quaestor.inspect_task.playing import conversation_solver
from quaestor.inspect_task.task import convfinqa_task, run_scorer

if is_installed("inspect_ai"):
    from inspect_ai import task
    from inspect_ai.scorer import metric, scorer
    from inspect_ai.solver import solver

    # With epochs, each run of a conversation counts, so scores are not first reduced to one per conversation.
    metrics = {name: metric(name=name, scores="unreduced")(made) for name, made in METRICS.items()}
    official = scorer(metrics=[], name=SCORER)(run_scorer)
    conversation = solver(name="conversation")(conversation_solver)
    convfinqa = task(name="convfinqa")(convfinqa_task)
