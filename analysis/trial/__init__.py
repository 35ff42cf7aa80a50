"""A trial: its record, and what is read of its evidence."""
