"""Make a Dataset of tables or curves, check that of a user, and compute from it."""
