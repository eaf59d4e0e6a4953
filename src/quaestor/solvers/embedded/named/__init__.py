"""Measures that analysts call by name, computed from the lines of a filing's statements: no ranking is needed."""
