"""Everything registered stands on its page."""

from pathlib import Path

import pytest

from moot.datasets.dataset import registry as datasets
from moot.debate.protocol import registry as protocols
from moot.metrics.metric import registry as metrics
from moot.models.names import registry as models

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("protocols.md", [each.name for each in protocols if "moot." in each.algorithm.__module__]),
        ("datasets.md", [each.name for each in datasets if "moot." in each.read.__module__]),
        ("metrics.md", [each.name for each in metrics if "moot." in each.function.__module__]),
        ("models.md", [name for name in models.names() if name != "http"]),
    ],
)
def test_everything_registered_is_documented(page, names):
    text = (DOCS / page).read_text()
    assert names
    assert [name for name in names if name not in text] == []


def test_every_page_is_linked_from_the_readme():
    readme = (DOCS.parent / "README.md").read_text()
    pages = [page.name for page in DOCS.glob("*.md")]
    assert [page for page in pages if f"docs/{page}" not in readme] == []


@pytest.mark.parametrize("page", [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))],
                         ids=lambda page: page.name)  # fmt: skip
def test_links_lead_somewhere(page):
    import re

    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target
