"""What stands on the page, in its order."""
