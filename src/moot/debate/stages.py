"""Stages: a debate ends after one of them, and goes on from what is given of earlier ones."""

from collections.abc import Mapping

StageFormulas = Mapping[str, tuple[str, str]]
"""By the name of each stage, in order, the formulas of its fewest and its most calls."""


class StageReached(Exception):
    """A debate has reached the end of the stage after which it is to end."""
