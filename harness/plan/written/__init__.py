"""Campaigns that are written for the user."""
