"""A document as a page shows it: in parts that are fetched as they are needed, every cell and sentence with a key."""
