"""Statistics one can trust: each a pure function, seeded where it draws, of numbers alone."""
