"""Validation of questions, independent of the solver."""

from quaestor.datasets.dataset import Conversation
from quaestor.errors import QuestionError

MAX_QUESTION = 4_000
"""Maximum number of characters in a question."""


def check_questions(conversation: Conversation) -> None:
    """Raise QuestionError if a question of a conversation is invalid."""
    for number, question in enumerate(conversation.questions, start=1):
        alone = len(conversation.questions) == 1  # also true for each question of an interactive conversation
        check_question(question, "the question" if alone else f"question {number} of {conversation.id}")


def check_question(question: str, where: str) -> None:
    """Raise QuestionError if a question is invalid."""
    if not question.strip():
        raise QuestionError(f"{where} is empty")
    if not any(character.isalnum() for character in question):
        raise QuestionError(f"{where} has neither words nor numbers")
    if len(question) > MAX_QUESTION:
        raise QuestionError(f"{where} has {len(question):,} characters; the maximum is {MAX_QUESTION:,}")
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise QuestionError(f"{where} is not valid UTF-8; in a terminal, use a UTF-8 locale or set PYTHONUTF8=1")
