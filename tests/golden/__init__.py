"""The golden files of moot, and what makes them; see docs/testing.md."""
