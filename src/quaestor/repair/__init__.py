"""Corrections of a person, applied: numbers, plans, turns, and what might be chosen instead. No model is asked."""
