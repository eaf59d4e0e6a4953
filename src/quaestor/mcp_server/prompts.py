"""The prompt by which an assistant writes the plan of a question, as the workflow asks a model for it."""

from collections.abc import Mapping

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from quaestor.errors import InputError
from quaestor.mcp_server.calls import sendable
from quaestor.mcp_server.house import House

WRITE_PLAN = Prompt(
    name="write_plan",
    title="Write the plan of a question",
    description="The rules of plans, the part of the document that a question is answered from, and the question. The "
    "plan is computed by the tool calculate.",
    arguments=[
        PromptArgument(name="document", description="The document by its name.", required=False),
        PromptArgument(name="conversation", description="Or the id of a conversation about one.", required=False),
        PromptArgument(name="question", description="What is asked.", required=True),
    ],
)
PROMPTS = (WRITE_PLAN,)
"""All prompts."""

_THEN = (
    "Write the plan as JSON (thought_process, steps, and no_answer where there is no answer), and call the tool "
    "calculate with it as plan, with the same question and the same document or conversation. Where it is refused, the "
    "message says which step to mend."
)


async def planning_prompt(house: House, given: Mapping[str, str]) -> GetPromptResult:
    """Returns the prompt, filled.

    Raises:
        InputError: An argument is missing, unknown, or stands for nothing.
    """
    if unknown := given.keys() - {"document", "conversation", "question"}:
        raise InputError(f"write_plan takes document or conversation, and question, not {sorted(unknown)[0][:80]!r}")
    document, conversation, question = given.get("document"), given.get("conversation"), given.get("question", "")
    if (document is None) == (conversation is None):
        raise InputError("give write_plan either document or conversation")
    page = await house.page_of(document, conversation)
    turns = () if conversation is None else (await house.look(conversation)).turns
    told = await house.bench.planning_prompt(page, question, turns)
    text = sendable(f"{told.system}\n\n{told.page}\n\n{_THEN}")
    return GetPromptResult(
        description=WRITE_PLAN.description, messages=[PromptMessage(role="user", content=TextContent(text=text))]
    )
