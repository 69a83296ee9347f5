"""What beta can be: from a ranking, or from labels made by hand."""
