"""What is asked about: documents, and the readers of the formats that they come in."""
