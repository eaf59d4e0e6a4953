"""What happened in a turn, as typed events: their kinds, the trace that collects them, their lines for people."""
