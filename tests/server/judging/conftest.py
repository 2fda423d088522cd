"""The browser that tests of pages have."""

from server.pages.conftest import browser  # noqa: F401 -- a fixture
