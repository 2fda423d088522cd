"""The page on which a person replies, without a browser: what it says after a reply."""

import asyncio

from moot.contrib.server.pages import person_page
from moot.contrib.server.people_desk import ask_for
from moot.core.calls import Call, Draw, Message


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
    assert "is not recorded yet" in page
    assert "is taken" not in page
