"""Running mongods, and what they leave."""
