"""Leagues: models that debate one another, and what their matches say of each."""
