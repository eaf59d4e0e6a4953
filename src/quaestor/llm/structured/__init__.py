"""One typed object from a model: the mode in which it is asked for, the attempts, and what is in a reply."""
