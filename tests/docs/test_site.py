"""The documentation: complete, without dead links, and a site that needs itself alone."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urldefrag

import click
import pytest

import contents
import moot
from build_site import build_site, write_docs
from generated_tables import MARKED, TABLES
from moot.analyses.analysis import registry as analyses
from moot.cli.main import moot as cli
from moot.datasets.dataset import registry as datasets
from moot.debate.decision import registry as decisions
from moot.debate.protocol import registry as protocols
from moot.debate.stop_rule import registry as stops
from moot.metrics.metric import registry as metrics
from moot.models.model_names import model_registry as models
from moot.parsing.parser import registry as parsers
from moot.prompts.packs import ALONE, EVERYWHERE, NAMED
from protocol_pages import list_shipped_protocols
from support.shown import ROOT

FOUND = {
    "links": re.compile(r'<a\b[^>]* href="([^"]+)"'),
    "ids": re.compile(r'<[^>]* (?:id|name)="([^"]+)"'),
    "loaded": re.compile(r'<(?:script|img|iframe|source|link)\b[^>]* (?:src|href)="([^"]+)"'),
}
PROTOCOLS = [each.name for each in list_shipped_protocols()]
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def docs(tmp_path_factory) -> Path:
    """All pages, those made from the code too."""
    folder = tmp_path_factory.mktemp("pages") / "docs"
    write_docs(folder)
    return folder


def list_own(registry, function):
    return [each.name for each in registry if function(each).__module__.startswith("moot.")]


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("choose.md", [f"(protocols/{name}.md)" for name in PROTOCOLS]),
        ("protocols/README.md", [f"| `{n}` |" for n in list_own(decisions, lambda e: e.rule)]),
        ("protocols/README.md", [f"| `{name}` |" for name in list_own(stops, lambda e: e.check)]),
        ("datasets.md", list_own(datasets, lambda e: e.read)),
        ("metrics.md", [f"| `{name}` |" for name in list_own(metrics, lambda e: e.function)]),
        ("prompts.md", [f"| `{name}` |" for name in parsers.names()]),
        ("prompts.md", [f"| `{name}` |" for name in EVERYWHERE]),
        ("prompts.md", [f"| `{name}" for name in (*NAMED, *ALONE)]),
        ("prompts.md", [f"`{name}`" for name in protocols.get("single").pack().styles]),
        ("analyses.md", [f"`{name}`" for name in analyses.names()]),
        ("models.md", [name for name in models.names() if name != "http"]),
        ("cli.md", [f"## `moot {name}`" for name in cli.list_commands(click.Context(cli))]),
    ],
)
def test_everything_registered_is_documented(docs, page, names):
    text = (docs / page).read_text()
    assert names
    assert [name for name in names if name not in text] == []


def test_every_table_that_is_made_is_asked_for_and_no_other():
    asked = [
        name for page in (ROOT / "docs").rglob("*.md") for name in MARKED.findall(page.read_text())
    ]
    assert sorted(asked) == sorted(TABLES)


def test_links_lead_somewhere(docs):
    """In the site's pages, and in those written by hand where they are read in the repository."""
    dead = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *docs.rglob("*.md")]:
        dead += [
            (page, to) for to in LINK.findall(page.read_text()) if not (page.parent / to).exists()
        ]
    assert dead == []
    assert "](protocols/README.md#council)" in (ROOT / "docs" / "councils.md").read_text()
    assert "](protocols/council.md)" in (docs / "councils.md").read_text()


def test_every_page_is_in_the_contents_once_and_every_protocol_has_one(docs):
    listed = [page for _, pages in contents.list_pages(docs) for _, page in pages]
    assert sorted(listed) == sorted({*docs.rglob("*.md")} - {docs / "SUMMARY.md"})
    assert {page.stem for page in (docs / "protocols").glob("*.md")} == {"README", *PROTOCOLS}


def test_each_page_that_a_language_model_is_told_of_has_a_sentence_and_is_there(docs):
    lines = re.findall(r"^- \[.+\]\((.+)\): ?(.*)$", (docs / "llms.txt").read_text(), re.MULTILINE)
    assert len(lines) > 80
    wrong = [to for to, said in lines if len(said) < 15 or not (docs / to).is_file()]
    assert wrong == []


