"""The pages of the protocols say what the protocols say."""

import shlex

import click
import pytest

from build_site import link_protocols
from contents import list_pages, read_summary
from generated_tables import fill_tables
from markdown_tables import settings_table
from moot.cli.ask import ask
from moot.cli.main import moot
from moot.cli.setting_options import parse_settings
from moot.debate.protocol import registry
from moot.reports.portrait import describe_protocol
from moot.studies.dry_run import rehearse_debate, shrink_settings
from protocol_pages import alternatives, as_markdown, example_command, list_shipped_protocols

SHIPPED = list(list_shipped_protocols())


async def draw_page(name, **given):
    found = registry.get(name)
    settings = shrink_settings(found, given)
    held = await rehearse_debate(found, found.check(settings))
    return as_markdown(describe_protocol(found), [(settings, held)])


@pytest.mark.parametrize("protocol", SHIPPED, ids=lambda each: each.name)
def test_the_command_to_try_it_is_one(protocol):
    words = shlex.split(example_command(protocol).replace("\\\n", " "))
    assert words[:2] == ["moot", "ask"]
    given = ask.make_context("ask", words[2:], click.Context(moot, **moot.context_settings)).params
    assert given["protocol"] == protocol.name
    if protocol.is_installed:
        protocol.check(parse_settings(given["settings"]))


async def test_the_page_of_a_protocol():
    page = await draw_page("single")
    assert page.startswith("# single\n\nAsk one agent once and take its answer.\n\nUse it ")
    assert "nothing checks the answer.\n\n" in page
    assert "no answer can be read.\n\n- Source: " in page
    calls = "\n- Calls of one debate: `1` to `tries`; at default settings 1\n- Roles: `agent`\n"
    assert calls in page
    assert "\n## Settings\n\n| setting | values | default | meaning |\n" in page
    assert "\n| `tries` | int >= 1 <= 10 | `1` | " in page
    assert "| `temperature` |" not in page
    assert "## Agreement" not in page
    assert page.endswith("verdict by answer        ●\n```\n")


async def test_other_settings_and_where_it_differs_from_its_paper_are_told():
    page = await draw_page("society-of-minds", summary=True, agents=2)
    assert "\nWith `summary = true`, `agents = 2`:\n\n```text\n   " in page
    differs = describe_protocol(registry.get("sparse-debate")).differs[0].replace("``", "`")
    assert "\n| `stop` | str |  | checks after each round" in page
    section = f"\n## Where it differs from paper and code\n\n- {differs}\n"
    assert section in await draw_page("sparse-debate")


async def test_a_page_shows_how_agents_are_told_to_agree():
    page = await draw_page("multi-persona")
    table = page.partition("\n## Agreement\n")[2].partition("\n## ")[0]
    assert "The instruction stands in `step.oppose`." in table
    rows = dict(row.strip("| ").split(" | ") for row in table.splitlines() if row.startswith("| "))
    del rows["`agreement`"]
    pack = registry.get("multi-persona").pack()
    assert rows == {str(percent): pack.agreement(percent) for percent in range(0, 101, 10)}


def test_switches_and_choices_have_alternatives():
    assert list(alternatives(registry.get("society-of-minds"))) == [
        {"exchange": "sequential"},
        {"summary": True},
        {"memory": "last"},
        {"faithful": "paper"},
        {"faithful": "code"},
    ]
    assert list(alternatives(registry.get("single"))) == [
        {"faithful": "paper"},
        {"faithful": "code"},
    ]


def test_a_bar_in_a_table_does_not_end_its_cell():
    rows = settings_table(describe_protocol(registry.get("society-of-minds")).settings).splitlines()
    assert {row.replace("\\|", "").count("|") for row in rows} == {5}


def test_the_table_of_choices_says_what_each_gives():
    table = fill_tables("<!-- table of choices -->\nelse\n<!-- end -->\n")
    rows = {row.split("`")[1]: row for row in table.splitlines()[2:]}
    assert rows.keys() == {each.name for each in SHIPPED}
    places = [registry.get(name).group.place for name in rows]
    assert places == sorted(places)
    assert " | essays | 1 | one is enough | essays |" in rows["essay-direct"]
    assert " | short answers, open texts | 9 | several | councils |" in rows["council"]
    assert " | short answers | 5 | one is enough | votes |" in rows["self-consistency"]
    assert " | studies | 2 | one is enough | " in rows["planted-peers"]
    assert " | motions | 11 to 13 | several | " in rows["debate-match"]


def test_links_to_the_overview_that_name_a_protocol_lead_to_its_page():
    page = "[a](protocols/README.md#council) [b](../protocols/README.md#agreement) [c](README.md#x)"
    assert link_protocols(page) == page.replace("README.md#council", "council.md")


def test_contents_are_in_sections_and_a_folder_stands_for_its_other_pages(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "SUMMARY.md").write_text(
        "- [One](one.md)\n    - [Two](more/b.md)\n    - [All](more/)\n- [Last](z.md)\n"
    )
    for name in ("more/a", "more/b", "more/c"):
        (tmp_path / f"{name}.md").write_text(f"# 2026-01-02: {name}\n\nIt is *{name}*. More.\n")
    found = list_pages(tmp_path)
    assert [(title, [name for name, _ in pages]) for title, pages in found] == [
        ("One", ["One", "Two", "more/a", "more/c"]),
        ("Last", ["Last"]),
    ]
    assert read_summary(tmp_path / "more" / "a.md") == "It is *more/a*."
