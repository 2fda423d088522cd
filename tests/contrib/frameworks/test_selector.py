"""AutoGen's selector: who speaks next is asked of a model."""

import msgspec
import pytest

from moot.core.errors import InputError
from moot.debate.protocol import registry
from support.debates import SUM, hold

autogen = registry.get("autogen")
if not autogen.is_installed:
    pytest.skip("autogen is not installed: see test_society", allow_module_level=True)

pytestmark = pytest.mark.soak
ONE_ROUND = {"agents": 3, "rounds": 1, "selector": True}


async def test_the_turns_of_a_chat_with_a_selector(store):
    sent = []
    replies = [
        *("Agent_2", "Final answer: 5"),
        *("Agent_2 again!", "One of Agent_1 and Agent_3", "It is the turn of Agent 3."),
        *("Final answer: 6",),
        *("I cannot say", "nor now", "nor ever", "Final answer: 7"),
        "Final answer: 8",
    ]

    def script(call):
        sent.append("\n".join(message.content for message in call.messages))
        return replies[call.scene.turn - 1]

    held = await hold("autogen", script, store, **ONE_ROUND)
    rows = [(turn.agent, turn.step, turn.reads) for turn in held.turns]
    assert rows == [
        ("selector", "select", ()),
        ("agent-2", "answer", ()),
        ("selector", "select", (2,)),
        ("selector", "select", (2, 3)),
        ("selector", "select", (2, 3, 4)),
        ("agent-3", "answer", (2,)),
        ("selector", "select", (2, 6)),
        ("selector", "select", (2, 6, 7)),
        ("selector", "select", (2, 6, 7, 8)),
        ("agent-3", "answer", (2, 6)),  # nobody was named: the last speaker goes on
        ("aggregator", "aggregate", (2, 6, 10)),
    ]
    assert [turn.answer for turn in held.turns if turn.role == "selector"] == [None] * 7
    for turn, text in zip(held.turns, sent, strict=True):
        assert SUM.text in text
        for other in held.turns[1:-1]:  # the first says a name that stands in every prompt
            assert (other.text in text) == (other.id in turn.reads)
    assert len(held.turns) <= autogen.count(autogen.check(ONE_ROUND))[1]


def by_turns(call):
    """The agents one after the other, all of one mind from the second round."""
    scene = call.scene
    if scene.role == "selector":
        return f"Agent_{(scene.round - 1) % 3 + 1}"
    return f"Final answer: {4 if scene.round > 1 else call.draw.seat}"


async def test_calls_replay_and_the_end(store):
    settings = {**ONE_ROUND, "rounds": 3}
    held = await hold("autogen", by_turns, store, **settings)
    assert len(held.turns) == 2 * 3 * 2 + 1  # two rounds, then all agree
    again = await hold("autogen", [], store, **settings)
    assert all(turn.replayed for turn in again.turns)
    whole = await hold("autogen", by_turns, store, consensus=False, **settings)
    assert len(whole.turns) == 3 * 3 * 2 + 1
    checked = autogen.check({**settings, "consensus": False})
    assert autogen.count(checked) == (3 * 3 * 2 + 1, 3 * 3 * 4 + 1)
    assert autogen.count(autogen.check(settings))[0] == 3 * 2 + 1


@pytest.mark.parametrize("reply", ["", "{roles} {0} %s", "\ud800", "Agent_99", "well " * 20_000])
async def test_a_selector_may_say_anything(reply, store):
    held = await hold("autogen", lambda _: reply, store, **ONE_ROUND)
    assert held.failed is None
    assert [turn.role for turn in held.turns] == [*["selector"] * 3, "agent"] * 3 + ["aggregator"]


async def test_a_question_with_braces_is_put_as_it_is(store):
    question = msgspec.structs.replace(SUM, text="What is {x} for {{x}} = {0}?", context="{roles}")
    sent = []

    def script(call):
        sent.append("".join(message.content for message in call.messages))
        return by_turns(call)

    held = await hold("autogen", script, store, question=question, **ONE_ROUND)
    assert held.failed is None
    assert all("{roles}" in text and question.text in text for text in sent)


def test_two_agents_leave_no_choice():
    with pytest.raises(InputError, match="it needs agents = 3 or more"):
        autogen.check({**ONE_ROUND, "agents": 2})
