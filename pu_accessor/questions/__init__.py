"""One question to many rankings, beta read once; the answers -> one tidy frame."""
