"""The OpenAI-compatible endpoint: every protocol is a model."""
