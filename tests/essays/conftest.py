"""Fixtures that tests of essays share with those of the floors that essays stand on."""

import pytest

from cli.conftest import moot, over
from metrics.conftest import debate, society, turn
from moot.statistics import intervals
from reports.conftest import hostile
from server.conftest import client, serving

__all__ = ["client", "debate", "hostile", "moot", "over", "serving", "society", "turn"]


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Fewer random weights for intervals of few propositions; tests/statistics has them all."""
    monkeypatch.setattr(intervals, "_KEPT", 400_000)
    intervals._weigh_questions.cache_clear()
    yield
    intervals._weigh_questions.cache_clear()
