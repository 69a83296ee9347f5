"""How many examples it takes: before they are labeled."""
