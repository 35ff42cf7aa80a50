"""From a trial's evidence to its record, and back."""
