"""``python -m moot``."""

from moot.cli.main import entry

entry()
