"""The Python API: open a file, ask questions, keep a conversation, evaluate a solver; display of results in notebooks.

Like the command line, it is a thin layer over `quaestor.application`. The public names are those of
`quaestor.__all__`, and `quaestor.open`.
"""
