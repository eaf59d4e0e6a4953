"""Conversations: questions, answers, events and references between turns."""
