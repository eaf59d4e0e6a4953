"""Follow-ups that can mean one thing only: the last answer in another scale, its change from another year."""
