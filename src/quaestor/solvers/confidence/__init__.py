"""Confidence of a model's answers: measures of an answer, and a calibration learned from them."""
