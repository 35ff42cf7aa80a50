"""Two sides held against each other, and the history of a campaign."""
