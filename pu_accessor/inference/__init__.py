"""Rankings -> plain arrays: bands, tables, estimates, what beta can be, comparisons."""
