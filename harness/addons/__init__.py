"""What works with machines elsewhere; nothing else needs it."""
