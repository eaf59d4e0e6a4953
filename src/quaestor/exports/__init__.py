"""Conversations as files for other programs: workbooks whose answers are live formulas."""
