"""A conversation as a workbook: inputs where the page prints them, each answer a formula over them."""
