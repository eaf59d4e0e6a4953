"""Scoring against reference answers: the benchmarks' metrics, breakdowns and confidence intervals."""
