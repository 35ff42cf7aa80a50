"""What is done with the user's documents apart from campaigns."""
