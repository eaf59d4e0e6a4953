"""Speed and memory, one file per figure; `make bench` prints them all.

Asserts nothing: a busy machine must not fail a build. Medians, on the public file beside the repository where it is
there, else on the bundled sample.
"""
