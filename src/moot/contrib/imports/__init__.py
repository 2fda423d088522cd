"""Other people's logs as runs of moot, and the open format in which anybody can publish debates."""
