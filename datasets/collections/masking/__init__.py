"""Anonymises documents, each value by one of its type and length: the same value by the same one, wherever it is."""
