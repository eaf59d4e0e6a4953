"""How a plan is found: one strategy a module, all behind one protocol."""
