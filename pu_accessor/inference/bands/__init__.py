"""Bounds on the hidden examples above a cutoff, given the known ones there."""
