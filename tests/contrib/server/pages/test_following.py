"""A debate followed word by word: who writes, what was written, and for late readers."""

import asyncio
import re

import pytest

from moot.contrib.server.pages.board import Board, ReplyDraft
from moot.core.calls import Reply
from moot.core.events import Seat, Seated
from moot.models.scripted import Scripted
from support.server import ask, page_of, record, turn

HALF, SHOWN, WHOLE = (
    "One **half** of it.",
    "One half of it.",
    "One **half** of it. The other.\n\nFinal answer: B",
)


class Halves(Scripted):
    """Writes half of each reply when it is asked, and the rest when it is let, round by round."""

    def __init__(self) -> None:
        super().__init__(lambda _call: Reply(text=WHOLE), name="panel")
        self.rest = [asyncio.Event(), asyncio.Event()]
        self.thinks = asyncio.Event()

    async def stream(self, call, tell):
        tell("thought", "so many words ")
        await self.thinks.wait()
        tell("text", HALF[:10])
        tell("text", HALF[10:])
        await self.rest[call.scene.round - 1].wait()
        tell("text", WHOLE.removeprefix(HALF))
        return Reply(text=WHOLE, prompt_tokens=5, completion_tokens=9, cost=0.0, seconds=0.1)


@pytest.fixture
async def halves(serving):
    model = Halves()
    server = await serving(models=["scripted/panel"], given={"models": [model]})
    server.model = model
    yield server
    for each in (model.thinks, *model.rest):
        each.set()


@pytest.mark.soak
async def test_words_appear_as_they_are_written_and_who_writes_is_said(halves, browser):
    async with browser() as tab:
        page = tab.page
        await ask(page, halves.url)
        await page.wait_for_selector("#d3")
        assert "mind-1, mind-2 and mind-3 write now." in await page.inner_text("#outcome")
        assert await page.locator("#part-0-2 .draft").count() == 3
        await page.wait_for_selector("#d1 >> text=thinking, 3 words")
        halves.model.thinks.set()
        await page.wait_for_selector(f"#d2 >> text={SHOWN}")
        assert "writing" in await page.inner_text("#d2")
        assert await page.locator("article.message:not(.draft)").count() == 0
        await tab.sound()
        lefts = [await page.locator(f"#d{n}").bounding_box() for n in (1, 2, 3)]
        async with browser() as late:
            await late.page.goto(page.url)
            await late.page.wait_for_selector(f"#d2 >> text={SHOWN}")
            halves.model.rest[0].set()
            for each in (page, late.page):
                await each.wait_for_selector(f"#d5 >> text={SHOWN}")
                assert await each.locator("#part-0-2 .draft").count() == 0
                assert await each.locator("#m2 strong").inner_text() == "half"
            assert not late.complaints
        places = [await page.locator(f"#m{n}").bounding_box() for n in (1, 2, 3)]
        assert [each["x"] for each in places] == [each["x"] for each in lefts]
        assert [each["y"] for each in places] == [each["y"] for each in lefts]
        halves.model.rest[1].set()
        await page.wait_for_selector(".result")
        assert await page.locator(".draft").count() == 0


def test_a_judge_writes_after_the_round_that_it_judges():
    turns = [turn(1), turn(2), turn(3, seat=0, round=2), turn(4, seat=1, round=2)]
    opened, *rest = record(*turns).events
    judge = Seated(seat=Seat(number=7, agent="judge", role="judge", model="x", debater=False))
    minds = [
        Seated(seat=Seat(number=n, agent=f"mind-{n + 1}", role="mind", model="x")) for n in (0, 1)
    ]
    drafts = [ReplyDraft(5, "judge", "judge", 1), ReplyDraft(6, "mind-2", "mind", 3)]
    board = Board((opened, *minds, judge, *turns), drafts=drafts)
    [part] = board.parts
    assert [(each.stage.name, len(each.messages)) for each in part.rounds] == [
        ("round 1", 2),
        ("round 2", 2),
        ("after round 2", 1),
        ("round 3", 1),
    ]
    assert part.rounds[3].messages[0].column == 2
    assert board.said == 4
    assert Board((opened, *rest), drafts=[ReplyDraft(2, "mind-2", "mind", 1)]).drafts == {}


async def test_drafts_of_a_network_stand_by_themselves(serving, client):
    model = "simulated/slow?latency=1"
    server = await serving(models=[model])
    form = {"question": "Which?", "choices": "a\nb", "protocol": "network", "model": model}
    async with client.post(f"{server.url}/ask", data=form, allow_redirects=False) as answer:
        assert answer.status == 303, await answer.text()
        url = server.url + answer.headers["location"]
    async with asyncio.timeout(8):
        while not re.search('(?s)id="part-now".*class="message draft', await page_of(client, url)):
            await asyncio.sleep(0.02)
    for held in server.debates.live:
        held.stop()
