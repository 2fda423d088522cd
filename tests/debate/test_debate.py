"""What is heard and read in a debate, in what order it is written down, and who goes first."""

import asyncio
from collections import Counter

import msgspec
import pytest

from moot.core.calls import Reply
from moot.core.errors import InputError, RefusedError, TransientError, UnknownName
from moot.core.events import Turn
from moot.core.ports import Limits
from moot.core.questions import Question
from moot.debate.protocol import registry
from moot.debate.run_debate import run_debate
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from support.debates import SUM, hold, hold_all, ruling, says, settings, staged

TOLD = {"debaters": "", "advocates": False}
OPTIONS = "Affirmative or Negative"
SHOWN = {"notes": {"Affirmative": "", "Negative": ""}, "options": OPTIONS, "round": 1}


@pytest.fixture
def opened(store):
    """Open a debate with a protocol's prompts; gives it and the events it tells."""

    def make(script, name="society-of-minds", **floor):
        told = []
        return staged(name, Scripted(script), store, listen=told.append, **floor), told

    return make


async def test_of_several_failures_the_lowest_seat_s_is_raised(opened):
    async def script(call):
        await asyncio.sleep(0.003 * (3 - call.draw.seat))
        return says(call) if call.draw.seat == 0 else RefusedError(f"not seat {call.draw.seat}")

    debate, told = opened(script)
    with pytest.raises(RefusedError, match="not seat 1"):
        await debate.everyone(debate.seat("mind", 3), "answer")
    assert [event.seat for event in told if isinstance(event, Turn)] == [0]


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        (ruling("4"), 3),
        (ruling(), 7),
        ('{"Whether there is a preference": "No", "debate_answer": "4"}', 7),  # calls it open
        ("nothing to say", 7),
        (ruling().replace('"No"', '"Yes"'), 3),  # for the affirmative, whose answer it takes
        ('{"Whether there is a preference": "No", "Supported Side": "Negative"}', 7),
    ],
)
async def test_a_judge_ends_the_debate_by_deciding(said, calls, store):
    def script(call):
        return said if call.scene.step == "weigh" else says(call, ends=9)

    assert len((await hold("multi-persona", script, store, rounds=2)).turns) == calls


async def test_events_are_told_as_they_come_and_kept_as_they_were_asked_for(store):
    async def script(call):
        await asyncio.sleep(0.003 * (3 - call.draw.seat))
        return says(call)

    told, protocol, model = [], registry.get("self-consistency"), Scripted(script)
    chosen = settings(protocol, model, {"samples": 3})
    given = {"path": CallPath(store), "model": lambda _: model, "replicate": 7}
    given |= {"pack": protocol.pack(), "listen": told.append}
    transcript = await run_debate(protocol.read(chosen), SUM, **given)
    assert [event.id for event in told if isinstance(event, Turn)] == [3, 2, 1]
    assert [turn.id for turn in transcript.turns] == [1, 2, 3]
    assert sorted(map(repr, told)) == sorted(map(repr, transcript.events))
    opened = transcript.opened
    assert (opened.protocol, opened.settings) == ("self-consistency", chosen)
    assert (opened.pack, opened.replicate, opened.simulated) == (protocol.pack().digest, 7, True)
    assert transcript.events[-1].seconds > 0


class Notebook:
    """A ledger that takes no time, so that only urgency decides who is next."""

    blocked = False

    async def find(self, _):
        return None

    async def claim(self, _):
        return None

    def release(self, _):
        pass

    async def record(self, *recorded):
        return recorded[-1]


async def test_debates_that_have_begun_are_finished_before_others_begin():
    under_way, most = Counter(), 0

    async def script(call):
        nonlocal most
        under_way[call.scene.question.id] += 1
        most = max(most, sum(said < 6 for said in under_way.values()))
        await asyncio.sleep(0)
        return says(call, ends=2)

    questions = [msgspec.structs.replace(SUM, id=str(n), text=f"{n}+2?") for n in range(60)]
    model = Scripted(script, limits=Limits(concurrency=2))
    held = await hold_all("multi-persona", model, Notebook(), questions)
    assert [len(each.turns) for each in held] == [6] * 60
    assert most <= 4  # a place that is given back may go to a new debate before the next turn asks


async def test_retries_replicates_and_a_cut_off_are_in_the_turn(store):
    path = CallPath(store, retry=Retry(first=0.0001))
    attempts = iter([*[TransientError("busy")] * 2, "Final answer: 4", "1", "2"])
    [turn] = (await hold("single", lambda _call: next(attempts), store, path=path)).turns
    assert (turn.retries, turn.answer) == (2, "4")
    for given, text in (({"replicate": 1}, "1"), ({"seed": 1}, "2"), ({}, "Final answer: 4")):
        held = await hold("single", lambda _: next(attempts), store, **given)
        assert held.turns[0].text == text, "replicates and seeds are other draws"
    question = Question(id="open", kind="text", text="What is a debate?")
    for finish, answer in (("length", None), ("stop", "A debate is an")):
        model = Scripted([Reply(text="A debate is an", finish=finish)], name=finish)
        [turn] = (await hold("single", model, store, question=question)).turns
        assert (turn.finish, turn.answer) == (finish, answer)


async def test_a_slot_that_nothing_fills_is_an_error_of_the_input(opened):
    debate, _ = opened(says, "multi-persona")
    [judge] = debate.seat("judge", **TOLD)
    with pytest.raises(InputError, match=r"step\.weigh: kept: 'sides' is undefined"):
        await debate.ask(judge, "weigh", **SHOWN)
    with pytest.raises(UnknownName, match="did you mean 'decide'"):
        await debate.ask(judge, "decid")
