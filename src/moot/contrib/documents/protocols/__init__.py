"""Protocols whose agents read documents, one file each."""
