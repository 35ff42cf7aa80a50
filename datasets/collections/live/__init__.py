"""A collection on a server that is in use, sampled."""
