"""Whatever can be given to the program, given in the millions: targets, what drives them, and what is reported."""
