"""What Python users do: open a file, ask it, keep a conversation, evaluate; and how results show themselves.

A door as the command line is one: what can be done is in `quaestor.application`. The names that are for users are
those of `quaestor.__all__`, and `quaestor.open`.
"""
