"""Arrays of many rankings -> one Dataset; a Dataset of a user -> what can be asked of it."""
