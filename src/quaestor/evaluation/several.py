"""Questions as people put them, several in one, as questions that are answered one by one.

Owns what becomes of a text that asks several things, for every door and every solver; which it asks,
`questions.splitting` says. A benchmark's questions are played as they are.
"""

from dataclasses import replace

from quaestor.datasets.dataset import Conversation
from quaestor.errors import QuestionError
from quaestor.questions.splitting import QuestionPart, split_question


def taken_apart(conversation: Conversation) -> Conversation:
    """Returns a conversation in which each question asks one thing, in the order asked.

    Args:
        conversation: As a person asked; each question can be asked.

    Raises:
        QuestionError: A question asks several things, and it is not clear which.
    """
    questions: list[str] = []
    parts: list[QuestionPart | None] = []
    for number, question in enumerate(conversation.questions, start=1):
        split = split_question(question)
        if split.unclear is not None:
            raise QuestionError(f"question {number} of {conversation.id} is ambiguous: {split.unclear}")
        several = len(split.parts)
        for place, part in enumerate(split.parts, start=1):
            questions.append(part)
            parts.append(QuestionPart(question, place, several) if several > 1 else None)
    if not any(parts):
        return conversation
    return replace(conversation, questions=tuple(questions), parts=tuple(parts))
