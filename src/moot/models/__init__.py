"""Floor 0b: whatever answers a call, one file a kind."""
