"""Stopping after a stage on a real server, editing what is there, and going on from it."""

import re
from html import unescape

import aiohttp

from contrib.server.conftest import up
from moot.contrib.server.config import config_from
from support.server import page_of, settled

PEOPLE = "simulated/people"
PROPOSITION = "Museums should be free of charge."
FEES = b"Museums live on fees, the director says. Free entry would close a third of them."


def form(*files: tuple[str, bytes], **given) -> aiohttp.FormData:
    sent = aiohttp.FormData(quote_fields=False)
    fields = {"proposition": PROPOSITION, "protocol": "debate-to-write", "model": PEOPLE}
    for name, value in {**fields, "set.rounds": "1", "set.stance": "oppose", **given}.items():
        sent.add_field(name, value)
    for name, content in files:
        sent.add_field("files", content, filename=name, content_type="text/plain")
    return sent


async def write(client, server, *files, **given) -> str:
    """Write on the desk, to the end; return the URL of the essay's page."""
    async with client.post(f"{server.url}/write", data=form(*files, **given)) as answer:
        assert answer.url.path.startswith("/essays/"), await answer.text()
    await settled(server)
    return str(answer.url)


def fields_of(page: str, stage: str) -> dict[str, str]:
    """Return what a form that goes on from a stage would send."""
    shown = re.search(rf'<form class="going-on" id="next-{stage}".*?</form>', page, re.DOTALL)
    assert shown, page
    texts = re.findall(
        r'<textarea id="[^"]+" name="([^"]+)"[^>]*>(.*?)</textarea>', shown[0], re.DOTALL
    )
    return {"stage": stage, "until": "", **{name: unescape(text) for name, text in texts}}


async def go_on(client, server, url: str, fields: dict[str, str], status: int = 200) -> str:
    address = f"{url.partition('?')[0]}/next"
    async with client.post(address, data=fields) as answer:
        assert answer.status == status, await answer.text()
        page = await answer.text()
    if status == 200:
        await settled(server)
        return str(answer.url)
    return page


