"""How right the answers were: reference answers, the benchmark's metrics, breakdowns with their intervals."""
