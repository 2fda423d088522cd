"""What a page to ask says beforehand, and what can be done with a debate afterwards."""

import json
import re
from html import unescape

import msgspec

from moot.contrib.server.pages.ask_ways import LINK, fill_form, list_changed, list_ways
from support.server import NASTY, hold, page_of, record, save, sent_by, turn

ASKED = {"question": "Which is even?", "choices": "one\r\ntwo", "protocol": "society-of-minds"}


async def test_calls_and_price_are_those_of_a_dry_run(serving, client):
    prices = {"simulated/crowd": {"input": 1.0, "output": 2.0}}
    server = await serving(prices=prices)
    page = await page_of(client, f"{server.url}/ask")
    assert "<b>6 calls</b>" in page
    filled = {**ASKED, "set.agents": "2", "set.rounds": "4"}
    async with client.post(f"{server.url}/ask/estimate", data=filled) as answer:
        part = await answer.text()
    assert re.search(r"<b>\$0\.00\d+</b>", part)
    assert unescape(part).count("/ask?question=Which") == 1
    told = ("<b>8 calls</b>", "set.agents=2", "set.max_tokens")
    assert [each in part for each in told] == [True, True, False]
    link = unescape(re.search(r'href="([^"]+)"', part)[1])
    page = await page_of(client, server.url + link)
    assert 'name="set.rounds" value="4"' in page
    assert ">Which is even?</textarea>" in page
    long = {**ASKED, "question": "x" * LINK}
    async with client.post(f"{server.url}/ask/estimate", data=long) as answer:
        assert "Too long for a link." in await answer.text()
    async with client.post(f"{server.url}/ask/estimate", data={**ASKED, "choices": "x"}) as answer:
        assert "needs 2 to 26" in await answer.text()
    assert not server.lab.store.runs()


async def test_a_debate_is_asked_again_edited_and_taken_away(serving, client):
    server = await serving()
    held, url = await hold(server, rounds=3)
    await held.transcript()
    fields = sent_by(await page_of(client, url), "/ask")
    async with client.post(f"{server.url}/ask", data=fields | {"change": "1"}) as answer:
        page = await answer.text()
    assert ">Which is even?</textarea>" in page
    assert 'name="set.rounds" value="3"' in page
    async with client.post(f"{server.url}/ask", data=fields) as answer:
        assert (answer.status, answer.url.path) == (200, f"/debates/{held.run}")
    assert [row.key for row in server.lab.store.runs()] == [held.run]
    text = await page_of(client, url.replace("?", "/markdown?"))
    assert "# Which is even?" in text
    assert "**Verdict: " in text
    kept = json.loads(await page_of(client, url.replace("?", "/json?")))
    assert [each["event"] for each in kept["events"]].count("turn") == 9
    url = await save(server, record(turn(1, text=NASTY, agent=NASTY), turn(2)))
    async with client.get(f"{url}/markdown") as answer:
        assert answer.headers["content-type"].startswith("text/markdown")
        assert answer.headers["content-disposition"].startswith("attachment")
        text = await answer.text()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028]", text)
    assert all(line.startswith(">") for line in text.splitlines() if line.lstrip("> ") == NASTY)
    await page_of(client, f"{server.url}/debates/nothing/json", 404)


async def test_a_preset_is_asked_again_as_a_preset(serving):
    preset = {"protocol": "society-of-minds", "model": "simulated/own", "agents": 2, "rounds": 3}
    server = await serving(presets={"careful": preset})
    config = server.app.state.config
    way = list_ways(config)["preset:careful"]
    opened = record(turn(1)).opened
    theirs = way.protocol.check({**way.preset.settings, "rounds": 5})
    again = fill_form(config, msgspec.structs.replace(opened, settings=theirs))
    assert again["protocol"] == "preset:careful"
    assert "model" not in again
    assert list_changed(way, again) == {"set.rounds": "5"}
    other = way.protocol.check({"model": "simulated/crowd"})
    again = fill_form(config, msgspec.structs.replace(opened, settings=other))
    assert (again["protocol"], again["model"]) == ("society-of-minds", "simulated/crowd")


async def test_errors_stand_at_their_field(serving, client):
    server = await serving()
    wrong = {"set.agents": "0", "kind": "colour", "model": "http://elsewhere/v1/x", "question": " "}
    for name, value in {**wrong, "max_calls": "2", "max_cost": "much"}.items():
        async with client.post(f"{server.url}/ask", data={**ASKED, name: value}) as answer:
            page = await answer.text()
        field = name.replace(".", "-").replace("_", "-")
        assert (answer.status, f'id="{field}-error"' in page) == (422, True), name
        assert page.count('aria-invalid="true"') == 1
