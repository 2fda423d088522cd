"""Fixtures that tests of essays share with those of the floors that essays stand on."""

from cli.conftest import moot, over
from contrib.server.conftest import client, serving
from metrics.conftest import debate, society, turn
from reports.conftest import hostile

__all__ = ["client", "debate", "hostile", "moot", "over", "serving", "society", "turn"]
