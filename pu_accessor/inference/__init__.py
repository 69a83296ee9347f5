"""Inference: rankings -> bounds, tables, metrics."""
