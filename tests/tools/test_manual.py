"""docs/cli.md is what the commands say of themselves."""

from pathlib import Path

from moot.cli.manual import write_manual


def test_the_page_is_as_generated():
    page = Path(__file__).parents[2] / "docs" / "cli.md"
    assert page.read_text() == write_manual(), "run: python -m moot.cli.manual > docs/cli.md"
