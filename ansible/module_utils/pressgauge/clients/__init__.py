"""The load's clients: their processes, turns and links."""
