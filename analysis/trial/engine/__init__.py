"""What the engine counts and records of itself, read."""
