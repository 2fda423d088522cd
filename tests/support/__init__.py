"""What several test files share; docs/testing.md says what is where."""
