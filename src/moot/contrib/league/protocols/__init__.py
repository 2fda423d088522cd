"""The protocol of a match."""
