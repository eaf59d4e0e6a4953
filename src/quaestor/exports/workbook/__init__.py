"""Exports conversations as a workbook: inputs in the cells where the page prints them, and answers as formulas."""
