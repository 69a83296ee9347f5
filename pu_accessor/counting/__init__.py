"""Count scores and labels into rankings: in memory, in pieces or on a cluster."""
