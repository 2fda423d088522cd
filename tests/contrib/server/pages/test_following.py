"""A debate followed word by word: who writes, and where it stands."""

import asyncio
import re

from moot.contrib.server.pages.board import Board, ReplyDraft
from moot.contrib.server.pages.turn_stages import TurnStage, find_stages
from moot.core.events import Seat, Seated
from support.server import page_of, record, turn


def test_a_judge_writes_after_the_round_that_it_judges():
    turns = [turn(1), turn(2), turn(3, seat=0, round=2), turn(4, seat=1, round=2)]
    opened, *rest = record(*turns).events
    judge = Seated(seat=Seat(number=7, agent="judge", role="judge", model="x", debater=False))
    seats = [Seat(number=n, agent=f"mind-{n + 1}", role="mind", model="x") for n in (0, 1)]
    minds = [Seated(seat=seat) for seat in seats]
    drafts = [ReplyDraft(5, "judge", "judge", 1), ReplyDraft(6, "mind-2", "mind", 3)]
    board = Board((opened, *minds, judge, *turns), drafts=drafts)
    [part] = board.parts
    assert [(each.stage.name, len(each.messages)) for each in part.rounds] == [
        ("round 1", 2),
        ("round 2", 2),
        ("after round 2", 1),
        ("round 3", 1),
    ]
    assert (part.rounds[3].messages[0].column, board.said) == (2, 4)
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


def spoken(number, number_of_round, *reads, node=""):
    return turn(number, round=number_of_round, reads=reads, node=node)


def test_who_reads_a_round_later_than_its_own_turn_stands_behind_that_round():
    said = [spoken(1, 1), spoken(2, 1), spoken(3, 2, 1, 2), spoken(4, 2, 1, 2), spoken(5, 1, 3, 4)]
    found = find_stages(said)
    stages = [TurnStage(1), TurnStage(2), TurnStage(2, after=True)]
    assert [found[n] for n in range(1, 6)] == [stages[0]] * 2 + [stages[1]] * 2 + [stages[2]]
    assert found[5].name == "after round 2"
    assert sorted(set(found.values())) == stages
    # What other nodes said is in no round of this one.
    found = find_stages([spoken(1, 3, node="A"), spoken(2, 1, 1, node="B"), spoken(3, 1, 1, 2)])
    assert [found[n] for n in (1, 2, 3)] == [TurnStage(3), TurnStage(1), TurnStage(1)]
    # Whoever follows one who stands behind a round stands there, too.
    found = find_stages([spoken(1, 2), spoken(2, 1, 1), spoken(3, 2, 2)])
    assert found[2] == found[3] == TurnStage(2, after=True)
    assert find_stages([spoken(5, 2, 1, 2)]) == {5: TurnStage(2)}  # read what is not here
    assert find_stages([]) == {}
