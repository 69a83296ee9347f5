"""AUROC, average precision, and any metric at one cutoff, with intervals."""
