"""Every target, by name."""

from fuzzing import files, graphs, models, numbers, plans, questions, servers

TARGETS = {
    target.name: target
    for module in (numbers, plans, graphs, files, models, questions, servers)
    for target in module.TARGETS
}
"""A run shares its inputs among them by their shares."""
