"""What the load's clients are given, and how long they run."""
