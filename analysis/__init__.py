"""What it means: trial records, metrics, effects, verdicts and recommendation. Pure: no file, clock or network."""
