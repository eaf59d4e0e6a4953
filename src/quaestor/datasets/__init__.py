"""What is asked: conversations about documents, and the formats of the files that they come in."""
