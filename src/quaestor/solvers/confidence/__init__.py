"""How sure an answer of a model is: what is measured of it, and the one number that was learned from that."""
