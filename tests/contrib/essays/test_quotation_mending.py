"""Quotation mending: the writer is asked once, and what remains is struck."""

import json
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

import moot
from moot.contrib.essays.essay_forms import essay_markdown, essay_page, essay_view
from moot.contrib.essays.quoting.quotation_check import check_quotations, strike_quote
from moot.contrib.essays.text_measures import words as count_words
from moot.core.events import Passage
from support.report_page import Page

NOTES = """The Riverside Museum dropped its fee in 2016. Visits rose by 31 per cent.
"We see families who never came before," the curator said.
"""
TRUE = "“We see families who never came before” [1]"
FIRST = f"Yes: {TRUE}. “Every family stayed at home,” she adds [1]. Visits fell by 9 % [1]."


LINES = (Path(__file__).parent / "quoting" / "quotations.jsonl").read_bytes().splitlines()


def show_plainly(written):
    """The essay in a terminal without styles."""
    file = StringIO()
    Console(file=file, width=300, highlight=False, no_color=True).print(essay_view(written))
    return file.getvalue()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(NOTES)
    return str(tmp_path / "notes")


async def write(folder, store, mended, protocol="essay-plan", first=FIRST, **settings):
    """An essay, and what the writer was sent to mend it."""
    sent = []

    def script(call):
        if call.scene.step == "mend":
            sent.append(call.messages[-1].content)
            return mended
        return first if call.scene.step == "essay" else "1. Free entry works.\n- It does."

    written = await moot.write(
        "The museum fee keeps families away.",
        protocol=protocol,
        evidence=folder,
        model=moot.Scripted(script, name="writer"),
        store=store,
        **settings,
    )
    return written, sent


@pytest.mark.parametrize("protocol", ["essay-plan", "debate-to-write"])
async def test_the_writer_mends_once_and_what_remains_is_struck(folder, tmp_path, protocol):
    mended = (
        f"Free entry works: {TRUE}. “Nobody came to see it,” she adds [1]. Visits rose by 31 % [1]."
    )
    written, sent = await write(folder, tmp_path, mended, protocol, strict=True)
    [asked] = sent
    assert "“Every family stayed at home,” [1]" in asked
    assert "- 9 % [1]" in asked
    assert "Riverside Museum" in asked
    assert "~~“Nobody came to see it,”~~ she adds [1]" in written.essay
    assert [(each.text, each.state) for each in written.quotes] == [
        ("We see families who never came before", "found"),
        ("Nobody came to see it,", "struck"),
        ("31 %", "found"),
    ]
    assert any("asked once to mend" in each for each in written.outcomes)
    assert any("Struck through" in each and ": 1 of" in each for each in written.outcomes)
    assert "<del>“Nobody came to see it,”</del>" in essay_page(written)
    assert "~~“Nobody came to see it,”~~" in essay_markdown(written)
    assert "~~" not in Page(essay_page(written)).text
    for shown in (essay_page(written), essay_markdown(written)):
        assert "STRUCK" in shown
    assert "“Nobody came to see it,” ‹STRUCK› she adds [1]" in show_plainly(written)
    assert "✗ STRUCK “Nobody came to see it,”" in show_plainly(written)


async def test_what_is_struck_is_no_word_of_the_essay(folder, tmp_path):
    first = f"Free entry works: {TRUE}. Visits fell by 9 % [1]."
    mended = first.replace("fell by 9 %", "rose. “Nobody of them came to see it,” she adds")
    asked = count_words(first)
    written, _ = await write(folder, tmp_path, mended, first=first, strict=True, words=asked)
    assert "~~“Nobody of them came to see it,”~~" in written.essay
    assert count_words(written.essay) > asked * 1.15
    assert not any("asked for" in each for each in written.outcomes)
    assert f"Written({count_words(mended) - 7} words" in repr(written)


async def test_what_was_struck_stays_so_when_the_essay_is_revised(folder, tmp_path):
    kept = f"Yes: {TRUE}. ~~“Nobody came to see it,”~~ she adds [1]."
    written, sent = await write(folder, tmp_path, "", first=kept, strict=True)
    assert (sent, written.essay) == ([], kept)
    assert [each.state for each in written.quotes] == ["found", "struck"]


@pytest.mark.parametrize("line", LINES, ids=lambda line: json.loads(line)["id"])
def test_whatever_is_struck_is_read_as_struck_again(line):
    row = json.loads(line)
    passages = [Passage(**each) for each in row["passages"]]
    essay = row["essay"]
    false = [each for each in check_quotations(essay, passages) if not each.found]
    for each in reversed(false):
        essay = strike_quote(essay, each)
    again = [each for each in check_quotations(essay, passages, strict=True) if not each.found]
    assert {each.state for each in again} <= {"struck"}
    told = [each.text.replace("~~", "").split() for each in again]
    assert told == [each.text.split() for each in false]


