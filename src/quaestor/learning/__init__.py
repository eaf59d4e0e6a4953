"""Training of weights from labelled conversations: the only package in which reference answers meet features.

Lower layers cannot import this package, so no solver can read reference answers.
"""
