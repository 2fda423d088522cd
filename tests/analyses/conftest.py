"""Results and transcripts made by hand, as the tests of reports have them."""

from reports.conftest import *  # noqa: F403
