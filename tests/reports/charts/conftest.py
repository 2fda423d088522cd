"""Runs with everything that figures show, as the tests of what figures are made with have them."""

from reports.charting.conftest import *  # noqa: F403
