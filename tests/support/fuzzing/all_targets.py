"""All targets by name."""

from fuzzing import files, graphs, models, numbers, plans, questions, servers

TARGETS = {
    target.name: target
    for module in (numbers, plans, graphs, files, models, questions, servers)
    for target in module.TARGETS
}
"""A run distributes its inputs among the targets in proportion to their shares."""
