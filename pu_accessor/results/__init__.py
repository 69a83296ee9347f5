"""One question to many rankings: the arrays of their answers -> one Dataset or frame."""
