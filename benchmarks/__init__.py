"""Benchmarks of speed and memory, one file per figure; `make bench` prints them all.

They assert nothing, because a busy machine must not fail a build. Figures are medians over the public file next to the
repository if it exists, otherwise over the bundled sample.
"""
