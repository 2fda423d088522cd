"""Debates as logs of Inspect."""
