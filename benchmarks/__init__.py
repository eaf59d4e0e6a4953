"""Each figure that the README quotes about speed and memory: one file a figure, printed by `make bench`.

Owns the measuring. Asserts nothing: a busy machine must not fail a build. Medians, on the public file beside the
repository where it is there, else on the bundled sample.
"""
