"""Bands: bounds on the latent examples of a kind in each head, given the known ones there."""
