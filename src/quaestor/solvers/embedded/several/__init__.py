"""Answers that are several numbers: one thing at several times, or several things at one."""
