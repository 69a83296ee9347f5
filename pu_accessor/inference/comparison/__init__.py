"""Two models or more: which has the higher AUROC, whose curve lies above, and at which betas."""
