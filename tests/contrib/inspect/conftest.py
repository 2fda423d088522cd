"""A run with everything an export has to carry."""

from reports.export.conftest import *  # noqa: F403
