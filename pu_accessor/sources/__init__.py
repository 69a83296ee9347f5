"""Sources: columns of any kind -> rankings."""