DOCUMENTS = {
    "a.md": NOTES,
    "far.md": '# Turf\n\nA gardener said: "Grass does not read a ticket, and never has done."\n\n'
    "It began with mowing in the\n\nearly spring of that year. Hedges took 14.8 million in 2016.\n",
    "table.html": "<h1>Turf</h1><table><caption>Table 1. Hedges (€ m)</caption><tr><th>Kind<th>2016"
    "<tr><td>Beech<td>57.5</table>",
}
UNSHOWN = "“Grass does not read a ticket” [1]"


@pytest.fixture
def folders(tmp_path):
    (tmp_path / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "docs" / name).write_text(text)
    return str(tmp_path / "docs")


async def write_as_it_is(folders, tmp_path, essay, **settings):
    """An essay that the writer mends into itself, of one passage that is shown."""
    return await write(folders, tmp_path / "store", essay, first=essay, passages=1, **settings)


@pytest.mark.parametrize("strict", [True, False])
async def test_what_stands_in_a_passage_that_was_not_shown_is_told_and_never_struck(
    folders, tmp_path, strict
):
    essay = (
        f"Yes: {TRUE}. {UNSHOWN}. “It began with mowing in the early spring” [1]. "
        "Hedges took 14.8 million [1], beech alone €57.5 million [1]."
    )
    for _ in "12":
        written, sent = await write_as_it_is(folders, tmp_path, essay, strict=strict)
        assert not sent  # nothing is wrong, and nothing is paid for
        assert [each.source for each in written.passages] == ["a.md:1"]
        assert "~~" not in written.essay
        states = {each.text: (each.state, each.stands_in) for each in written.quotes}
        assert states == {
            "We see families who never came before": ("found", None),
            "Grass does not read a ticket": ("unshown", 2),
            "It began with mowing in the early spring": ("unshown", 3),
            "14.8 million": ("unshown", 3),
            "€57.5 million": ("unshown", 4),
        }
    unshown = [each.source for each in written.unshown]
    assert unshown == ["far.md:3", "far.md:5 to far.md:7", "table.html, table 1"]
    told = "2 quotations and 2 figures stand in the documents, in a passage that was not shown."
    assert told in written.outcomes
    assert "No passage was found in, so that nobody read: far.md, table.html." in written.outcomes
    for shown in (essay_markdown(written), essay_page(written), show_plainly(written)):
        assert "NOT SHOWN" in shown
        assert "far.md:3" in shown


async def test_what_stands_in_no_document_is_struck_and_what_stands_elsewhere_is_not(
    folders, tmp_path
):
    essay = "“Hedges never read a ticket, nor ever will” [1]. “Visits rose by 31 per cent” [7]."
    written, sent = await write_as_it_is(folders, tmp_path, essay, strict=True)
    assert len(sent) == 1
    assert "~~“Hedges never read a ticket, nor ever will”~~" in written.essay
    assert "~~“Visits" not in written.essay
    assert [each.state for each in written.quotes] == ["struck", "altered"]


async def test_what_is_not_checked_is_counted_and_marked(folders, tmp_path):
    essay = (
        f"Yes: {TRUE}. Visits rose by 71 per cent. The review counts 148 houses. The twelve houses "
        "lost a third. According to the review, all is well. Doors are open wide to all [1]."
    )
    written, _ = await write_as_it_is(folders, tmp_path, essay)
    told = (
        "4 figures and 2 statements were not checked (marked ‹?›): the figures name no source, "
        "the statements quote neither words nor figures."
    )
    assert told in written.outcomes
    open_ = [each.text for each in written.quotes if each.state == "unchecked"]
    statements = ["According to the review, all is well.", "Doors are open wide to all [1]."]
    assert open_ == ["71 per cent", "148", "twelve", "a third", *statements]
    for shown in (essay_markdown(written), essay_page(written), show_plainly(written)):
        assert shown.count("‹?›") == 6 + 1  # and in the sentence that counts them


async def test_what_the_plan_of_a_draft_quotes_is_looked_up_and_shown(folders, tmp_path):
    asked = []

    def script(call):
        asked.append(call.messages[-1].content)
        return f"Yes: {TRUE}."

    place = {"model": moot.Scripted(script, name="writer"), "store": tmp_path / "store"}
    asked_for = {"protocol": "essay-plan", "evidence": folders, "until": "plan", "passages": 1}
    made = await moot.write("The museum fee keeps families away.", **asked_for, **place)
    quoted = "1. Turf.\n- “Grass does not read a ticket, and never has done.”"
    plans = ("1. Free entry works.", quoted)
    for number, plan in enumerate(plans):
        draft = msgspec.structs.replace(made.draft(), plan=plan)
        written = await moot.write(draft=draft, evidence=folders, **place)
        sources = [each.source for each in written.passages]
        assert sources == ["a.md:1", "far.md:3"][: number + 1]
        assert ("A gardener said" in asked[-1]) == bool(number)
