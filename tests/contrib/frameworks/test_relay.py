"""What stands between a framework and moot, whatever the framework does."""

import asyncio

import msgspec
import pytest

from moot.contrib.frameworks.relay import Relay, merge_messages
from moot.core.calls import Message
from moot.core.errors import RefusedError
from moot.models.scripted import Scripted
from support.debates import SUM, staged

ASKED = [Message("user", "2+2?")]


def relayed(store, script):
    debate = staged("single", Scripted(script), store)
    [agent] = debate.seat("agent", remembers=False)
    return Relay(debate), agent


@pytest.mark.parametrize("wraps", [False, True], ids=["swallows", "wraps"])
async def test_a_failure_is_raised_as_itself_and_nothing_more_is_asked(store, wraps):
    asked = []

    def script(call):
        asked.append(call)
        return RefusedError("not this")

    relay, agent = relayed(store, script)

    async def conversation():
        for _ in range(3):
            try:
                await relay.reply(agent, "answer", ASKED)
            except RefusedError as error:
                if wraps:
                    raise RuntimeError("something went wrong in here") from error

    with pytest.raises(RefusedError, match="not this"):
        await relay.run(conversation())
    assert len(asked) == 1


async def test_a_conversation_that_is_broken_off_asks_nothing_more(store):
    asked, began = [], asyncio.Event()

    async def script(call):
        asked.append(call)
        began.set()
        await asyncio.sleep(60)

    relay, agent = relayed(store, script)

    async def conversation():
        for _ in range(3):
            try:
                await relay.reply(agent, "answer", ASKED)
            except Exception:  # noqa: BLE001 -- a framework may do this
                continue

    task = asyncio.create_task(relay.run(conversation()))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 5)
    assert len(asked) == 1


async def test_lines_are_the_newest_turns_that_say_so(store):
    relay, agent = relayed(store, lambda call: f"{call.scene.round % 2}")
    for _ in range(4):
        await relay.reply(agent, "answer", ASKED)
    label = agent.label

    def ids(*texts):
        return [view.turn.id for view in relay.find_views((label, text) for text in texts)]

    assert ids("1", "0", "1", "0") == [1, 2, 3, 4]
    assert ids("1", "0") == [3, 4]
    assert ids("1", "1") == [1, 3]
    assert ids("never said", "0") == [4]
    assert list(relay.find_views([("somebody else", "0")])) == []


def test_messages_of_one_role_in_a_row_are_one():
    row = [Message("user", "a"), Message("user", "b"), Message("assistant", "c")]
    assert merge_messages(row) == [Message("user", "a\n\nb"), Message("assistant", "c")]
    assert merge_messages([]) == []


TOLD = Message("system", "You are a pirate.")
BEFORE = (Message("user", "Who are you?"), Message("assistant", "A pirate."))


@pytest.mark.parametrize("holds", [True, False], ids=["holds-the-system-message", "has-its-own"])
async def test_the_conversation_stands_before_a_framework_s_messages_once(store, holds):
    sent = []

    def script(call):
        sent.append(call.messages)
        return "Final answer: 4"

    question = msgspec.structs.replace(SUM, history=(TOLD, *BEFORE))
    debate = staged("agentverse", Scripted(script), store, question)
    [agent] = debate.seat("evaluator", remembers=False)
    relay = Relay(debate)
    own = agent.system.content if holds else f"===== RULES =====\n{relay.role(agent)}"
    await relay.reply(agent, "answer", [Message("system", own), *ASKED])
    [[system, *rest]] = sent
    assert rest == [*BEFORE, *ASKED]
    assert system.content.startswith("You are a pirate.\n\n")
    assert system.content.endswith(relay.role(agent))
    assert system.content.count("pirate") == 1
    assert "pirate" not in relay.role(agent)
