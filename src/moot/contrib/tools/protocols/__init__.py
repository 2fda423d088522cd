"""The protocol of two agents that look things up in different sources."""
