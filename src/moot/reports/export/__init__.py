"""Floor 4b: runs written in the formats that other programs read, a format a file."""
