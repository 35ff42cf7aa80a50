"""Mixes of one's own: what they may say, how they are read, and what the data must have for them."""
