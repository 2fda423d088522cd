"""Readers of foreign logs, one file each."""

FORMATS: dict[str, str] = {}
"""The formats in each module."""
