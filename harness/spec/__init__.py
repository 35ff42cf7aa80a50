"""The campaign that a user writes, and how it is read."""
