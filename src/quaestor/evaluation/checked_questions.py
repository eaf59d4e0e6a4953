"""Which questions can be asked, whoever answers."""

from quaestor.datasets.dataset import Conversation
from quaestor.errors import QuestionError

MAX_QUESTION = 4_000
"""Characters of a question, at most."""


def check_questions(conversation: Conversation) -> None:
    """Make sure that every question of a conversation can be asked."""
    for number, question in enumerate(conversation.questions, start=1):
        alone = len(conversation.questions) == 1  # as each is of a conversation that goes on
        check_question(question, "the question" if alone else f"question {number} of {conversation.id}")


def check_question(question: str, where: str) -> None:
    """Make sure that a question can be asked."""
    if not question.strip():
        raise QuestionError(f"{where} is empty")
    if not any(character.isalnum() for character in question):
        raise QuestionError(f"{where} has neither words nor numbers")
    if len(question) > MAX_QUESTION:
        raise QuestionError(f"{where} has {len(question):,} characters; the maximum is {MAX_QUESTION:,}")
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise QuestionError(f"{where} is not valid UTF-8; in a terminal, use a UTF-8 locale or set PYTHONUTF8=1")
