"""Answers in words of the text: the sentence that says it, and the part of it that is the answer."""
