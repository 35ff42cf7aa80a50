"""The host: what it is, what runs on it, and what it may use."""
