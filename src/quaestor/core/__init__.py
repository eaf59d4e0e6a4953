"""Basic values and tools that depend on no other part of the package: quantities, periods, text, workers."""
