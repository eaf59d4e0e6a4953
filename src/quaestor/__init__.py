"""Answers a conversation of questions about a page of a financial report, and shows where each number came from."""
