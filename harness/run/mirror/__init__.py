"""A deployment looked at, and made into a campaign."""
