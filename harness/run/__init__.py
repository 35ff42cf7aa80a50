"""Running a campaign on hosts."""
