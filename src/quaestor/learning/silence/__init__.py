"""Questions that a page does not answer, and the probability that one does, learned from them."""
