"""Everything registered stands on its page."""

import re
from pathlib import Path

import pytest

from moot.analyses.analysis import registry as analyses
from moot.datasets.dataset import registry as datasets
from moot.debate.protocol import registry
from moot.metrics.metric import registry as metrics
from moot.models.model_names import model_registry as models
from moot.parsing.parsers import registry as parsers
from moot.prompts.packs import ALONE, EVERYWHERE, NAMED

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("protocols/README.md", [f"({each.name}.md)" for each in list_shipped_protocols()]),
        ("datasets.md", [each.name for each in datasets if "moot." in each.read.__module__]),
        ("metrics.md", [each.name for each in metrics if "moot." in each.function.__module__]),
        ("prompts.md", [f"| `{name}` |" for name in parsers.names()]),
        ("prompts.md", [f"| `{name}` |" for name in EVERYWHERE]),
        ("prompts.md", [f"| `{name}" for name in (*NAMED, *ALONE)]),
        ("prompts.md", [f"`{name}`" for name in registry.get("single").pack().styles]),
        ("analyses.md", [f"`{name}`" for name in analyses.names()]),
        ("models.md", [name for name in models.names() if name != "http"]),
    ],
)
def test_everything_registered_is_documented(page, names):
    text = (DOCS / page).read_text()
    assert names
    assert [name for name in names if name not in text] == []


PAGES = [*sorted(DOCS.parent.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS.parent)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_page_on_tests_names_what_they_share():
    page = (DOCS / "testing.md").read_text()
    shared = {
        each.stem for each in (DOCS.parent / "tests" / "support").iterdir() if each.stem[0] != "_"
    }
    named = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert shared == named