def test_the_reference_names_all_that_is_public_once():
    text = "".join(page.read_text() for page in (ROOT / "docs" / "reference").glob("*.md"))
    assert sorted(re.findall(r"^::: moot\.(\w+)$", text, re.MULTILINE)) == moot.__all__


def test_the_page_on_tests_names_what_they_share():
    shared = {each.stem for each in (ROOT / "tests" / "support").iterdir() if each.stem[0] != "_"}
    page = (ROOT / "docs" / "testing.md").read_text()
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == shared


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, as ``make docs`` builds it."""
    folder = tmp_path_factory.mktemp("documentation") / "site"
    build_site(folder)
    return folder


@pytest.fixture(scope="module")
def built(site) -> dict[Path, dict[str, set[str]]]:
    """What each page of the site has: links, ids, and the files that it loads."""
    texts = {file: file.read_text("utf-8") for file in site.rglob("*.html")}
    return {
        file: {name: set(map(unescape, wanted.findall(text))) for name, wanted in FOUND.items()}
        for file, text in texts.items()
    }


@pytest.mark.soak
def test_no_link_of_the_site_is_dead_and_no_page_loads_anything_from_elsewhere(site, built):
    assert len(built) > 130
    dead = []
    for file, page in built.items():
        for link in page["links"] | page["loaded"]:
            if file.name == "404.html" or re.match(r"[a-z]+:", link):
                continue  # the links of the one are those of a server's root
            path, anchor = urldefrag(unquote(link))
            target = (file.parent / path).resolve() if path else file
            target = target / "index.html" if target.is_dir() else target
            known = built.get(target, {"ids": {anchor}})["ids"] | {"", "__skip"}
            if not target.is_file() or anchor not in known:
                dead.append((file, link))
    assert dead == []
    assert {url for page in built.values() for url in page["loaded"] if "//" in url} == set()


@pytest.mark.soak
def test_the_reference_has_the_docstrings_and_no_page_tells_of_this_machine(site, built):
    every = "".join(page.read_text() for page in (site / "reference").glob("*.html"))
    assert [name for name in moot.__all__ if f'id="moot.{name}"' not in every] == []
    assert "moot.Debate.ask" in every  # methods that it inherits, too
    here = (str(ROOT), str(Path.home()), "site-packages")
    for file in [*built, site / "search.json", site / "llms.txt"]:
        text = file.read_text("utf-8")
        assert [word for word in here if word in text] == [], file


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_pages_fit_and_ask_for_their_own_files_alone(site, browser, scheme):
    asked = []
    async with browser(color_scheme=scheme) as tab:
        tab.page.on("request", lambda request: asked.append(request.url))
        for name in ("index", "choose", "metrics", "cli", "reference/debates", "protocols/council"):
            await tab.page.goto((site / f"{name}.html").as_uri())
            for width in (390, 768, 1280, 1600):
                await tab.page.set_viewport_size({"width": width, "height": 900})
                assert await tab.fits(), (name, width)
        tab.complaints.clear()  # the search needs a server
    assert asked
    assert [url for url in asked if not url.startswith((site.as_uri(), "data:", "blob:"))] == []


@pytest.mark.soak
async def test_a_protocol_is_chosen_by_question_budget_and_models_without_a_server(site, browser):
    async with browser() as tab:
        missing = []
        tab.page.on("requestfailed", lambda request: missing.append(request.url))
        await tab.page.goto((site / "choose.html").as_uri())
        shown = tab.page.locator("table.choices tbody tr:visible td:first-child")
        status = tab.page.locator("form.choose [role=status]")
        assert sorted(await shown.all_inner_texts()) == sorted(PROTOCOLS)
        await tab.page.get_by_label("It should give").select_option("essays")
        await tab.page.get_by_label("Calls for one question").fill("2")
        assert await shown.all_inner_texts() == ["essay-direct", "essay-plan"]
        assert await status.inner_text() == f"2 of {len(PROTOCOLS)} protocols"
        await tab.page.get_by_label("It should give").select_option("open texts")
        await tab.page.get_by_label("Calls for one question").fill("9")
        await tab.page.get_by_label("Models").select_option("several")
        assert set(await shown.all_inner_texts()) == {"council", "jury", "panel-review"}
        await tab.page.get_by_label("With the words").fill("nothing has these words")
        assert await shown.count() == 0
        await tab.accessible()
        assert missing == [(site / "search.js").as_uri()]
        tab.complaints.clear()
