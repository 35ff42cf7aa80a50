"""Engines, from where they can be had."""
