"""What no campaign may ask for though each of its keys is valid by itself."""
