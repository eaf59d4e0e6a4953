"""From ranked candidates to answers: several readings of a conversation side by side."""
