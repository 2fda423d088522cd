"""The page to write on: what its form offers, what it asks for, and what it refuses."""

import re

import pytest

from support.server import page_of, sent_by, settled

PEOPLE = "simulated/people"
PROPOSITION = "Museums should be free of charge."

AGAINST = {"set.stance": "oppose"}


def form(**given) -> dict[str, str]:
    return {"proposition": PROPOSITION, "protocol": "essay-plan", "model": PEOPLE} | AGAINST | given


@pytest.mark.parametrize("protocol", ["americano", "debate-to-write", "essay-direct", "essay-plan"])
async def test_the_form_of_each_protocol_is_taken_as_it_is_sent(protocol, serving, client):
    """Every field of the page with its value, as a browser sends it."""
    server = await serving(models=[PEOPLE])
    page = await page_of(client, f"{server.url}/write?protocol={protocol}")
    assert re.search(r"calls?</b>, about", page)
    sent = sent_by(page, "/write") | form(protocol=protocol)
    assert sent["of"] == protocol
    async with client.post(f"{server.url}/write", data=sent) as answer:
        assert answer.status == 200, await answer.text()
        assert answer.url.path.startswith("/essays/ask-")
    await settled(server)


@pytest.mark.parametrize(
    ("given", "told", "field"),
    [
        ({"proposition": "  "}, "proposition: it is empty", "proposition"),
        ({"protocol": "single"}, "unknown protocol", ""),
        ({"protocol": "debate-to-write", "set.team": "0"}, "setting team = 0", "set-team"),
        ({"set.stance": ""}, "Stance: choose whether it is to argue against it, for", "set-stance"),
        ({"set.stance": "neither"}, "setting stance = &#39;neither&#39;", "set-stance"),
        ({"set.points": "many"}, "Points: &#39;many&#39; is not a whole number", "set-points"),
        ({"model": "openai/x"}, "is not allowed here", "model"),
        ({"max_calls": "1"}, "makes 2 calls", "max-calls"),
    ],
)
async def test_what_cannot_be_written_is_told_at_its_field(given, told, field, serving, client):
    server = await serving(models=[PEOPLE])
    async with client.post(f"{server.url}/write", data=form(**given)) as answer:
        page = await answer.text()
        assert answer.status == 422
    assert told in page
    assert not field or f'id="{field}-error"' in page
    assert not server.lab.store.runs()


async def test_no_side_is_preset_and_a_chosen_one_stays(serving, client):
    server = await serving(models=[PEOPLE])
    page = await page_of(client, f"{server.url}/write")
    assert page.count('name="set.stance"') == 3
    assert not re.search(r'name="set.stance"[^>]*checked', page)
    data = {key: text for key, text in form().items() if key != "set.stance"}
    async with client.post(f"{server.url}/write", data=data) as answer:
        assert (answer.status, "Stance: choose whether" in await answer.text()) == (422, True)
    async with client.post(f"{server.url}/write/estimate", data=data) as answer:
        assert "calls" in await answer.text()  # what it takes does not depend on the side
    page = await page_of(client, f"{server.url}/write?set.stance=support")
    assert re.findall(r'name="set.stance" value="(\w+)" required checked', page) == ["support"]
    page = await page_of(client, f"{server.url}/write?protocol=americano")
    assert page.count('name="set.stance"') == 2


async def test_a_server_without_protocols_that_write_says_so(serving, client):
    server = await serving(models=[PEOPLE], protocols=["single"])
    page = await page_of(client, f"{server.url}/write", 400)
    assert "no protocol that writes essays is allowed on this server" in page


async def test_an_essay_is_steered_and_people_are_named(serving, client):
    server = await serving(models=[PEOPLE])
    asked = {"set.words": "150", "set.audience": "a town council", "set.stance": "both"}
    own = {"people": "A warden: Fees keep the doors open.\r\nA teacher: Classes stay away."}
    sent = form(protocol="debate-to-write", **asked, **own)
    async with client.post(f"{server.url}/write", data=sent) as answer:
        assert answer.url.path.startswith("/essays/"), await answer.text()
    await settled(server)
    page = await page_of(client, str(answer.url))
    for told in ("words = 150", "audience = a town council", "stance = both", "team = 2"):
        assert f"<li>{told}</li>" in page, told
    assert "Fees keep the doors open." in page
    debate = await page_of(client, str(answer.url).replace("/essays/", "/debates/"))
    assert "Agent B: A teacher" in debate
