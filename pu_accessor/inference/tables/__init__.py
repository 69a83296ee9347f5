"""Contingency tables, and what follows from them: rates, curves, areas, envelopes, derivatives."""
