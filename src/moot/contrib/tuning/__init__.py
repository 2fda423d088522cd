"""Tuning: what may be set, on which questions it is tried, and the search for the best of it."""