async def test_the_text_is_a_field_that_is_checked_again_for_no_call(serving, client):
    server = await serving(models=[PEOPLE])
    url = await write(client, server, ("fees.md", FEES), protocol="essay-plan")
    page = await page_of(client, url)
    [text] = re.findall(r'<textarea name="essay"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert len(unescape(text)) > 200
    mine = "I say “free entry would close a third of them” [1]. They say “free entry pays” [1]."
    second = await go_on(client, server, url, {"stage": "text", "until": "", "essay": mine})
    page = await page_of(client, second)
    assert second != url
    assert '<p class="soft">no model was asked' in page
    assert '<mark class="found">free entry would close a third of them</mark>' in page
    assert '<mark class="missing">free entry pays' in page
    assert f">{mine}</textarea>" in unescape(page)  # to be edited again
    async with client.get(f"{second.partition('?')[0]}/files/markdown") as answer:
        assert "I say “free entry would close" in await answer.text()
    sent = {"stage": "text", "until": "", "essay": " \n"}
    assert "essay: it is empty" in await go_on(client, server, url, sent, status=422)


async def test_the_page_and_its_fields_have_one_numbering(serving, client):
    """Typed text has the numbers shown; the run has those of its passages."""
    server = await serving(models=[PEOPLE])
    notes = (("fees.md", FEES), ("law.md", b"Museums of the state are open, the law of 1990 says."))
    url = await write(client, server, *notes, protocol="essay-plan")
    passages = re.findall(r'<p class="soft">\[(\d)\] (\w+)\.md', await page_of(client, url))
    fees = next(number for number, name in passages if name == "fees")
    law = next(number for number, name in passages if name == "law")
    typed = f"First “the law of 1990 says” [{law}]. Then “live on fees” [{fees}], see [{law}]."
    other = f"First “live on fees” [{fees}]. Then “the law of 1990 says” [{law}], see [{fees}]."
    for mine, first in ((typed, "law"), (other, "fees")):
        again = await go_on(client, server, url, {"stage": "text", "until": "", "essay": mine})
        page = await page_of(client, again)
        assert page.count("found, not shown") + page.count('class="missing"') == 0
        [text] = re.findall(r'<textarea name="essay"[^>]*>(.*?)</textarea>', page, re.DOTALL)
        assert re.findall(r"\[\d\]", text) == ["[1]", "[2]", "[1]"]
        assert f'<p class="soft">[1] {first}.md' in page
        sent = {"stage": "text", "until": "", "essay": unescape(text)}
        same = await page_of(client, await go_on(client, server, again, sent))
        assert f'<p class="soft">[1] {first}.md' in same
        assert unescape(text) in unescape(same)
        assert same.count('class="missing"') == 0


async def test_a_team_and_a_plan_are_edited_and_each_stage_is_paid_for_once(serving, client):
    server = await serving(models=[PEOPLE])
    url = await write(client, server, until="selection")
    page = await page_of(client, url)
    assert "The rest takes " in page
    assert "no essay: the reply" not in page
    sent = fields_of(page, "selection")
    assert all(sent[f"team.{n}.{part}"] for n in range(3) for part in ("description", "claim"))
    assert not sent["team.3.description"]  # room for one more
    sent |= {"team.0.description": "A warden of small museums", "team.1.description": ""}
    sent |= {"team.1.claim": "", "until": "plan"}
    second = await go_on(client, server, url, sent)
    page = await page_of(client, second)
    assert "A warden of small museums" in page
    assert "Agent C" not in page  # one member was left out
    sent = fields_of(page, "plan")
    sent["plan"] = "1. Wardens count.\n2. Closed museums are free for nobody."
    third = await go_on(client, server, second, sent)
    page = await page_of(client, third)
    assert 'class="essay text"' in page
    assert "Closed museums are free for nobody." in page
    [calls] = re.findall(r'<p class="soft">(\d+) call', page)
    assert calls == "1"  # the essay alone; the team and the plan were given


async def test_what_cannot_go_on_is_told_and_keeps_what_was_typed(serving, client):
    server = await serving(models=[PEOPLE])
    url = await write(client, server, until="plan", protocol="essay-plan")
    page = await go_on(client, server, url, {"stage": "plan", "plan": "  ", "until": ""}, 422)
    assert "plan: it is empty" in page
    url = await write(client, server, until="selection")
    typed = {"stage": "selection", "team.0.claim": "Fees keep wardens.", "until": ""}
    page = await go_on(client, server, url, typed, 422)
    assert "team: person 1 claims something; say who it is" in page
    assert "Fees keep wardens." in page
    typed = {**fields_of(page, "selection"), "team.0.description": "A warden", "until": "lunch"}
    assert "unknown stage" in await go_on(client, server, url, typed, 422)


async def test_it_goes_on_after_a_restart_and_in_another_browser(client, tmp_path):
    config = config_from(models=[PEOPLE])
    async with up(config, tmp_path / "store") as server:
        url = await write(client, server, until="plan")
    async with up(config, tmp_path / "store") as again, aiohttp.ClientSession() as other:
        address = again.url + url.removeprefix(server.url).partition("?")[0]
        sent = fields_of(await page_of(other, address), "plan")
        last = await go_on(other, again, address, sent)
        assert 'class="essay text"' in await page_of(other, last)


async def test_documents_of_a_session_are_quoted_on_by_that_session_alone(serving, client):
    server = await serving(models=[PEOPLE])
    url = await write(client, server, ("fees.md", FEES), until="plan", protocol="essay-plan")
    sent = fields_of(await page_of(client, url), "plan")
    async with aiohttp.ClientSession() as other:
        page = await go_on(other, server, url, sent, 422)
    assert "its documents were uploaded in another browser" in page
    assert "uploads/" not in page
    assert "fees.md:1" in await page_of(client, await go_on(client, server, url, sent))
    async with client.post(f"{server.url}/write", data=form(remove="fees.md")) as answer:
        assert answer.status == 200
    page = await go_on(client, server, url, sent, 422)
    assert "documents that it quotes from were removed" in page
    assert "uploads/" not in page


async def test_an_essay_is_revised_by_a_remark_once_or_several_times(serving, client):
    server = await serving(models=[PEOPLE])
    url = await write(client, server, protocol="essay-direct")
    fields = {"stage": "essay", "revise": "Begin with the wardens.", "alternatives": "3"}
    second = await go_on(client, server, url, fields)
    page = await page_of(client, second)
    assert page.count('class="essay text"') == 3
    assert "<li>revise = Begin with the wardens.</li>" in page
    essays = [
        unescape(re.sub("<[^>]*>", "", each))
        for each in re.findall(r'class="essay text">(.*?)</article', page, re.DOTALL)
    ]
    third = await go_on(
        client, server, second, {"stage": "essay", "revise": "Be brief.", "which": "2"}
    )
    async with client.get(third.partition("?")[0] + "/files/json") as answer:
        revised = await answer.json()
    assert revised["calls"] == 1
    debate = third.replace("/essays/", "/debates/").partition("?")[0]
    async with client.get(f"{debate}/json") as made:
        prompts = await made.text()
    assert essays[1][:60] in prompts
    assert essays[0] not in prompts


async def test_what_no_essay_can_be_made_from_is_told(serving, client):
    server = await serving(models=[PEOPLE])
    url = await write(client, server, protocol="essay-direct")
    revised = {"stage": "essay", "revise": "x"}
    for fields, told in (
        (revised | {"revise": "  "}, "revise: it is empty; say what is to be changed"),
        (revised | {"alternatives": "many"}, "is not a whole number"),
        (revised | {"alternatives": "11"}, "setting alternatives = 11"),
        (revised | {"which": "2"}, "which: there is no essay 2"),
        ({}, "unknown stage"),
    ):
        assert told in unescape(await go_on(client, server, url, fields, 422))
