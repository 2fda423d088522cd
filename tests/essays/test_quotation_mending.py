"""Quotation mending: the writer is asked once, and what remains is struck."""

import pytest

import moot
from moot.essays.essay_forms import essay_markdown, essay_page
from support.report_page import Page

NOTES = """The Riverside Museum dropped its fee in 2016. Visits rose by 31 per cent.
"We see families who never came before," the curator said.
"""
TRUE = "“We see families who never came before” [1]"
FIRST = f"Yes: {TRUE}. “Every family stayed at home,” she adds [1]. Visits fell by 9 % [1]."


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
        ("31 %", "found"),
    ]
    assert any("asked once to mend" in each for each in written.outcomes)
    assert any("Struck through" in each and ": 1 of" in each for each in written.outcomes)
    assert "<del>“Nobody came to see it,”</del>" in essay_page(written)
    assert "~~“Nobody came to see it,”~~" in essay_markdown(written)
    assert "~~" not in Page(essay_page(written)).text


async def test_an_essay_that_quotes_rightly_is_not_asked_for_again(folder, tmp_path):
    written, sent = await write(folder, tmp_path, "", first=f"Yes: {TRUE}.", strict=True)
    assert (written.calls, sent, written.essay) == (2, [], f"Yes: {TRUE}.")


async def test_without_strict_it_is_only_told(folder, tmp_path):
    written, sent = await write(folder, tmp_path, "")
    assert (written.calls, sent, written.essay) == (2, [], FIRST)
    assert [each.state for each in written.quotes] == ["found", "missing", "missing"]
    shown = essay_markdown(written)
    assert shown.count("NOT FOUND") == 4  # in the essay, and in the list below
