"""What it means: trial records, metrics, effects, verdicts, recommendation and gate. Pure: no file, clock or network."""
