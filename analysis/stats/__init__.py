"""What records say together: metrics, effects and verdicts."""
