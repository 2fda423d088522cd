"""moot: a laboratory and runtime for multi-agent debate."""
