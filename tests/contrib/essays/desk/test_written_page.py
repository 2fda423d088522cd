"""The page of an essay, while it is written and after, and its files."""

import io
import re

import pytest
from docx import Document

from moot.core.events import Closed, Transcript, Verdict
from support.server import (
    NASTY,
    events_url,
    harmless,
    hold,
    page_of,
    record,
    save,
    settled,
    stream,
    turn,
)

PEOPLE = "simulated/people"
SLOW = "simulated/people?latency=0.3"
PROPOSITION = "Museums should be free of charge."


@pytest.fixture
def folder(tmp_path) -> str:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "fees.md").write_text("Museums live on fees, says the director.")
    return str(made)


async def write(server, protocol: str = "debate-to-write", **settings):
    given = {"protocol": protocol, "model": PEOPLE, "choices": (), "stream": True, **settings}
    held, url = await hold(server, PROPOSITION, **given)
    return held, url.replace("/debates/", "/essays/")


async def test_each_stage_comes_as_it_is_reached_and_the_debate_leads_to_the_essay(serving, client):
    server = await serving(models=[SLOW])
    _, url = await write(server, "debate-to-write", rounds=1, model=SLOW)
    page = await page_of(client, url)
    assert "Being written: " in page
    *changes, (_, last, _) = await stream(client, events_url(url))
    assert last == "end"
    shown = [page, *(part["html"] for _, _, data in changes for part in data["parts"])]
    for stage in ("choosing the team", "Not in the team", "Round 1", "writing the essay"):
        assert any(stage in html for html in shown), stage
    page = await page_of(client, url)
    harmless(page)
    assert page.index('class="essay text"') < page.index("Personas") < page.index("Discussion")
    assert "Being written" not in page
    debate = await page_of(client, url.replace("/essays/", "/debates/"))
    assert 'href="/essays/ask-' in debate
    assert ": no answer" not in debate  # its agents are asked for none
    assert ": discuss" in debate


async def test_quotations_are_marked_and_files_have_the_essay(serving, client, folder):
    preset = {"protocol": "essay-plan", "model": PEOPLE, "evidence": folder}
    server = await serving(models=[PEOPLE], presets={"own": preset})
    held, url = await write(server, "essay-plan", evidence=folder)
    await settled(server)
    page = await page_of(client, url)
    assert "fees.md" in page
    assert folder not in page
    essay = (await held.transcript()).verdict.answer
    files = {}
    for form in ("markdown", "html", "json", "docx", "pdf"):
        async with client.get(url.partition("?")[0] + f"/files/{form}") as answer:
            assert answer.status == 200, form
            assert answer.headers["content-disposition"].startswith('attachment; filename="essay-')
            files[form] = await answer.read()
    words = "\n".join(each.text for each in Document(io.BytesIO(files["docx"])).paragraphs)
    assert essay[:60] in words
    assert files["pdf"].startswith(b"%PDF")
    for form in ("markdown", "html", "json"):
        assert folder.encode() not in files[form], form
        assert PROPOSITION.encode() in files[form], form
    async with client.get(url.replace("/essays/", "/debates/").partition("?")[0] + "/json") as all_:
        assert folder.encode() not in await all_.read()


async def test_what_models_write_is_text(serving, client):
    server = await serving(models=[PEOPLE])
    end = Closed(verdict=Verdict(answer=NASTY, by="essay", turn=1))
    settings = {"stance": "oppose", "model": PEOPLE}
    debate = record(turn(1, step="essay", text=NASTY), end=end, settings=settings)
    url = (await save(server, Transcript(debate.events))).replace("/debates/", "/essays/")
    harmless(await page_of(client, url))


async def test_what_is_no_essay_and_no_form_of_one_is_said(serving, client):
    server = await serving(models=[PEOPLE])
    _, url = await hold(server, "Which is even?", model=PEOPLE)
    await settled(server)
    essay = url.replace("/debates/", "/essays/")
    assert "This debate is no essay." in await page_of(client, essay, 404)
    _, url = await write(server, "essay-direct")
    await settled(server)
    assert "There is no such file." in await page_of(
        client, f"{url.partition('?')[0]}/files/x", 404
    )


async def test_sources_are_shown_in_a_style_and_files_have_it(serving, client, folder):
    preset = {"protocol": "essay-plan", "model": PEOPLE, "evidence": folder}
    server = await serving(models=[PEOPLE], presets={"own": preset})
    _, url = await write(server, "essay-plan", evidence=folder)
    await settled(server)
    base, plain = url.partition("/essays/")[0], await page_of(client, url)
    assert ">author and year</a>" in plain
    assert "<h2>References</h2>" not in plain
    [link] = re.findall(r'href="([^"]+citations=author-year[^"]*)"', plain)
    page = await page_of(client, base + link.replace("&amp;", "&"))
    harmless(page)
    assert "<h2>References</h2>" in page
    assert '<b aria-current="true">author and year</b>' in page
    assert "(fees.md, line\u00a01)" in page
    [file] = re.findall(r'href="([^"]+/files/markdown[^"]*)"', page)
    assert "line 1)" in await page_of(client, base + file.replace("&amp;", "&"))
    [file] = re.findall(r'href="([^"]+/files/bibtex[^"]*)"', page)
    assert (await page_of(client, base + file.replace("&amp;", "&"))).startswith("@misc{fees,")
