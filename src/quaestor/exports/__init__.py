"""Exports conversations for other programs, among others as workbooks whose answers are live formulas."""
