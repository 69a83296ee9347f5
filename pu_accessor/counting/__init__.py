"""Scores and labels -> rankings, by counting: in memory, in pieces or on a cluster."""
