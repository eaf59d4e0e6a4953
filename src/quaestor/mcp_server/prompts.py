"""The prompt by which an assistant writes the plan of a question, as the workflow asks a model for it."""

from collections.abc import Mapping

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from quaestor.errors import InputError
from quaestor.mcp_server.calls import sendable
from quaestor.mcp_server.server_context import ServerContext

WRITE_PLAN = Prompt(
    name="write_plan",
    title="Write a plan for a question",
    description="The rules of plans, the part of the document that a question is answered from, and the question. The "
    "plan is computed by the tool calculate.",
    arguments=[
        PromptArgument(name="document", description="The name of a document.", required=False),
        PromptArgument(
            name="conversation", description="The id of a conversation, instead of a document.", required=False
        ),
        PromptArgument(name="question", description="The question.", required=True),
    ],
)
PROMPTS = (WRITE_PLAN,)
"""All prompts."""

_THEN = (
    "Write the plan as JSON (thought_process, steps, and no_answer if there is no answer), and call the tool calculate "
    "with it as plan, with the same question and the same document or conversation. If the plan is rejected, the "
    "message names the step to correct."
)


async def planning_prompt(context: ServerContext, given: Mapping[str, str]) -> GetPromptResult:
    """Return the prompt, filled.

    Raises:
        InputError: An argument is missing, unknown, or stands for nothing.
    """
    if unknown := given.keys() - {"document", "conversation", "question"}:
        raise InputError(
            f"unknown argument {sorted(unknown)[0][:80]!r}; write_plan takes question, document and conversation"
        )
    document, conversation, question = given.get("document"), given.get("conversation"), given.get("question", "")
    page = await context.page_of(document, conversation)
    turns = () if conversation is None else (await context.look(conversation)).turns
    told = await context.bench.planning_prompt(page, question, turns)
    text = sendable(f"{told.system}\n\n{told.page}\n\n{_THEN}")
    return GetPromptResult(
        description=WRITE_PLAN.description, messages=[PromptMessage(role="user", content=TextContent(text=text))]
    )
