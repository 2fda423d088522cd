"""The pages of the protocols are there, and say what the protocols say."""

import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from moot.cli import pages
from moot.cli.ask import ask
from moot.cli.main import moot
from moot.cli.setting_options import parse_settings

FOLDER = Path(__file__).parents[2] / "docs" / "protocols"
SHIPPED = list(pages.list_shipped_protocols())
HERE = [each for each in SHIPPED if each.is_installed]
AGAIN = "run: python -m moot.cli.pages"

every_protocol = pytest.mark.parametrize("protocol", HERE, ids=lambda each: each.name)


def test_each_protocol_has_its_page_and_no_other_has():
    names = {f"{each.name}.md" for each in SHIPPED}
    assert {page.name for page in FOLDER.glob("*.md")} == {"README.md", *names}, AGAIN


@every_protocol
def test_the_page_is_as_generated(protocol):
    text = (FOLDER / f"{protocol.name}.md").read_text("utf-8")
    assert text == pages.write_page(protocol, text), AGAIN


def test_the_tables_of_the_overview_are_as_generated():
    text = (FOLDER / "README.md").read_text("utf-8")
    assert text == pages.fill_overview(text), AGAIN


@every_protocol
def test_the_transcript_is_of_the_command_beside_it(protocol):
    text = (FOLDER / f"{protocol.name}.md").read_text("utf-8")
    shown = text.partition(pages.TRANSCRIPT)[2]
    again = f"python -m moot.cli.pages --transcripts {protocol.name}"
    assert f"```sh\n{pages.transcript_command(protocol)}\nmoot show ask\n```" in shown, again
    assert f"\n{protocol.name}\nmodel = local/smollm2, " in shown, again
    assert "verdict: " in shown
    assert "imulated" not in shown


@every_protocol
def test_the_command_is_one(protocol):
    words = shlex.split(pages.transcript_command(protocol).replace("\\\n", " "))
    assert words[:2] == ["moot", "ask"]
    whole = click.Context(moot, **moot.context_settings)
    given = ask.make_context("ask", words[2:], whole).params
    assert given["protocol"] == protocol.name
    protocol.check(parse_settings(given["settings"]))


def test_pages_are_written_and_transcripts_kept(tmp_path):
    page = tmp_path / "single.md"
    page.write_text(f"old\n{pages.TRANSCRIPT}\nwhat was said\n{pages.END}\n")
    done = CliRunner().invoke(pages.pages, ["single", "--into", str(tmp_path)])
    assert done.exit_code == 0
    text = page.read_text()
    assert text.startswith(f"# single\n\n{pages.BY}\n")
    assert text.endswith(f"\n{pages.TRANSCRIPT}\nwhat was said\n{pages.END}\n")
    assert list(tmp_path.iterdir()) == [page]


@pytest.mark.slow
def test_a_transcript_is_made_on_the_embedded_model(tmp_path):
    done = CliRunner().invoke(pages.pages, ["single", "--transcripts", "--into", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "#1 agent (agent, local/smollm2)" in (tmp_path / "single.md").read_text()


def test_an_overview_without_a_place_for_its_tables_is_an_error(tmp_path):
    (tmp_path / "README.md").write_text("# Protocols\n")
    done = CliRunner().invoke(pages.pages, ["single", "--into", str(tmp_path)])
    assert done.exit_code == 1
    assert "no place for the table of protocols" in done.output
