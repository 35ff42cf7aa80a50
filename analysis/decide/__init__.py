"""The decision of a campaign."""
