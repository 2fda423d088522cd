"""Frameworks of others that hold a conversation of agents, with moot as their model."""
