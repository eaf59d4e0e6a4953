"""The benchmark ConvFinQA: its pages, its records, and the two formats of its files."""
