"""The page on which a person replies, without a browser."""

import asyncio
import re

from moot.contrib.server.pages import person_page
from moot.contrib.server.people_desk import ask_for
from moot.core.calls import Call, Draw, Message
from support.server import page_of

PRESETS = {
    "with-ana": {"protocol": "society-of-minds", "models": ["human/ana", "simulated/a"]},
    "judged": {"protocol": "chateval-scored", "models": ["human/ana", "simulated/a"]},
}
MODELS = ["simulated/a", "human/*"]


async def begin(client, server, preset):
    form = {"question": "Should the depot move?", "kind": "boolean"}
    form |= dict.fromkeys(("protocol", "of"), f"preset:{preset}")
    async with client.post(f"{server.url}/ask", data=form, allow_redirects=False) as answer:
        assert answer.status == 303, await answer.text()
        return server.url + answer.headers["location"]


async def wait_for(client, url, words):
    async with asyncio.timeout(10):
        while not (found := re.search(words, await page_of(client, url))):
            await asyncio.sleep(0.01)
    return found


async def test_a_reply_that_is_not_recorded_is_not_said_to_be_taken(serving, client, monkeypatch):
    monkeypatch.setattr(person_page, "RECORDED", 0.2)
    server = await serving(models=["human/*"])
    desk = server.debates.people
    call = Call(model="human/ana", messages=(Message("user", "2 + 2?"),), draw=Draw(0, 0, 0))
    with ask_for("ask-1", 0):  # a debate that has gone
        asked = asyncio.create_task(desk.ask("ana", call))
    await asyncio.sleep(0)
    [question] = desk.list_waiting("ana")
    form = {"id": question.id, "text": "Final answer: 4"}
    async with client.post(f"{server.url}/people/ana", data=form) as answer:
        page = await answer.text()
    assert await asked == "Final answer: 4"
    assert ("is not recorded yet" in page, "is taken" in page) == (True, False)


async def test_several_questions_are_listed_and_a_reply_is_taken_once(serving, client):
    server = await serving(models=MODELS, presets=PRESETS, limits={"shutdown": 0.1})
    person = f"{server.url}/people/ana"
    debate = await begin(client, server, "with-ana")
    await begin(client, server, "with-ana")
    await wait_for(client, person, "2 questions for ana")
    remark = {"way": "remark", "text": "Think of the night shift."}
    async with client.post(debate.replace("?", "/steer?"), data=remark) as answer:
        assert "Remark: “Think of the night shift.”" in await answer.text()
    form = {"id": server.debates.people.list_waiting("ana")[1].id, "text": "  "}
    for text, status, told in (
        (" ", 422, "Your reply is empty."),
        ("Final answer: false", 200, "Your reply is taken."),
        ("too <late>", 409, "too &lt;late&gt;"),
    ):
        async with client.post(person, data={**form, "text": text}) as answer:
            assert (answer.status, told in await answer.text()) == (status, True)
    await wait_for(client, person, "(?s)mind-1, round 1.*mind-1, round 2")
    # A link leads nowhere else where the server has no tokens either.
    found = await wait_for(client, debate, 'To invite ana, send <a href="([^"]+)"')
    by_link = await page_of(client, server.url + found[1].replace("&amp;", "&"))
    assert "Should the depot move?" in by_link
    assert not [path for path in ("/debates/", "/runs") if path in by_link]
    assert "/debates/" in await page_of(client, person)


async def test_what_cannot_be_steered_says_so_by_name(serving, client):
    server = await serving(models=MODELS, presets=PRESETS, limits={"shutdown": 0.1})
    debate = await begin(client, server, "judged")
    shown = await page_of(client, debate)
    no_round = "chateval-scored has no further round"
    assert (no_round in shown, "Steer this debate" in shown) == (True, False)
    url = debate.replace("?", "/steer?")
    for way, told in (("extend", no_round), ("vote", "")):
        async with client.post(url, data={"way": way}) as answer:
            assert (answer.status, told in await answer.text()) == (400, True)
