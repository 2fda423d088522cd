"""What tests of the core have, too: the command line, and results made by hand."""

from cli.conftest import moot
from reports.conftest import *  # noqa: F403

__all__ = ["moot"]
